"""Generates accessors for a schema and compiles a driver for them with ASan and UBSan."""

import shutil
import subprocess
from pathlib import Path

from base.repository import ROOT
from heapwire.plugin.generate import write_files
from heapwire.plugin.names import file_names
from heapwire.schema import compile_schema
from tests.accessors import types_source
from tests.accessors.script import Builder, step
from tests.common.built import host_programs

HERE = Path(__file__).parent
OUT = ROOT / "build" / "test" / "accessors"


class Driver:
    """The compiled accessors of a schema. Every type is a root of the blob."""

    def __init__(self, name, schema, interface):
        self.schema, self.folder, self.interface = schema, OUT / name, interface
        accessors = self.folder / "accessors"
        shutil.rmtree(accessors, ignore_errors=True)
        paths = write_files(self.schema, accessors, interface)
        written = [path.relative_to(accessors) for path in paths if path.name.endswith(".heapwire.c")]
        names = [str(path).removesuffix(".heapwire.c") + ".proto" for path in written]
        files, known = [self.schema.pool.FindFileByName(name) for name in names], {}
        for file in files:
            file_names(file, known)
        (accessors / "types.c").write_text(types_source.write(files, known))
        self.types = types_source.order(files)
        self.compiled = compile_schema(self.types, interface)
        self.blob = self.folder / "blob"
        self.blob.write_bytes(self.compiled.blob)
        self.program = host_programs(HERE / "host", self.folder, ACCESSORS=accessors) / "driver"

    def index(self, name):
        return next(i for i, kind in enumerate(self.types) if kind.full_name == name)

    def new(self, message, dice):
        """Returns the step that builds a message."""
        return step("N", self.index(message.DESCRIPTOR.full_name)) + Builder(dice).message(message)

    def wire(self, message):
        """Returns the step that reads a message from the wire."""
        data = message.SerializePartialToString(deterministic=True)
        return step("P", self.index(message.DESCRIPTOR.full_name), len(data)) + data

    def viewed(self, message, owned):
        """Returns the step that reads a message from the wire and leaves its strings there: in an array of the heap
        (`owned`), or in memory."""
        data = message.SerializePartialToString(deterministic=True)
        return step("I", self.index(message.DESCRIPTOR.full_name), owned, len(data)) + data

    def in_arenas(self, name, data=b"", empty=True):
        """Returns the step that reads a message into arenas."""
        return step("A", self.index(name), empty, len(data)) + data

    def run(self, *steps, arguments=(), blob=None):
        """Runs a script. Returns the lines that it prints."""
        result = subprocess.run(
            [self.program, blob or self.blob, *arguments], input=b"".join(steps), capture_output=True
        )
        assert result.returncode == 0, result.stdout[-1000:].decode() + result.stderr[-4000:].decode()
        return result.stdout.decode().splitlines()
