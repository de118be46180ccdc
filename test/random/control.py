"""Random functions whose loops and branches depend on data: while, loaded bounds and steps, ifs with loops in their
arms, nested in each other and in loops of constant bounds. See generate.py."""
from loops import Loop, StructuredLoops
from writer import is_float

MOST_TURNS = 7  # of a loop on data
MASKS = [1, 3, 3, 7]  # a loaded value becomes 0 .. mask


class ControlLoops(StructuredLoops):
    """Every loop on data has a bound that data cannot move, so that all programs end."""

    # --- values that data decides ---

    def loaded(self, loops, memory=None):
        memory = memory or self.rng.choice(self.memories)
        return self.load(memory, self.access(memory, loops))

    def small(self, loops, mask):
        """An index in 0 .. mask out of a memory."""
        value, kind = self.loaded(loops)
        if is_float(kind) or kind == "i1":
            value, kind = self.convert(value, kind, "i32"), "i32"
        limit, masked, index = self.name(), self.name(), self.name()
        self.put(f"{limit} = arith.constant {mask} : {kind}")
        self.put(f"{masked} = arith.andi {value}, {limit} : {kind}")
        self.put(f"{index} = arith.index_cast {masked} : {kind} to index")
        return index

    def condition(self, loops):
        value, kind = self.loaded(loops)
        return value if kind == "i1" else self.compare(kind, value, self.constant(kind))

    # --- loops whose bounds depend on data ---

    def begin_loop(self, name, first, end, step, carried):
        choice = self.rng.random()
        if choice > 0.3:
            super().begin_loop(name, first, end, step, carried)
            return
        # What is loaded stands for an end or a start inside of the bounds that the body counts on.
        low, high = self.integer(first), self.integer(end)
        if choice < 0.2:
            high = self.operate("minsi", high, self.operate("addi", low, self.small([], 7)))
        else:
            low = self.operate("addi", low, self.operate("muli", self.small([], 7), self.integer(step)))
        text = f"scf.for {name} = {low} to {high} step {self.integer(step)}"
        if carried:
            body, before, kind, result = carried
            text = f"{result} = {text} iter_args({body} = {before}) -> ({kind})"
        self.open(text)

    def first(self, loops):
        """A lower bound and the greatest value that it takes."""
        if loops and self.rng.random() < 0.2:
            loop = self.rng.choice(loops)
            if loop.first >= 0:
                return loop.name, loop.last
        if self.rng.random() < 0.6:
            value = self.rng.choice([0, 0, 1, 2])
            return self.integer(value), value
        mask = self.rng.choice(MASKS)
        return self.small(loops, mask), mask

    def bounds(self, loops):
        """Lower and upper bound, step, and the greatest value of the counter."""
        low, first = self.first(loops)
        mask = self.rng.choice(MASKS)
        extent = self.small(loops, mask)
        high = self.operate("addi", low, extent) if self.rng.random() < 0.4 else extent
        if self.rng.random() < 0.2:
            high = self.operate(self.rng.choice(["minsi", "maxsi"]), high, self.integer(self.rng.choice([2, 4])))
        step = self.integer(self.rng.choice([1, 1, 1, 2, 3]))
        if self.rng.random() < 0.25:
            step = self.operate("addi", self.small(loops, 3), self.integer(1))
        return low, high, step, max(first + mask, 4)

    def counted(self, loops, work):
        """A loop over loaded bounds; half of them carry a value or an index."""
        low, high, step, last = self.bounds(loops)
        counter = self.name()
        text = f"scf.for {counter} = {low} to {high} step {step}"
        # What the counter indexes is clamped where it is out of range.
        inner = loops + [Loop(counter, 0, last)]
        choice = self.rng.random()
        if choice < 0.4:
            self.carried(text, loops, inner, work)
        elif choice < 0.55:
            self.parallel(text, inner, work)
        else:
            self.open(text)
            self.nest(inner, work * MOST_TURNS)
            self.close()

    def carried(self, text, loops, inner, work):
        target = self.rng.choice([m for m in self.memories if m.role != "input"])
        place = self.access(target, loops)
        start = self.load(target, place)[0] if self.rng.random() < 0.5 else self.constant(target.kind)
        body, result = self.name(), self.name()
        far, zero = self.name(), self.integer(0)
        self.open(f"{result}:2 = {text} iter_args({body} = {start}, {far} = {zero}) -> ({target.kind}, index)")
        if self.rng.random() < 0.5:
            self.nest(inner, work * MOST_TURNS)
        element, kind = self.loaded(inner)
        following = self.binary(target.kind, body, self.convert(element, kind, target.kind))
        moved = self.operate(self.rng.choice(["addi", "maxsi", "xori"]), far, inner[-1].name)
        self.put(f"scf.yield {following}, {moved} : {target.kind}, index")
        self.close()
        self.store(f"{result}#0", target, place)
        self.keep_index(f"{result}#1", loops)

    def parallel(self, text, inner, work):
        text = text.replace("scf.for", "scf.parallel").split()
        # scf.parallel %i = %a to %b step %c -> scf.parallel (%i) = (%a) to (%b) step (%c)
        self.open(" ".join(f"({word})" if word.startswith("%") else word for word in text))
        self.nest(inner, work * MOST_TURNS)
        self.close()

    def keep_index(self, index, loops):
        """Stores an index where integers are kept, if there is such a memory."""
        memories = [m for m in self.memories if m.role != "input" and m.kind in ("i32", "i64", "i16", "i8")]
        if memories and self.rng.random() < 0.7:
            target, name = self.rng.choice(memories), self.name()
            self.put(f"{name} = arith.index_cast {index} : index to {target.kind}")
            self.store(name, target, self.access(target, loops))

    # --- while ---

    def repeated(self, loops, work):
        """A while that carries a count, and a value or the state in a memory."""
        target = self.rng.choice([m for m in self.memories if m.role != "input"])
        kind, place = target.kind, self.access(target, loops)
        limit = self.small(loops, self.rng.choice(MASKS)) if self.rng.random() < 0.5 else self.integer(MOST_TURNS)
        start = self.load(target, place)[0] if self.rng.random() < 0.6 else self.constant(kind)
        zero, one = self.integer(0), self.integer(1)
        result, count, value = self.name(), self.name(), self.name()
        types = f"(index, {kind})"
        self.open(f"{result}:2 = scf.while ({count} = {zero}, {value} = {start}) : {types} -> {types}")
        inner = loops + [Loop(count, 0, MOST_TURNS)]
        handed = self.before(inner, value, kind, count, limit, work)
        self.put(f"scf.condition({handed[0]}) {count}, {handed[1]} : index, {kind}")
        self.depth -= 1
        self.put("} do {")
        count, value = self.name(), self.name()
        self.put(f"^bb0({count}: index, {value}: {kind}):")
        self.depth += 1
        inner = loops + [Loop(count, 0, MOST_TURNS)]
        if self.rng.random() < 0.7:
            self.nest(inner, work * MOST_TURNS)
        element, source = self.loaded(inner)
        following = self.binary(kind, value, self.convert(element, source, kind))
        moved = self.operate("addi", count, one)
        self.put(f"scf.yield {moved}, {following} : index, {kind}")
        self.close()
        self.store(f"{result}#1", target, place)
        self.keep_index(f"{result}#0", loops)

    def before(self, inner, value, kind, count, limit, work):
        """What a while does before it asks: the condition, and the value that it hands on."""
        if self.rng.random() < 0.25:
            self.statement(inner)
        if self.rng.random() < 0.1:
            self.nest(inner, work * MOST_TURNS)
        more = self.test("slt", count, limit)
        if self.rng.random() < 0.5:
            other = self.condition(inner) if self.rng.random() < 0.5 else self.compare(kind, value, self.constant(kind))
            both = self.name()
            self.put(f"{both} = arith.andi {more}, {other} : i1")
            more = both
        if self.rng.random() < 0.3:
            value = self.binary(kind, value, self.constant(kind))
        return more, value

    # --- branches ---

    def branch(self, loops, work):
        """Arms with nests in them, perhaps a result, perhaps no else."""
        target = self.rng.choice([m for m in self.memories if m.role != "input"])
        place = self.access(target, loops)
        result = (self.name(), target.kind) if self.rng.random() < 0.4 else None
        if loops and self.rng.random() < 0.25:
            self.begin_if(loops, result)
        else:
            self.open_if(self.condition(loops), result)
        for end in (self.otherwise, self.finish):
            if self.rng.random() < 0.8:
                self.nest(loops, work)
            if result:
                end(self.value(target, place, loops), target.kind)
            elif end == self.otherwise and self.rng.random() < 0.4:
                self.finish()
                break
            else:
                end()
        self.put("}")
        if result:
            self.store(result[0], target, place)

    # --- nests of all of these ---

    def open(self, text):
        self.put(text + " {")
        self.depth += 1

    def close(self):
        self.depth -= 1
        self.put("}")

    def nest(self, loops, work):
        chance = 0.6 if not loops else 0.45 / len(loops)
        if len(loops) < 5 and work * MOST_TURNS <= 1500 and self.rng.random() < chance:
            self.rng.choice([self.counted, self.repeated, self.repeated, self.branch, self.branch])(loops, work)
            if self.rng.random() < 0.3:
                self.statement(loops)
        else:
            super().nest(loops, work)
