"""The lessons are what their sources say, readable, and free of the machine that built them. Executes nothing."""

import ast
import importlib.util
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kit import hardware
from kit.recipe import Recipe

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"


def load_build() -> Any:
    spec = importlib.util.spec_from_file_location("build", NOTEBOOKS / "build.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


build = load_build()
SOURCES = build.sources()
NAMES = [source.stem for source in SOURCES]
every_lesson = pytest.mark.parametrize("source", SOURCES, ids=NAMES)
SOLVED = [build.read(NOTEBOOKS / "solutions" / f"{name}.ipynb") for name in NAMES]


def code_of(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


@every_lesson
def test_what_is_derived_is_not_stale(source: Path) -> None:
    """`make notebooks` was run after the last change of a source (seconds; only changed code is executed)."""
    assert not build.stale(source)


def test_there_is_nothing_without_a_source() -> None:
    made = [*NOTEBOOKS.glob("*.ipynb"), *NOTEBOOKS.glob("solutions/*.ipynb"), *NOTEBOOKS.glob("instructor/*.md")]
    assert sorted({path.stem for path in made}) == NAMES


@every_lesson
def test_deriving_twice_gives_the_same_bytes(source: Path) -> None:
    assert build.text_of(build.learner(source)) == build.text_of(build.learner(source))
    ids = [cell.id for cell in build.solution(source).cells]
    assert len(set(ids)) == len(ids)


@every_lesson
def test_cells_can_be_read_in_one_look(source: Path) -> None:
    assert build.faults(build.solution(source)) == []
    assert build.faults(build.learner(source)) == []


@every_lesson
def test_learners_get_no_outputs_and_no_answers(source: Path) -> None:
    learner, solution = build.learner(source), build.solution(source)
    exercises = [cell for cell in code_of(learner) if "exercise" in build.tags(cell)]
    assert exercises and all("..." in cell.source for cell in exercises)
    assert not any(cell.outputs for cell in code_of(learner) if "keep_output" not in build.tags(cell))
    texts = [cell.source for notebook in (learner, solution) for cell in notebook.cells]
    assert not any("# solution" in text for text in texts)
    assert not any("instructor" in build.tags(cell) for notebook in (learner, solution) for cell in notebook.cells)
    answers = {cell.id: cell.source for cell in code_of(solution)}
    assert all(cell.source != answers[cell.id] for cell in exercises)


@every_lesson
def test_every_exercise_has_a_check_difficulty_and_minutes(source: Path) -> None:
    cells = build.solution(source).cells
    for place, cell in enumerate(cells):
        if "exercise" in build.tags(cell):
            assert "check" in build.tags(cells[place + 1])
            assert re.search(r"🔴.* · .*🔴.* · \d+ minutes", cells[place - 1].source)


@pytest.mark.parametrize("solved", SOLVED, ids=NAMES)
def test_solutions_are_executed_small_and_clean(solved: Any) -> None:
    text = build.text_of(solved)
    outputs = [output for cell in code_of(solved) for output in cell.outputs]
    assert len(text.encode()) < build.MOST_BYTES
    assert all(cell.execution_count for cell in code_of(solved)) and outputs
    assert not [output for output in outputs if output.output_type == "error"]
    assert "application/vnd.jupyter.widget" not in text and "widgets" not in solved.metadata
    places = [str(ROOT), str(Path.home()), "/home/", "/root", "/Users/", "/tmp/", "site-packages", "C:\\\\"]
    assert not [place for place in places if place in json.dumps(outputs)]


@every_lesson
def test_links_lead_to_files(source: Path) -> None:
    made = build.derived(source).items()
    for path, text in made:
        for target in build.LINK.findall(text or ""):
            assert (path.parent / target).exists(), f"{path.name}: {target}"


@every_lesson
def test_pictures_have_alternative_texts(source: Path) -> None:
    text = "\n".join(cell.source for cell in build.learner(source).cells)
    assert all(len(alt) > 40 for alt in re.findall(r"!\[([^\]]*)\]\(", text))


@every_lesson
def test_the_minute_plan_fits_a_session(source: Path) -> None:
    last = [line for line in build.instructor(source).splitlines() if line.startswith("| ")][-1]
    ends = re.findall(r"(\d+):(\d\d)", last)
    short, long = (int(hours) * 60 + int(minutes) for hours, minutes in ends)
    assert 0 < short <= 60 and short <= long <= 90


def test_cut_and_uncut() -> None:
    cell = "def f(x):\n    y = 1\n    # solution\n    if x:\n        y = 2\n\n    return y\n\n\nprint(f(1))"
    assert build.cut(cell) == "def f(x):\n    y = 1\n    ...\n\n\nprint(f(1))"
    assert build.uncut(cell) == cell.replace("    # solution\n", "")
    assert build.cut("a = 1\n# solution\nb = 2\nif b:\n    c = 3") == "a = 1\n..."
    assert build.cut("a = 1  # solution of it") == "a = 1  # solution of it"


def test_outputs_survive_only_while_the_code_is_the_same(tmp_path: Path) -> None:
    source = tmp_path / "01_x.py"
    source.write_text("# %% [markdown]\n# old\n\n# %%\nprint(1)\n", encoding="utf-8")
    executed = build.solution(source)
    code_of(executed)[0].outputs = [{"output_type": "stream", "name": "stdout", "text": "1\n"}]
    source.write_text("# %% [markdown]\n# new\n\n# %%\nprint(1)\n", encoding="utf-8")
    kept = build.with_outputs(build.solution(source), executed)
    assert code_of(kept)[0].outputs and kept.cells[0].source == "new"
    source.write_text("# %% [markdown]\n# new\n\n# %%\nprint(2)\n", encoding="utf-8")
    assert build.with_outputs(build.solution(source), executed) is None


READERS = {  # a machine of each column, and the device that the lesson must choose there
    "mac": (hardware.card("M2-16GB"), 1, "cpu"),
    "gpu24": (hardware.card("RTX-4090"), 1, "cuda"),
    "multi_gpu": (hardware.card("A100-80GB"), 8, "cuda"),
}


@pytest.mark.parametrize("tier", READERS)
@every_lesson
def test_settings_suit_every_reader(source: Path, tier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The settings cell gives a recipe that the reader's machine can run, without an `if` on the device."""
    monkeypatch.delenv("KIT_FAST", raising=False)
    card, count, device = READERS[tier]
    machine = hardware.pretend(card, count)
    assert machine.tier == tier
    cells = [cell.source for cell in code_of(build.learner(source))]
    assert not re.search(r"\bif\b[^\n]*\b(device|kind|tier)\b", "\n".join(cells))
    names: dict[str, Any] = {"machine": machine, "SETTINGS": {}}
    body = ast.parse(next(cell for cell in cells if "PRESETS = " in cell)).body
    exec(compile(ast.Module(body[:-1], []), "settings", "exec"), names)
    assert isinstance(names["config"], Recipe) and names["config"].device == device


def test_a_stopped_run_is_replaced_by_the_recorded_one(capsys: pytest.CaptureFixture[str]) -> None:
    from kit import reference

    kept = reference.reference("smollm2-qlora-cpu")
    gone: Any = SimpleNamespace(status="stopped", summary=lambda: {})
    assert reference.measured(gone, "smollm2-qlora-cpu").folder == kept.folder
    assert "not on your machine" in capsys.readouterr().out
    assert reference.measured(kept, "smollm2-qlora-cpu") is kept


def test_the_shipped_shape_is_the_published_model() -> None:
    """Qwen2.5-7B has 7,615,616,512 parameters (its model card: 7.61B)."""
    from kit import estimate
    from kit.files import shipped

    shape = estimate.shape_of(shipped("shapes", "qwen2.5-7b-instruct"))
    assert sum(rows * columns for rows, columns in shape.linears) + shape.other_parameters == 7_615_616_512


def test_a_recorded_run_names_only_the_kind_of_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from kit import reference

    kept = reference.reference("smollm2-qlora-cpu").folder
    monkeypatch.setattr(reference, "shipped", lambda *parts: tmp_path.joinpath(*parts))
    again = reference.record(kept, "copy")
    files = [path for path in again.iterdir() if path.suffix != ".png"]
    assert len(files) == 7 and (again / "curves.png").stat().st_size < 100_000
    for folder in (kept, again):
        text = "".join((folder / path.name).read_text(encoding="utf-8") for path in files)
        assert not [place for place in ("/home/", "/root", "/Users/", "/tmp/", str(ROOT)) if place in text]


def test_thinning_keeps_the_peak() -> None:
    from kit import reference

    lines = [{"rss_bytes": 10 if i == 777 else 1} for i in range(1000)]
    thin = reference.thinned(lines, 100)
    assert len(thin) <= 101 and max(line["rss_bytes"] for line in thin) == 10 and reference.thinned([], 5) == []
