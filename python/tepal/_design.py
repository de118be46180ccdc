"""A built design: simulation, cycles, report."""
import html
import json
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Union

import numpy

from ._arrays import flatten, write_arrays
from ._command import InputError, run


class Report(Dict[str, Any]):
    """What report.json holds. Its text is the table of `tepal build`; in a notebook it is shown as a table."""

    def __init__(self, values: Dict[str, Any], table: str):
        super().__init__(values)
        self.table = table

    def __str__(self) -> str:
        return self.table or json.dumps(self, indent=2)

    def _repr_html_(self) -> str:
        columns = ["name", "trip_count", "II", "depth", "cycles", "limit"]
        head = "".join(f"<th>{column.replace('_', ' ')}</th>" for column in columns)
        rows = "".join("<tr>" + "".join(f"<td>{_cell(nest.get(column))}</td>" for column in columns) + "</tr>"
                       for nest in self["nests"])
        about = f"{_cell(self['name'])}: {self['cycles']:,} cycles at {self['clock_mhz']:g} MHz, N = {self['parallel']}"
        return f"<table><caption>{about}</caption><tr>{head}</tr>{rows}</table>"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:,}" if isinstance(value, int) else html.escape(str(value))


class Design:
    """A folder that `tepal build` made. Made by compile() or open_design()."""

    def __init__(self) -> None:
        raise TypeError("a Design is made by tepal.compile or tepal.open_design")

    @classmethod
    def _in_folder(cls, output: Union[str, Path, None]) -> "Design":
        design = cls.__new__(cls)
        design._temporary = tempfile.TemporaryDirectory(prefix="tepal-")
        design._scratch = Path(design._temporary.name)
        design.folder = Path(output) if output is not None else design._scratch / "design"
        design._table = ""
        design._program = None
        return design

    def _open(self, program: Any = None) -> None:
        self._interface = json.loads((self.folder / "interface.json").read_text())
        self._report = json.loads((self.folder / "report.json").read_text())
        self._program = program

    @property
    def inputs(self) -> List[dict]:
        """Name, type and shape of each input, as in interface.json."""
        return self._interface["inputs"]

    @property
    def outputs(self) -> List[dict]:
        """The same of the outputs."""
        return self._interface["outputs"]

    @property
    def cycles(self) -> Optional[int]:
        """Cycles of a run, exact; None where they depend on data."""
        return self._report["cycles"] if self._report.get("cycles_exact", True) else None

    @property
    def systemverilog(self) -> str:
        """The text of the top module and what is under it, without the library in hardware/."""
        return (self.folder / f"{self._interface['top']}.sv").read_text()

    def report(self) -> Report:
        """Cycles, nests, operators and memory."""
        return Report(self._report, self._table)

    def simulate(self, *arguments: Any, expect: Optional[Sequence[Any]] = None, simulator: str = "verilator",
                 options: Sequence[str] = ()) -> Any:
        """Runs the design in a simulator, from a reset on, and returns its outputs.

        The arguments are those of the model (arrays, tensors, numbers, or nested lists and dicts of these); none
        stands for random ones. Every output is compared bit for bit with the CPU reference, and with `expect`, within
        tolerance, if that is given: DifferenceError if one differs. NumPy arrays come back: in the
        structure that the module returns if the design was compiled from one, else one array or a tuple of them.
        """
        return self.simulate_sequence([arguments], None if expect is None else [expect], simulator, options)[0]

    def simulate_sequence(self, runs: Sequence[Sequence[Any]], expect: Optional[Sequence[Sequence[Any]]] = None,
                          simulator: str = "verilator", options: Sequence[str] = ()) -> List[Any]:
        """Runs the design once for each item of `runs`, which has the arguments of simulate(), from a reset on and
        with none between: a model with state sees what the runs before left. Returns the outputs of each run."""
        folder = Path(tempfile.mkdtemp(dir=self._scratch))
        names: Dict[object, str] = {self.folder: "design"} if self._scratch in self.folder.parents else {}
        command: List[Any] = ["sim", self.folder, "--simulator", simulator, "--output", folder / "out", *options]
        command += self._written("--input", "input", folder / "in", runs, self.inputs, names)
        if expect is not None:
            command += self._written("--expect", "expected output", folder / "expect", expect, self.outputs, names)
        run(*command, names=names)
        folders = [folder / "out", *(folder / "out" / f"run_{k + 1}" for k in range(1, len(runs)))]
        files = self.simulation()["files"]
        return [self._structure([numpy.load(each / name) for name in files]) for each in folders]

    @staticmethod
    def _written(option: str, kind: str, folder: Path, runs: Sequence[Sequence[Any]], tensors: List[dict],
                 names: Dict[object, str]) -> List[Any]:
        """The option with a file for each tensor of each run, none if there are no values; names of the files."""
        folder.mkdir()
        paths: List[Any] = []
        for k, values in enumerate(runs):
            leaves = list(flatten(values))
            if not leaves and len(runs) == 1:
                return []
            if len(leaves) != len(tensors):
                raise InputError(f"{len(leaves)} {kind}s are given, but the model has {len(tensors)}")
            (folder / str(k)).mkdir()
            written = write_arrays(folder / str(k), leaves, tensors)
            which = f" of run {k + 1}" if len(runs) > 1 else ""
            names.update({path: f"{kind} {tensor['name']}{which}" for path, tensor in zip(written, tensors)})
            paths += written
        return [option, *paths]

    def _structure(self, values: List[numpy.ndarray]) -> Any:
        if self._program is not None:
            from torch.utils import _pytree

            spec = self._program.call_spec.out_spec
            if spec is not None and spec.num_leaves == len(values):
                return _pytree.tree_unflatten(values, spec)
        return values[0] if len(values) == 1 else tuple(values)

    def simulation(self) -> Dict[str, Any]:
        """What sim.json holds of the last simulation."""
        return json.loads((self.folder / "sim.json").read_text())

    def synthesize(self, target: str, options: Sequence[str] = ()) -> Dict[str, Any]:
        """Area and clock on an FPGA by Yosys and nextpnr: what synth.json holds."""
        run("synth", self.folder, "--target", target, *options)
        return json.loads((self.folder / "synth.json").read_text())

    def __repr__(self) -> str:
        cycles = f"{self.cycles:,}" if self.cycles is not None else "data-dependent"
        return f"<tepal.Design {self._interface['top']}: {cycles} cycles, in {self.folder}>"


def open_design(folder: Union[str, Path]) -> Design:
    """A design that was built before, by compile(..., output=folder) or by the command."""
    design = Design._in_folder(folder)
    if not (design.folder / "interface.json").exists():
        raise InputError(f"{folder}: is not the folder of a design: it has no interface.json")
    design._open()
    return design
