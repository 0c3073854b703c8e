/* attribute_copy.c - operators `copy` and `memset`, sized in bytes. */
#include "attribute_copy.h"
#include "attribute_rows.h"
#include "operation.h"
#include <stdio.h>
#include <string.h>

struct maker {
	const struct attribution *at;
	struct names met; /* sizes; the id indexes `shapes` */
	const struct shape **shapes;
	uint32_t cap;
};

/* Sizes that are bytes alone. NULL where the arena is full. */
static const struct shape *shape_new(struct arena *a, int64_t bytes)
{
	struct size *size = arena_array(a, struct size, 1);
	struct shape *shape = arena_array(a, struct shape, 1);
	int64_t *value = arena_array(a, int64_t, 1);

	if (!size || !shape || !value)
		return NULL;
	*value = bytes;
	*size = (struct size){ "bytes", value, 1, false };
	*shape = (struct shape){ DTYPE_UNKNOWN, size, 1 };
	return shape;
}

static const struct shape *shape_of(struct maker *m, int64_t bytes)
{
	struct arena *a = m->at->arena;
	uint32_t id = names_put(&m->met, (const char *)&bytes, sizeof bytes);

	if (id == NAMES_NONE)
		return NULL;
	if (id >= m->cap) {
		uint32_t cap = id * 2 + 64;
		void *grown = arena_grow(a, m->shapes, cap * sizeof *m->shapes);
		if (!grown)
			return NULL;
		m->shapes = grown;
		memset(m->shapes + m->cap, 0,
			(cap - m->cap) * sizeof *m->shapes);
		m->cap = cap;
	}
	if (!m->shapes[id])
		m->shapes[id] = shape_new(a, bytes);
	return m->shapes[id];
}

/* "Host-to-Device" of "[CUDA memcpy Host-to-Device]"; "" of others. */
static void direction(const char *operation, char *to, size_t size)
{
	static const char head[] = "[CUDA memcpy ";
	size_t len = strlen(operation), skip = strlen(head);

	*to = '\0';
	if (!strncmp(operation, head, skip))
		snprintf(to, size, "%.*s", (int)(len - skip - 1),
			operation + skip);
}

static bool add(struct maker *m, uint32_t row, struct attributed is,
	struct launch_groups *g)
{
	const struct copy_rows *c = &m->at->trace->copy;
	const struct name *n = &m->at->trace->names.list[c->name[row]];
	char where[64];

	direction(operation_of(n->text, n->len, c->is_set[row]), where,
		sizeof where);
	if (is.operator&& c->bytes[row] >= 0) {
		is.sizes = shape_of(m, c->bytes[row]);
		if (!is.sizes)
			return false;
	}
	return launch_groups_add(g, &is, where, c->dur_ns[row]);
}

bool attribute_copy(const struct attribution *at,
	const struct cycle_rows *cycles, struct launch_groups *g)
{
	const struct operator_info *of[] = { catalog_operator(at->catalog,
						     "copy"),
		catalog_operator(at->catalog, "memset") };
	struct slice rows = at->proc->copy;
	struct maker m = { .at = at };
	bool ok = names_init(&m.met, at->arena);

	for (uint32_t i = rows.from; ok && i < rows.to; i++) {
		const struct operator_info *is =
			of[at->trace->copy.is_set[i] != 0];
		ok = add(&m, i,
			(struct attributed){ .operator= is,
				.known = is ? KNOWN_RECORD : KNOWN_NOT,
				.phase = attribute_phase(at->profile,
					cycles->copy[i - rows.from]),
				.call = LAUNCH_NO_CALL },
			g);
	}
	arena_drop(at->arena, m.shapes);
	return ok;
}
