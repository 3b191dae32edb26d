"""The program that the runner starts: `python -m heapwire.conformance.testee PACKAGE FILE [ANSWERS]`.

Requests come on standard input and responses go to standard output, each behind its length in four bytes, little
endian. Every request with protobuf input and output is appended to FILE (pickled: type name, payload). Its answer comes
from ANSWERS (pickled: a field of ConformanceResponse and its value, by type name and payload), or is `skipped` if
ANSWERS lacks it."""

from __future__ import annotations

import pickle
import struct
import sys
from pathlib import Path
from typing import BinaryIO

from google.protobuf.message import Message

from heapwire.conformance.schemas import protocol

PROTOBUF = 1
"""conformance.WireFormat"""

Answers = dict[tuple[str, bytes], tuple[str, "bytes | str"]]


def respond(request: Message, response: Message, record: BinaryIO, answers: Answers) -> None:
    """Fills a response."""
    if request.message_type == "conformance.FailureSet":  # no test is known to fail
        response.protobuf_payload = b""
    elif request.WhichOneof("payload") != "protobuf_payload" or request.requested_output_format != PROTOBUF:
        response.skipped = "only protobuf in and out"
    else:
        key = request.message_type, request.protobuf_payload
        pickle.dump(key, record)
        name, value = answers.get(key, ("skipped", "recorded"))
        setattr(response, name, value)


def main() -> None:
    """Serves requests until the input ends."""
    package, recorded, *answers = map(Path, sys.argv[1:])
    schema = protocol(package)
    request_type, response_type = (
        schema.message_class(f"conformance.Conformance{kind}") for kind in ("Request", "Response")
    )
    known: Answers = pickle.loads(answers[0].read_bytes()) if answers else {}
    with recorded.open("ab") as record:
        while len(head := sys.stdin.buffer.read(4)) == 4:
            request = request_type.FromString(sys.stdin.buffer.read(struct.unpack("<I", head)[0]))
            response = response_type()
            respond(request, response, record, known)
            data = response.SerializeToString()
            sys.stdout.buffer.write(struct.pack("<I", len(data)) + data)
            sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
