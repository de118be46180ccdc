/* What to write in place of an operation that is not there: reasons and ways that a person would
 * give; then other overloads and other names of the same thing; then nothing. */
#include <string.h>
#include "import/operations.h"

#define DEPENDS_ON_DATA                                                                            \
    "the size of its result depends on data, and hardware has fixed sizes: torch.where(mask, x, "  \
    "0) or a product with the mask keeps the size"
#define COMPLEX                                                                                    \
    "complex numbers are not supported: write a Fourier transform as two products with constant "  \
    "matrices, of cosines and of sines"
#define ONE_NUMBER "it makes a Python number that depends on data: keep it a tensor of one element"
#define RANDOM     "random numbers are not supported: draw them outside, as an input of the model"
#define TRAINING   "it belongs to training: call model.eval() before the export"
#define FACTORS                                                                                    \
    "factorizations of matrices are not supported: if the matrix is constant, compute the result " \
    "before the export and keep it with register_buffer"
#define SPECIAL                                                                                    \
    "no formula for this function is there: if its argument is constant, compute it before the "   \
    "export and keep it with register_buffer; else write an approximation"
#define ORDERED "torch.sort(x, dim).values, of which one place is selected"
#define EAGER_QUANTIZED                                                                            \
    "tensors of quantized dtype are not supported: quantize with prepare_pt2e and convert_pt2e, "  \
    "whose quantize_per_tensor and dequantize_per_tensor are"
#define LOOP                                                                                       \
    "torch.cond and while_loop are supported; a loop in Python with a fixed number of turns "      \
    "is unrolled by torch.export"

/* A pattern is the name without its overload, or with it; '*' at its end stands for any rest. The
 * first row that fits counts. */
static const struct {
    const char *pattern, *advice;
} rows[] = {
    {"aten.nonzero*", DEPENDS_ON_DATA},
    {"aten.argwhere", DEPENDS_ON_DATA},
    {"aten.masked_select", DEPENDS_ON_DATA},
    {"aten.where.default", DEPENDS_ON_DATA},
    {"aten.unique*", DEPENDS_ON_DATA},
    {"aten._unique*", DEPENDS_ON_DATA},
    {"aten.bincount", DEPENDS_ON_DATA},
    {"aten.repeat_interleave", DEPENDS_ON_DATA},
    {"torchvision.nms", DEPENDS_ON_DATA},
    {"aten.item", ONE_NUMBER},
    {"aten._local_scalar_dense", ONE_NUMBER},
    {"aten.equal", ONE_NUMBER},
    {"aten.is_nonzero", ONE_NUMBER},
    {"aten.allclose", ONE_NUMBER},
    {"aten.fft_*", COMPLEX},
    {"aten._fft_*", COMPLEX},
    {"aten.stft", COMPLEX},
    {"aten.istft", COMPLEX},
    {"aten.view_as_complex*", COMPLEX},
    {"aten.view_as_real*", COMPLEX},
    {"aten.complex", COMPLEX},
    {"aten.polar", COMPLEX},
    {"aten.angle", COMPLEX},
    {"aten.real", COMPLEX},
    {"aten.imag", COMPLEX},
    {"aten.rand*", RANDOM},
    {"aten.normal*", RANDOM},
    {"aten.bernoulli*", RANDOM},
    {"aten.uniform*", RANDOM},
    {"aten.multinomial", RANDOM},
    {"aten.exponential*", RANDOM},
    {"aten.poisson", RANDOM},
    {"aten.rrelu*", TRAINING},
    {"aten._native_batch_norm_legit*", TRAINING},
    {"aten.native_batch_norm", TRAINING},
    {"aten._batch_norm_with_update*", TRAINING},
    {"aten.*_backward", TRAINING},
    {"aten.linalg_norm", "torch.linalg.vector_norm"},
    {"aten.linalg_*", FACTORS},
    {"aten._linalg_*", FACTORS},
    {"aten.det", FACTORS},
    {"aten.logdet", FACTORS},
    {"aten.slogdet", FACTORS},
    {"aten.inverse", FACTORS},
    {"aten.cholesky*", FACTORS},
    {"aten.svd", FACTORS},
    {"aten.qr", FACTORS},
    {"aten.pinverse", FACTORS},
    {"aten.triangular_solve", FACTORS},
    {"aten.matrix_exp", FACTORS},
    {"aten.lgamma", SPECIAL},
    {"aten.digamma", SPECIAL},
    {"aten.polygamma", SPECIAL},
    {"aten.mvlgamma", SPECIAL},
    {"aten.igamma*", SPECIAL},
    {"aten.i0", SPECIAL},
    {"aten.erfinv", SPECIAL},
    {"aten.special_bessel_*", SPECIAL},
    {"aten.special_modified_bessel_*", SPECIAL},
    {"aten.special_i*", SPECIAL},
    {"aten.special_zeta", SPECIAL},
    {"aten.special_ndtri", SPECIAL},
    {"aten.median", ORDERED},
    {"aten.nanmedian", ORDERED},
    {"aten.kthvalue", ORDERED},
    {"aten.quantile", ORDERED},
    {"aten.mode", ORDERED},
    {"aten.bucketize", "(x[..., None] > boundaries).sum(-1); with right=True >= for >"},
    {"aten.searchsorted", "(x[..., None] > boundaries).sum(-1); with right=True >= for >"},
    {"aten.addmv", "beta * x + alpha * (matrix @ vector)"},
    {"aten.addbmm", "beta * x + alpha * (a @ b).sum(0)"},
    {"aten.hypot", "(a * a + b * b).sqrt()"},
    {"aten.dist", "torch.linalg.vector_norm(a - b, p)"},
    {"aten.cummax", "torch.where(lower_triangle, x[..., None, :], -inf).max(-1)"},
    {"aten.cummin", "torch.where(lower_triangle, x[..., None, :], inf).min(-1)"},
    {"aten.logcumsumexp", "(x - x.amax(dim, True)).exp().cumsum(dim).log() + x.amax(dim, True)"},
    {"aten.quantize_per_*", EAGER_QUANTIZED},
    {"aten.dequantize*", EAGER_QUANTIZED},
    {"quantized.*", EAGER_QUANTIZED},
    {"aten.fake_quantize_*", "convert the model first: convert_pt2e makes integers of it"},
    {"aten.to_sparse*", "sparse tensors are not supported: keep the matrix dense"},
    {"aten._sparse_*", "sparse tensors are not supported: keep the matrix dense"},
    {"aten.resize*", "it changes the size of a memory: reshape, or pad"},
    {"aten.set*", "it changes which memory a tensor has: assign a new tensor"},
    {"higher_order.*", LOOP},
    {"prims.*", "leave the default table of ep.run_decompositions() as it is"},
};

/* Operations that torch itself writes in terms of others that are there: ' NAME ' each. */
static const char decomposed[] =
    " addr atleast_1d atleast_2d atleast_3d binary_cross_entropy "
    "binary_cross_entropy_with_logits block_diag broadcast_tensors cartesian_prod "
    "channel_shuffle column_stack cosine_similarity count_nonzero cross cross_entropy_loss diag "
    "diag_embed diagflat diff dsplit dstack fliplr flipud float_power hsplit hstack huber_loss "
    "inner isclose isin kl_div kron l1_loss ldexp logaddexp2 margin_ranking_loss meshgrid "
    "movedim mse_loss nanmean nansum narrow nll_loss_nd norm outer pairwise_distance "
    "pixel_unshuffle poisson_nll_loss ravel renorm rot90 smooth_l1_loss soft_margin_loss "
    "sum_to_size take take_along_dim tensordot tile trace trapezoid triplet_margin_loss vdot "
    "vsplit vstack ";

/* "aten.relu" of "aten.relu.other" */
static size_t base_length(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot && memchr(name, '.', (size_t)(dot - name)) ? (size_t)(dot - name) : strlen(name);
}

static bool fits(const char *pattern, const char *name, const char *base) {
    const char *star = strchr(pattern, '*');
    if (!star) return strcmp(pattern, name) == 0 || strcmp(pattern, base) == 0;
    bool starts = strncmp(pattern, name, (size_t)(star - pattern)) == 0;
    return starts && string_ends(base, star + 1);
}

/* The overloads of an operation that are there, "" if none. */
static const char *overloads(const Table *table, const char *base) {
    Text list = text_new(table->arena);
    for (int i = 0; i < table->rows.count; i++) {
        const char *name = table->rows.items[i]->name;
        size_t length = base_length(name);
        if (strlen(base) != length || strncmp(name, base, length) != 0) continue;
        text_printf(&list, "%s%s", list.length ? ", " : "", name);
    }
    return text_string(&list);
}

/* The name that most have: torch calls the same function log1p and special_log1p, view and
 * view_copy, stack and _stack. */
static const char *plain_name(Arena *arena, const char *base) {
    static const char *const prefixes[] = {"aten.special_", "aten.linalg_", "aten._"};
    static const char copy[] = "_copy";
    const char *name = base + strlen("aten.");
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        if (!string_starts(base, prefixes[i])) continue;
        name = base + strlen(prefixes[i]);
        break;
    }
    size_t length = strlen(name);
    if (string_ends(name, copy)) length -= strlen(copy);
    return string_format(arena, "aten.%.*s", (int)length, name);
}

static const char *supported(Arena *arena, const char *names) {
    bool several = strchr(names, ',') != NULL;
    return *names ? string_format(arena, "%s %s supported", names, several ? "are" : "is") : NULL;
}

const char *advice_for(const Table *table, const char *target) {
    static const char prefix[] = "torch.ops.";
    Arena *arena = table->arena;
    if (!string_starts(target, prefix) || strlen(target) > 200) return NULL;
    const char *name = target + strlen(prefix);
    const char *base = arena_string_of(arena, name, base_length(name));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (fits(rows[i].pattern, name, base)) return rows[i].advice;
    }
    if (string_ends(name, ".out") || string_ends(name, "_out"))
        return "it writes to a tensor that it is given: use the form that returns its result";
    if (string_starts(name, "aten.")) {
        if (strstr(decomposed, string_format(arena, " %s ", base + strlen("aten."))))
            return "save ep.run_decompositions() in place of ep: torch takes it apart into "
                   "operations that are supported";
        const char *same = supported(arena, overloads(table, base));
        return same ? same : supported(arena, overloads(table, plain_name(arena, base)));
    }
    return "a custom operation: write it with torch's own, or give its decomposition to "
           "ep.run_decompositions({operation: function})";
}
