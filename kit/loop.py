"""The training loop: schedule, step, watchdog, checkpoints. Made to be read from top to bottom."""

import math
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from accelerate import Accelerator
from torch import Tensor, nn

from kit import batches, checkpoint, files, hardware, memory, models, rundir, step
from kit.errors import KitError
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
    rows: Sequence[Any]
    held_out: Sequence[Any]
    status: rundir.StatusFile


@dataclass
class Outcome:
    """What came out; resumed runs continue the sums."""

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
    bad_in_a_row: int = field(default=0, repr=False)

    def as_dict(self) -> dict[str, Any]:
        """For summary.json: the sums and the rates."""
        seconds = max(self.train_seconds, 1e-9)
        values = {k: v for k, v in vars(self).items() if k != "bad_in_a_row"}
        return {**values, "samples_per_second": self.samples / seconds, "tokens_per_second": self.tokens / seconds}


def learning_rate(number: int, total: int, recipe: Recipe) -> float:
    """Learning rate of update `number` (0-based) of `total`: a linear rise, then cosine, linear or constant."""
    warmup = math.ceil(recipe.warmup_ratio * total) if recipe.warmup_ratio else 0
    if number < warmup:
        return recipe.learning_rate * (number + 1) / warmup
    gone = (number - warmup) / max(1, total - warmup)
    fall = {"constant": 1.0, "linear": 1 - gone, "cosine": (1 + math.cos(math.pi * gone)) / 2}
    return recipe.learning_rate * fall[recipe.lr_scheduler]


def make_optimizer(recipe: Recipe, parameters: list[nn.Parameter]) -> torch.optim.Optimizer:
    """AdamW as the recipe names it (Loshchilov & Hutter 2019; 8-bit states: Dettmers et al. 2022)."""
    shared: dict[str, Any] = {"lr": recipe.learning_rate, "weight_decay": recipe.weight_decay}
    if recipe.optimizer in {"adamw", "adamw_fused"}:
        fused = recipe.optimizer == "adamw_fused"
        return torch.optim.AdamW(parameters, **shared, fused=fused, foreach=None if fused else True)
    import bitsandbytes

    kinds = {"adamw_8bit": "AdamW8bit", "paged_adamw": "PagedAdamW32bit", "paged_adamw_8bit": "PagedAdamW8bit"}
    return getattr(bitsandbytes.optim, kinds[recipe.optimizer])(parameters, **shared)


def train(job: Job) -> Outcome:
    """Train to the end, to a stop, or from the last checkpoint on."""
    recipe, model = job.recipe, job.model
    lengths = [len(row.ids) for row in job.rows]
    outcome = Outcome(total_steps=batches.total_steps(len(lengths), recipe))
    accelerator = _accelerator(job)
    optimizer = make_optimizer(recipe, models.trainable(model))
    model, optimizer = accelerator.prepare(model, optimizer)
    _try_what_fails_late(job, model, optimizer)
    saved = checkpoint.existing(job.folder)
    if saved:
        _restore(job, saved[-1], model, optimizer, accelerator, outcome)
    else:
        rundir.keep_lines(job.folder / rundir.METRICS, 0)
    stopped = _stop_signal(job.folder)
    model.train()
    first = outcome.steps
    for number, rows in enumerate(batches.schedule(lengths, recipe, first), start=first):
        began = time.perf_counter()
        micro = [batches.collate([job.rows[i] for i in part], job.tokenizer.pad_token_id, recipe.pad_to_multiple_of) for part in rows]
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(number, outcome.total_steps, recipe)
        result = _update(job, model, micro, optimizer, accelerator, outcome, track=number == 0)
        loss, norm = float(result.loss), float(result.grad_norm)
        seconds = time.perf_counter() - began
        outcome.steps = number + 1
        line = _account(outcome, loss, norm, seconds, micro, rows, optimizer.param_groups[0]["lr"])
        if recipe.eval_every and outcome.steps % recipe.eval_every == 0 and job.held_out:
            line["eval_loss"] = held_out_loss(job, model)
        rundir.append_line(job.folder / rundir.METRICS, line)
        accelerator.log({k: v for k, v in line.items() if k != "step"}, step=outcome.steps)
        job.status.report("train", outcome.steps, outcome.total_steps, first=first, loss=loss)
        _watch(outcome, loss, norm, recipe)
        asked = stopped()
        if asked or (recipe.save_every and outcome.steps % recipe.save_every == 0):
            _save(job, model, optimizer, accelerator, outcome)
        if asked and outcome.steps < outcome.total_steps:
            outcome.status = "stopped"
            break
    accelerator.end_training()
    return outcome


def _update(
    job: Job, model: nn.Module, micro: list[step.Batch], optimizer: Any, accelerator: Accelerator, outcome: Outcome, track: bool,
) -> step.StepResult:
    """One update; `track` counts its bytes where the device has no peak of its own (the first, longest batch)."""
    recipe = job.recipe
    parameters = models.trainable(model)
    tracker = memory.MemoryTracker(round(recipe.memory_limit_gib * 2**30)) if track and recipe.device in {"cpu", "mps"} else None
    before_update = 0

    def clip() -> Tensor:
        nonlocal before_update
        if track and (idle := [n for n, p in model.named_parameters() if p.requires_grad and p.grad is None]):
            raise KitError(f"{len(idle)} trainable weights got no gradient (first: {idle[0]})", where="first update", fix="report the model and recipe")
        before_update = tracker.peak_bytes if tracker else 0
        return accelerator.clip_grad_norm_(parameters, recipe.max_grad_norm or math.inf)

    def update() -> None:
        finite = all(bool(p.grad.isfinite().all()) for p in parameters if p.grad is not None) if recipe.precision != "fp16-mixed" else True
        if finite:
            optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    arguments: dict[str, Any] = {"backward": accelerator.backward, "clip": clip, "update": update, "accumulate": lambda: accelerator.no_sync(model)}
    on_device = [batch.to(recipe.device) for batch in micro]
    if tracker is None:
        return step.train_step(model, on_device, **arguments)
    tracker.hold(memory.held_tensors(model))
    with tracker:
        result = step.train_step(model, on_device, **arguments)
    states = memory.nbytes([v for s in optimizer.state.values() for v in s.values() if isinstance(v, Tensor)])
    # From the second update on, the optimizer's states are already there when the backward pass peaks.
    outcome.peak_bytes_measured = max(tracker.peak_bytes, before_update + states)
    return result


def _account(
    outcome: Outcome, loss: float, norm: float, seconds: float, micro: list[step.Batch], rows: list[list[int]], rate: float,
) -> dict[str, Any]:
    """Add an update to the sums and return its line for metrics.jsonl."""
    tokens = sum(batch.input_ids.numel() for batch in micro)
    outcome.train_seconds += seconds
    outcome.samples += sum(len(part) for part in rows)
    outcome.tokens += tokens
    outcome.first_loss = loss if outcome.first_loss is None else outcome.first_loss
    outcome.last_loss = loss
    finite = {name: value if math.isfinite(value) else None for name, value in (("loss", loss), ("grad_norm", norm))}
    return {"step": outcome.steps, **finite, "learning_rate": rate, "tokens_per_second": tokens / seconds, "seconds": outcome.train_seconds}


def _watch(outcome: Outcome, loss: float, norm: float, recipe: Recipe) -> None:
    """Stop a run that no longer learns.

    Raises:
        KitError: three updates in a row, or more than a tenth of all, had no finite gradient, or no loss at all.
    """
    bad = not math.isfinite(norm) or not math.isfinite(loss) or (loss == 0.0 and norm == 0.0)
    outcome.bad_in_a_row = outcome.bad_in_a_row + 1 if bad else 0
    outcome.skipped += bad
    if recipe.precision == "fp16-mixed" and outcome.steps <= SCALER_SEARCH:
        return
    if outcome.bad_in_a_row >= BAD_IN_A_ROW or (outcome.steps >= 3 * SCALER_SEARCH and outcome.skipped > outcome.steps / 10):
        what = f"loss {loss:g} and gradient norm {norm:g}: {outcome.skipped} of {outcome.steps} updates had to be skipped"
        raise KitError(what, where=f"update {outcome.steps}", fix="lower learning_rate; with fp16-mixed try precision=bf16-mixed or fp32")


def _accelerator(job: Job) -> Accelerator:
    recipe = job.recipe
    tracker = None if recipe.tracker == "none" else recipe.tracker
    try:
        accelerator = Accelerator(
            cpu=recipe.device == "cpu", mixed_precision=MIXED.get(recipe.precision, "no"), log_with=tracker, project_dir=str(job.folder))
        if tracker:
            accelerator.init_trackers("finetune-kit", config={k: v for k, v in recipe.model_dump().items() if k != "reasons"})
    except (ImportError, ValueError) as error:
        raise KitError(f"this tracker cannot be used ({error})", where=f"tracker={tracker}", fix=f"pip install {tracker}, or tracker=none") from None
    return accelerator


def _stop_signal(folder: Path) -> Callable[[], bool]:
    """A question to ask after each update: has anybody asked for a stop (a signal, or the file `stop`)?"""
    caught: list[int] = []
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda number, _frame: caught.append(number))
    return lambda: bool(caught) or (folder / rundir.STOP).exists()


def _try_what_fails_late(job: Job, model: nn.Module, optimizer: Any) -> None:
    """Before the first update: room on the disk, one evaluation batch, one save. None of it changes the run."""
    job.status.report("preflight")
    parameters = models.trainable(model)
    a_checkpoint = memory.nbytes(parameters) * 3
    needed, free = a_checkpoint * (job.recipe.keep_checkpoints + 2), hardware.disk_free_bytes(job.folder)
    if needed > free:
        raise KitError(f"checkpoints need {needed / 2**30:.2f} GiB, {free / 2**30:.2f} are free", where=str(job.folder), fix="make room, or set keep_checkpoints=1")
    if job.held_out:
        loss = held_out_loss(job, model, at_most=1)
        if not math.isfinite(loss):
            raise KitError(f"the loss before training is {loss}", where="evaluation", fix="set precision=fp32 to see whether the type overflows")
    trial = job.folder / ".trial"
    files.write_whole(trial, lambda path: checkpoint.write_trial(path, model), folder=True)
    files.remove(trial)


def held_out_loss(job: Job, model: nn.Module, at_most: int | None = None) -> float:
    """Mean loss over the held-out rows (the first `at_most` batches, the longest first)."""
    every = batches.evaluation_batches(job.held_out, job.recipe, job.tokenizer.pad_token_id)
    chosen = (batch.to(job.recipe.device) for i, batch in enumerate(every) if at_most is None or i < at_most)
    return float(step.evaluation_loss(model, chosen))


def _save(job: Job, model: nn.Module, optimizer: Any, accelerator: Accelerator, outcome: Outcome) -> None:
    extra = {"outcome": vars(outcome), "scaler": accelerator.scaler.state_dict() if accelerator.scaler else None}
    checkpoint.save(job.folder, outcome.steps, accelerator.unwrap_model(model), optimizer, extra, job.recipe.keep_checkpoints)


def _restore(job: Job, path: Path, model: nn.Module, optimizer: Any, accelerator: Accelerator, outcome: Outcome) -> None:
    state = checkpoint.restore(path, accelerator.unwrap_model(model), optimizer)
    for name, value in state["outcome"].items():
        setattr(outcome, name, value)
    outcome.status = "finished"
    if accelerator.scaler and state["scaler"]:
        accelerator.scaler.load_state_dict(state["scaler"])
    rundir.keep_lines(job.folder / rundir.METRICS, state["step"])
    print(f"resumed after update {state['step']}", flush=True)
