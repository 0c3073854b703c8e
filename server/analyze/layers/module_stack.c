/* module_stack.c - marks by parent and class; from the inside out what is called a
 * layer, from the outside in what is chosen. */
#include "module_stack.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Marks of one parent and class. */
struct group {
	uint32_t from, n; /* in `kids` */
	int64_t time_ns;
	uint32_t with_kids; /* members with marks in them */
	bool called; /* a layer or block */
	bool fit; /* may be layers */
};

struct chooser {
	const struct module_marks *m;
	uint32_t *kids; /* marks by parent, class, number */
	uint32_t *kids_from; /* by mark, and the end */
	struct group *groups; /* by parent */
	uint32_t *groups_from; /* by mark, and the end */
	uint32_t *group_of; /* by mark */
	int64_t *called_ns; /* by mark: time of called layers in it */
	struct module_stacks *out;
};

struct kid {
	uint32_t parent, word, class_name;
	int64_t number;
	uint32_t mark;
};

static int by_parent(const void *left, const void *right)
{
	const struct kid *a = left, *b = right;
	const int64_t x[] = { a->parent, a->class_name, a->word, a->number,
		a->mark };
	const int64_t y[] = { b->parent, b->class_name, b->word, b->number,
		b->mark };

	for (size_t i = 0; i < sizeof x / sizeof *x; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

static bool same_class(const struct module_marks *m, uint32_t a, uint32_t b)
{
	return m->marks[a].word == m->marks[b].word &&
	       m->marks[a].class_name == m->marks[b].class_name;
}

static bool sort_kids(struct chooser *c, struct arena *a)
{
	const struct module_marks *m = c->m;
	struct kid *kids = arena_grow(a, NULL, m->n * sizeof *kids);

	if (!kids)
		return false;
	for (uint32_t i = 1; i < m->n; i++) {
		const struct module_mark *x = &m->marks[i];
		kids[i - 1] = (struct kid){ x->parent, x->word, x->class_name,
			x->number, i };
	}
	qsort(kids, m->n - 1, sizeof *kids, by_parent);
	for (uint32_t i = 0; i + 1 < m->n; i++) {
		c->kids[i] = kids[i].mark;
		c->kids_from[kids[i].parent + 1]++;
	}
	for (uint32_t i = 0; i < m->n; i++)
		c->kids_from[i + 1] += c->kids_from[i];
	arena_drop(a, kids);
	return true;
}

static bool has_kids(const struct chooser *c, uint32_t mark)
{
	return c->kids_from[mark] < c->kids_from[mark + 1];
}

static void judge(struct chooser *c, struct group *g)
{
	const struct module_marks *m = c->m;
	uint32_t first = c->kids[g->from];
	const struct module_mark *x = &m->marks[first];
	const char *word = module_mark_word(m, first);

	for (uint32_t i = 0; i < g->n; i++) {
		g->time_ns += m->marks[c->kids[g->from + i]].time_ns;
		g->with_kids += has_kids(c, c->kids[g->from + i]);
	}
	bool parted = g->with_kids > g->n / 2;
	g->called = module_name_is_layer(word, strlen(word)) &&
		    (!x->class_name || parted);
	g->fit = x->number >= 0 && g->time_ns > 0 &&
		 (g->called || (x->module && g->n > 1 && parted));
}

static void group(struct chooser *c)
{
	uint32_t n = 0;

	for (uint32_t p = 0; p < c->m->n; p++) {
		c->groups_from[p] = n;
		for (uint32_t i = c->kids_from[p]; i < c->kids_from[p + 1];
			i++) {
			bool opens =
				i == c->kids_from[p] ||
				!same_class(c->m, c->kids[i], c->kids[i - 1]);
			if (opens)
				c->groups[n++] = (struct group){ .from = i };
			c->groups[n - 1].n++;
			c->group_of[c->kids[i]] = n - 1;
		}
	}
	c->groups_from[c->m->n] = n;
	for (uint32_t i = 0; i < n; i++) {
		const struct group *g = &c->groups[i];
		judge(c, &c->groups[i]);
		for (uint32_t k = 0; k < g->n; k++) {
			c->out->ordinal[c->kids[g->from + k]] = k;
			c->out->siblings[c->kids[g->from + k]] = g->n;
		}
	}
	for (uint32_t i = c->m->n; i-- > 1;) {
		const struct module_mark *x = &c->m->marks[i];
		const struct group *g = &c->groups[c->group_of[i]];
		c->called_ns[x->parent] +=
			g->fit && g->called ? x->time_ns : c->called_ns[i];
	}
}

/* Whether a mark has a kid of that class; kids lie by class and word. */
static bool has_kid(const struct chooser *c, uint32_t mark,
	const struct module_mark *like)
{
	uint32_t low = c->kids_from[mark], high = c->kids_from[mark + 1];
	uint32_t end = high;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		const struct module_mark *x = &c->m->marks[c->kids[mid]];
		if (x->class_name != like->class_name
				? x->class_name < like->class_name
				: x->word < like->word)
			low = mid + 1;
		else
			high = mid;
	}
	return low < end && c->m->marks[c->kids[low]].word == like->word &&
	       c->m->marks[c->kids[low]].class_name == like->class_name;
}

/* Whether the first members of two groups have kids of one class. */
static bool alike(const struct chooser *c, const struct group *g,
	const struct group *h)
{
	uint32_t x = c->kids[g->from];

	for (uint32_t i = c->kids_from[x]; i < c->kids_from[x + 1]; i++)
		if (has_kid(c, c->kids[h->from], &c->m->marks[c->kids[i]]))
			return true;
	return false;
}

static void take(struct chooser *c, const struct group *g)
{
	for (uint32_t i = 0; i < g->n; i++) {
		uint32_t mark = c->kids[g->from + i];
		if (c->m->marks[mark].number < 0)
			continue;
		c->out->layer_of[mark] = mark;
		c->out->n++;
		c->out->time_ns += c->m->marks[mark].time_ns;
	}
	c->out->modules = c->m->marks[c->kids[g->from]].module;
}

/* Of a parent's groups the one with most time among those that may be layers;
 * `called`: of those so called alone. */
static const struct group *largest(const struct chooser *c, uint32_t parent,
	bool called)
{
	const struct group *most = NULL;

	for (uint32_t i = c->groups_from[parent];
		i < c->groups_from[parent + 1]; i++) {
		const struct group *g = &c->groups[i];
		if (g->fit && (g->called || !called) &&
			(!most || g->time_ns > most->time_ns))
			most = g;
	}
	return most;
}

/* Time of a parent's kids, without what is right in it: the root's is all that
 * has no mark. */
static int64_t kids_ns(const struct chooser *c, uint32_t parent)
{
	const struct module_mark *p = &c->m->marks[parent];
	return p->time_ns - (parent ? 0 : p->self_ns);
}

static void choose_below(struct chooser *c, uint32_t parent)
{
	const struct group *most = largest(c, parent, true);

	if (most && most->n == 1 && most->time_ns < kids_ns(c, parent) / 2)
		return;
	if (!most) {
		most = largest(c, parent, false);
		if (!most || most->time_ns < kids_ns(c, parent) / 2)
			return;
		int64_t called_ns = 0;
		for (uint32_t i = 0; i < most->n; i++)
			called_ns += c->called_ns[c->kids[most->from + i]];
		if (called_ns >= most->time_ns / 2)
			return;
	}
	for (uint32_t i = c->groups_from[parent];
		i < c->groups_from[parent + 1]; i++) {
		const struct group *g = &c->groups[i];
		if (g == most || (g->fit && g->called == most->called &&
					 alike(c, g, most)))
			take(c, g);
	}
}

static void choose(struct chooser *c)
{
	for (uint32_t i = 0; i < c->m->n; i++) {
		uint32_t *of = &c->out->layer_of[i];
		if (i && !*of)
			*of = c->out->layer_of[c->m->marks[i].parent];
		if (!*of)
			choose_below(c, i);
	}
}

/* The outermost marks of a name. */
static void find(struct chooser *c, const char *asked)
{
	const struct module_marks *m = c->m;

	for (uint32_t i = 1; i < m->n; i++) {
		const struct module_mark *x = &m->marks[i];
		uint32_t *of = &c->out->layer_of[i];
		char numbered[256];
		*of = c->out->layer_of[x->parent];
		if (*of)
			continue;
		const char *word = module_mark_word(m, i);
		snprintf(numbered, sizeof numbered, "%s_%lld", word,
			(long long)x->number);
		const char *path = names_text(&m->words, x->path);
		if (strcmp(word, asked) != 0 && strcmp(path, asked) != 0 &&
			strcmp(numbered, asked) != 0)
			continue;
		*of = i;
		c->out->n++;
		c->out->time_ns += x->time_ns;
		c->out->modules = x->module;
	}
}

bool module_stacks_from(const struct module_marks *m, const char *asked,
	struct arena *a, struct module_stacks *out)
{
	struct chooser c = { .m = m, .out = out };
	size_t n = (size_t)m->n + 1;

	*out = (struct module_stacks){ .layer_of = arena_array(a, uint32_t, n),
		.ordinal = arena_array(a, uint32_t, n),
		.siblings = arena_array(a, uint32_t, n),
		.asked = asked };
	c.kids = arena_array(a, uint32_t, n);
	c.kids_from = arena_array(a, uint32_t, n);
	c.groups = arena_array(a, struct group, n);
	c.groups_from = arena_array(a, uint32_t, n);
	c.group_of = arena_array(a, uint32_t, n);
	c.called_ns = arena_array(a, int64_t, n);
	if (!out->layer_of || !out->ordinal || !out->siblings || !c.kids ||
		!c.kids_from || !c.groups || !c.groups_from || !c.group_of ||
		!c.called_ns || !sort_kids(&c, a))
		return false;
	group(&c);
	if (asked)
		find(&c, asked);
	else
		choose(&c);
	return true;
}
