"""Random functions of linalg on tensors. See generate.py."""
from writer import MOST_ELEMENTS, MOST_WORK, SIZES, Value, Writer, is_float, product, text_of


class Tensors(Writer):
    """A function of linalg on tensors: each step makes a new value from old ones."""

    def __init__(self, rng):
        super().__init__(rng)
        self.inputs = [Value(f"%in{i}", self.shape(), self.kind()) for i in range(rng.choice([1, 1, 2, 3]))]
        self.values = list(self.inputs)

    def pick(self, rank=None, numeric=False):
        found = [v for v in self.values if (rank is None or len(v.shape) in rank) and not (numeric and v.kind == "i1")]
        # The newest ones more often, so that chains get long.
        return self.rng.choice(found[-3:] * 2 + found) if found else None

    def new(self, shape, kind):
        value = Value(self.name(), shape, kind)
        self.values.append(value)
        return value

    def empty(self, shape, kind):
        value = Value(self.name(), shape, kind)
        self.put(f"{value.name} = tensor.empty() : {value.type}")
        return value

    def filled(self, shape, kind, number=None):
        scalar = self.name()
        number = number or self.number(kind)
        self.put(f"{scalar} = arith.constant {number}" + ("" if kind == "i1" else f" : {kind}"))
        empty = self.empty(shape, kind)
        name = self.name()
        self.put(f"{name} = linalg.fill ins({scalar} : {kind}) outs({empty.name} : {empty.type}) -> {empty.type}")
        return Value(name, shape, kind)

    def generic(self, inputs, out, maps, iterators, body):
        """`maps`: one per input and one for `out`. `body` gets the names of the elements and returns the value."""
        result = self.new(out.shape, out.kind)
        dims = text_of(f"d{i}" for i in range(len(iterators)))
        texts = text_of(f"affine_map<({dims}) -> ({m})>" for m in maps)
        kinds = text_of(f'"{i}"' for i in iterators)
        names = [self.name() for _ in inputs + [out]]
        ins = f"ins({text_of(v.name for v in inputs)} : {text_of(v.type for v in inputs)}) " if inputs else ""
        self.put(f"{result.name} = linalg.generic {{indexing_maps = [{texts}], iterator_types = [{kinds}]}} "
                 f"{ins}outs({out.name} : {out.type}) {{")
        arguments = text_of(f"{n}: {v.kind}" for n, v in zip(names, inputs + [out]))
        self.put(f"^bb0({arguments}):")
        self.depth += 1
        value = body(names)
        self.put(f"linalg.yield {value} : {out.kind}")
        self.depth -= 1
        self.put(f"}} -> {out.type}")
        return result

    def index_value(self, dim, kind):
        index, name = self.name(), self.name()
        self.put(f"{index} = linalg.index {dim} : index")
        self.put(f"{name} = arith.index_cast {index} : index to i32")
        return name, "i32"

    # --- steps ---

    def elementwise(self):
        main = self.pick()
        rank = len(main.shape)
        order = list(range(rank))
        if self.rng.random() < 0.5:
            self.rng.shuffle(order)
        shape = [0] * rank  # of the iteration space: dim order[k] has main's size k
        for k, dim in enumerate(order):
            shape[dim] = main.shape[k]
        inputs, maps = [main], [text_of(f"d{d}" for d in order)]
        for _ in range(self.rng.choice([0, 1, 1, 2])):
            for _ in range(8):
                other = self.pick()
                dims = self.match(other.shape, shape)
                if dims is not None:
                    inputs.append(other)
                    maps.append(text_of(dims))
                    break
        kind = main.kind if self.rng.random() < 0.7 else self.kind()
        out_order = list(range(rank))
        if self.rng.random() < 0.3:
            self.rng.shuffle(out_order)
        out = self.empty([shape[d] for d in out_order], kind)

        def body(names):
            values = [(n, v.kind) for n, v in zip(names, inputs)]
            if rank and self.rng.random() < 0.15:
                values.append(self.index_value(self.rng.randrange(rank), kind))
            return self.formula(kind, values)

        self.generic(inputs, out, maps + [text_of(f"d{d}" for d in out_order)], ["parallel"] * rank, body)

    def match(self, small, shape):
        """How a tensor of shape `small` can be read in the space `shape`: a list of subscripts, or None."""
        dims, start = [], 0
        free = list(range(len(shape)))
        if self.rng.random() < 0.5:
            self.rng.shuffle(free)
        for size in small:
            found = next((d for d in free if shape[d] == size), None)
            if found is None:
                if size != 1:
                    return None
                dims.append("0")
                continue
            free.remove(found)
            dims.append(f"d{found}")
        return dims

    def reduce(self):
        source = self.pick(range(1, 7))
        rank = len(source.shape)
        reduced = self.rng.sample(range(rank), self.rng.randint(1, rank))
        kept = [d for d in range(rank) if d not in reduced]
        if self.rng.random() < 0.4:
            self.rng.shuffle(kept)
        kind = source.kind
        shape = [source.shape[d] for d in kept]
        start = self.filled(shape, kind)
        operation = "ori" if kind == "i1" else self.rng.choice(
            ["addf", "addf", "addf", "maximumf", "mulf"] if is_float(kind) else ["addi", "maxsi", "xori", "muli"])
        iterators = ["reduction" if d in reduced else "parallel" for d in range(rank)]
        maps = [text_of(f"d{d}" for d in range(rank)), text_of(f"d{d}" for d in kept)]
        self.generic([source], start, maps, iterators,
                     lambda names: self.binary(kind, names[1], names[0], operation))

    def contract(self):
        """A product summed over some dimensions, of two tensors that share some."""
        left = self.pick(range(1, 5), numeric=True)
        kind = left.kind
        rank = len(left.shape)
        sizes = list(left.shape)
        shared = self.rng.sample(range(rank), self.rng.randint(1, rank))
        extra = self.rng.choice([0, 1, 1, 2])
        for _ in range(extra):
            sizes.append(self.rng.choice([s for s in SIZES if s * product(sizes) <= MOST_WORK] or [1]))
        right_dims = shared + list(range(rank, rank + extra))
        self.rng.shuffle(right_dims)
        right_shape = [sizes[d] for d in right_dims]
        if product(right_shape) > 4 * MOST_ELEMENTS:
            return
        right = self.stored(right_shape, kind)
        reduced = self.rng.sample(shared, self.rng.randint(0, len(shared)))
        kept = [d for d in range(len(sizes)) if d not in reduced]
        if self.rng.random() < 0.4:
            self.rng.shuffle(kept)
        shape = [sizes[d] for d in kept]
        if product(shape) > 4 * MOST_ELEMENTS:
            return
        same = [v for v in self.values if v.shape == shape and v.kind == kind]
        start = self.rng.choice(same) if same and self.rng.random() < 0.5 else self.filled(shape, kind)
        maps = [text_of(f"d{d}" for d in dims) for dims in (range(rank), right_dims, kept)]
        multiply, add = ("mulf", "addf") if is_float(kind) else ("muli", "addi")

        def body(names):
            value = self.binary(kind, names[0], names[1], multiply)
            return self.binary(kind, names[2], value, add)

        iterators = ["reduction" if d in reduced else "parallel" for d in range(len(sizes))]
        self.generic([left, right], start, maps, iterators, body)

    def stored(self, shape, kind):
        """A tensor of the shape: an old one, or a constant."""
        same = [v for v in self.values if v.shape == shape and v.kind == kind]
        if same and self.rng.random() < 0.6:
            return self.rng.choice(same)
        value = Value(self.name(), shape, kind)
        self.put(f"{value.name} = arith.constant dense<{self.nested(shape, kind)}> : {value.type}")
        if self.rng.random() < 0.3:
            self.values.append(value)
        return value

    def nested(self, shape, kind):
        if shape:
            return "[" + text_of(self.nested(shape[1:], kind) for _ in range(shape[0])) + "]"
        if kind == "i1":
            return self.rng.choice(["true", "false"])
        return f"{self.rng.uniform(-2, 2):.3f}" if is_float(kind) else str(self.rng.randint(-9, 9))

    def convolve(self):
        """Windows over the last one or two dimensions, after padding."""
        source = self.pick(range(2, 5), numeric=True)
        if self.rng.random() < 0.6:
            source = self.pad(source) or source
        rank, kind = len(source.shape), source.kind
        spatial = self.rng.choice([1, 1, 2]) if rank > 2 else 1
        stride = [self.rng.choice([1, 1, 2, 3]) for _ in range(spatial)]
        dilation = [self.rng.choice([1, 1, 2]) for _ in range(spatial)]
        window, outs = [], []
        for k in range(spatial):
            size = source.shape[rank - spatial + k]
            fits = [w for w in (1, 2, 3, 4, 5) if (w - 1) * dilation[k] < size]
            window.append(self.rng.choice(fits))
            outs.append((size - 1 - (window[k] - 1) * dilation[k]) // stride[k] + 1)
        # d: batch dims, then the channel that is summed (or kept: depthwise), out channel, out places, window
        lead = source.shape[:rank - spatial]
        channels = self.rng.choice([1, 2, 3, 4, 5, 8])
        depthwise, pooling = self.rng.random() < 0.3, self.rng.random() < 0.3
        if depthwise or pooling:
            channels = 1
        work = product(lead) * channels * product(outs) * product(window)
        if work > 2 * MOST_WORK:
            return
        n = len(lead)
        places = [f"d{n + 1 + k}" for k in range(spatial)]
        taps = [f"d{n + 1 + spatial + k}" for k in range(spatial)]
        read = [f"d{i}" for i in range(n)]
        read += [f"{p} * {s} + {t} * {d}" for p, s, t, d in zip(places, stride, taps, dilation)]
        keep = [f"d{i}" for i in range(n - (not depthwise and not pooling))] + [f"d{n}"] + places
        out_shape = lead[:n - (not depthwise and not pooling)] + [channels] + outs
        iterators = ["parallel"] * n + ["parallel"] * (1 + spatial) + ["reduction"] * spatial
        if not depthwise and not pooling:
            iterators[n - 1] = "reduction"
        start = self.filled(out_shape, kind)
        if pooling:
            shape_only = self.empty(window, kind)
            operation = self.rng.choice(["maximumf", "addf"] if is_float(kind) else ["maxsi", "addi"])
            self.generic([source, shape_only], start, [text_of(read), text_of(taps), text_of(keep)], iterators,
                         lambda names: self.binary(kind, names[2], names[0], operation))
            return
        weights = self.stored([channels, lead[-1]] + window, kind)
        maps = [text_of(read), text_of([f"d{n}", f"d{n - 1}"] + taps), text_of(keep)]
        multiply, add = ("mulf", "addf") if is_float(kind) else ("muli", "addi")
        self.generic([source, weights], start, maps, iterators,
                     lambda names: self.binary(kind, names[2], self.binary(kind, names[0], names[1], multiply), add))

    def pad(self, source=None):
        source = source or self.pick(range(1, 5))
        low = [self.rng.choice([0, 0, 1, 1, 2, 3]) for _ in source.shape]
        high = [self.rng.choice([0, 0, 1, 1, 2]) for _ in source.shape]
        shape = [a + d + b for a, d, b in zip(low, source.shape, high)]
        if product(shape) > 3 * MOST_ELEMENTS:
            return None
        scalar = self.constant(source.kind)
        result = self.new(shape, source.kind)
        indices = text_of(self.name() + ": index" for _ in shape)
        self.put(f"{result.name} = tensor.pad {source.name} low[{text_of(low)}] high[{text_of(high)}] {{")
        self.put(f"^bb0({indices}):")
        self.put(f"  tensor.yield {scalar} : {source.kind}")
        self.put(f"}} : {source.type} to {result.type}")
        return result

    def transpose(self):
        source = self.pick(range(2, 7))
        order = list(range(len(source.shape)))
        self.rng.shuffle(order)
        out = self.empty([source.shape[d] for d in order], source.kind)
        result = self.new(out.shape, out.kind)
        self.put(f"{result.name} = linalg.transpose ins({source.name} : {source.type}) outs({out.name} : {out.type}) "
                 f"permutation = [{text_of(order)}]")

    def slice(self):
        source = self.pick(range(1, 7))
        offsets, sizes, strides = [], [], []
        for size in source.shape:
            stride = self.rng.choice([1, 1, 1, 2, 3])
            offset = self.rng.randrange(size)
            offsets.append(offset)
            strides.append(stride)
            sizes.append(self.rng.randint(1, (size - 1 - offset) // stride + 1))
        result = self.new(sizes, source.kind)
        self.put(f"{result.name} = tensor.extract_slice {source.name}[{text_of(offsets)}] [{text_of(sizes)}] "
                 f"[{text_of(strides)}] : {source.type} to {result.type}")

    def insert(self):
        """Overwrites a part of a tensor, which other steps may still read."""
        target = self.pick(range(1, 7))
        offsets, sizes = [], []
        for size in target.shape:
            offset = self.rng.randrange(size)
            offsets.append(offset)
            sizes.append(self.rng.randint(1, size - offset))
        part = self.filled(sizes, target.kind) if self.rng.random() < 0.5 else self.stored(sizes, target.kind)
        result = self.new(target.shape, target.kind)
        self.put(f"{result.name} = tensor.insert_slice {part.name} into {target.name}[{text_of(offsets)}] "
                 f"[{text_of(sizes)}] [{text_of([1] * len(sizes))}] : {part.type} into {target.type}")

    def concat(self):
        first = self.pick(range(1, 5))
        others = [v for v in self.values if v.kind == first.kind and len(v.shape) == len(first.shape)]
        dim = self.rng.randrange(len(first.shape))
        rest = lambda v: v.shape[:dim] + v.shape[dim + 1:]
        others = [v for v in others if rest(v) == rest(first)]
        parts = [first] + [self.rng.choice(others) for _ in range(self.rng.choice([1, 1, 2]))]
        shape = list(first.shape)
        shape[dim] = sum(v.shape[dim] for v in parts)
        result = self.new(shape, first.kind)
        self.put(f"{result.name} = tensor.concat dim({dim}) {text_of(v.name for v in parts)} : "
                 f"({text_of(v.type for v in parts)}) -> {result.type}")

    def collapse(self):
        source = self.pick(range(2, 7))
        rank = len(source.shape)
        cuts = sorted(self.rng.sample(range(1, rank), self.rng.randint(0, rank - 2)))
        groups = [list(range(a, b)) for a, b in zip([0] + cuts, cuts + [rank])]
        result = self.new([product(source.shape[d] for d in g) for g in groups], source.kind)
        self.put(f"{result.name} = tensor.collapse_shape {source.name} {groups} : {source.type} into {result.type}")

    def expand(self):
        source = self.pick(range(1, 5))
        groups, shape = [], []
        for size in source.shape:
            parts = [size]
            divisors = [d for d in range(1, size + 1) if size % d == 0]
            if self.rng.random() < 0.6 and len(shape) + 2 < 6:
                first = self.rng.choice(divisors)
                parts = [first, size // first]
            groups.append(list(range(len(shape), len(shape) + len(parts))))
            shape += parts
        if len(shape) > 6 or len(shape) == len(source.shape):
            return
        result = self.new(shape, source.kind)
        self.put(f"{result.name} = tensor.expand_shape {source.name} {groups} output_shape [{text_of(shape)}] : "
                 f"{source.type} into {result.type}")

    def gather(self):
        """Rows chosen by data, with the index held in range."""
        table = self.pick(range(1, 4))
        chosen = [v for v in self.values if v.kind in ("i32", "i64", "i8") and len(v.shape) <= 2]
        if not chosen:
            return
        index = self.rng.choice(chosen)
        shape = index.shape + table.shape[1:]
        if product(shape) > MOST_WORK or len(shape) > 6:
            return
        n = len(index.shape)
        out = self.empty(shape, table.kind)

        def body(names):
            wide, place, low, high, clamped = (self.name() for _ in range(5))
            self.put(f"{wide} = arith.index_cast {names[0]} : {index.kind} to index")
            self.put(f"{low} = arith.constant 0 : index")
            self.put(f"{high} = arith.constant {table.shape[0] - 1} : index")
            self.put(f"{place} = arith.maxsi {wide}, {low} : index")
            self.put(f"{clamped} = arith.minsi {place}, {high} : index")
            places = [clamped]
            for k in range(1, len(table.shape)):
                places.append(self.name())
                self.put(f"{places[-1]} = linalg.index {n + k - 1} : index")
            value = self.name()
            self.put(f"{value} = tensor.extract {table.name}[{text_of(places)}] : {table.type}")
            return value

        self.generic([index], out, [text_of(f"d{d}" for d in range(n)), text_of(f"d{d}" for d in range(len(shape)))],
                     ["parallel"] * len(shape), body)

    def program(self):
        steps = [self.elementwise] * 6 + [self.reduce] * 3 + [self.contract] * 4 + [self.convolve] * 4 + \
                [self.pad, self.transpose, self.slice, self.insert, self.concat, self.collapse, self.expand, self.gather]
        for _ in range(self.rng.randint(2, 8)):
            try:
                self.rng.choice(steps)()
            except (AttributeError, IndexError):  # no value of the rank that the step needs
                continue
        made = self.values[len(self.inputs):]
        if not made:
            self.elementwise()
            made = self.values[-1:]
        results = made[-1:] + self.rng.sample(made[:-1], min(len(made) - 1, self.rng.choice([0, 0, 1, 2])))
        arguments = text_of(f"{v.name}: {v.type}" for v in self.inputs)
        types = text_of(v.type for v in results)
        return "\n".join([f"func.func @main({arguments}) -> ({types}) {{"] + self.lines +
                         [f"  return {text_of(v.name for v in results)} : {types}", "}"])
