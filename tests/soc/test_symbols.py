"""What a program is linked with takes no names that a program of one's own may want, such as `list_add`."""

import subprocess

from base.repository import ROOT
from heapwire import simulation
from tests.common.run import RISCV, checked

FIRMWARE = ROOT / "build" / "firmware" / "default-128"
OBJECTS = FIRMWARE / "objects"
LIBRARY = ("platform", "units", "runtime", "packet", "copy", "protobuf", "cereal", "skyway", "thread")
PREFIXES = ("hw_", "protobuf_", "cereal_", "skyway_", "nanopb_", "__")
OF_C = {"_start", "_exit", "abort", "memcpy", "memmove", "memset", "stdout", "stderr"}


def test_names_have_a_prefix():
    objects = [path for folder in LIBRARY for path in sorted(OBJECTS.glob(f"firmware_{folder}_*.o"))]
    assert len(objects) > 50
    listed = subprocess.run(
        ["riscv64-unknown-elf-nm", "--extern-only", "--defined-only", "--format=posix", "--print-file-name", *objects],
        capture_output=True,
        text=True,
        check=True,
    )
    names = {line.split(": ")[1].split()[0] for line in listed.stdout.splitlines() if ": " in line}
    assert {name for name in names if not name.startswith(PREFIXES)} <= OF_C
    assert "hw_trap" in names


def test_the_drop_in_is_for_cpp_too(tmp_path):
    """docs/howto/beside.md"""
    parts = simulation.parts("default")
    (tmp_path / "user.cpp").write_text("""extern "C" {
#include "copy/copy.h"
#include "units/capability.h"
}
#include <pb_decode.h>
bool read(pb_istream_t *stream, const pb_msgdesc_t *fields, void *message) {
    hw_capability_discover();
    return pb_decode(stream, fields, message);
}
""")
    folders = (
        ROOT / "firmware",
        parts.gen,
        parts.soc / "include",
        ROOT / "soc/include",
        FIRMWARE / "generated",
        parts.nanopb,
    )
    flags = "-std=c++17 -O2 -march=rv32ima -misa-spec=2.2 -mabi=ilp32 --specs=picolibc.specs -Wall -Werror".split()
    flags += ['-DPB_SYSTEM_HEADER="nanopb/config.h"', "-include", "protobuf/nanopb/drop_in.h"]
    checked(
        f"{RISCV}g++", *flags, *(f"-I{folder}" for folder in folders), "-c", "user.cpp", "-o", "user.o", cwd=tmp_path
    )
    undefined = checked(f"{RISCV}nm", "-u", tmp_path / "user.o").split()
    assert undefined == ["U", "hw_capability_discover", "U", "hw_pb_decode"]
