import pytest

from boards import NAMES, board_named
from tests.common import empty_cluster


BOARDS = [board_named(name) for name in NAMES]


@pytest.fixture(params=BOARDS, ids=lambda board: board.name)
def board(request):
    return request.param


@pytest.fixture
def cluster(tmp_path):
    """Makes a cluster without anything in it for a board; returns its folder."""
    def make(board, **changes):
        return empty_cluster.of_board(board, tmp_path / "cluster", **changes)
    return make


@pytest.fixture
def said():
    """Lines that were said; call it to say one."""
    class Said(list):
        __call__ = list.append
    return Said()
