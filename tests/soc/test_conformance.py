"""The official conformance suite on the simulated SoC, with protobuf input and output. The full tests include the
newest edition."""

import os
from pathlib import Path

import pytest

from base.repository import ROOT
from heapwire.conformance.backend import Soc
from heapwire.conformance.run import EDITIONS, Suite, run_suite, shortfalls
from heapwire.conformance.schemas import test_schema as schema_of

FULL = bool(os.environ.get("HEAPWIRE_FULL"))
HOME = Path(os.environ.get("CACHE") or ROOT / ".cache") / "conformance"


@pytest.mark.skipif(
    not (HOME / "package").is_dir(), reason="the conformance runner is not here: `make conformance` fetches it"
)
@pytest.mark.parametrize("edition", EDITIONS if FULL else EDITIONS[:1], ids=lambda edition: edition or "default")
def test_the_official_suite_passes_wholly_in_hardware(edition):
    suite = Suite(HOME)
    report = run_suite(suite, Soc(schema_of(suite.package)), edition)
    assert not report.failures and not shortfalls(report, edition, hardware=True)
