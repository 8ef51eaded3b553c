"""The four loss kernels are one loss: value and gradients of the plain kernel are the oracle."""

import pytest
import torch
from torch import nn

from kit import losses

N, WIDTH, VOCABULARY = 300, 16, 97


@pytest.fixture
def job():
    torch.manual_seed(0)
    hidden = torch.randn(N, WIDTH, dtype=torch.float64)
    targets = torch.randint(0, VOCABULARY, (N,))
    targets[::7] = losses.IGNORED
    return hidden, nn.Linear(WIDTH, VOCABULARY, dtype=torch.float64), targets


def value_and_gradients(kernel, hidden, head, targets, trained_head):
    leaf = hidden.clone().requires_grad_()
    head.weight.requires_grad_(trained_head)
    head.zero_grad()
    loss = kernel(leaf, head, targets, size=64)
    (loss / 3.0).backward()
    return loss.detach(), leaf.grad, head.weight.grad


@pytest.mark.parametrize("trained_head", [False, True])
@pytest.mark.parametrize("name", ["chunked", "inplace", "fused"])
def test_every_kernel_equals_the_plain_one(job, name, trained_head):
    expected = value_and_gradients(losses.full, *job, trained_head)
    got = value_and_gradients(losses.KERNELS[name], *job, trained_head)
    for ours, theirs in zip(got, expected, strict=True):
        assert (ours is None) == (theirs is None)
        if ours is not None:
            torch.testing.assert_close(ours.double(), theirs.double(), rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("name", losses.KERNELS)
def test_kernels_without_gradients_keep_nothing(job, name):
    with torch.no_grad():
        loss = losses.KERNELS[name](*job, size=64)
    assert not loss.requires_grad
    torch.testing.assert_close(loss.double(), losses.full(*job).double(), rtol=1e-6, atol=0)


@pytest.mark.parametrize("name", losses.KERNELS)
def test_kernels_run_on_meta(name):
    """Static shapes: no kernel asks a tensor for a value (the rehearsal runs the same code on `meta`)."""
    hidden = torch.empty(N, WIDTH, device="meta", requires_grad=True)
    head = nn.Linear(WIDTH, VOCABULARY, device="meta")
    losses.KERNELS[name](hidden, head, torch.empty(N, dtype=torch.long, device="meta"), size=64).backward()
    assert hidden.grad.shape == (N, WIDTH)


def test_ignored_positions_have_no_gradient(job):
    hidden, head, targets = job
    for name, kernel in losses.KERNELS.items():
        leaf = hidden.clone().requires_grad_()
        kernel(leaf, head, targets, size=64).backward()
        assert leaf.grad[::7].abs().max() == 0, name
