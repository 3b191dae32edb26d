"""`heapwire program`: the errors that come before anything is built, the generated code, and how a program ended."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from heapwire import cli
from heapwire.program import run as program_run
from heapwire.program.generate import compilable, generate
from heapwire.program.program import SAFE, ProgramError, read, schemas_of
from heapwire.program.run import Ended
from tests.common.fixtures import refused
from tests.common.run import checked
from tests.host.test_makefile import dry_run

MAIN = "int main(void) { return 0; }\n"
PROTO = 'syntax = "proto3"; package p; message M { string text = 1; }'


@pytest.fixture
def folder(tmp_path):
    """Returns a function that writes files and returns their paths."""

    def write(**files):
        for name, text in files.items():
            (tmp_path / name.replace("_", ".")).write_text(text)
        return [tmp_path / name.replace("_", ".") for name in files]

    return write


def test_a_program_has_c_files_with_a_main(folder, tmp_path):
    (main, other, text) = folder(a_c=MAIN, b_c='/* int main(void) */ // main()\nchar *t = "main()";', c_txt=MAIN)
    assert read([other, main, main], [], None).sources == [other.resolve(), main.resolve()]
    for given, told in (
        ([], "which program.* SRC="),
        ([tmp_path / "no.c"], "SRC: no such file: .*no.c"),
        ([tmp_path], "is no C file"),
        ([text], "c.txt is no C file"),
        ([other], "no main function in .*b.c. What to do"),
    ):
        with refused(told):
            read(given, [], None)


def test_a_path_that_make_would_misread_is_refused(tmp_path):
    (tmp_path / "100%").mkdir()
    (tmp_path / "100%" / "a.c").write_text(MAIN)
    with refused("misread the path .*100%.* What to do: copy"):
        read([tmp_path / "100%" / "a.c"], [], None)


def test_a_path_with_blanks_is_compiled_by_one_without(tmp_path):
    plain, blank = tmp_path / "a.c", tmp_path / "two words" / "my a.c"
    one, other = compilable([plain, blank], tmp_path / "named")
    assert one == plain and " " not in other.name and other.read_text() == f'#include "{blank}"\n'
    stamp = other.stat().st_mtime_ns
    compilable([plain, blank], tmp_path / "named")
    assert other.stat().st_mtime_ns == stamp


def test_schemas_and_data_must_be_there_and_right(folder, tmp_path):
    (main, wrong, empty, text, data) = folder(
        a_c=MAIN, wrong_proto='syntax = "proto3"; mesage M {}', empty_proto='syntax = "proto3";', a_txt=PROTO, a_bin="x"
    )
    for protos, file, told in (
        ([tmp_path / "no.proto"], None, "PROTO: no such file: .*no.proto"),
        ([wrong], None, "wrong.proto does not compile:\n.*wrong.proto:1:20: "),
        ([empty], None, "PROTO: no message type in .*empty.proto"),
        ([text], None, "a.txt is no .proto file"),
        ([], tmp_path / "no.bin", "DATA: no such file: .*no.bin"),
    ):
        with refused(told):
            read([main], protos, file)
    assert read([main], [], data).data == b"x"


def test_generated_headers_come_from_the_schemas(folder, tmp_path):
    (main, header, proto) = folder(
        a_c='#include "own.h"\n// #include "no.pb.h"\n' + MAIN,
        own_h='#include <m.heapwire.h>\n#include "own.h"\n',
        m_proto=PROTO,
    )
    assert read([main], [proto], None).headers == {"m.heapwire.h"}
    with refused(
        f"{header} includes m.heapwire.h. .* m.proto, and that is not in PROTO, which is not given. What to do: "
    ):
        read([main], [], None)
    main.write_text('#include "m.pb.h"\n' + MAIN)
    assert read([main], [proto], None).includes(".pb.h")
    (tmp_path / "m.pb.h").write_text("")  # the user's own
    assert not read([main], [], None).headers


def test_nanopbs_options_are_checked_at_once(folder):
    (main, proto, options) = folder(a_c='#include "m.pb.h"\n' + MAIN, m_proto=PROTO, m_options="p.M.txt max_size:4\n")
    with refused(r"m.options:1: `p.M.txt` matches no message, field or enum"):
        read([main], [proto], None)
    options.write_text("p.M.text max_size:4\n")
    read([main], [proto], None)


def test_code_of_several_schemas(folder, tmp_path, interface):
    """One imports the other, and nanopb's options. Imports come from the folder above; a well-known type, too."""
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "m.proto").write_text(PROTO)
    (main, proto) = folder(
        a_c='#include "n.heapwire.h"\n#include "n.pb.h"\n' + MAIN,
        n_proto="""syntax = "proto3"; package n;
import "nanopb.proto"; import public "lib/m.proto"; import "google/protobuf/timestamp.proto";
message N { p.M m = 1; google.protobuf.Timestamp t = 2; string s = 3 [(nanopb).max_size = 7]; }""",
    )
    program = read([main], [proto, tmp_path / "n.proto"], None)
    out = tmp_path / "out"
    (out / "old").mkdir(parents=True)
    (out / "old" / "old.c").write_text("")
    files = {str(path.relative_to(out)) for path in generate(program, interface, out)}
    assert files == {
        "program.S",
        *(
            f"{name}.{end}.c"
            for name in ("n", "lib/m", "google/protobuf/timestamp")
            for end in ("heapwire", "fields", "pb")
        ),
    }
    assert "char s[7];" in (out / "n.pb.h").read_text() and (out / "schema.bin").stat().st_size % 64 == 0
    stamps = {path: path.stat().st_mtime_ns for path in out.rglob("*")}
    generate(program, interface, out)
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*")} == stamps


def test_other_files_of_one_name_are_refused(folder, tmp_path):
    (main, proto) = folder(a_c=MAIN, m_proto=PROTO)
    (tmp_path / "b").mkdir()
    other = tmp_path / "b" / "m.proto"
    other.write_text(PROTO.replace("package p", "package q"))
    with refused(f"{other} has or imports another file named m.proto"):
        read([main], [proto, other], None)


def test_the_input_is_linked(folder, tmp_path, interface):
    (main, data) = folder(a_c=MAIN, a_bin="six...")
    generate(read([main], [], data), interface, tmp_path / "out")
    first = (tmp_path / "out" / "program.S").read_text()
    assert re.search(r"program_input_length:\n +.long 6\n", first)
    assert re.search(r"program_schema_length:\n +.long 0\n", first)
    data.write_text("SIX...")
    generate(read([main], [], data), interface, tmp_path / "out")
    assert (tmp_path / "out" / "program.S").read_text() != first


def test_headers_before_each_file_and_the_number_of_the_machine(folder, tmp_path, interface):
    (main,) = folder(a_c=MAIN)
    generate(read([main], [], None, ["a/b.h", "c.h"]), interface, tmp_path / "out", machine=1)
    assert (tmp_path / "out" / "before.h").read_text() == '#include "a/b.h"\n#include "c.h"\n'
    assert re.search("program_machine: .long 1\n", (tmp_path / "out" / "program.S").read_text())


def test_an_input_that_leaves_no_room_is_refused(folder, interface, monkeypatch):
    (main, data) = folder(a_c=MAIN, a_bin="x" * 100)
    monkeypatch.setattr("heapwire.interface.load", lambda *_: SimpleNamespace(cluster={"memoryBytes": 1584}))
    with refused("DATA: 100 bytes; at most 99 fit"):
        program_run.build(read([main], [], data), print, print)


def ended(reason="finish", code=0, uart=b""):
    return Ended(Path("x/my.elf"), SimpleNamespace(reason=reason, code=code, cycles=12345, seconds=0.25, uart=uart))


@pytest.mark.parametrize(
    "end, status, summary, problem",
    [
        (ended(), 0, "exit code 0", None),
        (ended(code=3), 3, "exit code 3", "exit code 3"),
        (ended(code=256), 123, "exit code 256", "exit code 256"),
        (ended(code=2**32 - 1), 123, "exit code -1", "exit code -1"),
        (
            ended("max-cycles"),
            1,
            r"no end \(max-cycles\)",
            "not ended after 12,345 cycles. What to do: .*--max-cycles N.*make debug ELF=x/my.elf",
        ),
        (ended("model"), 1, r"no end \(model\)", "ended before the program: model"),
        (
            ended(code=113, uart=b"a\n# trap: mcause 00000004 mepc 40000abc mtval 00000002 ra 40000100\n"),
            113,
            "exit code 113",
            "a load from 0x00000002, .* at 0x40000abc in .*; ra is 0x40000100, .* make debug ELF=x/my.elf",
        ),
        (ended(code=113), 113, "exit code 113", "called abort.*make debug"),
    ],
)
def test_how_a_program_ended(end, status, summary, problem):
    assert end.status == status
    assert re.fullmatch(rf"my: {summary} after 12,345 cycles, 0.2 s of simulation", end.summary)
    assert end.problem is None if problem is None else re.search(problem, end.problem)


def test_the_command_prints_what_the_program_prints(folder, monkeypatch):
    def fake(elf, max_cycles, listen):
        assert (elf, max_cycles) == (Path("x/my.elf"), 77)
        listen(b"one\n")
        listen(b"two")
        return ended(code=5, uart=b"one\ntwo")

    monkeypatch.setattr(program_run, "build", lambda *_, machine, debug: Path("x/my.elf"))
    monkeypatch.setattr(program_run, "run", fake)
    (main,) = folder(a_c=MAIN)
    result = CliRunner(mix_stderr=False).invoke(
        cli.cli, ["program", str(main), "--max-cycles", "77"], catch_exceptions=False
    )
    assert (result.exit_code, result.stdout) == (5, "one\ntwo\n")
    assert result.stderr.splitlines() == [
        "my: exit code 5 after 12,345 cycles, 0.2 s of simulation",
        "heapwire: the program ended with exit code 5",
    ]


@pytest.mark.parametrize("name", ["x$(shell touch pwned).proto", "x'y.proto", "x@y.proto"])
def test_an_imported_file_whose_name_make_would_misread_is_refused(tmp_path, name):
    (tmp_path / name).write_text('syntax = "proto3"; message Inner { int32 a = 1; }')
    outer = tmp_path / "ok.proto"
    outer.write_text(f'syntax = "proto3"; import "{name}"; message Outer {{ Inner inner = 1; }}')
    with pytest.raises(ProgramError, match="make would misread the name of the file"):
        schemas_of([outer])


def test_files_of_different_folders_have_different_objects(tmp_path):
    """Names of a user's objects have @ for /, so no path of a source may have @. make says the names."""
    (tmp_path / "heapwire.json").write_text('{"status": {}}')
    given = "SOURCES=/x/a/b.c /x/a_b.c", f"OUT={tmp_path}", f"GEN={tmp_path}", *"SOC=x NANOPB=x IMAGE=program".split()
    words = "--eval", "told: ; @echo $(call object,$(SOURCES))", "told"
    told = checked("make", "-s", "-C", "firmware", *words, *given)
    assert told.split() == [f"{tmp_path}/objects/@x@{name}.o" for name in ("a@b", "a_b")]
    assert not SAFE.fullmatch("a@b.c") and SAFE.fullmatch("/home/u/a_b+c,d-e.c")


def test_make_checks_a_program_before_it_builds_anything():
    def planned(*words):
        return dry_run(*words, "program").stdout.replace("\\\n", "").splitlines()

    settings = ["SRC=a.c b.c", "PROTO=m.proto n.proto", "DATA=d.bin", "ARGS=--max-cycles 99"]
    command = '-m heapwire program "a.c" "b.c" --proto "m.proto" --proto "n.proto" --data "d.bin"'
    lines = [" ".join(line.split()) for line in planned(*settings)]
    (asked,) = [i for i, line in enumerate(lines) if line.endswith(f"{command} --parse-only --max-cycles 99")]
    assert not [line for line in lines[:asked] if re.search(r"mill|-m sim\.|-C firmware", line)]
    lines = [" ".join(line.split()) for line in planned("-o", "firmware", "-o", "sim", "DEBUG=1", *settings)]
    assert lines[-1].endswith(f"{command} --debug --max-cycles 99")
    assert lines[-2].endswith(f"{command} --debug --parse-only --max-cycles 99")
