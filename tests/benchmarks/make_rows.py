"""The rows of the benchmark job: 192 to train on, 64 held out, the same on every machine.

    python tests/benchmarks/make_rows.py FOLDER      writes train.jsonl and held_out.jsonl

A message of 1 to 11 sentences and the JSON that it holds: lengths differ by a factor of five, as real rows do.
"""

import json
import random
import sys
from pathlib import Path
from typing import Any

NAMES = ["Ana", "Bo", "Chen", "Dara", "Eli", "Fay", "Gus", "Hana", "Ivo", "Jun"]
PRODUCTS = ["kettle", "router", "desk lamp", "headset", "bike pump", "tent", "blender", "keyboard"]
ISSUES = ["arrived broken", "will not switch on", "is the wrong colour", "makes a loud noise", "was never delivered",
          "lost its warranty card"]  # fmt: skip
FILLERS = [
    "I have been a customer for years.",
    "Please answer soon.",
    "I already tried the steps in the manual twice, and nothing changed at all.",
    "My neighbour bought the same one and it works.",
    "I attach the invoice and two photographs of the box.",
    "The shop sent me here.",
]
TRAINED, HELD_OUT = 192, 64


def rows() -> list[dict[str, Any]]:
    """All 256 rows; the first 192 are trained on."""
    dice = random.Random(0)
    made = []
    for _ in range(TRAINED + HELD_OUT):
        name, product, issue = dice.choice(NAMES), dice.choice(PRODUCTS), dice.choice(ISSUES)
        sentences = dice.choice([0, 0, 1, 1, 2, 3, 6, 10])
        text = f"Hello, this is {name}. My {product} {issue}. " + " ".join(
            dice.choice(FILLERS) for _ in range(sentences)
        )
        answer = json.dumps({"name": name, "product": product, "issue": issue})
        made.append(
            {
                "messages": [
                    {"role": "user", "content": f"Extract JSON: {text}"},
                    {"role": "assistant", "content": answer},
                ]
            }
        )
    return made


def write(folder: Path) -> tuple[Path, Path]:
    """Write both files and return their paths."""
    made = rows()
    paths = folder / "train.jsonl", folder / "held_out.jsonl"
    for path, part in zip(paths, (made[:TRAINED], made[TRAINED:]), strict=True):
        path.write_text("".join(json.dumps(row) + "\n" for row in part), encoding="utf-8")
    return paths


if __name__ == "__main__":
    print(*write(Path(sys.argv[1])), sep="\n")
