"""The command line: one line and exit code 2 for each broken input, help for each verb, and a quick start."""

import contextlib
import io
import json
import subprocess
import sys
import warnings

import pytest
from broken_inputs import CASES, Place, Skip, prepare

from kit import __main__ as command_line
from kit import runs

VERBS = sorted(command.name or command.callback.__name__ for command in command_line.app.registered_commands)


@pytest.fixture(scope="session")
def shared(server, tmp_path_factory):
    folder = tmp_path_factory.mktemp("shared")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs.subprocess, "Popen", server.popen)
        prepare(folder)
    return folder


@pytest.fixture
def kit(children, monkeypatch, tmp_path):
    """Call the command line in this process: (exit code, stdout, stderr)."""
    monkeypatch.setenv("KIT_RUNS", str(tmp_path / "runs"))

    def call(*arguments):
        out, err = io.StringIO(), io.StringIO()
        monkeypatch.setattr(sys, "argv", ["kit", *arguments])
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings():
            try:
                command_line.main()
                code = 0
            except SystemExit as end:
                code = end.code
        return code, out.getvalue(), err.getvalue()

    return call


def check_one_line(code, out, err):
    assert code == 2, (out, err)
    assert err.startswith("kit: ") and err.count("\n") == 1 and err.endswith("\n"), err
    assert "Traceback" not in out + err and "internal error" not in err
    assert " -> " in err, "it says what to do"
    assert len(err) < 1200, "it fits a screen"


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_broken_input_is_one_line(case, kit, shared, tmp_path):
    place = Place(tmp_path / "case", shared)
    place.folder.mkdir()
    try:
        try:
            arguments = case.command(place)
        except Skip as reason:
            pytest.skip(str(reason))
        code, out, err = kit(*arguments)
        check_one_line(code, out, err)
        for words in case.says:
            assert words in err, err
    finally:
        for close in place.close:
            close()


def test_broken_input_of_a_real_process_is_one_line(tmp_path):
    """Libraries print past Python's streams too: here nothing is caught but the process's own output."""
    commands = (["evaluate", "nano", "--data", "none.jsonl"], ["run", "nothing"], ["data", str(tmp_path)], ["rnu"])
    for arguments in commands:
        command = [sys.executable, "-m", "kit", *arguments]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False, cwd=tmp_path)
        check_one_line(done.returncode, done.stdout, done.stderr)


def test_one_row_is_enough(kit, shared, tmp_path):
    place = Place(tmp_path, shared)
    line = (shared / "rows.jsonl").read_text(encoding="utf-8").splitlines()[0]
    code, out, err = kit(*place.run(f"train_data={place.write('one.jsonl', line)}", "max_steps=0"), "--json")
    assert (code, err) == (0, ""), out
    summary = json.loads(out.splitlines()[-1])
    assert (summary["status"], summary["steps"], summary["samples"]) == ("finished", 1, 1)


@pytest.mark.parametrize("method", ["qlora", "lora", "full"])
def test_run_prints_json_last_and_evaluate_scores_it(method, kit, shared, tmp_path):
    source = f"eval_data={shared / 'rows.jsonl'}"
    code, out, err = kit(*Place(tmp_path, shared).run(source, "eval_rows=2", f"method={method}"), "--json")
    assert (code, err) == (0, "")
    assert "finished: 2 of 2 updates" in out and "peak memory: predicted" in out
    summary = json.loads(out.splitlines()[-1])
    assert summary["after"]["rows"] == 2
    code, out, err = kit("evaluate", str(tmp_path / "run"), "--rows", "2", "--json")
    assert code == 0 and " 0/2" in err and " 2/2" in err, "the progress leaves stdout alone"
    again = json.loads(out.splitlines()[-1])
    assert again["perplexity"] == pytest.approx(summary["after"]["perplexity"], rel=1e-6), "it is the adapter saved"
    two_steps = Place(tmp_path / "b", shared).run(source, "eval_rows=2")
    assert kit(*two_steps, "--must-learn")[0] == 1


def test_a_killed_run_says_how_to_go_on(kit, children, shared, tmp_path):
    children.before = "import os, signal; train.models.load_model = lambda recipe: os.kill(os.getpid(), signal.SIGKILL)"
    code, out, err = kit(*Place(tmp_path, shared).run())
    check_one_line(code, out, err)
    assert f"`kit run --resume {tmp_path / 'run'}` continues" in err
    children.before = ""
    code, out, err = kit("run", "--resume", str(tmp_path / "run"))
    assert (code, err) == (0, ""), out
    assert kit("runs", "--follow", str(tmp_path / "run"))[0] == 0


def test_listing_and_following(kit, children, shared, tmp_path):
    assert "no runs here yet" in kit("runs")[1]
    arguments = Place(tmp_path, shared).run("max_steps=200")
    code, out, err = kit(*arguments[:-2], "--detach")  # without --out: below KIT_RUNS
    assert (code, err) == (0, "")
    folder = out.strip()
    assert folder in kit("runs")[1]
    code, out, err = kit("runs", "--stop", "latest")
    assert (code, err) == (0, "") and "stopped: " in out
    assert kit("runs")[1].startswith("stopped")


@pytest.mark.parametrize("verb", ["", *VERBS])
def test_help_names_an_example(verb, kit):
    code, out, err = kit(*filter(None, [verb]), "--help")
    assert (code, err) == (0, "")
    assert f"Example: kit {verb}" in out if verb else "Start with: kit" in out


def test_bare_kit_is_its_help(kit):
    assert kit() == kit("--help")


def test_recipes_and_fields_are_shown(kit):
    code, out, _ = kit("recipe")
    assert code == 0 and "smollm2-qlora" in out.split()
    assert "lora_rank = 16  (1 to 1024)" in kit("recipe", "--fields")[1]
    assert "precision: " in kit("recipe", "smollm2-qlora", "--set", "lora_rank=4")[1]


@pytest.mark.parametrize("code", ["import kit.recipe", "import kit.__main__", "import kit.console, kit.plots"])
def test_starting_is_light(code):
    """Neither torch nor what imports it is loaded before it is needed (the bound on seconds is generous)."""
    heavy = {"torch", "transformers", "peft", "accelerate", "bitsandbytes", "datasets", "pandas", "IPython"}
    script = f"import sys, time; t = time.process_time(); {code}; print(time.process_time() - t, *sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, encoding="utf-8", check=True)
    seconds, *loaded = done.stdout.split()
    assert not heavy & set(loaded)
    assert float(seconds) < 3


def test_a_fault_that_nobody_foresaw_is_one_line_too(kit, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("of a cow\nand more")

    monkeypatch.setattr("kit.recipe.presets", broken)
    code, _, err = kit("recipe")
    assert code == 2 and err.count("\n") == 1 and "Traceback" not in err
    assert "internal error: ZeroDivisionError: of a cow and more -> set KIT_TRACEBACK=1" in err
