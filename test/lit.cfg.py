# The suite of text tests: files with RUN lines, mostly MLIR or Calyx in and a text out.
#   %tepal     the command        %t         a temporary name       %s  the test itself
#   FileCheck, not, split-file    from LLVM
#   exits N COMMAND ...           succeeds if the command's exit status is N
import glob
import os

import lit.formats

config.name = "tepal"
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = [".mlir", ".test"]
config.excludes = ["unit", "hardware", "models", "tool", "bad", "random", "interop", "mlir-roads",
                   "Output", "lit.cfg.py"]
config.test_source_root = os.path.dirname(os.path.abspath(__file__))

root = os.path.dirname(config.test_source_root)
build = os.path.join(root, os.environ.get("BUILD", "build"))
llvm = os.environ.get("LLVM_BIN", "/usr/lib/llvm-19/bin")
config.test_exec_root = os.path.join(build, "test")
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.test_source_root, "tool"), os.environ["PATH"], llvm]
)
for name in ("ASAN_OPTIONS", "TEPAL_HARDWARE", "HOME"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions.append(("%tepal", os.path.join(build, "tepal")))
config.substitutions.append(("%root", root))

# Optional tools: a test that needs one says `REQUIRES: calyx` or `REQUIRES: circt`.
calyx = os.path.join(root, "build", "calyx", "bin", "calyx")
if os.access(calyx, os.X_OK):
    config.available_features.add("calyx")
    config.substitutions.append(("%calyx", calyx))
circt = os.path.join(root, "build", "circt", "bin", "python")
if glob.glob(os.path.join(root, "build", "circt", "lib", "python*", "site-packages", "circt")):
    config.available_features.add("circt")
    # Both read a text from stdin.
    for name in ("circt_parse", "circt_verilog"):
        script = os.path.join(config.test_source_root, "tool", name + ".py")
        config.substitutions.append(("%" + name, f"{circt} {script}"))
