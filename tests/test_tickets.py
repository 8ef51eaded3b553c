"""The ticket data keep the promises of data/tickets/README.md, and can be made again byte for byte."""

import importlib
import json
import re
import statistics
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

FOLDER = Path(__file__).parents[1] / "data" / "tickets"
KEYS = ["name", "product", "problem", "order_id", "wants"]
WANTS = {"refund", "replacement", "repair", "information", None}
SIZES = {"train": 2400, "test": 300, "by_hand": 100, "train_zh_de": 300, "test_zh_de": 60}
MODULES = [path.stem for path in FOLDER.glob("*.py")]
Pair = tuple[str, dict[str, str | None]]


@pytest.fixture(scope="module")
def scripts() -> Any:
    """The modules beside the data, importable for these tests only."""
    sys.path.insert(0, str(FOLDER))
    found: dict[str, ModuleType] = {name: importlib.import_module(name) for name in MODULES}
    yield found
    sys.path.remove(str(FOLDER))
    for name in MODULES:
        del sys.modules[name]


def pairs(name: str) -> list[Pair]:
    """Message and record of each row; the fixed turns are checked on the way."""
    found = []
    for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        assert list(row) == ["messages"]
        system, user, answer = row["messages"]
        assert [turn["role"] for turn in row["messages"]] == ["system", "user", "assistant"]
        wanted = "Extract name, product, problem, order_id and wants as JSON."
        assert system["content"] == wanted
        record = json.loads(answer["content"])
        assert answer["content"] == json.dumps(record, ensure_ascii=False)
        found.append((user["content"], record))
    return found


@pytest.mark.parametrize("name", SIZES)
def test_records_copy_from_their_message(name: str) -> None:
    """A span that is not in the message would teach the model to invent."""
    rows = pairs(name)
    assert len(rows) == SIZES[name]
    for message, record in rows:
        assert list(record) == KEYS
        assert record["wants"] in WANTS
        for key in KEYS[:4]:
            value = record[key]
            assert value is None or (value and value == value.strip() and value in message)
        assert not re.search(r"[\n.!?;]$", record["problem"] or "")
        assert not re.match(r"(my|the|an?|our|your|new) ", record["product"] or "", re.I)


@pytest.mark.parametrize("ending", ["", "_zh_de"])
def test_no_message_twice(ending: str) -> None:
    messages = [message for part in ("train", "test") for message, _ in pairs(part + ending)]
    assert len(set(messages)) == len(messages)


@pytest.mark.parametrize("ending", ["", "_zh_de"])
def test_fillers_of_the_test_set_are_new(ending: str) -> None:
    """Names, products, problems and ids of the test set occur nowhere in the training messages."""
    known = "\n".join(message for message, _ in pairs("train" + ending)).lower()
    for _, record in pairs("test" + ending):
        name = (record["name"] or "").lower()
        values = [part for part in re.split(r"[\s.-]+", name) if len(part) > 1]
        values += [record[key].lower() for key in KEYS[1:4] if record[key]]  # type: ignore[union-attr]
        for value in values:
            boundary = "" if ending else r"(?<!\w){}(?!\w)"
            found = re.search((boundary or "{}").format(re.escape(value)), known) if value in known else None
            assert not found, value


def test_frames_of_the_test_set_are_new(scripts: dict[str, ModuleType]) -> None:
    """No wording of a sentence, with any choice of its alternatives, is in both parts."""
    grammar, blocks = scripts["grammar"], scripts["compose"].blocks()

    def wordings(part: str) -> set[str]:
        pool = [f for b in blocks.values() for f in grammar.split_frames(grammar.frames(b), part)]
        texts = {re.sub(r"[^\w{} ]", "", w).lower() for f in pool for w in grammar.choices(f.text)}
        return {text.strip() for text in texts if re.sub(r"\{\w+\}|\W", "", text)}

    assert wordings("train") & wordings("test") == set()


def test_rows_are_varied(scripts: dict[str, ModuleType]) -> None:
    counts = scripts["generate"].frame_counts()
    assert len(counts) == 6
    assert min(counts.values()) >= 60
    for part in ("train", "test"):
        rows = pairs(part)
        assert set(Counter(record["wants"] for _, record in rows)) == WANTS
        lengths = sorted(len(message.split()) for message, _ in rows)
        assert 25 <= lengths[len(lengths) // 2] <= 55
        assert lengths[-1] <= 300
        for key in KEYS:
            assert any(record[key] is None for _, record in rows), key
        for key, share in (("name", 0.6), ("product", 0.7), ("problem", 0.55), ("order_id", 0.55)):
            assert len({record[key] for _, record in rows}) >= share * len(rows), key


def test_files_are_made_again_byte_for_byte(scripts: dict[str, ModuleType]) -> None:
    for name, text in scripts["generate"].contents().items():
        assert (FOLDER / name).read_bytes() == text.encode("utf-8"), f"{name} is stale"


def test_regular_expressions_do_not_solve_it(scripts: dict[str, ModuleType]) -> None:
    exact, _ = scripts["baseline"].score(FOLDER / "test.jsonl")
    assert exact < 0.15


def test_what_the_notes_quote_is_what_the_scripts_give(
    scripts: dict[str, ModuleType], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every figure of data/tickets/README.md, and the one that the project's README repeats."""
    note = (FOLDER / "README.md").read_text(encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["baseline.py"])
    scripts["baseline"].main()
    assert f"```\n{capsys.readouterr().out}```" in note
    registers = ", ".join(f"{title} {count}" for title, count in scripts["generate"].frame_counts().items())
    assert f"Sentence wordings in training by register: {registers}." in note
    for part in ("train", "test"):
        rows = pairs(part)
        words = sorted(len(message.split()) for message, _ in rows)
        absent = [f"{sum(record[key] is None for _, record in rows) / len(rows):.0%}" for key in KEYS]
        middle = f"{statistics.median(words):.0f} | {statistics.mean(words):.1f}"
        long = f"{words[len(words) * 95 // 100]} | {words[-1]}"
        assert f"| {part} | {len(rows):,} | {middle} | {long} | {', '.join(absent)} |" in note
    exact, _ = scripts["baseline"].score(FOLDER / "test.jsonl")
    assert f"get {100 * exact:.1f} % of them right" in (FOLDER.parents[1] / "README.md").read_text(encoding="utf-8")
