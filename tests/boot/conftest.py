from base.repository import ROOT
from tests.common.built import programs_of

programs = programs_of(ROOT / "tests" / "boot" / "host")
