"""Builds firmware images, with nanopb code for any schema compiled in as the peer.

docs/reference/firmware_build.md describes the firmware build and the contents of a folder of peers. nanopb gets
generous options, so that every message of the schema decodes. Strings, bytes and repeated fields come from its arena.
Scalars and sub-messages lie inline, which is nanopb's fastest form; only a recursive sub-message is a pointer."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import Callable, Iterator, Sequence

from google.protobuf import descriptor_pb2
from google.protobuf.descriptor import Descriptor, FieldDescriptor

from base.errors import HeapwireError
from base.repository import ROOT
from heapwire import nanopb, simulation
from heapwire.schema import Schema
from heapwire.schema.proto import in_order
from heapwire.schema.types import closure, schema_id
from heapwire.simulation import Parts

CLASSES = ROOT / "build" / "classes"
"""Folder in which `make classes` puts the klass tables of Java classes."""


NANOPB_FIELD = 16
"""The most bytes that a field takes in nanopb's struct: its has-flag or count, padding, and a scalar or a pointer."""
NANOPB_SHORT = 4095
"""Bytes of the largest struct whose size nanopb's field descriptors of two words can express."""
GENERATOR_SECONDS = 60
"""Time for nanopb's generator, which follows types of types along every path."""


class FirmwareError(HeapwireError):
    """nanopb's generator or the compiler failed."""


def nanopb_can(descriptors: list[Descriptor]) -> bool:
    """Returns whether nanopb supports these types. It does not support groups."""
    return not any(field.type == FieldDescriptor.TYPE_GROUP for d in descriptors for field in d.fields)


def _message_edges(descriptor: Descriptor) -> list[FieldDescriptor]:
    return [field for field in descriptor.fields if field.message_type is not None]


def recursive_fields(descriptors: list[Descriptor]) -> set[str]:
    """Returns the full names of the singular message fields that lead back to their own type."""
    reach: dict[str, set[str]] = {}
    for start in descriptors:
        seen: set[str] = set()
        pending = [field.message_type for field in _message_edges(start)]
        while pending:
            kind = pending.pop()
            if kind.full_name not in seen:
                seen.add(kind.full_name)
                pending += [field.message_type for field in _message_edges(kind)]
        reach[start.full_name] = seen
    return {
        field.full_name
        for start in descriptors
        for field in _message_edges(start)
        if not field.is_repeated
        and (field.message_type is start or start.full_name in reach[field.message_type.full_name])
    }


def _wide_targets(descriptors: list[Descriptor]) -> set[str]:
    """Returns the full names of the types with a pointer to a type whose struct may have more than NANOPB_SHORT bytes.
    nanopb's generator takes the pointer's size where its field descriptors hold that of the struct."""
    pointers = recursive_fields(descriptors)

    def inline(field: FieldDescriptor) -> bool:
        return field.message_type is not None and not field.is_repeated and field.full_name not in pointers

    sizes: dict[str, int] = {}
    pending = list(descriptors)
    while pending:
        descriptor = pending.pop()
        inner = [field.message_type for field in descriptor.fields if inline(field)]
        if unknown := [each for each in inner if each.full_name not in sizes]:
            pending += [descriptor, *unknown]
        else:
            held = sum(sizes[each.full_name] for each in inner)
            sizes[descriptor.full_name] = held + NANOPB_FIELD * len(descriptor.fields)
    return {
        descriptor.full_name
        for descriptor in descriptors
        for field in _message_edges(descriptor)
        if not inline(field) and sizes[field.message_type.full_name] > NANOPB_SHORT
    }


class _Names:
    """The names of types in nanopb's code: `T<number>` for types, as `f<number>` for fields. A schema's own names could
    be C keywords, collide once their dots are gone, or collide with names that nanopb derives (`has_x` of `x`)."""

    def __init__(self, files: list[descriptor_pb2.FileDescriptorProto]) -> None:
        self._of: dict[str, str] = {}
        self._files: dict[str, int] = {}
        for i, file in enumerate(files):
            self._walk(i, f".{file.package}" if file.package else "", "", [*file.message_type, *file.enum_type])

    def _walk(self, file: int, scope: str, renamed: str, types) -> None:
        for each in types:
            old, new = f"{scope}.{each.name}", f"{renamed}.T{len(self._of)}"
            self._of[old], self._files[old] = new, file
            if isinstance(each, descriptor_pb2.DescriptorProto):
                self._walk(file, old, new, [*each.nested_type, *each.enum_type])

    def file(self, name: str) -> int:
        """Returns the number of the file that has a type. The name begins with a dot."""
        return self._files[name]

    def full(self, name: str) -> str:
        """Returns the new full name of a type. Both names begin with a dot."""
        return self._of[name]

    def short(self, name: str) -> str:
        """Returns the last part of the new name."""
        return self._of[name].rsplit(".", 1)[-1]

    def in_c(self, descriptor: Descriptor) -> str:
        """Returns the name of nanopb's struct."""
        return self._of[f".{descriptor.full_name}"].lstrip(".").replace(".", "_")


def _wanted_files(descriptors: list[Descriptor]) -> set[str]:
    """Returns the files of the types, and of the enums of their fields."""
    enums = {
        field.enum_type.file.name
        for descriptor in descriptors
        for field in descriptor.fields
        if field.enum_type is not None
    }
    return enums | {descriptor.file.name for descriptor in descriptors}


def _generator_request(
    files: list[descriptor_pb2.FileDescriptorProto], descriptors: list[Descriptor], called: _Names
) -> bytes:
    """Returns a protoc plugin's request for the files of these types.

    Files are renamed to schema0.proto, schema1.proto ..., so that all output lies in one folder. Types and fields get
    names that are valid in C, and nanopb's options are set on the fields themselves.

    A file imports the files whose types its fields have."""
    from google.protobuf.compiler import plugin_pb2
    from nanopb.generator.proto import nanopb_pb2

    pointers, wide = recursive_fields(descriptors), _wide_targets(descriptors)
    reached = {descriptor.full_name for descriptor in descriptors}
    request = plugin_pb2.CodeGeneratorRequest(parameter="-s fallback_type:FT_POINTER")

    def forget(described, option) -> None:
        """Removes the user's own nanopb options, which could rename, omit or limit fields."""
        described.options.ClearExtension(option)

    def prepare(prefix: str, messages, needed: set[int]) -> None:
        """Renames the messages, marks recursive fields, and drops messages that no root reaches. Adds the files of the
        fields' types to `needed`."""
        for message in list(messages):
            name = f"{prefix}{message.name}"
            forget(message, nanopb_pb2.nanopb_msgopt)
            del message.extension_range[:], message.reserved_range[:], message.reserved_name[:]
            prepare(f"{name}.", message.nested_type, needed)
            if name not in reached:
                del message.field[:], message.oneof_decl[:]
                if not message.nested_type and not message.enum_type:
                    messages.remove(message)
                    continue
            if name in wide:
                message.options.Extensions[nanopb_pb2.nanopb_msgopt].descriptorsize = nanopb_pb2.DS_4
            for field in message.field:
                forget(field, nanopb_pb2.nanopb)
                if f"{name}.{field.name}" in pointers:
                    field.options.Extensions[nanopb_pb2.nanopb].type = nanopb_pb2.FT_POINTER
                field.name = f"f{field.number}"
                field.ClearField("json_name")
                if field.type_name:
                    needed.add(called.file(field.type_name))
                    field.type_name = called.full(field.type_name)
            for i, oneof in enumerate(message.oneof_decl):
                oneof.name = f"o{i}"
            rename_enums(name, message.enum_type)
            message.name = called.short(f".{name}")

    def rename_enums(scope: str, enums) -> None:
        for enum in enums:
            forget(enum, nanopb_pb2.nanopb_enumopt)
            enum.name = called.short(f".{scope}.{enum.name}" if scope else f".{enum.name}")

    for i, file in enumerate(files):
        # Copy through bytes: the copy's class must know the extension that is set.
        copy = descriptor_pb2.FileDescriptorProto.FromString(file.SerializeToString())
        forget(copy, nanopb_pb2.nanopb_fileopt)
        del copy.dependency[:], copy.public_dependency[:], copy.weak_dependency[:], copy.service[:]
        needed: set[int] = set()
        prepare(f"{copy.package}." if copy.package else "", copy.message_type, needed)
        rename_enums(copy.package, copy.enum_type)
        copy.name, copy.package = f"schema{i}.proto", ""
        copy.dependency.extend(f"schema{other}.proto" for other in sorted(needed - {i}))
        request.proto_file.append(copy)
        request.file_to_generate.append(copy.name)
    return request.SerializeToString()


def generate_peers(schema: Schema, type_names: list[str], folder: Path) -> bool:
    """Writes nanopb's code and the registry of the types that `type_names` reach.

    Returns false, and writes nothing, if nanopb does not support one of them. Raises FirmwareError if its generator
    fails."""
    from google.protobuf.compiler import plugin_pb2

    descriptors = closure([schema.descriptor(name) for name in type_names])
    if not nanopb_can(descriptors):
        return False
    wanted = _wanted_files(descriptors)
    files = [file for file in in_order(schema.files) if file.name in wanted]
    called = _Names(files)
    command = [*nanopb.GENERATOR, "--protoc-plugin"]
    request = _generator_request(files, descriptors, called)
    try:
        result = subprocess.run(command, input=request, capture_output=True, timeout=GENERATOR_SECONDS)
    except subprocess.TimeoutExpired:
        raise FirmwareError(f"nanopb's generator did not end within {GENERATOR_SECONDS} seconds") from None
    if result.returncode:
        raise FirmwareError(f"nanopb's generator failed:\n{result.stderr.decode(errors='replace')[-2000:]}")
    response = plugin_pb2.CodeGeneratorResponse.FromString(result.stdout)
    if response.error:
        raise FirmwareError(f"nanopb's generator: {response.error}")
    outputs = {file.name: file.content for file in response.file}
    headers = sorted(name for name in outputs if name.endswith(".h"))
    types = "".join(f'    NANOPB_TYPE("{d.full_name}", {called.in_c(d)}),\n' for d in descriptors)
    includes = "".join(f'#include "{name}"\n' for name in headers)
    outputs["registry.c"] = (
        f'#include "nanopb/registry.h"\n{includes}const struct nanopb_type nanopb_types[] = {{\n{types}}};\n'
        "const unsigned nanopb_type_count = sizeof(nanopb_types) / sizeof(nanopb_types[0]);\n"
        f"const uint32_t nanopb_schema_id = {schema_id(descriptors):#x}u;\n"
    )
    folder.mkdir(parents=True, exist_ok=True)
    for old in [*folder.glob("*.c"), *folder.glob("*.h")]:
        if old.name not in outputs:
            old.unlink()
    for name, content in outputs.items():
        # Unchanged files keep their time, so that make does not compile them again.
        if not (folder / name).is_file() or (folder / name).read_text() != content:
            (folder / name).write_text(content)
    return True


def make(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs make in a folder, without the variables by which an outer make would pass its flags and jobs on."""
    environment = {
        name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")
    }
    return subprocess.run(
        ["make", "--no-print-directory", "-C", str(folder), *arguments], capture_output=True, text=True, env=environment
    )


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Waits until no other process builds in a folder: two makes in one folder would damage the result."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def build(
    image: str,
    parts: Parts,
    out: Path,
    peers: Path | None = None,
    layout: str = "",
    accessors: Path | None = None,
    sources: Sequence[Path] = (),
    warn: Callable[[str], None] = lambda _: None,
    folder: Path = ROOT / "firmware",
    classes: Path = CLASSES,
    **variables: Path | str,
) -> Path:
    """Builds an image and returns its ELF.

    peers, accessors: folders of generated code (docs/reference/firmware_build.md). layout: "" for layout 0, the number
    of another one, or "layouts" for one file with all of them. sources: the files of the image `program`. warn: called
    with the compiler's warnings. folder: that of the Makefile that lists the image. classes: that of its klass
    tables, if it uses any. variables: further ones of that Makefile."""
    for needed, target in ((parts.gen / "heapwire.h", "verilog"), (parts.soc, "sim"), (parts.nanopb, "setup")):
        if not needed.exists():
            raise FirmwareError(f"{needed} is missing: run `make {target}`")
    with alone_in(out):
        result = make(
            folder,
            f"GEN={parts.gen}",
            f"SOC={parts.soc}",
            f"NANOPB={parts.nanopb}",
            f"OUT={out}",
            f"IMAGE={image}",
            f"PYTHON={sys.executable}",
            *([f"CLASSES={classes}"] if (classes / "classes.c").is_file() else []),
            *(f"{name}={value}" for name, value in variables.items()),
            *([f"PEERS={peers}"] if peers else []),
            *([f"ACCESSORS={accessors}"] if accessors else []),
            *(["-j2", f"SOURCES={' '.join(map(str, sources))}"] if sources else []),
            *([f"LAYOUT={layout}" if layout.isdigit() else layout] if layout else []),
        )
    elf = out / f"{image}-{layout}.elf" if layout else out / f"{image}.elf"
    if result.returncode or not elf.is_file():
        raise FirmwareError(f"building the firmware image {image} failed:\n{(result.stdout + result.stderr)[:3000]}")
    if result.stderr:
        warn(result.stderr)
    return elf


def build_for_host(folder: Path, out: Path, **variables: Path | str) -> Path:
    """Builds programs for this host, with sanitizers, in `out`, and returns it. folder: that of the Makefile that lists
    them. variables: those of firmware/host/build.mk; GEN and NANOPB need not be given."""
    parts = simulation.parts()
    words = {"GEN": parts.gen, "NANOPB": parts.nanopb, "OUT": out} | variables
    return _built(f"the host programs of {folder}", folder, ROOT / "build" / "host", words, "-j2")


def build_classes(folder: Path, out: Path, goal: str = "", **variables: Path | str) -> Path:
    """Writes klass tables of Java classes into `out`, and returns it. folder: that of the Makefile, host/java or one
    that calls it. variables: those of host/java/Makefile; GEN and JARS need not be given.
    goal: `library` makes heapwire.jar for a JVM instead."""
    jars = ROOT / os.environ.get("CACHE", ".cache") / "java"
    if not list(jars.glob("*.jar")):
        raise FirmwareError(f"no libraries in {jars}: run `make setup`")
    words = {"GEN": simulation.parts().gen, "JARS": jars, "OUT": out, "PYTHON": sys.executable} | variables
    return _built(f"the klass tables of {folder}", folder, out, words, *filter(None, [goal]))


def _built(what: str, folder: Path, alone: Path, variables: dict[str, Path | str], *options: str) -> Path:
    """Runs make in a folder, without others in the folder `alone`. Returns OUT of the variables."""
    whole = {name: value.resolve() if isinstance(value, Path) else value for name, value in variables.items()}
    with alone_in(alone):
        result = make(folder, *options, *(f"{name}={value}" for name, value in whole.items()))
    if result.returncode:
        raise FirmwareError(f"{what} do not build:\n{(result.stdout + result.stderr)[-3000:]}")
    return variables["OUT"]
