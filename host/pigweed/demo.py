"""`make demo-rpc`: Pigweed's client and the demo's services (firmware/programs/rpc), in Pigweed's own environment:

    python demo.py FOLDER HOST:PORT

FOLDER has what protoc has made of the .proto files."""

import socket
import sys
import time

from pw_hdlc.rpc import HdlcRpcClient, default_channels
from pw_rpc.callback_client import Impl
from pw_stream.stream_readers import SocketReader

SECONDS = 900
READINGS = (2, 13, 85)
"""Of a report, which then has some 50, 250 and 1,400 bytes."""


def report(kind, readings):
    made = kind(device="boiler-7-cellar", sequence=1)
    for index in range(readings):
        made.readings.add(sensor=index, value=index * 37 - 400, time=1_700_000_000 + index)
    if readings > 2:
        made.labels.update({"place": "cellar", "owner": "city"})
    return made


def main():
    folder, where = sys.argv[1:]
    sys.path.insert(0, folder)
    import demo_pb2
    import structs_pb2

    line = socket.create_connection(where.split(":"))
    channels = default_channels(line.sendall)
    client = HdlcRpcClient(
        SocketReader(line, 4096), [demo_pb2, structs_pb2], channels, client_impl=Impl(SECONDS, SECONDS)
    )
    with client:
        rpcs = client.rpcs().demo
        for name, software in (("Objects", "the codec in software"), ("Structs", "nanopb")):
            for readings in READINGS:
                request = report(demo_pb2.Report, readings)
                began = time.monotonic()
                status, answer = getattr(rpcs, name).Echo(request)
                seconds = time.monotonic() - began
                if answer != request:
                    sys.exit(f"another answer came back: {answer}")
                cycles = rpcs.Objects.Cost().response
                print(
                    f"demo.{name}/Echo of {request.ByteSize()} bytes: {status.name}, the same message came back "
                    f"({seconds:.1f} s over the simulated UART)\n    the engine {cycles.engine:,} cycles, {software} "
                    f"{cycles.software:,}: {cycles.software / cycles.engine:.1f} times",
                    flush=True,
                )
        print("Cycles: from the packet in memory to the answer in memory, warm.")


main()
