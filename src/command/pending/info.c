/* Stands in for tepal_info until it exists: linked only if the core does not define it. */
#include "base/diagnostic.h"
#include "tepal/tepal.h"

int tepal_info(const TepalInfoOptions *options) {
    (void)options;
    fprintf(stderr, "tepal: error: 'info' is not there yet\n");
    return STATUS_INTERNAL;
}
