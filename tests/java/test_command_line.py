"""What the tool refuses. It exits with code 1, says what to do and writes no file."""

import shutil

import pytest

from tests.common.run import checked


def javac(folder, text, name="Some"):
    source = folder / f"{name}.java"
    source.write_text(text)
    checked("javac", "--release", "17", "-d", folder, source)


@pytest.fixture
def refused(java, tmp_path):
    """Returns a function that runs the tool, which has to say all these parts on standard error and nothing more."""

    def check(*arguments, told, **options):
        result = java.emit(tmp_path / "out", *arguments, **options)
        assert result.returncode == 1 and result.stdout == "" and "\tat " not in result.stderr
        assert all(part in result.stderr for part in told), result.stderr
        assert not (tmp_path / "out").exists()

    return check


REFUSED = {
    "not.There": ["not.There", "not found", "compile it"],
    "java.util.HashMap.Node": ["java.util.HashMap.Node", "Outer$Inner"],
    "java.util.List": ["interface", "classes that implement it"],
    "int": ["primitive", "int[]"],
    "java.lang.ref.WeakReference": ["java.lang.ref.Reference", "weak references"],
    "java.lang.Class": ["not supported"],
    "java.util.concurrent.ConcurrentHashMap$CounterCell": ["@Contended"],
    "java.lang.Long metadta": ["command line", "metadta", "`metadata`"],
    "java.lang.Long as 7th": ["as C_NAME"],
    "not.There[]": ["not.There", "not found"],
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_by_name(refused, name):
    refused(name, told=REFUSED[name])


def test_no_class(refused):
    refused(told=["name some"])


def test_missing_superclass(java, refused, tmp_path):
    folder = tmp_path / "classes"
    shutil.copytree(java.tricky, folder)
    (folder / "tricky" / "Shapes$Int.class").unlink()
    told = "tricky.Shapes$Int (superclass of tricky.Shapes$LongAfterInt): not found"
    refused("tricky.Shapes$FillsGap", classpath=folder, told=[told])


def test_missing_interface(refused, tmp_path):
    javac(tmp_path, "class Some implements Other {} interface Other {}")
    (tmp_path / "Other.class").unlink()
    refused("Some", classpath=tmp_path, told=["Other (interface of Some): not found"])


def test_uid_that_only_a_run_could_tell(refused, tmp_path):
    uid = "static final long serialVersionUID = System.nanoTime();"
    javac(tmp_path, f"class Some implements java.io.Serializable {{ {uid} }}")
    refused("Some", classpath=tmp_path, told=["Some: serialVersionUID is not a compile-time constant"])


@pytest.mark.parametrize(
    "damage, part",
    [
        (lambda data: data[:6] + b"\0\x7f" + data[8:], "--release 17"),
        (lambda data: data[:40], "not a class file"),
        (lambda data: b"", "not a class file"),
    ],
    ids=["too new", "cut", "empty"],
)
def test_damaged_class_file(refused, tmp_path, damage, part):
    javac(tmp_path, "class Some {}")
    path = tmp_path / "Some.class"
    path.write_bytes(damage(path.read_bytes()))
    refused("Some", classpath=tmp_path, told=["Some", part])


def test_wrong_folder(java, refused, tmp_path):
    folder = tmp_path / "other"
    folder.mkdir()
    shutil.copy(java.shipped / "heapwire" / "tests" / "ListNode.class", folder)
    refused("other.ListNode", classpath=tmp_path, told=["holds heapwire.tests.ListNode"])


def test_no_such_class_path(refused, tmp_path):
    refused("java.lang.Long", classpath=tmp_path / "nowhere", told=["there is no"])


def test_names_that_clash_in_c(java, refused, tmp_path):
    javac(tmp_path, "package a; public class Long { int value; }", "Long")
    refused("java.lang.Long", "a.Long", classpath=tmp_path, told=["HW_CLASS_Long", "`a.Long as OtherName`"])
    result = java.emit(tmp_path / "out", "java.lang.Long", "a.Long as MyLong", classpath=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "#define HW_CLASS_MyLong_value 8\n" in (tmp_path / "out" / "classes.h").read_text()


def test_a_field_that_clashes_with_a_class(refused, tmp_path):
    javac(tmp_path, "public class Some { int part; static class part {} }")
    told = "HW_CLASS_Some_part would stand for Some.part and for Some$part", "`Some$part as OtherName`"
    refused("Some", "Some$part", classpath=tmp_path, told=told)


def test_list_errors_have_a_line(refused, tmp_path):
    path = tmp_path / "classes.txt"
    path.write_text("# mine\njava.lang.Long # a box\n\nnot.There\n")
    refused("--list", path, told=[f"not.There ({path}:4): not found"])
    refused("--list", tmp_path / "none.txt", told=["none.txt"])


def test_constants_that_lack_one(refused, tmp_path):
    header = tmp_path / "heapwire.h"
    refused("java.lang.Long", constants=header, told=["make verilog"])
    header.write_text("#define HW_OBJECT_HEADER_SIZE 8\n")
    refused("java.lang.Long", constants=header, told=["has no HW_OBJECT", "make verilog"])


def test_the_same_again_is_left_alone(java, tmp_path):
    """The output is deterministic. Unchanged files keep their time, so that nothing that depends on them is built
    again."""
    assert java.emit(tmp_path, "java.util.HashMap", "int[]").returncode == 0
    before = {path: (path.stat().st_mtime_ns, path.read_text()) for path in tmp_path.iterdir()}
    assert java.emit(tmp_path, "java.util.HashMap", "int[]").returncode == 0
    assert {path: (path.stat().st_mtime_ns, path.read_text()) for path in tmp_path.iterdir()} == before
    assert len(before) == 5


def test_ids_do_not_move_when_classes_are_added(java, tmp_path):
    assert java.emit(tmp_path / "a", "java.util.HashMap").returncode == 0
    assert (
        java.emit(tmp_path / "b", "java.util.HashMap", "java.util.ArrayList", "java.util.AbstractMap").returncode == 0
    )
    defines = [
        [line for line in (tmp_path / name / "classes.h").read_text().splitlines() if "hw_java_klasses[" in line]
        for name in "ab"
    ]
    assert defines[1][: len(defines[0])] == defines[0] and len(defines[0]) == 3 and len(defines[1]) == 6
