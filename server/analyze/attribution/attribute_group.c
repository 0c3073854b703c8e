/* attribute_group.c - rows by their key, calls by their number. */
#include "attribute_group.h"
#include <string.h>

bool launch_groups_init(struct launch_groups *g, struct arena *a,
	uint32_t calls, uint32_t launches)
{
	size_t n = (size_t)calls + launches + 1;

	*g = (struct launch_groups){ .arena = a, .calls = calls };
	g->call_ns = arena_grow(a, NULL, n * sizeof *g->call_ns);
	g->row_of = arena_grow(a, NULL, n * sizeof *g->row_of);
	if (g->row_of)
		memset(g->row_of, 0xFF, n * sizeof *g->row_of);
	return g->call_ns && g->row_of && names_init(&g->keys, a) &&
	       names_init(&g->texts, a) && names_init(&g->pointers, a);
}

void launch_groups_release(struct launch_groups *g)
{
	arena_drop(g->arena, g->call_ns);
	arena_drop(g->arena, g->row_of);
	arena_drop(g->arena, g->text_of);
	arena_drop(g->arena, g->sums);
}

/* Makes an array of elements by id reach `id`. */
static bool reach(struct arena *a, void **array, size_t size, uint32_t *cap,
	uint32_t id)
{
	uint32_t more = *cap ? *cap * 2 : 64;

	if (id < *cap)
		return true;
	void *grown = arena_grow(a, *array, more * size);
	if (!grown)
		return false;
	*array = grown;
	*cap = more;
	return true;
}

/* The id of a shape's text; 0 of none, NAMES_NONE where the arena is full. */
static uint32_t text_id(struct launch_groups *g, const struct shape *s)
{
	uint32_t known = g->pointers.n;

	if (!s)
		return 0;
	uint32_t id = names_put(&g->pointers, (const char *)&s, sizeof s);
	void *array = g->text_of;
	if (id == NAMES_NONE ||
		!reach(g->arena, &array, sizeof *g->text_of, &g->text_cap, id))
		return NAMES_NONE;
	g->text_of = array;
	if (id == known) {
		const char *text = shape_text(s, g->arena);
		g->text_of[id] = text ? names_put(&g->texts, text, strlen(text))
				      : NAMES_NONE;
	}
	return g->text_of[id];
}

/* The row of what a launch is; GROUP_NO_ROW where the arena is full. */
static uint32_t row_for(struct launch_groups *g, const struct attributed *is,
	const char *grid)
{
	struct group_row k = { .operator= is->operator,
		.text = text_id(g, is->sizes),
		.grid = names_put(&g->texts, grid, strlen(grid)),
		.dtype = is->sizes ? is->sizes->dtype : DTYPE_UNKNOWN,
		.phase = is->phase,
		.known = is->known };
	if (k.text == NAMES_NONE || k.grid == NAMES_NONE)
		return GROUP_NO_ROW;
	uint32_t id = names_put(&g->keys, (const char *)&k, sizeof k);
	void *array = g->sums;
	if (id == NAMES_NONE ||
		!reach(g->arena, &array, sizeof *g->sums, &g->cap, id))
		return GROUP_NO_ROW;
	g->sums = array;
	if (id > g->rows)
		g->sums[g->rows++] = (struct group_sum){ is->sizes, 0 };
	return id - 1;
}

bool launch_groups_add(struct launch_groups *g, const struct attributed *is,
	const char *grid, int64_t dur_ns)
{
	uint32_t call = is->call == LAUNCH_NO_CALL ? g->calls++ : is->call;

	if (g->row_of[call] == GROUP_NO_ROW)
		g->row_of[call] = row_for(g, is, grid);
	if (g->row_of[call] == GROUP_NO_ROW)
		return false;
	g->call_ns[call] += dur_ns;
	g->sums[g->row_of[call]].launches++;
	return true;
}

struct group_row launch_groups_row(const struct launch_groups *g, uint32_t row)
{
	struct group_row k;

	memcpy(&k, names_text(&g->keys, row + 1), sizeof k);
	return k;
}
