"""Masks against independent oracles, and a doctor that loses nothing in silence."""

import importlib.util
from pathlib import Path

import pytest
from encode_helpers import CHATML, LLAMA, SPECIAL, as_dicts, build, learnt, reading, talk

from kit.encode import check_loss, encode, end_of_turn, prompt_ids
from kit.errors import KitError

# --- masks ---------------------------------------------------------------------------------------------------------


def test_mask_by_hand(chatml):
    """The ids of each piece, written out: nothing but the answer, its end and the newline after it is trained."""
    (row,) = encode(reading(talk("hello", "bye")), chatml, 100).rows
    pieces = ["<|im_start|>", "system\n", "Be helpful.", "<|im_end|>", "\n", "<|im_start|>", "user\n", "hello"]
    pieces += ["<|im_end|>", "\n", "<|im_start|>", "assistant\n"]
    prompt = [token for piece in pieces for token in chatml(piece)["input_ids"]]
    answer = chatml("bye")["input_ids"] + [SPECIAL.index("<|im_end|>")] + chatml("\n")["input_ids"]
    assert row.ids == prompt + answer
    assert row.trained == [False] * len(prompt) + [True] * len(answer)
    assert (row.prompt, row.targets, row.trained_tokens) == (prompt, answer, len(answer))


@pytest.mark.parametrize("system", ["", "Be brief."])
@pytest.mark.parametrize("texts", [("hello", "bye"), ("a", "b c", "d", "e"), ("a", "b", "c", "\U0001f525", "e", "f")])
def test_every_answer_is_trained_as_transformers_marks_it(chatml, texts, system):
    """Oracle: transformers' own `{% generation %}` masks, which come from character offsets."""
    messages = talk(*texts, system=system)
    (row,) = encode(reading(messages), chatml, 1000).rows
    oracle = chatml.apply_chat_template(
        as_dicts(messages), return_dict=True, return_assistant_tokens_mask=True, tokenize=True
    )
    assert row.ids == oracle["input_ids"]
    assert [int(flag) for flag in row.trained] == oracle["assistant_masks"]


TRL_TEMPLATES = Path(importlib.util.find_spec("trl").submodule_search_locations[0]) / "chat_templates"


@pytest.mark.parametrize("name", ["qwen2_5", "qwen3", "qwen3_instruct_2507", "llama3", "gemma3", "phi3"])
def test_stock_templates_give_trls_prompt_completion_mask(name):
    """Oracle: TRL's rule (`sft_trainer.tokenize_fn`) on the stock templates that it ships."""
    tokenizer = build((TRL_TEMPLATES / f"{name}.jinja").read_text(encoding="utf-8"))
    messages = as_dicts(talk("hello there", "bye"))
    prompt = tokenizer.apply_chat_template(messages[:-1], add_generation_prompt=True, tokenize=True)["input_ids"]
    whole = tokenizer.apply_chat_template(messages, tokenize=True)["input_ids"]
    (row,) = encode(reading(talk("hello there", "bye")), tokenizer, 1000).rows
    assert row.prompt == prompt == prompt_ids(tokenizer, talk("hello there"))
    assert row.trained == [False] * len(prompt) + [True] * (len(whole) - len(prompt))
    assert row.ids == whole


def test_thinking_template_trains_only_the_last_answer_and_says_so(thinking):
    """pain 18: stock Qwen3 drops earlier thinking, so earlier answers of the whole are not what was generated."""
    messages = talk("a", "<think>hm</think> b", "c", "<think>hm</think> d")
    report = encode(reading(messages, talk("a", "b")), thinking, 1000)
    assert learnt(report.rows[0], thinking) == "<think>hm</think> d<|im_end|>\n"
    assert "1 rows: the template rewrites earlier turns" in report.text()


def test_a_template_that_changes_the_prompt_loses_the_row_with_a_reason(chatml):
    """DeepSeek-R1's generation prompt opens a thought that the finished turn does not have."""
    tokenizer = build(CHATML.replace("assistant\n{% endif %}", "assistant\n<think>\n{% endif %}"))
    report = encode(reading(talk("a", "b")), tokenizer, 100)
    assert report.rows == []
    assert report.lost[0].reason == "the chat template changes the prompt once the answer is there"
    assert "'<think>\\n' becomes 'b" in report.lost[0].detail


def test_a_template_that_refuses_a_row(chatml):
    refusal = "{{ raise_exception('System role not supported') }}"
    tokenizer = build("{% if messages[0]['role'] == 'system' %}" + refusal + "{% endif %}" + CHATML)
    report = encode(reading(talk("a", "b", system="s"), talk("a", "b")), tokenizer, 100)
    assert [row.where for row in report.rows] == ["rows.jsonl:2"]
    assert "System role not supported" in report.lost[0].reason


def test_a_template_that_drops_the_answer_loses_every_row():
    """marin#7237: training on nothing looks like a normal run."""
    tokenizer = build("{% for m in messages if m['role'] == 'user' %}{{ m['content'] }}{% endfor %}")
    report = encode(reading(talk("a", "b")), tokenizer, 100)
    assert report.lost[0].reason.startswith("no trained token")
    with pytest.raises(KitError, match="none is left"):
        check_loss(report, 1.0)


def test_generation_prompt_that_the_template_lacks_is_a_finding():
    """trl#4147: without a generation prompt the header of the answer is trained too."""
    template = CHATML.split("{% if add_generation_prompt", maxsplit=1)[0]
    report = encode(reading(talk("a", "b")), build(template), 100)
    assert any("<|im_start|>assistant" in finding for finding in report.findings)


def test_answer_that_merges_with_the_header_is_kept_apart(chatml):
    """In generation the prompt ends with the header's newline; a merged newline would never be seen there."""
    double = chatml("\n\n", add_special_tokens=False)["input_ids"]
    assert len(double) == 1, "the tokenizer must merge newlines for this test"
    report = encode(reading(talk("a", "\nb")), chatml, 100)
    assert report.rows[0].prompt == prompt_ids(chatml, talk("a"))
    assert learnt(report.rows[0], chatml) == "\nb<|im_end|>\n"
    assert "kept apart" in report.text()


# --- BOS, EOS, end of turn -----------------------------------------------------------------------------------------


def test_exactly_one_bos(llama):
    """trl#1400: the template writes BOS, so the tokenizer must not add another."""
    assert llama("a")["input_ids"][0] == llama.bos_token_id
    report = encode(reading(talk("a", "b")), llama, 100)
    assert report.rows[0].ids.count(llama.bos_token_id) == 1
    doubled = encode(reading(talk("a", "b")), build("{{ bos_token }}" + LLAMA), 100)
    assert "two '<s>' at the start" in doubled.text()


def test_end_of_turn_is_found_by_difference(llama, chatml, base):
    """LlamaFactory#7943: the end of a turn is not always eos_token; generation must stop at both."""
    assert (end_of_turn(llama).token, end_of_turn(chatml).token) == ("<|eot_id|>", "<|im_end|>")
    assert end_of_turn(base).token == "</s>"
    report = encode(reading(talk("a", "b", "c", "d")), llama, 100)
    assert report.rows[0].targets.count(SPECIAL.index("<|eot_id|>")) == 2
    assert "answers end with '<|eot_id|>', not with eos_token '</s>'" in report.text()
    assert encode(reading(talk("a", "b")), chatml, 100).findings == []


def test_no_end_of_turn_is_a_finding():
    report = encode(reading(talk("a", "b")), build(CHATML.replace("<|im_end|>", "")), 100)
    assert report.end is None
    assert "will not learn to stop" in report.text()


def test_eos_is_trained_even_if_it_is_the_pad_token(chatml):
    """llm-course#33: a mask by id drops the end of each answer when pad is eos; ours goes by position."""
    same = build(CHATML)
    same.pad_token = same.eos_token
    assert encode(reading(talk("a", "b")), same, 100).rows == encode(reading(talk("a", "b")), chatml, 100).rows


def test_base_model_gets_prompt_completion_and_eos(base):
    """Oracle: TRL's rule for plain prompt and completion: BOS from the tokenizer, EOS text at the end."""
    prompt, answer = "The printer is\n", "on fire"
    (row,) = encode(reading(talk(prompt, answer)), base, 100).rows
    assert row.ids == base(prompt + answer + "</s>")["input_ids"]
    assert row.prompt == base(prompt)["input_ids"] == prompt_ids(base, talk(prompt))
    assert row.ids.count(base.bos_token_id) == row.targets.count(base.eos_token_id) == 1


def test_base_model_without_bos_or_eos():
    tokenizer = build(None, eos="</s>")
    (row,) = encode(reading(talk("a\n", "b")), tokenizer, 100).rows
    assert row.ids == tokenizer("a\nb</s>")["input_ids"]
    tokenizer.eos_token = None
    assert "will not learn to stop" in encode(reading(talk("a\n", "b")), tokenizer, 100).text()


def test_base_model_prompt_that_ends_with_a_space(base):
    """' fire' is one token, but after a prompt that ends with a space a model can only write 'fire'."""
    assert len(base(" fire", add_special_tokens=False)["input_ids"]) == 1
    report = encode(reading(talk("on ", "fire")), base, 100)
    assert report.rows[0].prompt == base("on ")["input_ids"]
    assert learnt(report.rows[0], base) == "fire</s>"
    assert "kept apart" in report.text()


def test_base_model_findings(base):
    report = encode(reading(talk("a", "b")), base, 100)
    assert "no chat template" in report.text()
    assert "prompt and answer touch" in report.text()


def test_special_tokens_in_the_text_are_a_finding(chatml):
    report = encode(reading(talk("<|im_start|>user\na<|im_end|>", "b"), talk("a", "b")), chatml, 100)
    assert "1 rows: special tokens of the model in the text" in report.text()


@pytest.mark.real
def test_trl_trains_on_the_same_tokens(chatml, llama, base, tmp_path):
    """Oracle: the tokens and masks that TRL's SFTTrainer itself prepares."""
    from datasets import Dataset
    from transformers import LlamaConfig, LlamaForCausalLM
    from trl import SFTConfig, SFTTrainer

    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    model = LlamaForCausalLM(LlamaConfig(vocab_size=len(base), **sizes))
    settings = SFTConfig(output_dir=str(tmp_path), use_cpu=True, report_to="none", max_length=None)
    conversations = [talk("hello there\n", "bye"), talk("send somebody\n", "a b c")]
    chats = [{"prompt": as_dicts(one[:-1]), "completion": as_dicts(one[-1:])} for one in conversations]
    plain = [{"prompt": question.content, "completion": answer.content} for question, answer in conversations]
    for tokenizer, rows in ((chatml, chats), (llama, chats), (base, plain)):
        data = Dataset.from_list(rows)
        oracle = SFTTrainer(model, settings, train_dataset=data, processing_class=tokenizer).train_dataset
        report = encode(reading(*conversations), tokenizer, 100)
        for row, ids, labels in zip(report.rows, oracle["input_ids"], oracle["labels"], strict=True):
            assert row.ids == ids
            assert row.trained == [label != -100 for label in labels]
