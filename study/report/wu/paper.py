"""The numbers in the text of Wu & Schmulbach and of their earlier report, UCB/EECS-2023-268."""

GHZ = 3.0
"""Clock of the core that they simulate."""
SPEEDUP = (4, 33)
"""Over Java, for 80 % of the messages, section 5.2.2 of the fuller report."""
SMALLEST, SMALLEST_BYTES = 1.4, 17
DROPS_AT = "about 250 KB"
CALL_NS, SOFTWARE_NS = 300, 600
"""An empty call through JNI, and all software without the deserialization, section 5.2.3."""
CLEARING = (6, 50)
"""Percent that clearing adds to two messages, section 5.2.4."""
PAUSE_MS = 10
AREA = "0.191 mm², 226,000 cells, 1.72 GHz in 22 nm"
EARLIER_SPEEDUP = (20, 35)
"""Over Java, section 4.2.2 of the earlier report."""
EARLIER_EMPTY_NS, EARLIER_SETUP_NS = 1000, 500
"""A message of no bytes, by extrapolation, and the measured set-up."""
