"""The configurations that make demo-skyway takes for those with units are those that have them."""

import json
import re

from base.repository import ROOT
from study.shuffle import units


def test_the_configurations_with_units_are_those_of_the_generator():
    """Each definition of a configuration is one `val`. One that is a copy of another has its units."""
    text = (ROOT / "accel/src/heapwire/core/ClusterConfig.scala").read_text()
    having, modes = {}, set()
    for name, body in re.findall(
        r"^  val (\w+)(?:: ClusterConfig)? =(.*?)(?=^  (?:val|def|/\*\*)|\Z)",
        text.partition("\nobject ")[2],
        re.M | re.S,
    ):
        copied = re.match(r"\s*(\w+)\.copy\(", body)
        if ("CerealSerializer ->" in body) or (copied and copied[1] in having):
            having[name] = re.search(r'(?:ClusterConfig\(|name = )"([\w-]+)"', body)[1]
            modes |= {having[name]} if "skyway = true" in body else set()
    assert {"hw": sorted(having.values()), "skyway-hw": sorted(modes)} == {
        name: sorted(configs) for name, configs in units.CONFIGS.items()
    }
    names = {path.parent.name.rpartition("-")[0]: path for path in ROOT.glob("build/gen/*-128/heapwire.json")}
    for name, path in names.items():
        has = json.loads(path.read_text())["cluster"]["units"]["cereal_serializer"] > 0
        assert has is (units.PARAMETERS.sub("", name) in units.CONFIGS["hw"]), path
