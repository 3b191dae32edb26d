import importlib

import pytest

from boards import NAMES
from tests.boards import stub


def board_named(name):
    return importlib.import_module(f"boards.{name}").BOARD


BOARDS = [board_named(name) for name in NAMES]


@pytest.fixture(params=BOARDS, ids=lambda board: board.name)
def board(request):
    return request.param


@pytest.fixture
def cluster(tmp_path):
    """Makes a cluster without anything in it for a board; returns its folder."""
    def make(board, **changes):
        config = board.variants[board.default].config
        facts = {"data_width": board.port_bits, "memory_mb": board.memory_mb, "config": config,
                 "debug": "none" if config == "tiny" else board.debug}
        return stub.write(tmp_path / "cluster", **{**facts, **changes})
    return make


@pytest.fixture
def said():
    """Lines that were said; call it to say one."""
    class Said(list):
        __call__ = list.append
    return Said()
