/* What the matrix products offer to the other families. */
#ifndef TEPAL_IMPORT_PRODUCTS_H
#define TEPAL_IMPORT_PRODUCTS_H

#include "import/call.h"

/* left @ right + bias as torch.matmul does it, or with the last two dimensions of right exchanged.
 * The bias (may be NULL) broadcasts to the result. NULL with a message. */
Value *value_product(Call *call, Value *left, Value *right, bool transposed, Value *bias);

#endif
