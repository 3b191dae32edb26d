"""The boot ROM's quick memory test, host-built."""

import pytest

from tests.common.run import checked

MEGABYTE = 1 << 20


def verdict(programs, *arguments):
    return checked(programs / "memory", *arguments).split()


@pytest.mark.parametrize("megabytes", [1, 8, 32, 512])
def test_good_memory(programs, megabytes):
    assert verdict(programs, megabytes * MEGABYTE) == ["passed"]


@pytest.mark.parametrize("line", range(12, 25))
def test_an_address_line_that_is_not_connected(programs, line):
    offset, expected, found = (int(word, 16) for word in verdict(programs, 32 * MEGABYTE, 1 << line))
    assert 0 < offset < 32 * MEGABYTE and expected != found
