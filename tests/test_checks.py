"""Each answer check fails on the stub, on plausible wrong answers, and passes on the solution."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from kit import checks
from kit.checks import Verdict

GAP = (2_959_963_584, 2_940_469_512, 189_614_016, 3160, 3328)


@pytest.fixture(autouse=True)
def learner(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nobody is strict, and nobody has tried before."""
    monkeypatch.delenv("KIT_STRICT", raising=False)
    checks._wrong.clear()
    yield


def mask(prompt: list[int], whole: list[int]) -> list[bool]:
    if whole[: len(prompt)] != prompt:
        raise ValueError("not the beginning")
    return [False] * len(prompt) + [True] * (len(whole) - len(prompt))


def parts(linears: list[tuple[int, int]], other: int, rank: int) -> dict[str, float]:
    quantized, trained = sum(i * o for i, o in linears), sum(rank * (i + o) for i, o in linears)
    return {
        "weights": quantized * 4.127 / 8 + other * 2, "adapters": trained * 4,
        "gradients": trained * 4, "optimizer": trained * 8,
    }


def gap(predicted: float, measured: float, fixed: float, counted: int, padded: int) -> tuple[float, float]:
    by_tokens = (predicted - fixed) / counted * (padded - counted)
    return by_tokens, measured - predicted - by_tokens


CHECKS: dict[str, tuple[Callable[[Any], Verdict], Callable[..., Any]]] = {
    "answer_mask": (checks.answer_mask, mask),
    "static_bytes": (checks.static_bytes, parts),
    "split_gap": (lambda answer: checks.split_gap(answer, *GAP), gap),
}
WRONG: dict[str, dict[str, Callable[..., Any]]] = {
    "answer_mask": {
        "all": lambda prompt, whole: [True] * len(whole),
        "by word": lambda prompt, whole: [token not in prompt for token in whole],
        "no refusal": lambda prompt, whole: [False] * len(prompt) + [True] * (len(whole) - len(prompt)),
        "no end": lambda prompt, whole: [*mask(prompt, whole)[:-1], False],
        "shifted": lambda prompt, whole: ([*mask(prompt, whole), False])[1:],
        "too short": lambda prompt, whole: mask(prompt, whole)[1:],
    },
    "static_bytes": {
        "bits": lambda *a: {**parts(*a), "weights": parts(*a)["weights"] * 8},
        "everything in 4 bits": lambda linears, other, rank: {
            **parts(linears, other, rank), "weights": (sum(i * o for i, o in linears) + other) * 4.127 / 8},
        "no double quantization": lambda linears, other, rank: {
            **parts(linears, other, rank), "weights": sum(i * o for i, o in linears) * 4.5 / 8 + other * 2},
        "bf16 adapters": lambda *a: {**parts(*a), "adapters": parts(*a)["adapters"] / 2},
        "one average": lambda *a: {**parts(*a), "optimizer": parts(*a)["gradients"]},
        "a key is missing": lambda *a: {"weights": parts(*a)["weights"]},
        "a number": lambda *a: 7.0,
    },
    "split_gap": {
        "by measured bytes": lambda p, m, f, c, t: ((m - f) / t * (t - c), m - p - (m - f) / t * (t - c)),
        "fixed part forgotten": lambda p, m, f, c, t: (p / c * (t - c), m - p - p / c * (t - c)),
        "the other sign": lambda *a: (-gap(*a)[0], -gap(*a)[1]),
        "only the gap": lambda p, m, f, c, t: m - p,
    },
}
STUBS = {"...": lambda *_: ..., "None": lambda *_: None}


@pytest.mark.parametrize("name", CHECKS)
def test_the_solution_passes(name: str) -> None:
    check, solution = CHECKS[name]
    verdict = check(solution)
    assert verdict.ok and "✗" not in repr(verdict) and "✓" in verdict._repr_html_() and not verdict.note


@pytest.mark.parametrize("stub", STUBS)
@pytest.mark.parametrize("name", CHECKS)
def test_a_stub_is_told_kindly_and_is_not_right(name: str, stub: str) -> None:
    verdict = CHECKS[name][0](STUBS[stub])
    assert not verdict.ok and "not answered yet" in repr(verdict) and "not answered yet" in verdict._repr_html_()
    assert "✗" not in repr(verdict)


@pytest.mark.parametrize(("name", "mistake"), [(name, mistake) for name in WRONG for mistake in WRONG[name]])
def test_a_plausible_mistake_fails_with_yours_expected_and_why(name: str, mistake: str) -> None:
    verdict = CHECKS[name][0](WRONG[name][mistake])
    wrong = [case for case in verdict.cases if not case.ok]
    assert not verdict.ok and wrong and all(case.why for case in wrong)
    assert "yours" in repr(verdict) and "expected" in repr(verdict) and "✗" in verdict._repr_html_()


@pytest.mark.parametrize(("name", "mistake"), [(name, mistake) for name in WRONG for mistake in WRONG[name]])
def test_strict_mode_raises_for_mistakes(name: str, mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIT_STRICT", "1")
    with pytest.raises(AssertionError, match="expected"):
        CHECKS[name][0](WRONG[name][mistake])


@pytest.mark.parametrize("name", CHECKS)
def test_strict_mode_raises_for_a_stub_and_not_for_the_solution(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIT_STRICT", "1")
    check, solution = CHECKS[name]
    with pytest.raises(AssertionError, match="not answered"):
        check(STUBS["None"])
    assert check(solution).ok


@pytest.mark.parametrize("name", CHECKS)
def test_the_hint_comes_after_the_second_wrong_try_and_stubs_do_not_count(name: str) -> None:
    check, mistake = CHECKS[name][0], next(iter(WRONG[name].values()))
    check(STUBS["None"])
    check(STUBS["None"])
    first, second = check(mistake), check(mistake)
    assert "Hint:" not in repr(first) and "Hint:" in repr(second) and "Hint:" in second._repr_html_()


@pytest.mark.parametrize("name", CHECKS)
def test_a_function_that_breaks_is_shown_and_not_raised(name: str) -> None:
    def broken(*_: Any) -> Any:
        raise KeyError("<nowhere>")

    verdict = CHECKS[name][0](broken)
    assert not verdict.ok and "KeyError" in repr(verdict) and "<nowhere>" not in verdict._repr_html_()


def test_a_mistake_that_is_known_is_named() -> None:
    bits = checks.static_bytes(WRONG["static_bytes"]["bits"])
    assert "these are bits" in repr(bits)
    assert "two numbers" in repr(checks.static_bytes(WRONG["static_bytes"]["one average"]))


def test_numpy_and_rounded_numbers_count_as_right() -> None:
    numpy = pytest.importorskip("numpy")
    assert checks.same(numpy.float32(2113.0), 2112.97) and checks.same([1, 0], [True, False])
    assert not checks.same(2120.0, 2112.97) and not checks.same("7", 7) and not checks.same([1], [True, False])
    assert not checks.same(float("nan"), 1.0)
