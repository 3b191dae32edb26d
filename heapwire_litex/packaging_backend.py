"""Builds the wheel of heapwire_litex for pip (PEP 517), with the standard library alone.

The wheel contains what setuptools cannot describe. A `.pth` file makes Python run `hook` at its start. The sources of
the generator and of the drivers, which lie elsewhere in the repository, are included for users without the repository.
An editable install uses the package and the sources where they are."""

import base64
import hashlib
import subprocess
import tomllib
import zipfile
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
ROOT = PACKAGE.parent
NAME = "heapwire_litex"
#: Files of the repository that generate a cluster (`generator.py`) and the code of programs (`heapwire.mak`), and the
#: example's (`tools.py`).
SOURCES = (
    "build.sc",
    "tools.env",
    "make/mill",
    "make/scala",
    "make/setup.sh",
    "make/watched",
    "make/debian-packages.txt",
    "accel/src",
    "base/__init__.py",
    "base/errors.py",
    "base/repository.py",
    *(
        f"host/heapwire/{name}"
        for name in (
            *("__init__.py", "interface.py", "wire.py", "nanopb.py", "nanopb_generator.py"),
            *("records", "schema", "plugin", "program/__init__.py", "program/__main__.py"),
            *("program/generate.py", "program/program.py"),
        )
    ),
    *(f"examples/message/{name}" for name in ("greet.c", "guests.proto", "guests.txt")),
)
#: The libraries of firmware/libraries.mk that a user's program may need. Their folders are installed.
LIBRARIES = "litex messages copy fields rpc nanopb udp cereal skyway"
NOT_INSTALLED = {Path(__file__).name, "pyproject.toml", "wheel.py"}
#: Python environment in which all of it is tested: the extra `tested`.
TESTED = ROOT / "make" / "litex-packages.txt"


def project():
    return tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]


def metadata():
    about = project()
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {about['name']}",
        f"Version: {about['version']}",
        f"Summary: {about['description']}",
        f"Requires-Python: {about['requires-python']}",
        *(f"Requires-Dist: {name}" for name in about["dependencies"]),
        "Provides-Extra: tested",
        *(f'Requires-Dist: {name}; extra == "tested"' for name in tested()),
    ]
    return "\n".join(lines) + "\n"


def tested():
    """Returns the pins of the extra `tested`."""
    return [line for line in TESTED.read_text().splitlines() if line and not line.startswith("#")]


def drivers():
    """Returns the folders of firmware/ with LIBRARIES and the libraries that these need."""
    command = ["make", "-s", "-f", ROOT / "firmware" / "libraries.mk", "folders", f"LIBRARIES={LIBRARIES}"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def package_files():
    """Returns the files of the package by their paths in the wheel."""
    files = {
        f"{NAME}/{path.name}": path for path in PACKAGE.iterdir() if path.is_file() and path.name not in NOT_INSTALLED
    }
    for name in SOURCES:
        place = ROOT / name
        for path in [place] if place.is_file() else [*place.rglob("*.scala"), *place.rglob("*.py")]:
            files[f"{NAME}/sources/{path.relative_to(ROOT)}"] = path
    firmware = ROOT / "firmware"
    for name in ("libraries.mk", "programs/program.h", *drivers(), "without"):
        for path in [firmware / name] if (firmware / name).is_file() else (firmware / name).rglob("*"):
            if path.suffix in (".mk", ".c", ".h", ".S"):
                files[f"{NAME}/{path.relative_to(ROOT)}"] = path
    return files


def write(directory, contents):
    """Writes a wheel with these contents (path -> bytes). Returns its name."""
    info = f"{NAME}-{project()['version']}.dist-info"
    contents = contents | {
        f"{info}/METADATA": metadata().encode(),
        f"{info}/entry_points.txt": entry_points().encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: heapwire\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = [
        f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}"
        for path, data in contents.items()
    ]
    name = f"{NAME}-{project()['version']}-py3-none-any.whl"
    with zipfile.ZipFile(Path(directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in contents.items():
            wheel.writestr(path, data)
        wheel.writestr(f"{info}/RECORD", "\n".join([*record, f"{info}/RECORD,,"]) + "\n")
    return name


def entry_points():
    return "".join(["[console_scripts]\n", *(f"{name} = {place}\n" for name, place in project()["scripts"].items())])


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None, more=None):
    """more: files by their paths in the wheel, beside the package's own."""
    files = {path: file.read_bytes() for path, file in sorted((package_files() | (more or {})).items())}
    return write(wheel_directory, files | {f"{NAME}.pth": f"import {NAME}.hook\n".encode()})


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return write(wheel_directory, {f"{NAME}.pth": f"{ROOT}\nimport {NAME}.hook\n".encode()})


def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_editable = get_requires_for_build_wheel
