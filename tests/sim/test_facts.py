"""The header of the harness: the facts of soc.json that the simulator is compiled for."""

from sim.facts import header

SUMMARY = {
    "regions": {"main_ram": {}, "ethmac": {}},
    "debug": "tap",
    "unitClocks": 2,
    "unitClockDivider": 2,
    "clockHz": 100_000_000,
    "memory": {"base": 1 << 30, "bytes": 1 << 28},
}


def test_the_header_has_the_facts():
    lines = header(SUMMARY).splitlines()
    assert "constexpr uint32_t kMemoryBase = 1073741824;" in lines
    assert "constexpr uint64_t kMemoryBytes = 268435456;" in lines
    assert 'constexpr char kDebug[] = "tap";' in lines
    assert "constexpr bool kEthernet = true;" in lines
