/* input_shape.c - finds the entry that fits, puts sizes into the catalogue's order. */
#include "input_shape.h"
#include "sizes_word.h"
#include <assert.h>
#include <string.h>

static const struct {
	const char *of, *what;
} entries[] = {
#define SIZES(of, what) { of, what },
#include "input_shape.def"
#undef SIZES
};
enum { ENTRIES = sizeof entries / sizeof *entries };

bool sizes_init(struct sizes *s, struct arena *a)
{
	*s = (struct sizes){ .arena = a };
	s->dims = arena_grow(a, NULL, sizeof *s->dims);
	return s->dims;
}

void sizes_release(struct sizes *s)
{
	arena_drop(s->arena, s->dims);
}

const char *sizes_entry(uint32_t i, const char **what)
{
	if (i >= ENTRIES)
		return NULL;
	*what = entries[i].what;
	return entries[i].of;
}

/* Where a size stands among those of its operator; unknown ones behind. */
static uint32_t place(const struct operator_info *is, const char *name)
{
	uint32_t i = 0;
	while (i < is->sizes_n && strcmp(is->sizes[i], name) != 0)
		i++;
	return i;
}

static void order(const struct operator_info *is, struct size *list, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		struct size x = list[i];
		uint32_t j = i;
		for (; j && place(is, list[j - 1].name) > place(is, x.name);
			j--)
			list[j] = list[j - 1];
		list[j] = x;
	}
}

static enum sizes_how finish(struct sizes *s, const struct operator_info *is,
	struct sizes_made *m, const struct shape **out)
{
	uint64_t values = 0;

	for (uint32_t i = 0; i < m->n; i++)
		values += m->list[i].n;
	if (values > SHAPE_VALUES)
		return SIZES_UNREADABLE;
	struct shape *shape = arena_array(s->arena, struct shape, 1);
	struct size *list = arena_array(s->arena, struct size, m->n);
	if (!shape || !list)
		return SIZES_FULL;
	memcpy(list, m->list, m->n * sizeof *list);
	order(is, list, m->n);
	*shape = (struct shape){ .dtype = m->dtype, .sizes = list, .n = m->n };
	*out = shape;
	return SIZES_TOLD;
}

/* The tensors as they are. */
static enum sizes_how generic(struct sizes *s, const struct operator_info *is,
	const struct shape **out)
{
	static const char *const in[] = { "in0=*0", "in1=*1", "in2=*2",
		"in3=*3", "in4=*4", "in5=*5", "in6=*6", "in7=*7", NULL };
	static const char *const xyz[] = { "x=*0", "y=*1", "z=*2", NULL };
	bool x = place(is, "x") < is->sizes_n;
	struct sizes_made m;

	sizes_word_init(&m, s);
	enum sizes_how how = sizes_word(&m, "@*");
	for (const char *const *w = x ? xyz : in; *w && how == SIZES_TOLD;
		w++) {
		const char name[] = { **w, '\0' };
		if (x && place(is, name) == is->sizes_n)
			break;
		how = sizes_word(&m, *w);
	}
	return m.n && how != SIZES_FULL ? finish(s, is, &m, out) : how;
}

/* Tries the entries of a name in their order. */
static enum sizes_how by_entry(struct sizes *s, const char *of,
	const struct operator_info *is, const struct shape **out)
{
	enum sizes_how how = SIZES_NOT_TOLD;

	for (int i = 0; i < ENTRIES && how == SIZES_NOT_TOLD; i++) {
		if (strcmp(entries[i].of, of) != 0)
			continue;
		struct sizes_made m;
		sizes_word_init(&m, s);
		how = sizes_words(&m, entries[i].what);
		if (how == SIZES_TOLD)
			how = finish(s, is, &m, out);
	}
	return how;
}

/* Whether an entry says that dims do not tell. */
static bool never(const char *of)
{
	for (int i = 0; i < ENTRIES; i++)
		if (*entries[i].what == '-' && !strcmp(entries[i].of, of))
			return true;
	return false;
}

enum sizes_how sizes_from(struct sizes *s, const char *op,
	const struct operator_info *is, const char *dims, const char *types,
	const struct shape **out)
{
	*out = NULL;
	if (!dims_read(s->dims, dims, types))
		return SIZES_UNREADABLE;
	enum sizes_how how = by_entry(s, op, is, out);
	if (how == SIZES_NOT_TOLD)
		how = by_entry(s, is->name, is, out);
	if (how != SIZES_NOT_TOLD || never(op) || never(is->name))
		return how;
	return generic(s, is, out);
}
