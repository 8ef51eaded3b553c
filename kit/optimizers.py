"""The learning rate of each update and the optimizer behind the recipe's name."""

import math
from typing import Any

import torch
from torch import nn

from kit.recipe import Recipe


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
