"""Tokenizers made on the spot, with the templates of several families, and conversations to encode."""

import pytest
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

from kit.data import Example, Message, Reading

SPECIAL = [
    "<pad>", "<s>", "</s>", "<|im_start|>", "<|im_end|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>",
    "<start_of_turn>", "<end_of_turn>", "<|user|>", "<|assistant|>", "<|end|>",
]  # fmt: skip
CORPUS = ["The printer in room four is on fire again, please send somebody.\n\n", "hello there, bye\n\n", "a b c d e\n"]

WORDS = r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"  # as in Llama 3 and Qwen

# SmolLM2's template; `generation` marks what transformers itself takes for the answer.
CHATML = (
    "{% for m in messages %}{% if loop.first and m['role'] != 'system' %}<|im_start|>system\nBe helpful.<|im_end|>\n"
    "{% endif %}<|im_start|>{{ m['role'] }}\n{% if m['role'] == 'assistant' %}{% generation %}{{ m['content'] }}"
    "<|im_end|>\n{% endgeneration %}{% else %}{{ m['content'] }}<|im_end|>\n{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
LLAMA = (
    "{{ bos_token }}{% for m in messages %}<|start_header_id|>{{ m['role'] }}<|end_header_id|>\n\n"
    "{{ m['content'] | trim }}<|eot_id|>{% endfor %}"
    "{% if add_generation_prompt %}<|start_header_id|>assistant<|end_header_id|>\n\n{% endif %}"
)
# Qwen3's: the thinking of an answer goes once another turn follows.
THINKING = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{% if m['role'] == 'assistant' and not loop.last %}"
    "{{ m['content'].split('</think>')[-1].lstrip() }}{% else %}{{ m['content'] }}{% endif %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def build(template: str | None, *, eos: str = "<|im_end|>", adds_bos: bool = False) -> PreTrainedTokenizerFast:
    """A byte-level BPE of some 400 tokens, which merges across newlines and spaces as the big ones do."""
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(WORDS), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    bpe.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    bpe.train_from_iterator(
        CORPUS * 3,
        trainers.BpeTrainer(vocab_size=400, special_tokens=SPECIAL, initial_alphabet=alphabet, show_progress=False),
    )
    if adds_bos:
        bpe.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return PreTrainedTokenizerFast(
        tokenizer_object=bpe, bos_token="<s>", eos_token=eos, pad_token="<pad>", chat_template=template
    )


@pytest.fixture(scope="module")
def chatml():
    return build(CHATML)


@pytest.fixture(scope="module")
def llama():
    return build(LLAMA, eos="</s>", adds_bos=True)


@pytest.fixture(scope="module")
def base():
    return build(None, eos="</s>", adds_bos=True)


@pytest.fixture(scope="module")
def thinking():
    return build(THINKING)


def talk(*texts: str, system: str = "") -> tuple[Message, ...]:
    first = (Message("system", system),) if system else ()
    return first + tuple(Message(("user", "assistant")[index % 2], text) for index, text in enumerate(texts))


def reading(*conversations: tuple[Message, ...], rejected: tuple[Message, ...] | None = None) -> Reading:
    examples = tuple(Example(messages, f"rows.jsonl:{n}", rejected) for n, messages in enumerate(conversations, 1))
    return Reading(examples, (), len(examples), "chat messages", "rows.jsonl")


def as_dicts(messages) -> list[dict[str, str]]:
    return [{"role": message.role, "content": message.content} for message in messages]


def learnt(row, tokenizer) -> str:
    return tokenizer.decode(row.targets)
