"""Scores before and after: exact match, valid JSON, perplexity; each share with the interval that its rows allow."""

import json
import math
import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from torch import nn

from kit import batches, generate, step
from kit.encode import EncodedRow
from kit.recipe import Recipe

RESAMPLES = 2000


class Sample(NamedTuple):
    """One held-out row: where it stands, what was asked, what was expected, what came."""

    where: str
    prompt: str
    expected: str
    answer: str


class Scores(NamedTuple):
    """Scores over `rows` held-out rows; low and high bound 95 % of bootstrap resamples (Efron 1979)."""

    rows: int
    exact_match: float
    exact_match_low: float
    exact_match_high: float
    valid_json: float | None  # None: the expected answers are not JSON
    perplexity: float

    def line(self) -> str:
        """One line for people."""
        json_part = "" if self.valid_json is None else f"  valid JSON {self.valid_json:5.1%}"
        interval = f"[{self.exact_match_low:.1%}, {self.exact_match_high:.1%}]"
        match = f"exact match {self.exact_match:5.1%} {interval}"
        return f"{match}{json_part}  perplexity {self.perplexity:.3f}  ({self.rows} rows)"


class Evaluation(NamedTuple):
    """The scores and the answers behind them."""

    scores: Scores
    samples: list[Sample]


def evaluate(
    model: nn.Module,
    tokenizer: Any,
    rows: Sequence[EncodedRow],
    recipe: Recipe,
    progress: Callable[[int, int], None] | None = None,
) -> Evaluation:
    """Answer each row's last prompt greedily and compare; perplexity over the trained tokens of the same rows."""
    device = next(model.parameters()).device
    prompts, expected = [], []
    for row in rows:
        begin = _last_answer(row.trained)
        prompts.append(row.ids[:begin])
        expected.append(row.ids[begin:])
    longest = max(len(ids) for ids in expected)
    said = generate.answers(model, tokenizer, prompts, max_new_tokens=longest + 16, progress=progress)
    wanted = [text.strip() for text in tokenizer.batch_decode(expected, skip_special_tokens=True)]
    asked = tokenizer.batch_decode(prompts, skip_special_tokens=True)
    held = (batch.to(device) for batch in batches.evaluation_batches(rows, recipe, tokenizer.pad_token_id))
    loss = float(step.evaluation_loss(model, held))
    samples = [Sample(r.where, *texts) for r, *texts in zip(rows, asked, wanted, said, strict=True)]
    return Evaluation(score(wanted, said, loss), samples)


def score(expected: Sequence[str], said: Sequence[str], loss: float) -> Scores:
    """Scores of answers against what was expected: JSON is compared as values, other text as it is."""
    hits = [matches(e, s) for e, s in zip(expected, said, strict=True)]
    low, high = bootstrap(hits)
    is_json = all(_parsed(e) is not None for e in expected)
    valid = sum(_parsed(s) is not None for s in said) / len(said) if is_json else None
    return Scores(len(hits), sum(hits) / len(hits), low, high, valid, math.exp(min(loss, 700.0)))


def matches(expected: str, said: str) -> bool:
    """Whether an answer is the expected one; for a JSON object or list, the same value however it is written."""
    wanted = _parsed(expected)
    return said.strip() == expected.strip() if wanted is None else _parsed(said) == wanted


def _parsed(text: str) -> Any:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict | list) else None


def bootstrap(hits: Sequence[bool], seed: int = 0) -> tuple[float, float]:
    """The 95 % interval of a share of hits, from resampled rows."""
    dice = random.Random(seed)
    count = len(hits)
    shares = sorted(sum(dice.choices(hits, k=count)) / count for _ in range(RESAMPLES))
    return shares[int(0.025 * RESAMPLES)], shares[int(0.975 * RESAMPLES) - 1]


def _last_answer(trained: Sequence[bool]) -> int:
    """Index at which the last run of trained tokens begins."""
    end = max(i for i, flag in enumerate(trained) if flag)
    while end > 0 and trained[end - 1]:
        end -= 1
    return end
