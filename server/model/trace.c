/* trace.c - rows in, rows sorted; the columns come from trace_columns.def. */
#include "trace.h"

bool trace_init(struct trace *t, struct arena *a)
{
	*t = (struct trace){ .arena = a };
	return names_init(&t->names, a) && names_init(&t->launch_shapes, a);
}

/* Makes every array of a kind hold twice as many; a half-done growth leaves
 * the old capacity in force. */
#define COLUMN(type, field, what)                                         \
	type *field = arena_grow(t->arena, r->field, cap * sizeof(type)); \
	if (!field)                                                       \
		return false;                                             \
	r->field = field;
#define COLUMN_SET(type, field, what) r->field[i] = row->field;
#define KIND(kind, COLUMNS, what)                                              \
	static bool kind##_grow(struct trace *t)                               \
	{                                                                      \
		struct kind##_rows *r = &t->kind;                              \
		if (r->cap > UINT32_MAX / 2)                                   \
			return false;                                          \
		size_t cap = r->cap ? (size_t)r->cap * 2 : 1024;               \
		COLUMNS(COLUMN)                                                \
		r->cap = (uint32_t)cap;                                        \
		return true;                                                   \
	}                                                                      \
	bool trace_##kind##_add(struct trace *t, const struct kind##_row *row) \
	{                                                                      \
		struct kind##_rows *r = &t->kind;                              \
		if (r->n == r->cap && !kind##_grow(t))                         \
			return false;                                          \
		uint32_t i = r->n++;                                           \
		COLUMNS(COLUMN_SET)                                            \
		return true;                                                   \
	}
TRACE_KINDS(KIND)
TRACE_TABLES(KIND)
#undef KIND
#undef COLUMN
#undef COLUMN_SET

uint32_t trace_launch_shape(struct trace *t, const struct launch_shape *s)
{
	return names_put(&t->launch_shapes, (const char *)s, sizeof *s);
}

const struct launch_shape *trace_launch_shape_at(const struct trace *t,
	uint32_t id)
{
	static const struct launch_shape none = { { -1, -1, -1 },
		{ -1, -1, -1 }, -1, -1 };
	return id ? (const void *)names_text(&t->launch_shapes, id) : &none;
}

int64_t trace_first_ns(const struct trace *t, const struct process *proc)
{
	int64_t first = INT64_MAX;
#define KIND(kind, COLUMNS, what)                          \
	if (proc->kind.from < proc->kind.to &&             \
		t->kind.start_ns[proc->kind.from] < first) \
		first = t->kind.start_ns[proc->kind.from];
	TRACE_KINDS(KIND)
#undef KIND
	return first;
}

const struct device *trace_device(const struct trace *t, uint32_t process,
	int32_t number)
{
	for (uint32_t i = 0; i < t->devices_n; i++) {
		const struct device *d = &t->devices[i];
		if (d->number == number &&
			(d->process < 0 || (uint32_t)d->process == process))
			return d;
	}
	return NULL;
}
