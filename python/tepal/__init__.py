"""PyTorch models to verified SystemVerilog.

    import tepal
    design = tepal.compile(model, (x,), parallel=8)   # a torch.nn.Module, or the path of a .pt2 or .mlir file
    y = design.simulate(x)                            # in Verilator, compared bit for bit with the CPU
    print(design.cycles, design.report())

Everything is done by the command `tepal`, which is looked for in $TEPAL, in PATH, and in the build folder
of the checkout that this package was installed from. What it says in an error is the text of the exception.
"""
from ._command import (DifferenceError, InputError, InternalError, TepalError, ToolError, UsageError, find_command)
from ._design import Design, Report, open_design
from ._export import compile, export

__all__ = ["compile", "export", "open_design", "Design", "Report", "find_command", "TepalError", "DifferenceError",
           "UsageError", "InputError", "ToolError", "InternalError"]
