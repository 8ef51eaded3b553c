"""What a row means: the known formats of fine-tuning data, in one table, and the way from each to messages."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation; `role` is system, user, assistant or tool."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Example:
    """One conversation, prompt and answers, and the place it came from.

    `rejected` is None, or (preference pairs) the whole conversation again with the answer that lost.
    """

    messages: tuple[Message, ...]
    where: str
    rejected: tuple[Message, ...] | None = None


def printable(text: str) -> str:
    """`text` without halves of characters (lone surrogates), which no terminal and no file can take."""
    return text.encode("utf-8", "replace").decode("utf-8")


class RowFault(ValueError):
    """Why one row cannot be used: a `reason` that can be counted, and the `detail` of this row."""

    def __init__(self, reason: str, detail: str = "") -> None:
        self.reason, self.detail = reason, printable(detail[:200])
        super().__init__(f"{reason} ({detail})" if detail else reason)


Sides = tuple[list[Message], list[Message] | None]


@dataclass(frozen=True, slots=True)
class Format:
    """A format: the columns it needs, those it may have, and how a row becomes (chosen, rejected or None)."""

    name: str
    needs: tuple[str, ...]
    may: tuple[str, ...]
    convert: Callable[[Row], Sides]


# Names of speakers, as chat messages and ShareGPT write them.
ROLES = {
    "system": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "gpt": "assistant",
    "tool": "tool",
}
# A message is {"role", "content"} or, in ShareGPT's words, {"from", "value"}.
MESSAGE_KEYS = (("role", "content"), ("from", "value"))
_JSON_KINDS = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}


def kind(value: object) -> str:
    """What JSON calls a value, in plain words ("a list of lists")."""
    if isinstance(value, list) and value and isinstance(value[0], (list, dict)):
        return f"a list of {'lists' if isinstance(value[0], list) else 'objects'}"
    number = "a number" if isinstance(value, (int, float)) else type(value).__name__
    return _JSON_KINDS.get(type(value), number)


def detect(row: Row) -> Format | None:
    """The first format of the table all of whose needed columns are in `row`."""
    return next((known for known in FORMATS if all(name in row for name in known.needs)), None)


def expected() -> str:
    """Every format with the columns it needs, on one line."""
    return " | ".join(f"{known.name} ({', '.join(known.needs)})" for known in FORMATS)


def to_example(row: object, known: Format, where: str) -> Example:
    """Turn one row into an Example.

    Raises:
        RowFault: the row is not of this format, or its conversation cannot be trained on.
    """
    if not isinstance(row, dict):
        raise RowFault("the row is not an object", f"{kind(row)}; {known.name} needs {', '.join(known.needs)}")
    missing = [name for name in known.needs if name not in row]
    if missing:
        raise RowFault("missing columns", f"{', '.join(missing)}; found {', '.join(row) or 'none'}")
    chosen, rejected = known.convert(row)
    _check(chosen)
    if rejected is None:
        return Example(tuple(chosen), where)
    _check(rejected)
    _check_pair(chosen, rejected)
    return Example(tuple(chosen), where, tuple(rejected))


def common_start(one: Sequence[Any], other: Sequence[Any]) -> int:
    """How many items two sequences share at their start; of a pair's conversations, the turns of the prompt."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(one), len(other)))


def _check(messages: list[Message]) -> None:
    roles = [message.role for message in messages]
    if "assistant" not in roles:
        raise RowFault("no assistant turn to train on", f"roles: {', '.join(roles)}")
    if roles[-1] != "assistant":
        raise RowFault("the last turn is not the assistant's", f"it is the {roles[-1]}'s")
    if "user" not in roles[: roles.index("assistant")]:
        raise RowFault("no user turn before the first answer")


def _check_pair(chosen: list[Message], rejected: list[Message]) -> None:
    if chosen == rejected:
        raise RowFault("chosen and rejected are equal")
    shared = common_start(chosen, rejected)
    answers = (chosen[shared:], rejected[shared:])
    if not all(turns and turns[0].role == "assistant" for turns in answers):
        raise RowFault("chosen and rejected have different prompts")


def _text(value: object, place: str) -> str:
    """A text that a tokenizer can take; null, other types and blank text are faults, never an empty turn."""
    if value is None:
        raise RowFault("content is null", place)
    if not isinstance(value, str):
        raise RowFault("content is not text", f"{place} is {kind(value)}")
    if not value.strip():
        raise RowFault("content is empty", place)
    if printable(value) != value:
        raise RowFault("content has half a character (a lone surrogate)", place)
    return value


def _turns(value: object, place: str) -> list[Message]:
    """Messages out of a list of objects."""
    value = _unpacked(value)
    if not isinstance(value, list) or not value:
        raise RowFault("messages are not a list", f"{place} is {kind(value) if value != [] else 'empty'}")
    return [_message(turn, f"{place}[{index}]") for index, turn in enumerate(value)]


def _unpacked(value: object) -> object:
    """A CSV cell holds a list as JSON text; every other value, and text that is no JSON, stays as it is."""
    if isinstance(value, str):
        with suppress(ValueError, RecursionError):
            return json.loads(value)
    return value


def _message(turn: object, place: str) -> Message:
    if not isinstance(turn, dict):
        raise RowFault("a message is not an object", f"{place} is {kind(turn)}")
    role_key, text_key = next((keys for keys in MESSAGE_KEYS if keys[0] in turn), MESSAGE_KEYS[0])
    for key in (role_key, text_key):
        if key not in turn:
            raise RowFault(f"a message has no {key!r}", f"{place} has {', '.join(turn) or 'nothing'}")
    role = turn[role_key]
    if not isinstance(role, str) or role not in ROLES:
        raise RowFault("unknown role", f"{place} has {str(role)[:30]!r}; known: {', '.join(ROLES)}")
    return Message(ROLES[role], _text(turn[text_key], f"{place}.{text_key}"))


def _speech(row: Row, column: str, role: str) -> list[Message]:
    """A column that holds either one text, said by `role`, or a list of messages."""
    value = row[column]
    if isinstance(value, (list, dict)):
        return _turns(value if isinstance(value, list) else [value], column)
    return [Message(role, _text(value, column))]


def _with_system(row: Row, messages: list[Message]) -> list[Message]:
    """Put the optional `system` column first, unless the conversation brings its own system turn."""
    if row.get("system") in (None, "") or messages[0].role == "system":
        return messages
    return [Message("system", _text(row["system"], "system")), *messages]


def _chat(row: Row) -> Sides:
    return _with_system(row, _turns(row["messages"], "messages")), None


def _sharegpt(row: Row) -> Sides:
    return _with_system(row, _turns(row["conversations"], "conversations")), None


def _prompt_completion(row: Row) -> Sides:
    answer = _speech(row, "completion", "assistant")
    return _with_system(row, _speech(row, "prompt", "user") + answer), None


def _alpaca(row: Row) -> Sides:
    question = _text(row["instruction"], "instruction")
    if row.get("input") not in (None, ""):
        question += "\n\n" + _text(row["input"], "input")
    answer = Message("assistant", _text(row["output"], "output"))
    return _with_system(row, [Message("user", question), answer]), None


def _swift(row: Row) -> Sides:
    """ms-swift's query and response; `history` is a list of earlier [query, response]."""
    history = _unpacked(row.get("history") or [])
    messages = []
    for index, turn in enumerate(history if isinstance(history, list) else [history]):
        if not isinstance(turn, list) or len(turn) != 2:
            raise RowFault("history is not a list of [query, response]", f"history[{index}] is {kind(turn)}")
        for role, text in zip(("user", "assistant"), turn, strict=True):
            messages.append(Message(role, _text(text, f"history[{index}]")))
    messages.append(Message("user", _text(row["query"], "query")))
    messages.append(Message("assistant", _text(row["response"], "response")))
    return _with_system(row, messages), None


def _swift_pair(convert: Callable[[Row], Sides]) -> Callable[[Row], Sides]:
    """ms-swift's pairs: any of its rows, and `rejected_response` for the last answer."""

    def pair(row: Row) -> Sides:
        chosen, _ = convert(row)
        return chosen, chosen[:-1] + _speech(row, "rejected_response", "assistant")

    return pair


def _preference(row: Row) -> Sides:
    return _side(row, "chosen"), _side(row, "rejected")


def _side(row: Row, column: str) -> list[Message]:
    answer = _speech(row, column, "assistant")
    if answer[0].role != "assistant":  # a whole conversation, that brings its own prompt
        return _with_system(row, answer)
    if row.get("prompt") is None:
        raise RowFault("no prompt for chosen and rejected", "add a prompt column")
    return _with_system(row, _speech(row, "prompt", "user") + answer)


# The one table of formats. The first that fits wins, so pairs come before the formats they extend.
FORMATS = (
    Format("preference pairs", ("chosen", "rejected"), ("prompt", "system"), _preference),
    Format("ms-swift message pairs", ("messages", "rejected_response"), ("system",), _swift_pair(_chat)),
    Format(
        "ms-swift query pairs",
        ("query", "response", "rejected_response"),
        ("system", "history"),
        _swift_pair(_swift),
    ),
    Format("chat messages", ("messages",), ("system",), _chat),
    Format("ShareGPT", ("conversations",), ("system",), _sharegpt),
    Format("ms-swift", ("query", "response"), ("system", "history"), _swift),
    Format("Alpaca", ("instruction", "output"), ("input", "system"), _alpaca),
    Format("prompt and completion", ("prompt", "completion"), ("system",), _prompt_completion),
)
