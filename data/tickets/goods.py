"""The word lists in goods/*.txt: what customers buy, its parts, and what goes wrong with it.

One entry a line under `[section]`. `<is|are>` agrees with the product (one thing or several), `[a|b]` is a free
choice, `{part}` is a part of the product and `{days}` a number; "pl:" marks plurals; `*`: only for what has a motor
or a plug. A fault is a predicate that follows the product or a pronoun ("stopped charging"); a clause has a part as
its subject ("the lid does not close"); a noun phrase follows a label ("Problem: cracked lid"). Each fifth entry of
every section belongs to the test set.
"""

from functools import cache
from pathlib import Path

from grammar import split

FOLDER = Path(__file__).parent / "goods"
CATEGORIES = (
    "electronics",
    "kitchen",
    "clothing",
    "furniture",
    "tools",
    "toys",
    "media",
    "garden",
    "sports",
    "household",
    "digital",
)


@cache
def section(name: str, title: str) -> tuple[str, ...]:
    """All entries of a section of goods/NAME.txt."""
    found: dict[str, list[str]] = {}
    for line in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("[") and line.endswith("]") and "|" not in line:
            current = found.setdefault(line[1:-1], [])
        elif line.strip():
            current.append(line.strip())
    return tuple(found[title])


@cache
def listed(name: str, title: str, part: str) -> tuple[str, ...]:
    """The entries of a section that belong to the part."""
    return tuple(split(list(section(name, title)), part))


def faults() -> list[str]:
    """All training predicates, for the baseline that knows them."""
    own = [listed(name, "faults", "train") for name in CATEGORIES]
    shared = [listed("any", title, "train") for title in ("lost", "state", "general")]
    return [entry for block in [*shared, *own] for entry in block]
