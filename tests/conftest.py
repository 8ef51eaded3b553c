"""Shared fixtures: a nano model and tokenizer made once, runs kept out of the checkout."""

import os
import signal
import sys

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell's background job; children inherit what is ignored
    signal.signal(signal.SIGINT, signal.default_int_handler)
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import pytest

# ruff: noqa: E402 - helpers are imported once their asserts are registered
HELPERS = ("children", "encode_helpers", "lora_helpers", "run_helpers", "trl_side")
pytest.register_assert_rewrite(*HELPERS)  # before any of them is imported

from data_helpers import lines as lines
from encode_helpers import base as base
from encode_helpers import chatml as chatml
from encode_helpers import llama as llama
from encode_helpers import thinking as thinking
from run_helpers import nano as nano
from run_helpers import rows as rows


@pytest.fixture(scope="session")
def nano_folder():
    from kit.sources import local_path

    return local_path("nano")


@pytest.fixture
def runs_here(tmp_path, monkeypatch):
    """Runs of this test go to its own folder."""
    monkeypatch.setenv("KIT_RUNS", str(tmp_path / "runs"))
    return tmp_path / "runs"


@pytest.fixture
def nano_recipe():
    """A resolved recipe of the nano model on the CPU in fp32: what tests vary."""
    from kit.recipe import Recipe

    def make(**fields):
        defaults = {
            "model": "nano",
            "device": "cpu",
            "precision": "fp32",
            "attention": "sdpa",
            "loss_kernel": "full",
            "method": "lora",
            "max_length": 1024,
        }
        return Recipe(**{**defaults, **fields})

    return make


@pytest.fixture(scope="session")
def ticket_rows(nano_folder):
    """64 encoded training rows of the nano model."""
    from kit import data, encode
    from kit.sources import tokenizer_of

    return encode.encode(data.read("tickets/train.jsonl", limit=64), tokenizer_of(nano_folder), 1024).rows


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    from children import Children

    if sys.platform != "linux":
        pytest.skip("a process that has used torch can be forked safely on Linux only")
    children = Children(tmp_path_factory.mktemp("server"))
    yield children
    children.close()


@pytest.fixture
def children(server, monkeypatch):
    """Runs of this test are forked by the server: half a second each."""
    from kit import console, runs

    monkeypatch.setattr(runs.subprocess, "Popen", server.popen)
    for module in (runs, console):
        monkeypatch.setattr(module, "POLL", 0.02)
    server.before = ""
    return server
