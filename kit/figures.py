"""How figures look: canvas, axes, lines with gaps, and labels that do not lie on each other."""

import io
from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from kit.markup import BLUE, GREEN, GREY, PURPLE, RED

PALETTE = (BLUE, RED, GREEN, PURPLE, "#E69F00", "#56B4E9", GREY, "#000000")


class Chart(Figure):
    """A Figure that shows itself in a notebook: pyplot, which would do that, is not loaded."""

    def _repr_png_(self) -> tuple[bytes, dict[str, str]]:
        return png(self), {"alt": alternative(self)}


def png(figure: Figure) -> bytes:
    """The figure as PNG bytes."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110)
    return buffer.getvalue()


def alternative(figure: Figure) -> str:
    """What the figure says to those who cannot see it: its titles, or its words where it has no axes."""
    said = [text.get_text() for text in figure.texts] + [axes.get_title(loc="left") for axes in figure.axes]
    return "Figure. " + "; ".join(text for text in said if text)


def new_chart(height: float = 3.0) -> Chart:
    """An empty canvas as wide as a notebook page, `height` inches high, that cuts nothing off."""
    return Chart(figsize=(7, height), layout="constrained", dpi=100)


def nothing(
    what: str, advice: str = "start a run (kit.runs.start), let it take some steps, then run this cell again"
) -> Chart:
    """The figure for no data: what is missing and what to do."""
    chart = new_chart(height=1.4)
    chart.text(0.5, 0.62, f"No {what}: nothing measured yet", ha="center", va="center", fontsize=11)
    chart.text(0.5, 0.32, advice, ha="center", va="center", fontsize=9, color="#555555")
    return chart


def style(axes: Axes, xlabel: str, ylabel: str) -> None:
    """Axis names and the frame that all figures share."""
    axes.set_xlabel(xlabel, fontsize=9)
    axes.set_ylabel(ylabel, fontsize=9)
    axes.tick_params(labelsize=8.5)
    axes.spines[["top", "right"]].set_visible(False)


def title(axes: Axes, text: str) -> None:
    """What the figure says, over its left edge."""
    axes.set_title(text, loc="left", fontsize=10)


def ink(colour: str) -> tuple[float, ...]:
    """`colour` darkened until text in it can be read on white (contrast above 4.5)."""
    return tuple(0.66 * part for part in to_rgb(colour))


def line(axes: Axes, xs: Sequence[float], ys: Sequence[float], **look: Any) -> None:
    """A line with gaps at NaN; a point between two gaps, which a line would hide, gets a dot."""
    known = [False, *(y == y for y in ys), False]
    alone = [i for i in range(len(ys)) if known[i : i + 3] == [False, True, False]]
    axes.plot(xs, ys, linewidth=1.8, marker="o", markersize=4, markevery=alone, **look)


def end_labels(axes: Axes, labels: Sequence[tuple[float, str, str]]) -> None:
    """Names at the right edge, each at the height of its value as far as they do not overlap."""
    low, high = axes.get_ylim()
    ordered = sorted(label for label in labels if label[0] == label[0])
    spots = spread([(value - low) / (high - low) for value, _, _ in ordered], gap=0.1, low=0.0, high=1.0)
    for (_, text, colour), spot in zip(ordered, spots, strict=True):
        axes.text(1.01, spot, text, color=ink(colour), transform=axes.transAxes, va="center", fontsize=9)
    axes.set_ylim(low, high)


def spread(spots: list[float], *, gap: float, low: float, high: float) -> list[float]:
    """Ascending positions pushed at least `gap` apart inside [low, high]."""
    gap = min(gap, (high - low) / max(1, len(spots) - 1))
    placed: list[float] = []
    for spot in spots:
        placed.append(max(spot, placed[-1] + gap if placed else low))
    ceiling = high
    for index in reversed(range(len(placed))):
        placed[index] = min(placed[index], ceiling)
        ceiling = placed[index] - gap
    return placed


def largest(parts: dict[str, float], most: int = len(PALETTE)) -> dict[str, float]:
    """At most `most` parts: the smallest ones are summed, so that labels stay readable."""
    if len(parts) <= most:
        return parts
    kept = sorted(parts, key=lambda name: -parts[name])[: most - 1]
    rest = [name for name in parts if name not in kept]
    shown = {name: size for name, size in parts.items() if name in kept}
    return shown | {f"{len(rest)} others": sum(parts[name] for name in rest)}


def short(name: str, longest: int = 40) -> str:
    """`name` cut to `longest` characters."""
    return name if len(name) <= longest else name[: longest - 1] + "…"
