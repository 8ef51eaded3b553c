"""Files of every kind, broken in every way: bytes, JSON, CSV, Parquet, the hub; nothing but KitError comes out."""

import csv
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from data_helpers import ANSWER, ASK, CHAT, USER, chat, turns
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kit.data import Reading, read
from kit.errors import KitError
from kit.formats import FORMATS

# --- bytes and encodings ------------------------------------------------------------------------------------------


def test_bom_crlf_blank_lines_and_line_separators_are_fine(tmp_path):
    """U+2028 inside a string is not the end of a line, and line numbers count the blank ones."""
    row = json.dumps(chat(USER, {"role": "assistant", "content": "one\u2028two"}), ensure_ascii=False)
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + f"{row}\r\n\r\n  \n{row}\n\n".encode())
    reading = read(path)
    assert [example.where.rpartition(":")[2] for example in reading.examples] == ["1", "4"]
    assert reading.examples[0].messages[1].content == "one\u2028two"
    assert not reading.problems


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("name", ["rows.jsonl", "rows.json", "rows.csv"])
def test_utf16_is_named(tmp_path, encoding, name):
    path = tmp_path / name
    path.write_text(json.dumps(CHAT), encoding=encoding)
    with pytest.raises(KitError, match=r":1: the file is UTF-16.*iconv -f UTF-16"):
        read(path)


def test_latin1_file_is_named_with_the_line(lines, tmp_path):
    source = lines(CHAT, {"prompt": "caf", "completion": "é"})
    Path(source).write_bytes(Path(source).read_text(encoding="utf-8").encode("latin-1"))
    with pytest.raises(KitError, match=r":2: byte 0xE9.*Latin-1.*iconv"):
        read(source)


def test_one_latin1_line_in_a_utf8_file_is_one_problem(tmp_path):
    rows = [json.dumps(chat(*turns("é", "ö")), ensure_ascii=False).encode(code) for code in ("utf-8", "latin-1")]
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"\n".join([*rows, rows[0]]))
    reading = read(path)
    assert len(reading.examples) == 2
    assert reading.problems[0].where == f"{path}:2"
    assert "Latin-1" in reading.problems[0].reason


@pytest.mark.parametrize(
    "name, content, match",
    [
        ("a.jsonl", b"", "the file is empty"),
        ("a.jsonl", b"\n \n", "the file is empty"),
        ("a.csv", b"prompt,completion\n", "no rows"),
        ("a.json", b"[]", "no rows"),
        ("a.jsonl", b"\x1f\x8b\x08\x00", "compressed"),
        ("a.xlsx", b"PK\x03\x04", "compressed"),
        ("a.txt", b"once upon a time", r"unknown kind of file \(.txt\)"),
        ("a.parquet", b"PAR1 but no more", "not a readable Parquet file"),
        ("a.parquet", b"", "not a readable Parquet file"),
        ("a.json", b'[{"prompt": "a", "completion": "b"}, {"prompt"', ":1: broken or truncated JSON array"),
        ("a.json", b'[{"prompt": "a", "completion": "b"},\n', ":2: the JSON array has no end"),
        ("a.csv", b'prompt,completion\na,"b\n', ":2: broken CSV"),
        ("a.csv", b"prompt,completion,prompt\na,b,c\n", "names a column twice"),
        ("a.jsonl", b"[1, 2]\n[3]\n", "no row is an object: a list"),
        ("a.jsonl", b'[["user", "hi"]]\n[["user", "hi"]]\n', "no row is an object: a list of lists"),
        ("a.jsonl", b"{\n", "no row can be read: truncated JSON"),
    ],
)
def test_faults_of_the_file(tmp_path, name, content, match):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(KitError, match=match) as caught:
        read(tmp_path / name)
    assert name in str(caught.value)
    assert caught.value.fix
    assert "\n" not in str(caught.value)


def test_wrong_columns_name_what_is_there_and_what_is_expected(lines):
    """LlamaFactory#8805: the shape found, the shapes expected, and the first 200 characters of the row."""
    with pytest.raises(KitError) as caught:
        read(lines({"frage": "x" * 500, "antwort": "y"}))
    message = str(caught.value)
    assert "unknown columns frage, antwort" in message
    assert all(known.name in message for known in FORMATS)
    assert "x" * 150 in message
    assert "x" * 250 not in message


def test_a_folder(tmp_path):
    (tmp_path / "train.jsonl").write_text("{}", encoding="utf-8")
    with pytest.raises(KitError, match=r"is a folder.*train\.jsonl"):
        read(tmp_path)


@pytest.mark.parametrize("name", ["missing.jsonl", "/no/such/file", "a\0b", "x" * 5000, "what is this"])
def test_a_missing_file(name):
    with pytest.raises(KitError):
        read(name)


# --- JSON arrays, CSV, Parquet ------------------------------------------------------------------------------------


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("name", ["rows.json", "rows.jsonl", "rows"])
def test_json_array_with_the_line_of_each_item(tmp_path, indent, name):
    path = tmp_path / name
    path.write_text(json.dumps([CHAT, {"messages": None}, CHAT], indent=indent), encoding="utf-8")
    reading = read(path)
    assert len(reading.examples) == 2
    assert reading.problems[0].where == f"{path}:{1 if indent is None else 14}"
    assert "JSON array" in reading.notes[0]


@pytest.mark.parametrize("mark, word", [(",", "commas"), (";", "semicolons"), ("\t", "tabs")])
def test_csv_delimiters(tmp_path, mark, word):
    """Commas inside a text must not win over the semicolons of the header."""
    path = tmp_path / "rows.csv"
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, delimiter=mark)
        writer.writerows([["prompt", "completion"], ["a, b; c\td", "two\nlines"], [], ["e", "f"]])
    reading = read(path)
    assert word in reading.notes[0]
    assert [example.where for example in reading.examples] == [f"{path}:2", f"{path}:5"]
    assert reading.examples[0].messages[1].content == "two\nlines"


def test_csv_rows_of_the_wrong_length_and_empty_cells(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("prompt,completion\na,b\na\na,b,c\n,\n", encoding="utf-8")
    reading = read(path)
    assert (reading.rows_read, len(reading.examples)) == (4, 1)
    reasons = [problem.reason for problem in reading.problems]
    assert reasons == ["row and header differ in length"] * 2 + ["content is empty"]


def test_csv_huge_field(tmp_path):
    """The csv module refuses fields over 131,072 characters by default; the limit is put back afterwards."""
    before = csv.field_size_limit()
    path = tmp_path / "rows.csv"
    path.write_text(f"prompt,completion\na,{'x' * 300_000}\n", encoding="utf-8")
    assert len(read(path).examples[0].messages[1].content) == 300_000
    assert csv.field_size_limit() == before


def test_csv_with_messages_as_json(tmp_path):
    path = tmp_path / "rows.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["messages"], [json.dumps(CHAT["messages"])], ["no list"]])
    reading = read(path)
    assert reading.examples[0].messages == (ASK, ANSWER)
    assert reading.problems[0].reason == "messages are not a list"


def test_parquet(tmp_path):
    import pyarrow
    import pyarrow.parquet

    path = tmp_path / "rows.parquet"
    rows = [CHAT, {"messages": None}, {"messages": [{"role": "user", "content": None}]}]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    reading = read(path)
    assert reading.examples[0].messages == (ASK, ANSWER)
    assert [problem.where for problem in reading.problems] == [f"{path}:2", f"{path}:3"]
    assert "Parquet" in reading.notes[0]


# --- hub data sets, without a network ------------------------------------------------------------------------------


@pytest.fixture
def hub(monkeypatch):
    """A stand-in for `datasets`: `hub.answer` is returned, or raised if it is an exception."""
    calls = []

    def load_dataset(*names, split):
        calls.append((*names, split))
        if isinstance(fake.answer, Exception):
            raise fake.answer
        return fake.answer

    fake = SimpleNamespace(load_dataset=load_dataset, answer=[CHAT], calls=calls)
    monkeypatch.setitem(sys.modules, "datasets", fake)
    return fake


@pytest.mark.parametrize(
    "source, call",
    [
        ("owner/name", ("owner/name", "train")),
        ("owner/name:test", ("owner/name", "test")),
        ("owner/name:small:test", ("owner/name", "small", "test")),
    ],
)
def test_hub_rows(hub, source, call):
    reading = read(source)
    assert hub.calls == [call]
    assert reading.examples[0].where == f"{source}:1"


class DatasetNotFoundError(FileNotFoundError):
    """As in `datasets.exceptions`, which uses it for gated data sets too."""

@pytest.mark.parametrize(
    "error, match",
    [
        (ConnectionError("Couldn't reach the Hub (OfflineModeIsEnabled)"), "hub cannot be reached"),
        (DatasetNotFoundError("Dataset 'o/n' doesn't exist on the Hub or cannot be accessed."), "no such data set"),
        (DatasetNotFoundError("Dataset 'o/n' is a gated dataset on the Hub."), "gated data set.*datasets/o/n"),
        (ValueError('Unknown split "tset". Should be one of\n ["train"].'), r"no such part.*tset.*\"train\""),
        (RuntimeError("Dataset scripts are no longer supported"), "RuntimeError: Dataset scripts"),
    ],
)
def test_hub_errors_are_told_apart_on_one_line(hub, error, match):
    hub.answer = error
    with pytest.raises(KitError, match=match) as caught:
        read("o/n:tset")
    assert "\n" not in str(caught.value)


# --- whatever comes in ---------------------------------------------------------------------------------------------

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(["user", "gpt"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["role", "content", "from", "value", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)
COLUMNS = sorted({name for known in FORMATS for name in known.needs + known.may} | {"text"})


def read_or_explain(path: Path) -> None:
    try:
        reading = read(path)
    except KitError as error:
        str(error).encode("utf-8")
        return
    assert isinstance(reading, Reading)
    assert reading.rows_read == len(reading.examples) + len(reading.problems) > 0
    "\n".join([*map(str, reading.problems), *reading.notes]).encode("utf-8")


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.binary(max_size=60) | st.text(st.sampled_from('[]{}",:\n\r\t 0aé\0'), max_size=40).map(str.encode),
    suffix=st.sampled_from([".jsonl", ".json", ".csv", ".tsv", ".txt", ".parquet", ""]),
)
def test_any_bytes_are_read_or_refused(tmp_path, content, suffix):
    path = tmp_path / f"any{suffix}"
    path.write_bytes(content)
    read_or_explain(path)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.dictionaries(st.sampled_from(COLUMNS), ANY_JSON, max_size=5), min_size=1, max_size=3))
def test_any_values_in_known_columns_are_read_or_refused(tmp_path, rows):
    path = tmp_path / "any.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    read_or_explain(path)
