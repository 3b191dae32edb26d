"""Every pattern of an options file has to match something."""

import subprocess
import sys

import pytest

from heapwire import nanopb
from tests.nanopb.program import ROOT

PROTO = 'syntax = "proto3"; package p; message M { string text = 1; repeated int32 many = 2; } enum E { A = 0; }'


def generate(tmp_path, options, protos=("m.proto",)):
    for name in protos:
        (tmp_path / name).write_text(PROTO.replace("package p", f"package {name[0]}") if name != "m.proto" else PROTO)
    path = tmp_path / "m.options"
    path.write_text(options)
    nanopb.generate(list(protos), tmp_path / "out", [tmp_path], path)


def test_matching_patterns(tmp_path):
    generate(tmp_path, "# comment\np.M.text max_size:9\n\n*.many max_count:3\np.E packed_enum:true\n")
    header = (tmp_path / "out/m.pb.h").read_text()
    assert "char text[9];" in header and "many[3];" in header
    stamp = (tmp_path / "out/m.pb.h").stat().st_mtime_ns
    generate(tmp_path, "p.M.text max_size:9\np.M.many max_count:3\np.E packed_enum:true\n")
    assert (tmp_path / "out/m.pb.h").stat().st_mtime_ns == stamp


@pytest.mark.parametrize("pattern, line", [("p.M.texts", 3), ("M.text", 3), ("p.N.*", 3), ("p.M.Text", 3)])
def test_pattern_that_matches_nothing(tmp_path, pattern, line):
    with pytest.raises(nanopb.NanopbError) as error:
        generate(tmp_path, f"# comment\np.M.text max_size:9\n{pattern} max_size:3\n")
    assert f"m.options:{line}: `{pattern}` matches no message, field or enum of m.proto" in str(error.value)
    assert "`p.M.text`" not in str(error.value)
    assert not (tmp_path / "out").exists()


def test_one_file_for_several(tmp_path):
    """A pattern need match in only one of the files."""
    generate(tmp_path, "p.M.text max_size:9\nq.M.text max_size:7\n", ("m.proto", "q.proto"))
    assert (
        "char text[9];" in (tmp_path / "out/m.pb.h").read_text()
        and "char text[7];" in (tmp_path / "out/q.pb.h").read_text()
    )
    with pytest.raises(nanopb.NanopbError, match="`r.M.text` matches no"):
        generate(tmp_path, "p.M.text max_size:9\nr.M.text max_size:7\n", ("m.proto", "q.proto"))


def test_missing_files(tmp_path):
    (tmp_path / "m.proto").write_text(PROTO)
    with pytest.raises(nanopb.NanopbError, match="no such options file"):
        nanopb.generate(["m.proto"], tmp_path / "out", [tmp_path], tmp_path / "n.options")
    with pytest.raises(nanopb.NanopbError, match="n.proto: no such file"):
        nanopb.generate(["n.proto"], tmp_path / "out", [tmp_path])


def test_command_line(tmp_path):
    """The command line as the firmware's Makefile calls it. It prints a message and no traceback."""
    (tmp_path / "m.proto").write_text(PROTO)
    (tmp_path / "m.options").write_text("p.M.nothing max_size:3\n")
    result = subprocess.run(
        [sys.executable, "-m", "heapwire.nanopb", "-I", str(tmp_path), "-D", str(tmp_path / "out"), "m.proto"],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": f"{ROOT}:{ROOT}/host", "PATH": "/usr/bin:/bin"},
    )
    assert (
        result.returncode == 1
        and "m.options:1: `p.M.nothing` matches no" in result.stderr
        and "Traceback" not in result.stderr
    )
