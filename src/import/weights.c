/* Stored tensors of an archive, found by their names in the model's state. Only those that are
 * asked for are read. */
#include "import/weights.h"
#include <string.h>
#include "base/text.h"
#include "import/json.h"
#include "import/pickle.h"

static const uint64_t max_config_bytes = UINT64_C(64) << 20;
static const uint64_t max_weight_bytes = UINT64_C(1) << 32;

static const char *const pools[] = {"weights", "constants"};

static bool open_pool(Weights *weights, int pool) {
    Archive *archive = weights->archive;
    const char *bytes;
    size_t length;
    const char *config = string_format(weights->arena, "data/%s/%s_%s_config.json", pools[pool],
                                       weights->model, pools[pool]);
    const char *saved = string_format(weights->arena, "data/%s/%s.pt", pools[pool], weights->model);
    const char *older =
        pool == POOL_WEIGHTS ? "serialized_state_dict.pt" : "serialized_constants.pt";
    if (archive_root(archive)[0] == '\0') saved = older;
    if (archive_root(archive)[0] == '\0' ||
        (!archive_has(archive, config) && archive_has(archive, saved))) {
        if (!archive_read(archive, saved, max_weight_bytes, &bytes, &length)) return false;
        weights->saved[pool] = saved_tensors_read(weights->arena, weights->diagnostics,
                                                  archive_place(archive, saved), bytes, length);
        return weights->saved[pool] != NULL;
    }
    if (!archive_read(archive, config, max_config_bytes, &bytes, &length)) return false;
    JsonReader reader = {weights->arena, weights->diagnostics, archive_place(archive, config),
                         NULL};
    json_t *document = json_document(&reader, bytes, length);
    if (!document) return false;
    json_t *table = json_object_field(&reader, document, "config");
    weights->configs[pool] = json_incref(table);
    json_decref(document);
    return table != NULL;
}

bool weights_open(Weights *weights) {
    return open_pool(weights, POOL_WEIGHTS) && open_pool(weights, POOL_CONSTANTS);
}

void weights_close(Weights *weights) {
    for (int i = 0; i < 2; i++) {
        json_decref(weights->configs[i]);
        weights->configs[i] = NULL;
    }
}

/* A list of {"as_int": n}. */
static bool read_sizes(JsonReader *reader, const json_t *meta, const char *key, int *count,
                       int64_t *sizes) {
    json_t *list = json_array_field(reader, meta, key);
    if (!list) return false;
    if (json_array_size(list) > MAX_RANK) {
        return json_fault(reader, "rank %zu is too large", json_array_size(list));
    }
    *count = (int)json_array_size(list);
    for (int i = 0; i < *count; i++) {
        if (!json_integer_field(reader, json_array_get(list, (size_t)i), "as_int", &sizes[i])) {
            return false;
        }
    }
    return true;
}

static bool read_meta(JsonReader *reader, const json_t *meta, Stored *stored) {
    int64_t dtype, layout;
    int strides;
    if (!json_integer_field(reader, meta, "dtype", &dtype) ||
        !json_integer_field(reader, meta, "layout", &layout)) {
        return false;
    }
    const DtypeInfo *info = dtype_info(dtype);
    if (!info) return json_fault(reader, "unknown dtype code %lld", (long long)dtype);
    if (!info->is_supported) return json_fault(reader, "dtype %s is not supported", info->name);
    if (layout != 7) {
        return json_fault(reader, "layout code %lld (sparse or mkldnn) is not supported",
                          (long long)layout);
    }
    stored->type.dtype = info->dtype;
    if (!read_sizes(reader, meta, "sizes", &stored->type.rank, stored->type.shape) ||
        !read_sizes(reader, meta, "strides", &strides, stored->strides)) {
        return false;
    }
    if (strides != stored->type.rank) {
        return json_fault(reader, "sizes and strides differ in number: %d and %d",
                          stored->type.rank, strides);
    }
    size_t bytes;
    if (!shape_bytes(info->scalar, stored->type.rank, stored->type.shape, &bytes) ||
        bytes > max_weight_bytes) {
        return json_fault(reader, "%s is too large, or has a negative size",
                          tensor_type_text(reader->arena, &stored->type));
    }
    json_t *offset = json_object_field(reader, meta, "storage_offset");
    return offset && json_integer_field(reader, offset, "as_int", &stored->offset);
}

/* Entries are in one folder; anything else in a path is an attack or a fault. */
static bool safe_path(const char *path) {
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    return path[0] && path[0] != '.' && path[strspn(path, allowed)] == '\0';
}

static const Stored *find_raw(Weights *weights, WeightPool pool, const char *name,
                              const json_t *payload) {
    Archive *archive = weights->archive;
    const char *shown = string_printable(weights->arena, name, 200);
    JsonReader reader = {weights->arena, weights->diagnostics, archive_place(archive, pools[pool]),
                         shown};
    const char *path = json_string_field(&reader, payload, "path_name");
    if (!path) return NULL;
    if (!safe_path(path)) {
        json_fault(&reader, "unsafe path_name %s", string_printable(weights->arena, path, 200));
        return NULL;
    }
    if (json_is_true(json_object_get(payload, "use_pickle"))) {
        json_fault(&reader, "pickled weights are not supported (tensor subclass?)");
        return NULL;
    }
    json_t *meta = json_object_get(payload, "tensor_meta");
    if (!json_is_object(meta)) {
        json_fault(&reader, "it has no tensor_meta");
        return NULL;
    }
    Stored *stored = arena_new_of(weights->arena, Stored);
    if (!read_meta(&reader, meta, stored)) return NULL;
    const char *entry = string_format(weights->arena, "data/%s/%s", pools[pool], path), *bytes;
    size_t length;
    if (!archive_read(archive, entry, max_weight_bytes, &bytes, &length)) return NULL;
    stored->bytes = (const unsigned char *)bytes;
    const char *place = archive_place(archive, entry);
    return stored_check(weights->diagnostics, place, shown, stored, length) ? stored : NULL;
}

const Stored *weights_find(Weights *weights, WeightPool pool, const char *name) {
    const Stored *found = NULL;
    if (weights->saved[pool]) {
        found = saved_tensors_find(weights->saved[pool], name);
    } else {
        json_t *payload = json_object_get(weights->configs[pool], name);
        if (payload) return find_raw(weights, pool, name, payload);
    }
    if (!found) {
        error_at(weights->diagnostics, STATUS_INPUT, archive_place(weights->archive, pools[pool]),
                 "no data for %s", string_printable(weights->arena, name, 200));
    }
    return found;
}
