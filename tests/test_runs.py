"""A run is a directory and a child process: what it leaves, how it stops, dies and goes on, what it refuses.

Most children here are forked by `children.py`; `test_the_life_of_a_run` and the `real` tests start them as people do.
"""

import json
import os
import platform
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest
from children import write_rows

from kit import adapters, batches, console, estimate, files, models, rundir, runs, step
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
WAIT = 240  # seconds; far more than needed, for machines that do other work too
KIT = [sys.executable, "-m", "kit"]


@pytest.fixture(scope="session")
def rows(tmp_path_factory):
    """24 rows: six updates of four."""
    return write_rows(tmp_path_factory.mktemp("rows") / "rows.jsonl")


@pytest.fixture
def nano(rows):
    def make(**fields):
        plain = {"model": "nano", "train_data": str(rows), "eval_data": str(rows), "eval_rows": 0, "max_length": 1024}
        return Recipe(**{**plain, "batch_size": 4, "device": "cpu", **fields})

    return make


def losses(run):
    return [(line["step"], line["loss"], line["grad_norm"]) for line in run.metrics()]


def result(run):
    """The bytes of what was trained."""
    name = "model/model.safetensors" if run.recipe.method == "full" else "adapter/adapter_model.safetensors"
    return (run.folder / name).read_bytes()


def until(run, what, seconds=WAIT):
    """Poll until `what()` is true while the run goes on."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end and run.status not in runs.ENDED, (run.status, run.log_tail())
        time.sleep(0.01)


def steps(run):
    return (rundir.last_line(run.folder / rundir.METRICS) or {"step": 0})["step"]


def after_update(number, action):
    """Code for a child: do `action` once update `number` is written, whatever the machine's load."""
    return f"""
import os, signal, threading, time
from kit import rundir
append = rundir.append_line
def append_line(path, value):
    append(path, value)
    if value.get("step") == {number}:
        {action}
rundir.append_line = append_line
"""


STOP = '(path.parent / "stop").touch()'


def killed_within(seconds):
    """Code: a SIGKILL comes from another thread, at any moment of the work that goes on."""
    kill = f"(time.sleep({seconds}), os.kill(os.getpid(), signal.SIGKILL))"
    return f"threading.Thread(target=lambda: {kill}, daemon=True).start()"


def error_of(run):
    assert run.wait(WAIT) == "failed", run.log_tail()
    return run.summary()["error"]


def strict(text):
    def refuse(name):
        raise ValueError(f"{name} is not JSON")

    return json.loads(text, parse_constant=refuse)


def check_tidy(folder):
    """No leftovers of half-made writes, and every file is whole."""
    assert not list(folder.rglob(f"*{files.UNFINISHED}*"))
    for path in folder.rglob("*.json"):
        strict(path.read_text(encoding="utf-8"))
    for path in folder.rglob("*.jsonl"):
        text = path.read_text(encoding="utf-8")
        assert text.endswith("\n")
        assert all(isinstance(strict(line), dict) for line in text.splitlines())


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


def parts_with_longest_row(run):
    """The estimate for the longest row that is trained: of packed rows, several end to end."""
    longest = rundir.longest_row(run.folder)
    alone = rundir.read_json(run.folder / rundir.DATA_REPORT)["train"]["tokens"]["max"]
    assert alone < longest <= run.recipe.max_length if run.recipe.packing else longest == alone
    return estimate.estimate(run.recipe, estimate.shape_of(models.local_path(run.recipe.model)), longest).parts


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


@pytest.mark.parametrize("fields", [
    {"lora_dropout": 0.1, "gradient_accumulation_steps": 2, "batch_size": 2, "epochs": 2, "weight_decay": 0.1},
    {"method": "lora", "precision": "fp32", "lora_dropout": 0.3, "lr_scheduler": "linear", "epochs": 2},
    {"method": "full", "precision": "fp32", "learning_rate": 1e-3, "epochs": 2, "save_every": 3},
    {"method": "lora", "use_dora": True, "packing": True, "lora_dropout": 0.1, "batch_size": 1, "epochs": 2},
], ids=["nf4-dropout-accumulation", "fp32-dropout", "full", "packed-dora"])  # fmt: skip
def test_a_resumed_run_is_the_uninterrupted_one(children, nano, tmp_path, fields):
    """Stop by file; then the same losses to the last digit, and the same bytes."""
    straight = runs.start(nano(**fields), tmp_path / "straight")
    children.before = after_update(2, STOP)
    run = runs.start(nano(**fields), tmp_path / "stopped")
    assert run.wait(WAIT) == "stopped"
    assert run.summary()["steps"] == 2 < run.summary()["total_steps"]
    assert result(run), "what was learnt so far is there"
    high = {**run.memory()[-1], "rss_bytes": 2**50}
    rundir.append_line(run.folder / rundir.MEMORY, high)
    children.before = ""
    assert runs.resume(run.folder).wait(WAIT) == "finished"
    assert straight.wait(WAIT) == "finished"
    assert losses(run) == losses(straight)
    assert result(run) == result(straight)
    assert run.summary()["peak_rss_bytes"] == 2**50, "the peak of both processes, not of the last"
    assert run.summary()["predicted_parts"] == parts_with_longest_row(run)
    names = ("first_loss", "last_loss", "samples", "tokens", "steps", "peak_bytes_measured")
    assert [run.summary()[name] for name in names] == [straight.summary()[name] for name in names]
    check_tidy(run.folder)


def test_killed_at_random_moments_a_run_goes_on_exactly(children, nano, tmp_path):
    recipe = nano(lora_dropout=0.1, epochs=4, save_every=2)
    straight = runs.start(recipe, tmp_path / "straight")
    dice, run = random.Random(), None
    for moment in (1, 8, 17):  # before the first checkpoint, too
        children.before = after_update(moment, killed_within(dice.random() * 0.1))
        run = runs.resume(run.folder) if run else runs.start(recipe, tmp_path / "killed")
        assert run.wait(WAIT) == "died"
        assert "killed in phase" in console.cause_of_death(run)
    children.before = ""
    assert runs.resume(run.folder).wait(WAIT) == "finished"
    assert straight.wait(WAIT) == "finished"
    assert losses(run) == losses(straight) and result(run) == result(straight)
    check_tidy(run.folder)
    assert len(list((run.folder / "checkpoints").iterdir())) == recipe.keep_checkpoints


def test_evaluating_and_saving_in_the_middle_change_nothing(children, nano, tmp_path):
    for fields in ({"lora_dropout": 0.1}, {"method": "lora", "precision": "fp32", "lora_dropout": 0.1}):
        often = {"eval_rows": 3, "eval_every": 1, "save_every": 1, "keep_checkpoints": 1}
        plain = runs.start(nano(**fields, save_every=0), tmp_path / f"plain-{len(fields)}")
        busy = runs.start(nano(**fields, **often), tmp_path / f"busy-{len(fields)}")
        assert plain.wait(WAIT) == busy.wait(WAIT) == "finished"
        assert all(line["eval_loss"] > 0 for line in busy.metrics())
        assert losses(plain) == losses(busy) and result(plain) == result(busy)


def gradients_around_an_evaluation(recipe, encoded):
    """Stored weights and gradients of a training step before and after an evaluation."""
    import torch

    model = adapters.add_adapter(models.load_model(recipe), recipe).train()
    for name, parameter in model.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(parameter, std=0.02)
    batch = batches.collate(encoded[:4], 0, 32)

    def look():
        model.zero_grad()
        model(input_ids=batch.input_ids, positions=batch.positions, targets=batch.targets).backward()
        held = {name: p.detach().clone() for name, p in model.named_parameters()}
        return held | {f"{name}.grad": p.grad.clone() for name, p in model.named_parameters() if p.requires_grad}

    before = look()
    step.evaluation_loss(model, [batch])
    after = look()
    return {name for name in before if not torch.equal(before[name], after[name])}


def test_an_evaluation_leaves_nf4_weights_and_gradients_bit_equal(nano_recipe, ticket_rows, monkeypatch):
    """The guard is needed: without it bitsandbytes repacks the weights of a CPU with AVX512-BF16."""
    recipe = nano_recipe(method="qlora", quantization="nf4", precision="bf16")
    assert gradients_around_an_evaluation(recipe, ticket_rows) == set()
    from bitsandbytes.nn import Linear4bit

    if not Linear4bit(8, 8).support_avx512bf16_for_cpu:
        pytest.skip("this CPU has no AVX512-BF16: bitsandbytes repacks nothing here")
    monkeypatch.setattr(models, "keep_4bit_layers_unpacked", lambda model: None)
    changed = gradients_around_an_evaluation(recipe, ticket_rows)
    assert any(name.endswith(".grad") for name in changed), "the guard can go: bitsandbytes no longer needs it"


def test_out_of_memory_is_explained(children, nano, tmp_path):
    run = runs.start(nano(memory_limit_gib=0.01), tmp_path / "run")
    error = error_of(run)
    assert "\n" not in error
    for part in ("out of memory in phase 'train', update 1", "under a limit of 0.01 GiB", "largest term: activations",
                 "try --set batch_size=2 --set gradient_accumulation_steps=2", "--set on_oom=retry"):  # fmt: skip
        assert part in error, error
    report = run.summary()["out_of_memory"]
    assert report["phase"] == "train" and report["parts"]["activations"] > 0
    assert all(change["saves_bytes"] > 0 and change["settings"] for change in report["changes"])
    assert report["parts"] == parts_with_longest_row(run), "as predicted for the run, not for rows of max_length"
    assert "saves" in run.log_tail(20)


RETRY_HERE = """
import os, sys
from pathlib import Path
locks = []
class Lock(train.FileLock):
    def __init__(self, *rest, **more):
        super().__init__(*rest, **more)
        locks.append(self)
def again(program, arguments):
    locks[-1].release(force=True)  # an exec closes it
    sys.stdout.flush()
    os._exit(train.main(Path(arguments[-1])))
train.FileLock, os.execv = Lock, again
"""


def check_retry(run, cheap):
    """The ladder ended at a recipe with the same effective batch, and its losses are those of that recipe."""
    assert run.wait(WAIT) == "finished", run.log_tail()
    recipe = run.recipe
    assert recipe.batch_size * recipe.gradient_accumulation_steps == 8 and recipe.batch_size < 8
    assert "out of memory with batch_size=" in recipe.reasons["batch_size"]
    free = runs.start(recipe.model_copy(update={"memory_limit_gib": 0.0}), cheap)
    assert free.wait(WAIT) == "finished"
    assert losses(run) == losses(free) and result(run) == result(free)
    assert run.summary()["peak_bytes_measured"] <= recipe.memory_limit_gib * 2**30


def too_large(nano, folder):
    """A recipe of 8 rows at once under a limit that only some 2 rows keep to."""
    free = runs.start(nano(batch_size=8), folder)
    assert free.wait(WAIT) == "finished"
    limit = 0.4 * free.summary()["peak_bytes_measured"] / 2**30
    return nano(batch_size=8, on_oom="retry", memory_limit_gib=limit)


def test_out_of_memory_climbs_the_ladder(children, nano, tmp_path):
    recipe = too_large(nano, tmp_path / "free")
    children.before = RETRY_HERE
    run = runs.start(recipe, tmp_path / "run")
    check_retry(run, tmp_path / "cheap")
    assert run.log_tail(200).count("retrying with") >= 2


def test_a_run_that_no_longer_learns_is_stopped(children, nano, tmp_path):
    """A weight is not a number; with held-out rows the preflight sees it, without them the third update does."""
    children.before = (
        "load = train.models.load_model\n"
        "def poisoned(recipe):\n"
        "    model = load(recipe)\n"
        "    model.model.norm.weight.data[0] = float('nan')\n"
        "    return model\n"
        "train.models.load_model, train.models.check_head = poisoned, lambda *_: None\n"
    )
    fields = {"method": "lora", "precision": "fp32"}
    blind = runs.start(nano(**fields), tmp_path / "blind")
    seen = runs.start(nano(**fields, eval_rows=2), tmp_path / "seen")
    assert "update 3: 3 of 3 updates had no usable gradient" in error_of(blind)
    assert "-> lower learning_rate" in error_of(blind)
    assert "the loss before training is nan" in error_of(seen)
    assert [line["loss"] for line in blind.metrics()] == [None, None, None]
    check_tidy(blind.folder)
    check_tidy(seen.folder)


def test_an_absurd_learning_rate_is_named(children, nano, tmp_path):
    """The loss grows twentyfold and stays a number: the run ends, and its report says what happened."""
    wild = nano(method="full", precision="fp32", learning_rate=1.0, warmup_ratio=0.0, max_grad_norm=0.0)
    run = runs.start(wild, tmp_path / "wild")
    assert run.wait(WAIT) == "finished"
    assert run.summary()["last_loss"] > 2 * run.summary()["first_loss"]
    assert "it rose; lower learning_rate" in console.report(run)


def test_the_first_update_is_the_longest(children, nano, tmp_path):
    """What does not fit in memory fails at once, not after hours."""
    run = runs.start(nano(), tmp_path / "run")
    assert run.wait(WAIT) == "finished"
    seconds = [0.0, *(line["seconds"] for line in run.metrics())]
    tokens = [
        round(line["tokens_per_second"] * (now - before))
        for line, before, now in zip(run.metrics(), seconds, seconds[1:], strict=False)
    ]
    assert tokens[0] == max(tokens) > min(tokens)


def test_a_disk_too_small_for_the_checkpoints_is_refused(children, nano, tmp_path):
    children.before = "import kit.hardware; kit.hardware.disk_free_bytes = lambda path: 2**20"
    error = error_of(runs.start(nano(), tmp_path / "run"))
    assert "checkpoints need" in error and "0.00 are free -> make room" in error


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


def test_a_broken_checkpoint_is_named(children, nano, tmp_path):
    run = runs.start(nano(save_every=2), tmp_path / "run")
    assert run.wait(WAIT) == "finished"
    newest = run.folder / "checkpoints" / "step-0000006"
    (newest / "optimizer.safetensors").write_bytes(b"not this")
    (run.folder / rundir.SUMMARY).unlink()
    while run.status != "died":  # the process ends a moment after its summary
        time.sleep(0.02)
    error = error_of(runs.resume(run.folder))
    assert "this checkpoint cannot be read" in error and "delete this folder" in error
    files.remove(newest)
    assert runs.resume(run.folder).wait(WAIT) == "finished"
    assert len(run.metrics()) == 6


def test_a_broken_recipe_is_not_the_default_recipe(nano, tmp_path):
    (tmp_path / rundir.RECIPE).write_text('{"model": "na', encoding="utf-8")
    with pytest.raises(KitError, match="not a readable recipe"):
        _ = runs.Run(tmp_path).recipe
    with pytest.raises(KitError, match="not a readable recipe"):
        runs.resume(tmp_path)


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


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 16 MiB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(disk)]
    if sys.platform != "linux" or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small disk needs the right to mount one")
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=False)


FILL = """
        filler = open(path.parent.parent / "filler", "wb", buffering=0)
        try:
            while filler.write(b" " * 4096):
                pass
        except OSError:
            pass
"""


def test_a_disk_that_fills_up_stops_the_run_and_room_lets_it_go_on(small_disk, children, nano, tmp_path):
    recipe = nano(lora_dropout=0.1, epochs=2, save_every=2)
    straight = runs.start(recipe, tmp_path / "straight")
    children.before = after_update(3, FILL.strip())
    run = runs.start(recipe, small_disk / "run")
    status = run.wait(WAIT)
    told = run.summary()["error"] if status == "failed" else console.cause_of_death(run)
    assert "No space left on device" in told or "the disk is full" in told
    assert "make room" in told
    (small_disk / "filler").unlink()
    children.before = ""
    assert runs.resume(run.folder).wait(WAIT) == straight.wait(WAIT) == "finished"
    assert losses(run) == losses(straight) and result(run) == result(straight)
    check_tidy(run.folder)


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


@pytest.mark.real
@pytest.mark.timeout(3600)
def test_ten_kills_of_the_bundled_model(tmp_path):
    """SmolLM2-135M in nf4 with dropout, killed ten times at random moments: the same losses and the same adapter.

    Each life makes two to four updates before it is killed, somewhere in an update, a save or an append.
    """
    recipe = Recipe(model="smollm2-135m", device="cpu", batch_size=2, max_steps=48, save_every=2, eval_rows=0,
                    lora_dropout=0.05, max_length=512)  # fmt: skip
    straight = runs.start(recipe, tmp_path / "straight")
    assert straight.wait(1800) == "finished", straight.log_tail()
    update_seconds = straight.metrics()[-1]["seconds"] / recipe.max_steps
    run = runs.start(recipe, tmp_path / "killed")
    dice = random.Random(0)
    for _ in range(10):
        done = steps(run)
        until(run, lambda done=done: steps(run) >= done + 2, 600)
        time.sleep(dice.random() * 2 * update_seconds)
        run.kill()
        assert run.wait(WAIT) == "died", run.log_tail()
        runs.resume(run.folder)
    assert run.wait(1800) == "finished", run.log_tail()
    assert losses(run) == losses(straight) and result(run) == result(straight)
    check_tidy(run.folder)


@pytest.mark.real
def test_a_retry_is_a_new_program_with_the_same_number(nano, tmp_path):
    """The real exec: memory is given back, the lock passes on, and followers see one run."""
    run = runs.start(too_large(nano, tmp_path / "free"), tmp_path / "run")
    until(run, lambda: run.status == "running")
    number = rundir.read_json(run.folder / rundir.STATUS)["pid"]
    check_retry(run, tmp_path / "cheap")
    assert rundir.read_json(run.folder / rundir.STATUS)["pid"] == number
