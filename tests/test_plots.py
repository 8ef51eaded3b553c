"""Figures hold the data they were given, cut nothing off, and never draw as 0 what was not measured."""

import json
import math
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from IPython.core.formatters import DisplayFormatter
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from kit import console, figures, markup, plots

GIB = 2**30


class FolderRun:
    """A run as the figures see it: `kit.runs.Run` without the child process."""

    def __init__(self, folder: Path, summary: dict | None, steps: int = 40) -> None:
        self.folder, self.status, self._summary, self._steps = folder, "finished", summary, steps
        self.recipe = type("Recipe", (), {"memory_limit_gib": 24.0})

    def metrics(self) -> list[dict]:
        return losses(self._steps)

    def memory(self) -> list[dict]:
        return memory(self._steps)

    def summary(self) -> dict | None:
        return self._summary


def losses(steps: int) -> list[dict]:
    return [{"step": step, "loss": 0.3 + 2 / step, "seconds": step * 1.5} for step in range(1, steps + 1)]


def memory(seconds: int, **columns: int | None) -> list[dict]:
    full = {"allocated_bytes": 11 * GIB, "reserved_bytes": 15 * GIB, "device_bytes": 16 * GIB, "rss_bytes": 2 * GIB}
    return [{"seconds": float(second), "rank": 0, **full, **columns} for second in range(seconds)]


SUMMARY = {"peak_bytes_predicted": 13 * GIB, "peak_bytes_measured": 14 * GIB}
PARTS = {"weights": 4.4, "adapters": 0.16, "gradients": 0.16, "optimizer": 0.32, "activations": 6.1, "logits": 2.9}
PARTS = {name: round(size * GIB) for name, size in PARTS.items()}
SCORE = {"rows": 100, "exact_match": 0.87, "exact_match_low": 0.8, "exact_match_high": 0.93, "valid_json": 1.0}
LONG = "2031-01-02-a-run-with-a-rather-long-name-for-the-line-above-a-figure"
RUNS = [FolderRun(Path(name), SUMMARY) for name in ("r4", "r8", LONG)]

FIGURES = {
    "loss": lambda: plots.loss_curve(losses(96)),
    "loss and reference": lambda: plots.loss_curve(losses(30), losses(96)),
    "first loss": lambda: plots.loss_curve(losses(1)),
    "no loss": lambda: plots.loss_curve([]),
    "only a reference": lambda: plots.loss_curve([], losses(9)),
    "memory": lambda: plots.memory_curve(memory(60), 13 * GIB, 24 * GIB),
    "memory, limit far away": lambda: plots.memory_curve(memory(60, device_bytes=None), 13 * GIB, 640 * GIB),
    "no memory": lambda: plots.memory_curve([]),
    "run": lambda: plots.run_curves(RUNS[2]),
    "budget": lambda: plots.budget_bar(PARTS, 24 * GIB, 14 * GIB),
    "budget over the limit": lambda: plots.budget_bar(PARTS, 12 * GIB, 15 * GIB),
    "small budget": lambda: plots.budget_bar({name: size // 5000 for name, size in PARTS.items()}, 24 * GIB),
    "many parts": lambda: plots.budget_bar(PARTS | {"KV cache": GIB, "temporary": GIB, "buffers": 9}, 24 * GIB),
    "no budget": lambda: plots.budget_bar({}),
    "lengths": lambda: plots.length_histogram([7, 30, 31, 90, 4000], 64),
    "short rows": lambda: plots.length_histogram([7, 30, 31], 2048),
    "very many rows": lambda: plots.length_histogram([131_073, 4] * 50_000, 131_072),
    "no lengths": lambda: plots.length_histogram([], 64),
    "scores": lambda: plots.before_after(dict.fromkeys(SCORE, 0.03) | {"perplexity": 123.4}, SCORE),
    "perfect score": lambda: plots.before_after({}, dict.fromkeys(SCORE, 1.0)),
    "no scores": lambda: plots.before_after(None, {}),
}


def words(figure) -> str:
    return "\n".join(text.get_text() for text in figure.findobj(Text))


def drawn_words(figure, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Bbox]]:
    """Each text that the figure really draws (ticks outside the axes exist but are not) and its box."""
    drawn: list[Text] = []
    draw = Text.draw
    monkeypatch.setattr(Text, "draw", lambda text, renderer: (drawn.append(text), draw(text, renderer)))
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    seen = [text for text in drawn if text.get_visible() and text.get_text().strip()]
    return [(text.get_text(), Text.get_window_extent(text, renderer)) for text in seen]


@pytest.mark.parametrize("name", FIGURES)
def test_nothing_is_cut_off_or_overlaps(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    figure = FIGURES[name]()
    boxes = drawn_words(figure, monkeypatch)
    assert boxes
    page = figure.bbox.padded(1)
    for index, (text, box) in enumerate(boxes):
        corners = page.contains(box.x0, box.y0) and page.contains(box.x1, box.y1)
        assert corners, f"{text!r} at {box} leaves the page"
        for other, other_box in boxes[index + 1 :]:
            assert not box.padded(-1.5).overlaps(other_box.padded(-1.5)), f"{text!r} lies on {other!r}"


@pytest.mark.parametrize("name", [name for name in FIGURES if name.startswith("no ")])
def test_no_data_says_so_and_what_to_do(name: str) -> None:
    assert "nothing measured yet" in words(FIGURES[name]())


def test_loss_curve_holds_both_runs() -> None:
    axes = plots.loss_curve(losses(30), losses(50)).axes[0]
    reference, run = axes.lines
    assert list(run.get_xdata()) == list(range(1, 31))
    assert run.get_ydata()[29] == pytest.approx(0.3 + 2 / 30)
    assert len(reference.get_xdata()) == 50
    assert "step" in axes.get_xlabel()


def test_a_loss_that_is_no_number_is_a_gap_with_advice() -> None:
    rows = losses(10)
    rows[6]["loss"] = math.nan
    rows[7]["loss"] = math.inf
    figure = plots.loss_curve(rows)
    assert [math.isnan(loss) for loss in figure.axes[0].lines[1].get_ydata()] == [False] * 6 + [True] * 2 + [False] * 2
    assert "step 7" in words(figure)
    assert "learning rate" in words(figure)


def test_memory_curve_holds_gib_and_names_what_was_not_measured() -> None:
    rows = memory(20, reserved_bytes=None, device_bytes=None)
    rows[3]["allocated_bytes"] = None
    figure = plots.memory_curve(rows, predicted_bytes=12 * GIB, limit_bytes=24 * GIB)
    drawn = {len(line.get_ydata()): line.get_ydata() for line in figure.axes[0].lines if len(line.get_ydata()) > 2}
    allocated = figure.axes[0].lines[0].get_ydata()
    assert allocated[0] == 11
    assert math.isnan(allocated[3])
    assert not any(0 in ys for ys in drawn.values()), "not measured is drawn as 0"
    assert len(figure.axes[0].lines) == 4  # allocated, RSS, prediction, limit
    assert "not measured: reserved, whole device" in words(figure)
    assert "Peak predicted 12 GiB, allocated 11 GiB (-8%)" in words(figure)


def test_a_measurement_between_two_gaps_is_a_dot() -> None:
    rows = memory(9, allocated_bytes=None)
    rows[4]["allocated_bytes"] = GIB
    line = plots.memory_curve(rows).axes[0].lines[0]
    assert line.get_markevery() == [4]


def test_the_clock_of_a_resumed_run_goes_on() -> None:
    rows = [{"seconds": second, "rss_bytes": GIB} for second in (0.0, 1.0, 2.0, 0.0, 1.0, 0.5)]
    assert markup.column(rows, "seconds", "rss_bytes")[0] == [0, 1, 2, 2, 3, 3.5]


def test_where_memory_is_not_sampled_the_measured_peak_is_a_line() -> None:
    run = FolderRun(Path("cpu"), SUMMARY)
    run.memory = lambda: memory(9, allocated_bytes=None, reserved_bytes=None, device_bytes=None)
    figure = plots.run_curves(run)
    assert {line.get_ydata()[0] for line in figure.axes[1].lines} == {2, 13, 14, 24}
    assert "Peak predicted 13 GiB, measured 14 GiB (+8%)" in words(figure)


@pytest.mark.parametrize(("predicted", "measured", "gap"), [(13, 14, "+8%"), (14, 13, "-7%"), (1000, 999, "+0%")])
def test_figure_and_report_give_the_gap_alike(predicted: int, measured: int, gap: str) -> None:
    """Measured against predicted: the figure once divided the other way round, so that the signs differed."""
    peaks = {"peak_bytes_predicted": predicted * GIB, "peak_bytes_measured": measured * GIB}
    assert markup.gap(measured, predicted) == gap
    assert f"GiB ({gap})" in console.memory_line(peaks)
    run = FolderRun(Path("cpu"), peaks)
    run.memory = lambda: memory(9, allocated_bytes=None)
    assert f"GiB ({gap})" in words(plots.run_curves(run))


def test_of_several_ranks_the_fullest_is_shown_and_named() -> None:
    rows = [row | {"rank": rank, "allocated_bytes": (rank + 1) * GIB} for row in memory(5) for rank in (0, 1)]
    figure = plots.memory_curve(rows)
    assert set(figure.axes[0].lines[0].get_ydata()) == {2}
    assert "rank 1, the fullest of 2" in words(figure)


def test_budget_bar_stacks_every_part() -> None:
    axes = plots.budget_bar(PARTS, 24 * GIB, 14 * GIB).axes[0]
    assert sum(bar.get_width() for bar in axes.patches) == pytest.approx(sum(PARTS.values()) / GIB)
    assert [bar.get_x() for bar in axes.patches] == sorted(bar.get_x() for bar in axes.patches)
    said = words(axes.figure)
    assert all(name in said for name in PARTS)
    assert "9.96 GiB to spare" in said
    assert "limit 24 GiB" in said
    assert "measured 14 GiB" in said
    assert "2.04 GiB over the limit" in words(plots.budget_bar(PARTS, 12 * GIB))


def test_length_histogram_never_mixes_rows_that_fit_with_rows_that_do_not() -> None:
    lengths = [1, 63, 64, 64, 65, 66, 300]
    bars = plots.length_histogram(lengths, 64).axes[0].patches
    heights = {
        colour: sum(bar.get_height() for bar in bars if bar.get_facecolor()[:3] == pytest.approx(rgb, abs=0.01))
        for colour, rgb in {"blue": (0, 0.447, 0.698), "red": (0.835, 0.369, 0)}.items()
    }
    assert heights == {"blue": 4, "red": 3}


def test_before_after_draws_scores_and_intervals() -> None:
    axes = plots.before_after(None, SCORE).axes[0]
    assert [bar.get_width() for bar in axes.patches] == [87]
    whisker = axes.collections[0].get_segments()[0]
    assert [point[0] for point in whisker] == pytest.approx([80, 93])
    assert "not measured" in words(axes.figure)


def test_a_chart_shows_itself_and_leaves_pyplot_alone() -> None:
    data, metadata = DisplayFormatter().format(plots.loss_curve(losses(3)))
    assert data["image/png"].startswith(b"\x89PNG")
    assert metadata == {"image/png": {"alt": "Figure. Loss 2.3 → 0.967 at step 3"}}


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_says_in_words_what_it_shows(name: str) -> None:
    alternative = figures.alternative(FIGURES[name]())
    assert len(alternative) > len("Figure. ") + 5 and "\n" not in alternative


def test_live_svg_is_xml_without_nan() -> None:
    rows = memory(20, reserved_bytes=None)
    rows[5]["allocated_bytes"] = math.nan
    broken = losses(10)
    broken[4]["loss"] = math.nan
    cases = [([], [], None), (losses(1), memory(1), 0), (losses(96), rows, 200), (broken, [], 10)]
    for metrics, used, total in cases:
        svg = plots.live_svg(metrics, used, total)
        ElementTree.fromstring(svg)
        assert "nan" not in svg.lower().replace("not a number", "")
        assert "inf" not in svg.lower()
    svg = plots.live_svg(losses(96), rows, 200)
    assert "reserved" not in svg
    assert "currentColor" in svg
    assert "nothing measured yet" in plots.live_svg([], [], None)


def test_live_svg_keeps_every_peak_of_a_long_run_and_stays_small() -> None:
    rows = memory(5000)
    rows[3210]["allocated_bytes"] = 40 * GIB
    svg = plots.live_svg(losses(5000), rows, 5000)
    assert ">40<" in svg
    assert " 40.0" in svg  # the top of the axes: the peak itself is drawn
    paths = [path.get("d", "") for path in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}path")]
    assert max(path.count("L") for path in paths) <= 300
    assert len(svg) < 30_000


def test_live_svg_is_far_faster_than_a_figure() -> None:
    """A panel redraws it every second. Both sides take turns, so that a slow or busy machine slows both."""
    run, seconds = FolderRun(Path("run"), SUMMARY, 300), ([], [])
    metrics, used = run.metrics(), run.memory()
    drawings = (lambda: plots.live_svg(metrics, used, 300), lambda: plots.png(plots.run_curves(run)))
    for _ in range(5):
        for draw, taken in zip(drawings, seconds, strict=True):
            start = time.perf_counter()
            draw()
            taken.append(time.perf_counter() - start)
    live, figure = map(min, seconds)
    assert figure > 30 * live, "90 to 160 when the machine is idle"


def test_token_mask_marks_the_trained_tokens() -> None:
    page = plots.token_mask_html(["<b>", " a", "\n", ""], [False, True, True, False])
    body = ElementTree.fromstring(f"<html>{page}</html>")
    spans = list(body.iter("span"))
    assert [span.text for span in spans] == ["<b>", "·a", "↵", "∅"]
    assert ["underline" in span.get("style", "") for span in spans] == [False, True, True, False]
    assert "2 of 4 tokens carry loss" in page
    with pytest.raises(ValueError, match="shorter"):
        plots.token_mask_html(["a", "b"], [True])


def test_sizes_and_times_for_people() -> None:
    assert [markup.gib(size) for size in (16.2 * GIB, 3.4 * 2**20, 1234 * GIB)] == ["16.2 GiB", "3.4 MiB", "1,234 GiB"]
    assert [markup.clock(seconds) for seconds in (42, 725, 11045, None)] == ["0:42", "12:05", "3:04:05", "unknown"]


def test_numbers_from_json_survive_the_round_trip() -> None:
    rows = [json.loads(line) for line in ('{"x": 1, "y": null}', '{"x": 2, "y": 3}', '{"x": 3, "y": NaN}', '{"y": 4}')]
    xs, ys = markup.column(rows, "x", "y")
    assert xs == [1, 2, 3]
    assert ys[1] == 3
    assert math.isnan(ys[0])
    assert math.isnan(ys[2])
    assert markup.column(rows, "x", "z") == ([], [])
