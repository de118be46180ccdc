#!/usr/bin/env bash
# Every .pt2 file here, and those of older torch versions in old/, through `tepal run`: the CPU
# reference must give what PyTorch gave, within the tolerance of the output's type. Files named
# NAME.core.pt2 are the same program after run_decompositions().
#
#     reference.sh [NAME...]      such as mlp, mlp.core or old/v2.6.0/mlp
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../build.sh"
work=$build/test/reference

# files KIND: the model's .npy files in their order.
files() { find "$here" -maxdepth 1 -name "$name.$1[0-9]*.npy" | sort -V; }

# Options beyond the default tolerance. A quantized result may be one step of its scale off, where
# PyTorch's own value lies at the edge between two.
options() {
    case $name in
    mlp_int8_pt2e) echo "--rtol 0 --atol 0.0041" ;;
    tiny_conv_int8_pt2e) echo "--rtol 0 --atol 0.0309" ;;
    esac
}

one() {
    local model=$1 name log
    name=$(basename "$model")
    name=${name%.core}
    log=$work/${model//\//_}.log
    # shellcheck disable=SC2046 # names without blanks
    if timeout 100 "$tepal" run "$here/$model.pt2" --input $(files in) --expect $(files out) \
        $(options) >"$log" 2>&1; then
        echo "ok   $model"
    else
        echo "FAIL $model: exit status $?"
        cut -c1-200 "$log" | tail -n 6 | sed 's/^/    /'
    fi
}

if [ "${1-}" = --one ]; then
    one "$2"
    exit
fi

mkdir -p "$work"
if [ $# -gt 0 ]; then
    chosen=("$@")
else
    mapfile -t chosen < <(cd "$here" && find . -name '*.pt2' | sed 's,^\./,,; s,\.pt2$,,' | sort)
fi
printf '%s\n' "${chosen[@]}" |
    xargs -P "$(nproc 2>/dev/null || echo 2)" -I{} bash "$0" --one {} | tee "$work/results"
passed=$(grep -c '^ok ' "$work/results")
failed=$((${#chosen[@]} - passed))
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
