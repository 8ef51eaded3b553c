"""The training step: what one update computes. The same functions train on a GPU and rehearse on `meta`.

The way a batch goes:

    Batch ──► model(input_ids, positions, targets)      bind_loss put the loss inside the model's forward,
                 │  decoder: (B, T) -> (B, T, d)         so that every wrapper around it (LoRA, DDP, FSDP2)
                 │  pick the positions that are trained  sees one ordinary forward and one ordinary loss
                 │  head and cross-entropy: (N, d) -> ()
                 ▼
    sum of losses / trained tokens of the whole step ──► backward ──► clip ──► update

The loss is a sum over tokens, divided once by the tokens of *all* micro-batches (and ranks): any split of a batch
gives the same update. Shapes depend only on (B, T, N), never on values: nothing here asks a tensor for a number.
"""

import functools
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from kit import losses


class Batch(NamedTuple):
    """One micro-batch of B rows padded on the right to T tokens.

    No attention mask: under causal attention a token never sees the padding on its right, and padding is not trained.
    """

    input_ids: Tensor  # (B, T) int64
    positions: Tensor  # (N,) int64, b * T + t for each token whose successor is trained; padded with 0
    targets: Tensor  # (N,) int64, that successor; losses.IGNORED where positions is padding
    position_ids: Tensor | None  # (B, T) int64 when rows are packed (each restarts at 0), else None
    tokens: int  # trained tokens: entries of targets that count

    def to(self, device: torch.device | str) -> "Batch":
        """The same batch with its tensors on `device`."""
        moved: dict[str, Any] = {k: x.to(device) for k, x in self._asdict().items() if isinstance(x, Tensor)}
        return self._replace(**moved)


class StepResult(NamedTuple):
    """What an update did, as tensors: reading them is the caller's choice (it waits for the device)."""

    loss: Tensor  # () float32, mean over the trained tokens of the step
    grad_norm: Tensor  # () norm before clipping


def bind_loss(causal_lm: nn.Module, kernel: losses.LossKernel = losses.full) -> nn.Module:
    """Give a transformers causal LM a forward that returns the summed loss; call it before PEFT, DDP or FSDP2 wrap it.

    `forward(input_ids, positions, targets, position_ids=None)` returns the loss, () float32. Without `positions` it is
    the model's own forward, so `generate` still works. A loop that called decoder and head from outside would bypass
    the wrappers' hooks: DDP would then train without synchronising gradients, and say nothing.
    """
    model: Any = causal_lm
    forward = functools.partial(_forward, model, model.forward, kernel)  # no closure: a deep copy must run its own
    model.forward = functools.update_wrapper(forward, model.forward)
    return causal_lm


def _forward(
    model: Any,
    own_forward: Callable[..., Any],
    kernel: losses.LossKernel,
    /,
    input_ids: Tensor | None = None,
    positions: Tensor | None = None,
    targets: Tensor | None = None,
    position_ids: Tensor | None = None,
    **rest: Any,
) -> Any:
    if positions is None or targets is None:
        return own_forward(input_ids=input_ids, position_ids=position_ids, **rest)
    hidden = model.get_decoder()(input_ids=input_ids, position_ids=position_ids, use_cache=False).last_hidden_state
    return kernel(hidden.flatten(0, 1).index_select(0, positions), output_head(model), targets)


@dataclass(frozen=True)
class OutputHead:
    """The way from hidden states (n, d) to logits (n, V)."""

    model: Any
    scale: float
    cap: float | None

    def __call__(self, hidden: Tensor) -> Tensor:
        logits = self.model.get_output_embeddings()(hidden)
        if self.scale != 1.0:
            logits = logits * self.scale
        return torch.tanh(logits / self.cap) * self.cap if self.cap else logits

    def parameters(self) -> Iterable[nn.Parameter]:
        return self.model.get_output_embeddings().parameters()


def output_head(causal_lm: nn.Module) -> OutputHead:
    """The model's way from hidden states to logits: its head, then the scale or cap its config names.

    `models.check_head` compares it with the model's own forward before a run, so an architecture that does
    something else to its logits is refused rather than trained on other logits.
    """
    config: Any = causal_lm.config
    scale = getattr(config, "logit_scale", None) or 1.0  # Cohere
    scale /= getattr(config, "logits_scaling", None) or 1.0  # Granite
    return OutputHead(causal_lm, scale, getattr(config, "final_logit_softcapping", None))  # Gemma 2


def train_step(
    model: nn.Module,
    micro_batches: Sequence[Batch],
    *,
    backward: Callable[[Tensor], Any],
    clip: Callable[[], Tensor],
    update: Callable[[Tensor], Any],
    tokens: float | None = None,
    accumulate: Callable[[], AbstractContextManager[Any]] = nullcontext,
) -> StepResult:
    """One update from one or more micro-batches; what differs between back ends comes in as a function.

    Args:
        backward: takes the loss of one micro-batch (plain autograd, a scaled one for fp16, DeepSpeed's).
        clip: shortens the gradients of all trainable weights and returns their norm before that.
        update: takes that norm; optimizer step (unless the norm is not finite), gradients back to none.
        tokens: what the summed loss is divided by; default: the trained tokens of `micro_batches`. With W ranks
            pass the sum over all ranks / W, since the wrappers average gradients over ranks.
        accumulate: context around every micro-batch but the last (`no_sync` under DDP).
    """
    divisor = tokens if tokens is not None else sum(batch.tokens for batch in micro_batches)
    total: Tensor | float = 0.0
    for index, batch in enumerate(micro_batches):
        last = index == len(micro_batches) - 1
        with nullcontext() if last else accumulate():
            loss = model(**_inputs(batch)) / divisor
            backward(loss)
        total = total + loss.detach()
    norm = clip()
    update(norm)
    return StepResult(loss=torch.as_tensor(total), grad_norm=norm)


@torch.no_grad()
def evaluation_loss(model: nn.Module, batches: Iterable[Batch]) -> Tensor:
    """Mean loss over the trained tokens of `batches`, () float32; leaves the model's mode as it was."""
    was_training = model.training
    model.eval()
    total: Tensor | float = 0.0  # takes the loss's own device: MPS has no float64, `meta` no way out
    tokens = 0
    for batch in batches:
        total = total + model(**_inputs(batch))
        tokens += batch.tokens
    model.train(was_training)
    return torch.as_tensor(total) / tokens


def _inputs(batch: Batch) -> dict[str, Tensor]:
    inputs = {"input_ids": batch.input_ids, "positions": batch.positions, "targets": batch.targets}
    return inputs if batch.position_ids is None else {**inputs, "position_ids": batch.position_ids}
