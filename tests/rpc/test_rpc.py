"""Pigweed's client, unchanged, against the server of pw_rpc."""

import pytest

from sim.run import Simulation
from tests.rpc.names import ENDS_WELL, SCENARIOS

SERVICES = ("Objects", "Structs")
QUICK = ("echo", "server_stream", "both_streams", "several_open_calls", "cancelled_calls", "malformed")


@pytest.mark.parametrize("name", [*SCENARIOS, ENDS_WELL])
@pytest.mark.parametrize("service", SERVICES)
def test_on_the_host(scenarios, server, full, service, name):
    counts = (1000, 500) if full else (100, 50)
    assert scenarios(service, *counts, *server)[name] is None


@pytest.mark.parametrize("service", SERVICES)
def test_on_the_soc(scenarios, image, full, service):
    """Over the simulated UART, by the engine."""
    names = tuple(SCENARIOS) if full else QUICK
    with Simulation(image) as simulation:
        results = scenarios(service, 100 if full else 10, 50 if full else 5, "--port", simulation.port, names=names)
    assert {name: problem for name, problem in results.items() if problem} == {} and list(results) == list(names)
