"""Files to examples, so that no bad row is silent.

A fault of a file (missing, wrong encoding, unknown columns) raises KitError; a fault of a row becomes a Problem
with its line, and the other rows live on.
"""

import json
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from kit.errors import KitError
from kit.formats import MESSAGE_KEYS, Example, Format, Message, RowFault, detect, expected, kind, printable, to_example
from kit.rows import EXCERPT, Problem, Raw, open_rows

__all__ = ["Example", "Message", "Problem", "Reading", "read"]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a source holds. `rows_read` counts every row: `len(examples) + len(problems)`."""

    examples: tuple[Example, ...]
    problems: tuple[Problem, ...]
    rows_read: int
    format: str
    source: str
    notes: tuple[str, ...] = ()


def read(source: str | Path, *, limit: int | None = None) -> Reading:
    """Read a file, a file that ships with the kit (`tickets/train.jsonl`) or a hub data set (`id:split`).

    Args:
        limit: read at most this many rows, good or bad.

    Raises:
        KitError: the source cannot be read at all, or its columns fit no known format.
    """
    source = str(source)
    kind_of_source, rows = open_rows(source)
    raw = list(islice(rows, limit))
    if not raw:
        raise KitError("no rows in it", where=source, fix="give a file with at least one row")
    known = _format_of(raw)
    examples: list[Example] = []
    problems: list[Problem] = []
    for where, value in raw:
        if isinstance(value, Problem):
            problems.append(value)
            continue
        try:
            examples.append(to_example(value, known, where))
        except RowFault as fault:
            problems.append(Problem(where, fault.reason, fault.detail, _excerpt(value)))
    notes = [f"read as {kind_of_source}; every row as {known.name} ({', '.join(known.needs)})", *_unused(raw, known)]
    if limit is not None and len(raw) == limit:
        notes.append(f"only the first {limit} rows were read, as asked")
    return Reading(tuple(examples), tuple(problems), len(raw), known.name, source, tuple(notes))


def _format_of(raw: list[Raw]) -> Format:
    """The format that most rows have."""
    votes = Counter(known for _, row in raw if isinstance(row, dict) and (known := detect(row)))
    if votes:
        return votes.most_common(1)[0][0]
    where, value = next((item for item in raw if isinstance(item[1], dict)), raw[0])
    if isinstance(value, dict):
        what = f"unknown columns {', '.join(map(str, value)) or '(none)'}"
    elif isinstance(value, Problem):
        what = f"no row can be read: {value.reason} ({value.detail})"
    else:
        what = f"no row is an object: {kind(value)}"
    what = printable(f"{what[:500]}; expected one of: {expected()}; the row: {_excerpt(value)}")
    raise KitError(what, where=where, fix="rename the columns, or write one JSON object a line")


def _excerpt(value: Any) -> str:
    if isinstance(value, Problem):
        return value.excerpt
    try:
        return printable(json.dumps(value, ensure_ascii=False, default=str)[:EXCERPT])
    except RecursionError:
        return f"{kind(value)}, nested too deep to show"


def _unused(raw: list[Raw], known: Format) -> list[str]:
    """Name the columns and the keys of messages that mean nothing to the kit: silence would look like support."""
    columns: set[str] = set()
    keys: set[str] = set()
    for row in (value for _, value in raw if isinstance(value, dict)):
        columns.update(str(name) for name in row if name not in known.needs + known.may)
        turns = [turn for name in known.needs if isinstance(row.get(name), list) for turn in row[name]]
        keys.update(key for turn in turns if isinstance(turn, dict) for key in turn if turn[key] is not None)
    keys -= {key for pair in MESSAGE_KEYS for key in pair}
    both = (("columns", columns), ("keys of messages", keys))
    return [printable(f"{what} not used: {', '.join(sorted(names))}"[:500]) for what, names in both if names]
