/* Stands in for tepal_synth until it exists: linked only if the core does not define it. */
#include "base/diagnostic.h"
#include "tepal/tepal.h"

int tepal_synth(const TepalSynthOptions *options) {
    (void)options;
    fprintf(stderr, "tepal: error: 'synth' is not there yet\n");
    return STATUS_INTERNAL;
}
