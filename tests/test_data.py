"""Rows of every format, and of no format: what is read, and what is a problem with its line."""

import json

import pytest
from data_helpers import ANSWER, ASK, CHAT, PAIR, USER, chat, turns

from kit.data import read

# --- formats ---------------------------------------------------------------------------------------------------

SUPERVISED = {
    "chat messages": CHAT,
    "ShareGPT": {"conversations": turns("ask", "answer", keys=("from", "value"), names=("human", "gpt"))},
    "ms-swift": {"query": "ask", "response": "answer"},
    "Alpaca": {"instruction": "ask", "input": "", "output": "answer"},
    "prompt and completion": {"prompt": "ask", "completion": "answer"},
}


@pytest.mark.parametrize("name", SUPERVISED)
def test_format_is_detected_said_and_converted(lines, name):
    """One row of each format becomes the same two messages, and the note names the format."""
    reading = read(lines(SUPERVISED[name]))
    assert reading.format == name
    assert name in reading.notes[0]
    assert reading.examples[0].messages == (ASK, ANSWER)
    assert reading.examples[0].rejected is None
    assert not reading.problems


@pytest.mark.parametrize(
    "row",
    [
        {"prompt": "ask", "chosen": "answer", "rejected": "worse"},
        {"prompt": turns("ask"), "chosen": turns("ask", "answer")[1:], "rejected": turns("ask", "worse")[1:]},
        {"chosen": turns("ask", "answer"), "rejected": turns("ask", "worse")},
        {"prompt": "ask", "chosen": turns("ask", "answer"), "rejected": turns("ask", "worse")},
        {"prompt": "ask", "chosen": {"role": "assistant", "content": "answer"}, "rejected": "worse"},
        {**CHAT, "rejected_response": "worse"},
        {"query": "ask", "response": "answer", "rejected_response": "worse"},
    ],
)
def test_preference_pairs(lines, row):
    """Texts, message lists, whole conversations and ms-swift's rows give the same pair."""
    example = read(lines(row)).examples[0]
    assert (example.messages, example.rejected) == PAIR


def test_prompt_and_completion_as_message_lists(lines):
    row = {"prompt": turns("a", "b", "c"), "completion": [{"role": "assistant", "content": "d"}]}
    assert [message.content for message in read(lines(row)).examples[0].messages] == list("abcd")


def test_all_assistant_turns_are_kept(lines):
    reading = read(lines({"messages": turns("a", "b", "c", "d")}))
    assert [message.role for message in reading.examples[0].messages] == ["user", "assistant"] * 2


def test_alpaca_input_follows_the_instruction(lines):
    row = {"instruction": "Add", "input": "1 2", "output": "3"}
    assert read(lines(row)).examples[0].messages[0].content == "Add\n\n1 2"


def test_swift_history_and_system(lines):
    row = {"query": "c", "response": "d", "history": [["a", "b"]], "system": "s"}
    messages = read(lines(row)).examples[0].messages
    assert [(message.role[0], message.content) for message in messages] == [
        ("s", "s"), ("u", "a"), ("a", "b"), ("u", "c"), ("a", "d")
    ]  # fmt: skip


def test_unused_columns_and_keys_are_said(lines):
    """A `tools` column or a `weight` key that the kit ignores must not look like support."""
    message = {"role": "assistant", "content": "answer", "weight": 0}
    notes = " ".join(read(lines({"messages": [CHAT["messages"][0], message], "tools": []})).notes)
    assert "columns not used: tools" in notes
    assert "keys of messages not used: weight" in notes


def test_limit_counts_good_and_bad_rows(lines):
    reading = read(lines("{", CHAT, CHAT), limit=2)
    assert (reading.rows_read, len(reading.examples), len(reading.problems)) == (2, 1, 1)
    assert "first 2 rows" in reading.notes[-1]


def test_shipped_file_by_name(tmp_path, monkeypatch):
    (tmp_path / "train.jsonl").write_text(json.dumps(CHAT), encoding="utf-8")
    monkeypatch.setattr("kit.rows.shipped", lambda name: tmp_path / name.removeprefix("tickets/"))
    reading = read("tickets/train.jsonl")
    assert reading.examples[0].where == "tickets/train.jsonl:1"
BAD_ROWS = {
    '{"messages": [{"role": "user", "cont': "truncated JSON",
    '{"messages": oops}': "broken JSON",
    '{"a": 1} {"a": 2}': "broken JSON",
    '{"a": ' + "9" * 5000 + "}": "broken JSON",
    "[" * 100_000: "JSON",
    '[["user", "ask"], ["assistant", "answer"]]': "the row is not an object",
    "3": "the row is not an object",
    json.dumps(chat(USER, {"role": "assistant", "content": 5})): "content is not text",
    json.dumps(chat(USER, {"role": "assistant", "content": ["text"]})): "content is not text",
    json.dumps(chat(USER, {"role": "assistant", "content": None})): "content is null",
    json.dumps(chat(USER, {"role": "assistant", "content": " \n"})): "content is empty",
    json.dumps(chat(USER, {"role": "assistant", "content": "\ud83d"})): "half a character",
    json.dumps(chat(USER, {"role": "robot", "content": "answer"})): "unknown role",
    json.dumps(chat(USER, {"role": ["assistant"], "content": "answer"})): "unknown role",
    json.dumps(chat(USER, {"role": "assistant"})): "has no 'content'",
    json.dumps(chat(USER, {"content": "answer"})): "has no 'role'",
    json.dumps(chat(USER, "answer")): "a message is not an object",
    json.dumps({"messages": "ask"}): "messages are not a list",
    json.dumps({"messages": []}): "messages are not a list",
    json.dumps({"messages": None}): "messages are not a list",
    json.dumps(chat(*turns("a", "b", "c"))): "the last turn is not the assistant's",
    json.dumps(chat(USER)): "no assistant turn to train on",
    json.dumps(chat(CHAT["messages"][1])): "no user turn before the first answer",
    json.dumps({"text": "plain"}): "missing columns",
    json.dumps({**CHAT, "system": 7}): "content is not text",
}


@pytest.mark.parametrize("line", BAD_ROWS, ids=lambda line: f"{BAD_ROWS[line]}: {line[:30]}")
def test_a_bad_row_is_a_problem_with_its_line(lines, line):
    """datasets#5827: one bad row must not kill the others, and must not vanish either."""
    source = lines(CHAT, "", line, CHAT)
    reading = read(source)
    assert (reading.rows_read, len(reading.examples)) == (3, 2)
    (problem,) = reading.problems
    assert problem.where == f"{source}:3"
    assert BAD_ROWS[line] in problem.reason
    assert problem.excerpt
    str(problem).encode("utf-8")


@pytest.mark.parametrize(
    "row, reason",
    [
        ({"prompt": "ask", "chosen": "same", "rejected": "same"}, "equal"),
        ({"prompt": "ask", "chosen": "answer", "rejected": ""}, "content is empty"),
        ({"prompt": "ask", "chosen": "answer", "rejected": None}, "content is null"),
        ({"prompt": "ask", "chosen": [], "rejected": "worse"}, "messages are not a list"),
        ({"chosen": "answer", "rejected": "worse"}, "no prompt"),
        ({"chosen": turns("ask", "answer"), "rejected": turns("other", "worse")}, "different prompts"),
        ({"chosen": turns("ask", "answer"), "rejected": turns("ask", "answer", "a", "b")}, "different prompts"),
        ({"query": "ask", "response": "answer", "history": [["a"]]}, "history"),
        ({"query": "ask", "response": "answer", "history": "not json"}, "history"),
        ({"instruction": "ask", "input": 3, "output": "answer"}, "content is not text"),
        ({"prompt": 1, "completion": "answer"}, "content is not text"),
    ],
)
def test_bad_rows_of_other_formats(lines, row, reason):
    (problem,) = read(lines(row)).problems
    assert reason in problem.reason


def test_rows_of_another_format_are_problems(lines):
    """The format of most rows is the file's; a stray row says what it lacks and what it has."""
    reading = read(lines({"prompt": "a", "completion": "b"}, CHAT, CHAT))
    assert reading.format == "chat messages"
    assert reading.problems[0].detail == "messages; found prompt, completion"


def test_null_fields_that_are_optional_are_fine(lines):
    row = {"instruction": "ask", "input": None, "output": "answer", "system": None}
    assert read(lines(row)).examples[0].messages == (ASK, ANSWER)
