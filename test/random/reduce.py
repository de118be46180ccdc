#!/usr/bin/env python3
"""Makes a random program that fails small: prints the smallest one found that fails in the same way.

    reduce.py TEPAL FILE.mlir [JUDGE]

JUDGE (default: judge.sh beside this file) is run as `JUDGE TEPAL FILE` and ends with status 1 for a failure. Two
failures are the same if their first two lines are, numbers and names aside. Steps, over and over until none helps: take
operations and whole blocks out; give a value another one of its type; unwrap loops and branches; shorten loops; do
without results and arguments; a lower --parallel.
"""
import os
import re
import subprocess
import sys
import tempfile

TYPES = r"(?:index|i\d+|f\d+|bf16)"
DEFINITION = re.compile(r"\s*(%\w+) = ")


def kind_of(message):
    """What is compared of a message: no places, no numbers, no names."""
    lines = [re.sub(r"^\S*\.mlir:\d+:\d+: ", "", line.strip()) for line in message.split("\n")[:2]]
    return [re.sub(r"\b[\w%.]*\d+\w*\b|nest \w+", "N", line) for line in lines]


class Judge:
    def __init__(self, tepal, script):
        self.tepal, self.script = tepal, script
        self.folder = tempfile.mkdtemp()
        self.seen = set()

    def message(self, lines):
        path = os.path.join(self.folder, "program.mlir")
        with open(path, "w") as file:
            file.write("\n".join(lines) + "\n")
        done = subprocess.run(["bash", self.script, self.tepal, path], capture_output=True, text=True)
        return done.stdout if done.returncode == 1 else None

    def same(self, lines, kind):
        text = "\n".join(lines)
        if text in self.seen:
            return False
        self.seen.add(text)
        message = self.message(lines)
        return message is not None and kind_of(message) == kind


def block_end(lines, start):
    """The line after the block that begins in line `start`, with its other branch."""
    depth = 0
    for i in range(start, len(lines)):
        depth += lines[i].count("{") - lines[i].count("}")
        if depth <= 0:
            return i + 1
    return len(lines)


def opens(line):
    return line.count("{") > line.count("}")


def without(lines, start, end):
    """Without some lines, and without what used the values that they defined."""
    gone = {match.group(1) for line in lines[start:end] if (match := DEFINITION.match(line))}
    rest, i = lines[:start], end
    while i < len(lines):
        match = DEFINITION.match(lines[i])
        if any(re.search(re.escape(name) + r"\b", lines[i]) for name in gone):
            if match:
                gone.add(match.group(1))
            if lines[i].strip().startswith("return"):
                return None
            i = block_end(lines, i) if opens(lines[i]) else i + 1
            continue
        rest.append(lines[i])
        i += 1
    return rest


def removals(lines):
    """Ever smaller pieces, and blocks as a whole."""
    size = len(lines) // 2
    while size > 0:
        for start in range(0, len(lines) - size + 1, max(size // 2, 1)):
            piece = lines[start:start + size]
            if sum(line.count("{") - line.count("}") for line in piece) == 0:
                yield without(lines, start, start + size)
        size //= 2
    for start, line in enumerate(lines):
        if opens(line) and "func.func" not in line:
            yield without(lines, start, block_end(lines, start))


def unwrapped(lines):
    """Bodies in place of loops and branches without results."""
    for start, line in enumerate(lines):
        loop = re.match(r"\s*(?:affine|scf)\.(?:for|parallel) \(?(%\w+)\)? = \(?(\S+?)\)? to ", line)
        if not opens(line) or (not loop and not re.match(r"\s*(?:affine|scf)\.if ", line)):
            continue
        end = block_end(lines, start)
        body = lines[start + 1:end - 1]
        if any("} else {" in inner for inner in body):
            split = next(i for i, inner in enumerate(body) if "} else {" in inner)
            yield lines[:start] + body[:split] + lines[end:]
            yield lines[:start] + body[split + 1:] + lines[end:]
        elif loop:
            first = loop.group(2)
            value = [] if first.startswith("%") else [f"%first{start} = arith.constant {first} : index"]
            first = first if first.startswith("%") else f"%first{start}"
            yield lines[:start] + value + [re.sub(re.escape(loop.group(1)) + r"\b", first, l) for l in body] + lines[end:]
        else:
            yield lines[:start] + body + lines[end:]


def simpler_values(lines):
    """A constant in place of an operation with one scalar result."""
    for i, line in enumerate(lines):
        match = re.match(r"(\s*%\w+ = )(arith|affine|memref|math)\.(?!constant)\w+ .*[: ](" + TYPES + r")(?:>)?$", line)
        if match and not opens(line):
            kind = match.group(3)
            zero = "0.0" if "f" in kind else "0"
            value = "false" if kind == "i1" or ".cmp" in line else f"{zero} : {kind}"
            yield lines[:i] + [f"{match.group(1)}arith.constant {value}"] + lines[i + 1:]


def shorter_loops(lines):
    for i, line in enumerate(lines):
        match = re.match(r"(.*affine\.for %\w+ = )(\d+)( to )(\d+)(.*)", line)
        if match:
            first, last = int(match.group(2)), int(match.group(4))
            for end in {first + 1, first + 2, (first + last) // 2}:
                if first < end < last:
                    yield lines[:i] + [f"{match.group(1)}{first}{match.group(3)}{end}{match.group(5)}"] + lines[i + 1:]


def fewer_arguments(lines):
    """Without an argument or a result that is not needed; any other value may be returned alone."""
    text = "\n".join(lines)
    header = next(i for i, line in enumerate(lines) if "func.func" in line)
    arguments = re.search(r"@main\((.*)\) (?:->|\{)", lines[header])
    for argument in re.findall(r"%\w+: [^%]*", arguments.group(1)) if arguments else []:
        name = argument.split(":")[0]
        if len(re.findall(re.escape(name) + r"\b", text)) == 1:
            cut = lines[header].replace(argument, "").replace(", )", ")")
            yield lines[:header] + [cut] + lines[header + 1:]
    returned = re.match(r"(\s*return )(%.*) : (.*)", next(l for l in lines if l.strip().startswith("return")))
    if returned:
        last = next(i for i, l in enumerate(lines) if l.strip().startswith("return"))
        types = re.findall(r"tensor<[^>]*>", returned.group(3))
        for name, kind in zip(returned.group(2).split(", "), types):
            if len(types) > 1:
                start = re.sub(r"-> \(.*\) \{", f"-> ({kind}) {{", lines[header])
                yield lines[:header] + [start] + lines[header + 1:last] + [f"  return {name} : {kind}", "}"]
        for i, line in enumerate(lines[header + 1:last], header + 1):
            made = re.match(r"  (%\w+) = .*(tensor<[^>]*>)$", line)
            if made and not opens(line):
                start = re.sub(r"-> \(.*\) \{", f"-> ({made.group(2)}) {{", lines[header])
                yield lines[:header] + [start] + lines[header + 1:i + 1] + [
                    f"  return {made.group(1)} : {made.group(2)}", "}"]


def lower_parallel(lines):
    for i, line in enumerate(lines):
        if line.startswith("// parallel "):
            for parallel in (1, 2, 4, 8):
                if parallel < int(line.split()[2]):
                    yield lines[:i] + [f"// parallel {parallel}"] + lines[i + 1:]


def reduce(judge, lines, kind):
    steps = [fewer_arguments, removals, unwrapped, simpler_values, shorter_loops, lower_parallel]
    again = True
    while again:
        again = False
        for step in steps:
            found = True
            while found:
                found = False
                for smaller in step(lines):
                    if smaller is not None and smaller != lines and judge.same(smaller, kind):
                        lines, found, again = smaller, True, True
                        print(f"{len(lines)} lines ({step.__name__})", file=sys.stderr)
                        break
    return lines


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    judge = Judge(sys.argv[1], sys.argv[3] if len(sys.argv) > 3 else os.path.join(here, "judge.sh"))
    lines = open(sys.argv[2]).read().rstrip("\n").split("\n")
    message = judge.message(lines)
    if message is None:
        sys.exit("the program does not fail")
    print("\n".join(reduce(judge, lines, kind_of(message))))


if __name__ == "__main__":
    main()
