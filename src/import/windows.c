/* Sliding windows: sizes, padding and index expressions. */
#include "import/windows.h"
#include <string.h>

/* No size, stride or padding of a real model comes near; products of two stay exact. */
static const int64_t most = INT64_C(1) << 30;

bool windows_sizes(Call *call, const char *name, int spatial, int64_t least, int64_t *sizes) {
    int count;
    const int64_t *list = call_integers(call, name, &count);
    if (count != 1 && count != spatial) {
        return call_fail(call, "%s needs 1 or %d sizes, it has %d", name, spatial, count);
    }
    for (int i = 0; i < spatial; i++) {
        sizes[i] = list[count == 1 ? 0 : i];
        if (sizes[i] < least) {
            return call_fail(call, "%s must %s, it is %lld", name,
                             least > 0 ? "be positive" : "not be negative", (long long)sizes[i]);
        }
        if (sizes[i] > most) {
            return call_fail(call, "%s %lld is too large", name, (long long)sizes[i]);
        }
    }
    return true;
}

/* Cells from the first to the last that a window covers. */
static int64_t window_span(const Windows *windows, int i) {
    return windows->dilation[i] * (windows->kernel[i] - 1) + 1;
}

bool windows_count(Call *call, Windows *windows, bool ceil) {
    for (int i = 0; i < windows->spatial; i++) {
        int64_t padded = windows->input[i] + windows->before[i] + windows->after[i];
        int64_t room = padded - window_span(windows, i);
        if (room < 0) {
            return call_fail(call,
                             "the kernel covers %lld cells, but the padded input has only %lld",
                             (long long)window_span(windows, i), (long long)padded);
        }
        int64_t steps = room / windows->stride[i];
        if (ceil && room % windows->stride[i] != 0 &&
            (steps + 1) * windows->stride[i] < windows->input[i] + windows->before[i]) {
            steps++;
        }
        windows->output[i] = steps + 1;
        if (windows->output[i] > most) return call_fail(call, "its result is too large");
    }
    return true;
}

MlirValue windows_pad(Call *call, const Windows *windows, Value *input, MlirValue scalar) {
    int64_t low[MAX_RANK] = {0}, high[MAX_RANK] = {0};
    int first = input->type.rank - windows->spatial;
    bool needed = false;
    for (int i = 0; i < windows->spatial; i++) {
        int64_t last = (windows->output[i] - 1) * windows->stride[i] + window_span(windows, i);
        int64_t end = last - windows->input[i] - windows->before[i];
        low[first + i] = windows->before[i];
        high[first + i] = end > 0 ? end : 0;
        needed |= low[first + i] || high[first + i];
    }
    MlirValue value = call_mlir(call, input);
    return needed ? build_pad(call->builder, value, low, high, scalar) : value;
}

MlirAffineExpr windows_place(Call *call, const Windows *windows, int dimension, int output_loop,
                             int kernel_loop) {
    return affine_plus(affine_dim(call->builder, output_loop, windows->stride[dimension]),
                       affine_dim(call->builder, kernel_loop, windows->dilation[dimension]));
}
