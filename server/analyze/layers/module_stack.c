/* module_stack.c - finds which modules and ranges are layers, and distinguishes
 * kinds of layers by their modules. */
#include "module_stack.h"
#include "layer_seq.h"
#include "module_name.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Marks: builds the tree of modules and ranges. */

/* The key of a mark. It is hashed as bytes, so it has no padding. */
struct module_mark_key {
	int64_t number;
	uint32_t parent, word;
	uint32_t class_name, module;
};

enum { MARK_CLIMB_MAX = 64 };

static bool module_stack_mark_grow(struct module_marks *m, struct arena *a,
	uint32_t *cap)
{
	if (m->n < *cap)
		return true;
	uint32_t more = *cap * 2 + 256;
	struct module_mark *grown =
		arena_grow(a, m->marks, more * sizeof *grown);
	if (!grown)
		return false;
	m->marks = grown;
	*cap = more;
	return true;
}

struct module_mark_marker {
	struct module_marks *m;
	struct arena *arena;
	uint32_t cap;
};

/* Returns the mark of a part below another; NAMES_NONE if the arena is full. */
static uint32_t module_stack_mark_child(struct module_mark_marker *k,
	const struct module_mark_key *key)
{
	struct module_marks *m = k->m;
	uint32_t id = names_put(&m->nodes, (const char *)key, sizeof *key);

	if (id == NAMES_NONE || !module_stack_mark_grow(m, k->arena, &k->cap))
		return NAMES_NONE;
	if (id < m->n)
		return id;
	m->marks[m->n++] = (struct module_mark){ .parent = key->parent,
		.word = key->word,
		.number = key->number,
		.class_name = key->class_name,
		.module = key->module,
		.first = LAYER_NONE };
	return id;
}

/* Finds the mark whose path a dotted path continues, and how many bytes of the
 * dotted path that mark covers. */
static uint32_t module_stack_mark_continued(const struct module_marks *m,
	uint32_t under, const char *text, size_t *covered)
{
	uint32_t at = under;

	*covered = 0;
	for (int i = 0; at && i < MARK_CLIMB_MAX;
		i++, at = m->marks[at].parent) {
		if (!m->marks[at].path)
			continue;
		const struct name *p = &m->words.list[m->marks[at].path];
		const char *parts = m->marks[at].number < 0 ? "./" : "./ _:-";
		if (strncmp(text, p->text, p->len) == 0 &&
			(!text[p->len] || strchr(parts, text[p->len]))) {
			*covered = p->len;
			return at;
		}
	}
	return under;
}

/* Makes the marks of one name; *mark is the innermost. */
static bool module_stack_mark_place(struct module_mark_marker *k,
	const char *text, bool module, uint32_t *mark)
{
	struct module_marks *m = k->m;
	struct module_name name;
	size_t covered = 0;

	module_name_read(text, module, &name);
	bool dotted = !name.class_name && name.n;
	if (dotted)
		*mark = module_stack_mark_continued(m, *mark, text, &covered);
	for (uint32_t i = 0; i < name.n && !name.wraps; i++) {
		const struct module_name_part *p = &name.parts[i];
		const char *end = i + 1 < name.n ? name.parts[i + 1].text
						 : text + strlen(text) + 1;
		if (dotted && covered && end <= text + covered + 1)
			continue;
		bool kept = module || module_name_is_layer(p->text, p->len) ||
			    name.n > 1;
		struct module_mark_key key = {
			.number = kept ? p->number : -1,
			.parent = *mark,
			.word = names_put(&m->words, p->text, p->len),
			.class_name = name.class_name,
			.module = module,
		};
		if (key.word == NAMES_NONE)
			return false;
		*mark = module_stack_mark_child(k, &key);
		if (*mark == NAMES_NONE)
			return false;
		if (!dotted)
			continue;
		uint32_t path =
			names_put(&m->words, text, (size_t)(end - 1 - text));
		if (path == NAMES_NONE)
			return false;
		m->marks[*mark].path = path;
	}
	return true;
}

/* Adds up the time of kernels in analyzed passes, per mark, and including all
 * marks below. */
static void module_stack_mark_add_up(struct module_marks *m,
	const struct layer_seq *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		const struct layer_item *it = &s->items[i];
		uint32_t mark = m->of_frame[it->frame];
		if (it->kind != LAYER_KERNEL || it->pass == LAYER_NONE)
			continue;
		m->gpu_ns += it->dur_ns;
		m->known_ns += mark ? it->dur_ns : 0;
		m->path_ns += it->frame ? it->dur_ns : 0;
		m->marks[mark].self_ns += it->dur_ns;
		if (m->marks[mark].first == LAYER_NONE)
			m->marks[mark].first = i;
	}
	for (uint32_t i = m->n; i-- > 0;) {
		struct module_mark *x = &m->marks[i],
				   *up = &m->marks[x->parent];
		x->time_ns += x->self_ns;
		if (!i)
			break;
		up->time_ns += x->time_ns;
		if (x->first < up->first)
			up->first = x->first;
	}
}

static bool module_marks_from(struct module_marks *m, const struct layer_seq *s,
	bool ranges)
{
	struct module_mark_marker k = { .m = m, .arena = s->arena };

	*m = (struct module_marks){ .of_frame = arena_array(s->arena, uint32_t,
					    s->frames_n) };
	if (!m->of_frame || !names_init(&m->words, s->arena) ||
		!names_init(&m->nodes, s->arena) ||
		!module_stack_mark_grow(m, s->arena, &k.cap))
		return false;
	m->marks[m->n++] =
		(struct module_mark){ .number = -1, .first = LAYER_NONE };
	for (uint32_t i = 1; i < s->frames_n; i++) {
		const struct frame *f = &s->frames[i];
		m->of_frame[i] = m->of_frame[f->parent];
		if ((f->kind == FRAME_MODULE ||
			    (ranges && f->kind == FRAME_ANNOTATION)) &&
			!module_stack_mark_place(&k, f->name,
				f->kind == FRAME_MODULE, &m->of_frame[i]))
			return false;
	}
	module_stack_mark_add_up(m, s);
	return true;
}

/* Layers: groups marks by parent and class, and chooses the groups that are
 * layers. Classes that are called layers are examined from the inside outward.
 * Layers are chosen from the outside inward. */

/* Marks of one parent and class. */
struct module_stack_group {
	uint32_t from, n; /* in `kids` */
	int64_t time_ns;
	uint32_t with_kids; /* members that contain marks */
	bool called; /* called a layer or block */
	bool fit; /* members may be layers */
};

struct module_stack_chooser {
	const struct module_marks *m;
	uint32_t *kids; /* marks by parent, class, number */
	uint32_t *
		kids_from; /* by mark: its first child in `kids`; and the end */
	struct module_stack_group *groups; /* by parent */
	uint32_t *row_groups_from; /* by mark: its first group; and the end */
	uint32_t *group_of; /* by mark: the group in which it is a member */
	int64_t *called_ns; /* by mark: time of marks in it called layers */
	struct module_stacks *out;
};

struct module_stack_kid {
	uint32_t parent, word, class_name;
	int64_t number;
	uint32_t mark;
};

static int module_stack_by_parent(const void *left, const void *right)
{
	const struct module_stack_kid *a = left, *b = right;
	const int64_t x[] = { a->parent, a->class_name, a->word, a->number,
		a->mark };
	const int64_t y[] = { b->parent, b->class_name, b->word, b->number,
		b->mark };

	for (size_t i = 0; i < sizeof x / sizeof *x; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

static bool module_stack_same_class(const struct module_marks *m, uint32_t a,
	uint32_t b)
{
	return m->marks[a].word == m->marks[b].word &&
	       m->marks[a].class_name == m->marks[b].class_name;
}

static bool module_stack_sort_kids(struct module_stack_chooser *c,
	struct arena *a)
{
	const struct module_marks *m = c->m;
	struct module_stack_kid *kids =
		arena_grow(a, NULL, m->n * sizeof *kids);

	if (!kids)
		return false;
	for (uint32_t i = 1; i < m->n; i++) {
		const struct module_mark *x = &m->marks[i];
		kids[i - 1] = (struct module_stack_kid){ x->parent, x->word,
			x->class_name, x->number, i };
	}
	qsort(kids, m->n - 1, sizeof *kids, module_stack_by_parent);
	for (uint32_t i = 0; i + 1 < m->n; i++) {
		c->kids[i] = kids[i].mark;
		c->kids_from[kids[i].parent + 1]++;
	}
	for (uint32_t i = 0; i < m->n; i++)
		c->kids_from[i + 1] += c->kids_from[i];
	arena_drop(a, kids);
	return true;
}

static bool module_stack_has_kids(const struct module_stack_chooser *c,
	uint32_t mark)
{
	return c->kids_from[mark] < c->kids_from[mark + 1];
}

static void module_stack_judge(struct module_stack_chooser *c,
	struct module_stack_group *g)
{
	const struct module_marks *m = c->m;
	uint32_t first = c->kids[g->from];
	const struct module_mark *x = &m->marks[first];
	const char *word = module_mark_word(m, first);

	for (uint32_t i = 0; i < g->n; i++) {
		g->time_ns += m->marks[c->kids[g->from + i]].time_ns;
		g->with_kids += module_stack_has_kids(c, c->kids[g->from + i]);
	}
	bool parted = g->with_kids > g->n / 2;
	g->called = module_name_is_layer(word, strlen(word)) &&
		    (!x->class_name || parted);
	g->fit = x->number >= 0 && g->time_ns > 0 &&
		 (g->called || (x->module && g->n > 1 && parted));
}

static void module_stack_group(struct module_stack_chooser *c)
{
	uint32_t n = 0;

	for (uint32_t p = 0; p < c->m->n; p++) {
		c->row_groups_from[p] = n;
		for (uint32_t i = c->kids_from[p]; i < c->kids_from[p + 1];
			i++) {
			bool opens = i == c->kids_from[p] ||
				     !module_stack_same_class(c->m, c->kids[i],
					     c->kids[i - 1]);
			if (opens)
				c->groups[n++] = (struct module_stack_group){
					.from = i
				};
			c->groups[n - 1].n++;
			c->group_of[c->kids[i]] = n - 1;
		}
	}
	c->row_groups_from[c->m->n] = n;
	for (uint32_t i = 0; i < n; i++) {
		const struct module_stack_group *g = &c->groups[i];
		module_stack_judge(c, &c->groups[i]);
		for (uint32_t k = 0; k < g->n; k++) {
			c->out->ordinal[c->kids[g->from + k]] = k;
			c->out->siblings[c->kids[g->from + k]] = g->n;
		}
	}
	for (uint32_t i = c->m->n; i-- > 1;) {
		const struct module_mark *x = &c->m->marks[i];
		const struct module_stack_group *g = &c->groups[c->group_of[i]];
		c->called_ns[x->parent] +=
			g->fit && g->called ? x->time_ns : c->called_ns[i];
	}
}

/* Returns whether a mark has a child of this class. Children are sorted by
 * class and word. */
static bool module_stack_has_kid(const struct module_stack_chooser *c,
	uint32_t mark, const struct module_mark *like)
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

/* Returns whether the first members of two groups have children of one
 * class. */
static bool module_stack_same_children(const struct module_stack_chooser *c,
	const struct module_stack_group *g, const struct module_stack_group *h)
{
	uint32_t x = c->kids[g->from];

	for (uint32_t i = c->kids_from[x]; i < c->kids_from[x + 1]; i++)
		if (module_stack_has_kid(c, c->kids[h->from],
			    &c->m->marks[c->kids[i]]))
			return true;
	return false;
}

static void module_stack_take(struct module_stack_chooser *c,
	const struct module_stack_group *g)
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

/* Returns the group with most time among the groups of a parent that may be
 * layers. `called`: considers only groups that are called layers or blocks. */
static const struct module_stack_group *module_stack_largest(
	const struct module_stack_chooser *c, uint32_t parent, bool called)
{
	const struct module_stack_group *most = NULL;

	for (uint32_t i = c->row_groups_from[parent];
		i < c->row_groups_from[parent + 1]; i++) {
		const struct module_stack_group *g = &c->groups[i];
		if (g->fit && (g->called || !called) &&
			(!most || g->time_ns > most->time_ns))
			most = g;
	}
	return most;
}

/* Returns the time of which the layers of a parent must take half: the parent's
 * time. For the root, launches without a mark are not included. */
static int64_t module_stack_kids_ns(const struct module_stack_chooser *c,
	uint32_t parent)
{
	const struct module_mark *p = &c->m->marks[parent];
	return p->time_ns - (parent ? 0 : p->self_ns);
}

static void module_stack_choose_below(struct module_stack_chooser *c,
	uint32_t parent)
{
	const struct module_stack_group *most =
		module_stack_largest(c, parent, true);

	if (most && most->n == 1 &&
		most->time_ns < module_stack_kids_ns(c, parent) / 2)
		return;
	if (!most) {
		most = module_stack_largest(c, parent, false);
		if (!most ||
			most->time_ns < module_stack_kids_ns(c, parent) / 2)
			return;
		int64_t called_ns = 0;
		for (uint32_t i = 0; i < most->n; i++)
			called_ns += c->called_ns[c->kids[most->from + i]];
		if (called_ns >= most->time_ns / 2)
			return;
	}
	for (uint32_t i = c->row_groups_from[parent];
		i < c->row_groups_from[parent + 1]; i++) {
		const struct module_stack_group *g = &c->groups[i];
		if (g == most ||
			(g->fit && g->called == most->called &&
				module_stack_same_children(c, g, most)))
			module_stack_take(c, g);
	}
}

static void module_stack_choose(struct module_stack_chooser *c)
{
	for (uint32_t i = 0; i < c->m->n; i++) {
		uint32_t *of = &c->out->layer_of[i];
		if (i && !*of)
			*of = c->out->layer_of[c->m->marks[i].parent];
		if (!*of)
			module_stack_choose_below(c, i);
	}
}

/* Makes the outermost marks with the wanted name layers. */
static void module_stack_find(struct module_stack_chooser *c,
	const char *wanted)
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
		if (strcmp(word, wanted) != 0 && strcmp(path, wanted) != 0 &&
			strcmp(numbered, wanted) != 0)
			continue;
		*of = i;
		c->out->n++;
		c->out->time_ns += x->time_ns;
		c->out->modules = x->module;
	}
}

bool module_stacks_from(const struct layer_seq *s, const char *wanted,
	bool ranges, struct module_marks *m, struct module_stacks *out)
{
	struct arena *a = s->arena;

	if (!module_marks_from(m, s, ranges))
		return false;
	struct module_stack_chooser c = { .m = m, .out = out };
	size_t n = (size_t)m->n + 1;

	*out = (struct module_stacks){ .layer_of = arena_array(a, uint32_t, n),
		.ordinal = arena_array(a, uint32_t, n),
		.siblings = arena_array(a, uint32_t, n),
		.by_name = wanted };
	c.kids = arena_array(a, uint32_t, n);
	c.kids_from = arena_array(a, uint32_t, n);
	c.groups = arena_array(a, struct module_stack_group, n);
	c.row_groups_from = arena_array(a, uint32_t, n);
	c.group_of = arena_array(a, uint32_t, n);
	c.called_ns = arena_array(a, int64_t, n);
	if (!out->layer_of || !out->ordinal || !out->siblings || !c.kids ||
		!c.kids_from || !c.groups || !c.row_groups_from ||
		!c.group_of || !c.called_ns || !module_stack_sort_kids(&c, a))
		return false;
	module_stack_group(&c);
	if (wanted)
		module_stack_find(&c, wanted);
	else
		module_stack_choose(&c);
	return true;
}

/* Content: the content of layers as sets that can be compared. A set contains
 * the paths, without numbers, of the classes and attributes below a layer.
 * Layers with equal content share one set. */

/* The path of a module below its layer. It is hashed as bytes, so it has no
 * padding. */
struct module_rel {
	uint32_t up, word, class_name;
};

/* A path that a layer contains. */
struct module_has {
	uint32_t layer, rel;
	int64_t self_ns, time_ns;
};

/* Layers with the same set, and the sum of their times. */
struct module_set {
	uint32_t layer; /* the first of the layers */
	uint32_t from, n; /* in `has` */
	int64_t members, total_ns; /* number of layers, sum of their times */
	bool edge; /* its layer is the first or last of the stack */
	uint32_t kind;
};

struct module_content {
	const struct module_marks *m;
	const struct module_stacks *l;
	struct names rels; /* struct module_rel; id 0: the layer itself */
	struct names keys; /* sets: id - 1 in `sets` */
	struct module_has *has;
	struct module_set *sets;
	uint32_t has_n, sets_n;
	uint32_t *rel_of; /* by mark */
	uint32_t *set_of; /* by mark of a layer */
};

static int module_kind_content_by_layer(const void *left, const void *right)
{
	const struct module_has *a = left, *b = right;

	if (a->layer != b->layer)
		return a->layer < b->layer ? -1 : 1;
	return a->rel < b->rel ? -1 : a->rel > b->rel;
}

/* Lists the paths in layers that have launches, each once per layer. */
static bool module_kind_content_list(struct module_content *c)
{
	for (uint32_t i = 1; i < c->m->n; i++) {
		const struct module_mark *x = &c->m->marks[i];
		uint32_t layer = c->l->layer_of[i];
		if (!layer || x->first == LAYER_NONE)
			continue;
		struct module_rel r = { c->rel_of[x->parent], x->word,
			x->class_name };
		if (layer != i)
			c->rel_of[i] =
				names_put(&c->rels, (const char *)&r, sizeof r);
		if (c->rel_of[i] == NAMES_NONE)
			return false;
		c->has[c->has_n++] = (struct module_has){ layer, c->rel_of[i],
			x->self_ns, x->time_ns };
	}
	qsort(c->has, c->has_n, sizeof *c->has, module_kind_content_by_layer);
	uint32_t n = 0;
	for (uint32_t i = 0; i < c->has_n; i++) {
		struct module_has *h = &c->has[i];
		if (n && !module_kind_content_by_layer(h, &c->has[n - 1])) {
			c->has[n - 1].self_ns += h->self_ns;
			c->has[n - 1].time_ns += h->time_ns;
		} else {
			c->has[n++] = *h;
		}
	}
	c->has_n = n;
	return true;
}

static bool module_kind_content_join_set(struct module_content *c,
	uint32_t from, uint32_t n, uint32_t *key)
{
	uint32_t layer = c->has[from].layer;
	const struct module_mark *x = &c->m->marks[layer];
	uint32_t known = c->keys.n;

	key[0] = module_stack_of(c->m, c->l, layer);
	key[1] = x->word;
	for (uint32_t i = 0; i < n; i++)
		key[2 + i] = c->has[from + i].rel;
	uint32_t id = names_put(&c->keys, (const char *)key,
		(2 + (size_t)n) * sizeof *key);
	if (id == NAMES_NONE)
		return false;
	struct module_set *t = &c->sets[id - 1];
	if (id == known)
		*t = (struct module_set){ .layer = layer,
			.from = from,
			.n = n };
	t->members++;
	for (uint32_t i = 0; i < n; i++) {
		t->total_ns += c->has[from + i].self_ns;
		if (id == known)
			continue;
		c->has[t->from + i].self_ns += c->has[from + i].self_ns;
		c->has[t->from + i].time_ns += c->has[from + i].time_ns;
	}
	c->set_of[layer] = id - 1;
	c->sets_n = c->keys.n - 1;
	return true;
}

static bool module_kind_content_join_sets(struct module_content *c,
	struct arena *scratch)
{
	uint32_t *key =
		arena_grow(scratch, NULL, ((size_t)c->has_n + 2) * sizeof *key);

	if (!key)
		return false;
	for (uint32_t i = 0, n; i < c->has_n; i += n) {
		for (n = 1; i + n < c->has_n &&
			    c->has[i + n].layer == c->has[i].layer;
			n++)
			;
		if (!module_kind_content_join_set(c, i, n, key))
			return false;
	}
	return true;
}

/* Returns the time of the paths that only `a` contains, not `b`. *most is the
 * path with most time among them. */
static int64_t module_kind_content_only(const struct module_content *c,
	const struct module_set *a, const struct module_set *b, uint32_t *most)
{
	int64_t only_ns = 0, most_ns = -1;
	uint32_t at = 0;

	for (uint32_t i = 0; i < a->n; i++) {
		const struct module_has *h = &c->has[a->from + i];
		while (at < b->n && c->has[b->from + at].rel < h->rel)
			at++;
		if (at < b->n && c->has[b->from + at].rel == h->rel)
			continue;
		only_ns += h->self_ns;
		if (h->time_ns > most_ns) {
			most_ns = h->time_ns;
			*most = h->rel;
		}
	}
	return only_ns;
}

/* Fills *c; allocates everything in the scratch arena. Returns false if it is
 * full. */
static bool module_kind_content_from(struct module_content *c,
	const struct module_marks *m, const struct module_stacks *l,
	struct arena *scratch)
{
	size_t n = (size_t)m->n + 1;

	*c = (struct module_content){ .m = m, .l = l };
	c->rel_of = arena_grow(scratch, NULL, n * sizeof *c->rel_of);
	c->has = arena_grow(scratch, NULL, n * sizeof *c->has);
	c->sets = arena_grow(scratch, NULL, n * sizeof *c->sets);
	c->set_of = arena_grow(scratch, NULL, n * sizeof *c->set_of);
	return c->rel_of && c->has && c->sets && c->set_of &&
	       names_init(&c->rels, scratch) && names_init(&c->keys, scratch) &&
	       module_kind_content_list(c) &&
	       module_kind_content_join_sets(c, scratch);
}

/* Kinds: similar sets are one kind (module_stack.h gives the limits). */

enum { NEAR_MOST = 64 }; /* most sets of a class that are compared */

struct module_kind_sorter {
	struct module_content c;
	struct module_kinds *out;
};

static uint32_t module_kind_stack_of(const struct module_kind_sorter *k,
	uint32_t layer)
{
	return module_stack_of(k->c.m, k->c.l, layer);
}

static bool module_kind_near(const struct module_kind_sorter *k,
	const struct module_set *a, const struct module_set *b)
{
	uint32_t most;
	int64_t more = module_kind_content_only(&k->c, a, b, &most),
		less = module_kind_content_only(&k->c, b, a, &most);

	return (more * 5 < a->total_ns && less * 5 < b->total_ns) ||
	       (a->members == 1 && a->edge && more == 0);
}

static bool module_kind_same_class(const struct module_kind_sorter *k,
	const struct module_set *a, const struct module_set *b)
{
	const struct module_mark *x = &k->c.m->marks[a->layer];
	const struct module_mark *y = &k->c.m->marks[b->layer];
	return module_kind_stack_of(k, a->layer) ==
		       module_kind_stack_of(k, b->layer) &&
	       x->word == y->word;
}

struct module_kind_ordered {
	uint32_t parent, word, set;
	int64_t members;
};

static int module_kind_by_members(const void *left, const void *right)
{
	const struct module_kind_ordered *a = left, *b = right;
	const int64_t x[] = { a->parent, a->word, b->members, a->set };
	const int64_t y[] = { b->parent, b->word, a->members, b->set };

	for (size_t i = 0; i < sizeof x / sizeof *x; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

/* Finds the first and last layers of each stack. */
static void module_kind_edges(struct module_kind_sorter *k, uint32_t *first,
	uint32_t *last)
{
	const struct module_mark *marks = k->c.m->marks;

	for (uint32_t i = 1; i < k->c.m->n; i++) {
		uint32_t up = module_kind_stack_of(k, i);
		if (k->c.l->layer_of[i] != i || marks[i].first == LAYER_NONE)
			continue;
		if (!first[up] || marks[i].first < marks[first[up]].first)
			first[up] = i;
		if (!last[up] || marks[i].first > marks[last[up]].first)
			last[up] = i;
	}
	for (uint32_t i = 0; i < k->c.sets_n; i++) {
		struct module_set *t = &k->c.sets[i];
		uint32_t up = module_kind_stack_of(k, t->layer);
		t->edge = t->layer == first[up] || t->layer == last[up];
	}
}

/* Joins each set of a class to the first similar kind. Sets with most layers
 * are first. */
static void module_kind_join_kinds(struct module_kind_sorter *k,
	struct module_kind_ordered *order)
{
	uint32_t n = k->c.sets_n, begin = 0;
	struct module_kinds *out = k->out;

	for (uint32_t i = 0; i < n; i++) {
		const struct module_set *t = &k->c.sets[i];
		order[i] = (struct module_kind_ordered){ module_kind_stack_of(k,
								 t->layer),
			k->c.m->marks[t->layer].word, i, t->members };
	}
	qsort(order, n, sizeof *order, module_kind_by_members);
	for (uint32_t i = 0; i < n; i++) {
		struct module_set *t = &k->c.sets[order[i].set];
		if (i && !module_kind_same_class(k, t,
				 &k->c.sets[order[i - 1].set]))
			begin = out->n;
		bool crowded = out->n - begin >= NEAR_MOST;
		t->kind = out->n;
		for (uint32_t j = begin; j < out->n; j++) {
			const struct module_set *other =
				&k->c.sets[k->c.set_of[out->kinds[j].layer]];
			if (crowded || module_kind_near(k, t, other)) {
				t->kind = j;
				break;
			}
		}
		if (t->kind == out->n)
			out->kinds[out->n++] =
				(struct module_kind){ .stack = order[i].parent,
					.layer = t->layer };
	}
}

/* Finds for each kind what it contains and the first other kind of its class
 * does not. */
static void module_kind_differences(struct module_kind_sorter *k, bool named)
{
	struct module_kinds *out = k->out;

	for (uint32_t i = 0; i < out->n; i++) {
		struct module_kind *x = &out->kinds[i];
		const struct module_mark *layer = &k->c.m->marks[x->layer];
		if (named || layer->class_name)
			x->name = module_mark_word(k->c.m, x->layer);
		for (uint32_t j = 0; j < out->n && !x->differs; j++) {
			const struct module_set *a =
				&k->c.sets[k->c.set_of[x->layer]];
			const struct module_set *b =
				&k->c.sets[k->c.set_of[out->kinds[j].layer]];
			uint32_t most = 0;
			struct module_rel r;
			if (j == i || !module_kind_same_class(k, a, b))
				continue;
			module_kind_content_only(&k->c, a, b, &most);
			if (!most)
				continue;
			memcpy(&r, names_text(&k->c.rels, most), sizeof r);
			x->differs = names_text(&k->c.m->words, r.word);
		}
	}
}

/* Names: kinds of several stacks are named by the modules around them, which
 * are compared from the inside outward. */

enum { NAME_CLIMB_MAX = 8, NAMED_MAX = 64 };

static bool module_kind_same_name(const struct module_kind *a,
	const struct module_kind *b)
{
	return a != b && a->name && b->name && !strcmp(a->name, b->name);
}

static uint32_t module_kind_name_climb(const struct module_marks *m,
	uint32_t mark, int steps)
{
	while (steps-- > 0)
		mark = m->marks[mark].parent;
	return mark;
}

/* Returns whether no other kind with the same name has a stack with such a
 * module at this distance. */
static bool module_kind_name_alone(const struct module_marks *m,
	const struct module_kinds *k, const struct module_kind *a, int steps,
	bool numbers)
{
	const struct module_mark *x =
		&m->marks[module_kind_name_climb(m, a->stack, steps)];

	for (uint32_t i = 0; i < k->n; i++) {
		const struct module_kind *b = &k->kinds[i];
		if (!module_kind_same_name(a, b) || b->stack == a->stack)
			continue;
		const struct module_mark *y =
			&m->marks[module_kind_name_climb(m, b->stack, steps)];
		if (x->word == y->word && (!numbers || x->number == y->number))
			return false;
	}
	return true;
}

static const char *module_kind_name_around(const struct layer_seq *s,
	const struct module_marks *m, const struct module_kinds *k,
	const struct module_kind *a)
{
	for (int steps = 0; steps < 2 * NAME_CLIMB_MAX; steps++) {
		bool numbers = steps >= NAME_CLIMB_MAX;
		uint32_t at = module_kind_name_climb(m, a->stack,
			steps % NAME_CLIMB_MAX);
		if (!at || !module_kind_name_alone(m, k, a,
				   steps % NAME_CLIMB_MAX, numbers))
			continue;
		const struct module_mark *x = &m->marks[at];
		const char *word = module_mark_word(m, at);
		return numbers && x->number >= 0
			       ? arena_printf(s->arena, "%s[%lld]", word,
					 (long long)x->number)
			       : word;
	}
	return NULL;
}

static const char *module_kind_name_name(const struct layer_seq *s,
	const struct module_marks *m, const struct module_kinds *k,
	const struct module_kind *a)
{
	const char *name = a->name, *where = NULL;
	bool within = false, elsewhere = false;

	for (uint32_t i = 0; i < k->n; i++) {
		const struct module_kind *b = &k->kinds[i];
		within |= module_kind_same_name(a, b) && b->stack == a->stack;
		elsewhere |=
			module_kind_same_name(a, b) && b->stack != a->stack;
	}
	if (elsewhere)
		where = module_kind_name_around(s, m, k, a);
	if (where)
		name = arena_printf(s->arena, "%s %s", where, name);
	if (within && a->differs && name)
		name = arena_printf(s->arena, "%s (%s)", name, a->differs);
	return name;
}

static bool module_kind_names(const struct layer_seq *s,
	const struct module_marks *m, struct module_kinds *k)
{
	const char *names[NAMED_MAX];

	if (k->n > NAMED_MAX)
		return true;
	for (uint32_t i = 0; i < k->n; i++)
		names[i] = module_kind_name_name(s, m, k, &k->kinds[i]);
	for (uint32_t i = 0; i < k->n; i++)
		k->kinds[i].name = names[i];
	return !s->arena->full;
}

bool module_kinds_from(const struct layer_seq *s, const struct module_marks *m,
	const struct module_stacks *l, bool named, struct module_kinds *out)
{
	struct arena scratch = arena_scratch(s->arena);
	struct module_kind_sorter k = { .out = out };
	size_t n = (size_t)m->n + 1;

	*out = (struct module_kinds){
		.of = arena_array(s->arena, uint32_t, n),
		.kinds = arena_array(s->arena, struct module_kind, n),
	};
	uint32_t *first = arena_grow(&scratch, NULL, n * sizeof *first);
	uint32_t *last = arena_grow(&scratch, NULL, n * sizeof *last);
	struct module_kind_ordered *order =
		arena_grow(&scratch, NULL, n * sizeof *order);
	bool ok = out->of && out->kinds && first && last && order &&
		  module_kind_content_from(&k.c, m, l, &scratch);
	if (ok) {
		module_kind_edges(&k, first, last);
		module_kind_join_kinds(&k, order);
		for (uint32_t i = 1; i < m->n; i++)
			if (l->layer_of[i] == i &&
				m->marks[i].first != LAYER_NONE)
				out->of[i] = k.c.sets[k.c.set_of[i]].kind;
		if (out->n <= MODULE_KINDS_MOST)
			module_kind_differences(&k, named);
	}
	arena_scratch_release(&scratch, s->arena);
	return ok && module_kind_names(s, m, out);
}
