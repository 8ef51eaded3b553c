"""The files of a run directory are whole or not there."""

from pathlib import Path

import pytest

from kit import files, rundir, runs
from kit.errors import KitError


def test_a_broken_recipe_is_not_the_default_recipe(nano, tmp_path):
    (tmp_path / rundir.RECIPE).write_text('{"model": "na', encoding="utf-8")
    with pytest.raises(KitError, match="not a readable recipe"):
        _ = runs.Run(tmp_path).recipe
    with pytest.raises(KitError, match="not a readable recipe"):
        runs.resume(tmp_path)


def test_lines_are_whole_or_absent(tmp_path):
    path = tmp_path / "metrics.jsonl"
    for number in range(1, 4):
        rundir.append_line(path, {"step": number, "loss": float("nan")})
    with path.open("ab") as file:
        file.write(b'{"step": 4, "lo')
    assert [line["step"] for line in rundir.read_lines(path)] == [1, 2, 3]
    assert rundir.last_line(path) == {"step": 3, "loss": None}
    rundir.tidy(tmp_path)
    rundir.append_line(path, {"step": 4})
    assert [line["step"] for line in rundir.read_lines(path)] == [1, 2, 3, 4]
    rundir.keep_lines(path, 2)
    assert path.read_text(encoding="utf-8").count("\n") == 2
    assert rundir.last_line(tmp_path / "none") is None


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
def test_a_full_disk_is_one_line():
    with pytest.raises(KitError, match=r"cannot write .No space left on device. -> make room"):
        rundir.append_line(Path("/dev/full"), {"step": 1})


def test_a_failed_write_leaves_the_old_file(tmp_path):
    for folder in (False, True):
        path = tmp_path / ("folder" if folder else "file")

        def make(place, text, folder=folder):
            (place / "inside" if folder else place).write_text(text, encoding="utf-8")
            if text == "new":
                raise OSError(28, "No space left on device")

        files.write_whole(path, lambda place: make(place, "old"), folder=folder)
        with pytest.raises(KitError, match="No space left"):
            files.write_whole(path, lambda place: make(place, "new"), folder=folder)
        assert (path / "inside" if folder else path).read_text(encoding="utf-8") == "old"
    assert sorted(item.name for item in tmp_path.iterdir()) == ["file", "folder"]


def test_tidying_touches_nobody_elses_hidden_folders(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / f".adapter.1234{files.UNFINISHED}").mkdir()
    rundir.tidy(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [".git"]
