"""Measured memory: the tracker against PyTorch's profiler, which counts in the allocator; the sampler; the limit."""

import gc
import json
import time

import pytest
import torch
from torch.profiler import ProfilerActivity, profile

from kit import adapters, batches, memory, models, optimizers, rundir, step
from kit.memory import MemorySampler, MemoryTracker, held_tensors, nbytes

MIB = 2**20


def one_step(model, optimizer, batch, middle=lambda: None):
    def clip():
        middle()
        return torch.nn.utils.clip_grad_norm_(models.trainable(model), 1.0)

    def update(_norm):
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    return step.train_step(model, [batch], backward=lambda loss: loss.backward(), clip=clip, update=update)


def profiled_peak(profiler):
    """The highest sum of what the CPU allocator gave out and got back, in bytes over the start."""
    events = [e for e in profiler.profiler.kineto_results.events() if e.name() == "[memory]"]
    assert events, "the profiler recorded no allocations"
    live = peak = 0
    for event in sorted(events, key=lambda e: e.start_ns()):
        live += event.nbytes()
        peak = max(peak, live)
    return peak


CASES = {
    "lora": {},
    "full": {"method": "full"},
    "checkpointing": {"gradient_checkpointing": True},
    "nf4 in bf16": {"method": "qlora", "precision": "bf16"},
    "fused loss": {"loss_kernel": "fused"},
    "eager": {"attention": "eager"},
}


@pytest.mark.parametrize("case", CASES)
def test_tracker_counts_what_the_allocator_gave_out(nano_recipe, ticket_rows, case):
    """Two witnesses of one real training step, by different means: peaks within 2 %.

    The tracker follows tensors from birth to death; the profiler hears of every allocation, also of scratch space
    inside an operation, which no tensor shows.
    """
    recipe = nano_recipe(**CASES[case])
    model = adapters.add_adapter(models.load_model(recipe), recipe).train()
    optimizer = optimizers.make_optimizer(recipe, models.trainable(model))
    batch = batches.collate(sorted(ticket_rows, key=lambda row: -len(row.ids))[:8], 0, 32)
    one_step(model, optimizer, batch)  # the optimizer's states are made
    gc.collect()
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        tracker = MemoryTracker()
        tracker.hold([*held_tensors(model, optimizer), *(t for t in batch if isinstance(t, torch.Tensor))])
        before = tracker.live_bytes
        with tracker:
            one_step(model, optimizer, batch)
    theirs = profiled_peak(profiler)
    ours = tracker.peak_bytes - before
    print(f"{case}: tracker {ours / MIB:.2f} MiB, profiler {theirs / MIB:.2f} MiB, {ours / theirs - 1:+.2%}")
    assert theirs > MIB
    assert ours == pytest.approx(theirs, rel=0.02)


def test_tracker_ends_where_it_began(nano_recipe, ticket_rows):
    """What a step makes it also gives back: a second step has the same peak, and nothing stays."""
    recipe = nano_recipe()
    model = adapters.add_adapter(models.load_model(recipe), recipe).train()
    optimizer = optimizers.make_optimizer(recipe, models.trainable(model))
    batch = batches.collate(ticket_rows[:4], 0, 32)
    one_step(model, optimizer, batch)
    peaks, live = [], []
    for _ in range(2):
        tracker = MemoryTracker()
        tracker.hold(held_tensors(model, optimizer))
        with tracker:
            one_step(model, optimizer, batch)
        gc.collect()
        peaks.append(tracker.peak_bytes)
        live.append(tracker.live_bytes - nbytes(held_tensors(model, optimizer)))
    assert peaks[0] == peaks[1]
    assert live == [0, 0]


def test_tracker_counts_storages_not_views():
    tracker = MemoryTracker()
    held = torch.zeros(1000)
    tracker.hold([held, held[10:], held.view(10, 100)])
    assert tracker.live_bytes == 4000
    with tracker:
        kept = torch.ones(500)
        view = kept[100:].view(4, 100)
        gone = kept * 2
        assert tracker.live_bytes == 4000 + 2000 + 2000
        del gone
        assert tracker.live_bytes == 4000 + 2000
        view.add_(1)
        del kept
        assert tracker.live_bytes == 4000 + 2000  # the view keeps the storage alive
        del view
    assert tracker.live_bytes == 4000 and tracker.peak_bytes == 8000


def test_tracker_counts_meta_tensors_alike():
    """The rehearsal's ground: the same count without memory."""
    peaks = []
    for device in ("cpu", "meta"):
        tracker = MemoryTracker()
        with tracker:
            leaf = torch.zeros(64, 64, device=device, requires_grad=True)
            torch.nn.functional.gelu(leaf @ leaf).sum().backward()
        peaks.append(tracker.peak_bytes)
    assert peaks[0] == peaks[1] > 3 * 64 * 64 * 4


def test_the_limit_ends_a_step_as_a_full_device_would():
    tracker = MemoryTracker(limit_bytes=MIB)
    with pytest.raises(torch.OutOfMemoryError, match="limit"), tracker:
        torch.zeros(MIB // 8)
        torch.cat([torch.zeros(MIB // 8)] * 4)
    with MemoryTracker(limit_bytes=MIB):
        torch.zeros(MIB // 8)


@pytest.mark.parametrize(("double_quant", "bits"), [(True, 4.127), (False, 4.5)])
def test_held_tensors_include_the_scales_of_4_bit_weights(double_quant, bits):
    """Dettmers et al. 2023, section 3; the little more is code books."""
    from bitsandbytes.nn import Linear4bit

    layer = Linear4bit(1024, 1024, bias=False, quant_type="nf4", compress_statistics=double_quant).to("cpu")
    assert nbytes(held_tensors(layer)) * 8 / 1024**2 == pytest.approx(bits, abs=0.02)


def test_held_tensors_include_optimizer_states():
    parameter = torch.nn.Parameter(torch.ones(1000))
    optimizer = torch.optim.AdamW([parameter])
    parameter.grad = torch.ones(1000)
    optimizer.step()
    states = held_tensors(torch.nn.Module(), optimizer)
    assert nbytes(states) == pytest.approx(8000, abs=8)


def test_sampler_writes_null_for_what_it_cannot_measure(tmp_path):
    """A CPU has no allocator that torch can ask: the fields are there, and null, never 0; the process' RSS is not."""
    path = tmp_path / "memory.jsonl"
    with MemorySampler("cpu", path):
        time.sleep(memory.INTERVAL * 1.5)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(lines) >= 2
    for line in lines:
        assert list(line) == ["seconds", "rank", "allocated_bytes", "reserved_bytes", "device_bytes", "rss_bytes"]
        assert line["allocated_bytes"] is line["reserved_bytes"] is line["device_bytes"] is None
        assert line["rss_bytes"] > 50 * MIB
    assert [line["seconds"] for line in lines] == sorted(line["seconds"] for line in lines)
    assert rundir.peaks(path) == {"rss_bytes": max(line["rss_bytes"] for line in lines)}


def test_a_cpu_has_no_allocator_peak():
    assert memory.peak_bytes("cpu") is None and memory.peak_bytes("mps") is None


def test_nbytes_counts_shared_storages_once():
    tensor = torch.zeros(100)
    assert nbytes([tensor, tensor[50:], torch.zeros(10)]) == 440
