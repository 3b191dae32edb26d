"""The requirements of the conformance run beyond the runner's own verdict."""

import pytest

from heapwire.conformance.run import TESTS, Report, shortfalls


@pytest.mark.parametrize(
    "accepted, rejected, found",
    [
        (644, 10, []),
        (643, 10, ["hardware accepted 643 of 644 messages"]),
        (644, 9, ["hardware rejected 9 of 10 malformed messages"]),
    ],
)
def test_every_message_is_the_hardwares(accepted, rejected, found):
    report = Report(
        passed=TESTS[None], accepted=644, accepted_in_hardware=accepted, rejected=10, rejected_in_hardware=rejected
    )
    assert shortfalls(report, None, hardware=True) == found and shortfalls(report, None, hardware=False) == []
