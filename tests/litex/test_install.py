"""What pip installs, and from where the build takes clusters."""

import re
import subprocess
import zipfile

import pytest

from base.repository import ROOT
from heapwire_litex import generator, wheel
from heapwire_litex.cluster import Request, key, obtain
from heapwire_litex.configurations import Variants, bases
from heapwire_litex.generator import sources
from heapwire_litex.packaging_backend import package_files
from tests.common import empty_cluster
from tests.common.run import script

KNOWN = "from litex.soc.cores.cpu import CPUS; print(*CPUS['heapwire'].variants)"


def test_litex_knows_the_cpu_from_everywhere(user):
    assert user.run("python", "-c", KNOWN, cwd="/").split() == list(Variants())


def test_a_variant_is_any_configuration():
    assert list(Variants()) == ["standard", *(base.name.replace("-", "_") for base in bases())]
    assert "cereal_vanilla_x4" in Variants() and "cereal_x9" not in Variants() and "cereal_e32_x2" not in Variants()


def test_python_starts_without_litex(user, tmp_path):
    ours = "name for name in sys.modules if name.split('.')[0] in ('heapwire_litex', 'litex', 'migen')"
    said = user.run("python", "-c", f"import sys; print(*({ours}))", cwd=tmp_path)
    assert said.split() == ["heapwire_litex", "heapwire_litex.hook"]


def test_what_is_installed_generates_the_same(user, tmp_path):
    """The installed sources lie in another folder and have the same content. The cluster's key in the cache is
    therefore the same."""
    request = Request("tiny", 32, 64)
    code = (
        "from heapwire_litex.cluster import Request, key; from heapwire_litex.generator import sources; "
        "print(sources()); print(key(Request('tiny', 32, 64), sources()))"
    )
    folder, name = user.run("python", "-c", code, cwd=tmp_path).split()
    assert not folder.startswith(str(ROOT / "accel")) and folder != str(ROOT)
    assert name == key(request, sources())


def test_a_long_step_says_that_it_goes_on(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(generator, "SILENCE", 0.2)
    generator.command(["sleep", "1"], tmp_path)
    assert "sleep 1 has run for" in capsys.readouterr().err
    with pytest.raises(RuntimeError, match="false -x failed"):
        generator.command(["false", "-x"], tmp_path)


def test_protoc_finds_the_plugin(user, tmp_path):
    (tmp_path / "shop.proto").write_text('syntax = "proto3"; package shop; message Order { int32 count = 1; }')
    user.run("python", "-m", "grpc_tools.protoc", "-I.", "--heapwire_out=.", "shop.proto", cwd=tmp_path)
    assert "shop_Order_set_count" in (tmp_path / "shop.heapwire.h").read_text()


def test_the_wheel_has_the_clusters(tmp_path, monkeypatch):
    """`make wheel`, with other files in the clusters' place."""
    monkeypatch.setenv("HEAPWIRE_CACHE", str(tmp_path / "clusters"))
    for request in wheel.CLUSTERS:
        folder = tmp_path / "clusters" / key(request, sources())
        empty_cluster.write(folder, request.data_width, request.memory_mb, "none", request.config, ports=1)
    monkeypatch.setattr("sys.argv", ["wheel", str(tmp_path)])
    wheel.main()
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as packed:
        names = packed.namelist()
    for request in wheel.CLUSTERS:
        assert f"heapwire_litex/clusters/{key(request, sources())}/heapwire.json" in names
    assert any(re.fullmatch(r"heapwire_litex/clusters/configurations-\w+\.json", name) for name in names)


def test_installed_scripts_have_what_they_read():
    installed = {name.removeprefix("heapwire_litex/sources/"): path for name, path in package_files().items()}
    wanted = {
        file
        for name in (f"make/{script}" for script in generator.SCRIPTS)
        for file in re.findall(r'^source "?(?:\$root/)?([\w./]+)', installed[name].read_text(), re.MULTILINE)
    }
    assert {"make/watched", "tools.env"} <= wanted <= set(installed)


def test_installed_drivers_have_the_headers_that_they_include():
    """Headers of the C library and of LiteX lie elsewhere."""
    installed = {name.removeprefix("heapwire_litex/firmware/"): path for name, path in package_files().items()}
    wanted = {
        (name, header)
        for name, path in installed.items()
        if path.suffix in (".c", ".h")
        for header in re.findall(r'#include "([^"]+)"', path.read_text())
        if (ROOT / "firmware" / header).is_file()
    }
    assert len(wanted) > 100 and {(name, header) for name, header in wanted if header not in installed} == set()


@pytest.fixture
def copy(tmp_path):
    """Returns a folder of sources that a test may change."""
    root = tmp_path / "sources"
    for folder in ("accel/src", "host/heapwire/records"):
        (root / folder).mkdir(parents=True)
    for name, text in {
        "build.sc": "build",
        "tools.env": "MILL_VERSION=1\nKRYO_VERSION=1\n",
        "accel/src/A.scala": "class A",
    }.items():
        (root / name).write_text(text)
    return root


@pytest.mark.parametrize(
    "name, text, other",
    [
        ("build.sc", "another", True),
        ("accel/src/A.scala", "class B", True),
        ("accel/src/B.scala", "class A", True),
        ("host/heapwire/records/a.py", "A = 1", True),
        ("tools.env", "MILL_VERSION=2\nKRYO_VERSION=1\n", True),
        ("tools.env", "MILL_VERSION=1\nKRYO_VERSION=2\n", False),
    ],
)
def test_the_cache_knows_sources_by_their_content(copy, name, text, other):
    request = Request("tiny", 32, 64)
    before = key(request, copy)
    (copy / name).write_text(text)
    assert (key(request, copy) != before) == other


def test_the_cache_knows_what_is_asked_for(copy):
    shapes = [Request("tiny", 32, 64), Request("bare", 32, 64), Request("tiny", 64, 64), Request("tiny", 32, 8)]
    options = {"debug": "tap"}, {"unit_clock_divider": 2}, {"dram_ports": 2}
    requests = [*shapes, *(Request("tiny", 32, 64, **option) for option in options)]
    assert len({key(request, copy) for request in requests}) == len(requests)


def test_a_generator_that_fails_leaves_nothing(monkeypatch, tmp_path):
    monkeypatch.setenv("HEAPWIRE_CACHE", str(tmp_path))
    tools = {"PATH": "/usr/bin:/bin", "CACHE": str(tmp_path / "make")}
    monkeypatch.setattr(generator, "_workplace", lambda root: (tmp_path, tools))
    (tmp_path / "make").mkdir()
    (tmp_path / "tools.env").write_text("MILL_VERSION=1\n")
    script(tmp_path / "make" / "setup.sh", "#!/bin/sh\n")
    script(tmp_path / "make" / "scala", "#!/bin/sh\nmkdir -p ${15}\necho no memory like that\nexit 1\n")
    with pytest.raises(RuntimeError, match="no memory like that"):
        obtain(Request("tiny", 32, 3), say=lambda text: None)
    assert {path.name for path in tmp_path.iterdir()} == {"lock", "make", "tools.env"}


def test_a_machine_without_java_is_told(monkeypatch, tmp_path):
    monkeypatch.setenv("HEAPWIRE_CACHE", str(tmp_path))
    monkeypatch.setattr(generator, "_workplace", lambda root: pytest.fail("it looks for Java later"))
    monkeypatch.setattr(generator.shutil, "which", lambda name: None)
    with pytest.raises(RuntimeError, match="What to do: apt-get install openjdk-17"):
        obtain(Request("tiny", 32, 4), say=lambda text: None)


def test_uninstalled_it_is_gone(user, tmp_path):
    home = tmp_path / "another"
    subprocess.run(["python3", "-m", "venv", home], check=True)
    user.run(
        home / "bin" / "pip", "install", "--quiet", "--no-index", "--no-deps", ROOT / "heapwire_litex", cwd=tmp_path
    )
    user.run(home / "bin" / "python", "-c", "import heapwire_litex.hook", cwd=tmp_path)
    user.run(home / "bin" / "pip", "uninstall", "--quiet", "--yes", "heapwire-litex", cwd=tmp_path)
    assert not list(home.glob("lib/python3*/site-packages/heapwire*"))
