"""The collector on the host: random steps against a mirror of the heap, and single cases."""

import re

import pytest

from tests.common.case_program import check_cases, run

STEPS, STRESS_STEPS = 100_000, 10_000
FULL_STEPS, FULL_STRESS_STEPS = 1_000_000, 200_000


@pytest.mark.parametrize("way", ["buffer", "array"])
@pytest.mark.parametrize("stress", [False, True], ids=["", "stress"])
@pytest.mark.parametrize("tight", [False, True], ids=["", "tight"])
def test_random_steps(programs, full, seed, way, stress, tight):
    """Mutators of three threads, a unit in software, and collections. Every object is compared, and the heap is walked
    after each collection. The number of steps is a tenth of that of `make test-full`. The seed is new every time: a
    failure prints it, and HEAPWIRE_SEED repeats it."""
    steps = (FULL_STRESS_STEPS if full else STRESS_STEPS) if stress else FULL_STEPS if full else STEPS
    result = run(programs / "steps", seed, steps, way, *(["stress"] if stress else []), *(["tight"] if tight else []))
    assert result.returncode == 0, result.stdout + result.stderr
    did = {name: int(number) for name, number in re.findall(r"(\w+) (\d+)", result.stdout)}
    assert did["young"] > steps // 1000 and did["full"] > steps // 1000 and did["commands"] > steps // 20, result.stdout
    assert all(did[what] for what in ("copied", "promoted", "full_arenas", "large_arenas", "claims", "compared")), (
        result.stdout
    )


def test_cases(programs):
    check_cases(programs / "cases", apart=("misuse", "misuse_by_reading", "overfull"))


def test_a_raw_pointer_over_an_allocation_is_caught(programs):
    """The poison and the walker find the pointer, at the first collection after it was stored."""
    result = run(programs / "cases", "misuse")
    assert result.returncode != 0
    assert "# heap: after a young collection: " in result.stdout or "misaligned" in result.stderr


def test_a_raw_pointer_that_is_only_read_is_caught(programs):
    """ASan finds the read, because it knows the memory that a collection has emptied."""
    result = run(programs / "cases", "misuse_by_reading")
    assert result.returncode != 0 and "use-after-poison" in result.stderr and "mark" not in result.stdout


def test_a_full_collection_that_cannot_be_ends_the_program(programs):
    """The program ends before anything has moved."""
    result = run(programs / "cases", "overfull")
    assert result.returncode != 0 and "# heap: a full collection leaves more than eden holds" in result.stdout
