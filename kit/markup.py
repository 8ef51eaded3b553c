"""What a notebook shows without matplotlib: columns of a run's files as numbers, live SVG, HTML tables.

A value that was not measured (null, missing, NaN) is NaN here, so that it leaves a gap and never a 0.
Sizes are bytes; people see GiB (2^30 bytes; a GB is 10^9 bytes).
"""

import difflib
import html
import itertools
import math
import re
from collections.abc import Container, Mapping, Sequence
from typing import Any

import numpy as np

Rows = Sequence[Mapping[str, Any]]

GIB = 2**30
# Okabe and Ito's colours without the yellow, which is too pale for a line on white
# (https://jfly.uni-koeln.de/color/): told apart under the common colour blindnesses.
BLUE, RED, GREEN, PURPLE, GREY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#7F7F7F"
LIVE_BLUE = "#2F8FD0"  # the same blue, lighter: also visible on the page of a dark theme
MEMORY = {  # column of memory.jsonl: label, colour, line style
    "allocated_bytes": ("allocated", BLUE, "-"),
    "reserved_bytes": ("reserved", GREEN, "--"),
    "device_bytes": ("whole device", PURPLE, "-."),
    "rss_bytes": ("process RAM", GREY, ":"),
}
OVER = frozenset({"finished", "stopped", "failed", "died"})  # a run with such a status changes no more
ALIKE = 0.6  # an answer with less in common with the expected one (0 to 1) is another text: all of it is marked
MOST_POINTS = 300  # a live line has no more: more cannot be seen and cost time


def number(value: Any) -> float:
    """`value` as a float; NaN if it is missing, null, infinite or no number."""
    try:
        result = float(value)
    except (TypeError, ValueError):
        return math.nan
    return result if math.isfinite(result) else math.nan


def column(rows: Rows, x: str, y: str) -> tuple[list[float], list[float]]:
    """Columns `x` and `y` of one rank's JSON rows; y is NaN where not measured; both empty if it never was."""
    # numpy reads None as NaN, and is five times faster than a loop: live panels call this often.
    xs, ys = (np.array([row.get(name) for row in rows], dtype=float) for name in (x, y))
    ys[~np.isfinite(ys)] = math.nan
    if x == "seconds" and len(xs) > 1:
        # The clock of a resumed run starts again at 0: go on where it stood.
        xs[1:] += np.cumsum(np.where(np.diff(xs) < 0, xs[:-1], 0.0))
    known = np.isfinite(xs)
    if np.isnan(ys[known]).all():
        return [], []
    return xs[known].tolist(), ys[known].tolist()


def last(values: Sequence[float]) -> float:
    """The last value that was measured."""
    return next((value for value in reversed(values) if value == value), math.nan)


def fullest_rank(memory: Rows) -> tuple[list[Mapping[str, Any]], str]:
    """The rows of the rank with the highest peak, and which of how many ranks that is ('' if one)."""
    ranks = sorted({row.get("rank") or 0 for row in memory})
    if len(ranks) < 2:
        return list(memory), ""
    peaks = dict.fromkeys(ranks, 0.0)
    for row in memory:
        rank = row.get("rank") or 0
        peaks[rank] = max(peaks[rank], row.get("allocated_bytes") or row.get("device_bytes") or 0)
    fullest = max(peaks, key=lambda rank: peaks[rank])
    return [row for row in memory if (row.get("rank") or 0) == fullest], f"rank {fullest}, the fullest of {len(ranks)}"


def gib(size: float) -> str:
    """`size` bytes for people in three digits: `16.2 GiB`, and below 0.01 GiB `3.4 MiB`."""
    if size < GIB / 100:
        return f"{size / 2**20:.3g} MiB"
    return f"{size / GIB:.3g} GiB" if size < 999 * GIB else f"{size / GIB:,.0f} GiB"


def gap(measured: float, predicted: float) -> str:
    """How far `measured` lies from `predicted`, as a share of the prediction: `-5%` means that less was needed."""
    return f"{round(measured / predicted - 1, 2) + 0.0:+.0%}"  # the sum turns -0.0 into 0.0


def clock(seconds: float | None) -> str:
    """Seconds for people: `0:42`, `12:05`, `3:04:05`; `unknown` for None or NaN."""
    value = number(seconds)
    if math.isnan(value):
        return "unknown"
    minutes, rest = divmod(round(value), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def live_svg(metrics: Rows, memory: Rows, total_steps: int | None) -> str:
    """Loss and memory so far as hand-written SVG: over 70 times faster than `plots.run_curves`; panels redraw it."""
    steps, losses = column(metrics, "step", "loss")
    now = "loss: nothing measured yet"
    if losses:
        value = f"{losses[-1]:.3g}" if losses[-1] == losses[-1] else "is not a number"
        now = f"loss {value} at step {steps[-1]:.0f}"
    rows, rank = fullest_rank(memory)
    used = {}
    for name, (label, colour, _) in MEMORY.items():
        seconds, sizes = column(rows, "seconds", name)
        if sizes:
            used[label] = (LIVE_BLUE if colour == BLUE else colour, seconds, [size / GIB for size in sizes])
    title = f"memory, GiB per device {rank and f'({rank})'}" if used else "memory: nothing measured yet"
    left = _svg_axes(0, now, "step", {"": (LIVE_BLUE, steps, losses)}, total_steps or 0, from_zero=False)
    right = _svg_axes(360, title, "seconds", used, 0, from_zero=True)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 704 200" role="img" font-family="sans-serif" '
        'font-size="11" fill="currentColor" style="width:100%;max-width:800px">'
        f"<title>{now}; {title}</title>{left}{right}</svg>"
    )


def _svg_axes(
    x0: int,
    title: str,
    unit: str,
    lines: Mapping[str, tuple[str, list[float], list[float]]],
    right: float,
    *,
    from_zero: bool,
) -> str:
    """One pair of axes 340 wide that starts at `x0`; `lines` maps a label to its colour, x and y."""
    out = [f'<text x="{x0 + 4}" y="13" font-weight="bold">{title}</text>']
    finite = [y for _, _, ys in lines.values() for y in ys if y == y]
    if not finite:
        return "".join(out)
    low, high = (0.0 if from_zero else min(finite)), max(finite)
    high = high if high > low else low + (abs(low) or 1.0)
    left = min(xs[0] for _, xs, _ in lines.values() if xs)
    right = max(right, left + 1e-9, *(xs[-1] for _, xs, _ in lines.values() if xs))
    legend = "".join(
        f'<tspan fill="{colour}" dx="6">■</tspan> {label.split()[-1]} {last(ys):.3g}'
        for label, (colour, _, ys) in lines.items()
        if label
    )
    out.append(f'<text x="{x0}" y="28" font-size="10">{legend}</text>')
    out.append(f'<path d="M{x0 + 44} 36v139h294" fill="none" stroke="currentColor" stroke-opacity=".5"/>')
    for at_x, at_y, anchor, text in (
        (40, 44, "end", f"{high:.3g}"),
        (40, 175, "end", f"{low:.3g}"),
        (44, 190, "start", f"{left:.0f}"),
        (191, 190, "middle", unit),
        (338, 190, "end", f"{right:.0f}"),
    ):
        out.append(f'<text x="{x0 + at_x}" y="{at_y}" text-anchor="{anchor}" opacity=".8">{text}</text>')
    scale_x, scale_y = 290 / (right - left), 133 / (high - low)
    for colour, xs, ys in lines.values():
        path, pen = [], "M"
        for x, y in _thin(xs, ys):
            if y != y:
                pen = "M"
                continue
            # `h0` with a round cap: a point between two gaps shows as a dot.
            dot = "h0" if pen == "M" else ""
            path.append(f"{pen}{x0 + 46 + (x - left) * scale_x:.1f} {173 - (y - low) * scale_y:.1f}{dot}")
            pen = "L"
        style = f'fill="none" stroke="{colour}" stroke-width="2" stroke-linecap="round"'
        out.append(f'<path d="{"".join(path)}" {style}/>')
    return "".join(out)


def _thin(xs: list[float], ys: list[float]) -> list[tuple[float, float]]:
    """At most about 300 points: of each stretch the lowest and the highest, so that no peak is lost."""
    points = list(zip(xs, ys, strict=True))
    if len(points) <= MOST_POINTS:
        return points
    size = math.ceil(len(points) / (MOST_POINTS // 2 - 1))
    kept = []
    for start in range(0, len(points) - 1, size):
        stretch = ys[start : start + size]
        kept += [start + stretch.index(value) for value in {min(stretch), max(stretch)} if value == value]
    return [points[i] for i in [*sorted(kept), len(points) - 1]]


def token_mask_html(tokens: Sequence[str], trained: Sequence[bool]) -> str:
    """Tokens (decoded text, one string each) as boxes; those that carry loss are green and underlined.

    Spaces show as `·`, line ends as `↵`. Half-transparent colours suit light and dark themes.
    """
    boxes = []
    for token, is_trained in zip(tokens, trained, strict=True):
        text = html.escape(token).replace(" ", "·").replace("\n", "↵").replace("\t", "⇥") or "∅"
        look = "rgba(0,158,115,.4);text-decoration:underline" if is_trained else "rgba(127,127,127,.15)"
        boxes.append(f'<span style="background:{look};padding:1px 2px;border-radius:3px">{text}</span>')
        if token.endswith("\n"):
            boxes.append("<br/>")
    return (
        f'<div style="font-family:monospace;line-height:1.9;overflow-wrap:anywhere">{" ".join(boxes)}</div>'
        f"<div><small>{sum(map(bool, trained))} of {len(tokens)} tokens carry loss (green, underlined)</small></div>"
    )


def table(head: Sequence[str], rows: Sequence[Sequence[str]], narrow: Container[str] = ()) -> str:
    """An HTML table with left-aligned, wrapping cells; `rows` hold HTML, `head` plain text.

    Columns named in `narrow` get no more width than their longest word.
    """
    cell = 'style="text-align:left;vertical-align:top;white-space:pre-wrap;overflow-wrap:anywhere"'
    small = cell.replace("white-space:pre-wrap;overflow-wrap:anywhere", "width:1%")
    top = "".join(f"<th {small if name in narrow else cell}>{html.escape(name)}</th>" for name in head)
    body = "".join("<tr>" + "".join(f"<td {cell}>{value}</td>" for value in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def marked(answer: str | None, expected: str | None) -> str:
    """`answer` as HTML: what `expected` does not have there is red and underlined, what it misses is struck through."""
    if answer is None:
        return "<em>not measured</em>"
    if expected is None:
        return html.escape(answer)
    if answer.strip() == expected.strip():
        return f"✓ {html.escape(answer)}"
    if not answer.strip():
        return "✗ <em>empty answer</em>"
    old, new = (re.findall(r"\w+|\W", text) for text in (expected, answer))
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    if matcher.ratio() < ALIKE:
        return f"✗ {_tag('mark', answer)}"
    out = []
    steps = [("".join(old[a:b]), "".join(new[c:d])) for _, a, b, c, d in matcher.get_opcodes()]
    # A blank that both have between two changes belongs to them: else phrases are cut into single words.
    for same, group in itertools.groupby(steps, lambda step: step[0] == step[1] and not step[0].isspace()):
        missing, words = ("".join(texts) for texts in zip(*group, strict=True))
        out.append(html.escape(words) if same else _tag("del", missing) + _tag("mark", words))
    return f"✗ {''.join(out)}"


def _tag(name: str, text: str) -> str:
    """`text` marked as wrong (`mark`) or as missing (`del`): in both themes, and not by colour alone."""
    look = {"mark": "background:rgba(213,94,0,.3);text-decoration:underline", "del": "opacity:.7"}[name]
    return f'<{name} style="color:inherit;{look}">{html.escape(text)}</{name}>' if text else ""


def samples_html(samples: Sequence[Mapping[str, Any]], limit: int) -> str:
    """The first `limit` answers before and after training beside the expected ones."""
    if not samples:
        return "<div>No samples: nothing measured yet. A run writes them when it scores its held-out rows.</div>"
    rows = []
    for sample in samples[:limit]:
        expected = sample.get("expected")
        answers = [marked(sample.get(when), expected) for when in ("before", "after")]
        rows.append([html.escape(str(sample.get(name) or "")) for name in ("prompt", "expected")] + answers)
    head = ["prompt", "expected", "before", "after"]
    empty = [name for name in head if not any(str(sample.get(name) or "").strip() for sample in samples[:limit])]
    note = f"{len(rows)} of {len(samples)} samples; red and underlined: not as expected; struck through: missing"
    return table(head, rows, narrow=empty) + f"<div><small>{note}</small></div>"


def status_line(run: Any) -> str:
    """One line on a `kit.runs.Run`: status, phase, how far, time so far and left; or steps and time in all."""
    status = run.status
    if status in OVER:
        summary, metrics = run.summary() or {}, run.metrics()
        steps = summary.get("steps", metrics[-1].get("step", 0) if metrics else 0)
        seconds = summary.get("train_seconds")
        return f"{status}: {steps} steps" + (f" in {clock(seconds)}" if seconds is not None else "")
    now = run.progress()
    far = f" {now.step} of {now.total_steps}" if now.total_steps else ""
    left = f", {clock(now.seconds_left)} left" if now.seconds_left is not None else ""
    return f"{status}: {now.phase}{far}, {clock(now.seconds)} so far{left}"


def status_html(run: Any) -> str:
    """The status of a run with the next step, as HTML; the end of its log if it broke."""
    line, name = html.escape(status_line(run)), html.escape(run.folder.name)
    if run.status in {"failed", "died"}:
        return f"<div>{name}: {line}. The end of its log:</div><pre>{html.escape(run.log_tail(15))}</pre>"
    advice = "" if run.status in OVER else "; run this cell again for newer numbers"
    return f"<div>{name}: {line}{advice}</div>"
