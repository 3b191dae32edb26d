"""Host and firmware use the same numbers for the monitor's operations and answers, and the same schema blob."""

from base.repository import ROOT
from heapwire.client import protocol
from heapwire.schema import blob
from heapwire.workload import group as workload
from tests.common.headers import c_enum, define

FIRMWARE = ROOT / "firmware"


def test_monitor():
    text = (FIRMWARE / "programs" / "monitor" / "protocol.h").read_text()
    assert c_enum(text, "operation") == {f"OPERATION_{op.name}": op.value for op in protocol.Operation}
    assert c_enum(text, "answer") == {f"ANSWER_{status.name}": status.value for status in protocol.Status}
    assert define(text, "PROTOCOL_VERSION") == protocol.PROTOCOL
    assert define(text, "RESPONSE_BIT") == protocol.RESPONSE_BIT and define(text, "OPERATION_NAK") == protocol.NAK
    assert {flag.name: define(text, f"RUN_{flag.name}") for flag in protocol.RunFlag} == {
        flag.name: flag.value for flag in protocol.RunFlag
    }


def test_engines():
    text = (FIRMWARE / "programs" / "measure" / "engine.h").read_text()
    assert {f"ENGINE_{engine.name}": engine.value for engine in protocol.Engine}.items() <= c_enum(
        text, "engine"
    ).items()


def test_schema_blob():
    text = (FIRMWARE / "runtime" / "schema.h").read_text()
    assert define(text, "HW_SCHEMA_ALIGNMENT") == blob.ALIGNMENT
    assert define((FIRMWARE / "runtime" / "well_known.h").read_text(), "HW_FIRST_SCHEMA_ID") == blob.FIRST_ID


def test_tasks_of_the_suites():
    engines = c_enum((FIRMWARE / "programs" / "measure" / "engine.h").read_text(), "engine")
    tasks = c_enum((FIRMWARE / "programs" / "bench" / "workload.h").read_text(), "workload_task")
    assert workload.ENGINE_BITS == {
        **{name.lower(): 1 << engines[f"ENGINE_{name}"] for name in ("HW", "TABLE", "NANOPB", "HW_NANOPB")},
        workload.CAPNP: tasks["WORKLOAD_CAPNP"],
        workload.FLIGHT: tasks["WORKLOAD_FLIGHT"],
        workload.WAIT: tasks["WORKLOAD_WAIT"],
        workload.TRAFFIC: tasks["WORKLOAD_TRAFFIC"],
    }
