"""What the data doctor found: rows kept and lost, lengths, trained tokens, and what to do about it."""

import math
import statistics
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from kit.data import Problem
from kit.errors import KitError

LINES = 25  # a report fits on a screen
LISTED = 20  # lost rows that are listed one by one; all are counted
BARS = 6  # bars of the histogram up to max_length; one more shows the rows beyond it


@dataclass(frozen=True, slots=True)
class EncodedRow:
    """Token ids of one conversation; `trained[i]` says that token `i` is a target of the loss."""

    ids: list[int]
    trained: list[bool]
    where: str

    @property
    def prompt(self) -> list[int]:
        """The ids before the first trained token."""
        return self.ids[: self.trained.index(True)] if True in self.trained else self.ids

    @property
    def targets(self) -> list[int]:
        """The ids of the trained tokens."""
        return [token for token, learnt in zip(self.ids, self.trained, strict=True) if learnt]

    @property
    def trained_tokens(self) -> int:
        return sum(self.trained)


@dataclass(frozen=True, slots=True)
class EncodedPair:
    """A preference pair: two rows with the same prompt."""

    chosen: EncodedRow
    rejected: EncodedRow


@dataclass(frozen=True, slots=True)
class EndOfTurn:
    """The token with which an answer ends; generation must stop at its id."""

    token: str
    id: int


@dataclass(slots=True)
class DataReport:
    """Rows ready to train on, every lost row with its reason, and what a person should know before training.

    `rows` holds the chosen side of preference pairs, so that supervised training can use them too. `lengths` are
    tokens (of a pair: of its longer side) of each row that could be encoded, kept or too long.
    """

    source: str
    format: str
    max_length: int
    rows_read: int
    rows: list[EncodedRow] = field(default_factory=list)
    pairs: list[EncodedPair] = field(default_factory=list)
    lost: list[Problem] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    end: EndOfTurn | None = None
    notes: list[str] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)

    @property
    def lost_by_reason(self) -> dict[str, int]:
        """Lost rows by reason, the most frequent first."""
        return dict(Counter(problem.reason for problem in self.lost).most_common())

    @property
    def duplicates(self) -> int:
        """Kept rows whose ids (of a pair: on both sides) occurred before."""
        if self.pairs:
            return _repeats((*pair.chosen.ids, -1, *pair.rejected.ids) for pair in self.pairs)
        return _repeats(tuple(row.ids) for row in self.rows)

    def length_that_keeps(self, share: float) -> int | None:
        """The smallest multiple of 32 that is long enough for `share` of the rows; None if there are none."""
        if not self.lengths:
            return None
        longest = sorted(self.lengths)[max(math.ceil(share * len(self.lengths)), 1) - 1]
        return math.ceil(longest / 32) * 32

    def histogram(self) -> list[tuple[int, int | None, int]]:
        """Rows by length: (from, to, rows), `to` included; (max_length + 1, None, rows) are the ones cut off."""
        within = [length for length in self.lengths if length <= self.max_length]
        bars: list[tuple[int, int | None, int]] = []
        if within:
            low, high = min(within), max(within)
            width = math.ceil((high - low + 1) / BARS)
            counts = Counter((length - low) // width for length in within)
            for bar, start in enumerate(range(low, high + 1, width)):
                bars.append((start, min(start + width - 1, high), counts[bar]))
        return [*bars, (self.max_length + 1, None, len(self.lengths) - len(within))]

    def text(self) -> str:
        """The report for a person, at most 25 lines."""
        share = len(self.lost) / max(self.rows_read, 1)
        kept = f"{len(self.rows):,} kept, {len(self.lost):,} lost ({share:.1%})"
        lines = [f"{self.source}: {self.format}, {self.rows_read:,} rows read, {kept}"]
        lines += [f"  note: {note}" for note in self.notes[:3]]
        lines += self._loss_lines()
        lines += self._length_lines()
        lines += [f"  ! {finding}" for finding in self.findings]
        if len(lines) > LINES:
            lines[LINES - 1 :] = [f"  ... and {len(lines) - LINES + 1} more, see as_dict()"]
        return "\n".join(lines)

    def _loss_lines(self) -> list[str]:
        places: dict[str, list[str]] = {}
        for problem in self.lost:
            places.setdefault(problem.reason, []).append(PurePath(problem.where).name)
        lines = []
        for reason, count in list(self.lost_by_reason.items())[:4]:
            more = ", ..." if count > 4 else ""
            lines.append(f"  lost {count:,}: {reason}: {', '.join(places[reason][:4])}{more}")
        others = self.lost_by_reason
        if len(others) > 4:
            lines.append(f"  lost {sum(list(others.values())[4:]):,}: {len(others) - 4} other reasons, see as_dict()")
        return lines

    def _length_lines(self) -> list[str]:
        if not self.lengths:
            return []
        lines = [f"tokens a row: {_spread(self.lengths)}; max_length {self.max_length}"]
        bars = self.histogram()
        scale = max(count for _, _, count in bars) / 40
        for low, high, count in bars:
            if high is None and not count:
                continue
            label = f"{low}-{high}" if high else f"over {low - 1}"
            lines.append(f"  {label:>12} |{'#' * math.ceil(count / scale)} {count:,}{'' if high else ' lost'}")
        trained = [row.trained_tokens for row in self.rows]
        if trained:
            total = sum(len(row.ids) for row in self.rows)
            lines.append(f"trained tokens a row: {_spread(trained)}; {sum(trained):,} of {total:,} in all")
        if self.pairs:
            sides = [[pair.chosen.trained_tokens for pair in self.pairs]]
            sides.append([pair.rejected.trained_tokens for pair in self.pairs])
            lines.append("answers: chosen {}; rejected {}".format(*map(_spread, sides)))
        end = f"{self.end.token!r} (id {self.end.id})" if self.end else "none found"
        lines.append(f"end of turn: {end}; duplicate rows: {self.duplicates:,}")
        return lines

    def as_dict(self) -> dict[str, Any]:
        """Everything but the rows themselves, JSON-able; lengths in tokens."""
        first = self.lost[:LISTED]
        return {
            "source": self.source,
            "format": self.format,
            "max_length": self.max_length,
            "rows_read": self.rows_read,
            "rows_kept": len(self.rows),
            "rows_lost": len(self.lost),
            "lost_by_reason": self.lost_by_reason,
            "lost_first": [{"where": one.where, "reason": one.reason, "detail": one.detail} for one in first],
            "tokens": _numbers(self.lengths),
            "trained_tokens": _numbers([row.trained_tokens for row in self.rows]),
            "histogram": [{"from": low, "to": high, "rows": count} for low, high, count in self.histogram()],
            "max_length_keeps_95_percent": self.length_that_keeps(0.95),
            "max_length_keeps_all": self.length_that_keeps(1),
            "end_of_turn": {"token": self.end.token, "id": self.end.id} if self.end else None,
            "duplicates": self.duplicates,
            "pairs": len(self.pairs),
            "notes": self.notes,
            "findings": self.findings,
        }


def check_loss(report: DataReport, max_lost_rows: float) -> None:
    """Refuse data of which too much would be lost.

    Args:
        max_lost_rows: the share of rows, 0 to 1, that may be lost.

    Raises:
        KitError: a greater share is lost, or no row is kept; names counts, reasons and the `max_length` that helps.
    """
    lost, share = len(report.lost), len(report.lost) / max(report.rows_read, 1)
    if report.rows and share <= max_lost_rows:
        return
    allowed = f"{share:.1%}, allowed {max_lost_rows:.1%}" if report.rows else "none is left to train on"
    first = {problem.reason: problem for problem in reversed(report.lost)}
    reasons = [f"{count} x {first[reason]}" for reason, count in list(report.lost_by_reason.items())[:3]]
    what = f"{lost} of {report.rows_read} rows would be lost ({allowed}), such as {'; '.join(reasons)}"
    raise KitError(what, where=report.source, fix=_advice(report))


def _advice(report: DataReport) -> str:
    too_long = sum(length > report.max_length for length in report.lengths)
    most, everything = report.length_that_keeps(0.95), report.length_that_keeps(1)
    longer = f"max_length {everything} keeps all encoded rows"
    if most != everything:
        longer = f"max_length {most} keeps 95 % of the encoded rows, {everything} keeps all"
    repair = "repair these rows (or the chat template), or raise max_lost_rows"
    if not too_long:
        return repair
    return longer if too_long == len(report.lost) else f"{longer}; for the others {repair}"


def overlap(train: DataReport, evaluation: DataReport, *, whole_rows: bool = False) -> int:
    """How many evaluation rows have a prompt (with `whole_rows`: prompt and answer) that training has seen too."""

    def key(row: EncodedRow) -> tuple[int, ...]:
        return tuple(row.ids if whole_rows else row.prompt)

    seen = {key(row) for row in train.rows}
    return sum(key(row) in seen for row in evaluation.rows)


def _repeats(keys: Iterable[tuple[int, ...]]) -> int:
    listed = list(keys)
    return len(listed) - len(set(listed))


def _numbers(values: list[int]) -> dict[str, float] | None:
    if not values:
        return None
    return {"min": min(values), "median": statistics.median(values), "max": max(values), "total": sum(values)}


def _spread(values: list[int]) -> str:
    return f"min {min(values):,}, median {statistics.median(values):,.0f}, max {max(values):,}"
