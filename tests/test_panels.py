"""Panels are views of a recipe or of a run's directory, and still useful where there is no front end."""

import asyncio
import html
import math
import re
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import IPython.display
import psutil
import pytest

from kit import markup, panels, rundir
from kit.errors import KitError
from kit.recipe import Recipe, field_help
from kit.runs import Run

FIELDS = [name for name in Recipe.model_fields if name != "reasons"]


def set_status(run: Run, status: str) -> None:
    rundir.write_json(run.folder / rundir.SUMMARY, {"status": status, "steps": 12, "train_seconds": 83.0})


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """A run in its training phase, 35 seconds old, whose child is this test's own process."""
    rundir.write_json(tmp_path / rundir.RECIPE, Recipe().model_dump())
    for step in range(1, 13):
        rundir.append_line(tmp_path / rundir.METRICS, {"step": step, "loss": 2 / step, "seconds": float(step)})
        sizes = {"allocated_bytes": None, "rss_bytes": step * 2**28}
        rundir.append_line(tmp_path / rundir.MEMORY, {"seconds": float(step), "rank": 0, **sizes})
    (tmp_path / rundir.LOG).write_text("first\n<Error> out of memory\n", encoding="utf-8")
    child, now = psutil.Process(), time.time()
    status = {"pid": child.pid, "process_started": rundir.start_time(child), "started": now, "updated": now}
    status |= {"phase": "training", "phase_started": now - 35, "done": 12, "total": 80}
    rundir.write_json(tmp_path / rundir.STATUS, status)
    return Run(tmp_path)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What `display` was given, and what its handles were later updated with."""
    outputs: list[Any] = []

    def display(what: Any, **_: Any) -> Any:
        outputs.append(what)
        return SimpleNamespace(update=lambda what, **_: outputs.append(what))

    monkeypatch.setattr(IPython.display, "display", display)
    return outputs


def test_front_end_is_known_by_the_kernels_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("KIT_STATIC", "JPY_SESSION_NAME", "VOILA_KERNEL_ID"):
        monkeypatch.delenv(name, raising=False)
    assert not panels.live_front_end(), "nbmake and scripts get the static form"
    monkeypatch.setenv("JPY_SESSION_NAME", "lesson.ipynb")
    assert panels.live_front_end()
    monkeypatch.setenv("KIT_STATIC", "1")
    assert not panels.live_front_end()
    monkeypatch.delenv("JPY_SESSION_NAME")
    monkeypatch.setenv("KIT_STATIC", "0")
    assert panels.live_front_end()
    monkeypatch.setattr(panels, "widgets", None)
    assert not panels.live_front_end()


def test_only_panels_imports_ipywidgets_and_it_works_without() -> None:
    kit = Path(panels.__file__).parent
    importers = [
        path.name
        for path in kit.glob("*.py")
        if re.search(r"^\s*(import|from) ipywidgets", path.read_text(encoding="utf-8"), re.M)
    ]
    assert importers == ["panels.py"]
    code = (
        "import sys; sys.modules['ipywidgets'] = sys.modules['matplotlib'] = sys.modules['IPython'] = None\n"
        "from kit import panels, recipe\n"
        "settings = recipe.Recipe(lora_rank=4)\n"
        "form = panels.RecipeForm(settings, live=True)\n"
        "assert form.recipe is settings and 'lora_rank' in form._repr_html_()"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=kit.parent)


def values_of(name: str) -> list[Any]:
    known = field_help(name)
    if isinstance(known.default, bool):
        return [True, False]
    bounds = [bound for bound in (known.minimum, known.maximum) if bound is not None]
    return [known.default, *known.choices, *bounds]


@pytest.mark.parametrize("name", FIELDS)
def test_each_field_has_a_widget_that_holds_its_default_and_bounds(name: str) -> None:
    """A slider that clips, rounds or refuses a value would change a lesson's recipe behind its back."""
    recipe = Recipe()
    form = panels.RecipeForm(recipe, [name], live=True)
    widget = form.widgets[name]
    assert form.recipe is recipe, "untouched settings pass through unchanged"
    assert widget.value == getattr(recipe, name)
    assert widget.tooltip == field_help(name).description
    for value in values_of(name):
        before = form.recipe
        if name == "learning_rate" and value == 0:
            continue  # an exclusive bound, and a log slider has no zero
        form.message.value = ""
        widget.value = value
        if isinstance(value, float):
            assert math.isclose(widget.value, value)
        else:
            assert round(widget.value) == value if isinstance(value, int) else widget.value == value
        if form.recipe is before and getattr(before, name) != value:
            assert "not taken over" in form.message.value, f"{name}={value} is silently ignored"
        else:
            assert getattr(form.recipe, name) == value
            assert type(getattr(form.recipe, name)) is type(getattr(recipe, name))


def test_an_invalid_combination_says_why_and_keeps_the_last_valid_recipe() -> None:
    form = panels.RecipeForm(Recipe(), ["lora_rank", "method", "quantization"], live=True)
    form.widgets["lora_rank"].value = 32
    form.widgets["method"].value = "full"
    assert form.recipe == Recipe(lora_rank=32)
    assert "cannot be trained in full" in form.message.value
    assert "\n" not in form.message.value
    form.widgets["quantization"].value = "none"
    assert form.recipe == Recipe(lora_rank=32, method="full", quantization="none")
    assert "method=full" in form.message.value


def test_quantization_follows_the_method_when_the_form_does_not_show_it() -> None:
    form = panels.RecipeForm(Recipe(reasons={"method": "a", "seed": "b"}), ["method"], live=True)
    form.widgets["method"].value = "lora"
    assert (form.recipe.method, form.recipe.quantization) == ("lora", "none")
    assert form.recipe.reasons == {"seed": "b"}, "a value set by hand has no automatic reason any more"


def test_slider_positions_become_plain_numbers() -> None:
    form = panels.RecipeForm(Recipe(learning_rate=1.25e-4), ["learning_rate", "seed", "lora_rank"], live=True)
    form.widgets["seed"].value = 7
    assert form.recipe.learning_rate == 1.25e-4
    form.widgets["learning_rate"].value = 10**-3.7
    assert form.recipe.learning_rate == 2e-4
    form.widgets["lora_rank"].value = 12.0
    assert repr(form.recipe.lora_rank) == "12"


def test_form_refuses_unknown_fields_and_is_a_table_without_a_front_end(shown: list[Any]) -> None:
    with pytest.raises(KitError, match="no field 'rank'"):
        panels.RecipeForm(Recipe(), ["rank"])
    form = panels.RecipeForm(Recipe(reasons={"seed": "<luck>"}), live=False)
    form._ipython_display_()
    assert form.widgets == {}
    for name in form.fields:
        assert f"<code>{name}</code>" in shown[0].data
    assert "chosen because &lt;luck&gt;" in shown[0].data


def test_a_finished_run_shows_its_figure(run: Run, shown: list[Any]) -> None:
    set_status(run, "finished")
    for live in (True, False):
        shown.clear()
        panels.LiveRun(run, live=live)._ipython_display_()
        assert shown[0]["image/png"].startswith(b"\x89PNG")
        assert "finished: 12 steps in 1:23" in shown[1].data


def test_without_a_front_end_a_running_run_shows_what_is_there_now(run: Run, shown: list[Any]) -> None:
    panels.LiveRun(run, live=False)._ipython_display_()
    assert shown[0]["image/png"].startswith(b"\x89PNG")
    assert "run this cell again" in shown[1].data


def test_before_the_first_step_there_is_only_the_status(run: Run, shown: list[Any]) -> None:
    """Two empty plots say nothing that the line does not; what a run left that failed at once is shown."""
    (run.folder / rundir.METRICS).unlink()
    panels.LiveRun(run, live=False)._ipython_display_()
    assert len(shown) == 1 and "running: training" in shown[0].data
    shown.clear()
    set_status(run, "failed")
    panels.LiveRun(run, live=False)._ipython_display_()
    assert "image/png" in shown[0], "its memory was measured"
    shown.clear()
    (run.folder / rundir.MEMORY).unlink()
    panels.LiveRun(run, live=False)._ipython_display_()
    assert len(shown) == 1 and "out of memory" in shown[0].data


def test_the_picture_of_a_run_has_an_alternative_text(run: Run) -> None:
    picture, metadata = panels._picture(run)
    assert picture["image/png"].startswith(b"\x89PNG")
    assert "Loss 2 → 0.167 at step 12" in metadata["image/png"]["alt"]


def test_a_failed_run_shows_the_end_of_its_log(run: Run, shown: list[Any]) -> None:
    set_status(run, "failed")
    panels.LiveRun(run, live=False)._ipython_display_()
    assert "&lt;Error&gt; out of memory" in shown[1].data


def test_live_run_follows_survives_faults_and_ends_as_a_picture(run: Run, shown: list[Any]) -> None:
    panel = panels.LiveRun(run, every=0.01, live=True)

    def broken() -> Any:
        raise OSError("the disk is gone")

    async def lesson() -> None:
        panel._ipython_display_()
        await asyncio.sleep(0.03)
        assert re.fullmatch(r"running: training 12 of 80, 0:3\d so far, 3:\d\d left", panel.status.value)
        assert panel.progress.value == 12 / 80
        assert panel.plot.value.startswith("<svg")
        run.metrics = broken  # type: ignore[method-assign]
        await asyncio.sleep(0.05)
        assert "cannot show the run" in panel.status.value
        del run.metrics  # type: ignore[misc]
        set_status(run, "stopped")
        while panels._following:
            await asyncio.sleep(0.01)

    asyncio.run(asyncio.wait_for(lesson(), 60))
    assert shown[0] is panel.box
    assert shown[-2]["image/png"].startswith(b"\x89PNG")
    assert "stopped: 12 steps" in shown[-1].data


def test_stop_asks_the_run_and_shows_faults(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    panel = panels.LiveRun(run, live=True)
    assert "kit-stop" in panel.stop._dom_classes
    panel.stop.click()
    assert (run.folder / rundir.STOP).exists()
    assert panel.stop.disabled
    assert "Stopping" in panel.message.value

    def refuse() -> None:
        raise KitError("the run is <gone>", fix="start it again")

    monkeypatch.setattr(run, "stop", refuse)
    panel = panels.LiveRun(run, live=True)
    panel.stop.click()
    assert "the run is &lt;gone&gt; -&gt; start it again" in panel.message.value
    assert not panel.stop.disabled


def test_sample_table_marks_what_differs() -> None:
    samples = [
        {"prompt": "Hi <b>", "expected": "team billing now", "before": "team sales now", "after": "team billing now"}
    ]
    page = panels.SampleTable(
        [*samples, *samples, {"prompt": "x", "expected": "y", "before": None, "after": "y"}]
    )._repr_html_()
    assert "Hi &lt;b&gt;" in page
    assert page.count("</mark>") == page.count("</del>") == 2
    assert re.search(r"✗ team <del [^>]*>billing</del><mark [^>]*>sales</mark> now", page)
    assert page.count("✓") == 3
    assert page.count("not measured") == 1
    assert "1 of 2 samples" in panels.SampleTable(samples * 2, limit=1)._repr_html_()
    assert "nothing measured yet" in panels.SampleTable([])._repr_html_()


EXPECTED = '{"name": "Ada", "product": "old <red> kettle", "order_id": null}'
ANSWERS = {  # answer: what of it is marked, and what it misses
    EXPECTED: ([], []),
    EXPECTED.replace("Ada", "Bea"): (["Bea"], ["Ada"]),
    EXPECTED.replace("null", '"A 1"'): (['"A 1"'], ["null"]),
    EXPECTED.replace("old <red> ", ""): ([], ["old <red> "]),
    EXPECTED.replace("<red> kettle", "tea pot"): (["tea pot"], ["<red> kettle"]),
    EXPECTED.replace(', "order_id": null', ""): ([], [', "order_id": null']),
    EXPECTED.replace("}", ', "wants": "tea"}'): ([', "wants": "tea"'], []),
    "Dear Ada, the <red> kettle is old": (["Dear Ada, the <red> kettle is old"], []),
    " ": ([], []),
}


@pytest.mark.parametrize("answer", ANSWERS)
def test_wrong_and_missing_words_are_marked(answer: str) -> None:
    """Of a record what differs, also fields and words that are not there; of another text all of it."""
    page = markup.marked(answer, EXPECTED)
    found = [re.findall(rf"<{tag} [^>]*>(.*?)</{tag}>", page) for tag in ("mark", "del")]
    assert [[html.unescape(text) for text in texts] for texts in found] == list(ANSWERS[answer])
    assert page.startswith("✓" if answer == EXPECTED else "✗")
    assert "<red>" not in page


def test_columns_without_an_answer_are_narrow() -> None:
    sample = {"prompt": "a", "expected": "b", "before": None, "after": "c"}
    cells = re.findall(r'<th style="([^"]*)">(\w+)', panels.SampleTable([sample])._repr_html_())
    assert [name for style, name in cells if "width:1%" in style] == ["before"]


def test_budget_bar_is_a_picture() -> None:
    picture, metadata = panels.BudgetBar({"weights": 2**30}, limit_bytes=24 * 2**30)._repr_png_()
    assert picture.startswith(b"\x89PNG") and "23 GiB to spare" in metadata["alt"]
