"""Puts a message together from independent parts, and the record that belongs to it."""

import random
import re

import fillers as filler_blocks
import frames_fault
import frames_person
import frames_wish
import words
from fill import Fill
from grammar import Frame, capital, choose, frames, split_frames, with_article

WANTS = ("refund", "replacement", "repair", "information")
SHORTER = {"please": "pls", "you": "u", "your": "ur", "thanks": "thx", "because": "cause", "are": "r", "and": "n"}
FAULT_KINDS = ("use", "state", "lost", "digital")
# Share of each wish by kind of fault; the rest states none.
WISHES = {
    "use": (0.20, 0.20, 0.28, 0.16),
    "state": (0.29, 0.33, 0.06, 0.14),
    "lost": (0.34, 0.22, 0.0, 0.26),
    "digital": (0.32, 0.0, 0.24, 0.26),
}


class Writer:
    """Writes messages from one part ("train" or "test") of all lists."""

    def __init__(self, part: str, rng: random.Random):
        self.rng = rng
        self.fill = Fill(part, rng)
        self.pools = {name: split_frames(frames(block), part) for name, block in blocks().items()}
        self.used: set[str] = set()

    def row(self, register: str) -> tuple[str, dict[str, str | None]]:
        """A message and its record."""
        return Message(self, register).build()


def blocks() -> dict[str, str]:
    """All blocks of frames by name."""
    modules = (frames_fault, frames_person, frames_wish, filler_blocks)
    return {
        name: value
        for module in modules
        for name, value in vars(module).items()
        if name.isupper() and isinstance(value, str) and "\n" in value
    }


class Message:
    """One message while it is being written."""

    def __init__(self, writer: Writer, register: str):
        self.writer, self.register = writer, register
        self.rng, self.fill = writer.rng, writer.fill
        self.category = self.rng.choice(list(words.PRODUCTS))
        self.product, self.plural = self.fill.product(self.category)
        self.kind = "digital" if self.category == "digital" else self.rng.choices(FAULT_KINDS[:3], [58, 28, 14])[0]
        self.values = {"name": self.fill.name(), "id": self.fill.order_id()}
        if register == "l":
            self.values["name"] = self.lower(self.values["name"], 0.75)
            self.values["id"] = self.lower(self.values["id"], 0.5)
            self.product = self.lower(self.product, 0.9)
        if register == "a" and self.fill.chance(0.04):
            self.product = self.product.upper()
        self.has_name = self.fill.chance(0.78)
        self.has_id = self.fill.chance(0.6)
        self.record: dict[str, str | None] = dict.fromkeys(("name", "product", "problem", "order_id", "wants"))

    def lower(self, text: str, share: float) -> str:
        return text.lower() if self.fill.chance(share) else text

    def fits(self, frame: Frame) -> bool:
        """Whether the frame suits the register, the kind of fault and the number."""
        banned = {
            "U": self.kind != "use",
            "Z": self.kind in ("lost", "none", "digital"),
            "R": self.kind == "lost",
            "H": self.kind == "digital",
            "L": self.kind != "lost",
            "S": self.plural,
            "B": self.kind == "none",
            "P": self.record["product"] is None,
        }
        return not any(banned[c] for c in frame.conditions)

    def frame(self, block: str, free: bool = False) -> Frame | None:
        """A fitting frame that this message has not used yet; `free`: without a pronoun."""
        fitting = [
            frame
            for frame in self.writer.pools[block]
            if self.fits(frame) and frame.text not in self.seen and not (free and bound(frame))
        ]
        fitting = [f for f in fitting if self.register in f.registers] or fitting
        if not fitting:
            return None
        frame = self.rng.choice(fitting)
        self.seen.add(frame.text)
        self.writer.used.add(frame.text)
        return frame

    def say(self, frame: Frame, tag: str = "") -> str:
        """The frame as text of this register, its slots filled."""
        text = choose(frame.text, self.rng)
        if tag:
            text = re.sub(r"(\{a?P\})", lambda m: m[1] + tag, text, count=1)
            text = re.sub(r",([,.;:!?]|$)", r"\1", text)
        text = self.casual(text)
        slots = self.slots()
        if self.fill.chance(0.08):
            text = re.sub(r"\b([Mm]y|[Oo]ur) \{P\}", r"\1 " + self.fill.pick(["new", "brand new"]) + " {P}", text)
        text = self.contract(text, slots)
        said = text.format(**slots)
        starts = re.match(r"[a-z{]", frame.text) and not re.match(r"\{(P|X|C|N|id|name)\}", frame.text)
        self.note(text, slots)
        return (capital(said) if starts and self.register not in "lt" else said).replace("¶", "\n")

    def slots(self) -> dict[str, str]:
        """Values for all slots; second people and products are drawn anew, numbers stay the same."""
        drawn = self.fill.slots(self.values["name"], self.category)
        for key in ("price", "phone", "date", "invoice", "tracking", "serial", "ticket", "small", "small_age"):
            drawn[key] = self.kept.setdefault(key, drawn[key])
        if self.register == "l":
            drawn = {key: value.lower() for key, value in drawn.items()}
        slots = drawn | self.values | self.words()
        condition = self.fill.pick(["new ", "brand new ", "second-hand "]) if self.fill.chance(0.08) else ""
        slots["aP"] = with_article(condition + slots["P"], self.plural)
        slots["aP2"] = with_article(slots["P2"], False)
        slots["short"] = short_name(slots["P"], self.category)
        for key in ("friend", "staff", "when"):
            slots[key + "_c"] = capital(slots[key])
        for key in ("P2", "P", "aP", "X", "C", "N"):
            if key in slots:
                slots[key + "c"] = capital(slots[key])
        return slots

    def note(self, text: str, slots: dict[str, str]) -> None:
        """Enters into the record what the text just said."""
        for slot, value in slots.items():
            key = {"P": "product", "aP": "product", "Pc": "product", "aPc": "product", "name": "name", "id": "order_id"}.get(slot)
            if slot.rstrip("c") in ("X", "C", "N"):
                key = "problem"
            if key and "{" + slot + "}" in text:
                self.record[key] = self.product if slot in ("aP", "aPc") else value

    def words(self) -> dict[str, str]:
        """The product, the fault and the words that agree with them."""
        it, them = ("they", "them") if self.plural else ("it", "it")
        found = {"P": self.product, "it": it, "It": capital(it), "them": them, "it_o": them,
                 "this": "these" if self.plural else "this"}  # fmt: skip
        return found | self.faults

    def contract(self, text: str, slots: dict[str, str]) -> str:
        """ "It is leaking" becomes "it's leaking" now and then; the fault is then "leaking"."""
        found = re.match(r"(is|are) (?!not\b)", slots.get("X", ""))
        if found and self.register != "f" and re.search(r"\{it\} \{X\}", text, re.I) and self.fill.chance(0.5):
            slots["X"] = slots["X"][found.end() :]
            ending = {"is": "'s", "are": "'re"}[found[1]]
            if self.register == "l" and self.fill.chance(0.5):
                ending = ending[1:]
            text = re.sub(r"(\{it\}) \{X\}", rf"\1{ending} {{X}}", text, flags=re.I)
        return text

    def casual(self, text: str) -> str:
        """In chat: lower case, short forms and slips, outside the slots."""
        if self.register != "l":
            return text
        pieces = re.split(r"(\{\w+\})", text)
        return "".join(p if p.startswith("{") else self.slips(p.lower()) for p in pieces)

    def slips(self, text: str) -> str:
        def slip(match: re.Match[str]) -> str:
            word = match[0]
            if word in SHORTER and self.fill.chance(0.3):
                return SHORTER[word]
            if len(word) > 3 and self.fill.chance(0.05):
                at = self.rng.randint(1, len(word) - 2)
                return word[:at] + word[at + 1] + word[at] + word[at + 2 :] if self.fill.chance(0.6) else word[:at] + word[at + 1 :]
            return word.replace("'", "") if self.fill.chance(0.4) else word

        return re.sub(r"[a-z']+", slip, text)

    def problem(self, form: str) -> str:
        text = self.fill.fault(self.category, self.kind, form, self.plural and self.record_product)
        if self.register in "fr" and self.fill.chance(0.6):
            text = text.replace("won't", "will not")
        if self.register in "cl" and self.fill.chance(0.6):
            for long, short in ((" not ", "n't "), ("cannot ", "can't ")):
                text = re.sub(rf"\b(do|does|is|are|was|were|did|has|have){long}", rf"\1{short}", text, count=1) if long == " not " else text.replace(long, short)
        return self.slips(text.lower()) if self.register == "l" and self.fill.chance(0.5) else text

    def build(self) -> tuple[str, dict[str, str | None]]:
        self.seen: set[str] = set()
        self.kept: dict[str, str] = {}
        self.faults: dict[str, str] = {}
        self.record_product = True
        core = self.core()
        before, after = self.around()
        if self.kind == "none":
            before, after = before, [a for a in after if a]
        text = self.join(before, core, after)
        for key, value in self.record.items():
            assert key == "wants" or value is None or value in text, (key, value, text)
        return text, self.record

    def tag(self) -> str:
        """An order id to be put behind the product, now and then."""
        if not self.has_id or not self.fill.chance(0.22):
            return ""
        frame = self.frame("ID_TAGS")
        return frame.text.rstrip() if frame else ""

    def core(self) -> list[str]:
        """The sentences that name the product and the fault."""
        styles = {"joint": 50, "apart": 20, "clause": 12, "label": 14 if self.register == "t" else 3, "bare": 5, "plain": 7}
        style = self.rng.choices(list(styles), list(styles.values()))[0]
        if style in ("clause", "label", "bare") and self.kind == "lost" and style != "bare":
            style = "joint"
        if style == "plain":
            block = self.fill.pick(["PLAIN_QUESTIONS", "PLAIN_RETURNS"])
            kind, self.kind = self.kind, "none"
            frame = self.frame(block)
            if frame:
                swap = re.search("swap|exchange", frame.text)
                self.record["wants"] = "information" if block == "PLAIN_QUESTIONS" else "replacement" if swap else "refund"
                return [self.say(frame)]
            self.kind, style = kind, "joint"
        if style == "label" and (frame := self.frame("LABELLED")):
            self.faults = {"N": self.problem("N")}
            return [self.say(frame, self.tag() if "¶" not in frame.text else "")]
        if style == "clause" and (frame := self.frame("PRODUCT_AND_CLAUSE")):
            self.faults = {"C": self.problem("C")}
            return [self.say(frame, self.tag())]
        if style == "bare" and (frame := self.frame("FAULT_WITHOUT_PRODUCT")):
            self.plural, self.record_product = False, False
            self.faults = {"X": self.problem("X")}
            return [self.say(frame)]
        self.faults = {"X": self.problem("X")}
        if style == "apart" and (first := self.frame("PRODUCT_ALONE")) and (second := self.frame("FAULT_ALONE")):
            parts = [self.say(first, self.tag())]
            if self.has_id and not self.record["order_id"] and self.fill.chance(0.25) and (ids := self.frame("IDS")):
                parts.append(self.say(ids))
            return [*parts, self.say(second)]
        frame = self.frame("PRODUCT_AND_FAULT")
        return [self.say(frame, self.tag())]

    def around(self) -> tuple[list[str], list[str]]:
        """What stands before and after the core."""
        before: list[str] = []
        after: list[str] = []

        def put(block: str, early: float, free: bool = False) -> None:
            first = self.fill.chance(early)
            frame = self.frame(block, free=free and first)
            if frame and first and "B" not in frame.conditions:
                before.append(self.say(frame))
            elif frame:
                after.append(self.say(frame))

        if self.has_id and not self.record["order_id"]:
            put("IDS", 0.4)
        for _ in range(self.filler_count()):
            block = self.rng.choices(["SMALL_TALK", "PEOPLE", "NUMBERS", "SECOND_PRODUCTS", "OLD_WISHES"], [44, 18, 20, 11, 7])[0]
            put(block, 0.4)
        self.rng.shuffle(before)
        self.rng.shuffle(after)
        if self.kind != "none":
            self.wish(before, after)
        self.who = self.rng.choices(["intro", "late", "signature"], [40, 10, 50])[0] if self.has_name else None
        if self.who == "intro":
            before.insert(0, self.say(self.frame("INTRODUCTIONS")))
        elif self.who == "late":
            after.insert(self.rng.randint(0, len(after)), self.say(self.frame("INTRODUCTIONS")))
        return before, after

    def wish(self, before: list[str], after: list[str]) -> None:
        wants = self.rng.choices([*WANTS, None], [*WISHES[self.kind], 1 - sum(WISHES[self.kind])])[0]
        early = self.fill.chance(0.12)
        frame = self.frame(wants.upper() if wants else "NO_WISH", free=early)
        if frame is None or (wants is None and self.fill.chance(0.4)):
            return
        said = self.say(frame)
        if self.register == "a" and self.fill.chance(0.12):
            said = said.upper()
        self.record["wants"] = wants
        if early and wants:
            before.insert(self.rng.randint(0, len(before)), said)
        else:
            after.insert(len(after) if self.fill.chance(0.6) else self.rng.randint(0, len(after)), said)

    def filler_count(self) -> int:
        draw = self.rng.random()
        steps = {"t": (0.5, 0.85, 1.0, 1.0, 1.0), "r": (0.05, 0.2, 0.45, 0.65, 0.88)}.get(self.register, (0.22, 0.52, 0.78, 0.9, 0.97))
        count = next((n for n, step in enumerate(steps) if draw < step), None)
        return self.rng.randint(6, 16) if count is None else count

    def join(self, before: list[str], core: list[str], after: list[str]) -> str:
        """The whole message with greeting, signature and the punctuation of its register."""
        head, tail = "", ""
        if self.has_id and not self.record["order_id"]:
            frame = self.frame("SUBJECTS")
            head = self.say(frame) + "\n" if frame else ""
        share = {"f": 0.85, "c": 0.75, "a": 0.3, "t": 0.08, "r": 0.8, "l": 0.5}[self.register]
        if self.fill.chance(share) and (frame := self.frame("GREETINGS")):
            head += self.greeting(self.say(frame))
        if self.who == "signature":
            tail = self.fill.pick(["\n\n", "\n", "\n", " "]) + self.say(self.frame("SIGNATURES"))
            if self.fill.chance(0.08) and self.register in "fcrl" and (frame := self.frame("SMALL_TALK")):
                tail += "\n" + self.fill.pick(["PS: ", "P.S. ", "PS "]) + self.say(frame)
        return head + self.sentences([*before, *core, *after]) + tail

    def greeting(self, text: str) -> str:
        gap = self.fill.pick(["\n\n", "\n", " ", " "])
        if text[-1].isalnum() and (self.register != "l" or (gap == " " and self.fill.chance(0.7))):
            text += ","
        return text + gap

    def sentences(self, parts: list[str]) -> str:
        """Sentences with something visible between them: a mark or a line break."""
        loose = {"l": [". ", ", ", "\n", ". ", " - ", "... "], "t": [". ", ". ", ", ", "\n", " / "]}.get(self.register, [". "])
        favourite = self.rng.choice(loose)
        text = ""
        for index, part in enumerate(parts):
            last = index == len(parts) - 1
            closed = part[-1] in ".!?:)(/" or part.endswith((" lol", " pls help"))
            gap = favourite if self.fill.chance(0.7) else self.rng.choice(loose)
            if closed:
                gap = "\n" if gap == "\n" else " "
                if self.register == "f" and self.fill.chance(0.2):
                    gap = "\n\n"
            text += part + ("" if last else gap)
        if text[-1] not in ".!?:)(/" and self.register not in "lt":
            text += "."
        return text


def short_name(product: str, category: str) -> str:
    """The product without brand, model and other additions; itself where nothing else is left."""
    heads = [head.removeprefix("pl:") for head in words.PRODUCTS[category][0].split("|")]
    fitting = [head for head in heads if product.lower().endswith(head.lower())]
    return product[-len(max(fitting, key=len)) :] if fitting else product


def bound(frame: Frame) -> bool:
    """Whether the frame points back at something said before."""
    return bool(re.search(r"\{them\}|\{it\}|\{short\}|\b(it|this|that|another|one|after all)\b", frame.text)) or "P" in frame.conditions
