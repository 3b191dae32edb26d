import pytest
from migen.fhdl import tracer

from boards import boards
from tests.common import empty_cluster

BOARDS = list(boards().values())


@pytest.fixture(autouse=True)
def no_signals_of_other_tests():
    """Has Migen forget the objects of a test's SoCs. It looks through all of them whenever it names a signal. Where a
    suite makes dozens of SoCs, that takes more than half of the time."""
    yield
    tracer.name_to_idx.clear()
    tracer.classname_to_objs.clear()


@pytest.fixture(params=BOARDS, ids=lambda board: board.name)
def board(request):
    return request.param


@pytest.fixture
def cluster(tmp_path):
    """Returns a function that makes an empty cluster for a board and returns its folder."""

    def make(board, **changes):
        return empty_cluster.of_board(board, tmp_path / "cluster", **changes)

    return make


@pytest.fixture
def said():
    """Returns a list of printed lines. Calling the list appends one."""

    class Said(list):
        __call__ = list.append

    return Said()
