#!/usr/bin/env python3
"""Builds, simulates and (with --synth) synthesizes models, and writes docs/results.md.

usage: bench/run.py [--models DIR] [--only NAME,...] [--parallel 1,4] [--clock MHZ]
                    [--synth TARGET] [--area NAME,...] [--seeds 1,2,3]
                    [--tepal FILE] [--output FILE] [--work DIR]

A row per model and --parallel: the cycles of the simulation, which must be those that the build predicted
and whose results must be those of the reference; how busy the multiply-accumulate units are; area and clock; time
and memory that the build took. The exit status is 1 if any row is wrong. Standard library only.
"""
import argparse
import json
import os
import re
import statistics
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)


def run(arguments, limit=None):
    """Runs a program; returns its exit status, output, wall seconds and peak memory in MiB."""
    with tempfile.TemporaryFile() as log:
        start = time.monotonic()
        child = os.fork()
        if child == 0:
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(log.fileno(), 1)
            os.dup2(log.fileno(), 2)
            try:
                os.execvp(arguments[0], arguments)
            finally:
                os._exit(127)
        _, status, usage = os.wait4(child, 0)
        seconds = time.monotonic() - start
        log.seek(0)
        output = log.read().decode(errors="replace")
    return os.waitstatus_to_exitcode(status), output, seconds, usage.ru_maxrss / 1024


def first_error(output):
    for line in output.splitlines():
        if "error: " in line:
            return line[line.index("error: ") + 7:][:100]
    return (output.strip().splitlines() or ["no message"])[-1][:100]


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def tensors(folder, name, kind):
    """The .npy files NAME.KIND0.npy, NAME.KIND1.npy ... in their order."""
    found = []
    while os.path.exists(path := os.path.join(folder, f"{name}.{kind}{len(found)}.npy")):
        found.append(path)
    return found


class Row:
    def __init__(self, model, parallel):
        self.model, self.parallel, self.problem = model, parallel, None
        self.build = self.report = self.cycles = None
        self.seconds = self.memory = None
        self.syntheses = []

    def fail(self, stage, status, output):
        self.problem = f"{stage}: exit status {status}: {first_error(output)}"
        return False


def build(row, options, folder):
    command = [options.tepal, "build", os.path.join(options.models, row.model + ".pt2"), "-o", folder,
               "--parallel", str(row.parallel)]
    if options.synth:
        command += ["--target", options.synth]
    if options.clock:
        command += ["--clock", options.clock]
    status, output, row.seconds, row.memory = run(command)
    if status != 0:
        return row.fail("build", status, output)
    row.report = load(os.path.join(folder, "report.json"))
    return True


def simulate(row, options, folder):
    command = [options.tepal, "sim", folder]
    inputs, expected = (tensors(options.models, row.model, kind) for kind in ("in", "out"))
    if inputs:
        command += ["--input", *inputs]
    if inputs and expected:
        command += ["--expect", *expected]
    status, output, _, _ = run(command)
    if status != 0:
        return row.fail("sim", status, output)
    result = load(os.path.join(folder, "sim.json"))
    row.cycles = result["cycles"]
    if row.report.get("cycles_exact", True) and row.cycles != row.report["cycles"]:
        row.problem = f"{row.cycles} cycles, predicted were {row.report['cycles']}"
    if not result["equal_to_reference"]:
        row.problem = "differs from the reference"
    return row.problem is None


def synthesize(row, options, folder):
    for seed in options.seeds:
        status, output, _, _ = run([options.tepal, "synth", folder, "--target", options.synth,
                                    "--seed", seed])
        path = os.path.join(folder, "synth.json")
        if status != 0 and not (status == 3 and os.path.exists(path)):
            return row.fail("synth", status, output)
        row.syntheses.append(load(path))
        if not row.syntheses[-1]["fits"] or row.syntheses[-1]["fmax_mhz"] is None:
            break
    return True


# --- results ---

def number(value):
    return "" if value is None else f"{value:,}"


def efficiency(row):
    if not row.report["macs"] or not row.cycles:
        return ""
    return f"{row.report['macs'] / (row.cycles * row.parallel):.3f}"


def clock_text(syntheses):
    clocks = [s["fmax_mhz"] for s in syntheses if s["fmax_mhz"]]
    if not clocks:
        return ""
    text = f"{statistics.median(clocks):.1f}"
    return text if len(clocks) == 1 else f"{text} ({min(clocks):.1f}-{max(clocks):.1f})"


def area_texts(row):
    if not row.syntheses:
        return [""] * 5
    last = row.syntheses[-1]
    mark = "" if last["fits"] else " (too many)" if not last["estimated"] else " (at least; too many)"
    texts = [number(last[key]) for key in ("lut", "ff", "dsp", "block_ram")]
    texts = [text + (mark if last[key] > last["available"][key] else "")
             for key, text in zip(("lut", "ff", "dsp", "block_ram"), texts)]
    if last["lut_memory"]:
        texts[0] += f" + {last['lut_memory']:,}"
    return texts + [clock_text(row.syntheses)]


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "|".join(" --- " for _ in header) + "|"]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def compared(peers, model, parallel):
    for row in peers["rows"]:
        if row["model"] == model and row.get("compared") and parallel == 1:
            fields = [number(row["cycles"]), number(row.get("lut"))]
            return fields + [str(row.get("fmax", ""))]
    return [""] * 3


def time_ratio(row, peers):
    """How much longer the peer takes, in cycles."""
    for peer in peers["rows"]:
        if peer["model"] == row.model and peer.get("compared") and row.parallel == 1 and row.cycles:
            return f"{peer['cycles'] / row.cycles:.1f}"
    return ""


def result_rows(rows, peers):
    for row in rows:
        name = [row.model, str(row.parallel)]
        if row.report is None or row.cycles is None:
            yield name + [row.problem] + [""] * 13
            continue
        cycles = number(row.cycles) + (f" **{row.problem}**" if row.problem else "")
        yield (name + [cycles, number(row.report["macs"]), efficiency(row)] + area_texts(row)
               + [f"{row.seconds:.2f}", f"{row.memory:.0f}"]
               + compared(peers, row.model, row.parallel) + [time_ratio(row, peers)])


def peer_rows(peers):
    for row in peers["rows"]:
        yield [row["work"], row["variant"]] + [number(row.get(key)) for key in
                                                ("cycles", "lut", "ff", "dsp", "block_ram")] + [
            str(row.get("fmax", ""))]


def conditions(rows, options, peers):
    lines = ["Cycles are those of the simulation, from go to done, with the tensors in memories; each is what the "
             "build predicted, and each result equals the reference bit for bit. N is `--parallel`, the "
             "number of multiply-accumulate units; efficiency = MACs / (cycles x N)."]
    lines += ["", f"{peers['name']} stands beside a model if it was measured on the same work, with the fastest of "
              "its variants that is not tuned by hand; all are listed below."]
    tools = next((s["tools"] for row in rows for s in row.syntheses), None)
    if tools:
        device = next(s["device"] for row in rows for s in row.syntheses)
        lines += ["", f"Area and clock: {device}, by {' and '.join(tools.values())}; LUT = LUT4 + 2 x CCU2C on an "
                  f"ECP5, and what is behind the + is distributed RAM; Fmax is the median of the placements with seeds "
                  f"{', '.join(options.seeds)} (and their range). The memories of weights, inputs and outputs "
                  "are part of the design."]
    return lines


def results(rows, options, peers):
    header = ["model", "N", "cycles", "MACs", "efficiency", "LUT", "FF", "DSP", "block RAM", "Fmax, MHz",
              "build, s", "memory, MiB"] + [f"{peers['name']}: {what}" for what in ("cycles", "LUT", "Fmax")]
    command = "bench/run.py " + " ".join(options.arguments)
    return "\n".join(
        ["# Results", "", "Made by", "", "    " + command.strip(), "", *conditions(rows, options, peers), "",
         *table(header + ["times fewer cycles"], result_rows(rows, peers)), "", f"## {peers['name']}", "",
         peers["tools"] + ".", "", peers["conditions"], "",
         *table(["work", "variant", "cycles", "LUT", "FF", "DSP", "block RAM", "Fmax, MHz"], peer_rows(peers)), ""])


# --- command line ---

def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--models", default=os.path.join(ROOT, "test", "models"),
                        help="folder of the .pt2 files (and of NAME.inK.npy, NAME.outK.npy)")
    parser.add_argument("--only", default="", help="names of models, with commas")
    parser.add_argument("--parallel", default="1", help="values of --parallel, with commas")
    parser.add_argument("--clock", default="", help="MHz")
    parser.add_argument("--synth", default="", metavar="TARGET", help="also synthesize for this device")
    parser.add_argument("--area", default="", help="the models to synthesize, with commas; default: all")
    parser.add_argument("--seeds", default="1,2,3", help="seeds of the placement")
    parser.add_argument("--tepal", default=os.path.join(ROOT, "build", "tepal"))
    parser.add_argument("--output", default=os.path.join(ROOT, "docs", "results.md"))
    parser.add_argument("--work", help="folder for the designs, which stay there")
    options = parser.parse_args()
    for name in ("only", "parallel", "area", "seeds"):
        setattr(options, name, [word for word in getattr(options, name).split(",") if word])
    options.arguments = [f"--{name} {','.join(value) if isinstance(value, list) else value}"
                         for name in ("only", "parallel", "clock", "synth", "area", "seeds")
                         if (value := getattr(options, name)) and
                         (value != parser.get_default(name).split(","))]
    return options


def shown(row):
    if row.problem:
        return row.problem
    area = area_texts(row)
    return f"{row.cycles:,} cycles, {row.seconds:.2f} s" + (
        f", {area[0]} LUT, {area[4]} MHz" if row.syntheses else "")


def main():
    options = parse()
    names = options.only or sorted(re.sub(r"\.pt2$", "", name) for name in os.listdir(options.models)
                                   if re.fullmatch(r"[^.]*\.pt2", name))
    work = options.work or tempfile.mkdtemp(prefix="tepal-bench-")
    os.makedirs(work, exist_ok=True)
    rows = []
    for name in names:
        for parallel in map(int, options.parallel):
            row = Row(name, parallel)
            folder = os.path.join(work, f"{name}.{parallel}")
            wanted = options.synth and (not options.area or name in options.area)
            if build(row, options, folder) and simulate(row, options, folder) and wanted:
                synthesize(row, options, folder)
            rows.append(row)
            print(f"{name} --parallel {parallel}: {shown(row)}", flush=True)
    text = results(rows, options, load(os.path.join(HERE, "peers.json")))
    with open(options.output + ".partial", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(options.output + ".partial", options.output)
    return 1 if any(row.problem for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
