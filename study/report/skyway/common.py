"""Constants that the figures of *Skyway* share."""

ENGINES = ("java", "kryo-generic", "kryo-manual", "cereal-sw", "hw", "skyway-sw", "skyway-hw")
COMMAND = "make bench SUITE=skyway"
