"""Random functions of loops over memrefs, in affine or in scf. See generate.py."""
from writer import MOST_WORK, SIZES, Value, Writer, is_float, product, text_of


def memref(memory):
    layout = getattr(memory, "layout", None)
    return "memref<" + "".join(f"{d}x" for d in memory.shape) + memory.kind + (f", {layout}" if layout else "") + ">"


class Loop:
    """A loop's variable: its name and the least and the greatest value that it takes."""

    def __init__(self, name, first, last):
        self.name, self.first, self.last = name, first, last


class Loops(Writer):
    """A function of loops over memories: arguments, one or two of them outputs, and local buffers."""

    def __init__(self, rng):
        super().__init__(rng)
        kind = self.kind()
        self.memories = []
        for i in range(rng.choice([2, 3, 4])):
            # One type mostly, so that values flow.
            memory = Value(f"%m{i}", self.shape(rng.choice([1, 1, 2, 2, 3, 4]), 300),
                           kind if rng.random() < 0.8 else self.kind())
            memory.role = "input" if i == 0 else rng.choice(["input", "output", "output"])
            self.memories.append(memory)
        self.memories[-1].role = "output"

    # --- what affine and scf write in their own ways ---

    def index(self, terms, offset):
        """The sum of (loop, factor) pairs and an offset, as a subscript."""
        raise NotImplementedError

    def load(self, memory, place):
        raise NotImplementedError

    def store(self, value, memory, place):
        raise NotImplementedError

    def begin_loop(self, name, first, end, step, carried):
        """`carried`: (name in the body, name before the loop, type, name of the result), or None."""
        raise NotImplementedError

    def begin_if(self, loops, result):
        """A branch on loop variables, in scf perhaps on data. `result`: (name, type) or None."""
        raise NotImplementedError

    def finish(self, value=None, kind=None):
        """The end of a block that gives `value`, or nothing."""
        if value:
            self.put(f"{self.dialect}.yield {value} : {kind}")
        self.depth -= 1

    def otherwise(self, value=None, kind=None):
        self.finish(value, kind)
        self.put("} else {")
        self.depth += 1

    # --- places ---

    def range_index(self, terms, low, high, size):
        """Terms that span low .. high, moved into 0 .. size-1."""
        return self.index(terms, self.rng.randint(-low, size - 1 - high))

    def subscript(self, size, loops):
        """An index in 0 .. size-1, mostly one that follows the loops."""
        for _ in range(6):
            if not loops:
                break
            terms = []
            for loop in self.rng.sample(loops, min(len(loops), self.rng.choice([1, 1, 1, 2]))):
                terms.append((loop, self.rng.choice([1, 1, 1, 1, 2, -1, 3])))
            low = sum(min(f * loop.first, f * loop.last) for loop, f in terms)
            high = sum(max(f * loop.first, f * loop.last) for loop, f in terms)
            if high - low < size:
                return self.range_index(terms, low, high, size)
        return self.index([], self.rng.randrange(size))

    def access(self, memory, loops):
        return [self.subscript(size, loops) for size in memory.shape]

    # --- statements ---

    def padded(self, loops):
        """A load that may be out of range, under a branch that sees to it; else a constant."""
        memory = self.rng.choice([m for m in self.memories if m.shape] or self.memories)
        if not loops or not memory.shape:
            return self.load(memory, self.access(memory, loops))
        loop, dim = self.rng.choice(loops), self.rng.randrange(len(memory.shape))
        shift = self.rng.randint(-2, 2)
        places = self.access(memory, loops)
        result = self.name()
        self.begin_range(loop, shift, memory.shape[dim], (result, memory.kind))
        places[dim] = self.index([(loop, 1)], shift)
        self.otherwise(self.load(memory, places)[0], memory.kind)
        self.finish(self.constant(memory.kind), memory.kind)
        self.put("}")
        return result, memory.kind

    def value(self, target, place, loops):
        """A value of the target's type over loads, perhaps also of what is there already."""
        values = [self.load(target, place)] if self.rng.random() < 0.6 else []
        for _ in range(self.rng.choice([1, 1, 2])):
            memory = self.rng.choice(self.memories)
            values.append(self.padded(loops) if self.rng.random() < 0.15 else
                          self.load(memory, self.access(memory, loops)))
        return self.formula(target.kind, values)

    def statement(self, loops):
        target = self.rng.choice([m for m in self.memories if m.role != "input"])
        place = self.access(target, loops)
        choice = self.rng.random()
        if choice < 0.7 or not loops:
            self.store(self.value(target, place, loops), target, place)
        elif choice < 0.85:  # the value comes before the branch
            value = self.value(target, place, loops)
            self.begin_if(loops, None)
            self.store(value, target, place)
            self.finish()
            self.put("}")
        else:
            self.branches(target, place, loops)

    def branches(self, target, place, loops):
        """Two branches that each load, and store or give a value."""
        result = (self.name(), target.kind) if self.rng.random() < 0.5 else None
        self.begin_if(loops, result)
        for end in (self.otherwise, self.finish):
            value = self.value(target, place, loops)
            if result:
                end(value, target.kind)
            else:
                self.store(value, target, place)
                end()
        self.put("}")
        if result:
            self.store(result[0], target, place)

    def reduction(self, loops, work):
        """A loop that carries a value, which is stored after it."""
        target = self.rng.choice([m for m in self.memories if m.role != "input"])
        place = self.access(target, loops)
        start = self.load(target, place)[0] if self.rng.random() < 0.5 else self.constant(target.kind)
        body, result = self.name(), self.name()
        inner = self.new_loop(work, (body, start, target.kind, result))
        memory = self.rng.choice(self.memories)
        element, kind = self.load(memory, self.access(memory, loops + [inner]))
        following = self.binary(target.kind, body, self.convert(element, kind, target.kind))
        self.finish(following, target.kind)
        self.put("}")
        self.store(result, target, place)

    def new_loop(self, work, carried=None):
        trip = self.rng.choice([s for s in SIZES if s <= max(MOST_WORK // work, 1)] or [1])
        first = self.rng.choice([0, 0, 0, 1, 2])
        step = self.rng.choice([1, 1, 1, 2, 3])
        self.count += 1
        name = f"%i{self.count}"
        end = first + trip * step - self.rng.randrange(step)
        self.begin_loop(name, first, end, step, carried)
        loop = Loop(name, first, first + (trip - 1) * step)
        loop.trip = trip
        return loop

    def nest(self, loops, work):
        most = min(MOST_WORK // work, 17)
        if len(loops) < 5 and most >= 2 and self.rng.random() < (0.95, 0.7, 0.5, 0.3, 0.2)[len(loops)]:
            if self.rng.random() < 0.2:
                self.statement(loops)
            loop = self.new_loop(work)
            self.nest(loops + [loop], work * loop.trip)
            self.depth -= 1
            self.put("}")
            if self.rng.random() < 0.2:
                self.statement(loops)
        else:
            for _ in range(self.rng.choice([1, 1, 1, 2, 3])):
                if most >= 2 and self.rng.random() < 0.12:
                    self.reduction(loops, work)
                else:
                    self.statement(loops)

    def copy(self):
        """A memory into another one of its type, if there is one."""
        pairs = [(a, b) for a in self.memories for b in self.memories
                 if a is not b and memref(a) == memref(b) and b.role != "input"]
        if pairs:
            source, target = self.rng.choice(pairs)
            self.put(f"memref.copy {source.name}, {target.name} : {memref(source)} to {memref(target)}")

    def buffers(self):
        for i in range(self.rng.choice([0, 0, 1, 2])):
            like = self.memories[0]
            shape = like.shape if self.rng.random() < 0.3 else self.shape(self.rng.choice([1, 2, 3]), 200)
            buffer = Value(f"%b{i}", shape, like.kind)
            buffer.role = "local"
            self.put(f"{buffer.name} = memref.alloc() : {memref(buffer)}")
            self.memories.append(buffer)

    def view(self):
        """A part of a memory, with steps, as one more memory of the same role."""
        whole = self.rng.choice([m for m in self.memories if m.shape] or [None])
        if not whole:
            return
        offsets, sizes, steps, strides, offset, stride = [], [], [], [], 0, 1
        for size in reversed(whole.shape):
            step, start = self.rng.choice([1, 1, 2, 3]), self.rng.randrange(size)
            offsets.insert(0, start)
            steps.insert(0, step)
            sizes.insert(0, self.rng.randint(1, (size - 1 - start) // step + 1))
            strides.insert(0, stride * step)
            offset += start * stride
            stride *= size
        view = Value(self.name(), sizes, whole.kind)
        view.role = "local" if whole.role == "output" else whole.role
        view.layout = f"strided<[{text_of(strides)}], offset: {offset}>"
        self.put(f"{view.name} = memref.subview {whole.name}[{text_of(offsets)}] [{text_of(sizes)}] [{text_of(steps)}] : "
                 f"{memref(whole)} to {memref(view)}")
        self.memories.append(view)

    def program(self):
        arguments = list(self.memories)
        self.buffers()
        if self.rng.random() < 0.3:
            self.view()
        for _ in range(self.rng.randint(1, 4)):
            self.nest([], 1)
            if self.rng.random() < 0.1:
                self.copy()
        header = text_of(
            f'{m.name}: {memref(m)} {{tepal.name = "{m.name[1:]}"' + (", tepal.output}" if m.role == "output" else "}")
            for role in ("input", "output") for m in arguments if m.role == role)
        return "\n".join([f"func.func @main({header}) {{"] + self.lines + ["  return", "}"])


class AffineLoops(Loops):
    dialect = "affine"

    def index(self, terms, offset):
        return " + ".join([f"{loop.name} * {factor}" for loop, factor in terms] + [str(offset)])

    def load(self, memory, place):
        name = self.name()
        self.put(f"{name} = affine.load {memory.name}[{text_of(place)}] : {memref(memory)}")
        return name, memory.kind

    def store(self, value, memory, place):
        self.put(f"affine.store {value}, {memory.name}[{text_of(place)}] : {memref(memory)}")

    def begin_loop(self, name, first, end, step, carried):
        text = f"affine.for {name} = {first} to {end}" + (f" step {step}" if step > 1 else "")
        if not carried and self.rng.random() < 0.1:  # in order all the same: tepal-parallel
            text = f"affine.parallel ({name}) = ({first}) to ({end})" + (f" step ({step})" if step > 1 else "")
        if carried:
            body, before, kind, result = carried
            text = f"{result} = {text} iter_args({body} = {before}) -> ({kind})"
        self.put(text + " {")
        self.depth += 1

    def open_if(self, tests, names, result):
        variables = text_of("ij"[k] for k in range(len(names)))
        start = f"{result[0]} = " if result else ""
        self.put(f"{start}affine.if affine_set<({variables}) : ({text_of(tests)})>({text_of(names)})" +
                 (f" -> {result[1]} {{" if result else " {"))
        self.depth += 1

    def begin_if(self, loops, result):
        chosen = self.rng.sample(loops, min(len(loops), self.rng.choice([1, 1, 2])))
        tests = []
        for k, loop in enumerate(chosen):
            variable, bound = "ij"[k], self.rng.randint(loop.first, loop.last)
            tests.append(self.rng.choice([f"{variable} - {bound} >= 0", f"{bound} - {variable} >= 0",
                                          f"{variable} - {bound} == 0", f"{variable} mod 2 == 0"]))
        if len(chosen) == 2 and self.rng.random() < 0.4:
            tests.append(self.rng.choice(["i - j >= 0", "j - i - 1 >= 0", "i - j == 0"]))
        self.open_if(tests, [loop.name for loop in chosen], result)

    def begin_range(self, loop, shift, size, result):
        self.open_if([f"i + {shift} >= 0", f"{size - 1 - shift} - i >= 0"], [loop.name], result)


class StructuredLoops(Loops):
    dialect = "scf"

    def integer(self, value):
        name = self.name()
        self.put(f"{name} = arith.constant {value} : index")
        return name

    def operate(self, operation, a, b):
        name = self.name()
        self.put(f"{name} = arith.{operation} {a}, {b} : index")
        return name

    def index(self, terms, offset):
        result = None
        for loop, factor in terms:
            term = loop.name
            if factor == 2 and self.rng.random() < 0.5:
                term = self.operate("shli", term, self.integer(1))
            elif factor != 1:
                term = self.operate("muli", term, self.integer(factor))
            result = self.operate("addi", result, term) if result else term
        if result is None:
            return self.integer(offset)
        if offset < 0 and self.rng.random() < 0.5:
            return self.operate("subi", result, self.integer(-offset))
        return self.operate("addi", result, self.integer(offset)) if offset else result

    def load(self, memory, place):
        name = self.name()
        self.put(f"{name} = memref.load {memory.name}[{text_of(place)}] : {memref(memory)}")
        return name, memory.kind

    def store(self, value, memory, place):
        self.put(f"memref.store {value}, {memory.name}[{text_of(place)}] : {memref(memory)}")

    def begin_loop(self, name, first, end, step, carried):
        bounds = [self.integer(value) for value in (first, end, step)]
        if not carried and self.rng.random() < 0.15:  # in order all the same: tepal-parallel
            text = f"scf.parallel ({name}) = ({bounds[0]}) to ({bounds[1]}) step ({bounds[2]})"
        else:
            text = f"scf.for {name} = {bounds[0]} to {bounds[1]} step {bounds[2]}"
        if carried:
            body, before, kind, result = carried
            text = f"{result} = {text} iter_args({body} = {before}) -> ({kind})"
        self.put(text + " {")
        self.depth += 1

    def open_if(self, condition, result):
        start = f"{result[0]} = " if result else ""
        self.put(f"{start}scf.if {condition}" + (f" -> ({result[1]}) {{" if result else " {"))
        self.depth += 1

    def test(self, operation, a, b):
        name = self.name()
        self.put(f"{name} = arith.cmpi {operation}, {a}, {b} : index")
        return name

    def begin_if(self, loops, result):
        if self.rng.random() < 0.5:  # on data
            memory = self.rng.choice(self.memories)
            name, kind = self.load(memory, self.access(memory, loops))
            condition = name if kind == "i1" else self.compare(kind, name, self.constant(kind))
        else:
            loop = self.rng.choice(loops)
            bound = self.integer(self.rng.randint(loop.first, loop.last))
            condition = self.test(self.rng.choice(["slt", "sge", "eq", "ne", "ule"]), loop.name, bound)
        self.open_if(condition, result)

    def begin_range(self, loop, shift, size, result):
        place = self.index([(loop, 1)], shift)
        low = self.test("sge", place, self.integer(0))
        high = self.test("slt", place, self.integer(size))
        both = self.name()
        self.put(f"{both} = arith.andi {low}, {high} : i1")
        self.open_if(both, result)
