"""What regular expressions reach on this task: the honest opponent of the fine-tuned model.

It knows every training frame (each becomes an expression with a named group per slot) and adds rules by key
words for order id, name and wish. It prints its share of exactly matched records.

    python data/tickets/baseline.py
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import fillers
from compose import WANTS, blocks
from goods import faults
from grammar import agree, frames, split, split_frames

HERE = Path(__file__).parent
ID = r"(?:#?\w[\w./-]*\d[\w./-]*\w|#?\w*\d\w*)(?: \w*\d\w*)*"
WORD = r"(?:[^\W\d_]{2,}|[^\W\d_]\.|[^\W\d_]\b)"
NAME = rf"{WORD}(?:[ -]{WORD}){{0,3}}"
STOP = r"(?!(?:I|you|we|it|they|that|which|is|was|has|and|but|from|ordered|bought|to|for|at)\b)"
NOUN = rf"{STOP}[\w'/-](?:[\w'/-]|\.(?=\w))*"
PRODUCT = rf"{NOUN}(?: {NOUN}){{0,6}}?"


def first_words() -> str:
    """The words that the training faults most often begin with, in all forms, as alternatives."""
    counts = Counter[str]()
    for line in (line.lstrip("*") for line in faults()):
        for start in (agree(line, False), agree(line, True)):
            counts[start.split()[0]] += 1
    starts = {word for word, _ in counts.most_common(90)}  # more take minutes and find nothing
    short = "don't doesn't isn't aren't hasn't haven't wasn't weren't didn't can't will"
    starts.update(short.split(" "))
    return "|".join(sorted(map(re.escape, starts), key=len, reverse=True)).replace("'", "'?")


STARTS = first_words()
PREDICATE = rf"(?:{STARTS})\b(?:[^\n,;:!?().]|\.(?=\w)){{0,90}}?"
FAULT = r"(?:[^\n,;:!?().]|\.(?=\w)){3,90}?"
SLOTS = {
    "P": PRODUCT, "Pc": PRODUCT, "aP": rf"(?:an? )?{PRODUCT}", "aPc": rf"(?:an? )?{PRODUCT}",
    "X": PREDICATE, "Xc": PREDICATE, "C": rf"the {FAULT}", "Cc": rf"the {FAULT}", "N": FAULT, "Nc": FAULT,
    "when": "|".join(split(fillers.WHENS.split("|"), "train")),
    "where": "|".join(split(fillers.PLACES.split("|"), "train")),
    "kin": fillers.KIN, "id": ID, "name": NAME,
    "it": "(?:it|they)", "It": "(?:it|they)", "them": "(?:it|them)", "it_o": "(?:it|them)",
}  # fmt: skip
KEYS = {"P": "product", "X": "problem", "C": "problem", "N": "problem", "id": "order_id", "name": "name"}
WISH_WORDS = {  # tried in this order where no wish of the training frames is found
    "replacement": r"replace|another one|new one|exchange|swap|send (?:me )?(?:a|another)",
    "repair": r"repair|\bfix|mend",
    "refund": r"refund|money back|reimburse|pay me back|my money|credit",
    "information": r"could you tell|let me know|how long|warranty|guarantee|do you know|why\b|where is|when will|\?",
}
FIELDS = ("name", "product", "problem", "order_id", "wants")


def expression(text: str) -> re.Pattern[str]:
    """The expression of a frame: `[a|b]` is a choice, a slot is a named group or a wildcard."""
    pattern, met = "", set[str]()
    text = text.rstrip(".")  # what ends a sentence varies
    for piece in re.split(r"(\{\w+\}|\[[^\]]*\])", text):
        if piece.startswith("["):
            pattern += f"(?:{'|'.join(map(re.escape, piece[1:-1].split('|')))})"
        elif piece.startswith("{"):
            slot = piece[1:-1]
            key = KEYS.get(slot.removeprefix("a").removesuffix("c") if slot not in ("id", "name") else slot)
            inner = SLOTS.get(slot, r"[^\n]{1,50}?")
            if key and key not in met:
                article = "(?:an? )?" if slot.startswith("aP") else ""
                inner = SLOTS[slot].removeprefix(article)
                pattern += f"{article}(?P<{key}>{inner})"
                met.add(key)
            else:
                pattern += f"(?:{inner})"
        else:
            pattern += re.escape(piece).replace("¶", r"\n").replace("'", "'?")
    tail = "" if text[-1] in ".!?" else r"(?=[.,;:!?)\n]| [-—/] |$)"
    return re.compile(r"(?:^|(?<=[\s/]))" + pattern + tail, re.I | re.M)


def letters(text: str) -> int:
    """How much fixed wording a frame has."""
    return len(re.sub(r"\{\w+\}|\W", "", text))


def known(names: Iterable[str], least: int = 0) -> list[tuple[str, re.Pattern[str]]]:
    """Expressions of the training frames of some blocks with `least` letters, longest wording first."""
    found = [(name, frame.text) for name in names for frame in split_frames(frames(blocks()[name]), "train")]
    found = [item for item in found if letters(item[1]) >= least]
    found.sort(key=lambda item: -letters(item[1]))
    return [(name, expression(text)) for name, text in found]


END = r"(?=[.,;:!?()\n]| (?:and|but|so|although) | - |$)"
MORE = r"[^\n,;:!?]{3,40}?"
RELATIVE = rf"(?:,? ?(?:that |which )?(?:I|we|you) {MORE}|,? (?:from|bought|ordered|delivered){MORE})?"
LEADS = (r"my|our", r"the|your|this|these|an?")
GENERIC = [  # for wordings that no training frame covers: the surest first
    *(
        re.compile(rf"\b(?:{lead}) (?P<product>{PRODUCT}){RELATIVE},? (?P<problem>{PREDICATE}){END}", re.I | re.M)
        for lead in LEADS
    ),
    re.compile(rf"^(?P<product>{PRODUCT}):? (?P<problem>{PREDICATE}){END}", re.I | re.M),
    re.compile(rf"\b(?:it|they|that|which) (?P<problem>{PREDICATE}){END}", re.I | re.M),
]
ALONE = re.compile(
    r"\b(?:about|regarding|bought|ordered|purchased|got|own|with|to|of) (?:my|the|an?|your|our) "
    rf"(?P<product>{PRODUCT})(?= (?:that|which|I|we|from|in|on|at|last)\b|[.,;:!?(\n]|$)",
    re.I,
)
NOT_PRODUCTS = re.compile(
    r"name|number|order|parcel|item|invoice|postcode|line|website|delivery|serial|phone|customer|amount|payment|refund|sister|brother"
    r"|neighbour|colleague|cousin|courier|agent|english|box|purchase|question|money",
    re.I,
)
PLAIN = ["PLAIN_QUESTIONS", "PLAIN_RETURNS"]
ALL_CORE = ["PRODUCT_AND_FAULT", "PRODUCT_AND_CLAUSE", "LABELLED", "FAULT_WITHOUT_PRODUCT", *PLAIN]
APART = (known(["PRODUCT_ALONE"], 5), known(["FAULT_ALONE"], 5))
CORE = known(ALL_CORE, 1)
PEOPLE = known(["INTRODUCTIONS", "SIGNATURES"], 1)
IDS = known(["IDS", "SUBJECTS", "ID_TAGS"])
WISHES = known([want.upper() for want in WANTS])


def extract(message: str) -> dict[str, str | None]:
    """The record that the rules find in a message."""
    record: dict[str, str | None] = dict.fromkeys(FIELDS)

    def take(match: re.Match[str]) -> None:
        for key, value in match.groupdict().items():
            if value and record[key] is None:
                record[key] = value

    found = [(name, m) for name, rule in IDS if (m := rule.search(message))]
    if found:
        record["order_id"] = found[0][1]["order_id"]
    elif match := re.search(rf"\border\b(?: (?:number|no\.?|nr|id|ref(?:erence)?))?(?: is)?:? ({ID})", message, re.I):
        record["order_id"] = match[1]
    plain_wish = None
    rest = message
    if record["order_id"]:  # an id in brackets hides the frame around it
        number = re.escape(record["order_id"])
        rest = re.sub(rf" ?(?:\([^()]*|, order number |from order )?{number}[),]?", "", message, count=1)
    best = whole(rest)
    first, second = (next((m for _, rule in rules if (m := rule.search(rest))), None) for rules in APART)
    if best and not (first and second and wording(first) + wording(second) > wording(best[1])):
        name, match = best
        take(match)
        if name in PLAIN:
            swap = re.search("swap|exchange", match[0], re.I)
            plain_wish = "information" if name == PLAIN[0] else "replacement" if swap else "refund"
    else:
        for match in filter(None, (first, second)):
            take(match)
    if record["problem"] is None and plain_wish is None:  # no known frame: the first clause that can be a fault
        guess(rest, record)
    if record["product"] is None and (match := ALONE.search(rest)) and not NOT_PRODUCTS.search(match["product"]):
        record["product"] = match["product"].strip()
    if record["product"]:
        before = r"^(?:(?:my|the|our|your|this|these|new|brand new|second-hand) )+"
        record["product"] = re.sub(before, "", record["product"])
    take_name(message, record)
    record["wants"] = plain_wish or wish(message)
    return record


def guess(text: str, record: dict[str, str | None]) -> None:
    """Product and fault by the shape of the clause alone."""
    for rule in GENERIC:
        for match in rule.finditer(text):
            found = match.groupdict()
            product = (found.get("product") or "").strip()
            if NOT_PRODUCTS.search(product) or (product and record["product"]):
                continue
            record["problem"] = found["problem"]
            record["product"] = record["product"] or product or None
            return


def wording(match: re.Match[str]) -> int:
    """The length of a match without what it read into fields."""
    return len(match[0]) - sum(len(value) for value in match.groupdict().values() if value)


def whole(text: str) -> tuple[str, re.Match[str]] | None:
    """The frame of product and fault with the most fixed wording that is found in the text."""
    return next(((name, m) for name, rule in CORE if (m := rule.search(text))), None)


def take_name(message: str, record: dict[str, str | None]) -> None:
    """The name by the training frames; else a last line that looks like one."""
    lower = message == message.lower()
    for _, rule in PEOPLE:
        match = rule.search(message)
        if match and (lower or match["name"][0].isupper()):
            record["name"] = match["name"]
            return
    last = re.search(rf"(?:\n|[.!?] |[/(-] ?)({NAME})\)?$", message.strip())
    if last and len(last[1].split()) <= 3 and (lower or all(word[0].isupper() for word in last[1].split())):
        record["name"] = last[1]


def wish(message: str) -> str | None:
    """The wish by the training frames, else by key words."""
    for name, rule in WISHES:
        if rule.search(message):
            return name.lower()
    wanted = re.sub(r"(?:no|not a|don't want a|rather than a) \w+", "", message, flags=re.I)
    return next((want for want, words in WISH_WORDS.items() if re.search(words, wanted, re.I)), None)


def score(path: Path) -> tuple[float, dict[str, float]]:
    """Share of rows with every field right, and the share by field."""
    right, fields, rows = 0, dict.fromkeys(FIELDS, 0), 0
    for line in path.read_text(encoding="utf-8").splitlines():
        _, user, answer = (turn["content"] for turn in json.loads(line)["messages"])
        truth, guess = json.loads(answer), extract(user)
        rows += 1
        right += truth == guess
        for field in FIELDS:
            fields[field] += truth[field] == guess[field]
    return right / rows, {field: count / rows for field, count in fields.items()}


def main() -> None:
    for name in sys.argv[1:] or ("train.jsonl", "test.jsonl"):
        exact, fields = score(HERE / name)
        print(f"{name}: exact match {exact:.1%} (" + ", ".join(f"{k} {v:.0%}" for k, v in fields.items()) + ")")


if __name__ == "__main__":
    main()
