"""What the tests of reading data share: a file of rows, and the turns of a chat."""

import json

import pytest

from kit.data import Message

ASK, ANSWER = Message("user", "ask"), Message("assistant", "answer")
CHAT = {"messages": [{"role": "user", "content": "ask"}, {"role": "assistant", "content": "answer"}]}
PAIR = ((ASK, ANSWER), (ASK, Message("assistant", "worse")))


@pytest.fixture
def lines(tmp_path):
    """Write a JSON Lines file out of objects (as JSON) and texts (as they are)."""

    def write(*rows: object, name: str = "rows.jsonl") -> str:
        path = tmp_path / name
        texts = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
        path.write_text("\n".join(texts) + "\n", encoding="utf-8")
        return str(path)

    return write


def turns(*texts: str, keys=("role", "content"), names=("user", "assistant")) -> list[dict]:
    return [{keys[0]: names[index % 2], keys[1]: text} for index, text in enumerate(texts)]


def chat(*messages: object) -> dict:
    return {"messages": list(messages)}


USER = CHAT["messages"][0]
