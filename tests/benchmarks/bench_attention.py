"""The kit's attention against torch's scaled_dot_product_attention on this CPU, forward and backward.

    python tests/benchmarks/bench_attention.py [--threads N]

Shapes of SmolLM2-135M: 8 rows, 9 heads, 3 key-value heads, 64 wide. Both get what transformers hands them. Above
`attention.SHORT` tokens the kit hands over to torch, so the ratio there is 1. Medians of 10 after 3 to warm up; the two
take turns.
"""

import argparse
import statistics
import time
from collections.abc import Callable

import torch
from torch import Tensor, nn
from transformers.integrations.sdpa_attention import sdpa_attention_forward

from kit import attention

ROWS, HEADS, KV_HEADS, WIDTH = 8, 9, 3, 64
LENGTHS = (64, 96, 128, 192, 256, 320, 384, 512, 768, 1024)
WARM_UP, REPEATS = 3, 10


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    torch.set_num_threads(parser.parse_args().threads)
    print(
        f"forward and backward, ms, {ROWS} rows, {torch.get_num_threads()} threads; kit's own up to {attention.SHORT}"
    )
    for dtype in (torch.bfloat16, torch.float32):
        print(f"{dtype!s:<16}{'torch':>10}{'kit':>10}{'torch / kit':>14}")
        for length in LENGTHS:
            theirs, ours = compared(length, dtype)
            print(f"{length:>7} tokens  {theirs * 1e3:>10.2f}{ours * 1e3:>10.2f}{theirs / ours:>13.2f}x")


def compared(length: int, dtype: torch.dtype) -> tuple[float, float]:
    """Median seconds of torch's attention and of the kit's."""
    module = nn.Module()
    module.is_causal, module.num_key_value_groups = True, HEADS // KV_HEADS  # type: ignore[assignment]
    leaves = [torch.randn(ROWS, n, length, WIDTH, dtype=dtype, requires_grad=True) for n in (HEADS, KV_HEADS, KV_HEADS)]
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(WARM_UP + REPEATS):
        for found, function in zip(times, (sdpa_attention_forward, attention.attend), strict=True):
            found.append(once(function, module, leaves))
    return statistics.median(times[0][WARM_UP:]), statistics.median(times[1][WARM_UP:])


def once(function: Callable[..., tuple[Tensor, None]], module: nn.Module, leaves: list[Tensor]) -> float:
    began = time.perf_counter()
    out, _ = function(module, *leaves, None, is_causal=True)
    out.sum().backward()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
