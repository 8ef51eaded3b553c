"""Drivers and limits read from a pretended file system."""

from pathlib import Path

from file_trees import write

from kit.drivers import nvidia_on_bus
from kit.readings import cgroup

GIB = 2**30


def test_cgroup_limits_v2_and_v1(tmp_path: Path):
    v2, v1 = tmp_path / "v2", tmp_path / "v1"
    write(v2, {
        "proc/self/cgroup": "0::/user.slice/job\n",
        "sys/fs/cgroup/user.slice/memory.max": str(8 * GIB), "sys/fs/cgroup/user.slice/memory.current": str(3 * GIB),
        "sys/fs/cgroup/user.slice/memory.stat": f"anon 5\ninactive_file {GIB}\n",
        "sys/fs/cgroup/user.slice/job/memory.max": "max\n", "sys/fs/cgroup/user.slice/job/cpu.max": "150000 100000\n",
    })
    assert cgroup(v2) == (8 * GIB, 2 * GIB, 1.5)
    write(v1, {
        "proc/self/cgroup": "4:memory:/docker/ab\n1:cpu,cpuacct:/docker/ab\n",
        "sys/fs/cgroup/memory/memory.limit_in_bytes": str(2 * GIB),
        "sys/fs/cgroup/memory/memory.usage_in_bytes": str(GIB),
        "sys/fs/cgroup/memory/docker/ab/memory.limit_in_bytes": str(9223372036854771712),
        "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n", "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
    })
    assert cgroup(v1) == (2 * GIB, GIB, None)
    assert cgroup(tmp_path / "nothing") == (None, None, None)


def test_nvidia_on_the_bus(tmp_path: Path):
    write(tmp_path, {
        "sys/bus/pci/devices/a/vendor": "0x10de\n", "sys/bus/pci/devices/a/class": "0x030200\n",
        "sys/bus/pci/devices/b/vendor": "0x10de\n", "sys/bus/pci/devices/b/class": "0x040300\n",
        "sys/bus/pci/devices/c/vendor": "0x8086\n", "sys/bus/pci/devices/c/class": "0x030000\n",
    })
    assert nvidia_on_bus(tmp_path) == 1
