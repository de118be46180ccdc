"""Finding and running the command."""
import os
import shutil
import subprocess
from pathlib import Path
from typing import Mapping, Optional

try:
    from ._checkout import ROOT  # written where the package is installed from a checkout
except ImportError:
    ROOT = str(Path(__file__).resolve().parents[2])


class TepalError(Exception):
    """The command failed; the text is what it said. Subclasses tell its exit status."""

    status = 0


class DifferenceError(TepalError):
    """Results differ from the reference or from what was expected."""

    status = 1


class UsageError(TepalError):
    """The command line is wrong: an option has a value that it cannot have."""

    status = 2


class InputError(TepalError):
    """An input file is wrong, or the model uses what is not supported."""

    status = 3


class ToolError(TepalError):
    """An outside tool is missing or failed, or the disk is full."""

    status = 4


class InternalError(TepalError):
    """A fault of Tepal."""

    status = 70


_KINDS = {kind.status: kind for kind in (DifferenceError, UsageError, InputError, ToolError, InternalError)}


def find_command() -> str:
    """The path of the command: $TEPAL, else the checkout's own build, else the one in PATH."""
    named = os.environ.get("TEPAL")
    if named:
        return named
    built = os.path.join(ROOT, "build", "tepal")
    if os.access(built, os.X_OK):
        return built
    found = shutil.which("tepal")
    if found:
        return found
    raise ToolError("the command tepal was not found: build it (make), and set TEPAL to its path or put it in PATH")


def run(*arguments: object, names: Optional[Mapping[object, str]] = None) -> str:
    """Runs the command and returns what it printed. Raises TepalError with its message if it fails.

    `names` are what the user calls temporary files: the message has them in place of their paths.
    """
    try:
        done = subprocess.run([find_command(), *map(str, arguments)], capture_output=True, text=True, check=False)
    except OSError as error:
        raise ToolError(f"the command tepal cannot be run: {error}") from error
    if done.returncode != 0:
        text = done.stderr.strip() or done.stdout.strip() or f"ended with status {done.returncode}"
        for path, name in (names or {}).items():
            text = text.replace(str(path), name)
        raise _KINDS.get(done.returncode, TepalError)(text)
    return done.stdout
