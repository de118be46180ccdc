"""From a PyTorch module to a file, and from either to a design."""
from pathlib import Path
from typing import Any, Optional, Sequence, Union

from ._command import InputError, ToolError, run
from ._design import Design

PathLike = Union[str, Path]


def _need_torch():
    try:
        import torch
    except ImportError as error:
        raise ToolError("exporting a module needs PyTorch: pip install torch; or give the path of a .pt2 file") from error
    return torch


def export(model: Any, example_inputs: Sequence[Any], path: PathLike, **options: Any) -> Any:
    """Exports a torch.nn.Module in evaluation mode to a .pt2 file and returns the exported program.

    `options` are those of torch.export.export, such as dynamic_shapes.
    """
    torch = _need_torch()
    program = torch.export.export(model.eval(), tuple(example_inputs), **options)
    torch.export.save(program, str(path))
    return program


def _through_torch_mlir(model: Any, example_inputs: Sequence[Any], path: Path) -> Any:
    torch = _need_torch()
    try:
        from torch_mlir import fx
    except ImportError as error:
        raise ToolError('importer="torch-mlir" needs the package torch-mlir; the default importer needs nothing') from error
    program = torch.export.export(model.eval(), tuple(example_inputs))
    path.write_text(str(fx.export_and_import(program, output_type="linalg-on-tensors")))
    return program


def _name_of(model: Any) -> str:
    """What its user calls a module or an exported program."""
    return "exported program" if hasattr(model, "graph_module") else type(model).__name__


def compile(model: Any, example_inputs: Optional[Sequence[Any]] = None, *, parallel: int = 1,
            clock: Optional[float] = None, target: Optional[str] = None, output: Optional[PathLike] = None,
            importer: str = "tepal", options: Sequence[str] = ()) -> Design:
    """Compiles a model to SystemVerilog.

    `model` is a torch.nn.Module, for which example_inputs is needed, an exported program, or the path of a .pt2
    or .mlir file. `parallel`, `clock` (MHz), `target` and `options` are those of `tepal build`; `output` is the folder
    of the design, by default one that goes away with the returned object. importer="torch-mlir" reads a module by
    torch-mlir instead of Tepal's own importer.
    """
    design = Design._in_folder(output)
    if importer not in ("tepal", "torch-mlir"):
        raise InputError(f"there is no importer {importer!r}: tepal or torch-mlir")
    program, source = None, model
    if not isinstance(model, (str, Path)):
        source = design._scratch / ("model.mlir" if importer == "torch-mlir" else "model.pt2")
        if hasattr(model, "graph_module"):  # an exported program
            program = model
            _need_torch().export.save(program, str(source))
        elif example_inputs is None:
            raise InputError("a module needs example_inputs, as a tuple of the arguments of its forward")
        elif importer == "torch-mlir":
            program = _through_torch_mlir(model, example_inputs, source)
        else:
            program = export(model, example_inputs, source)
    arguments = ["--parallel", parallel]
    if clock is not None:
        arguments += ["--clock", clock]
    if target is not None:
        arguments += ["--target", target]
    names = {} if program is None else {source: _name_of(model)}
    if output is None:
        names[design.folder] = "design"
    design._table = run("build", source, "-o", design.folder, *arguments, *options, names=names)
    design._open(program)
    return design
