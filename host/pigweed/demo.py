"""`make demo-rpc`: Pigweed's client and the demo's services (firmware/programs/rpc), in Pigweed's own environment:

    python demo.py FOLDER HOST:PORT         over the UART
    python demo.py FOLDER udp:HOST:PORT     in datagrams

FOLDER has what protoc has made of the .proto files."""

import socket
import sys
import time

from pw_hdlc.rpc import HdlcRpcClient, default_channels
from pw_rpc import Channel
from pw_rpc.callback_client import Impl
from pw_rpc.client_utils import NoEncodingSingleChannelRpcClient
from pw_stream.stream_readers import SocketReader
from reports import READINGS, report

SECONDS = 900


def client_of(where, modules):
    kind, (host, port) = where.startswith("udp:"), where.removeprefix("udp:").split(":")
    impl = Impl(SECONDS, SECONDS)
    if kind:
        line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        line.connect((host, int(port)))
        return NoEncodingSingleChannelRpcClient(SocketReader(line, 2048), modules, Channel(1, line.send), impl)
    line = socket.create_connection((host, port))
    return HdlcRpcClient(SocketReader(line, 4096), modules, default_channels(line.sendall), client_impl=impl)


def main():
    folder, where = sys.argv[1:]
    sys.path.insert(0, folder)
    import demo_pb2
    import structs_pb2

    with client_of(where, [demo_pb2, structs_pb2]) as client:
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
                    f"({seconds:.1f} s over the simulated line)\n    the engine {cycles.engine:,} cycles, {software} "
                    f"{cycles.software:,}: {cycles.software / cycles.engine:.1f} times",
                    flush=True,
                )
        print("Cycles: from the packet in memory to the answer in memory, warm.")


main()
