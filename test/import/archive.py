"""Writes small .pt2 archives, as torch.export.save does, from numpy arrays: no torch needed."""

import json
import zipfile

import numpy as np

DTYPES = {
    "uint8": 1, "int8": 2, "int16": 3, "int32": 4, "int64": 5, "float16": 6, "float32": 7,
    "float64": 8, "complex64": 10, "bool": 12
}


class Dtype(str):
    """An argument that is a dtype, as Dtype("int64")."""


class Value:

    def __init__(self, name, array):
        self.name, self.array = name, np.asarray(array)


def meta(array, sizes=None):
    sizes = sizes or [{"as_int": n} for n in array.shape]
    strides = [int(np.prod(array.shape[i + 1:], dtype=np.int64)) for i in range(array.ndim)]
    return {
        "dtype": DTYPES[array.dtype.name], "sizes": sizes, "requires_grad": False, "device":
        {"type": "cpu", "index": None}, "strides": [{"as_int": n} for n in strides],
        "storage_offset": {"as_int": 0}, "layout": 7
    }


def argument(value):
    if value is None:
        return {"as_none": True}
    if isinstance(value, Value):
        return {"as_tensor": {"name": value.name}}
    if isinstance(value, Dtype):
        return {"as_scalar_type": DTYPES[value]}
    if isinstance(value, dict):
        return value
    if isinstance(value, bool):
        return {"as_bool": value}
    if isinstance(value, int):
        return {"as_int": value}
    if isinstance(value, float):
        special = {np.inf: "Infinity", -np.inf: "-Infinity"}
        return {"as_float": special.get(value, value)}
    if isinstance(value, str):
        return {"as_string": value}
    if any(isinstance(item, Value) for item in value):
        if any(item is None for item in value):
            return {"as_optional_tensors": [argument(item) for item in value]}
        return {"as_tensors": [{"name": item.name} for item in value]}
    return {"as_ints": list(value)}


class Model:
    """A program: values carry the arrays that PyTorch would compute."""

    def __init__(self, name):
        self.name = name
        self.inputs, self.weights, self.nodes, self.types, self.results = [], [], [], {}, []

    def value(self, name, array, sizes=None):
        value = Value(name, array)
        self.types[name] = meta(value.array, sizes)
        return value

    def input(self, array, name=None, sizes=None):
        value = self.value(name or f"x{len(self.inputs)}", array, sizes)
        self.inputs.append(value)
        return value

    def weight(self, array):
        value = self.value(f"p_w{len(self.weights)}", array)
        self.weights.append(value)
        return value

    def op(model, target, result, /, **arguments):
        """One node; `result` is an array, or a list of arrays where the operation has several."""
        several = isinstance(result, (list, tuple))
        values = [
            model.value(f"v{len(model.nodes)}_{i}", np.asarray(array))
            for i, array in enumerate(result if several else [result])
        ]
        as_list = several and arguments.pop("as_list", False)
        names = [{"name": value.name} for value in values]
        outputs = [{"as_tensors": names}] if as_list else [{"as_tensor": name} for name in names]
        model.nodes.append({
            "target":
            f"torch.ops.{target}", "inputs": [{"name": key, "arg": argument(item), "kind": 1}
                                              for key, item in arguments.items()], "outputs":
            outputs, "name":
            values[0].name if values else "none", "metadata": {
                "stack_trace":
                f'File "model.py", line {len(model.nodes) + 1}, in forward\n'
                f"    {target}"
            }, "is_hop_single_tensor_return":
            None
        })
        return values if several else values[0]

    def output(self, *values):
        self.results += values

    def program(self):
        parameters = [{"parameter": {"arg": {"name": value.name}, "parameter_name": value.name}}
                      for value in self.weights]
        users = [{"user_input": {"arg": argument(value)}} for value in self.inputs]
        graph = {
            "inputs": [argument(value) for value in self.weights + self.inputs], "outputs":
            [argument(value) for value in self.results], "nodes": self.nodes, "tensor_values":
            self.types, "sym_int_values": {}, "sym_float_values": {}, "sym_bool_values": {},
            "is_single_tensor_return": False, "custom_obj_values": {}
        }
        signature = {
            "input_specs": parameters + users, "output_specs":
            [{"user_output": {"arg": argument(value)}} for value in self.results]
        }
        return {
            "graph_module": {
                "graph": graph, "signature": signature, "module_call_graph": [], "metadata": {},
                "treespec_namedtuple_fields": {}
            }, "opset_version": {"aten": 10}, "range_constraints": {}, "schema_version":
            {"major": 8, "minor":
             20}, "verifiers": ["TRAINING"], "torch_version": "2.15.0", "guards_code": []
        }

    def save(self, folder, program=None):
        stem = f"{folder}/{self.name}"
        config = {}
        with zipfile.ZipFile(stem + ".pt2", "w") as archive:

            def add(entry, content):
                info = zipfile.ZipInfo(f"{self.name}/{entry}", (1980, 1, 1, 0, 0, 0))
                archive.writestr(info, content)

            for i, value in enumerate(self.weights):
                add(f"data/weights/weight_{i}", value.array.tobytes())
                config[value.name] = {
                    "path_name": f"weight_{i}", "is_param": True, "use_pickle": False,
                    "tensor_meta": meta(value.array)
                }
            add("data/weights/model_weights_config.json", json.dumps({"config": config}))
            add("data/constants/model_constants_config.json", json.dumps({"config": {}}))
            add("models/model.json", json.dumps(program or self.program()))
            add("archive_format", "pt2")
            add("archive_version", "0")
            add("byteorder", "little")
        for i, value in enumerate(self.inputs):
            np.save(f"{stem}.in{i}.npy", value.array)
        for i, value in enumerate(self.results):
            np.save(f"{stem}.out{i}.npy", value.array)
