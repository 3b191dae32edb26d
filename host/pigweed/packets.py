"""The packets of the demo's calls, as Pigweed's client makes them, in its own environment:

    python packets.py FOLDER SERVICE CALLS

FOLDER has what protoc has made of the .proto files. Prints a line of JSON for each size of message: the message, and
the packets of so many calls, in hexadecimal."""

import json
import sys

from pw_rpc import Channel, Client
from pw_rpc.callback_client import Impl
from reports import READINGS, report


def main():
    folder, service, calls = sys.argv[1:]
    sys.path.insert(0, folder)
    import demo_pb2
    import structs_pb2

    sent = []
    client = Client.from_modules(Impl(), [Channel(1, sent.append)], [demo_pb2, structs_pb2])
    echo = getattr(client.channel(1).rpcs.demo, service).Echo
    for readings in READINGS:
        request = report(demo_pb2.Report, readings)
        sent.clear()
        for _ in range(int(calls)):
            echo.invoke(request)
        print(json.dumps([request.SerializeToString().hex(), [packet.hex() for packet in sent]]))


main()
