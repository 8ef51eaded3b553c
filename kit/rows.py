"""Where rows come from: JSON Lines, a JSON array, CSV, Parquet or a hub data set, each row with its place.

What concerns the whole file (encoding, a broken archive, a JSON array without an end) raises KitError; what
concerns one line takes the place of its row as a Problem.
"""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kit.errors import KitError
from kit.files import shipped
from kit.formats import detect

SUFFIXES = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet")
EXCERPT = 200  # characters of a bad row that a message shows


@dataclass(frozen=True, slots=True)
class Problem:
    """A row that is lost: its place, a reason that can be counted, what is special about it, how it begins."""

    where: str
    reason: str
    detail: str = ""
    excerpt: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {self.reason}" + (f" ({self.detail})" if self.detail else "")


# A row as it comes out of a file: its place, and a JSON value or the Problem that stands in its way.
Raw = tuple[str, Any]


def open_rows(source: str) -> tuple[str, Iterable[Raw]]:
    """The kind of source in plain words, and its rows.

    Raises:
        KitError: no such file or data set, a folder, an empty file, the wrong encoding, a broken file.
    """
    path = find(source)
    return _hub_rows(source) if path is None else _file_rows(path, source)


def find(source: str) -> Path | None:
    """The file that `source` names, or None if it can only be a hub id.

    Raises:
        KitError: it is a path and no file is there, or no data file.
    """
    try:
        path = next((path for path in (Path(source), shipped(source)) if path.exists()), None)
        if path is not None and path.is_dir():
            inside = sorted(file.name for file in path.iterdir() if file.suffix in SUFFIXES)
            fix = f"name one of its files: {', '.join(inside[:5])}" if inside else "name a data file"
            raise KitError("is a folder, not a file", where=source or ".", fix=fix)
    except (OSError, ValueError) as error:
        raise KitError(f"cannot be opened ({error})", where=source[:EXCERPT], fix="check the path") from None
    if path is not None and not path.is_file():
        raise KitError("is not a regular file", where=source, fix="name a data file")
    looks_like_id = re.fullmatch(r"[\w.-]+(/[\w.-]+)?(:[^/\\:]+){0,2}", source)
    if path is None and (not looks_like_id or source.lower().endswith(SUFFIXES)):
        raise KitError("no such file", where=source, fix=f"check the path (now in {Path.cwd()})")
    return path


def _file_rows(path: Path, source: str) -> tuple[str, Iterable[Raw]]:
    """Choose the reader by the first bytes, then by the name's ending."""
    suffix = path.suffix.lower()
    try:
        with path.open("rb") as file:
            start = file.read(4)
            if suffix == ".parquet" or start == b"PAR1":
                return "Parquet", _parquet_rows(path, source)
            data = start + file.read()
    except OSError as error:
        raise KitError(f"cannot be read ({error.strerror})", where=source, fix="check its permissions") from None
    if not data.strip():
        raise KitError("the file is empty", where=source, fix="give a file with at least one row")
    if data.startswith(b"\x1f\x8b") or data.startswith(b"PK\x03\x04"):
        raise KitError("is a compressed file", where=source, fix="unpack it first (gunzip, unzip)")
    if suffix in (".csv", ".tsv"):
        return _csv_rows(_decode(data, source), source)
    if suffix not in SUFFIXES and data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"{", b"["):
        fix = f"rename it to what it holds: {', '.join(SUFFIXES)}"
        raise KitError(f"unknown kind of file ({suffix or 'no ending'})", where=source, fix=fix)
    text = _decode(data, source, by_line=True)
    if _is_array(text):
        return "a JSON array", _array_rows(_decode(data, source), source)
    return "JSON Lines", _line_rows(text, source)


_NOT_UTF8 = re.compile("[\udc80-\udcff]")  # how "surrogateescape" keeps a byte that is not UTF-8
_ACCENTS = re.compile("[^\x00-\x7f\ud800-\udfff]")


def _decode(data: bytes, source: str, *, by_line: bool = False) -> str:
    """Bytes to text. Encoding is a fault of the file, unless other lines prove that it is UTF-8 (`by_line`)."""
    where = f"{source}:1"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\x00" in data[:4]:
        raise KitError("the file is UTF-16, not UTF-8", where=where, fix=_convert("UTF-16"))
    text = data.decode("utf-8-sig", errors="surrogateescape")
    broken = _NOT_UTF8.search(text)
    if broken and not (by_line and _ACCENTS.search(text)):
        where = f"{source}:{text.count(chr(10), 0, broken.start()) + 1}"
        what = f"byte 0x{ord(broken[0]) - 0xDC00:02X} is not UTF-8; the file looks like Latin-1 (Windows-1252)"
        raise KitError(what, where=where, fix=_convert("WINDOWS-1252"))
    return text


def _convert(encoding: str) -> str:
    return f"save it as UTF-8, e.g. `iconv -f {encoding} -t UTF-8 OLD > NEW`"


def _is_array(text: str) -> bool:
    """Is the whole text one JSON array, rather than a list on each line?"""
    first, _, rest = text.strip().partition("\n")
    return first.startswith("[") and (not rest or isinstance(_parse(first, ""), Problem))


def _line_rows(text: str, source: str) -> Iterator[Raw]:
    for number, line in enumerate(text.split("\n"), start=1):  # splitlines() would cut at U+2028 inside a string
        if line.strip():
            where = f"{source}:{number}"
            yield where, _parse(line.strip(), where)


def _parse(line: str, where: str) -> Any:
    """One line of JSON: its value, or the Problem with it."""
    excerpt = line[:EXCERPT]
    if broken := _NOT_UTF8.search(line):
        detail = f"byte 0x{ord(broken[0]) - 0xDC00:02X}, other lines are UTF-8"
        return Problem(where, "not UTF-8, looks like Latin-1", detail, excerpt.encode("ascii", "replace").decode())
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        cut = error.pos >= len(line) or error.msg.startswith("Unterminated string")
        if cut:
            return Problem(where, "truncated JSON", f"the line stops after {len(line)} characters", excerpt)
        return Problem(where, "broken JSON", f"{error.msg} at character {error.colno}", excerpt)
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits, or brackets without end
        return Problem(where, "broken JSON", str(error)[:80], excerpt)


def _array_rows(text: str, source: str) -> Iterator[Raw]:
    """The items of a JSON array, each with the line on which it begins."""
    decoder, gap = json.JSONDecoder(), re.compile(r"[\s,]*")
    position, line, counted = text.index("[") + 1, 1, 0
    while True:
        position = gap.match(text, position).end()  # type: ignore[union-attr]
        line, counted = line + text.count("\n", counted, position), position
        where = f"{source}:{line}"
        if text.startswith("]", position):
            return
        if position == len(text):
            raise KitError("the JSON array has no end: the file is truncated", where=where, fix="get it again")
        try:
            value, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError) as error:
            what = f"broken or truncated JSON array ({error}); it begins: {text[position : position + EXCERPT]}"
            raise KitError(what, where=where, fix="repair it, or write one object a line (.jsonl)") from None
        yield where, value


def _csv_rows(text: str, source: str) -> tuple[str, list[Raw]]:
    """Rows of a CSV file with a header; commas, semicolons or tabs, whichever makes the header a known format."""
    first = text.lstrip("\r\n").partition("\n")[0]
    headers = {mark: [name.strip(' "\r') for name in first.split(mark)] for mark in ",;\t"}
    mark = max(headers, key=lambda mark: (detect(dict.fromkeys(headers[mark])) is not None, len(headers[mark])))
    before = csv.field_size_limit(2**31 - 1)  # the default refuses fields over 131,072 characters
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
    rows: list[Raw] = []
    header: list[str] = []
    start = 1
    try:
        for fields in reader:
            where, start = f"{source}:{start}", reader.line_num + 1
            if not "".join(fields[:2]).strip() and len(fields) < 2:
                continue  # a blank line, not a row of empty fields
            if not header:
                header = [name.strip() for name in fields]
            elif len(fields) == len(header):
                rows.append((where, dict(zip(header, fields, strict=True))))
            else:
                detail = f"{len(fields)} fields, the header has {len(header)}"
                excerpt = mark.join(fields)[:EXCERPT]
                rows.append((where, Problem(where, "row and header differ in length", detail, excerpt)))
    except csv.Error as error:
        where = f"{source}:{start}"
        raise KitError(f"broken CSV ({error})", where=where, fix="check the quotes of this row") from None
    finally:
        csv.field_size_limit(before)
    if len(set(header)) < len(header):
        raise KitError("the header names a column twice", where=f"{source}:1", fix="rename one of them")
    return f"CSV ({dict(zip(',;' + chr(9), ('commas', 'semicolons', 'tabs'), strict=True))[mark]})", rows


def _parquet_rows(path: Path, source: str) -> Iterator[Raw]:
    import pyarrow
    import pyarrow.parquet

    number = 0
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=1000):
                for row in batch.to_pylist():
                    number += 1
                    yield f"{source}:{number}", row
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        fix = "get the file again: a Parquet file that is cut short cannot be read"
        raise KitError(f"not a readable Parquet file ({error})", where=source, fix=fix) from None


def _hub_rows(source: str) -> tuple[str, Iterable[Raw]]:
    """Rows of a data set of the Hugging Face hub: `id`, `id:split` or `id:configuration:split`."""
    name, *rest = source.split(":")
    split = rest.pop() if rest else "train"
    import datasets

    try:
        loaded = datasets.load_dataset(name, *rest, split=split)
    except Exception as error:
        raise _hub_error(error, name) from None
    return f"hub data set {name}, split {split}", ((f"{source}:{n}", row) for n, row in enumerate(loaded, 1))


def _hub_error(error: Exception, name: str) -> KitError:
    text = " ".join(str(error).split())[:300]
    if isinstance(error, ConnectionError):
        what, fix = "no such file, and the hub cannot be reached", "check the path, or the network (HF_HUB_OFFLINE)"
    elif "gated" in text.lower():
        page = f"https://huggingface.co/datasets/{name}"
        what, fix = "a gated data set", f"accept its terms at {page}, then `hf auth login`"
    elif isinstance(error, FileNotFoundError):
        what, fix = "no such file, and no such data set on the hub", "check the spelling"
    elif isinstance(error, ValueError):
        what, fix = f"no such part of the hub data set: {text}", "name it as id:split or id:configuration:split"
    else:
        what, fix = f"the hub data set cannot be read ({type(error).__name__}: {text})", "download one of its files"
    return KitError(what, where=name, fix=fix)
