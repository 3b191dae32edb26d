"""Makes LiteX know the CPU `heapwire`, wherever it is started from.

LiteX looks for CPUs in its own folder and in the current one, and nowhere else. So the package installs a `.pth` file that
imports this module whenever Python starts, and when LiteX's collection of CPUs has been imported, Heapwire is added to it.
Until then nothing of LiteX is imported: a Python that never uses LiteX starts as fast as before.
"""
import sys
from importlib.machinery import PathFinder

COLLECTION = "litex.soc.cores.cpu"


class Finder:
    """Finds the module COLLECTION as Python would, and adds to it once it has been executed."""

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
