"""A random model under construction: statements of Python, run as they are added.

Each statement is tried on the inputs, twice: once as PyTorch computes it, and once with every
result off by a rounding error. What raises, grows too large, or is so ill-conditioned that rounding
errors show, is not added. So the results of a finished model are those of any correct
implementation, within the tolerance of their type.
"""

import torch
from torch import nn
from torch.utils._pytree import tree_flatten, tree_map
from torch.utils._python_dispatch import TorchDispatchMode

FLOATS = [torch.float32, torch.float16, torch.bfloat16, torch.float64]
SIGNED = [torch.int8, torch.int16, torch.int32, torch.int64]
# The tolerance of `tepal run --expect` (rtol, atol), and a unit in the last place.
TOLERANCES = {
    torch.float64: (1e-4, 1e-5, 2.0**-51),
    torch.float32: (1e-4, 1e-5, 2.0**-22),
    torch.float16: (2.0**-7, 2.0**-9, 2.0**-10),
    torch.bfloat16: (2.0**-4, 2.0**-6, 2.0**-7),
}
MOST_ELEMENTS = 300
MOST_WORK = 6000

# Their partial results are rounded in an order of their own: perturbing the operands does that.
SUMS = ("mm", "convolution", "sum", "mean", "var", "prod", "norm", "softmax", "pool", "linear", "rnn",
        "attention", "dist")


class Perturbed(TorchDispatchMode):
    """Moves each floating-point result by up to an ulp, and the operands of sums too."""

    def __init__(self, generator):
        super().__init__()
        self.generator = generator

    def move(self, value):
        if not isinstance(value, torch.Tensor) or value.dtype not in FLOATS:
            return value
        noise = torch.rand(value.shape, generator=self.generator, dtype=torch.float64) * 2 - 1
        return (value * (1 + noise * TOLERANCES[value.dtype][2])).to(value.dtype)

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        name = function._schema.name
        if any(word in name for word in SUMS):
            args = tree_map(self.move, args)
        result = function(*args, **(kwargs or {}))
        if any(value.alias_info for value in function._schema.returns):
            return result  # a view, or written in place
        return tree_map(self.move, result)


def tensors(result):
    return [leaf for leaf in tree_flatten(result)[0] if isinstance(leaf, torch.Tensor)]


def close(a, b):
    """Whether rounding errors stay well below the tolerance; integers must not change at all."""
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a.dtype not in FLOATS:
        return torch.equal(a, b)
    rtol, atol, _ = TOLERANCES[a.dtype]
    return torch.allclose(a.double(), b.double(), rtol / 5, atol / 5, equal_nan=True)


class Value:

    def __init__(self, name, tensor):
        self.name, self.tensor = name, tensor
        self.uses = 0

    def __str__(self):
        return self.name

    @property
    def shape(self):
        return list(self.tensor.shape)

    @property
    def rank(self):
        return self.tensor.dim()

    @property
    def dtype(self):
        return self.tensor.dtype

    @property
    def is_float(self):
        return self.dtype in FLOATS


class Model:

    def __init__(self, rng, dtype):
        self.rng, self.dtype = rng, dtype
        self.module, self.noisy = nn.Module(), None
        self.setup, self.body, self.values = [], [], []
        self.pending = []  # lines of setup that the statement under way needs
        self.names = {}
        self.inputs = []
        self.least = 0 if self.flip(0.05) else 1  # elements of a value
        self.noise = torch.Generator().manual_seed(rng.randrange(1 << 30))
        self.scope = {"torch": torch, "nn": nn, "F": nn.functional, "self": self.module}
        self.noisy_scope = dict(self.scope)

    # --- names and random choices -----------------------------------------------------------------
    def name(self, kind):
        self.names[kind] = self.names.get(kind, -1) + 1
        return f"{kind}{self.names[kind]}"

    def choose(self, *items):
        return self.rng.choice(items)

    def flip(self, chance=0.5):
        return self.rng.random() < chance

    def pick(self, condition=lambda value: True):
        """A value, rather one that is not used yet or new; None if there is none."""
        found = [value for value in self.values if condition(value)]
        if not found:
            return None
        weights = [(3 if value.uses == 0 else 1) * (1 + i) for i, value in enumerate(found)]
        return self.rng.choices(found, weights)[0]

    def pick_float(self):
        return self.pick(lambda value: value.is_float)

    def number(self):
        return self.choose(0.5, -1.5, 2.0, 0.1, -0.25, 3, -2, 1)

    def scope_value(self, text):
        """The tensor of an operand that `other` gave."""
        return eval(text, self.scope)

    def dim(self, value):
        dim = self.rng.randrange(value.rank)
        return dim - value.rank if self.flip(0.3) else dim

    # --- parts of statements ----------------------------------------------------------------------
    def add_setup(self, kind, text):
        """self.KIND0 = TEXT, as a line of __init__; gives its name."""
        name = self.name(kind)
        line = f"self.{name} = {text}"
        self.pending.append(line)
        exec(line, self.scope)
        part = getattr(self.module, name)
        if isinstance(part, nn.Module):
            part.eval()
        return f"self.{name}"

    def layer(self, text, dtype=None):
        """A module of torch.nn, with weights in the model's type."""
        dtype = dtype or self.dtype
        suffix = "" if dtype == torch.float32 else f".to({dtype})"
        return self.add_setup("layer", text + suffix)

    def weight(self, shape, dtype):
        """A parameter or buffer, also with strides other than the usual ones."""
        sizes = ", ".join(map(str, shape))
        if dtype == torch.bool:
            text = f"torch.rand({sizes or '()'}) > 0.5"
        elif dtype in FLOATS:
            text = f"torch.randn({sizes or '()'})"
            if dtype != torch.float32:
                text += f".to({dtype})"
        else:
            low = -5 if dtype.is_signed else 0
            text = f"torch.randint({low}, 7, ({sizes}{',' if sizes else ''}), dtype={dtype})"
        if len(shape) == 4 and self.flip(0.2):
            text += ".contiguous(memory_format=torch.channels_last)"
        elif len(shape) >= 2 and self.flip(0.2):
            turned = ", ".join(map(str, shape[::-1]))
            text = text.replace(f"({sizes}", f"({turned}", 1)
            text = text.replace(f", ({sizes}", f", ({turned}", 1)
            text = f"({text}).permute({', '.join(map(str, range(len(shape) - 1, -1, -1)))})"
        if dtype in FLOATS and self.flip():
            return self.add_setup("weight", f"nn.Parameter({text})")
        return self.buffer(text)

    def buffer(self, text):
        if self.flip(0.2):
            return self.add_setup("buffer", f"nn.Buffer({text})")
        name = self.name("buffer")
        line = f"self.register_buffer('{name}', {text})"
        self.pending.append(line)
        exec(line, self.scope)
        return f"self.{name}"

    def other(self, value, shape=None):
        """A second operand of a value's type: another value that broadcasts, or a weight."""
        shape = value.shape if shape is None else shape

        def fits(candidate):
            if candidate is value or candidate.dtype != value.dtype:
                return False
            try:
                return torch.broadcast_shapes(candidate.shape, shape) == torch.Size(shape)
            except RuntimeError:
                return False

        found = self.pick(fits) if self.flip(0.7) else None
        if found:
            found.uses += 1
            return found.name
        return self.weight(self.broadcastable(shape), value.dtype)

    def broadcastable(self, shape):
        shape = shape[self.rng.randrange(len(shape) + 1):] if self.flip(0.4) else shape
        return [1 if self.flip(0.2) else size for size in shape]

    def of_rank(self, value, rank):
        """(text, shape) of a value seen in another rank."""
        shape = value.shape
        if len(shape) == rank:
            return value.name, shape
        while len(shape) > rank:
            at = self.rng.randrange(len(shape) - 1)
            shape = shape[:at] + [shape[at] * shape[at + 1]] + shape[at + 2:]
        while len(shape) < rank:
            wide = [i for i, size in enumerate(shape) if size > 5]
            if wide and self.flip(0.7):
                at = self.rng.choice(wide)
                parts = [d for d in range(2, shape[at]) if shape[at] % d == 0]
                if parts:
                    part = self.rng.choice(parts)
                    shape = shape[:at] + [part, shape[at] // part] + shape[at + 1:]
                    continue
            at = self.rng.randrange(len(shape) + 1)
            shape = shape[:at] + [1] + shape[at:]
        return f"{value}.reshape({', '.join(map(str, shape))})", shape

    # --- statements -------------------------------------------------------------------------------
    def add_input(self, tensor):
        name = self.name("x")
        self.inputs.append((name, tensor))
        self.scope[name] = self.noisy_scope[name] = tensor
        self.values.append(Value(name, tensor))

    def run(self, text, noisy):
        scope = self.noisy_scope if noisy else self.scope
        with torch.no_grad():
            if not noisy:
                return eval(text, scope)
            with Perturbed(self.noise):
                return eval(text, scope)

    def accept(self, results, noisy):
        finite_before = all(
            value.tensor.isfinite().all() for value in self.values if value.is_float)
        for tensor, other in zip(results, noisy):
            if not self.least <= tensor.numel() <= MOST_ELEMENTS or not close(tensor, other):
                return False
            if tensor.dtype not in FLOATS and tensor.dtype != torch.bool and tensor.dtype not in \
                    SIGNED + [torch.uint8]:
                return False
            if tensor.dtype in FLOATS and tensor.numel():
                finite = tensor[tensor.isfinite()]
                largest = 1e3 if tensor.dtype == torch.float16 else 1e5
                if finite.numel() and finite.abs().max() > largest and finite_before:
                    return False
                if finite.numel() * 2 < tensor.numel():
                    return False
        return True

    def add(self, text, uses):
        """Tries a statement; returns whether it is part of the model now."""
        pending, self.pending = self.pending, []
        try:
            result = self.run(text, False)
            leaves = [result] if isinstance(result, torch.Tensor) else list(result)
            noisy = self.run(text, True)
            noisy = [noisy] if isinstance(noisy, torch.Tensor) else list(noisy)
            if not leaves or len(leaves) > 8 or not self.accept(leaves, noisy):
                return False
        except (RuntimeError, ValueError, IndexError, TypeError, NotImplementedError):
            return False
        names = [self.name("v") for _ in leaves]
        self.setup += pending
        self.body.append(f"{', '.join(names)}{',' if not isinstance(result, torch.Tensor) else ''} = {text}")
        for value in uses:
            value.uses += 1
        for name, tensor, other in zip(names, leaves, noisy):
            self.scope[name], self.noisy_scope[name] = tensor, other
            self.values.append(Value(name, tensor))
        return True
