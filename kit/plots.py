"""Figures of a run: loss, memory, budget, data and results, without any pyplot state.

Every function returns a Figure 7 inches wide that a notebook shows as PNG. What was not measured is
left out and named, never drawn as 0; with nothing to show the figure says so and what to do.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from kit.figures import PALETTE, Chart, end_labels, largest, line, new_chart, nothing, short, spread, style, title
from kit.figures import png as png
from kit.markup import BLUE, GIB, GREY, MEMORY, RED, Rows, column, fullest_rank, gap, gib, last, number
from kit.markup import live_svg as live_svg
from kit.markup import token_mask_html as token_mask_html


def loss_curve(metrics: Rows, reference: Rows | None = None) -> Chart:
    """Training loss by step, beside that of a reference run if one is given."""
    if not column(metrics, "step", "loss")[0] and not reference:
        return nothing("loss")
    chart = new_chart()
    _draw_loss(chart.subplots(), metrics, reference)
    return chart


def memory_curve(memory: Rows, predicted_bytes: float | None = None, limit_bytes: float | None = None) -> Chart:
    """Memory over time of the rank that used most, beside the predicted peak and the limit."""
    if not any(column(memory, "seconds", name)[0] for name in MEMORY):
        return nothing("memory")
    chart = new_chart()
    _draw_memory(chart.subplots(), memory, predicted_bytes, limit_bytes)
    return chart


def run_curves(run: Any) -> Chart:
    """Loss above memory of one `kit.runs.Run`, with the peak predicted for it."""
    metrics, memory, summary = run.metrics(), run.memory(), run.summary() or {}
    if not metrics and not memory:
        advice = {"advice": "print(run.log_tail(20)) says why"} if run.status in {"failed", "died"} else {}
        return nothing(f"curves of {short(run.folder.name)} ({run.status})", **advice)
    chart = new_chart(height=5.2)
    above, below = chart.subplots(2, 1)
    _draw_loss(above, metrics, None)
    peaks = [summary.get(f"peak_bytes_{how}") for how in ("predicted", "measured")]
    _draw_memory(below, memory, peaks[0], run.recipe.memory_limit_gib * GIB, peaks[1])
    chart.suptitle(f"{short(run.folder.name)}: {run.status}", x=0.01, ha="left", fontsize=10)
    return chart


def budget_bar(
    parts: Mapping[str, float], limit_bytes: float | None = None, measured_bytes: float | None = None
) -> Chart:
    """One stacked bar of the predicted parts, with the limit of the card and the measured peak."""
    shown = largest({name: size for name, size in parts.items() if size and size > 0})
    if not shown:
        return nothing("prediction", "give the parts that kit.estimate returns, in bytes")
    total = sum(shown.values())
    peak = max(total, measured_bytes or 0)
    # A limit far to the right would press the parts together: then it is named, not drawn to scale.
    near = limit_bytes is not None and limit_bytes < 4 * peak
    right = 1.03 * max(peak, limit_bytes or 0 if near else 0)
    unit, scale = ("GiB", GIB) if right >= GIB / 50 else ("MiB", 2**20)
    chart = new_chart(height=2.4)
    axes = chart.subplots()
    centres, left = [], 0.0
    for colour, size in zip(PALETTE, shown.values(), strict=False):
        axes.barh(0, size / scale, left=left / scale, height=0.5, color=colour, edgecolor="white", linewidth=0.6)
        centres.append((left + size / 2) / right)
        left += size
    spots = spread(centres, gap=0.125, low=0.055, high=0.945)
    for centre, spot, (name, size) in zip(centres, spots, shown.items(), strict=True):
        axes.annotate(
            f"{name}\n{gib(size)}",
            xy=(centre * right / scale, -0.26),
            xytext=(spot, 0.27),
            textcoords="axes fraction",
            ha="center",
            va="top",
            fontsize=8,
            # From the top of the label, so that a flat line does not run through its neighbours.
            arrowprops={"arrowstyle": "-", "color": GREY, "linewidth": 0.7, "shrinkB": 0, "relpos": (0.5, 1)},
        )
    axes.set(xlim=(0, right / scale), ylim=(-1.3, 1.05))
    style(axes, f"{unit} per device", "")
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    if near:
        _mark(axes, limit_bytes, scale, 0.85, "limit")
    elif limit_bytes:
        axes.text(right / scale, 0.85, f"limit {gib(limit_bytes)} →", ha="right", va="center", fontsize=8.5)
    _mark(axes, measured_bytes, scale, 0.52, "measured")
    spare = (limit_bytes or 0) - total
    verdict = f": {gib(abs(spare))} {'to spare' if spare >= 0 else 'over the limit'}" if limit_bytes else ""
    title(axes, f"Predicted peak {gib(total)}{verdict}")
    return chart


def _mark(axes: Axes, size: float | None, scale: float, height: float, label: str) -> None:
    """A line through the bar at `size` bytes with its label above, on the side where there is room."""
    if not size or size != size:
        return
    axes.vlines(size / scale, -0.32, height, color="black", linewidth=1.5)
    on_left = size / scale > axes.get_xlim()[1] / 3
    axes.annotate(
        f"{label} {gib(size)}",
        xy=(size / scale, height),
        xytext=(-4 if on_left else 4, 0),
        textcoords="offset points",
        ha="right" if on_left else "left",
        va="center",
        fontsize=8.5,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
    )


def length_histogram(lengths: Sequence[int], max_length: int) -> Chart:
    """How many rows have how many tokens; rows longer than `max_length` tokens in red."""
    if not lengths:
        return nothing("rows", "read some data first: kit.data.read, then kit.encode.encode")
    chart = new_chart()
    axes = chart.subplots()
    longest, median = max(lengths), sorted(lengths)[len(lengths) // 2]
    far = longest * 3 < max_length  # then the limit would squeeze all rows into a few bars
    span = longest if far else max_length
    # The limit is an edge of a bar: no bar mixes rows that fit with rows that do not.
    bars_below = min(24, span, max(1, 60 * span // longest))
    counts: dict[int, int] = {}
    for length in lengths:
        index = math.ceil(length * bars_below / span) - 1  # bar i holds (i, i + 1] x width
        counts[index] = counts.get(index, 0) + 1
    for index, count in counts.items():
        colour = RED if index >= bars_below and not far else BLUE
        axes.bar((index + 0.5) * span / bars_below, count, 0.92 * span / bars_below, color=colour)
    axes.set_xlim(0, max(longest, span) * 1.04)
    if far:
        axes.text(1, 1, f"limit {max_length:,} →", transform=axes.transAxes, ha="right", va="top", fontsize=8.5)
    else:
        axes.axvline(max_length, color="black", linewidth=1, linestyle="--")
        side = "left" if longest > 1.5 * max_length else "right"
        place = axes.get_xaxis_transform()
        axes.text(max_length, 1, f" limit {max_length:,} ", transform=place, ha=side, va="top", fontsize=8.5)
    style(axes, "tokens in a row", "rows")
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    too_long = sum(length > max_length for length in lengths)
    share = f"{too_long:,} ({too_long / len(lengths):.1%}) too long"
    title(axes, f"{len(lengths):,} rows: median {median:,}, longest {longest:,} tokens; {share}")
    return chart


def before_after(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> Chart:
    """Exact match on held-out rows before and after training, with bootstrap intervals."""
    scores = {"before": before or {}, "after": after or {}}
    if all(math.isnan(number(score.get("exact_match"))) for score in scores.values()):
        return nothing("score")
    chart = new_chart(height=2.4)
    axes = chart.subplots()
    names = []
    for place, (name, score) in enumerate(scores.items()):
        valid, perplexity = 100 * number(score.get("valid_json")), number(score.get("perplexity"))
        names.append(
            name
            + ("" if math.isnan(valid) else f"\nvalid JSON {valid:.0f} %")
            + ("" if math.isnan(perplexity) else f"\nperplexity {perplexity:.3g}")
        )
        keys = ("exact_match", "exact_match_low", "exact_match_high")
        value, low, high = (100 * number(score.get(key)) for key in keys)
        if math.isnan(value):
            axes.text(1, place, "not measured", va="center", fontsize=9)
            continue
        axes.barh(place, value, height=0.55, color=(GREY, BLUE)[place])
        text, end = f"{value:.0f} %", value
        if not math.isnan(low + high):
            axes.errorbar(value, place, xerr=[[value - low], [high - value]], color="black", capsize=4)
            text, end = f"{text} ({low:.0f} to {high:.0f})", max(high, value)
        axes.text(end + 1.5, place, text, va="center", fontsize=9)
    axes.set(xlim=(0, 125), ylim=(1.6, -0.6))
    style(axes, "rows answered exactly as expected (%)", "")
    axes.set_yticks([0, 1], names)
    axes.set_xticks(range(0, 101, 20))
    rows = scores["after"].get("rows") or scores["before"].get("rows")
    title(axes, f"Exact match on {f'{rows:,} ' if rows else ''}held-out rows (95 % bootstrap interval)")
    return chart


def _draw_loss(axes: Axes, metrics: Rows, reference: Rows | None) -> None:
    labels = []
    for name, rows, colour, dashes in (
        ("reference", reference or (), GREY, "--"),
        ("this run" if reference else "loss", metrics, BLUE, "-"),
    ):
        steps, losses = column(rows, "step", "loss")
        line(axes, steps, losses, color=colour, linestyle=dashes)
        if losses:
            labels.append((last(losses), f"{name} {last(losses):.3g}", colour))
    style(axes, "step", "training loss")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    end_labels(axes, labels)
    steps, losses = column(metrics, "step", "loss")
    if len(steps) == 1:
        axes.set_xlim(steps[0] - 1, steps[0] + 1)
    first = next((loss for loss in losses if loss == loss), math.nan)
    lost = [step for step, loss in zip(steps, losses, strict=True) if loss != loss]
    if lost:
        title(axes, f"Loss is not a number at step {lost[0]:.0f}: lower the learning rate")
    elif len(losses) == 1:
        title(axes, f"Loss {first:.3g} at step {steps[0]:.0f}")
    elif losses:
        title(axes, f"Loss {first:.3g} → {last(losses):.3g} at step {steps[-1]:.0f}")
    else:
        title(axes, "Loss: nothing measured yet")


def _draw_memory(
    axes: Axes, memory: Rows, predicted: float | None, limit: float | None, measured: float | None = None
) -> None:
    rows, rank = fullest_rank(memory)
    labels, missing, tops = [], [], [0.0]
    for name, (label, colour, dashes) in MEMORY.items():
        seconds, sizes = column(rows, "seconds", name)
        if not sizes:
            missing.append(label)
            continue
        sizes = [size / GIB for size in sizes]
        line(axes, seconds, sizes, color=colour, linestyle=dashes)
        labels.append((last(sizes), f"{label} {last(sizes):.3g}", colour))
        tops.append(max(size for size in sizes if size == size))
    if measured and "allocated" in missing:  # on a CPU the bytes of one step are counted, not sampled over time
        labels.append((measured / GIB, f"measured {measured / GIB:.3g}", BLUE))
        axes.axhline(measured / GIB, color=BLUE, linewidth=1.2)
        tops.append(measured / GIB)
    if predicted:
        labels.append((predicted / GIB, f"predicted {predicted / GIB:.3g}", RED))
        axes.axhline(predicted / GIB, color=RED, linewidth=1.2, linestyle=(0, (6, 3)))
        tops.append(predicted / GIB)
    if limit:
        # Far above everything else it would press the curves flat: then it is named, not drawn.
        near = limit / GIB < 2.5 * max(tops)
        labels.append((limit / GIB, f"limit {limit / GIB:.3g}{'' if near else ' ↑'}", "black"))
        if near:
            axes.axhline(limit / GIB, color="black", linewidth=1.2)
            tops.append(limit / GIB)
    axes.set_ylim(0, max(tops) * 1.06 or 1)
    note = f"   (not measured: {', '.join(missing)})" if missing else ""
    style(axes, f"seconds since the start{note}", "GiB per device")
    end_labels(axes, labels)
    title(axes, _peak_title(rows, predicted, measured) + (f"; {rank}" if rank else ""))


def _peak_title(rows: Rows, predicted: float | None, measured: float | None) -> str:
    name = "measured"
    if not measured:
        for key in ("allocated_bytes", "device_bytes", "rss_bytes"):
            sizes = [size for size in column(rows, "seconds", key)[1] if size == size]
            if sizes:
                name, measured = MEMORY[key][0], max(sizes)
                break
    if not measured:
        return "Memory: nothing measured yet"
    # Only what the allocator holds is what a prediction is about.
    known = predicted and name in {"measured", "allocated"}
    if predicted and known:
        return f"Peak predicted {gib(predicted)}, {name} {gib(measured)} ({gap(measured, predicted)})"
    return f"Peak {name} {gib(measured)}"
