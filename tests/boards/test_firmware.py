"""The programs of a board, linked for its memory."""

import json
import shutil
import sys
from types import SimpleNamespace

import pytest

from boards import firmware, target
from heapwire import simulation
from tests.boards.conftest import BOARDS
from tests.common import empty_cluster
from tests.common.fixtures import refused
from tests.common.run import symbols

BASE = 0x4000_0000
SMALL = [board for board in BOARDS if board.memory_mb == 8]
SIMULATED = 256 << 20
"""Bytes of main memory of the simulated board at 128 bits."""


@pytest.fixture(scope="module", params=SMALL, ids=lambda board: board.name)
def small(request, tmp_path_factory):
    """Returns a board with 8 MB: its programs, and `link`, which links more programs, or for another memory, from the
    same objects."""
    folder, board = tmp_path_factory.mktemp(request.param.name), request.param
    cluster = empty_cluster.of_board(board, folder / "cluster")
    # These are the same for all configurations: the header, and what describes the instructions and statuses.
    shutil.copy(simulation.parts().gen / "heapwire.h", cluster)
    facts = json.loads((simulation.parts().gen / "heapwire.json").read_text())
    described = cluster / "heapwire.json"
    described.write_text(json.dumps(facts | json.loads(described.read_text())))
    with pytest.MonkeyPatch.context() as patch:
        flags = "--firmware", "--no-compile-software", "--cluster", str(cluster), "--output-dir", str(folder / "soc")
        patch.setattr(sys, "argv", ["board", *flags])
        patch.setattr(firmware, "build", lambda *_: None)
        target.run(board, lambda _: None)

    def link(*images, memory=board.memory_mb << 20, layout=0):
        regions = folder / f"soc{memory}" / "include"
        if not regions.exists():
            shutil.copytree(folder / "soc" / "include", regions)
            script = regions / "generated" / "regions.ld"
            old = f"LENGTH = {board.memory_mb << 20:#010x}"
            assert script.read_text().count(old) == 1
            script.write_text(script.read_text().replace(old, f"LENGTH = {memory:#010x}"))
        for file in (folder / "out").glob("*.elf"):
            file.unlink()
        firmware.programs(cluster, regions.parent, folder / "out", images or firmware.IMAGES, LAYOUT=str(layout))
        return {file.stem: symbols(file) for file in (folder / "out").glob("*.elf")}

    return SimpleNamespace(link=link, out=folder / "out")


def test_the_programs_fit_a_small_board(small):
    linked = small.link()
    assert set(linked) == {"monitor"}
    for name, found in linked.items():
        assert (small.out / f"{name}.bin").stat().st_size > 10_000
        assert found["_start"] == BASE and found["bss_end"] + (64 << 10) <= found["stack_top"] == BASE + (1 << 20) - 64
        # Where the mark of another layout would be, the program has its exit code. Behind the program may be anything.
        assert found["next_slot"] + 4 == found["hw_image_code"]
    assert linked["monitor"]["bss_end"] + (64 << 10) > BASE + (8 << 20) // 64, (
        "of this size a slot would do, and nothing is shown"
    )


def test_layouts_stay_in_their_slots(small, capfd):
    for layout in (0, 3):
        [found] = small.link("monitor", memory=SIMULATED, layout=layout).values()
        end = BASE + (layout + 1) * SIMULATED // 64
        assert found["slot_start"] == end - SIMULATED // 64 and found["next_slot"] == end
        assert found["stack_top"] == end - 64 - 544 * layout
    with refused("firmware does not build; the first error above says why"):
        small.link("monitor", layout=1)
    assert "one of several layouts a slot of 1/64" in capfd.readouterr().err


def test_a_board_builds_what_is_of_use_there(monkeypatch, tmp_path, said):
    made = []
    monkeypatch.setattr(firmware, "_make", lambda folder, **variables: made.append(variables.get("IMAGE")))
    monkeypatch.delenv("IMAGE", raising=False)
    firmware.build(tmp_path, tmp_path, "ulx3s", said)
    monkeypatch.setenv("IMAGE", "monitor batch")
    firmware.build(tmp_path, tmp_path, "ulx3s", said)
    assert made == [None, "monitor", None, "monitor batch"]
