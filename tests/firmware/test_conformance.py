"""The conformance runner's driver, and the suite itself if `make conformance` has fetched the runner."""

import io
import os
import pickle
from pathlib import Path

import pytest
from google.protobuf import descriptor_pb2

from base.repository import ROOT
from heapwire.conformance import codec
from heapwire.conformance.backend import Result
from heapwire.conformance.run import EDITIONS, Report, Suite, _read, run_suite
from heapwire.conformance.schemas import test_messages as messages_of
from heapwire.conformance.testee import respond
from heapwire.schema import Schema

HOME = Path(os.environ.get("CACHE") or ROOT / ".cache") / "conformance"
F = descriptor_pb2.FieldDescriptorProto


@pytest.fixture
def protocol():
    """Returns the part of conformance.proto that the testee uses."""
    file = descriptor_pb2.FileDescriptorProto(name="c.proto", package="c", syntax="proto3")
    request, response = file.message_type.add(name="Request"), file.message_type.add(name="Response")
    request.oneof_decl.add(name="payload")
    request.field.add(name="protobuf_payload", number=1, type=F.TYPE_BYTES, oneof_index=0)
    request.field.add(name="json_payload", number=2, type=F.TYPE_STRING, oneof_index=0)
    request.field.add(name="requested_output_format", number=3, type=F.TYPE_INT32)
    request.field.add(name="message_type", number=4, type=F.TYPE_STRING)
    for number, (name, kind) in enumerate(
        [("parse_error", F.TYPE_STRING), ("protobuf_payload", F.TYPE_BYTES), ("skipped", F.TYPE_STRING)], 1
    ):
        response.field.add(name=name, number=number, type=kind)
    schema = Schema(descriptor_pb2.FileDescriptorSet(file=[file]), "protocol")
    return schema.message_class("c.Request"), schema.message_class("c.Response")


def test_requests_are_recorded_and_answered(protocol):
    request_type, response_type = protocol
    request = request_type(protobuf_payload=b"x", requested_output_format=1, message_type="T")
    record, first, second = io.BytesIO(), response_type(), response_type()
    respond(request, first, record, {})
    respond(request, second, record, {("T", b"x"): ("protobuf_payload", b"y")})
    assert first.skipped and second.protobuf_payload == b"y" and not second.skipped
    record.seek(0)
    assert pickle.load(record) == pickle.load(record) == ("T", b"x")


@pytest.mark.parametrize(
    "values",
    [{"json_payload": "{}", "requested_output_format": 1}, {"protobuf_payload": b"", "requested_output_format": 2}],
)
def test_other_formats_are_skipped(protocol, values):
    request_type, response_type = protocol
    record, response = io.BytesIO(), response_type()
    respond(request_type(message_type="T", **values), response, record, {})
    assert response.skipped and not record.getvalue()


def test_the_runners_summary_is_read():
    text = (
        "ERROR, test=Required.X: why\nCONFORMANCE SUITE FAILED: 7 successes, 2 skipped, 0 expected failures, 1 "
        "unexpected failures.\n"
        "CONFORMANCE SUITE PASSED: 3 successes, 4 skipped, 0 expected failures, 0 unexpected failures.\n"
    )
    report = _read(text, Report())
    assert (report.passed, report.skipped, report.failed, report.failures) == (10, 6, 1, ["Required.X"])


class Wrong:
    """A backend whose answers no test accepts."""

    def answer(self, requests):
        return [Result("OK", "OK", b"\xff", in_hardware=False)] * len(requests)


@pytest.mark.skipif(not (HOME / "package").is_dir(), reason="make conformance fetches the runner")
class TestSuite:
    def test_every_test_passes(self, interface, tmp_path):
        suite = Suite(HOME)
        backend = codec.Codec(codec.build(interface, tmp_path), messages_of(suite.package, interface), interface)
        for edition in EDITIONS:
            report = run_suite(suite, backend, edition)
            assert report.failures == [] and report.failed == 0 and report.passed > 1000, report.line()

    def test_wrong_answers_fail(self):
        report = run_suite(Suite(HOME), Wrong(), None)
        assert report.failed > 500 and report.failures
