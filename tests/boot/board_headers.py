"""Headers of two boards, without synthesis: one whose memory needs no training, and one whose memory does."""

from boards import ecpix5, ulx3s
from boards.target import BoardSoC
from heapwire_litex.cluster import ClusterDescription
from soc import export
from tests.common import empty_cluster

SDR, DDR3 = ulx3s.BOARD, ecpix5.BOARD


def write(board, folder, **options):
    """Writes the headers of a board's SoC, with `options` of HeapwireSoC, into `folder`/include. Returns that
    folder."""
    cluster = ClusterDescription(empty_cluster.of_board(board, folder / "cluster"))
    soc = BoardSoC(board, board.variants[board.default].part, cluster, board.clock_hz, board.toolchain, **options)
    soc.finalize()
    export.headers(soc, folder / "include")
    return folder / "include"
