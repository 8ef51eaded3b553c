"""The notation of the word lists: how a line is split off for the test set, and how it becomes text."""

import random
import re
from collections import Counter
from dataclasses import dataclass
from itertools import product

REGISTERS = {"f": "formal", "c": "chatty", "a": "angry", "t": "terse", "r": "rambling", "l": "chat"}


@dataclass(frozen=True)
class Frame:
    """One sentence wording: the registers and conditions it carries, and its text with slots."""

    registers: frozenset[str]
    conditions: frozenset[str]
    text: str
    first: str

    @property
    def bound(self) -> bool:
        """Whether the frame points back at something said before."""
        pronoun = r"\{them\}|\{it\}|\{short\}|\b(it|this|that|another|one|after all)\b"
        return "P" in self.conditions or bool(re.search(pronoun, self.text))


def split(entries: list[str], part: str) -> list[str]:
    """Each fifth entry for "test", the other four for "train"."""
    return [entry for index, entry in enumerate(entries) if (index % 5 == 4) == (part == "test")]


def entries(block: str) -> list[str]:
    """The entries of a block, one a line or separated by " / " within a line."""
    return [e.strip() for line in block.strip().splitlines() for e in line.split(" / ")]


def frames(block: str) -> list[Frame]:
    """The frames of a block whose lines read `registers conditions| text`."""
    found = []
    for line in block.strip().splitlines():
        marks, text = line.split("| ", 1)
        letters = frozenset(marks)
        found.append(Frame(letters & frozenset(REGISTERS), letters - frozenset(REGISTERS), text, marks[0]))
    return found


def split_frames(found: list[Frame], part: str) -> list[Frame]:
    """Of the frames with the same first register, each fourth for "test", the others for "train"."""
    kept, met = [], Counter[str]()
    for frame in found:
        met[frame.first] += 1
        if (met[frame.first] % 4 == 0) == (part == "test"):
            kept.append(frame)
    return kept


def choose(text: str, rng: random.Random) -> str:
    """Replaces each `[a|b]` by one of its alternatives."""
    return re.sub(r"\[([^\]]*)\]", lambda m: rng.choice(m[1].split("|")), text)


def choices(text: str) -> list[str]:
    """All texts that `choose` can make of it."""
    pieces = enumerate(re.split(r"[\[\]]", text))
    options = [piece.split("|") if index % 2 else [piece] for index, piece in pieces]
    return ["".join(chosen) for chosen in product(*options)]


def agree(text: str, plural: bool) -> str:
    """Replaces each `<one|several>` by the form that fits the product."""
    return re.sub(r"<([^|>]*)\|([^>]*)>", r"\2" if plural else r"\1", text)


def capital(text: str) -> str:
    """The text with its first letter in upper case."""
    return text[:1].upper() + text[1:]


def with_article(noun: str, plural: bool) -> str:
    """ "a blender", "an oak desk", "hiking boots"; by sound: "an 8 kg", "a USB-C"."""
    if plural:
        return noun
    vowel = re.match(r"(?!(?:u[ns]i|usb|usm|eu|one\b|ut[ei]))[aeiou]|8|11|18|(?:[FHLMNRSX]{1,2}[-\d ])", noun, re.I)
    return f"{'an' if vowel else 'a'} {noun}"
