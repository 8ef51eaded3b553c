"""Score a run's adapter or a model on held-out rows: the work behind `kit evaluate`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from torch import nn

from kit import adapters, data, encode, evaluate, models, rundir
from kit.errors import KitError
from kit.hardware import detect
from kit.recipe import Recipe, make


def score_target(
    target: str, source: str = "", rows: int = 0, progress: Callable[[int, int], None] | None = None
) -> evaluate.Evaluation:
    """Scores of a run directory's adapter, or of a model without one.

    Args:
        target: a run directory, or a model name as in a recipe.
        source: rows to score; default: the recipe's eval_data.
        rows: at most so many; 0: all.
        progress: called with (rows done, rows in all), often.

    Raises:
        KitError: no such run or model, no rows, or no adapter yet.
    """
    folder = Path(target)
    is_run = bool(target) and (folder / rundir.RECIPE).is_file()
    chosen = rundir.read_recipe(folder) if is_run else make({"model": target, "method": "lora"}, where="TARGET")
    recipe = chosen.resolve(detect())
    if is_run:
        _check_result(folder, recipe)
    if not (source or recipe.eval_data):
        raise KitError("the run's recipe names no eval_data", where=target, fix="say what to score: --data FILE")
    tokenizer = models.load_tokenizer(recipe)
    report = encode.encode(data.read(source or recipe.eval_data, limit=rows or None), tokenizer, recipe.max_length)
    encode.check_loss(report, recipe.max_lost_rows)
    model = _model(folder if is_run else None, recipe)
    models.check_ids(model, (row.ids for row in report.rows))
    return evaluate.evaluate(model, tokenizer, report.rows, recipe, progress)


def _check_result(folder: Path, recipe: Recipe) -> None:
    name = rundir.MODEL if recipe.method == "full" else rundir.ADAPTER
    if not (folder / name).is_dir():
        going_on = rundir.child_is_alive(rundir.read_json(folder / rundir.STATUS))
        fix = "wait until it has ended" if going_on else f"`kit run --resume {folder}` continues it"
        raise KitError(f"this run has no {name} yet", where=str(folder), fix=fix)


def _model(folder: Path | None, recipe: Recipe) -> nn.Module:
    """The model of a recipe, with what the run in `folder` made of it."""
    trained: dict[str, Any] = {"model": str(folder / rundir.MODEL)} if folder and recipe.method == "full" else {}
    model = adapters.prepare_base(models.load_model(recipe.model_copy(update=trained)), recipe)
    return adapters.with_adapter(model, folder / rundir.ADAPTER) if folder and recipe.method != "full" else model
