"""Cards: one type for a detected device and a catalogue entry, and the catalogue `data/hardware.json`.

So "this machine" and "8 x V100" are interchangeable. A fact that nobody has told is None, never a guess.
"""

import difflib
import functools
import json
import re
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from kit.errors import KitError
from kit.files import shipped

GIB = 2**30


class CardState(BaseModel):
    """How a detected device is doing; None is what its driver does not tell."""

    model_config = ConfigDict(frozen=True)
    used_bytes: int | None = None
    temperature_celsius: int | None = None
    power_watts: float | None = None
    power_limit_watts: float | None = None
    ecc: bool | None = None


class Card(BaseModel):
    """A device to compute on: detected, or an entry of the catalogue. Bytes, bytes/s, dense FLOP/s, watts.

    `memory_bytes` is what the driver shows (catalogue: as sold), `usable_bytes` what torch sees of it, `free_bytes`
    what is free now, `link_bytes_per_second` card to card in both directions together, `cores` those of the CPU or of
    an Apple GPU, `measured_bf16_flops` the best bf16 matmul that others measured, `sources` who told each fact.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: str
    vendor: str
    kind: str
    architecture: str = ""
    memory_bytes: int | None = None
    usable_bytes: int | None = None
    free_bytes: int | None = None
    compute_capability: tuple[int, int] | None = None
    cores: int | None = None
    flags: tuple[str, ...] | None = None
    bandwidth_bytes_per_second: int | None = None
    bf16_flops: int | None = None
    fp16_flops: int | None = None
    tf32_flops: int | None = None
    fp32_flops: int | None = None
    fp8_flops: int | None = None
    measured_bf16_flops: int | None = None
    link: str | None = None
    link_bytes_per_second: int | None = None
    power_watts: int | None = None
    state: CardState | None = None
    sources: dict[str, str] = {}
    notes: str = ""


class _Entry(NamedTuple):
    card: Card
    meaning: str  # what choosing the card by this name implies; '' for a plain other name


def catalog() -> tuple[Card, ...]:
    """All cards of `data/hardware.json`, each fact with its source."""
    return _load()[0]


def card(name: str) -> Card:
    """The catalogue's card of that name or alias; `notes` says what an alias implies (`A100-80GB`: the SXM form).

    Raises:
        KitError: no such card; the message lists near names.
    """
    entry = find(name)
    if entry is None:
        near = ", ".join(_near(name))
        raise KitError(f"no card '{name}' in the catalogue", where="card", fix=f"choose one of: {near}")
    if not entry.meaning:
        return entry.card
    return entry.card.model_copy(update={"notes": f"{name}: {entry.meaning}. {entry.card.notes}".strip()})


def find(name: str) -> _Entry | None:
    """The entry of that name or alias (a memory size may follow: `3090-24GB`), or None."""
    key, index = _key(name), _load()[1]
    if key in index:
        return index[key]
    return next((entry for known, entry in index.items() if key == f"{known}{_size(entry.card)}gb"), None)


def _size(one: Card) -> int:
    return (one.memory_bytes or 0) // GIB


def _near(name: str) -> list[str]:
    key, names = _key(name), {_key(one.name): one.name for one in catalog()}
    inside = [shown for known, shown in names.items() if key and key in known]
    close = [names[known] for known in difflib.get_close_matches(key, names, n=5, cutoff=0.5)]
    return inside or close or sorted(names.values())


def _key(name: str) -> str:
    """`NVIDIA GeForce RTX 3090` and `rtx-3090` are one name."""
    words = re.sub(r"\b(nvidia|geforce|tesla|amd|instinct|apple|huawei)\b", " ", name.lower())
    return re.sub(r"[^a-z0-9]", "", words)


@functools.cache
def _load() -> tuple[tuple[Card, ...], dict[str, _Entry]]:
    entries = json.loads(shipped("hardware.json").read_text(encoding="utf-8"))["cards"]
    cards, index = [], {}
    for facts in entries:
        aliases = facts.pop("aliases")
        one = Card.model_validate(facts)
        cards.append(one)
        for alias, meaning in {one.name: "", **aliases}.items():
            index[_key(alias)] = _Entry(one, meaning)
    return tuple(cards), index
