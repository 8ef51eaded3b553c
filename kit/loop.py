"""The training loop: schedule, step, watchdog, checkpoints. Made to be read from top to bottom."""

import math
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from accelerate import Accelerator
from torch import Tensor, nn

from kit import batches, checkpoint, memory, models, preflight, rundir, step
from kit.encode import EncodedRow
from kit.errors import KitError
from kit.optimizers import learning_rate, make_optimizer
from kit.recipe import Recipe

MIXED = {"bf16-mixed": "bf16", "fp16-mixed": "fp16"}
BAD_IN_A_ROW = 3  # updates without a finite gradient before the run is stopped
SCALER_SEARCH = 10  # first updates in which fp16 loss scaling may skip while it looks for its scale


@dataclass(frozen=True)
class Job:
    """What a run works on."""

    folder: Path
    recipe: Recipe
    model: nn.Module
    tokenizer: Any
    rows: Sequence[batches.Row]
    held_out: Sequence[EncodedRow]
    status: rundir.StatusFile


@dataclass
class Outcome:
    """What came out so far; a resumed run continues the sums. `tokens` counts padding too: all that was worked on."""

    total_steps: int
    status: str = "finished"
    steps: int = 0
    train_seconds: float = 0.0
    samples: int = 0
    tokens: int = 0
    first_loss: float | None = None
    last_loss: float | None = None
    peak_bytes_measured: int | None = None
    skipped: int = 0
    bad_in_a_row: int = 0

    def as_dict(self) -> dict[str, Any]:
        """For summary.json: the sums and the rates."""
        seconds = max(self.train_seconds, 1e-9)
        return {**vars(self), "samples_per_second": self.samples / seconds, "tokens_per_second": self.tokens / seconds}


def train(job: Job) -> Outcome:
    """Train to the end, to a stop, or from the last checkpoint on.

    Raises:
        KitError: the disk is too small, a weight gets no gradient, or the run no longer learns.
    """
    recipe = job.recipe
    lengths = [len(row.ids) for row in job.rows]
    outcome = Outcome(total_steps=batches.total_steps(len(lengths), recipe))
    accelerator = _accelerator(job)
    own_forward = job.model.forward
    model, optimizer = accelerator.prepare(job.model, make_optimizer(recipe, models.trainable(job.model)))
    job.status.report("preflight")
    preflight.try_what_fails_late(job.folder, recipe, model, job.held_out, job.tokenizer.pad_token_id)
    _restore(job, model, optimizer, accelerator, outcome)
    stop_asked = _stop_question(job.folder)
    model.train()
    first = outcome.steps
    job.status.report("train", first, outcome.total_steps, first=first)
    for number, rows in enumerate(batches.schedule(lengths, recipe, first), start=first):
        rate = learning_rate(number, outcome.total_steps, recipe)
        line = _update(job, model, optimizer, accelerator, outcome, rows, rate)
        if job.held_out and recipe.eval_every and outcome.steps % recipe.eval_every == 0:
            line["eval_loss"] = preflight.held_out_loss(model, job.held_out, recipe, job.tokenizer.pad_token_id)
        rundir.append_line(job.folder / rundir.METRICS, line)
        accelerator.log({key: value for key, value in line.items() if key != "step"}, step=outcome.steps)
        job.status.report("train", outcome.steps, outcome.total_steps, first=first, loss=line["loss"])
        _watch(outcome, line, recipe)
        last = outcome.steps == outcome.total_steps
        stop = stop_asked() and not last
        if stop or last or (recipe.save_every and outcome.steps % recipe.save_every == 0):
            _save(job, model, optimizer, accelerator, outcome)
        if stop:
            outcome.status = "stopped"
            break
    accelerator.end_training()
    job.model.forward = own_forward  # without accelerate's autocast: the scores after are taken as those before
    return outcome


def _update(
    job: Job, model: nn.Module, optimizer: Any, accelerator: Accelerator, outcome: Outcome,
    rows: list[list[int]], rate: float,
) -> dict[str, Any]:  # fmt: skip
    """One update on the rows of its micro-batches; returns its line for metrics.jsonl."""
    recipe, began = job.recipe, time.perf_counter()
    pad_id, multiple = job.tokenizer.pad_token_id, recipe.pad_to_multiple_of
    micro = [batches.collate([job.rows[i] for i in part], pad_id, multiple).to(recipe.device) for part in rows]
    for group in optimizer.param_groups:
        group["lr"] = rate
    measured = outcome.steps == 0
    if measured:
        result = _measured_step(recipe, model, micro, optimizer, accelerator, outcome)
    else:
        result = _step(recipe, model, micro, optimizer, accelerator)
    loss, norm = float(result.loss), float(result.grad_norm)  # here the host waits for the device
    seconds, tokens = time.perf_counter() - began, sum(batch.input_ids.numel() for batch in micro)
    outcome.steps += 1
    outcome.train_seconds += seconds
    outcome.samples += sum(len(part) for part in rows)
    outcome.tokens += tokens
    outcome.first_loss = loss if measured else outcome.first_loss
    outcome.last_loss = loss
    return {
        "step": outcome.steps, "loss": _or_none(loss), "grad_norm": _or_none(norm), "learning_rate": rate,
        "tokens_per_second": tokens / seconds, "seconds": outcome.train_seconds,
    }  # fmt: skip


def _step(
    recipe: Recipe, model: nn.Module, micro: list[step.Batch], optimizer: Any, accelerator: Accelerator,
    before_update: Callable[[], Any] = lambda: None,
) -> step.StepResult:  # fmt: skip
    parameters = models.trainable(model)

    def clip() -> Tensor:
        before_update()
        norm = accelerator.clip_grad_norm_(parameters, recipe.max_grad_norm or math.inf)
        return torch.as_tensor(norm)

    def update(norm: Tensor) -> None:
        if accelerator.scaler is not None or norm.isfinite():  # the fp16 scaler skips bad updates by itself
            optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    return step.train_step(
        model, micro, backward=accelerator.backward, clip=clip, update=update,
        accumulate=lambda: accelerator.no_sync(model),
    )  # fmt: skip


def _measured_step(
    recipe: Recipe, model: nn.Module, micro: list[step.Batch], optimizer: Any, accelerator: Accelerator,
    outcome: Outcome,
) -> step.StepResult:  # fmt: skip
    """The first update: the longest batch. Its peak is the run's, and every trained weight must get a gradient."""
    tracked = recipe.device in {"cpu", "mps"}  # the others have an allocator that knows its peak
    tracker = memory.MemoryTracker(round(recipe.memory_limit_gib * 2**30) if tracked else 0)
    tracker.hold(memory.held_tensors(model))
    peaks: list[int] = []

    def before_update() -> None:
        peaks.append(tracker.peak_bytes)
        idle = [n for n, p in model.named_parameters() if p.requires_grad and p.grad is None]
        if idle:
            what = f"{len(idle)} trainable weights got no gradient, the first is {idle[0]}"
            raise KitError(what, where="first update", fix="report the model and the recipe")

    with tracker if tracked else memory.nothing():
        result = _step(recipe, model, micro, optimizer, accelerator, before_update)
    states = [v for state in optimizer.state.values() for v in state.values() if isinstance(v, Tensor)]
    # From the second update on, the optimizer's states are already there when the backward pass peaks.
    steady = max(tracker.peak_bytes, peaks[0] + memory.nbytes(states))
    outcome.peak_bytes_measured = steady if tracked else memory.peak_bytes(recipe.device)
    return result


def _or_none(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _watch(outcome: Outcome, line: dict[str, Any], recipe: Recipe) -> None:
    """Stop a run that no longer learns.

    Raises:
        KitError: three updates in a row, or more than a tenth of all, had no finite gradient, or no loss at all.
    """
    bad = None in (line["loss"], line["grad_norm"]) or line["loss"] == line["grad_norm"] == 0.0
    outcome.bad_in_a_row = outcome.bad_in_a_row + 1 if bad else 0
    outcome.skipped += bad
    if recipe.precision == "fp16-mixed" and outcome.steps <= SCALER_SEARCH:
        return
    too_many = outcome.steps >= 3 * SCALER_SEARCH and outcome.skipped > outcome.steps / 10
    if outcome.bad_in_a_row >= BAD_IN_A_ROW or too_many:
        what = f"{outcome.skipped} of {outcome.steps} updates had no usable gradient (not finite, or no loss at all)"
        fix = "lower learning_rate; with fp16-mixed try precision=bf16-mixed or fp32"
        raise KitError(what, where=f"update {outcome.steps}", fix=fix)


def _accelerator(job: Job) -> Accelerator:
    recipe = job.recipe
    tracker = None if recipe.tracker == "none" else recipe.tracker
    mixed = MIXED.get(recipe.precision, "no")
    try:
        accelerator = Accelerator(
            cpu=recipe.device == "cpu", mixed_precision=mixed, log_with=tracker, project_dir=str(job.folder)
        )
        if tracker:
            settings = {key: value for key, value in recipe.model_dump().items() if key != "reasons"}
            accelerator.init_trackers("finetune-kit", config=settings)
    except (ImportError, ValueError) as error:
        if not tracker:
            raise
        fix = f"pip install {tracker}, or set tracker=none"
        raise KitError(f"this tracker cannot be used ({error})", where=f"tracker={tracker}", fix=fix) from None
    return accelerator


def _stop_question(folder: Path) -> Callable[[], bool]:
    """A question to ask after each update: has anybody asked for a stop (a signal, or the file `stop`)?"""
    caught: list[int] = []
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda number, _frame: caught.append(number))
    return lambda: bool(caught) or (folder / rundir.STOP).exists()


def _save(job: Job, model: nn.Module, optimizer: Any, accelerator: Accelerator, outcome: Outcome) -> None:
    scaler = accelerator.scaler.state_dict() if accelerator.scaler else None
    extra = {"outcome": vars(outcome), "scaler": scaler}
    plain = accelerator.unwrap_model(model)
    checkpoint.save(job.folder, outcome.steps, plain, optimizer, extra, job.recipe.keep_checkpoints)


def _restore(job: Job, model: nn.Module, optimizer: Any, accelerator: Accelerator, outcome: Outcome) -> None:
    """Go back to the last checkpoint, or to the start; metrics of updates that will be made again are dropped."""
    checkpoint.prune(job.folder, job.recipe.keep_checkpoints)
    saved = checkpoint.existing(job.folder)
    if saved:
        state = checkpoint.restore(saved[-1], accelerator.unwrap_model(model), optimizer)
        vars(outcome).update(state["outcome"])
        if accelerator.scaler and state["scaler"]:
            accelerator.scaler.load_state_dict(state["scaler"])
        print(f"resumed after update {outcome.steps}", flush=True)
    rundir.keep_lines(job.folder / rundir.METRICS, outcome.steps)
