"""nanopb's generator, which takes each file once. By itself it walks imports of imports along every path, of which
there can be 2^files.

A script: `nanopb_generator.py --protoc-plugin`, or with the arguments of nanopb's own command."""

import sys

from nanopb.generator import nanopb_generator as generator


class Once(dict):
    """The files that a file may import. Each is there when it is first looked for, and no more: the generator looks
    before it takes a file and goes on to its imports."""

    def __init__(self, files):
        super().__init__(files)
        self.seen = set()

    def __contains__(self, name):
        fresh = super().__contains__(name) and name not in self.seen
        self.seen.add(name)
        return fresh


process_file = generator.process_file
generator.process_file = lambda name, file, options, others: process_file(name, file, options, Once(others))
(generator.main_plugin if "--protoc-plugin" in sys.argv else generator.main_cli)()
