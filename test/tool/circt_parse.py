"""Reads MLIR text (hw, comb, seq, sv) from stdin with CIRCT's own parser and verifier."""
import sys

import circt
from circt.ir import Context, Module

with Context() as context:
    circt.register_dialects(context)
    module = Module.parse(sys.stdin.read())
    module.operation.verify()
