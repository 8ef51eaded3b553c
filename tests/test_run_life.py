"""A run is a directory and a child process: what it leaves, who follows it, what it refuses.

Most children are forked by `children.py`; `test_the_life_of_a_run` and the `real` tests start them as people do.
"""

import json
import os
import platform
import signal
import subprocess
import sys
import threading
import time

import psutil
import pytest
from run_helpers import STOP, WAIT, after_update, check_tidy, killed_within, steps, until

from kit import console, files, models, rundir, runs
from kit.errors import KitError
from kit.recipe import Recipe

METRICS = {"step", "loss", "grad_norm", "learning_rate", "tokens_per_second", "seconds"}
MEMORY = {"seconds", "rank", "allocated_bytes", "reserved_bytes", "device_bytes", "rss_bytes"}
SUMMARY = {
    *("run_dir", "status", "steps", "train_seconds", "samples_per_second", "tokens_per_second"),
    *("peak_bytes_predicted", "peak_bytes_measured", "peak_rss_bytes", "before", "after", "first_loss", "last_loss"),
    *("predicted_parts", "versions"),
}
SCORES = {"rows", "exact_match", "exact_match_low", "exact_match_high", "valid_json", "perplexity"}
KIT = [sys.executable, "-m", "kit"]


def check_directory(run):
    """The contract: what a finished run with held-out rows holds."""
    summary, total = run.summary(), run.summary()["steps"]
    assert summary.keys() >= SUMMARY
    assert all(line.keys() >= METRICS for line in run.metrics())
    assert [line["step"] for line in run.metrics()] == list(range(1, total + 1))
    assert run.memory() and all(line.keys() == MEMORY for line in run.memory())
    assert [line["seconds"] for line in run.memory()] == sorted(line["seconds"] for line in run.memory())
    assert all(line["device_bytes"] is None and line["rss_bytes"] > 0 for line in run.memory()), "not measured is null"
    assert summary["before"].keys() == summary["after"].keys() == SCORES
    assert len(run.samples()) == summary["before"]["rows"]
    assert all(row.keys() == {"where", "prompt", "expected", "before", "after"} for row in run.samples())
    assert sum(summary["predicted_parts"].values()) == summary["peak_bytes_predicted"]
    assert summary["peak_bytes_measured"] > 0 and summary["peak_rss_bytes"] > summary["peak_bytes_measured"]
    assert rundir.read_json(run.folder / rundir.DATA_REPORT).keys() == {"train", "eval", "overlap"}
    assert rundir.read_json(run.folder / rundir.MACHINE)["kind"]
    assert run.recipe.reasons
    weights = [path for path in (run.folder / "adapter").iterdir() if path.suffix in {".bin", ".pt", ".pth", ".pkl"}]
    assert not weights, "safetensors only"
    check_tidy(run.folder)


def load_with_peft(run):
    from peft import PeftModel
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder = run.folder / "adapter"
    base = AutoModelForCausalLM.from_pretrained(models.local_path(run.recipe.model))
    model = PeftModel.from_pretrained(base, folder)
    assert any(float(p.abs().sum()) > 0 for name, p in model.named_parameters() if "lora_B" in name)
    assert AutoTokenizer.from_pretrained(folder).chat_template
    assert os.name == "nt" or (folder / "adapter_model.safetensors").stat().st_mode & 0o044, "readable by a server"


def test_the_life_of_a_run(tmp_path, rows):
    """Through the command line: Ctrl-C saves and ends with 0; the parent is killed; the child finishes by itself."""
    settings = f"model=nano train_data={rows} eval_data={rows} eval_rows=2 max_length=1024 batch_size=2 epochs=20"
    recipe = tmp_path / "recipe.json"
    recipe.write_text(json.dumps(dict(item.split("=") for item in settings.split())), encoding="utf-8")
    folder = tmp_path / "run"
    begun = {"start_new_session": True, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8"}
    environment = {**os.environ, "PYTHONUTF8": "1", "OMP_NUM_THREADS": "1"}

    parent = subprocess.Popen([*KIT, "run", str(recipe), "--out", str(folder)], env=environment, **begun)
    while not (folder / rundir.METRICS).exists() and parent.poll() is None:
        time.sleep(0.05)
    parent.send_signal(signal.SIGINT)
    out, err = parent.communicate(timeout=WAIT)
    run = runs.Run(folder)
    assert (parent.returncode, err, run.status) == (0, "", "stopped"), out
    assert "saving and stopping" in out and "stopped:" in out
    done = run.summary()["steps"]
    assert 0 < done < 240 and run.summary()["after"] is None
    load_with_peft(run)

    values = {**rundir.read_json(folder / rundir.RECIPE), "max_steps": done + 3}
    files.write_json(folder / rundir.RECIPE, values)  # no need to wait for twenty epochs
    parent = subprocess.Popen([*KIT, "run", str(folder), "--resume"], env=environment, **begun)
    while run.status != "running" and parent.poll() is None:
        time.sleep(0.02)
    os.killpg(parent.pid, signal.SIGKILL)
    assert parent.wait(WAIT) == -signal.SIGKILL
    assert run.wait(WAIT) == "finished", "the child survives its parent"
    assert f"resumed after update {done}" in run.log_tail(100)
    for noise in ("kernels-community", "is deprecated"):
        assert noise not in run.log_tail(1000), "what libraries say to programmers frightens learners"
    check_directory(run)
    load_with_peft(run)


def test_a_former_child_on_its_way_out_is_not_the_resumed_run(nano, tmp_path, monkeypatch):
    """Python takes a moment to end after its run has: whoever kills the resuming process then must see that."""
    files.write_json(tmp_path / rundir.RECIPE, nano().model_dump())
    files.write_json(tmp_path / rundir.SUMMARY, {"status": "stopped"})
    rundir.StatusFile(tmp_path).report("stopped")  # names a process that is alive: this one
    monkeypatch.setattr(runs, "_spawn", lambda folder, recipe: runs.Run(folder).status)
    assert runs.resume(tmp_path) != "running"


def test_one_directory_has_one_child(children, nano, tmp_path):
    run = runs.start(nano(epochs=200), tmp_path / "run")
    with pytest.raises(KitError, match="this folder is not empty"):
        runs.start(nano(), run.folder)
    until(run, lambda: steps(run) > 0)
    with pytest.raises(KitError, match="another process is training here"):
        runs.resume(run.folder)
    children.before = "train.LOCK_SECONDS = 0.1"
    children.popen(["python", "-m", "kit.train", str(run.folder)])  # as a scheduler might, past the checks
    until(run, lambda: "another process is training here" in run.log_tail())
    assert run.status == "running"
    run.stop()
    assert run.wait(WAIT) == "stopped"


def test_of_two_resumes_at_once_one_is_refused(children, nano, tmp_path):
    children.before = after_update(3, killed_within(0))
    run = runs.start(nano(epochs=4), tmp_path / "run")
    assert run.wait(WAIT) == "died"
    children.before = ""
    outcomes = []

    def resume():
        try:
            outcomes.append(runs.resume(run.folder))
        except KitError as error:
            outcomes.append(error)

    threads = [threading.Thread(target=resume) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(type(one).__name__ for one in outcomes) == ["KitError", "Run"]
    assert run.wait(WAIT) == "finished"
    assert [line["step"] for line in run.metrics()] == list(range(1, 25)), "one child wrote"


def test_two_starts_in_one_second_get_two_folders(runs_here, monkeypatch):
    made = {runs._new_folder(Recipe(model="nano")) for _ in range(3)}
    assert len(made) == 3 and all(path.is_dir() for path in made)


@pytest.mark.parametrize("field", ["train_data", "eval_data"])
@pytest.mark.parametrize("source", ["none.jsonl", "a/b/c", "."])
def test_no_folder_is_made_for_data_that_is_not_there(runs_here, nano, field, source):
    with pytest.raises(KitError):
        runs.start(nano(**{field: source}))
    assert not runs.root().exists() or not list(runs.root().iterdir())


def test_a_run_goes_on_from_another_working_directory(children, tmp_path, monkeypatch, rows):
    """Names of files are kept by their whole path; `nano` stays `nano` even beside a folder of that name."""
    monkeypatch.chdir(rows.parent)
    recipe = Recipe(model="nano", train_data="rows.jsonl", eval_data="", batch_size=4, device="cpu", max_length=1024)
    children.before = after_update(1, STOP)
    run = runs.start(recipe, tmp_path / "run")
    assert run.recipe.train_data == str(rows) and run.recipe.model == "nano"
    assert run.wait(WAIT) == "stopped"
    children.before = ""
    monkeypatch.chdir(tmp_path)
    assert runs.resume(run.folder).wait(WAIT) == "finished"


def test_ctrl_c_in_a_script_stops_the_run_and_twice_leaves_it(children, nano, tmp_path, monkeypatch, capsys):
    run = runs.start(nano(epochs=400), tmp_path / "run")
    until(run, lambda: steps(run) > 0)
    real, presses = time.sleep, [2]

    def sleep(seconds):
        if presses[0]:
            presses[0] -= 1
            raise KeyboardInterrupt
        real(seconds)

    monkeypatch.setattr(time, "sleep", sleep)
    with pytest.raises(KitError, match="left it running"):
        console.follow(run)
    assert console.follow(run) == "stopped"
    assert "saving and stopping" in capsys.readouterr().out


ASKED_WHILE_SCORED = """
from kit import rundir
report = rundir.StatusFile.report
def asked(self, phase, done=0, total=0, **more):
    report(self, phase, done, total, **more)
    if phase == "score {when}":
        (self._path.parent / rundir.STOP).touch()
rundir.StatusFile.report = asked
"""


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_stop_while_the_scores_are_taken_acts_at_once_and_a_resume_takes_them(children, nano, tmp_path, when):
    children.before = ASKED_WHILE_SCORED.format(when=when)
    run = runs.start(nano(eval_rows=2, max_steps=3), tmp_path / "run")
    assert run.wait(WAIT) == "stopped"
    done = {"before": 0, "after": 3}[when]
    assert (run.summary()["steps"], run.summary()["total_steps"], run.summary()["after"]) == (done, 3, None)
    report = console.report(run)
    assert f"stopped: {done} of 3 updates" in report and f"`kit run --resume {run.folder}` goes on" in report
    assert console.not_learnt(run.summary()).startswith("stopped")
    children.before = ""
    assert runs.resume(run.folder).wait(WAIT) == "finished"
    check_directory(run)


def test_status_of_a_child_elsewhere_follows_its_writing(tmp_path):
    files.write_json(tmp_path / rundir.RECIPE, Recipe().model_dump())
    status = {"pid": os.getpid(), "process_started": 0.0, "host": "a node", "phase": "train", "phase_started": 0.0}
    for age, expected in ((5, "running"), (rundir.SILENCE + 5, "died")):
        files.write_json(tmp_path / rundir.STATUS, {**status, "done": 1, "total": 9, "updated": time.time() - age})
        assert runs.Run(tmp_path).status == expected
    here = {"host": platform.node(), "done": 1, "total": 9, "updated": 0.0}
    files.write_json(tmp_path / rundir.STATUS, {**status, **here})
    assert runs.Run(tmp_path).status == "died", "the number belongs to another process now"


def test_a_clock_that_is_set_kills_no_run(tmp_path, monkeypatch):
    """Linux reports starts since boot, and the time of boot moves with the clock (after sleep, or by NTP)."""
    rundir.StatusFile(tmp_path).report("train")
    status = rundir.read_json(tmp_path / rundir.STATUS)
    platform_part = psutil._psplatform
    booted = platform_part.boot_time()
    for moved in (-3600, 0, 1200):
        monkeypatch.setattr(platform_part, "boot_time", lambda moved=moved: booted + moved)
        assert rundir.child_is_alive(status)
    assert not rundir.child_is_alive({**status, "process_started": status["process_started"] - 60})
