#!/usr/bin/env python3
"""Builds, simulates and (with --synth) synthesizes models, and writes docs/results.md.

usage: bench/run.py [--models DIR] [--only NAME,...] [--parallel 1,4] [--clock MHZ]
                    [--synth TARGET] [--area NAME[:N],...] [--place NAME[:N],...] [--seeds 1,2,3]
                    [--limit SECONDS]
                    [--tepal FILE] [--output FILE] [--work DIR]

A row per model and --parallel: the cycles of the simulation, which must be those that the build predicted
and whose results must be those of the reference; how busy the multiply-accumulate units are; area and clock; time
and memory that the build took. Synthesis runs beside simulation. A simulation that reaches
the time limit is stopped: the row then has the predicted cycles. The exit status is 1 if any row is wrong.
Standard library only.
"""
import argparse
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)


OUT_OF_TIME = None
DOES_NOT_FIT = 3  # exit status of a build for a device that is too small


def run(arguments, limit=0):
    """Runs a program; returns its exit status (OUT_OF_TIME if it was stopped after `limit` seconds), output,
    wall seconds and peak memory in MiB."""
    stopped = threading.Event()

    def stop():
        stopped.set()
        os.killpg(child.pid, signal.SIGTERM)

    with tempfile.TemporaryFile() as log:
        start = time.monotonic()
        child = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                 start_new_session=True)
        timer = threading.Timer(limit, stop) if limit else None
        if timer:
            timer.start()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if timer:
            timer.cancel()
        seconds = time.monotonic() - start
        log.seek(0)
        output = log.read().decode(errors="replace")
    return (OUT_OF_TIME if stopped.is_set() else child.returncode, output, seconds,
            usage.ru_maxrss / 1024)


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
        self.report = self.cycles = None
        self.simulated = False
        self.seconds = self.memory = None
        self.syntheses = []

    def is_in(self, list_of_models):
        return self.model in list_of_models or f"{self.model}:{self.parallel}" in list_of_models

    def fail(self, stage, status, output):
        self.problem = f"{stage}: exit status {status}: {first_error(output)}"
        return False


def build(row, options, folder):
    command = [options.tepal, "build", os.path.join(options.models, row.model + ".pt2"), "-o", folder,
               "--parallel", str(row.parallel)]
    if options.clock:
        command += ["--clock", options.clock]
    target = ["--target", options.synth] if options.synth else []
    status, output, row.seconds, row.memory = run(command + target)
    if status == DOES_NOT_FIT and target:
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
    row.cycles = row.report["cycles"]
    status, output, _, _ = run(command, options.limit)
    if status is OUT_OF_TIME:
        return True
    if status != 0:
        return row.fail("sim", status, output)
    result = load(os.path.join(folder, "sim.json"))
    row.cycles, row.simulated = result["cycles"], True
    if row.report.get("cycles_exact", True) and row.cycles != row.report["cycles"]:
        row.problem = f"{row.cycles} cycles, predicted were {row.report['cycles']}"
    if not result["equal_to_reference"]:
        row.problem = "differs from the reference"
    return row.problem is None


def synthesize(row, options, folder):
    placed = not options.place or row.is_in(options.place)
    for seed in options.seeds if placed else options.seeds[:1]:
        status, output, _, _ = run([options.tepal, "synth", folder, "--target", options.synth]
                                   + (["--seed", seed] if placed else ["--area-only"]))
        path = os.path.join(folder, "synth.json")
        if status != 0 and not (status == 3 and os.path.exists(path)):
            row.fail("synth", status, output)
            return
        row.syntheses.append(load(path))
        if not row.syntheses[-1]["fits"] or row.syntheses[-1]["fmax_mhz"] is None:
            return


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
        cycles = number(row.cycles) + ("" if row.simulated else " (predicted)")
        cycles += f" **{row.problem}**" if row.problem else ""
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
             "number of multiply-accumulate units; efficiency = MACs / (cycles x N). It can be above 1 where the "
             "multiply-adds of a fused tail (batch norm) are done by units beside those N."]
    if any(row.cycles and not row.simulated for row in rows):
        lines[0] += (f" Where it says predicted, the simulation took more than {options.limit:g} s and was not "
                     "waited for.")
    lines += ["", f"{peers['name']} stands beside a model if it was measured on the same work, with the fastest of "
              "its variants that is not tuned by hand; all are listed below."]
    tools = next((s["tools"] for row in rows for s in row.syntheses), None)
    if tools:
        device = next(s["device"] for row in rows for s in row.syntheses)
        lines += ["", f"Area and clock: {device}, by {' and '.join(tools.values())}; LUT = LUT4 + 2 x CCU2C on an "
                  f"ECP5, and what is behind the + is distributed RAM; Fmax is the median of the placements with seeds "
                  f"{', '.join(options.seeds)} (and their range). The memories of weights, inputs and outputs "
                  "are part of the design. Rows without area were not synthesized, rows without Fmax not "
                  "placed."]
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
    parser.add_argument("--area", default="", metavar="NAME[:N],...",
                        help="the models to synthesize, with commas; default: all")
    parser.add_argument("--place", default="", metavar="NAME[:N],...",
                        help="those of them to place and route, too; default: all")
    parser.add_argument("--seeds", default="1,2,3", help="seeds of the placement")
    parser.add_argument("--limit", type=float, default=0, metavar="SECONDS",
                        help="time limit of each simulation; default: none")
    parser.add_argument("--tepal", default=os.path.join(ROOT, "build", "tepal"))
    parser.add_argument("--output", default=os.path.join(ROOT, "docs", "results.md"))
    parser.add_argument("--work", help="folder for the designs, which stay there")
    options = parser.parse_args()
    for name in ("only", "parallel", "area", "place", "seeds"):
        setattr(options, name, [word for word in getattr(options, name).split(",") if word])
    options.arguments = [f"--{name} {','.join(value) if isinstance(value, list) else value}"
                         for name in ("only", "parallel", "clock", "synth", "area", "place", "seeds")
                         if (value := getattr(options, name)) and
                         (value != parser.get_default(name).split(","))]
    if options.limit:
        options.arguments.append(f"--limit {options.limit:g}")
    return options


def shown(row):
    if row.problem:
        return row.problem
    if row.syntheses:
        area = area_texts(row)
        return f"{area[0]} LUT, {area[4] or 'no'} MHz"
    return f"{row.cycles:,} cycles{'' if row.simulated else ' (predicted)'}, {row.seconds:.2f} s"


class Bench:
    """All rows: builds and simulates one after the other, and synthesizes beside it."""

    def __init__(self, options, names, work):
        self.options, self.work, self.lock = options, work, threading.Lock()
        self.rows = [Row(name, int(parallel)) for name in names for parallel in options.parallel]
        self.done, self.peers = [], load(os.path.join(HERE, "peers.json"))

    def tell(self, row):
        with self.lock:
            print(f"{row.model} --parallel {row.parallel}: {shown(row)}", flush=True)
            done = [known for known in self.rows if known in self.done]
            text = results(done, self.options, self.peers)
            with open(self.options.output + ".partial", "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(self.options.output + ".partial", self.options.output)

    def synthesize(self, row, folder):
        synthesize(row, self.options, folder)
        self.tell(row)

    def run(self):
        options = self.options
        with ThreadPoolExecutor(1) as synthesizer:
            synthesized = []
            # Small designs come first, so that an early end leaves few out.
            for row in sorted(self.rows, key=lambda row: row.parallel):
                folder = os.path.join(self.work, f"{row.model}.{row.parallel}")
                wanted = options.synth and (not options.area or row.is_in(options.area))
                if build(row, options, folder) and simulate(row, options, folder) and wanted:
                    synthesized.append(synthesizer.submit(self.synthesize, row, folder))
                self.done.append(row)
                self.tell(row)
            for future in synthesized:
                future.result()


def main():
    options = parse()
    names = options.only or sorted(re.sub(r"\.pt2$", "", name) for name in os.listdir(options.models)
                                   if re.fullmatch(r"[^.]*\.pt2", name))
    work = options.work or tempfile.mkdtemp(prefix="tepal-bench-")
    os.makedirs(work, exist_ok=True)
    bench = Bench(options, names, work)
    bench.run()
    return 1 if any(row.problem for row in bench.rows) else 0


if __name__ == "__main__":
    sys.exit(main())
