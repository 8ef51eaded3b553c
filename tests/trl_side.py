"""The kit's model and TRL's SFTTrainer with the same weights and rows: what the tests against TRL share."""

import torch
from torch import nn

from kit import adapters, data, encode, models

TOLERANCE = 1e-5
# The kit's own loss kernel (what `auto` becomes). torch's log_softmax, behind `full`, adds 49,152 fp32 terms plainly:
# against fp64 its loss is 5e-6 off and its gradients 3e-4, those of TRL's and the kit's logsumexp 2e-7 and 7e-6.
SMOLLM2 = {"model": "smollm2-135m", "max_length": 512, "loss_kernel": "fused"}


def tickets(recipe, count, shortest_of=None):
    """Ticket rows as (example, encoded row) pairs: the first `count`, or the shortest of the first `shortest_of`."""
    reading = data.read("tickets/train.jsonl", limit=shortest_of or count)
    report = encode.encode(reading, models.load_tokenizer(recipe), recipe.max_length)
    assert not report.lost
    pairs = list(zip(reading.examples, report.rows, strict=True))
    return sorted(pairs, key=lambda pair: len(pair[1].ids))[:count] if shortest_of else pairs


def kit_model(recipe):
    """Base and adapter as a run makes them, but lora_B not at zero: else the gradient of every lora_A would be."""
    model = adapters.add_adapter(models.load_model(recipe), recipe)
    torch.manual_seed(1)
    for name, parameter in model.named_parameters():
        if "lora_B" in name:
            nn.init.normal_(parameter, std=0.02)
    return model.train()


def adapter_weights(model):
    return {name: p for name, p in model.named_parameters() if p.requires_grad}


def trl_trainer(recipe, examples, like, folder, **settings):
    """An SFTTrainer over `examples` whose weights are those of the kit's model `like`."""
    from datasets import Dataset
    from peft import LoraConfig
    from transformers import AutoModelForCausalLM
    from trl import SFTConfig, SFTTrainer

    rows = [[{"role": m.role, "content": m.content} for m in example.messages] for example in examples]
    base = AutoModelForCausalLM.from_pretrained(
        models.local_path(recipe.model), dtype=torch.float32, quantization_config=models._quantization(recipe)
    )
    models.keep_4bit_layers_unpacked(base)  # the same fault of bitsandbytes would hit TRL's side
    config = SFTConfig(
        output_dir=str(folder),
        use_cpu=True,
        bf16=False,
        report_to="none",
        save_strategy="no",
        disable_tqdm=True,
        gradient_checkpointing=recipe.gradient_checkpointing,
        per_device_train_batch_size=recipe.batch_size,
        **{"max_length": recipe.max_length, **settings},
    )
    adapter = LoraConfig(
        r=recipe.lora_rank,
        lora_alpha=recipe.lora_alpha,
        use_dora=recipe.use_dora,
        use_rslora=recipe.use_rslora,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
    )
    trainer = SFTTrainer(
        base,
        args=config,
        peft_config=adapter,
        processing_class=models.load_tokenizer(recipe),
        train_dataset=Dataset.from_list([{"prompt": row[:-1], "completion": row[-1:]} for row in rows]),
    )
    if recipe.gradient_checkpointing:  # `train()` would switch it on
        trainer.model.activation_checkpointing_enable(activation_checkpointing_kwargs={"use_reentrant": False})
    copy_weights(like, trainer.model)
    return trainer


def copy_weights(source, target):
    """Copy the adapters (TRL holds those of quantized models in bf16: they become fp32 again); bases must be equal."""
    ours, theirs = dict(source.named_parameters()), dict(target.named_parameters())
    assert ours.keys() == theirs.keys()
    for name, parameter in theirs.items():
        if parameter.requires_grad:
            parameter.data = ours[name].detach().clone()
        else:
            assert torch.equal(parameter, ours[name]), name
