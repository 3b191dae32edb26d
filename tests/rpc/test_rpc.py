"""Pigweed's client, unchanged, against the server of pw_rpc."""

import pytest

from sim.run import Simulation
from tests.rpc.names import ENDS_WELL, OF_CLIENTS, OF_FRAMES, OF_SOCKETS, SCENARIOS

SERVICES = ("Objects", "Structs")
SERIAL = tuple(name for name in SCENARIOS if name not in OF_CLIENTS)
QUICK = ("echo", "server_stream", "both_streams", "several_open_calls", "cancelled_calls", "malformed")


@pytest.mark.parametrize("name", [*SERIAL, ENDS_WELL])
@pytest.mark.parametrize("service", SERVICES)
def test_on_the_host(scenarios, server, full, service, name):
    counts = (1000, 500) if full else (100, 50)
    assert scenarios(service, *counts, *server, names=SERIAL)[name] is None


@pytest.mark.parametrize("service", SERVICES)
def test_by_datagrams_on_the_host(scenarios, server, full, service):
    """Not over UDP: what the network does to datagrams is tested in test_udp.py."""
    names = tuple(name for name in SCENARIOS if name not in (*OF_FRAMES, *OF_SOCKETS))
    results = scenarios(service, *((1000, 500) if full else (100, 50)), *server, "datagrams", names=names)
    assert {name: problem for name, problem in results.items() if problem} == {}
    assert list(results) == [*names, ENDS_WELL]


@pytest.mark.parametrize("service", SERVICES)
def test_on_the_soc(scenarios, image, full, service):
    """Over the simulated UART, by the engine."""
    names = SERIAL if full else QUICK
    with Simulation(image) as simulation:
        counts = (1000, 500) if full else (10, 5)
        results = scenarios(service, *counts, "--port", simulation.port, names=names)
    assert {name: problem for name, problem in results.items() if problem} == {} and list(results) == list(names)
