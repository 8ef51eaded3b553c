"""Puts a message together from independent parts, and the record that belongs to it."""

import random
import re

import fillers as filler_blocks
import frames_apart
import frames_fault
import frames_help
import frames_person
import frames_plain
import frames_wish
import small_talk
import voice
from fill import Fill
from goods import CATEGORIES
from grammar import Frame, capital, choose, frames, split_frames, with_article

FIELDS = ("name", "product", "problem", "order_id", "wants")
WANTS = ("refund", "replacement", "repair", "information")
FAULT_KINDS = ("use", "state", "lost", "digital")
FILLERS = {"SMALL_TALK": 52, "PEOPLE": 17, "NUMBERS": 17, "SECOND_PRODUCTS": 8, "OLD_WISHES": 6}
OWN_SLOTS = {"name", "id", "P", "Pc", "aP", "aPc", "X", "Xc", "C", "Cc", "N", "Nc"}
OWN_SLOTS |= {"it", "It", "it_o", "them", "this", "short"}
FIELD_OF_SLOT = {
    "P": "product",
    "aP": "product",
    "X": "problem",
    "C": "problem",
    "N": "problem",
    "name": "name",
    "id": "order_id",
}
COMMON = 8  # how much more often the first wording of a block is drawn than its last: a block starts with the usual
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

    def row(self, register: str) -> tuple[str, dict[str, str | None]]:
        """A message and its record."""
        return Message(self, register).build()


def blocks() -> dict[str, str]:
    """All blocks of frames by name."""
    modules = (frames_fault, frames_apart, frames_person, frames_wish, frames_help, frames_plain)
    modules += (filler_blocks, small_talk)
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
        self.category = self.rng.choice(CATEGORIES)
        self.product, self.plural = self.fill.product(self.category)
        self.kind = "digital" if self.category == "digital" else self.rng.choices(FAULT_KINDS[:3], [58, 28, 14])[0]
        self.values = {"name": self.fill.name(), "id": self.fill.order_id()}
        if register == "l":
            self.values["name"] = self.lower(self.values["name"], 0.75)
            self.values["id"] = self.lower(self.values["id"], 0.5)
            self.product = self.lower(self.product, 0.9)
        if register == "a" and self.fill.chance(0.02):
            self.product = self.product.upper()
        self.has_name = self.fill.chance(0.78)
        self.has_id = self.fill.chance(0.6)
        self.record: dict[str, str | None] = dict.fromkeys(FIELDS)
        self.who = self.rng.choices(["intro", "late", "signature"], [40, 10, 50])[0] if self.has_name else None
        self.seen: set[str] = set()
        self.kept: dict[str, str] = {}
        self.faults: dict[str, str] = {}

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
            if self.fits(frame) and frame.text not in self.seen and not (free and frame.bound)
        ]
        fitting = [f for f in fitting if self.register in f.registers] or fitting
        if not fitting:
            return None
        frame = self.rng.choices(fitting, [1 / (1 + COMMON * i / len(fitting)) for i in range(len(fitting))])[0]
        self.seen.add(frame.text)
        return frame

    def need(self, block: str) -> Frame:
        """As `frame`, where the block always has one."""
        found = self.frame(block)
        assert found, block
        return found

    def say(self, frame: Frame, tag: str = "") -> str:
        """The frame as text of this register, its slots filled."""
        text = choose(frame.text, self.rng)
        if tag:
            text = re.sub(r"(\{a?P\})", lambda m: m[1] + tag, text, count=1)
            text = re.sub(r",([,.;:!?)]|$)", r"\1", text)
        text = voice.casual(text, self.register, self.fill)
        slots = self.slots(text)
        if self.fill.chance(0.08):
            text = re.sub(r"\b([Mm]y|[Oo]ur) \{P\}", r"\1 " + self.fill.pick(["new", "brand new"]) + " {P}", text)
        text = voice.contract(text, slots, self.register, self.fill)
        said = text.format(**slots)
        if slots["name"].endswith("."):
            said = said.replace(slots["name"] + ".", slots["name"])
        starts = re.match(r"[a-z{]", frame.text) and not re.match(r"\{(P|X|C|N|id|name)\}", frame.text)
        self.note(text, slots)
        return (capital(said) if starts and self.register not in "lt" else said).replace("¶", "\n")

    def slots(self, text: str) -> dict[str, str]:
        """Values for all slots; second people and products are drawn anew, numbers stay the same."""
        slots = self.values | self.words()
        if set(re.findall(r"\{(\w+)\}", text)) - OWN_SLOTS:
            drawn = self.fill.slots(self.values["name"], self.category)
            for key in ("price", "phone", "date", "invoice", "tracking", "serial", "ticket", "small", "small_age"):
                drawn[key] = self.kept.setdefault(key, drawn[key])
            if self.register == "l":
                drawn = {key: value.lower() for key, value in drawn.items()}
            for key in ("friend", "staff", "when"):
                drawn[key + "_c"] = capital(drawn[key])
            slots |= drawn | {"aP2": with_article(drawn["P2"], False), "P2c": capital(drawn["P2"])}
        condition = self.fill.pick(["new ", "brand new ", "second-hand "]) if self.fill.chance(0.08) else ""
        slots["aP"] = with_article(condition + slots["P"], self.plural)
        slots["short"] = self.fill.short(slots["P"], self.category)
        for key in ("P", "aP", "X", "C", "N"):
            if key in slots:
                slots[key + "c"] = capital(slots[key])
        return slots

    def note(self, text: str, slots: dict[str, str]) -> None:
        """Enters into the record what the text just said."""
        for slot, value in slots.items():
            key = FIELD_OF_SLOT.get(slot.removesuffix("c"))
            if key and "{" + slot + "}" in text:
                bare = slot in ("aP", "aPc") and self.product in value
                self.record[key] = self.product if bare else value

    def words(self) -> dict[str, str]:
        """The product, the fault and the words that agree with them."""
        it, them = ("they", "them") if self.plural else ("it", "it")
        this = "these" if self.plural else "this"
        found = {"P": self.product, "it": it, "It": capital(it), "them": them, "it_o": them, "this": this}
        return found | self.faults

    def problem(self, form: str) -> str:
        """A fault in the words of this register."""
        text = self.fill.fault(self.category, self.kind, form, self.plural)
        return voice.wording(text, self.register, self.fill)

    def build(self) -> tuple[str, dict[str, str | None]]:
        """The message and its record."""
        core = self.core()
        before, after = self.around()
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
        labels = 10 if self.register == "t" else 3
        style = self.rng.choices(["joint", "apart", "clause", "label", "bare", "plain"], [50, 16, 18, labels, 4, 6])[0]
        if style in ("clause", "label") and self.kind == "lost":
            style = "joint"
        if style == "plain":
            block = self.fill.pick(["PLAIN_QUESTIONS", "PLAIN_RETURNS"])
            self.kind = "none"
            frame = self.need(block)
            back = "replacement" if re.search("swap|exchange", frame.text, re.I) else "refund"
            self.record["wants"] = "information" if block == "PLAIN_QUESTIONS" else back
            return [self.say(frame)]
        if style == "label" and (frame := self.frame("LABELLED")):
            self.faults = {"N": self.problem("N")}
            return [self.say(frame, self.tag() if "¶" not in frame.text else "")]
        if style == "clause" and (frame := self.frame("PRODUCT_AND_CLAUSE")):
            self.faults = {"C": self.problem("C")}
            return [self.say(frame, self.tag())]
        if style == "bare" and (frame := self.frame("FAULT_WITHOUT_PRODUCT")):
            self.plural = False
            self.faults = {"X": self.problem("X")}
            return [self.say(frame)]
        self.faults = {"X": self.problem("X")}
        if style == "apart" and (first := self.frame("PRODUCT_ALONE")) and (second := self.frame("FAULT_ALONE")):
            parts = [self.say(first, self.tag())]
            if self.has_id and not self.record["order_id"] and self.fill.chance(0.25) and (ids := self.frame("IDS")):
                parts.append(self.say(ids))
            return [*parts, self.say(second)]
        frame = self.need("PRODUCT_AND_FAULT")
        return [self.say(frame, self.tag())]

    def around(self) -> tuple[list[str], list[str]]:
        """What stands before and after the core."""
        before: list[str] = []
        after: list[str] = []

        def put(block: str) -> None:
            first = self.fill.chance(0.4)
            frame = self.frame(block)
            if frame and first and "B" not in frame.conditions:
                before.append(self.say(frame))
            elif frame:
                after.append(self.say(frame))

        if self.has_id and not self.record["order_id"]:
            put("IDS")
        for _ in range(self.filler_count()):
            put(self.rng.choices(list(FILLERS), list(FILLERS.values()))[0])
        self.rng.shuffle(before)
        self.rng.shuffle(after)
        if self.kind != "none":
            self.wish(before, after)
        if self.who == "intro":
            before.insert(0, self.say(self.need("INTRODUCTIONS")))
        elif self.who == "late":
            after.insert(self.rng.randint(0, len(after)), self.say(self.need("INTRODUCTIONS")))
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
        by_register = {"t": (0.9, 0.99, 1.0), "r": (0.45, 0.75, 0.9, 0.95, 0.975)}
        steps = by_register.get(self.register, (0.72, 0.93, 0.98, 0.99, 0.995))
        count = next((n for n, step in enumerate(steps) if draw < step), None)
        return self.rng.randint(6, 16) if count is None else count

    def join(self, before: list[str], core: list[str], after: list[str]) -> str:
        """The whole message with greeting, signature and the punctuation of its register."""
        head, tail = "", ""
        if self.has_id and not self.record["order_id"] and (frame := self.frame("SUBJECTS")):
            head = self.say(frame) + "\n"
        share = {"f": 0.85, "c": 0.75, "a": 0.3, "t": 0.08, "r": 0.8, "l": 0.5}[self.register]
        if self.fill.chance(share):
            head += voice.greeting(self.say(self.need("GREETINGS")), self.register, self.fill)
        if self.who == "signature":
            gap = self.fill.pick(["\n\n", "\n", "\n", "\n" if self.register in "lt" else " "])
            tail = gap + self.say(self.need("SIGNATURES"))
            if self.fill.chance(0.08) and self.register in "fcrl":
                tail += "\n" + self.fill.pick(["PS: ", "P.S. ", "PS "]) + self.say(self.need("SMALL_TALK"))
        return head + voice.sentences([*before, *core, *after], self.register, self.fill) + tail
