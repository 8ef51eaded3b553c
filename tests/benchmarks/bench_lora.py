"""The kit's LoRA layer against PEFT's on this CPU, forward and backward.

    python tests/benchmarks/bench_lora.py [--threads N] [--rank R]

One layer of SmolLM2-135M (the down and up projections of its MLP, nf4, fp32 adapters under bf16 autocast), 1,024
tokens. Medians of 20 after 3 to warm up; the two take turns.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from kit import lora

TOKENS, WIDTH, INNER = 1024, 576, 1536
WARM_UP, REPEATS = 3, 20


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--rank", type=int, default=16)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    print(f"forward and backward, ms, {TOKENS} tokens, rank {options.rank}, {options.threads} threads")
    for inputs, outputs in ((WIDTH, INNER), (INNER, WIDTH)):
        theirs, ours = compared(inputs, outputs, options.rank)
        print(f"{inputs:>5} -> {outputs:<5} PEFT {theirs * 1e3:7.2f}  kit {ours * 1e3:7.2f}  {theirs / ours:5.2f}x")


def compared(inputs: int, outputs: int, rank: int) -> tuple[float, float]:
    """Median seconds of PEFT's layer and of the kit's."""
    layer = adapted(inputs, outputs, rank)
    peft_forward = layer.forward
    fused = lora.use_one_function(nn.ModuleList([layer]))[0].forward  # type: ignore[index]
    x = torch.randn(TOKENS, inputs, dtype=torch.bfloat16, requires_grad=True)
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(WARM_UP + REPEATS):
        for found, forward in zip(times, (peft_forward, fused), strict=True):
            found.append(once(forward, x))
    return statistics.median(times[0][WARM_UP:]), statistics.median(times[1][WARM_UP:])


def adapted(inputs: int, outputs: int, rank: int) -> Any:
    """An nf4 layer with an adapter, as PEFT makes it."""
    from bitsandbytes.nn import Linear4bit
    from peft import LoraConfig, get_peft_model

    base = Linear4bit(inputs, outputs, bias=False, compute_dtype=torch.bfloat16, quant_type="nf4")
    base.support_avx512bf16_for_cpu = False  # type: ignore[assignment]
    model = get_peft_model(nn.Sequential(base).to("cpu"), LoraConfig(r=rank, target_modules=["0"]))  # type: ignore[arg-type]
    return model.base_model.model[0]


def once(forward: Callable[[Tensor], Tensor], x: Tensor) -> float:
    began = time.perf_counter()
    with torch.autocast("cpu", torch.bfloat16):
        out = forward(x)
    out.sum().backward()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
