"""The training step: split-invariant, isolated when packed, the same inside any wrapper, the model's own loss."""

import pytest
import torch
from torch.nn import functional

from kit import adapters, attention, batches, losses, models, step


def built(recipe, seed=0):
    torch.manual_seed(seed)
    model = adapters.add_adapter(models.load_model(recipe).float(), recipe)
    for name, parameter in model.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(parameter, std=0.02)
    return model.train()


def gradients(model, micro):
    model.zero_grad()
    kept = {}

    def update(_norm):
        kept.update({n: p.grad.clone() for n, p in model.named_parameters() if p.grad is not None})

    result = step.train_step(
        model, micro, backward=lambda loss: loss.backward(), clip=lambda: torch.zeros(()), update=update
    )
    return float(result.loss), kept


def collated(rows, multiple=32):
    return batches.collate(rows, 0, multiple)


def close(left, right, tolerance=1e-5):
    assert left.keys() == right.keys() and left
    for name in left:
        torch.testing.assert_close(left[name], right[name], rtol=tolerance, atol=tolerance, msg=name)


def test_any_split_of_a_batch_gives_the_same_update(nano_recipe, ticket_rows):
    """The loss is normalised by tokens of the whole step, not by rows or micro-batches."""
    model, rows = built(nano_recipe()), ticket_rows[:8]
    whole = gradients(model, [collated(rows)])
    for cuts in ([4, 4], [1, 7], [1] * 8, [3, 5]):
        parts, start = [], 0
        for cut in cuts:
            parts.append(collated(rows[start : start + cut]))
            start += cut
        loss, grads = gradients(model, parts)
        assert loss == pytest.approx(whole[0], rel=1e-6)
        close(grads, whole[1])


def test_loss_is_the_models_own(nano_recipe, ticket_rows):
    """Oracle: transformers' forward and a plain cross-entropy over the labels."""
    model, row = built(nano_recipe()), ticket_rows[0]
    ids = torch.tensor([row.ids])
    labels = torch.tensor([[t if k else -100 for t, k in zip(row.ids, row.trained, strict=True)]])
    logits = model(input_ids=ids).logits
    expected = functional.cross_entropy(logits[0, :-1].float(), labels[0, 1:], ignore_index=-100)
    assert gradients(model, [collated([row])])[0] == pytest.approx(expected.item(), rel=1e-5)


def test_padding_changes_nothing(nano_recipe, ticket_rows):
    model, rows = built(nano_recipe()), ticket_rows[:4]
    loss, grads = gradients(model, [collated(rows, 1)])
    wide_loss, wide = gradients(model, [collated(rows, 256)])
    assert loss == pytest.approx(wide_loss, rel=1e-6)
    close(grads, wide)


@pytest.mark.parametrize("kernel", ["sdpa", "eager"])
def test_packed_rows_do_not_see_each_other(nano_recipe, ticket_rows, kernel):
    """trl#1230: packing without isolation trains on other rows' text. Same loss and gradients as unpacked rows."""
    model, rows = built(nano_recipe(attention=kernel)), ticket_rows[:6]
    packed = batches.pack(rows, 1024)
    assert len(packed) < len(rows)
    loss, grads = gradients(model, [collated(packed)])
    plain_loss, plain = gradients(model, [collated(rows)])
    assert loss == pytest.approx(plain_loss, rel=1e-5)
    close(grads, plain)


def test_packing_test_can_fail(nano_recipe, ticket_rows):
    """Without position ids the rows do contaminate each other, so the test above measures something."""
    model = built(nano_recipe())
    batch = collated(batches.pack(ticket_rows[:6], 1024))
    apart = gradients(model, [batch])[0]
    together = gradients(model, [batch._replace(position_ids=None)])[0]
    assert abs(apart - together) > 1e-4


@pytest.mark.parametrize("method", ["full", "lora"])
@pytest.mark.parametrize("kernel", losses.KERNELS)
def test_loss_kernels_train_alike(nano_recipe, ticket_rows, method, kernel):
    rows = [collated(ticket_rows[:8])]
    expected = gradients(built(nano_recipe(method=method)), rows)
    got = gradients(built(nano_recipe(method=method, loss_kernel=kernel)), rows)
    assert got[0] == pytest.approx(expected[0], rel=1e-5)
    close(got[1], expected[1], 1e-4)


def test_checkpointing_changes_nothing(nano_recipe, ticket_rows):
    rows = [collated(ticket_rows[:4])]
    close(gradients(built(nano_recipe(gradient_checkpointing=True)), rows)[1], gradients(built(nano_recipe()), rows)[1])


class Bag(torch.nn.Module):
    """The smallest model with the kit's forward; transformers' own masks ask a tensor for a number."""

    def __init__(self, kernel):
        super().__init__()
        self.embedding, self.head, self.kernel = torch.nn.Embedding(64, 8), torch.nn.Linear(8, 64), kernel

    def forward(self, input_ids, positions, targets):
        return self.kernel(self.embedding(input_ids).flatten(0, 1).index_select(0, positions), self.head, targets)


@pytest.mark.parametrize("kernel", losses.KERNELS.values(), ids=losses.KERNELS)
def test_a_step_and_an_evaluation_run_on_meta(ticket_rows, kernel):
    """Nothing of the step asks a tensor for a number, or for fp64 (MPS has none)."""
    model = Bag(kernel).to("meta")
    micro = [collated(ticket_rows[:4]).to("meta"), collated(ticket_rows[4:6]).to("meta")]
    result = step.train_step(
        model, micro, backward=lambda loss: loss.backward(), update=lambda _norm: None,
        clip=lambda: torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0),
    )  # fmt: skip
    for value in (result.loss, result.grad_norm, step.evaluation_loss(model, micro)):
        assert value.is_meta and value.dtype == torch.float32 and value.shape == ()
    assert all(parameter.grad.is_meta for parameter in model.parameters())


def test_own_forward_still_generates(nano_recipe, ticket_rows):
    model = built(nano_recipe()).eval()
    out = model.generate(input_ids=torch.tensor([ticket_rows[0].ids[:20]]), max_new_tokens=3, do_sample=False)
    assert out.shape[1] > 20


@pytest.mark.parametrize("length", [7, 64, 320, 321])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_short_attention_equals_torchs(length, dtype):
    torch.manual_seed(0)
    query, key, value = (torch.randn(2, heads, length, 16, dtype=dtype) for heads in (6, 2, 2))
    module = torch.nn.Module()
    module.is_causal, module.num_key_value_groups = True, 3
    ours, _ = attention.attend(module, query, key, value, None)
    theirs = functional.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True).transpose(1, 2)
    tolerance = 1e-5 if dtype == torch.float32 else 2e-2
    torch.testing.assert_close(ours, theirs, rtol=tolerance, atol=tolerance)
    mask = torch.rand(2, 1, length, length) > 0.3
    mask |= torch.eye(length, dtype=torch.bool)
    mask &= torch.ones(length, length, dtype=torch.bool).tril()
    ours, _ = attention.attend(module, query, key, value, mask)
    theirs = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask, enable_gqa=True).transpose(1, 2)
    torch.testing.assert_close(ours, theirs, rtol=tolerance, atol=tolerance)


FAMILIES = {
    "llama": {},
    "qwen2": {},
    "qwen3": {"head_dim": 16},
    "mistral": {},
    "gemma2": {"head_dim": 16, "final_logit_softcapping": 5.0},
    "gemma3_text": {"head_dim": 16},
    "phi3": {"pad_token_id": 0},
    "gpt2": {"n_embd": 64, "n_layer": 2, "n_head": 4},
    "granite": {"logits_scaling": 8.0},
    "cohere": {"logit_scale": 0.25},
    "olmo2": {},
}


@pytest.mark.parametrize("family", FAMILIES)
def test_head_of_each_family(family):
    """Caps and scales on logits differ by architecture; the kit's way to logits must be the model's own."""
    from transformers import AutoConfig, AutoModelForCausalLM

    sizes = {
        "vocab_size": 128,
        "hidden_size": 64,
        "intermediate_size": 96,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
    }
    config = AutoConfig.for_model(family, **({"vocab_size": 128} if family == "gpt2" else sizes), **FAMILIES[family])
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(config, attn_implementation=models.attention_name(config, "sdpa"))
    with torch.no_grad():
        model.get_output_embeddings().weight.mul_(20)
    models.check_head(step.bind_loss(model), "cpu")
    if FAMILIES[family].get("final_logit_softcapping"):
        model.config.final_logit_softcapping = 1.0
        captured = step.output_head(model)(torch.randn(3, 64))
        assert captured.abs().max() <= 1.0
