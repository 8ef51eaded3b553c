"""TRL's SFTTrainer as the oracle: same weights, same rows -> same loss, same gradient of every adapter weight.

What is TRL's own here: chat template and mask (it gets the raw conversations as prompt and completion), its collator,
its forward with the fused head, its backward, and for the 50 updates its whole training loop. What is the kit's own:
encode, collate, attention, loss kernel, train_step, optimizer and schedule. Only the weights are copied from one side
to the other. TRL attends with transformers' sdpa and an attention mask, the kit with its own kernel and none.

**Tolerance.** fp32 on both sides, and `|ours - theirs| <= 1e-5 * |theirs| + 1e-5 * max |theirs|` for every element of
every gradient; the maximum is that of the same tensor, so small gradients are not waved through by a fixed bound. The
loss: 1e-5 relative. `test_the_oracle_can_fail` shows that a single wrong token, or a mean over rows instead of tokens,
lies far outside. At the 30 layers of the bundled model fp32 itself is coarser than that: see its test.
"""

import pytest
import torch
from trl_side import SMOLLM2, TOLERANCE, adapter_weights, kit_model, tickets, trl_trainer

from kit import batches, losses, step

# TRL 1.16 still says gradient_checkpointing to transformers 5.
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")


def kit_loss_and_gradients(model, micro_batches):
    model.zero_grad()
    kept = {}

    def update(_norm):
        kept.update({name: p.grad.clone() for name, p in adapter_weights(model).items()})

    result = step.train_step(
        model, micro_batches, backward=lambda loss: loss.backward(), clip=lambda: torch.zeros(()), update=update
    )
    return float(result.loss), kept


def trl_loss_and_gradients(trainer, micro_batches):
    """TRL's training_step on lists of row numbers, normalised as in its loop: by the trained tokens of all of them."""
    trainer.model.zero_grad()
    inputs = [trainer.data_collator([trainer.train_dataset[i] for i in numbers]) for numbers in micro_batches]
    tokens = sum(int((one["labels"][:, 1:] != losses.IGNORED).sum()) for one in inputs)
    trainer.current_gradient_accumulation_steps = len(micro_batches)
    divisor = torch.tensor(tokens)
    total = sum(float(trainer.training_step(trainer.model, one, num_items_in_batch=divisor)) for one in inputs)
    return total, {name: p.grad for name, p in adapter_weights(trainer.model).items()}


def distance(ours, theirs):
    """The largest |ours - theirs| / (|theirs| + max |theirs|) over all elements of all tensors: <= 1e-5 passes."""
    assert ours.keys() == theirs.keys() and ours
    return max(float(((ours[n] - t).abs() / (t.abs() + t.abs().max())).max()) for n, t in theirs.items())


def assert_same(ours, theirs):
    assert ours[0] == pytest.approx(theirs[0], rel=TOLERANCE)
    assert all(float(gradient.abs().max()) > 0 for gradient in theirs[1].values())
    print(f"distance {distance(ours[1], theirs[1]):.1e}, loss {ours[0]:.7f} and {theirs[0]:.7f}")
    assert distance(ours[1], theirs[1]) <= TOLERANCE


def both_sides(recipe, pairs, folder):
    """The kit's model and TRL's trainer with the same weights and rows."""
    ours = kit_model(recipe)
    trainer = trl_trainer(recipe, [example for example, _ in pairs], ours, folder)
    assert trainer.model.is_activation_checkpointing == recipe.gradient_checkpointing
    return ours, trainer


def compare(recipe, pairs, folder, cuts):
    """Both sides on the rows of `pairs`, cut into micro-batches of the sizes `cuts`."""
    ours, trainer = both_sides(recipe, pairs, folder)
    starts = [sum(cuts[:i]) for i in range(len(cuts))]
    parts = [list(range(start, start + size)) for start, size in zip(starts, cuts, strict=True)]
    micro = [batches.collate([pairs[i][1] for i in part], 0, recipe.pad_to_multiple_of) for part in parts]
    return kit_loss_and_gradients(ours, micro), trl_loss_and_gradients(trainer, parts)


def compare_with_fp64(recipe, pairs, folder):
    """Both sides on all rows of `pairs` at once, then the gradients of TRL's side in fp64."""
    ours, trainer = both_sides(recipe, pairs, folder)
    found = kit_loss_and_gradients(ours, [batches.collate([row for _, row in pairs], 0, recipe.pad_to_multiple_of)])
    parts = [list(range(len(pairs)))]
    loss, gradients = trl_loss_and_gradients(trainer, parts)
    gradients = {name: gradient.clone() for name, gradient in gradients.items()}
    trainer.model.double()
    return found, (loss, gradients), trl_loss_and_gradients(trainer, parts)[1]


VARIANTS = {
    "lora": {},
    "fused loss": {"loss_kernel": "fused"},
    "dora": {"use_dora": True},
    "rslora": {"use_rslora": True},
    "checkpointing": {"gradient_checkpointing": True},
    "dora, checkpointing": {"use_dora": True, "gradient_checkpointing": True},
    "nf4": {"method": "qlora"},
    "nf4, one scale": {"method": "qlora", "double_quant": False},
    "nf4, dora, checkpointing": {"method": "qlora", "use_dora": True, "gradient_checkpointing": True},
    "eager": {"attention": "eager"},
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_loss_and_gradients_are_trls(nano_recipe, tmp_path, variant):
    """One update of 6 rows of different lengths, not packed; every variant trains the same function as TRL's."""
    recipe = nano_recipe(lora_rank=8, **VARIANTS[variant])
    assert_same(*compare(recipe, tickets(recipe, 6), tmp_path, [6]))


def test_micro_batches_are_normalised_as_trls(nano_recipe, tmp_path):
    """Gradient accumulation over unequal micro-batches (transformers#34191: a mean of means is another mean)."""
    recipe = nano_recipe(lora_rank=8)
    assert_same(*compare(recipe, tickets(recipe, 6), tmp_path, [1, 2, 3]))


def test_packed_rows_train_as_trls_padding_free_ones(nano_recipe, tmp_path):
    """TRL lays all rows flat and isolates them by their position ids; the kit packs them into several sequences."""
    recipe = nano_recipe(lora_rank=8)
    pairs = tickets(recipe, 6)
    ours = kit_model(recipe)
    trainer = trl_trainer(recipe, [example for example, _ in pairs], ours, tmp_path, padding_free=True, max_length=None)
    packed = batches.pack([row for _, row in pairs], recipe.max_length)
    assert len(packed) < len(pairs)
    batch = batches.collate(packed, 0, recipe.pad_to_multiple_of)
    assert_same(kit_loss_and_gradients(ours, [batch]), trl_loss_and_gradients(trainer, [list(range(len(pairs)))]))


def test_the_oracle_can_fail(nano_recipe, tmp_path):
    """One more trained token of about 250, or a mean over rows, is at least 100 times the tolerance away."""
    recipe = nano_recipe(lora_rank=8)
    pairs = tickets(recipe, 6)
    model = kit_model(recipe)
    trainer = trl_trainer(recipe, [example for example, _ in pairs], model, tmp_path)
    theirs = trl_loss_and_gradients(trainer, [list(range(6))])
    batch = batches.collate([row for _, row in pairs], 0, 32)
    slot = batch.tokens  # the first padded slot: position 0 of row 0 is trained as well
    wrong = batch.targets.clone()
    wrong[slot] = batch.input_ids[0, 1]
    one_more = kit_loss_and_gradients(model, [batch._replace(targets=wrong, tokens=batch.tokens + 1)])
    assert distance(one_more[1], theirs[1]) > 100 * TOLERANCE
    single = [kit_loss_and_gradients(model, [batches.collate([row], 0, 32)]) for _, row in pairs]
    mean_of_means = {name: sum(gradients[name] for _, gradients in single) / len(single) for name in theirs[1]}
    assert distance(mean_of_means, theirs[1]) > 100 * TOLERANCE


def flat(gradients):
    return torch.cat([gradient.double().flatten() for gradient in gradients.values()])


@pytest.mark.real
@pytest.mark.parametrize("variant", ["lora", "dora", "checkpointing"])
def test_loss_and_gradients_are_trls_on_the_bundled_model(nano_recipe, tmp_path, record_property, variant):
    """30 layers and a vocabulary of 49,152, all 420 adapter matrices, fp32.

    Three bounds: no element differs by more than 1e-5; all gradients as one vector differ by at most 1e-5 of its
    length; and against its own tensor's maximum no element is further off than 3 times what separates TRL's fp32 from
    TRL in fp64 (1e-5 to 3e-5, depending on the CPU's kernels): there fp32 itself ends, not the agreement.
    """
    recipe = nano_recipe(**SMOLLM2, **VARIANTS[variant])
    (our_loss, ours), (their_loss, theirs), exact = compare_with_fp64(recipe, tickets(recipe, 4, 200), tmp_path)
    gap, length = flat(ours) - flat(theirs), flat(theirs).norm()
    found = {"largest": gap.abs().max(), "whole": gap.norm() / length, "by tensor": distance(ours, theirs)}
    found = {name: float(value) for name, value in found.items()} | {"fp32 itself": distance(theirs, exact)}
    for name, value in found.items():
        record_property(name, f"{value:.1e}")
    assert our_loss == pytest.approx(their_loss, rel=TOLERANCE)
    assert found["largest"] <= TOLERANCE and found["whole"] <= TOLERANCE
    assert found["by tensor"] <= 3 * found["fp32 itself"] < 30 * TOLERANCE
