"""The headers that the plugin makes of services."""

import pytest

from heapwire.plugin.generate import write_files
from heapwire.plugin.services import identifier
from heapwire.schema import compile_proto


@pytest.fixture
def header(tmp_path, interface):
    """Returns a function: the header of the services in a .proto file, and that of nanopb's structs."""

    def made(text):
        (tmp_path / "home.proto").write_text(f'syntax = "proto3"; package home; {text}')
        paths = write_files(compile_proto(tmp_path / "home.proto"), tmp_path / "made", interface)
        return [path.read_text() for path in paths if ".rpc" in path.name]

    return made


def test_a_file_without_services_has_no_header(header):
    assert not header("message Reading {}")


def test_names_that_are_taken_get_underscores(header):
    text = "message Reading {} message Room { message Set {} } service Room_ { rpc Set(Reading) returns (Reading); }"
    managed, structs = header(f"{text} service Room_Set {{ rpc new(Reading) returns (stream Reading); }}")
    for text in (managed, structs):
        assert "enum hw_rpc_status home_Room__Set(" in text
        assert "enum hw_rpc_status home_Room_Set__new(" in text
        assert "static const struct hw_rpc_service home_Room_Set_ = {" in text


def test_services_that_have_no_messages_of_their_own(header):
    managed, structs = header(
        'import "google/protobuf/empty.proto"; service None {} '
        "service Room { rpc Ring(google.protobuf.Empty) returns (google.protobuf.Empty); }"
    )
    assert '#include "google/protobuf/empty.heapwire.h"' in managed and "NULL, 0," in managed
    assert '#include "google/protobuf/empty.pb.h"' in structs


def test_identifiers_are_those_of_the_protocol():
    assert [identifier(name) for name in ("", "a", "Echo")] == [0, 0x6117E0, 0x8B470EE9]
