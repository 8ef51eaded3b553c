"""How a register writes: short forms, slips of the keyboard, and what stands between sentences."""

import re

from fill import Fill

SHORTER = {"please": "pls", "you": "u", "your": "ur", "thanks": "thx", "because": "cause", "are": "r", "and": "n"}
GAPS = {"l": [". ", ", ", "\n", ". ", " - ", "... "], "t": [". ", ". ", ", ", "\n", " / "]}

LIVELIER = ["! ", "... ", "\n", " - ", "!! ", " — "]  # now and then instead of a full stop


def slips(text: str, fill: Fill) -> str:
    """Lower-case text with short forms, swapped or lost letters and lost apostrophes."""

    def slip(match: re.Match[str]) -> str:
        word = match[0]
        if word in SHORTER and fill.chance(0.3):
            return SHORTER[word]
        if len(word) > 3 and fill.chance(0.02):
            at = fill.rng.randint(1, len(word) - 2)
            swapped = word[at + 1] + word[at] if fill.chance(0.6) else word[at + 1]
            return word[:at] + swapped + word[at + 2 :]
        return word.replace("'", "") if fill.chance(0.4) else word

    return re.sub(r"[a-z']+", slip, text)


def casual(text: str, register: str, fill: Fill) -> str:
    """In chat: lower case, short forms and slips, outside the slots."""
    if register != "l":
        return text
    pieces = re.split(r"(\{\w+\})", text)
    return "".join(piece if piece.startswith("{") else slips(piece.lower(), fill) for piece in pieces)


def wording(fault: str, register: str, fill: Fill) -> str:
    """A fault with the long or short forms ("will not", "doesn't") of the register."""
    if register in "fr" and fill.chance(0.6):
        fault = fault.replace("won't", "will not")
    if register in "cl" and fill.chance(0.6):
        fault = re.sub(r"\b(do|does|is|are|was|were|did|has|have) not ", r"\1n't ", fault, count=1)
        fault = fault.replace("cannot ", "can't ")
    return slips(fault.lower(), fill) if register == "l" and fill.chance(0.5) else fault


def contract(text: str, slots: dict[str, str], register: str, fill: Fill) -> str:
    """ "It is leaking" becomes "it's leaking" now and then; the fault in `slots` is then "leaking"."""
    found = re.match(r"(is|are) (?!not\b)", slots.get("X", ""))
    if found and register != "f" and re.search(r"\{it\} \{X\}", text, re.I) and fill.chance(0.5):
        slots["X"] = slots["X"][found.end() :]
        ending = {"is": "'s", "are": "'re"}[found[1]]
        if register == "l" and fill.chance(0.5):
            ending = ending[1:]
        text = re.sub(r"(\{it\}) \{X\}", rf"\1{ending} {{X}}", text, flags=re.I)
    return text


def greeting(text: str, register: str, fill: Fill) -> str:
    """The greeting with what separates it from the message."""
    gap = fill.pick(["\n\n", "\n", " ", " "])
    if text[-1].isalnum() and (register != "l" or gap == " "):
        text += ","
    return text + gap


def sentences(parts: list[str], register: str, fill: Fill) -> str:
    """Sentences with something visible between them: a mark or a line break."""
    gaps = GAPS.get(register, [". "])
    favourite = fill.pick(gaps)
    text = ""
    for index, part in enumerate(parts):
        gap = favourite if fill.chance(0.7) else fill.pick(gaps)
        if register != "f" and re.search(r"\w\w\.$", part) and fill.chance(0.15):
            text += part[:-1] + fill.pick(LIVELIER)
            continue
        if part[-1] in ".!?:)(/" or part.endswith(" lol"):
            gap = "\n" if gap == "\n" else " "
            if register == "f" and fill.chance(0.2):
                gap = "\n\n"
        text += part + (gap if index < len(parts) - 1 else "")
    text = text.rstrip(" -—\n")
    return text if text[-1] in ".!?:)(/" or register in "lt" else text + "."
