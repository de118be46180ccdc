"""Reads a text in CIRCT's dialects from stdin with CIRCT's own parser and verifier. The wheel knows
the calyx dialect only once a pass that needs it has run."""
import sys

import circt
from circt.ir import Context, Module
from circt.passmanager import PassManager

with Context() as context:
    circt.register_dialects(context)
    simple = Module.parse("func.func @main(%a: i32) -> i32 { %b = arith.addi %a, %a : i32 return %b : i32 }")
    PassManager.parse("builtin.module(lower-scf-to-calyx)").run(simple.operation)
    module = Module.parse(sys.stdin.read())
    module.operation.verify()
