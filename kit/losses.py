"""Four ways from hidden states to a summed cross-entropy; same value, different memory.

Every kernel has the signature `(hidden, head, targets, size) -> loss`:

    hidden: (N, d) hidden states of the positions that are trained, N fixed by the batch's shape
    head: callable, (n, d) -> (n, V) logits
    targets: (N,) int64 token ids; IGNORED marks padding
    size: positions worked on at once, where the kernel works in slices
    loss: () float32, the *sum* over trained positions, so that any split of a batch adds up to the same number

Static shapes only: all four also run on the `meta` device.
"""

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

IGNORED = -100
Head = Callable[[Tensor], Tensor]
LossKernel = Callable[[Tensor, Head, Tensor], Tensor]


def kernel(name: str, device: str) -> LossKernel:
    """The loss kernel `name` with the slice that suits a kind of device.

    A GPU wants large matmuls: 1,024 positions, whose fp32 logits take 0.5 GB at a vocabulary of 128k. A CPU wants
    the slice's logits to stay in its cache: 64 positions.
    """
    return functools.partial(KERNELS[name], size=64 if device == "cpu" else 1024)


def full(hidden: Tensor, head: Head, targets: Tensor, size: int = 0) -> Tensor:
    """All logits at once: the plain way; keeps logits and their fp32 copy for backward."""
    return functional.cross_entropy(head(hidden).float(), targets, ignore_index=IGNORED, reduction="sum")


def chunked(hidden: Tensor, head: Head, targets: Tensor, size: int = 1024) -> Tensor:
    """Slices of logits, recomputed in backward: memory of one slice, one more pass through the head."""
    pieces = zip(hidden.split(size), targets.split(size), strict=True)
    losses = [checkpoint(full, piece, head, target, use_reentrant=False) for piece, target in pieces]
    return torch.stack(losses).sum()


def inplace(hidden: Tensor, head: Head, targets: Tensor, size: int = 1024) -> Tensor:
    """All logits, whose memory then holds their own gradient: no second copy."""
    return _InPlaceCrossEntropy.apply(head(hidden), targets, size)


def fused(hidden: Tensor, head: Head, targets: Tensor, size: int = 1024) -> Tensor:
    """Slices whose gradient is taken during forward: no logits survive and nothing is computed twice.

    As Liger Kernel's FusedLinearCrossEntropy (Hsu et al. 2024), in plain torch, so that it runs on every device.
    """
    if not torch.is_grad_enabled():
        pieces = zip(hidden.split(size), targets.split(size), strict=True)
        return torch.stack([full(piece, head, target) for piece, target in pieces]).sum()
    trainable = [p for p in getattr(head, "parameters", list)() if p.requires_grad]
    return _FusedLinearCrossEntropy.apply(head, targets, size, hidden, *trainable)


KERNELS: dict[str, Callable[..., Tensor]] = {"full": full, "chunked": chunked, "inplace": inplace, "fused": fused}


class _InPlaceCrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, logits: Tensor, targets: Tensor, size: int) -> Tensor:
        trained = targets != IGNORED
        index = targets.clamp_min(0).unsqueeze(1)
        total = logits.new_zeros((), dtype=torch.float32)
        for rows, ids, keep in zip(logits.split(size), index.split(size), trained.split(size), strict=True):
            values = rows.float()
            normaliser = values.logsumexp(dim=1, keepdim=True)
            total += ((normaliser - values.gather(1, ids)).squeeze(1) * keep).sum()
            values = values.sub_(normaliser).exp_()
            values.scatter_add_(1, ids, -torch.ones_like(normaliser))
            rows.copy_(values.mul_(keep.unsqueeze(1)))
        ctx.gradient = logits
        return total

    @staticmethod
    def backward(ctx: Any, *outer: Tensor) -> tuple[Tensor, None, None]:
        gradient, ctx.gradient = ctx.gradient, None
        return gradient.mul_(outer[0]), None, None


class _FusedLinearCrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, head: Head, targets: Tensor, size: int, hidden: Tensor, *parameters: Tensor) -> Tensor:
        total = hidden.new_zeros((), dtype=torch.float32)
        gradient = torch.empty_like(hidden)
        sums = [torch.zeros_like(p) for p in parameters]
        pieces = zip(hidden.split(size), targets.split(size), gradient.split(size), strict=True)
        for piece, target, slot in pieces:
            leaf = piece.detach().requires_grad_()
            with torch.enable_grad():
                loss = inplace(leaf, head, target, size)
                grads = torch.autograd.grad(loss, [leaf, *parameters])
            slot.copy_(grads[0])
            for held, extra in zip(sums, grads[1:], strict=True):
                held += extra
            total += loss.detach()
        ctx.save_for_backward(gradient, *sums)
        return total

    @staticmethod
    def backward(ctx: Any, *outer: Tensor) -> tuple[Any, ...]:
        return (None, None, None, *(g * outer[0].to(g.dtype) for g in ctx.saved_tensors))
