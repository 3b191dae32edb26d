"""Builds the wheel for users who have no Java: with CLUSTERS generated.

python -m heapwire_litex.wheel OUT      # `make wheel`
"""

import os
import sys
from pathlib import Path

from heapwire_litex import cluster, configurations, generator
from heapwire_litex.packaging_backend import NAME, build_wheel

#: The memories of boards and of LiteX's simulator: bits of the cluster's port, MB.
MEMORIES = ((32, 8), (32, 64), (128, 512))
CLUSTERS = [cluster.Request(config, *memory) for config in ("tiny", "messages") for memory in MEMORIES]


def main():
    output = Path(sys.argv[1]).resolve()
    os.environ["HEAPWIRE_CACHE"] = str(output / "clusters")
    folders = [cluster.obtain(request).directory for request in CLUSTERS]
    files = {f"{folder.name}/{path.relative_to(folder)}": path for folder in folders for path in folder.rglob("*")}
    files[configurations.description().name] = configurations.description()
    more = {f"{NAME}/{generator.CLUSTERS.name}/{name}": path for name, path in files.items() if path.is_file()}
    print(output / build_wheel(output, more=more))


if __name__ == "__main__":
    main()
