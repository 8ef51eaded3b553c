"""Score a run's adapter or a model on held-out rows: the work behind `kit evaluate`."""

from pathlib import Path

from kit import data, encode, evaluate, models, rundir, runs
from kit.errors import KitError
from kit.hardware import detect
from kit.recipe import Recipe


def score_target(target: str, source: str = "", rows: int = 0) -> evaluate.Evaluation:
    """Scores of a run directory's adapter, or of a model without one.

    Args:
        target: a run directory, or a model name as in a recipe.
        source: rows to score; default: the recipe's eval_data.
        rows: at most so many; 0: all.

    Raises:
        KitError: no such run or model, no rows, or no adapter yet.
    """
    folder = Path(target)
    is_run = (folder / rundir.RECIPE).is_file()
    recipe = (runs.Run(folder).recipe if is_run else Recipe(model=target, method="lora")).resolve(detect())
    report = encode.encode(data.read(source or recipe.eval_data, limit=rows or None), models.load_tokenizer(recipe), recipe.max_length)
    encode.check_loss(report, recipe.max_lost_rows)
    if not is_run:
        model = models.bound(models.load_model(recipe), recipe)
    elif recipe.method == "full":
        model = models.bound(models.load_model(recipe.model_copy(update={"model": str(folder / "model")})), recipe)
    else:
        adapter = folder / rundir.ADAPTER
        if not adapter.is_dir():
            raise KitError("this run has no adapter yet", where=target, fix="wait until it has ended")
        model = models.with_adapter(models.bound(models.load_model(recipe), recipe), adapter)
    return evaluate.evaluate(model, models.load_tokenizer(recipe), report.rows, recipe)
