"""interrupt.py WHAT TEPAL DESIGN CACHE [OPTION...]: Ctrl-C in the middle of tepal sim leaves nothing behind.

WHAT is what must be running when the signal comes: a word of a command line, "verilator_bin" or
"simulator". No child of it may be alive afterwards, and no file left in the temporary folder or
(except finished entries) in the cache.
"""
import os
import signal
import subprocess
import sys
import tempfile
import time

what, tepal, design, cache, *options = sys.argv[1:]


def descendants(pid):
    """The processes below pid: {pid: command line}."""
    parents, lines = {}, {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat") as file:
                parents[int(entry)] = int(file.read().rsplit(")", 1)[1].split()[1])
            with open(f"/proc/{entry}/cmdline", "rb") as file:
                lines[int(entry)] = file.read().replace(b"\0", b" ").decode(errors="replace")
        except (FileNotFoundError, ProcessLookupError):
            pass
    found = {}
    wave = [pid]
    while wave:
        wave = [child for child, parent in parents.items() if parent in wave]
        found.update((child, lines.get(child, "")) for child in wave)
    return found


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_for(condition, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        result = condition()
        if result:
            return result
        time.sleep(0.002)
    return None


before = sorted(os.listdir(design))
with tempfile.TemporaryDirectory() as folder:
    environment = dict(os.environ, TEPAL_CACHE=cache, TMPDIR=folder)
    process = subprocess.Popen(
        [tepal, "sim", design, "--max-cycles", "9000000000000", *options],
        env=environment,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    children = {}

    def reached():
        children.update(descendants(process.pid))
        return any(what in line for line in children.values())

    if not wait_for(reached, 60):
        process.kill()
        sys.exit(f"{what} never ran: {children}")
    process.send_signal(signal.SIGINT)
    status = process.wait(timeout=20)
    if status != -signal.SIGINT:
        sys.exit(f"status {status} instead of the signal's")
    if not wait_for(lambda: not any(alive(child) for child in children), 5):
        sys.exit(f"left running: {[line for child, line in children.items() if alive(child)]}")
    left = os.listdir(folder) + [name for name in os.listdir(cache) if name.startswith(".")]
    if left:
        sys.exit(f"left behind: {left}")
    if sorted(os.listdir(design)) != before:
        sys.exit(f"left in the design: {os.listdir(design)}")
