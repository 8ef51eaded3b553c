"""Masks against independent oracles, and a doctor that loses nothing in silence."""

import importlib.util
import json
import time
from dataclasses import replace
from pathlib import Path

import pytest
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

from kit.data import Example, Message, Problem, Reading, read
from kit.encode import check_loss, encode, end_of_turn, overlap, prompt_ids
from kit.errors import KitError

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


# --- lengths, losses, report ---------------------------------------------------------------------------------------


def words(count: int) -> str:
    return " ".join(["fire"] * count)


def test_a_long_row_is_left_out_whole(chatml):
    """transformers cuts it, so that the answer's end is never seen; TRL drops it in silence (trl#1053)."""
    report = encode(reading(talk("a", "b"), talk(words(200), "b")), chatml, 64)
    assert [row.where for row in report.rows] == ["rows.jsonl:1"]
    (problem,) = report.lost
    assert (problem.where, problem.reason) == ("rows.jsonl:2", "longer than max_length 64")
    assert max(report.lengths) > 200
    assert report.histogram()[-1] == (65, None, 1)
    exact = len(report.rows[0].ids)
    assert len(encode(reading(talk("a", "b")), chatml, exact).rows) == 1
    assert len(encode(reading(talk("a", "b")), chatml, exact - 1).rows) == 0


def test_check_loss_names_the_max_length_that_helps(chatml):
    data = reading(*[talk(words(n), "b") for n in [*range(1, 96), *[300] * 5]])
    report = encode(data, chatml, 64)
    with pytest.raises(KitError, match=r"of 100 rows would be lost.*allowed 1\.0%.*longer than max_len") as caught:
        check_loss(report, 0.01)
    most, everything = report.length_that_keeps(0.95), report.length_that_keeps(1)
    assert f"max_length {most} keeps 95 % of the encoded rows, {everything} keeps all" in caught.value.fix
    assert most % 32 == everything % 32 == 0
    assert len(encode(data, chatml, most).rows) >= 95 > len(encode(data, chatml, most - 32).rows)
    assert len(encode(data, chatml, everything).rows) == 100 > len(encode(data, chatml, everything - 32).rows)
    check_loss(encode(data, chatml, everything), 0.0)


def test_check_loss_boundary_and_problems_of_the_reading(chatml):
    """The rows that reading lost count as well; exactly the allowed share may be lost."""
    data = reading(*[talk("a", "b")] * 99)
    data = replace(data, problems=(Problem("rows.jsonl:100", "content is null", "messages[1]"),), rows_read=100)
    report = encode(data, chatml, 64)
    check_loss(report, 0.01)
    with pytest.raises(KitError, match=r"1 of 100 rows.*1 x rows.jsonl:100: content is null \(messages\[1\]\)"):
        check_loss(report, 0.009)


def test_nothing_left_is_an_error_whatever_is_allowed(chatml):
    with pytest.raises(KitError, match=r"none is left to train on.*max_length 64 keeps all"):
        check_loss(encode(reading(talk("a", "b")), chatml, 4), 1.0)


def test_report_reads_well_and_is_json(chatml):
    conversations = [talk(words(n % 40 + 1), words(n % 7 + 1)) for n in range(100)]
    data = reading(*conversations, talk(words(300), "b"))
    problems = tuple(Problem(f"rows.jsonl:{200 + n}", f"reason {n % 9}") for n in range(30))
    report = encode(replace(data, problems=problems, rows_read=131, notes=("read as JSON Lines",)), chatml, 100)
    assert report.rows_read == len(report.rows) + len(report.lost)
    text = report.text()
    assert len(text.splitlines()) <= 25
    for part in ("131 rows read, 100 kept, 31 lost (23.7%)", "read as JSON Lines", "max_length 100", "|####"):
        assert part in text
    for part in ("over 100 |## 1 lost", "trained tokens a row: min", "end of turn: '<|im_end|>'", "duplicate rows"):
        assert part in text
    values = json.loads(json.dumps(report.as_dict()))
    assert (values["rows_kept"], values["rows_lost"], len(values["lost_first"])) == (100, 31, 20)
    assert sum(values["lost_by_reason"].values()) == 31
    assert sum(bar["rows"] for bar in values["histogram"]) == 101
    assert values["end_of_turn"] == {"token": "<|im_end|>", "id": SPECIAL.index("<|im_end|>")}


def test_report_of_nothing(chatml):
    data = Reading((), (Problem("a:1", "truncated JSON"),), 1, "chat messages", "a")
    report = encode(data, chatml, 100)
    assert "1 lost (100.0%)" in report.text()
    assert report.as_dict()["tokens"] is None
    with pytest.raises(KitError, match="truncated JSON"):
        check_loss(report, 0.5)


def test_duplicates_and_overlap(chatml):
    train = encode(reading(talk("a", "b"), talk("a", "b"), talk("c", "d")), chatml, 100)
    evaluation = encode(reading(talk("a", "b"), talk("c", "other"), talk("e", "f")), chatml, 100)
    assert train.duplicates == 1
    assert overlap(train, evaluation) == 2
    assert overlap(train, evaluation, whole_rows=True) == 1


# --- preference pairs ----------------------------------------------------------------------------------------------


def test_pairs_share_their_prompt_and_train_only_what_differs(chatml):
    chosen, rejected = talk("a", "b", "c", "good"), talk("a", "b", "c", "bad one")
    report = encode(reading(chosen, rejected=rejected), chatml, 100)
    (pair,) = report.pairs
    assert pair.chosen.prompt == pair.rejected.prompt
    assert learnt(pair.chosen, chatml) == "good<|im_end|>\n"
    assert learnt(pair.rejected, chatml) == "bad one<|im_end|>\n"
    assert report.rows == [pair.chosen]
    assert "answers: chosen min" in report.text()


def test_a_pair_is_as_long_as_its_longer_side(chatml):
    report = encode(reading(talk("a", "b"), rejected=talk("a", words(100))), chatml, 64)
    assert (report.pairs, report.rows) == ([], [])
    assert report.lost[0].reason == "longer than max_length 64"


# --- all together --------------------------------------------------------------------------------------------------


def test_two_thousand_rows_take_less_than_two_seconds(chatml, tmp_path):
    rows = [{"messages": as_dicts(talk(words(n % 60 + 1) + str(n), words(12)))} for n in range(2000)]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    start = time.perf_counter()
    report = encode(read(path), chatml, 256)
    assert time.perf_counter() - start < 2
    assert (len(report.rows), report.duplicates) == (2000, 0)


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
