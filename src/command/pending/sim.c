/* Stands in for tepal_sim until it exists: linked only if the core does not define it. */
#include "base/diagnostic.h"
#include "tepal/tepal.h"

int tepal_sim(const TepalSimOptions *options) {
    (void)options;
    fprintf(stderr, "tepal: error: 'sim' is not there yet\n");
    return STATUS_INTERNAL;
}
