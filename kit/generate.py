"""Text out: greedy answers in batches, stopped at the end of the turn."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import nn

from kit.encode import end_of_turn

CACHE_TOKENS = 16_384  # key-value cache of one batch: 2 GiB for an 8B model with grouped heads (128 KiB a token)


@torch.no_grad()
def answers(
    model: nn.Module,
    tokenizer: Any,
    prompts: Sequence[Sequence[int]],
    *,
    max_new_tokens: int,
    progress: Callable[[int, int], None] | None = None,
) -> list[str]:
    """Greedy answers to prompts of token ids, in their order; the model's mode is left as it was.

    Prompts of like length share a batch and are padded on the left (positions count from the first real token).

    Args:
        progress: called with (prompts done, prompts in all) after each token; to give up, let it raise.
    """
    was_training = model.training
    model.eval()
    device = next(model.parameters()).device
    order = sorted(range(len(prompts)), key=lambda i: len(prompts[i]))
    texts = [""] * len(prompts)
    done = 0

    def after_token(ids: torch.Tensor, *_: Any, **__: Any) -> torch.Tensor:
        if progress:
            progress(done, len(order))
        return torch.zeros(len(ids), dtype=torch.bool, device=ids.device)  # no row ends here

    for batch in _batches(order, [len(p) + max_new_tokens for p in prompts]):
        ids, mask = left_padded([prompts[i] for i in batch], tokenizer.pad_token_id)
        out = model.generate(  # type: ignore[operator]
            input_ids=ids.to(device),
            attention_mask=mask.to(device),
            max_new_tokens=max_new_tokens,
            do_sample=False,
            temperature=None,
            top_p=None,
            top_k=None,
            eos_token_id=stop_ids(model, tokenizer),
            pad_token_id=tokenizer.pad_token_id,
            stopping_criteria=[after_token],
        )
        for i, text in zip(
            batch, tokenizer.batch_decode(out[:, ids.shape[1] :], skip_special_tokens=True), strict=True
        ):
            texts[i] = text.strip()
        done += len(batch)
        if progress:
            progress(done, len(order))
    model.train(was_training)
    return texts


def _batches(order: Sequence[int], tokens: Sequence[int]) -> Iterator[list[int]]:
    """Cut `order` (shortest first) so that a padded batch stays within CACHE_TOKENS."""
    batch: list[int] = []
    for i in order:
        if batch and (len(batch) + 1) * tokens[i] > CACHE_TOKENS:
            yield batch
            batch = []
        batch.append(i)
    yield batch


def left_padded(rows: Sequence[Sequence[int]], pad_id: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Ids (B, T) and mask (B, T), padded on the left so that every row ends at the position that answers."""
    length = max(len(row) for row in rows)
    ids = torch.full((len(rows), length), pad_id, dtype=torch.long)
    mask = torch.zeros((len(rows), length), dtype=torch.long)
    for b, row in enumerate(rows):
        ids[b, length - len(row) :] = torch.tensor(row, dtype=torch.long)
        mask[b, length - len(row) :] = 1
    return ids, mask


def stop_ids(model: nn.Module, tokenizer: Any) -> list[int]:
    """Token ids that end an answer: the model's eos ids and the chat template's end of turn."""
    listed = getattr(getattr(model, "generation_config", None), "eos_token_id", None)
    ids = set(listed if isinstance(listed, list) else [listed, tokenizer.eos_token_id])
    end = end_of_turn(tokenizer)
    return sorted(i for i in ids | {end.id if end else None} if i is not None)
