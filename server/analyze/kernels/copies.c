/* copies.c - names the operations of memory copies and sets, then fills one
 * table per split. */
#include "copies.h"
#include "row_groups.h"
#include "table_order.h"
#include <string.h>
#include <strings.h>

/* Intel's PTI names the kinds of memory by letters: M is memory that the driver
 * does not know, which is that of the host. */
static const struct {
	const char *pti, *nsys;
} pti_directions[] = {
	{ "Memcpy M2D", "[CUDA memcpy Host-to-Device]" },
	{ "Memcpy H2D", "[CUDA memcpy Host-to-Device]" },
	{ "Memcpy D2M", "[CUDA memcpy Device-to-Host]" },
	{ "Memcpy D2H", "[CUDA memcpy Device-to-Host]" },
	{ "Memcpy D2D", "[CUDA memcpy Device-to-Device]" },
	{ "Memcpy M2M", "[CUDA memcpy Host-to-Host]" },
	{ "Memcpy M2H", "[CUDA memcpy Host-to-Host]" },
	{ "Memcpy H2M", "[CUDA memcpy Host-to-Host]" },
	{ "Memcpy H2H", "[CUDA memcpy Host-to-Host]" },
};

static const struct {
	const char *kineto, *rocm, *rocprof, *nsys;
} directions[] = {
#define DIRECTION(kineto, from, to)                        \
	{                                                  \
		"Memcpy " kineto, "Copy" from "To" to,     \
			"MEMORY_COPY_" from "_TO_" to,     \
			"[CUDA memcpy " from "-to-" to "]" \
	}
	DIRECTION("HtoD", "Host", "Device"),
	DIRECTION("DtoH", "Device", "Host"),
	DIRECTION("DtoD", "Device", "Device"),
	DIRECTION("HtoH", "Host", "Host"),
	DIRECTION("PtoP", "Peer", "Peer"),
	DIRECTION("HtoA", "Host", "Array"),
	DIRECTION("AtoH", "Array", "Host"),
	DIRECTION("AtoA", "Array", "Array"),
	DIRECTION("AtoD", "Array", "Device"),
	DIRECTION("DtoA", "Device", "Array"),
#undef DIRECTION
};

/* Whether the name is `head`, alone or followed by a space or a bracket. */
static bool copies_operation_begins(const char *name, size_t len,
	const char *head)
{
	size_t n = strlen(head);
	if (len < n || memcmp(name, head, n) != 0)
		return false;
	return len == n || name[n] == ' ' || name[n] == '(';
}

/* Whether it is ROCm's name, for linear and for rectangular copies. */
static bool copies_operation_is_rocm(const char *name, size_t len,
	const char *head)
{
	if (len > 2 && !memcmp(name + len - 2, "2D", 2))
		len -= 2;
	return len == strlen(head) && !memcmp(name, head, len);
}

/* Whether it is rocprofiler-sdk's name, in capitals. Names of older versions
 * lack the prefix. */
static bool copies_operation_is_rocprof(const char *name, size_t len,
	const char *text)
{
	size_t n = strlen(text), prefix = strlen("MEMORY_COPY_");
	if (len == n - prefix)
		return !strncasecmp(name, text + prefix, len);
	return len == n && !strncasecmp(name, text, len);
}

const char *copies_operation(const char *name, size_t len, bool is_set)
{
	if (is_set)
		return "[CUDA memset]";
	for (size_t i = 0; i < sizeof directions / sizeof *directions; i++)
		if (copies_operation_begins(name, len, directions[i].kineto) ||
			copies_operation_is_rocm(name, len,
				directions[i].rocm) ||
			copies_operation_is_rocprof(name, len,
				directions[i].rocprof))
			return directions[i].nsys;
	for (size_t i = 0; i < sizeof pti_directions / sizeof *pti_directions;
		i++)
		if (copies_operation_begins(name, len, pti_directions[i].pti))
			return pti_directions[i].nsys;
	return name;
}

static bool copies_operation_within(const char *text, const char *what)
{
	return strstr(text, what) != NULL;
}

enum function_type copies_operation_type(const char *operation)
{
	bool from_host = copies_operation_within(operation, " Host-to-");
	bool to_host = copies_operation_within(operation, "-to-Host]");

	if (copies_operation_within(operation, "[CUDA memset"))
		return FUNCTION_memset_device;
	if (!copies_operation_within(operation, "[CUDA memcpy ") ||
		(from_host && to_host))
		return FUNCTION_other_device;
	return from_host ? FUNCTION_memcpy_h2d
	       : to_host ? FUNCTION_memcpy_d2h
			 : FUNCTION_memcpy_d2d;
}

struct copies_maker {
	const struct trace *t;
	struct slice rows;
	struct profile *p;
	struct names operations; /* id = operation + 1, "" is none */
	uint32_t *copies_operation; /* by row */
};

/* The operation of a row, plus one; NAMES_NONE if the arena is full. */
static uint32_t copies_operation_id(struct copies_maker *m, uint32_t row)
{
	const struct copy_rows *c = &m->t->copy;
	const struct name *n = &m->t->names.list[c->name[row]];
	const char *text = copies_operation(n->text, n->len, c->is_set[row]);

	if (!*text)
		text = "(unnamed)";
	return names_put(&m->operations, text, strlen(text));
}

static bool copies_operations_name(struct copies_maker *m)
{
	const struct copy_rows *c = &m->t->copy;
	uint32_t id = 0;

	for (uint32_t row = m->rows.from; row < m->rows.to; row++) {
		bool same = row > m->rows.from &&
			    c->name[row] == c->name[row - 1] &&
			    c->is_set[row] == c->is_set[row - 1];
		if (!same)
			id = copies_operation_id(m, row);
		if (id == NAMES_NONE)
			return false;
		m->copies_operation[row - m->rows.from] = id - 1;
	}
	return true;
}

/* Adds up the bytes of copies. Skips unknown sizes, and sizes with which a sum
 * would exceed 64 bits. */
static void copies_bytes_add(const struct copies_maker *m,
	const uint32_t *group_of, struct copy_stat *s)
{
	const int64_t *bytes = m->t->copy.bytes + m->rows.from;
	for (uint32_t i = 0; i < m->rows.to - m->rows.from; i++) {
		struct copy_stat *to = &s[group_of[i]];
		int64_t sum;
		if (bytes[i] < 0 ||
			__builtin_add_overflow(to->bytes, bytes[i], &sum))
			continue;
		to->bytes = sum;
		to->sized++;
	}
}

static void copies_stat_fill(const struct copies_maker *m,
	const struct row_group *g, enum split split, struct copy_stat *s)
{
	uint32_t operation = m->copies_operation[g->row];

	*s = (struct copy_stat){
		.operation = names_text(&m->operations, operation + 1),
		.split = split,
		.device = split == SPLIT_DEVICE
				  ? m->t->copy.device[m->rows.from + g->row]
				  : -1,
		.time = g->time,
		.time_pct = stats_pct(g->time.total_ns, m->p->copy_ns),
	};
}

static bool copies_stats_add(struct copies_maker *m, enum split split,
	struct row_group_key minor, uint32_t *group_of)
{
	struct profile *p = m->p;
	struct row_group_key major = { m->copies_operation, m->operations.n };
	struct row_group *groups;
	uint32_t n;

	if (!row_groups_from(p->arena, major, minor,
		    m->t->copy.dur_ns + m->rows.from, m->rows.to - m->rows.from,
		    &groups, &n, group_of))
		return false;
	struct copy_stat *grown = arena_grow(p->arena, p->copy_stats,
		((size_t)p->copy_stats_n + n + 1) * sizeof *grown);
	if (grown) {
		struct copy_stat *s = grown + p->copy_stats_n;
		p->copy_stats = grown;
		for (uint32_t i = 0; i < n; i++)
			copies_stat_fill(m, &groups[i], split, &s[i]);
		copies_bytes_add(m, group_of, s);
		table_order_copies(s, n);
		p->copy_stats_n += n;
	}
	arena_drop(p->arena, groups);
	return grown != NULL;
}

bool copies_from(const struct trace *t, struct slice rows, struct profile *p)
{
	struct arena *a = p->arena;
	uint32_t n = rows.to - rows.from;
	struct copies_maker m = { .t = t, .rows = rows, .p = p };
	struct row_group_key device = { 0 };

	if (n == 0)
		return true;
	m.copies_operation = arena_grow(a, NULL, (size_t)n * sizeof(uint32_t));
	uint32_t *group_of = arena_grow(a, NULL, (size_t)n * sizeof *group_of);
	bool ok = m.copies_operation && group_of &&
		  names_init(&m.operations, a) && copies_operations_name(&m) &&
		  row_groups_device_key(a, t->copy.device + rows.from, n,
			  &device) &&
		  copies_stats_add(&m, SPLIT_NONE, (struct row_group_key){ 0 },
			  group_of) &&
		  copies_stats_add(&m, SPLIT_DEVICE, device, group_of);

	arena_drop(a, (void *)(uintptr_t)device.of);
	arena_drop(a, m.copies_operation);
	arena_drop(a, group_of);
	return ok;
}
