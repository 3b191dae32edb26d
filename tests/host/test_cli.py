"""The command line."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from base.errors import HeapwireError
from base.repository import ROOT
from heapwire import cli
from heapwire import demo as demo_run
from heapwire.cli import terminal
from heapwire.schema import check_blob
from heapwire.workload.messages import PROTO, demo_cases
from tests.common.fixtures import invoke, refused
from tests.host.fake_monitor import FakeMonitor
from tests.host.served_monitor import Served


def test_it_runs_in_any_folder(tmp_path):
    """Without the path that make exports."""
    elsewhere = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    said = subprocess.check_output(
        [Path(sys.executable).with_name("heapwire"), "demo", "--help"], cwd=tmp_path, env=elsewhere
    )
    assert b"--proto" in said


@pytest.mark.parametrize(
    "command", [("schema", "--proto", PROTO, "--type", "Media", "--output"), ("accessors", PROTO, "-o")]
)
def test_an_output_that_cannot_be_written_is_told(tmp_path, command):
    (tmp_path / "file").write_text("")
    with refused(f"cannot write {tmp_path}/file"):
        invoke(*command, tmp_path / "file" / "out")


def test_a_message_that_is_none_is_refused_before_anything_is_built(tmp_path, monkeypatch):
    (tmp_path / "bad.bin").write_bytes(b"\x0a\x7f")
    monkeypatch.setattr(demo_run, "simulated", lambda *arguments: pytest.fail("it builds"))
    with refused("bad.bin: the official library refuses it as heapwire.demo.MediaContent"):
        invoke("demo", "--proto", PROTO, "--type", "MediaContent", "--data", tmp_path / "bad.bin")


@pytest.fixture
def elsewhere(tmp_path):
    """Returns a schema that imports from another root, which imports it in turn by the name below its own root."""
    for name, text in {
        "api/v1/a.proto": 'package v1; import "v1/b.proto"; message A { optional B b = 1; }',
        "api/v1/b.proto": 'package v1; import "common/c.proto"; message B { optional common.C c = 1; }',
        "third/common/c.proto": "package common; message C { optional int32 x = 1; }",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f'syntax = "proto2"; {text}')
    (tmp_path / "m.bin").write_bytes(bytes.fromhex("0a040a020805"))
    return tmp_path / "api" / "v1" / "a.proto"


def test_imports_of_another_root_are_found_where_it_is_named(elsewhere, tmp_path):
    arguments = "decode", "--proto", elsewhere, "--type", "A", "--data", tmp_path / "m.bin"
    with refused("common/c.proto: File not found.*(?s:.*)What to do: .* -I FOLDER .make: INCLUDE=."):
        invoke(*arguments)
    for folders in (["third"], ["third", "api"], ["api", "third"]):
        assert "x = 5" in invoke(*arguments, *(f"-I{tmp_path / each}" for each in folders)).output
    (tmp_path / "m.c").write_text('#include "common/c.pb.h"\nint main(void) { return v1_A_init_zero.has_b; }')
    program = "program", "--parse-only", tmp_path / "m.c", "--proto", elsewhere
    assert invoke(*program, "-I", tmp_path / "third").exit_code == 0
    with refused("File not found"):
        invoke(*program)


def test_other_mistakes_of_a_schema_need_no_folder(tmp_path):
    (tmp_path / "t.proto").write_text('syntax = "proto2"; message M { optional Nope x = 1; }')
    with pytest.raises(HeapwireError, match='"Nope" is not defined') as error:
        invoke("schema", "--proto", tmp_path / "t.proto", "--type", "M")
    assert "-I" not in str(error.value)


def not_built(path):
    raise HeapwireError(f"{path} is not there")


@pytest.mark.parametrize("built", [False, True])
def test_too_many_types_are_refused_before_anything_is_built(built, tmp_path, monkeypatch):
    text = "".join(f"message T{n} {{ optional T{n + 1} next = 1; }} " for n in range(4200))
    (tmp_path / "t.proto").write_text(f'syntax = "proto2"; {text} message T4200 {{}}')
    (tmp_path / "m.bin").write_bytes(b"")
    (tmp_path / "m.c").write_text("int main(void) { return 0; }")
    if not built:
        monkeypatch.setattr("heapwire.interface._load", not_built)
    with refused("T0 reaches 4201 message types; at most 4096 fit"):
        invoke("demo", "--parse-only", "--proto", tmp_path / "t.proto", "--type", "T0", "--data", tmp_path / "m.bin")
    with refused("reaches 4201 message types; at most 4096 fit"):
        invoke("program", "--parse-only", tmp_path / "m.c", "--proto", tmp_path / "t.proto")


def test_tables_that_cannot_be_made_are_refused_before_anything_is_built(tmp_path):
    """Where heapwire.json is there. The numbers share a place in any hash table: their hashes end in zeros."""
    numbers = [high << 16 for high in range(1, 301)]
    for bit in reversed(range(16)):
        numbers = [n | (n >> bit + 4 ^ n >> bit + 11) % 2 << bit for n in numbers]
    fields = "".join(f"optional int32 f{n} = {n}; " for n in numbers)
    (tmp_path / "t.proto").write_text(f'syntax = "proto2"; message M {{ {fields} }}')
    (tmp_path / "m.bin").write_bytes(b"")
    with refused("300 field numbers collide too often"):
        invoke("demo", "--parse-only", "--proto", tmp_path / "t.proto", "--type", "M", "--data", tmp_path / "m.bin")


def test_a_message_is_parsed_without_a_machine(tmp_path, monkeypatch):
    """What `make demo` asks for before it builds anything."""
    monkeypatch.setattr(demo_run, "simulated", lambda *arguments: pytest.fail("it builds"))
    monkeypatch.setattr("heapwire.interface._load", not_built)
    (tmp_path / "m.bin").write_bytes(b"")
    arguments = "demo", "--parse-only", "--proto", PROTO, "--data", tmp_path / "m.bin", "--type"
    assert invoke(*arguments, "MediaContent").exit_code == 0
    with refused("no message type 'Nope'"):
        invoke(*arguments, "Nope")


@pytest.mark.parametrize(
    "arguments, text",
    [
        (["bench", "--port", "x", "--name", "a/b"], "--name a/b: use letters"),
        (["debug", "--elf", "x.elf", "--cable", "1-4"], "--cable: the simulation has none"),
        (["debug"], "the simulation needs a program"),
    ],
)
def test_a_wrong_argument_is_told_without_a_machine(arguments, text, monkeypatch):
    """What make asks of a command before it builds anything."""
    monkeypatch.setattr("heapwire.interface.load", lambda *_: pytest.fail("it wants a machine"))
    with refused(text):
        invoke(arguments[0], "--parse-only", *arguments[1:])


@pytest.mark.parametrize(
    "arguments",
    [
        ["bench", "--board", "ulx3s", "--resume"],
        ["debug", "--elf", str(ROOT / "build" / "firmware" / "not-yet.elf")],
        ["debug", "--board", "ulx3s", "--cable", "1-4", "--", "-batch"],
    ],
)
def test_right_arguments_need_no_machine_to_be_looked_at(arguments, monkeypatch):
    monkeypatch.setattr("heapwire.interface.load", lambda *_: pytest.fail("it wants a machine"))
    assert invoke(arguments[0], "--parse-only", *arguments[1:]).exit_code == 0


@pytest.mark.parametrize("command", [("schema",), ("decode", "--data"), ("demo", "--data")])
def test_the_entry_of_a_map_is_no_type_of_a_command(tmp_path, command):
    (tmp_path / "m.bin").write_bytes(b"")
    data = [tmp_path / "m.bin"] if "--data" in command else []
    with refused("is the entry of a map"):
        invoke(*command, *data, "--proto", PROTO, "--type", "heapwire.demo.Document.PropertyEntry")


def test_a_schema_without_messages_has_accessors_of_its_enums(tmp_path):
    (tmp_path / "e.proto").write_text('syntax = "proto3"; package t; enum E { A = 0; }')
    assert invoke("accessors", tmp_path / "e.proto", "-o", tmp_path).exit_code == 0
    assert "t_E_A" in (tmp_path / "e.heapwire.h").read_text()


def test_user_group(tmp_path):
    _, cases = demo_cases()
    (tmp_path / "m.bin").write_bytes(cases[0].data)
    group = demo_run.user_group(PROTO, "MediaContent", tmp_path / "m.bin")
    assert group.roots == ["heapwire.demo.MediaContent"] and group.cases[0].name == "m.bin"
    with refused("cannot read"):
        demo_run.user_group(PROTO, "MediaContent", tmp_path / "absent")


def test_schema_command(tmp_path):
    result = invoke("schema", "--proto", PROTO, "--type", "Media", "--output", tmp_path / "blob")
    assert result.exit_code == 0 and "heapwire.demo.Media: 80 bytes" in result.output.replace("\n", "")
    assert check_blob((tmp_path / "blob").read_bytes()) == ["heapwire.demo.Media"]


@pytest.mark.parametrize("fields, by_software", [(511, False), (512, True)])
def test_schema_command_marks_types_that_software_does(fields, by_software, tmp_path):
    """The unknown fields of a message have a presence bit, too."""
    text = " ".join(f"optional int32 f{n} = {n};" for n in range(1, fields + 1))
    (tmp_path / "t.proto").write_text(f'syntax = "proto2"; message M {{ {text} }}')
    result = invoke("schema", "--proto", tmp_path / "t.proto", "--type", "M")
    assert ("by software: more presence bits" in " ".join(result.output.split())) == by_software


def test_decode_command(tmp_path):
    (tmp_path / "m.bin").write_bytes(demo_cases()[1][0].data)
    result = invoke("decode", "--proto", PROTO, "--type", "MediaContent", "--data", tmp_path / "m.bin")
    assert "title = 'Javaone Keynote'" in result.output and "bitrate = 262144" in result.output
    (tmp_path / "bad.bin").write_bytes(b"\x0a\x7f")
    with refused("TRUNCATED at input offset 0"):
        invoke("decode", "--proto", PROTO, "--type", "MediaContent", "--data", tmp_path / "bad.bin")


def test_decode_command_on_a_machine(tmp_path, interface):
    from heapwire import inspect

    (tmp_path / "m.bin").write_bytes(demo_cases()[1][0].data)
    served = Served(
        FakeMonitor(interface, demo_run.user_group(PROTO, "MediaContent", tmp_path / "m.bin").compile(interface))
    )
    link = f"127.0.0.1:{served.port}"
    arguments = "decode", "--proto", PROTO, "--type", "MediaContent", "--data"
    result = invoke(*arguments, tmp_path / "m.bin", "--link", link)
    assert "title = 'Javaone Keynote'" in result.output and "bitrate = 262144" in result.output
    (tmp_path / "bad.bin").write_bytes(b"\x0a\x7f")
    with refused("TRUNCATED at input offset 0"):
        inspect.by_machine(demo_run.user_group(PROTO, "MediaContent", tmp_path / "bad.bin"), link)
    served.close()


@pytest.mark.parametrize(
    "arguments, text",
    [
        (["demo", "--proto", "x.proto"], "missing: --type (make: TYPE=), --data (make: DATA=)"),
        (["schema"], "needs --proto"),
        (["debug", "--elf", "nosuch.elf", "--parse-only"], "nosuch.elf is not there. What to do: "),
        (["debug", "--elf", "build/program/nosuch.elf", "--parse-only"], "nosuch.elf is not there. What to do: "),
        (["schema", "--proto", str(PROTO), "--type", "Nope"], "no message type 'Nope'"),
    ],
)
def test_mistakes_are_explained(arguments, text, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["heapwire", *arguments])
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == 1
    assert text in " ".join(capsys.readouterr().err.split())


def test_help():
    for command in ([], ["demo"], ["bench"], ["schema"], ["decode"], ["debug"]):
        assert "--help" in invoke(*command, "--help").output


def test_lines_are_wrapped_between_words(capsys):
    path = "/very" * 40
    terminal.console.print(f"{'word ' * 30}{path} end\n\n  [last]")
    lines = capsys.readouterr().out.splitlines()
    assert path in lines and lines[-2:] == ["", "  [last]"] and max(map(len, lines)) == len(path)
    assert " ".join(lines).split() == ["word"] * 30 + [path, "end", "[last]"]
