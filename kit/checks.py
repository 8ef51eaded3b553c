"""The answer checks of the lessons: yours, expected, why, and a hint after the second wrong try.

A check calls the learner's function on several cases and returns a Verdict that a notebook draws. It never raises
for learners, so that Run All gets to the end; `KIT_STRICT=1` makes it raise (solutions, tests).
"""

import html
import math
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from kit import markup
from kit.estimate import Shape, estimate
from kit.recipe import Recipe

CLOSE = 2e-3  # relative: an answer from rounded constants (4.127 bits) counts as right
WIDEST = 60  # characters of a value that are shown
_wrong: Counter[str] = Counter()  # wrong tries by question, since the kernel started


class Case(NamedTuple):
    """One call: what was asked, what came, what should have come, and why that is right."""

    asked: str
    yours: Any
    expected: Any
    why: str
    ok: bool


class Refusal(NamedTuple):
    """Expected instead of a value: the function must raise this."""

    kind: type[Exception]


class Fault(NamedTuple):
    """What a call raised."""

    error: Exception


class Verdict:
    """The result of a check; `.ok` says whether all cases are right. A notebook shows it as a table.

    Args:
        note: said below the table, such as a hint.
    """

    def __init__(self, question: str, cases: Sequence[Case], *, answered: bool = True, note: str = "") -> None:
        self.question, self.cases, self.answered, self.note = question, list(cases), answered, note

    @property
    def ok(self) -> bool:
        return self.answered and all(case.ok for case in self.cases)

    def headline(self) -> str:
        """The verdict in one line."""
        if not self.answered:
            return f"… {self.question}: not answered yet. Replace the ... in the cell above, run it, then this one."
        right = sum(case.ok for case in self.cases)
        return f"{'✓' if self.ok else '✗'} {self.question}: {right} of {len(self.cases)} right"

    def __repr__(self) -> str:
        lines = [self.headline()]
        for case in self.cases if self.answered else ():
            lines.append(f"  {'✓' if case.ok else '✗'} {case.asked}: yours {_shown(case.yours)}")
            if not case.ok:
                lines.append(f"      expected {_shown(case.expected)}: {case.why}")
        return "\n".join([*lines, *([self.note] if self.note else [])])

    def _repr_html_(self) -> str:
        parts = [f"<div><b>{html.escape(self.headline())}</b></div>"]
        if self.answered:
            rows = [["✓" if case.ok else "✗", html.escape(case.asked), _drawn(case.yours), _drawn(case.expected),
                     html.escape(case.why)] for case in self.cases]
            parts.append(markup.table(["", "case", "yours", "expected", "why"], rows))
        return "".join(parts) + (f"<div>{html.escape(self.note)}</div>" if self.note else "")


def _shown(value: Any) -> str:
    """A value as short as it can be read: a mask as 0 and 1, large numbers in groups of three."""
    if isinstance(value, Refusal):
        return f"raises {value.kind.__name__}"
    if isinstance(value, Fault):
        text = f"raised {type(value.error).__name__}: {value.error}"
    elif isinstance(value, list | tuple) and value and all(isinstance(item, bool) for item in value):
        text = "".join(str(int(item)) for item in value)
    elif isinstance(value, tuple):
        text = f"({', '.join(map(_shown, value))})"
    elif isinstance(value, int | float) and not isinstance(value, bool):
        text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    else:
        text = repr(value)
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"


def _drawn(value: Any) -> str:
    """The same as HTML; a number is not broken into two lines."""
    text = html.escape(_shown(value))
    return f'<span style="white-space:nowrap">{text}</span>' if isinstance(value, int | float | tuple) else text


def same(yours: Any, expected: Any) -> bool:
    """Whether an answer counts as right: numbers within 0.2 %, 1 for True, sequences item by item."""
    if isinstance(expected, Refusal):
        return isinstance(yours, Fault) and isinstance(yours.error, expected.kind)
    if isinstance(expected, str) or isinstance(yours, str):
        return isinstance(yours, str) and isinstance(expected, str) and yours.strip().lower() == expected.lower()
    try:
        if isinstance(expected, Sequence):
            return len(yours) == len(expected) and all(map(same, yours, expected))
        return math.isclose(float(yours), float(expected), rel_tol=CLOSE, abs_tol=1e-3)
    except (TypeError, ValueError):
        return False


def _call(answer: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return answer(*arguments)
    except Exception as error:
        return Fault(error)


def _unanswered(value: Any) -> bool:
    """A stub gives `...` or None, or a tuple or dict of them."""
    if isinstance(value, Mapping):
        return all(map(_unanswered, value.values()))
    return value is None or value is ... or (isinstance(value, tuple) and all(map(_unanswered, value)))


def _judge(question: str, cases: Iterable[Case], hint: str) -> Verdict:
    """The verdict on all cases; the hint from the second wrong try on.

    Raises:
        AssertionError: under KIT_STRICT=1, for anything but a right answer.
    """
    cases = list(cases)
    verdict = Verdict(question, cases, answered=not all(_unanswered(case.yours) for case in cases))
    if verdict.answered and not verdict.ok:
        _wrong[question] += 1
        again = "Change your function, run its cell and this one again: a hint comes after the second try."
        verdict.note = f"Hint: {hint}" if _wrong[question] >= 2 else again
    if os.environ.get("KIT_STRICT") == "1" and not verdict.ok:
        raise AssertionError(str(verdict))
    return verdict


def answer_mask(answer: Callable[[list[int], list[int]], list[bool]]) -> Verdict:
    """Lesson 2, exercise 1: the loss mask of one row, from the ids of its prompt and of the whole row."""
    examples: list[tuple[str, list[int], list[int], Any, str]] = [
        ("prompt 5 6, then 9 and the end 2", [5, 6], [5, 6, 9, 2], [False, False, True, True],
         "the end of turn is trained too: else the model never learns to stop"),
        ("the answer repeats words of the prompt", [7, 8, 7], [7, 8, 7, 8, 7, 2], [False] * 3 + [True] * 3,
         "what counts is where a token stands, not which token it is"),
        ("2 stands in the prompt and ends the answer", [1, 2, 1], [1, 2, 1, 4, 2], [False] * 3 + [True] * 2,
         "the end of turn in the prompt is read, the one after the answer is written"),
        ("no answer yet", [5, 6], [5, 6], [False, False], "there is nothing to write"),
        ("the row does not begin with the prompt", [5, 7], [5, 6, 9, 2], Refusal(ValueError),
         "a lost row is better than a wrong mask, which nobody would see"),
    ]
    cases = []
    for asked, prompt, whole, expected, why in examples:
        yours = _call(answer, list(prompt), list(whole))
        cases.append(Case(asked, yours, expected, why, same(yours, expected)))
    return _judge("answer mask", cases, (
        "the first len(prompt) tokens are read, all others are written; compare whole[:len(prompt)] with prompt first"
    ))


# Ratios of a wrong to the right answer that tell what was overlooked.
_SLIPS: dict[str, dict[float, str]] = {
    "weights": {8: "these are bits: a byte has 8", 1 / 8: "divided by 8 twice?"},
    "adapters": {0.5: "adapters are held in fp32: 4 bytes", 0.25: "this counts numbers, not bytes: 4 bytes each"},
    "gradients": {0.5: "the adapters are fp32, so their gradients are: 4 bytes", 2: "one number for each trained one"},
    "optimizer": {0.5: "AdamW keeps two numbers for each trained one", 1.5: "the gradient has its own line"},
}


def _llama(layers: int, hidden: int, kv: int, inner: int, other: int) -> Shape:
    """The shapes of a Llama-like model: q, k, v, o, gate, up, down in each layer."""
    square, narrow = (hidden, hidden), (hidden, kv)
    one = (square, narrow, narrow, square, (hidden, inner), (hidden, inner), (inner, hidden))
    heads = hidden // 64
    return Shape(layers, hidden, heads, heads, 64, 0, one * layers, other)


def static_bytes(answer: Callable[[Sequence[tuple[int, int]], int, int], Mapping[str, float]]) -> Verdict:
    """Lesson 2, exercise 2: bytes of 4-bit weights, adapter, gradients and optimizer, from shapes and the rank."""
    why = {
        "weights": "in × out weights of 4.127 bits (4 + 8/64 + 32/(64·256)); the others take 2 bytes each",
        "adapters": "rank × (in + out) numbers a layer, 4 bytes each",
        "gradients": "as many numbers as the adapters: frozen weights have no gradient",
        "optimizer": "two numbers of 4 bytes (AdamW's averages) for each trained one",
    }
    models = {
        "one layer 64→64, rank 2": (Shape(1, 64, 1, 1, 64, 0, ((64, 64),), 0), 2),
        "SmolLM2-135M, rank 16": (_llama(30, 576, 192, 1536, 28_346_688), 16),
        "Qwen2.5-7B, rank 16": (_llama(28, 3584, 512, 18944, 1_090_328_064), 16),
    }
    cases = []
    for name, (shape, rank) in models.items():
        parts = estimate(Recipe(lora_rank=rank, precision="bf16-mixed", device="cpu", loss_kernel="full"), shape).parts
        yours = _call(answer, list(shape.linears), shape.other_parameters, rank)
        for part, reason in why.items():
            value = yours.get(part) if isinstance(yours, Mapping) else yours
            slip = _slip(part, value, parts[part])
            cases.append(Case(f"{name}: {part}", value, parts[part], slip or reason, same(value, parts[part])))
    return _judge("bytes that are always there", cases, (
        "trained = sum(rank * (i + o) for i, o in linears); return a dict with the keys " + ", ".join(why)
    ))


def _slip(part: str, value: Any, expected: float) -> str:
    """What was probably overlooked, by the ratio of the answer to the right one; '' if unknown."""
    if not isinstance(value, int | float) or not expected:
        return ""
    return next((text for ratio, text in _SLIPS[part].items() if same(value / expected, ratio)), "")


def split_gap(
    answer: Callable[..., tuple[float, float]],
    predicted: float, measured: float, fixed: float, counted: int, padded: int,
) -> Verdict:
    """Lesson 2, exercise 3: a gap in bytes, split into what the tokens explain and what the bytes a token do.

    Args:
        predicted, measured: a run's peaks in bytes.
        fixed: the bytes of both that do not grow with the tokens.
        counted, padded: tokens that the prediction reckoned with, and tokens that the step had.
    """
    cases = []
    for asked, *numbers in (
        ("the worked example", 1100, 1150, 100, 10, 11),
        ("as many tokens as counted", 1100, 1300, 100, 10, 10),
        ("only the tokens were wrong", 700, 900, 100, 6, 8),
        (f"your run: {counted:,} tokens counted, {padded:,} there", predicted, measured, fixed, counted, padded),
    ):
        before, after, static, expected_tokens, real_tokens = numbers
        by_tokens = (before - static) / expected_tokens * (real_tokens - expected_tokens)
        expected = (by_tokens, after - before - by_tokens)
        yours = _call(answer, *numbers)
        price = _shown((before - static) / expected_tokens)
        why = f"{price} bytes a token, {real_tokens - expected_tokens:+,} tokens; what is left is the second part"
        cases.append(Case(asked, yours, expected, why, same(yours, expected)))
    return _judge("the gap in two parts", cases, (
        "the price of a token is (predicted - fixed) / counted; the two parts must add up to measured - predicted"
    ))
