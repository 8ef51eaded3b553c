"""Detection from pretended readings, the catalogue, and this machine against what its system says."""

import json
import os
import platform
import runpy
import subprocess
import sys
from dataclasses import replace
from importlib.metadata import distribution, version
from pathlib import Path

import pytest
from file_trees import write

from kit.doctor import as_dict, doctor, doctor_text
from kit.drivers import CardReading, amd, parse_npu_smi
from kit.hardware import Machine, card, detect, disk_free_bytes, machine_from, pretend
from kit.readings import Readings

GIB, MIB = 2**30, 2**20
VERSIONS = {"torch": "2.13.0", "transformers": "5.24.0", "peft": "0.21.2", "bitsandbytes": "0.50.2",
            "accelerate": "1.15.0", "datasets": "5.2.0", "safetensors": "0.8.0"}
LINUX = Readings(
    cpu_name="AMD Ryzen 9", cpu_flags=("avx2",), cores=16, ram_bytes=64 * GIB, ram_free_bytes=50 * GIB,
    swap_bytes=8 * GIB, python="3.12.4", versions=VERSIONS, os_version="6.8.0",
)
CUDA = replace(LINUX, torch_cuda="12.6", nvidia_driver="570.86", driver_cuda="12.8", nvidia_on_bus=1)
RTX_3090 = CardReading(
    "NVIDIA GeForce RTX 3090", "nvidia", uuid="GPU-0a", compute_capability=(8, 6), memory_bytes=24576 * MIB,
    reserved_bytes=300 * MIB, used_bytes=400 * MIB, temperature_celsius=45, power_watts=30.0, power_limit_watts=350.0,
)
T4 = CardReading("Tesla T4", "nvidia", compute_capability=(7, 5), memory_bytes=15360 * MIB, used_bytes=0, ecc=True)
M2 = Readings(
    system="Darwin", os_version="14.5", processor="arm64", cpu_name="Apple M2", cpu_flags=(), cores=8,
    ram_bytes=16 * GIB, ram_free_bytes=9 * GIB, python="3.12.4", versions=VERSIONS,
    cards=(CardReading("Apple M2", "apple", memory_bytes=16 * GIB, cores=10),),
)
NPU_SMI = """
+------------------------------------------------------------------------------------------------+
| npu-smi 23.0.rc2                 Version: 23.0.rc2                                             |
+---------------------------+---------------+----------------------------------------------------+
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+====================================================+
| 0     910B3               | OK            | 93.6        40                0    / 0             |
| 0                         | 0000:C1:00.0  | 0           0    / 0          3306 / 65536         |
+===========================+===============+====================================================+
| 1     910B3               | OK            | -           41                0    / 0             |
| 0                         | 0000:C2:00.0  | 0           0    / 0          3307 / 65536         |
+===========================+===============+====================================================+
| NPU     Chip              | Process id    | Process name             | Process memory(MB)      |
+===========================+===============+====================================================+
| 0       0                 | 12345         | python                   | 112                     |
"""

def wrong(machine: Machine) -> dict[str, str]:
    """What the doctor would fix, with the advice."""
    return {f.what: f.fix for f in doctor(machine, disk_bytes=100 * GIB) if f.ok is False}


def test_two_3090():
    machine = machine_from(replace(CUDA, cards=(RTX_3090, replace(RTX_3090, index=1, uuid="GPU-0b")), nvidia_on_bus=2))
    assert (machine.kind, machine.tier, machine.name) == ("cuda", "multi_gpu", "2 x NVIDIA GeForce RTX 3090")
    first = machine.cards[0]
    assert first.bandwidth_bytes_per_second == 936 * 10**9, "the catalogue completes what the driver tells"
    assert first.usable_bytes == (24576 - 300) * MIB and first.free_bytes == (24576 - 300 - 400) * MIB
    assert first.sources["memory_bytes"] == "NVML" and first.sources["bf16_flops"].startswith("catalogue, RTX-3090")
    assert machine.precision.startswith("bf16") and wrong(machine) == {}


def test_t4_gets_fp16_and_keeps_the_memory_that_ecc_leaves():
    machine = machine_from(replace(CUDA, cards=(T4,)))
    assert (machine.tier, machine.precision) == ("gpu24", "fp16-mixed")
    assert machine.cards[0].memory_bytes == 15360 * MIB and machine.cards[0].fp16_flops == 65 * 10**12
    assert "7.5" in machine.reasons["precision"] and wrong(machine) == {}


def test_a_cuda_card_with_a_cpu_build_of_torch_is_a_finding_with_a_fix():
    machine = machine_from(replace(CUDA, torch_cuda="", versions={**VERSIONS, "torch": "2.13.0+cpu"}, cards=(T4,)))
    assert machine.kind == "cpu" and machine.unusable[0].name == "Tesla T4"
    assert "pytorch.org" in wrong(machine)["Tesla T4"]
    assert "built without CUDA" in machine.reasons["nvidia"]


def test_without_torch_the_card_counts_and_torch_is_missing():
    machine = machine_from(replace(CUDA, versions={}, torch_cuda="", cards=(T4,)))
    assert machine.kind == "cuda" and "not installed" in machine.reasons["kind"]
    assert "pip install" in wrong(machine)["torch"] and "peft" in wrong(machine)


def test_volta_with_a_new_build_and_an_old_driver():
    v100 = CardReading("Tesla V100-SXM2-32GB", "nvidia", compute_capability=(7, 0), memory_bytes=32768 * MIB)
    machine = machine_from(replace(CUDA, torch_cuda="13.0", cards=(v100,)))
    assert machine.cards[0].link == "NVLink 2"
    advice = wrong(machine)
    assert "CUDA 12.6" in advice["torch on Tesla V100-SXM2-32GB"] and "update the driver" in advice["driver and torch"]


def test_m2_mac():
    machine = machine_from(M2)
    assert (machine.kind, machine.tier) == ("mps", "mac") and machine.precision.startswith("bf16")
    assert machine.cards[0].usable_bytes == 16 * GIB * 2 // 3
    assert machine.cards[0].bandwidth_bytes_per_second == 102_400_000_000 and machine.cards[0].fp32_flops is None
    assert machine_from(replace(M2, os_version="13.2")).precision == "fp32"
    assert any(f.what == "4-bit weights" and f.ok is None and "MLX" in f.detail for f in doctor(machine))
    raised = machine_from(replace(M2, metal_wired_limit_bytes=13 * GIB))
    assert raised.cards[0].usable_bytes == 13 * GIB


def test_a_mac_under_rosetta_and_one_without_limits():
    assert "arm64" in wrong(machine_from(replace(M2, cards=(), rosetta=True)))["python's processor"]
    unlimited = replace(M2, environment={"PYTORCH_MPS_HIGH_WATERMARK_RATIO": "0.0"})
    assert any(fix == "unset it" for fix in wrong(machine_from(unlimited)).values())


def test_ascend_from_npu_smi():
    cards = tuple(parse_npu_smi(NPU_SMI))
    assert [one.name for one in cards] == ["Ascend 910B3", "Ascend 910B3"]
    assert cards[0].memory_bytes == 64 * GIB and cards[0].used_bytes == 3306 * MIB
    assert (cards[0].power_watts, cards[0].temperature_celsius) == (93.6, 40)
    with_npu = replace(LINUX, cards=cards, versions={**VERSIONS, "torch-npu": "2.9.0"})
    machine = machine_from(with_npu)
    assert (machine.kind, machine.tier) == ("npu", "multi_gpu") and machine.precision.startswith("bf16")
    assert machine.cards[0].usable_bytes == card("Ascend-910B").usable_bytes
    assert machine.cards[0].fp16_flops is None, "public values conflict: unknown"
    alone = machine_from(replace(with_npu, environment={"ASCEND_RT_VISIBLE_DEVICES": "1"}))
    assert alone.tier == "gpu24"
    assert "torch-npu" in wrong(machine_from(replace(with_npu, versions=VERSIONS)))["2 x Ascend 910B3"]
    assert parse_npu_smi("") == [] and parse_npu_smi("| 0  | a |\n| | | |") == []


def test_bare_cpu():
    machine = machine_from(LINUX)
    assert (machine.kind, machine.tier, machine.precision) == ("cpu", "cpu", "fp32")
    assert machine.cards[0].kind == "cpu" and machine.cards[0].memory_bytes == 64 * GIB
    assert machine.cards[0].fp32_flops is None and wrong(machine) == {}
    nothing = machine_from(Readings())
    assert nothing.cores == 1 and nothing.precision == "fp32" and nothing.cpu_flags is None


def test_container_limit_below_the_ram():
    boxed = replace(LINUX, cgroup_limit_bytes=4 * GIB, cgroup_used_bytes=1 * GIB, cpu_quota=1.5, container="docker")
    machine = machine_from(boxed)
    assert (machine.ram_bytes, machine.ram_free_bytes, machine.cores) == (4 * GIB, 3 * GIB, 2)
    assert "64 GiB" in machine.reasons["ram"] and "16" in machine.reasons["cores"]
    tight = machine_from(replace(boxed, cgroup_used_bytes=3 * GIB))
    assert "container" in wrong(tight)["RAM"]
    roomy = machine_from(replace(LINUX, cgroup_limit_bytes=999 * GIB))
    assert roomy.ram_bytes == 64 * GIB and "ram" not in roomy.reasons


def test_nvml_broken():
    machine = machine_from(replace(CUDA, cards=(), nvml_error="RM has detected an NVML/RM version mismatch."))
    assert machine.kind == "cpu" and "reboot" in wrong(machine)["NVIDIA driver"]


def test_a_card_on_the_bus_without_a_driver():
    naked = replace(LINUX, nvidia_on_bus=1)
    assert "install the NVIDIA driver" in wrong(machine_from(naked))["NVIDIA driver"]
    assert "--gpus all" in wrong(machine_from(replace(naked, container="docker")))["NVIDIA driver"]


@pytest.mark.parametrize(
    ("value", "left"), [("1", 1), ("0,1", 2), ("", 0), ("-1", 0), ("GPU-0b", 1), ("1,9,0", 1), ("GPU-0b,0", 2)]
)
def test_visible_devices_are_read_as_cuda_reads_them(value, left):
    cards = (RTX_3090, replace(RTX_3090, index=1, uuid="GPU-0b"))
    machine = machine_from(replace(CUDA, cards=cards, environment={"CUDA_VISIBLE_DEVICES": value}))
    assert sum(one.kind == "cuda" for one in machine.cards) == left
    assert f"leaves {left} of 2" in machine.reasons["CUDA_VISIBLE_DEVICES"]


def test_unlike_cards_and_mig_slices():
    mixed = machine_from(replace(CUDA, cards=(RTX_3090, replace(T4, index=1))))
    assert mixed.name == "NVIDIA GeForce RTX 3090 + Tesla T4"
    assert any(f.what == "unlike cards" for f in doctor(mixed))
    part = CardReading("NVIDIA A100-SXM4-80GB MIG 1g.10gb", "nvidia", memory_bytes=9856 * MIB, mig=True)
    sliced = machine_from(replace(CUDA, cards=(part, part)))
    assert sliced.tier == "gpu24" and "one MIG slice" in sliced.reasons["mig"]
    assert sliced.cards[0].bf16_flops is None, "a slice is not the whole card"


def test_a_name_with_another_memory_size_is_another_card():
    small = CardReading("NVIDIA GeForce RTX 3060", "nvidia", compute_capability=(8, 6), memory_bytes=8 * GIB)
    assert machine_from(replace(CUDA, cards=(small,))).cards[0].bandwidth_bytes_per_second is None
    laptop = CardReading("NVIDIA GeForce RTX 4090 Laptop GPU", "nvidia", memory_bytes=16 * GIB)
    assert machine_from(replace(CUDA, cards=(laptop,))).cards[0].bf16_flops is None


def test_a_card_whose_memory_is_unknown_does_not_break_anything():
    machine = machine_from(replace(CUDA, cards=(CardReading("NVIDIA GB10", "nvidia", compute_capability=(12, 1)),)))
    assert machine.cards[0].memory_bytes is None
    assert any("unknown" in f.detail for f in doctor(machine, disk_bytes=0) if f.what.startswith("memory of device"))


def test_hot_throttled_and_busy():
    hot = replace(RTX_3090, temperature_celsius=91, power_limit_watts=200.0, used_bytes=20 * GIB)
    notes = {f.what: f for f in doctor(machine_from(replace(CUDA, cards=(hot,))), disk_bytes=10**12)}
    assert "fans" in notes["health of device 0"].fix
    assert "nvidia-smi" in notes["memory of device 0 (NVIDIA GeForce RTX 3090)"].fix
    cool = replace(hot, temperature_celsius=40)
    notes = {f.what: f for f in doctor(machine_from(replace(CUDA, cards=(cool,))), disk_bytes=10**12)}
    assert "raises the limit" in notes["health of device 0"].fix


def test_amd_from_sysfs(tmp_path: Path):
    files = {
        "sys/class/kfd/kfd/topology/nodes/0/properties": "cpu_cores_count 16\ngfx_target_version 0\n",
        "sys/class/kfd/kfd/topology/nodes/1/properties": "gfx_target_version 90402\ndrm_render_minor 128\n",
        "sys/class/kfd/kfd/topology/nodes/2/properties": "gfx_target_version 100306\ndrm_render_minor 129\n",
        "sys/class/drm/renderD128/device/mem_info_vram_total": str(196592 * MIB),
        "sys/class/drm/renderD128/device/mem_info_vram_used": str(300 * MIB),
        "sys/class/drm/renderD128/device/product_name": "AMD Instinct MI300X",
        "sys/class/drm/renderD128/device/hwmon/hwmon3/temp1_input": "41000\n",
        "sys/class/drm/renderD129/device/mem_info_vram_total": str(512 * MIB),
    }
    write(tmp_path, files)
    cards = tuple(amd(tmp_path))
    assert [one.name for one in cards] == ["AMD Instinct MI300X"], "a GPU that is part of a CPU does not count"
    assert (cards[0].architecture, cards[0].temperature_celsius) == ("gfx942", 41)
    machine = machine_from(replace(LINUX, cards=cards, torch_hip="6.4"))
    assert (machine.kind, machine.tier) == ("cuda", "gpu24") and machine.precision.startswith("bf16")
    assert machine.cards[0].bandwidth_bytes_per_second == 5300 * 10**9
    assert "ROCm" in wrong(machine_from(replace(LINUX, cards=cards)))["AMD Instinct MI300X"]


def test_this_machine_is_what_its_system_says():
    machine = detect()
    assert machine.python == platform.python_version()
    assert machine.versions["torch"] == version("torch")
    facts = runpy.run_path(str(distribution("torch").locate_file("torch/version.py")))
    assert machine.torch_cuda == (facts["cuda"] or "") and machine.torch_hip == (facts["hip"] or "")
    assert 1 <= machine.cores <= (os.cpu_count() or 1)
    assert 0 < machine.ram_free_bytes <= machine.ram_bytes
    meminfo = Path("/proc/meminfo")
    if meminfo.exists() and "ram" not in machine.reasons:
        assert machine.ram_bytes == int(meminfo.read_text(encoding="utf-8").split()[1]) * 1024
    assert machine.disk_free_bytes("some/folder/that/is/not/there") == pytest.approx(disk_free_bytes("."), rel=0.1)


def test_detection_imports_no_torch_starts_no_cuda_and_is_quick():
    """A kernel that has touched CUDA can no longer fork (accelerate#940); importing torch takes seconds."""
    code = (
        "import sys, time\nfrom kit.hardware import detect\nfrom kit.doctor import doctor\n"
        "start = time.perf_counter()\ndoctor(detect())\nours = time.perf_counter() - start\n"
        "print(sorted({'torch', 'transformers', 'numpy', 'bitsandbytes'} & set(sys.modules)))\n"
        "start = time.perf_counter()\nimport torch\nprint(ours, time.perf_counter() - start)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", check=True)
    modules, seconds = done.stdout.splitlines()[:2]
    ours, torch_import = map(float, seconds.split())
    assert modules == "[]" and ours < torch_import, "a fiftieth of it when the machine is idle"


def test_machines_survive_json():
    for readings in (replace(CUDA, cards=(RTX_3090,)), M2, LINUX):
        machine = machine_from(readings)
        assert Machine.model_validate_json(machine.model_dump_json()) == machine
        result = as_dict(machine, doctor(machine, disk_bytes=10**12))
        assert json.loads(json.dumps(result))["ok"] is True


def test_the_text_can_be_pasted():
    machine = machine_from(replace(CUDA, cards=(RTX_3090,), versions={**VERSIONS, "peft": "0.9.0"}))
    text = doctor_text(machine, doctor(machine, disk_bytes=1 * GIB))
    for part in ("2 things to fix", "peft 0.9.0", "driver 570.86", "RTX 3090", "python 3.12.4", "-> pip install 'peft"):
        assert part in text
    assert str(Path.home()) not in text or Path.home() == Path("/")
    assert "GPU-0a" not in text, "no serial numbers"


def test_pretended_machines():
    machine = pretend(card("V100-32GB"), 8, machine=machine_from(LINUX))
    assert (machine.kind, machine.tier, machine.precision, len(machine.cards)) == ("cuda", "multi_gpu", "fp16-mixed", 8)
    mac = pretend(card("M2-16GB"), machine=machine_from(LINUX))
    assert (mac.kind, mac.tier, mac.system) == ("mps", "mac", "Darwin")
