"""What a program is linked with takes no names that a program of one's own may want, such as `list_add`."""

import subprocess

from base.repository import ROOT

OBJECTS = ROOT / "build" / "firmware" / "default-128" / "objects"
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
