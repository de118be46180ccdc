"""Reads a netlist in the hw, comb and seq dialects from stdin, verifies it with CIRCT, and writes the
SystemVerilog that CIRCT makes of it to stdout: what is printed by src/rtl/print_mlir.c can be simulated."""
import sys

import circt
from circt.ir import Context, Module
from circt.passmanager import PassManager

with Context() as context:
    circt.register_dialects(context)
    module = Module.parse(sys.stdin.read())
    module.operation.verify()
    PassManager.parse("builtin.module(lower-seq-to-sv)").run(module.operation)
    circt.export_verilog(module, sys.stdout)
