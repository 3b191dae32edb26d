"""A board's cluster: generated for its configuration, memory and debugger, in build/gen/<board>."""

from __future__ import annotations

from pathlib import Path

from base.errors import HeapwireError
from base.repository import ROOT, pins
from base.steps import Say, Step, run
from boards.board import Board
from heapwire_litex.cluster import ClusterDescription, Request
from heapwire_litex.configurations import base_of
from heapwire_litex.generator import PINS


def name(board: Board, variant: str, config: str) -> str:
    """Returns the name of a build: the board, and everything that is not its default."""
    odd = [variant.lower()] * (variant != board.default) + [config] * (config != board.variants[variant].config)
    return "-".join([board.name, *odd])


def folder(board: Board, variant: str, config: str) -> Path:
    """Returns the folder of a board's generated cluster. Parts with the same cluster share it."""
    bits = board.data_bits(variant)
    odd = [config] * (config != board.variants[board.default].config) + [str(bits)] * (bits != board.port_bits)
    return ROOT / "build" / "gen" / "-".join([board.name, *odd])


def wanted(board: Board, variant: str, config: str, debug: str) -> Request:
    """Returns the request for a board's cluster. debug: the debugger's transport, if the configuration has a
    debugger."""
    base = base_of(config)
    return Request(
        config, board.data_bits(variant), board.memory_mb, debug if base.debugger else "none", base.board_clock_divider
    )


def step(board: Board, variant: str, config: str, output: Path) -> Step:
    """Returns the step that runs the generator. Its inputs are the SpinalHDL sources."""
    request = wanted(board, variant, config, board.debug)
    command = (str(ROOT / "make" / "scala"), "heapwire.core.Generate", *request.arguments(), "--output", str(output))
    sources = [path.relative_to(ROOT) for path in (ROOT / "accel" / "src").rglob("*.scala")]
    outputs = [output.relative_to(ROOT) / file for file in ("HeapwireCluster.v", "heapwire.json", "heapwire.h")]
    return Step(
        "cluster",
        command,
        ROOT,
        (Path("build.sc"), *sources),
        tuple(outputs),
        output.relative_to(ROOT) / "generate.log",
        pins(*PINS),
    )


def generate(board: Board, variant: str, config: str, output: Path, say: Say) -> ClusterDescription:
    """Generates the cluster if something has changed. The first time takes minutes."""
    run(step(board, variant, config, output), say)
    return describe(board, variant, output)


def describe(board: Board, variant: str, folder: Path) -> ClusterDescription:
    """Returns the description of an existing cluster. Raises HeapwireError if it is for another board, or for a part
    with words of another width."""
    try:
        description = ClusterDescription(folder)
    except (OSError, ValueError, KeyError) as error:
        raise HeapwireError(
            f"{board.name}: no cluster in {folder}: {error!r}. What to do: leave out --cluster, and it is generated"
        ) from error
    divider = base_of(description.config).board_clock_divider
    if description.unit_clock_divider != divider:
        raise HeapwireError(
            f"{board.name}: the cluster in {folder} divides the units' clock by {description.unit_clock_divider}, this "
            "board by "
            f"{divider}. What to do: generate it with --unit-clock-divider {divider}"
        )
    for what, has, wants, option in (
        ("memory port", description.data_width, board.data_bits(variant), "--data-width"),
        ("memory", description.memory_bytes >> 20, board.memory_mb, "--memory-mb"),
    ):
        if has != wants:
            unit = "MB" if what == "memory" else "bits"
            raise HeapwireError(
                f"{board.name}: the cluster in {folder} is made for a {what} of {has} {unit}, this board has {wants}. "
                f"What to do: generate it with {option} {wants}, or leave out --cluster"
            )
    if description.debug not in ("none", board.debug):
        raise HeapwireError(
            f"{board.name}: the cluster's debugger is made for {description.debug!r}, this board has {board.debug!r}. "
            f"What to do: generate it with --debug {board.debug}"
        )
    return description
