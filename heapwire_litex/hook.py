"""Adds the CPU `heapwire` to LiteX, wherever LiteX is started.

LiteX looks for CPUs only in its own folder and in the current one. So the package installs a `.pth` file that makes
Python import this module at its start. When LiteX's collection of CPUs has been imported, this module adds Heapwire to
it. Until then it imports nothing of LiteX, so that a Python process without LiteX starts as fast as before."""

import sys
from importlib.machinery import PathFinder

COLLECTION = "litex.soc.cores.cpu"


class Finder:
    """Finds the module COLLECTION as Python would, and adds Heapwire once the module has been executed."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != COLLECTION:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_and_add(module):
                execute(module)
                add(module)

            spec.loader.exec_module = execute_and_add
        return spec


def add(collection):
    from heapwire_litex.core import Heapwire

    collection.CPUS[Heapwire.name] = Heapwire


def install():
    if COLLECTION in sys.modules:
        add(sys.modules[COLLECTION])
    elif Finder not in sys.meta_path:
        sys.meta_path.insert(0, Finder)


install()
