"""Attention of the kit: torch's scaled_dot_product_attention, except where two plain matmuls are several times faster.

On a CPU torch 2.13 sends attention to a flash kernel that is made for long sequences: at 128 tokens, forward and
backward take 4 x as long as two batched matmuls and a softmax (`tests/benchmarks/bench_attention.py`).
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

NAME = "kit_sdpa"  # transformers takes names that contain "flash" for kernels of its hub
SHORT = 320  # tokens; above, the score matrix costs more than the flash kernel


def register() -> str:
    """Make the attention known to transformers and return the name under which a model asks for it."""
    from transformers.masking_utils import ALL_MASK_ATTENTION_FUNCTIONS, sdpa_mask
    from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

    ALL_ATTENTION_FUNCTIONS.register(NAME, attend)
    ALL_MASK_ATTENTION_FUNCTIONS.register(NAME, sdpa_mask)
    return NAME


def attend(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    dropout: float = 0.0,
    scaling: float | None = None,
    is_causal: bool | None = None,
    **rest: Any,
) -> tuple[Tensor, None]:
    """Attention in transformers' form.

    Args:
        query: (B, heads, T, d); key, value: (B, kv_heads, S, d).
        attention_mask: (B or 1, 1, T, S) boolean, True where attended, or None: causal.

    Returns:
        (B, T, heads, d), and None for the scores, which are not kept.
    """
    from transformers.integrations.sdpa_attention import sdpa_attention_forward

    causal = is_causal if is_causal is not None else getattr(module, "is_causal", True)
    length = query.shape[2]
    short = query.device.type == "cpu" and length <= SHORT and length == key.shape[2]
    if not short or not causal or dropout or rest.get("softcap") or rest.get("s_aux") is not None:
        return sdpa_attention_forward(
            module, query, key, value, attention_mask, dropout=dropout, scaling=scaling, is_causal=is_causal, **rest
        )
    scale = scaling if scaling is not None else query.shape[-1] ** -0.5
    return _two_matmuls(query, key, value, attention_mask, scale).transpose(1, 2).contiguous(), None


def _two_matmuls(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, scale: float) -> Tensor:
    rows, heads, length, width = query.shape
    group = heads // key.shape[1]
    if mask is None:
        mask = torch.ones(length, length, dtype=torch.bool, device=query.device).tril()
    bias = torch.zeros_like(mask, dtype=query.dtype).masked_fill(~mask, torch.finfo(query.dtype).min)
    if bias.numel() > length * length:
        bias = bias.expand(rows, heads, length, length)
    bias = bias.reshape(-1, length, length)
    wide_key, wide_value = (x.repeat_interleave(group, dim=1).reshape(-1, length, width) for x in (key, value))
    scores = torch.baddbmm(bias, (query * scale).reshape(-1, length, width), wide_key.transpose(1, 2))
    return torch.bmm(functional.softmax(scores, dim=-1), wide_value).view(rows, heads, length, width)
