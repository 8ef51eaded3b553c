"""Draws the contents of a message: product, fault, order id, names and the numbers around them."""

import random
import re
import string
from functools import cache

import fillers
import problems
import words
from goods import CATEGORIES, listed, section
from grammar import agree, choose, entries, split

ID_SHAPES = """
A-99999|#99999|ORD/2099/999|9999 999|aa-99-99a|AA999999|999-9999999-9999999|A9A9-99|AAA-99999|99/99999|AA.9999.99
|AAAA-9999|99999999|9999-9999|A/9999/A|AA-A9999|#AA9999|AA_99999|20990999-99|AA 9999 9|9AA99|A99-A99-A99|W-2099-9999
|ORD-999999|#9999-A|99999|A9999|AA99 99|99.999.99|aaa9999
""".replace("\n", "").split("|")

NUMBER_SHAPES = {
    "phone": ["0999 999 9999", "+49 999 9999999", "(999) 999-9999", "+44 9999 999999", "09999/99999"],
    "invoice": ["R-9999", "INV-99999", "2024-9999", "999999", "RE99999", "K-9999"],
    "tracking": ["1Z999AA9999", "JD0099999999", "RR99999999DE", "9999 9999 9999", "99999999999"],
    "serial": ["SN9999A9", "A9A9999", "99-AA-9999", "99999999A"],
    "ticket": ["T-9999", "999999", "CS-9999", "#9999"],
    "postcode": ["AA9 9AA", "99999", "9999 AA"],
}
DATES = ["{d} March", "{d}/11/2024", "2024-0{m}-1{m}", "June {d}", "{d}.0{m}.2025", "{d} October 2024"]


@cache
def items(block: str, part: str) -> list[str]:
    """The entries of a block, or of a list with bars, that belong to the part."""
    return split(block.split("|") if "\n" not in block else entries(block), part)


class Fill:
    """Draws fillers of one part ("train" or "test") of the word lists."""

    def __init__(self, part: str, rng: random.Random):
        self.part = part
        self.rng = rng
        known = split(words.FIRST_NAMES.split(), part)  # their endings tell the gender
        self.first = [*known, *listed("names", "first", part)]
        self.last = [*split(words.SURNAMES.split(), part), *listed("names", "last", part)]
        self.brand_starts = [*split(words.BRAND_STARTS.split(), part), *listed("names", "brands", part)]
        self.whens = split(fillers.WHENS.split("|"), part)
        self.places = split(fillers.PLACES.split("|"), part)
        self.friends = split(fillers.FRIENDS.split("|"), part)
        self.staff = split(fillers.STAFF.split("|"), part)
        self.female = [n for n in known if n[-1] == "a" and n not in words.MALE_IN_A]
        male = re.compile(r"([^k]o|us|im|if|ek|av|ed|ik|an)$")
        self.male = [n for n in known if male.search(n) and n not in words.NOT_MALE]

    def pick(self, options: list[str]) -> str:
        return self.rng.choice(options)

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def person(self, names: list[str]) -> str:
        """One of the names; in training often a blend of two: what is new each time must be copied, not recalled."""
        name = self.pick(names)
        if self.part == "test" or self.chance(0.6):
            return name
        start = re.match(r"[^aeiou]*[aeiou]+[^aeiou]", name, re.I)
        end = re.search(r"[aeiou]+[^aeiou]+[aeiou]?$", self.pick(names), re.I)
        return start[0] + end[0].lower() if start and end else name

    def name(self) -> str:
        """A first name, a full name or one with initials."""
        first, last = self.person(self.first), self.person(self.last)
        if self.chance(0.03):
            last = f"{last}-{self.pick(self.last)}"
        middle = self.pick(string.ascii_uppercase[:23])
        forms = [first, f"{first} {last}", f"{first[0]}. {last}", f"{first} {middle}. {last}", last]
        return self.rng.choices(forms, [32, 59, 4, 3, 2])[0]

    def shape(self, pattern: str) -> str:
        """Each 9 becomes a digit, A and a a letter."""
        letters = {"9": string.digits, "A": "ABCDEFGHJKLMNPQRSTUVWXYZ", "a": "abcdefghkmnprstuvwxyz"}
        return "".join(self.pick(list(letters[c])) if c in letters else c for c in pattern)

    def order_id(self) -> str:
        """An id of a usual shape, or of one to three groups with a separator."""
        if self.chance(0.7):
            shape = self.pick(ID_SHAPES)
            prefix = re.match(r"ORD|W-", shape)
            start = prefix[0] if prefix else ""
            return start + self.shape(shape[len(start) :].replace("2099", f"20{self.pick(['23', '24', '25'])}"))
        letter = self.pick(["A", "A", "a"])
        groups = ["9" * self.rng.randint(2, 6)]
        for _ in range(self.rng.choice([0, 1, 1, 2])):
            kind = self.pick([letter, "9", letter + "9"])
            groups.insert(self.rng.randint(0, len(groups)), kind * self.rng.randint(1, 3))
        groups = groups if len(groups) > 1 else [letter * self.rng.randint(1, 3) + groups[0] + "9"]
        return self.shape(self.pick(["-", "-", "/", ".", "", " ", "_"]).join(groups))

    def brand(self) -> str:
        return self.pick(self.brand_starts) + self.pick(words.BRAND_ENDS.split())

    def product(self, category: str) -> tuple[str, bool]:
        """A product of the category, and whether it is a plural."""
        head = self.pick(list(listed(category, "heads", self.part)))
        plural = head.startswith("pl:")
        pieces = [head.removeprefix("pl:")]
        if self.chance(0.22):
            pieces.insert(0, self.pick(list(section(category, "modifiers"))))  # "black", "steel": shared
        if self.chance(0.3):
            if self.chance(0.25) and category not in ("clothing", "media", "digital"):
                code = self.pick(words.MODEL_CODES.split())
                fixed = re.fullmatch(r"[A-Z][a-z]+|II|III|SE", code)
                pieces.insert(0, code if fixed else self.shape(code.replace("L", "A").replace("MAA", "MK")))
                if self.chance(0.12) and not plural:
                    pieces = pieces[:1]
            pieces.insert(0, self.brand())
        return " ".join(pieces), plural

    def short(self, product: str, category: str) -> str:
        """The product without brand, model and other additions; itself where nothing else is left."""
        heads = [head.removeprefix("pl:") for head in section(category, "heads")]
        fitting = [head for head in heads if product.lower().endswith(head.lower())]
        return product[-len(max(fitting, key=len)) :] if fitting else product

    def fault(self, category: str, kind: str, form: str, plural: bool) -> str:
        """A fault as predicate ("X"), clause ("C") or noun phrase ("N")."""
        if form == "X":
            shared = kind in ("lost", "state")
            options = listed("any", kind, self.part) if shared else listed(category, "faults", self.part)
            if kind == "use" and self.chance(0.15):
                options = listed("any", "general", self.part)
        else:
            options = listed("any", f"{'clauses' if form == 'C' else 'nouns'} {kind}", self.part)
        if category not in words.POWERED:
            options = tuple(entry for entry in options if not entry.startswith("*"))
        template = self.pick(list(options)).lstrip("*")
        if form == "X" and kind in ("use", "digital") and "{days}" not in template and self.chance(0.15):
            after = following(template, kind)
            if after:
                template += " " + self.pick(items(after, self.part))
        elif form == "C" and kind == "use" and template.endswith((" off", "broke", "gave up")) and self.chance(0.5):
            template += " " + self.pick(items(problems.AFTER_PAST, self.part))
        part = self.pick(list(listed(category, "parts", self.part)))
        text = choose(agree(template, plural), self.rng)
        return text.replace("{part}", part).replace("{days}", self.days())

    def days(self) -> str:
        return self.pick(fillers.NUMBER_WORDS.split("|")) if self.chance(0.8) else str(self.rng.randint(2, 40))

    def slots(self, name: str, category: str) -> dict[str, str]:
        """Values for the slots that do not enter the record."""
        other = self.name()
        while set(other.split()) & set(name.split()):
            other = self.name()
        last = self.pick([n for n in self.last if n not in name])
        others = {"n": other, "f": self.pick(self.female), "m": self.pick(self.male), "s": last}
        second, second_plural = self.product(self.pick([c for c in CATEGORIES if c not in (category, "digital")]))
        while second_plural:
            second, second_plural = self.product(self.pick(list(CATEGORIES)))
        euros = [str(self.rng.randint(9, 899)), f"{self.rng.randint(9, 299)}.{self.pick(['99', '50', '95'])}"]
        shapes = {key: self.shape(self.pick(options)) for key, options in NUMBER_SHAPES.items()}
        date = self.pick(DATES).format(d=self.rng.randint(10, 28), m=self.rng.randint(2, 9))
        return shapes | {
            "friend": self.pick(self.friends).format(**others),
            "staff": self.pick(self.staff).format(**others),
            "agent": self.pick([f"Mr {last}", f"Ms {last}", f"Mrs {last}", others["f"], others["m"]]),
            "small_age": str(self.rng.randint(30, 80)),
            "P2": second,
            "price": self.pick(["${}", "£{}", "€{}", "{} euros", "{} dollars", "{} pounds"]).format(self.pick(euros)),
            "date": date,
            "small": str(self.rng.randint(2, 180)),
            "when": self.pick(self.whens),
            "where": self.pick(self.places),
            "kin": self.pick(fillers.KIN.split("|")),
        }


def following(template: str, kind: str) -> str | None:
    """Which block of adverbials may follow the fault, by the form of its verb."""
    if kind == "digital":
        return None if template.startswith(("was", "lost", "<is", "never", "vanished")) else problems.AFTER_DIGITAL
    if template.startswith(("<has", "<is", "only")):
        return None
    if template.startswith(("won't", "no longer", "cannot", "<does|do> not")):
        return problems.AFTER_NEGATIVE
    return problems.AFTER_PRESENT if template.startswith("<") else problems.AFTER_PAST
