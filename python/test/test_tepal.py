"""The package against the command: stored models, and real modules where torch is installed."""
import os
import subprocess
from pathlib import Path

import numpy
import pytest

import tepal

MODELS = Path(__file__).resolve().parents[2] / "test" / "models"


def stored(name, kind):
    return [numpy.load(path) for path in sorted(MODELS.glob(f"{name}.{kind}[0-9]*.npy"))]


@pytest.fixture(scope="module")
def mlp():
    return tepal.compile(MODELS / "mlp.pt2")


def test_simulates_a_stored_model(mlp):
    (x,), (y,) = stored("mlp", "in"), stored("mlp", "out")
    got = mlp.simulate(x, expect=[y], simulator="icarus")
    assert got.shape == y.shape and got.dtype == y.dtype
    numpy.testing.assert_allclose(got, y, rtol=1e-4, atol=1e-5)
    assert mlp.simulation()["cycles"] == mlp.cycles


def test_random_inputs(mlp):
    assert mlp.simulate(simulator="icarus").shape == (1, 4)


def test_several_inputs_and_nested_arguments():
    design = tepal.compile(str(MODELS / "add.pt2"), parallel=4)
    a, b = stored("add", "in")
    flat, nested = design.simulate(a, b, simulator="icarus"), design.simulate({"a": [a], "b": b}, simulator="icarus")
    assert (flat == nested).all() and (flat == a + b).all()
    assert design.report()["parallel"] == 4


def test_report(mlp):
    report = mlp.report()
    assert report["cycles"] == mlp.cycles
    assert "cycles" in str(report) and "linear" in str(report)
    assert report._repr_html_().startswith("<table>") and "linear_1" in report._repr_html_()
    assert "module mlp" in mlp.systemverilog
    assert "mlp" in repr(mlp)


def test_output_folder(tmp_path):
    made = tepal.compile(MODELS / "add.pt2", output=tmp_path / "add")
    again = tepal.open_design(tmp_path / "add")
    assert again.cycles == made.cycles and (tmp_path / "add" / "add.sv").exists()
    del made
    assert (tmp_path / "add" / "add.sv").exists()


def test_errors(mlp, tmp_path):
    with pytest.raises(tepal.InputError, match="cannot open|No such file|not"):
        tepal.compile(tmp_path / "absent.pt2")
    with pytest.raises(tepal.UsageError, match="parallel"):
        tepal.compile(MODELS / "mlp.pt2", parallel=-1)
    with pytest.raises(tepal.InputError, match="2 inputs are given, but the model has 1"):
        mlp.simulate(1.0, 2.0)
    with pytest.raises(tepal.InputError):
        mlp.simulate(numpy.zeros((3, 3), numpy.float32))
    with pytest.raises(tepal.DifferenceError, match="differs from the expected output"):
        mlp.simulate(stored("mlp", "in")[0], expect=[numpy.ones((1, 4), numpy.float32)], simulator="icarus")
    with pytest.raises(tepal.InputError, match="importer"):
        tepal.compile(MODELS / "mlp.pt2", importer="onnx")
    with pytest.raises(tepal.InputError, match="interface.json"):
        tepal.open_design(tmp_path)


def test_messages_have_the_users_names(mlp):
    with pytest.raises(tepal.InputError, match="^input x: error") as error:
        mlp.simulate(numpy.zeros((3, 3), numpy.float32), simulator="icarus")
    assert "tmp" not in str(error.value)
    with pytest.raises(tepal.InputError, match="^expected output linear_1: error"):
        mlp.simulate(stored("mlp", "in")[0], expect=[numpy.zeros((2, 4), numpy.float32)], simulator="icarus")
    torch = pytest.importorskip("torch")

    class Spectrum(torch.nn.Module):
        def forward(self, x):
            return torch.fft.rfft(x).abs() + torch.linalg.det(x)

    with pytest.raises(tepal.InputError, match="^Spectrum: node fft_rfft: error: unsupported operation") as error:
        tepal.compile(Spectrum(), (torch.randn(4, 4),))
    assert "Spectrum: node linalg_det: error" in str(error.value) and "tepal-" not in str(error.value)


def test_state_lives_from_run_to_run_and_not_beyond_a_reset(tmp_path):
    cases = MODELS.parent / "ops" / "cases"
    inputs = [[numpy.load(cases / f"RunningMean.in{k}.npy")] for k in range(4)]
    outputs = [[numpy.load(cases / f"RunningMean.out{2 * k + i}.npy") for i in range(2)] for k in range(4)]
    design = tepal.compile(cases / "RunningMean.pt2")
    got = design.simulate_sequence(inputs, expect=outputs, simulator="icarus")
    assert [int(count) for _, count in got] == [1, 2, 3, 4]
    # The next simulation starts from a reset: what the model was exported with.
    again = design.simulate_sequence(inputs[:2], expect=outputs[:2], simulator="icarus")
    assert [int(count) for _, count in again] == [1, 2] and (again[1][0] == got[1][0]).all()
    _, count = design.simulate(*inputs[3], simulator="icarus")
    assert int(count) == 1


def test_the_text_is_the_commands(tmp_path):
    command = subprocess.run([tepal.find_command(), "build", str(tmp_path / "absent.pt2"), "-o", str(tmp_path / "d")],
                             capture_output=True, text=True, check=False)
    with pytest.raises(tepal.TepalError) as error:
        tepal.compile(tmp_path / "absent.pt2", output=tmp_path / "d")
    assert str(error.value) == command.stderr.strip() and error.value.status == command.returncode


def test_missing_command(monkeypatch):
    monkeypatch.setenv("TEPAL", os.path.join(os.sep, "nowhere", "tepal"))
    with pytest.raises(tepal.ToolError, match="cannot be run"):
        tepal.compile(MODELS / "mlp.pt2")


def test_module_with_torch():
    torch = pytest.importorskip("torch")

    class Two(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(5, 3)

        def forward(self, x, y):
            return {"sum": self.linear(x) + y, "both": (torch.relu(x), y)}

    torch.manual_seed(1)
    model, x, y = Two(), torch.randn(2, 5), torch.randn(2, 3)
    design = tepal.compile(model, (x, y), parallel=2)
    got, expected = design.simulate(x, y, simulator="icarus"), model(x, y)
    assert set(got) == {"sum", "both"} and isinstance(got["both"], tuple)
    numpy.testing.assert_allclose(got["sum"], expected["sum"].detach().numpy(), rtol=1e-4, atol=1e-5)
    numpy.testing.assert_array_equal(got["both"][0], expected["both"][0].numpy())


def test_bfloat16_with_torch():
    torch = pytest.importorskip("torch")

    class Double(torch.nn.Module):
        def forward(self, x):
            return x + x

    x = torch.randn(7).to(torch.bfloat16)
    got = tepal.compile(Double(), (x,)).simulate(x, simulator="icarus")
    expected = (x + x).view(torch.int16).numpy().view(numpy.uint16)
    assert got.dtype == numpy.uint16 and (got == expected).all()


def test_module_without_example():
    torch = pytest.importorskip("torch")
    with pytest.raises(tepal.InputError, match="example_inputs"):
        tepal.compile(torch.nn.Linear(2, 2))


def test_torch_mlir():
    torch = pytest.importorskip("torch")
    try:
        import torch_mlir  # noqa: F401
    except ImportError:
        with pytest.raises(tepal.ToolError, match="torch-mlir"):
            tepal.compile(torch.nn.ReLU(), (torch.randn(3),), importer="torch-mlir")
        return
    model = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3, padding=1), torch.nn.BatchNorm2d(2), torch.nn.GELU(),
                                torch.nn.MaxPool2d(2), torch.nn.Flatten(), torch.nn.Linear(8, 3), torch.nn.Softmax(-1))
    x = torch.randn(1, 1, 4, 4)
    design = tepal.compile(model, (x,), importer="torch-mlir")
    design.simulate(x, expect=[model(x).detach()], simulator="icarus")
