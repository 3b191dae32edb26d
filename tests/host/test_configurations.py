"""The configurations that there are, as make, boards, LiteX and the demos see them, and which units they have."""

import pytest

from base.errors import BadInput
from heapwire.board import check_engine
from heapwire_litex.configurations import base_of, bases


@pytest.mark.parametrize(
    "name, base",
    [
        ("cereal-x4", "cereal"),
        ("skyway-x2-e32-k128", "skyway"),
        ("cereal-vanilla-k64", None),  # what the base has anyway
        ("cereal-vanilla-k128", "cereal-vanilla"),
        ("bare-l64", "bare"),
        ("bare-l65", None),
        ("cereal-e32-x2", None),
        ("cereal-x9", None),
        ("default-x2", None),
        ("cereal-x", None),
        ("x2", None),
    ],
)
def test_parameters_may_follow_a_base(name, base):
    if base:
        assert base_of(name).name == base
    else:
        with pytest.raises(ValueError, match=f"no configuration '{name}'; there are tiny, default, .*-xN"):
            base_of(name)


def test_units_are_those_of_the_generator(interface):
    (base,) = [base for base in bases() if base.name == interface.cluster["config"]]
    assert base.units == interface.cluster["units"] and base.debugger == (interface.cluster["debug"] != "none")


@pytest.mark.parametrize(
    "config, has", [("cereal-x2", False), ("skyway", False), ("bare", False), ("tiny", True), ("full-k64", True)]
)
def test_the_demo_wants_an_engine_for_protobuf(config, has):
    if has:
        check_engine(config)
    else:
        with pytest.raises(BadInput, match=f"{config} has no engine for protobuf. What to do: "):
            check_engine(config)


def test_a_board_tells_its_configuration_later():
    check_engine(None)
    with pytest.raises(BadInput, match="no configuration 'nosuch'"):
        check_engine("nosuch")
