"""Values between Python and .npy files. bfloat16, which NumPy lacks, is its bits as uint16, as in the files."""
from pathlib import Path
from typing import Any, Iterator, List, Sequence

import numpy

_TYPES = {"f16": numpy.float16, "f32": numpy.float32, "f64": numpy.float64, "bf16": numpy.uint16}


def dtype_of(tensor: dict) -> numpy.dtype:
    """The type of a tensor of interface.json in NumPy."""
    if tensor["bool"]:
        return numpy.dtype(bool)
    if tensor["type"] in _TYPES:
        return numpy.dtype(_TYPES[tensor["type"]])
    return numpy.dtype(("u" if tensor["unsigned"] else "") + "int" + tensor["type"][1:])


def flatten(value: Any) -> Iterator[Any]:
    """The leaves of nested lists, tuples and dicts, in order."""
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (list, tuple)):
        yield value
        return
    for item in value:
        yield from flatten(item)


def to_array(value: Any) -> numpy.ndarray:
    """An array of anything that is one: NumPy's, PyTorch's, a number."""
    if not hasattr(value, "detach"):
        return numpy.asarray(value)
    value = value.detach().cpu()
    if str(value.dtype) != "torch.bfloat16":
        return value.numpy()
    import torch

    return value.contiguous().view(torch.int16).numpy().view(numpy.uint16)


def write_arrays(folder: Path, values: Sequence[Any], tensors: Sequence[dict]) -> List[Path]:
    """Writes values as .npy files, numbers in the type of the tensor."""
    paths = []
    for i, value in enumerate(values):
        array = to_array(value)
        if not hasattr(value, "dtype") and i < len(tensors):
            array = array.astype(dtype_of(tensors[i]))
        paths.append(folder / f"{i}.npy")
        numpy.save(paths[-1], array)
    return paths
