"""The learning rate of each update, with and without warm-up, against transformers' schedule."""

import math

import pytest
import torch
from torch import nn

from kit.optimizers import learning_rate

UPDATES = 50


@pytest.mark.parametrize("scheduler", ["linear", "cosine", "constant"])
def test_learning_rates_are_transformers(nano_recipe, scheduler):
    """The schedule of TRL's loop, at every update."""
    from transformers import get_scheduler

    recipe = nano_recipe(learning_rate=3e-4, lr_scheduler=scheduler, warmup_ratio=0.0)
    optimizer = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=recipe.learning_rate)
    theirs = get_scheduler(scheduler, optimizer, num_warmup_steps=0, num_training_steps=UPDATES)
    for number in range(UPDATES):
        expected = theirs.get_last_lr()[0]
        assert learning_rate(number, UPDATES, recipe) == pytest.approx(expected, rel=1e-12, abs=1e-18)
        optimizer.step()
        theirs.step()


@pytest.mark.parametrize(("ratio", "total"), [(0.03, 200), (0.1, 10), (0.01, 5), (0.5, 7), (1.0, 4)])
def test_warm_up_rises_evenly_to_the_whole_rate(nano_recipe, ratio, total):
    """n updates: 1/n, 2/n ... 1 of the rate, so that the first one moves (transformers' is lost at a rate of 0)."""
    recipe, warm = nano_recipe(learning_rate=3e-4, warmup_ratio=ratio), math.ceil(ratio * total)
    rates = [learning_rate(number, total, recipe) for number in range(total)]
    assert rates[:warm] == pytest.approx([3e-4 * (i + 1) / warm for i in range(warm)])
    assert rates[warm - 1] == 3e-4
    assert rates[warm:] == sorted(rates[warm:], reverse=True) and (warm == total or rates[warm] == 3e-4)
