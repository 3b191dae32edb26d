"""The line that the tests of transfers put between two processes."""

import socket
import time

from lines import Relay

FRAME = b"\0frame\0"


def connected(port: int) -> socket.socket:
    end = socket.create_connection(("127.0.0.1", port))
    end.settimeout(30)
    return end


def passes(one: socket.socket, other: socket.socket) -> bool:
    one.sendall(FRAME)
    got = b""
    while len(got) < len(FRAME) and (data := other.recv(len(FRAME))):
        got += data
    return got == FRAME


def test_an_end_that_connects_anew_is_not_cut_with_the_old_one_of_the_other():
    """Processes that get a new line close and connect one after the other. A relay on a busy machine may first see the
    new connection of one end together with the end of the other's old connection, which has no successor yet."""
    with Relay(1, 0) as relay:
        old = [connected(port) for port in relay.ports]
        assert passes(*old) and passes(*old[::-1])
        one = connected(relay.ports[0])
        time.sleep(0.2)
        old[1].close()
        time.sleep(0.2)
        other = connected(relay.ports[1])
        assert passes(one, other) and passes(other, one)


def test_what_comes_first_waits_for_the_other_end():
    with Relay(1, 0) as relay:
        one = connected(relay.ports[0])
        one.sendall(FRAME)
        time.sleep(0.2)
        other = connected(relay.ports[1])
        assert other.recv(len(FRAME)) == FRAME
