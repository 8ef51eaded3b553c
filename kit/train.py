"""The child process of a run: `python -m kit.train RUN_DIR`.

In order: the data doctor, the predicted peak, model and head check, the score before, a preflight of what fails late
elsewhere, the loop, the saved result, the score after. Everything that others see of it goes through the run directory.
"""

import json
import os
import sys
import traceback
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import torch
from filelock import FileLock, Timeout
from torch import nn

from kit import adapters, batches, data, encode, estimate, evaluate, memory, models, rundir
from kit.errors import KitError
from kit.files import write_json, write_text, write_whole
from kit.loop import Job, Outcome, train
from kit.recipe import Recipe

EXIT = {"finished": 0, "stopped": 0, "failed": 2}
LOCK_SECONDS = 5  # the starting process holds the lock for a moment
LIBRARIES = ("torch", "transformers", "peft", "bitsandbytes", "accelerate")


class Stopped(Exception):
    """Somebody asked for a stop while the scores were taken."""


def main(folder: Path) -> int:
    """Run the recipe in `folder` to its end; returns the exit code. Faults end up in summary.json as one line."""
    lock = FileLock(folder / rundir.LOCK)
    try:
        lock.acquire(timeout=LOCK_SECONDS)
    except Timeout:
        print(f"{folder}: another process is training here", flush=True)
        return 2
    with lock:
        return _guarded(folder)


def _guarded(folder: Path) -> int:
    try:
        summary = _summary(folder)
    except KitError as error:
        summary = {"status": "failed", "error": str(error)}
    except Exception as error:
        traceback.print_exc()
        last = (str(error).strip().splitlines() or [""])[0][:200]
        what = f"internal error: {type(error).__name__}: {last} -> the whole story is in {folder / rundir.LOG}"
        summary = {"status": "failed", "error": what}
    if "error" in summary:
        print(summary["error"], flush=True)
    try:
        write_json(folder / rundir.SUMMARY, {"run_dir": str(folder), **summary})
    except KitError as error:
        print(error, flush=True)
        return EXIT["failed"]
    return EXIT[summary["status"]]


def _summary(folder: Path) -> dict[str, Any]:
    recipe = rundir.read_recipe(folder)
    status = rundir.StatusFile(folder)
    try:
        return _run(folder, recipe, status)
    except (torch.OutOfMemoryError, MemoryError, RuntimeError) as error:
        if not _is_out_of_memory(error):
            raise
        message = str(error).splitlines()[0][:160]
    # Outside of the except clause: the traceback, and with it every tensor of the step, is gone.
    return _out_of_memory(folder, recipe, message)


def _run(folder: Path, recipe: Recipe, status: rundir.StatusFile) -> dict[str, Any]:
    rundir.tidy(folder)
    status.report("model")
    torch.manual_seed(recipe.seed)
    tokenizer = models.load_tokenizer(recipe)
    status.report("data")
    rows, held_out = _data(folder, recipe, tokenizer)
    shape, longest = estimate.shape_of(models.local_path(recipe.model)), rundir.longest_row(folder)
    predicted = estimate.estimate(recipe, shape, longest)
    print("predicted peak (arithmetic):", f"{predicted.peak_bytes / 2**30:.2f} GiB", flush=True)
    memory.set_limit(recipe.device, round(recipe.memory_limit_gib * 2**30))
    status.report("model")
    model = adapters.add_adapter(models.load_model(recipe), recipe)
    models.check_ids(model, (row.ids for row in [*rows, *held_out]))
    models.check_head(model, recipe.device)
    job = Job(folder, recipe, model, tokenizer, rows, held_out, status)
    outcome, before, after = _scored_training(job)
    peaks = rundir.peaks(folder / rundir.MEMORY)
    status.report(outcome.status, outcome.steps, outcome.total_steps)
    return {
        **outcome.as_dict(),
        "peak_bytes_predicted": predicted.peak_bytes,
        "predicted_parts": predicted.parts,
        "prediction": list(predicted.reasons),
        **{f"peak_{name}": peaks.get(name) for name in ("rss_bytes", "reserved_bytes", "device_bytes")},
        "before": before,
        "after": after,
        "versions": {name: metadata.version(name) for name in LIBRARIES},
    }


def _scored_training(job: Job) -> tuple[Outcome, dict[str, Any] | None, dict[str, Any] | None]:
    """Train and save; with held-out rows, the scores before and after. What a stop leaves out, a resume makes up."""
    outcome, before, after = Outcome(batches.total_steps(len(job.rows), job.recipe)), None, None
    try:
        before, samples = _score(job, "before") if job.held_out else (None, [])
        since = (rundir.last_line(job.folder / rundir.MEMORY) or {"seconds": 0.0})["seconds"]
        with memory.MemorySampler(job.recipe.device, job.folder / rundir.MEMORY, since=since):
            outcome = train(job)
        save_result(job.folder, job.model, job.tokenizer, job.recipe)
        if job.held_out and outcome.status == "finished":
            after, _ = _score(job, "after", samples)
    except Stopped:
        outcome.status = "stopped"
    return outcome, before, after


def _data(folder: Path, recipe: Recipe, tokenizer: Any) -> tuple[Sequence[batches.Row], list[encode.EncodedRow]]:
    """Training rows (as they are trained: packed if so asked) and held-out rows, after the data doctor has spoken.

    Raises:
        KitError: more rows would be lost than the recipe allows.
    """
    report = encode.encode(data.read(recipe.train_data), tokenizer, recipe.max_length)
    print(report.text(), flush=True)
    rows = batches.arrange(report.rows, recipe)
    longest = max((len(row.ids) for row in rows), default=None)
    result: dict[str, Any] = {"train": {**report.as_dict(), "longest_row": longest}}
    held_out: list[encode.EncodedRow] = []
    if recipe.eval_data and recipe.eval_rows:
        second = encode.encode(data.read(recipe.eval_data, limit=recipe.eval_rows), tokenizer, recipe.max_length)
        result |= {"eval": second.as_dict(), "overlap": encode.overlap(report, second)}
        if result["overlap"]:
            print(
                f"warning: {result['overlap']} held-out prompts are also training prompts: their score means little",
                flush=True,
            )
        held_out = second.rows
        encode.check_loss(second, recipe.max_lost_rows)
    write_json(folder / rundir.DATA_REPORT, result)
    encode.check_loss(report, recipe.max_lost_rows)
    return rows, held_out


def _score(
    job: Job, when: str, samples: list[dict[str, Any]] | None = None
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Scores now; the answers go to samples.jsonl beside those of `samples` (taken before)."""
    kept = job.folder / rundir.SCORES[when]
    if (known := rundir.read_json(kept)) is None:

        def say(done: int, total: int) -> None:
            job.status.report(f"score {when}", done, total)
            if (job.folder / rundir.STOP).exists():
                raise Stopped

        say(0, len(job.held_out))
        scores, answers = evaluate.evaluate(job.model, job.tokenizer, job.held_out, job.recipe, say)
        known = {"scores": scores._asdict(), "answers": [a._asdict() for a in answers]}
        write_json(kept, known)
        print(f"{when}: {scores.line()}", flush=True)
    rows = [
        {**(samples[i] if samples else {k: a[k] for k in ("where", "prompt", "expected")}), when: a["answer"]}
        for i, a in enumerate(known["answers"])
    ]
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    write_text(job.folder / rundir.SAMPLES, text)
    return known["scores"], rows


def save_result(folder: Path, model: nn.Module, tokenizer: Any, recipe: Recipe) -> None:
    """Write `adapter/` (or `model/` for method=full): safetensors, tokenizer and the recipe, whole or not at all."""
    name = rundir.ADAPTER if recipe.method != "full" else rundir.MODEL

    def make_folder(path: Path) -> None:
        if recipe.method != "full":
            model.peft_config["default"].base_model_name_or_path = recipe.model  # type: ignore[index,union-attr]
        quiet = {"save_embedding_layers": False} if recipe.method != "full" else {}  # "auto" asks the hub
        model.save_pretrained(path, **quiet)  # type: ignore[operator]
        tokenizer.save_pretrained(path)
        (path / rundir.RECIPE).write_text(recipe.model_dump_json(indent=2), encoding="utf-8")

    write_whole(folder / name, make_folder, folder=True)


def _is_out_of_memory(error: BaseException) -> bool:
    text = str(error).lower()
    return (
        isinstance(error, torch.OutOfMemoryError | MemoryError)
        or "out of memory" in text
        or "defaultcpuallocator" in text
    )


def _out_of_memory(folder: Path, recipe: Recipe, message: str) -> dict[str, Any]:
    """The report (phase, largest terms, cheapest changes), or with on_oom=retry a fresh start with the first change.

    A retry only makes changes that train the same; the others are advice.
    """
    now = rundir.read_json(folder / rundir.STATUS) or {}
    shape, longest = estimate.shape_of(models.local_path(recipe.model)), rundir.longest_row(folder)
    parts = sorted(estimate.estimate(recipe, shape, longest).parts.items(), key=lambda part: -part[1])
    changes = estimate.cheaper(recipe, shape, longest)
    rungs = [change for change in changes if change.same_training]
    update = (rundir.last_line(folder / rundir.METRICS) or {"step": 0})["step"] + 1
    place = f"phase {now.get('phase')!r}" + (f", update {update}" if now.get("phase") == "train" else "")
    print(f"out of memory in {place}: {message}")
    print("largest terms (arithmetic): " + ", ".join(f"{name} {size / 2**30:.2f} GiB" for name, size in parts[:3]))
    for change in changes:
        print(f"  {_as_options(change)}   saves {change.saves_bytes / 2**30:.2f} GiB")
    if recipe.on_oom == "retry" and rungs:
        settings = rungs[0].settings
        why = f"out of memory with {', '.join(f'{k}={getattr(recipe, k)}' for k in settings)}"
        cheaper = recipe.model_copy(update={**settings, "reasons": {**recipe.reasons, **dict.fromkeys(settings, why)}})
        write_json(folder / rundir.RECIPE, cheaper.model_dump())
        print(f"retrying with {settings}", flush=True)
        os.execv(sys.executable, sys.orig_argv)
    advice = _as_options(changes[0]) if changes else "a smaller model"
    retry = ", or --set on_oom=retry" if rungs and recipe.on_oom == "stop" else ""
    largest = f"{parts[0][0]} {parts[0][1] / 2**30:.2f} GiB"
    return {
        "status": "failed",
        "out_of_memory": {"phase": now.get("phase"), "parts": dict(parts), "changes": [c._asdict() for c in changes]},
        "error": f"out of memory in {place}: {message}; largest term: {largest} -> try {advice}{retry}",
    }


def _as_options(change: estimate.Change) -> str:
    options = " ".join(f"--set {name}={value}" for name, value in change.settings.items())
    return options if change.same_training else f"{options} (changes what is trained: a retry leaves it to you)"


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
