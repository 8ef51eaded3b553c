"""Writes the ticket data, byte for byte the same each time. `--check` compares instead of writing.

python data/tickets/generate.py
"""

import json
import random
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from compose import Writer, blocks
from grammar import REGISTERS, frames, split_frames
from zh_de import small_set

HERE = Path(__file__).parent
SYSTEM = "Extract name, product, problem, order_id and wants as JSON."
SIZES = {"train": 2400, "test": 300}


def frame_counts(part: str = "train") -> dict[str, int]:
    """Number of sentence wordings a register can draw from."""
    pool = [frame for block in blocks().values() for frame in split_frames(frames(block), part)]
    return {title: sum(letter in f.registers for f in pool) for letter, title in REGISTERS.items()}


def as_row(message: str, record: dict[str, str | None]) -> dict[str, list[dict[str, str]]]:
    """The chat row of a message and its record."""
    turns = {"system": SYSTEM, "user": message, "assistant": json.dumps(record, ensure_ascii=False)}
    return {"messages": [{"role": role, "content": content} for role, content in turns.items()]}


def appears(value: str, text: str) -> bool:
    """Whether the value stands in the text as whole words, in any case."""
    return value.lower() in text and bool(re.search(rf"(?<!\w){re.escape(value.lower())}(?!\w)", text))


def leaks(record: dict[str, str | None], text: str) -> bool:
    """Whether a name, product or problem of the record occurs in the (lower-case) text."""
    names = [word for word in re.split(r"[\s.-]+", record["name"] or "") if len(word) > 1]
    values = [*names, record["product"], record["problem"], record["order_id"]]
    return any(value and appears(value, text) for value in values)


def write_part(part: str, known: str = "") -> list[tuple[str, dict[str, str | None]]]:
    """The messages and records of a part, none of which may share a filler with `known`."""
    writer = Writer(part, random.Random(f"0 {part}"))
    rows: dict[str, dict[str, str | None]] = {}
    while len(rows) < SIZES[part]:
        letter = "fcatrl"[len(rows) % 6]
        message, record = writer.row(letter)
        if message in rows or len(message.split()) < 6 or leaks(record, known):
            continue
        rows[message] = record
    order = list(rows.items())
    random.Random(f"0 order {part}").shuffle(order)
    return order


def contents() -> dict[str, str]:
    """The text of each file by its name."""
    train = write_part("train")
    test = write_part("test", known="\n".join(message for message, _ in train).lower())
    small_train = small_set("train", 300)
    small_test = small_set("test", 60, known="\n".join(message for message, _ in small_train).lower())
    files = {
        "train.jsonl": train,
        "test.jsonl": test,
        "train_zh_de.jsonl": small_train,
        "test_zh_de.jsonl": small_test,
    }
    return {
        name: "".join(json.dumps(as_row(*row), ensure_ascii=False) + "\n" for row in rows)
        for name, rows in files.items()
    }


def main() -> int:
    stale = 0
    for name, text in contents().items():
        path = HERE / name
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8", newline="\n")
        elif not path.exists() or path.read_bytes() != text.encode("utf-8"):
            print(f"{name} is stale: run python data/tickets/generate.py")
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main())
