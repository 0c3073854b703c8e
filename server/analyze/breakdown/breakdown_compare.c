/* breakdown_compare.c - compares breakdowns of several runs row by row. */
#include "breakdown_compare.h"
#include "exact.h"
#include "names.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* State that the steps share, and the merging of several sides' orders. */

enum { COMPARE_NONE = UINT32_MAX };

/* A linked list that merges the entries of several sides into one order. It
 * contains the first side's entries in their order. An entry of another side is
 * inserted after the entry that precedes it on that side. */
struct compare_order {
	uint32_t
		*next; /* by entry; the entry itself if it is not in the list */
	uint32_t first;
};

struct compare_work {
	const struct breakdown_compare_side *sides;
	uint32_t sides_n;
	struct arena *a; /* scratch memory in it is released again */
	struct breakdown_compare *out;
	struct breakdown_identities same;
	/* By side: the index in `out` of each of its sections, blocks and
	 * rows. */
	uint32_t *section[BREAKDOWN_COMPARE_MAX], *block[BREAKDOWN_COMPARE_MAX],
		*line[BREAKDOWN_COMPARE_MAX];
};

/* Stores for each side's row a number below COMPARE_TOKENS for its roles, or
 * COMPARE_NONE if it has no role. Rows of a block have equal numbers if their
 * roles cannot distinguish them. Returns false if the arena is full. */
enum { COMPARE_TOKENS = 128 };

/* A line under construction. */
struct compare_thing {
	uint32_t block; /* of `out` */
	enum breakdown_compare_match match;
};
struct compare_things {
	struct compare_thing *list; /* room for one per row */
	uint32_t n;
};

/* Returns false if the arena is full. */
static bool breakdown_compare_order_init(struct compare_order *o,
	uint32_t things, struct arena *a)
{
	*o = (struct compare_order){ .first = COMPARE_NONE };
	o->next = arena_grow(a, NULL, (things + 1) * sizeof *o->next);
	if (!o->next)
		return false;
	for (uint32_t i = 0; i < things; i++)
		o->next[i] = i;
	return true;
}

static bool breakdown_compare_order_listed(const struct compare_order *o,
	uint32_t thing)
{
	return o->next[thing] != thing;
}

static uint32_t *breakdown_compare_order_end(struct compare_order *o)
{
	uint32_t *link = &o->first;
	while (*link != COMPARE_NONE)
		link = &o->next[*link];
	return link;
}

/* Merges a side's entries, in the order of that side; an entry may occur more
 * than once. If none of them is in the list yet, they are appended. */
static void breakdown_compare_order_merge(struct compare_order *o,
	const uint32_t *things, uint32_t n)
{
	uint32_t known = 0;
	while (known < n && !breakdown_compare_order_listed(o, things[known]))
		known++;
	uint32_t *link = known < n ? &o->first : breakdown_compare_order_end(o);
	for (uint32_t i = 0; i < n; i++) {
		if (!breakdown_compare_order_listed(o, things[i])) {
			o->next[things[i]] = *link;
			*link = things[i];
		}
		link = &o->next[things[i]];
	}
}

/* Sections: finds which sections of the sides correspond to each other. */

static const double same_blocks_min = 0.5;

/* A section under construction. Its fields are from the first side that has the
 * section. */
struct compare_sections_thing {
	const struct breakdown_section *is;
	uint64_t kinds; /* bits: the kinds of its blocks */
	uint32_t of[BREAKDOWN_COMPARE_MAX];
};
struct compare_sections_sections {
	struct compare_work *w;
	struct compare_sections_thing *things;
	uint64_t *kinds; /* of the current side, by section */
	uint32_t n;
};

/* Removes norms, communication and unknown blocks, because any section may have
 * them. */
static uint64_t breakdown_compare_sections_specific(uint64_t kinds)
{
	return kinds & ~(UINT64_C(1) << BLOCK_NORM |
			       UINT64_C(1) << BLOCK_COMMUNICATION |
			       UINT64_C(1) << BLOCK_OTHER);
}

/* Returns the share of block kinds that two sections have in common. */
static double breakdown_compare_sections_share(uint64_t x, uint64_t y)
{
	x = breakdown_compare_sections_specific(x);
	y = breakdown_compare_sections_specific(y);
	return x == y ? 1
		      : (double)__builtin_popcountll(x & y) /
				(double)__builtin_popcountll(x | y);
}

static bool breakdown_compare_sections_same_name(const struct breakdown_section
							 *x,
	const struct breakdown_section *y)
{
	return x->name && y->name && strcmp(x->name, y->name) == 0;
}

/* Returns how well two sections match. The first of three rounds compares
 * names, the second blocks, and the third accepts any common block. */
static double breakdown_compare_sections_fit(const struct compare_sections_thing
						     *t,
	const struct breakdown_section *s, uint64_t kinds, int round)
{
	double share;
	if (t->is->place != s->place)
		return 0;
	if (s->place != SECTION_LAYER)
		return 1;
	share = breakdown_compare_sections_share(t->kinds, kinds);
	if (round == 0)
		return breakdown_compare_sections_same_name(t->is, s) ? share
								      : 0;
	return round == 2 || share >= same_blocks_min ? share : 0;
}

static void breakdown_compare_sections_match(struct compare_sections_sections
						     *m,
	uint32_t side, uint32_t i, int round)
{
	const struct breakdown *b = m->w->sides[side].breakdown;
	uint32_t best = COMPARE_NONE;
	double most = 0;
	for (uint32_t k = 0; k < m->n; k++) {
		double f =
			m->things[k].of[side] != COMPARE_NONE
				? 0
				: breakdown_compare_sections_fit(&m->things[k],
					  &b->sections[i], m->kinds[i], round);
		if (f > most) {
			most = f;
			best = k;
		}
	}
	if (best == COMPARE_NONE)
		return;
	m->things[best].of[side] = i;
	m->w->section[side][i] = best;
}

static void breakdown_compare_sections_add(struct compare_sections_sections *m,
	uint32_t side, uint32_t i)
{
	struct compare_sections_thing *t = &m->things[m->n];
	t->is = &m->w->sides[side].breakdown->sections[i];
	t->kinds = m->kinds[i];
	memset(t->of, 0xff, sizeof t->of);
	t->of[side] = i;
	m->w->section[side][i] = m->n++;
}

static void breakdown_compare_sections_match_side(
	struct compare_sections_sections *m, uint32_t side)
{
	const struct breakdown *b = m->w->sides[side].breakdown;
	memset(m->kinds, 0, b->sections_n * sizeof *m->kinds);
	for (uint32_t i = 0; i < b->blocks_n; i++)
		m->kinds[b->blocks[i].section] |= UINT64_C(1)
						  << b->blocks[i].kind;
	for (int round = 0; round < 3; round++)
		for (uint32_t i = 0; i < b->sections_n; i++)
			if (m->w->section[side][i] == COMPARE_NONE)
				breakdown_compare_sections_match(m, side, i,
					round);
	for (uint32_t i = 0; i < b->sections_n; i++)
		if (m->w->section[side][i] == COMPARE_NONE)
			breakdown_compare_sections_add(m, side, i);
}

static void
breakdown_compare_sections_fill(const struct compare_sections_sections *m,
	const struct compare_sections_thing *t,
	struct breakdown_compare_section *to)
{
	to->place = t->is->place;
	to->name = t->is->name;
	for (uint32_t s = 0; s < BREAKDOWN_COMPARE_MAX; s++) {
		to->of[s] = t->of[s];
		to->sum_ns[s] = NAN;
		if (t->of[s] != COMPARE_NONE &&
			!breakdown_compare_sections_same_name(t->is,
				&m->w->sides[s].breakdown->sections[t->of[s]]))
			to->name = NULL;
	}
}

/* Writes the sections in their order. */
static bool breakdown_compare_sections_arrange(
	struct compare_sections_sections *m)
{
	struct compare_work *w = m->w;
	struct compare_order o;
	if (!breakdown_compare_order_init(&o, m->n, w->a))
		return false;
	for (uint32_t s = 0; s < w->sides_n; s++)
		breakdown_compare_order_merge(&o, w->section[s],
			w->sides[s].breakdown->sections_n);
	w->out->sections =
		arena_array(w->a, struct breakdown_compare_section, m->n + 1);
	for (uint32_t t = o.first; w->out->sections && t != COMPARE_NONE;
		t = o.next[t]) {
		uint32_t to = w->out->sections_n++;
		breakdown_compare_sections_fill(m, &m->things[t],
			&w->out->sections[to]);
		for (uint32_t s = 0; s < w->sides_n; s++)
			if (m->things[t].of[s] != COMPARE_NONE)
				w->section[s][m->things[t].of[s]] = to;
	}
	arena_drop(w->a, o.next);
	return w->out->sections;
}

/* Returns false if the arena is full. */
static bool breakdown_compare_sections(struct compare_work *w)
{
	struct compare_sections_sections m = { .w = w };
	uint32_t all = 0, most = 0;
	for (uint32_t s = 0; s < w->sides_n; s++) {
		uint32_t n = w->sides[s].breakdown->sections_n;
		all += n;
		most = n > most ? n : most;
	}
	m.things = arena_grow(w->a, NULL, (all + 1) * sizeof *m.things);
	m.kinds = arena_grow(w->a, NULL, (most + 1) * sizeof *m.kinds);
	bool ok = m.things && m.kinds;
	for (uint32_t s = 0; ok && s < w->sides_n; s++)
		breakdown_compare_sections_match_side(&m, s);
	ok = ok && breakdown_compare_sections_arrange(&m);
	arena_drop(w->a, m.things);
	arena_drop(w->a, m.kinds);
	return ok;
}

/* Blocks: blocks of the sides are matched by section and kind. */

struct compare_blocks_blocks {
	struct compare_work *w;
	struct compare_order
		order; /* order of block kinds of one section at a time */
	uint32_t *from
		[BREAKDOWN_COMPARE_MAX]; /* by section of the side: its first block */
};

static bool breakdown_compare_blocks_index_side(struct compare_blocks_blocks *b,
	uint32_t side)
{
	const struct breakdown *is = b->w->sides[side].breakdown;
	uint32_t *from =
		arena_grow(b->w->a, NULL, (is->sections_n + 1) * sizeof *from);
	b->from[side] = from;
	if (!from)
		return false;
	for (uint32_t s = 0, i = 0; s <= is->sections_n; s++) {
		while (i < is->blocks_n && is->blocks[i].section < s)
			i++;
		from[s] = i;
	}
	return true;
}

static void breakdown_compare_blocks_put_in_order(struct compare_blocks_blocks
							  *b,
	const struct breakdown_compare_section *is)
{
	b->order.first = COMPARE_NONE;
	for (uint32_t k = 0; k < BLOCKS; k++)
		b->order.next[k] = k;
	for (uint32_t s = 0; s < b->w->sides_n; s++) {
		const struct breakdown *d = b->w->sides[s].breakdown;
		uint32_t kinds[BLOCKS], n = 0;
		if (is->of[s] == COMPARE_NONE)
			continue;
		for (uint32_t i = b->from[s][is->of[s]];
			i < b->from[s][is->of[s] + 1] && n < BLOCKS; i++)
			kinds[n++] = d->blocks[i].kind;
		breakdown_compare_order_merge(&b->order, kinds, n);
	}
}

static void breakdown_compare_blocks_add_section(struct compare_blocks_blocks
							 *b,
	uint32_t section)
{
	struct compare_work *w = b->w;
	const struct breakdown_compare_section *is = &w->out->sections[section];
	uint32_t at[BLOCKS];
	breakdown_compare_blocks_put_in_order(b, is);
	for (uint32_t k = b->order.first; k != COMPARE_NONE;
		k = b->order.next[k]) {
		struct breakdown_compare_block *to =
			&w->out->blocks[w->out->blocks_n];
		*to = (struct breakdown_compare_block){ section,
			(enum layer_block_kind)k, COMPARE_NONE, { 0 } };
		for (uint32_t s = 0; s < BREAKDOWN_COMPARE_MAX; s++)
			to->sum_ns[s] = NAN;
		at[k] = w->out->blocks_n++;
	}
	for (uint32_t s = 0; s < w->sides_n; s++) {
		const struct breakdown *d = w->sides[s].breakdown;
		if (is->of[s] == COMPARE_NONE)
			continue;
		for (uint32_t i = b->from[s][is->of[s]];
			i < b->from[s][is->of[s] + 1]; i++)
			w->block[s][i] = at[d->blocks[i].kind];
	}
}

/* Copies parallel_to of each block from the first side on which the block runs
 * at the same time as another. */
static void breakdown_compare_blocks_concurrent(const struct compare_work *w)
{
	for (uint32_t s = 0; s < w->sides_n; s++) {
		const struct breakdown *d = w->sides[s].breakdown;
		for (uint32_t i = 0; i < d->blocks_n; i++) {
			struct breakdown_compare_block *to =
				&w->out->blocks[w->block[s][i]];
			uint32_t other = d->blocks[i].parallel_to;
			if (other != UINT32_MAX &&
				to->parallel_to == COMPARE_NONE)
				to->parallel_to = w->block[s][other];
		}
	}
}

static bool breakdown_compare_blocks(struct compare_work *w)
{
	struct compare_blocks_blocks b = { .w = w };
	size_t all = 1;
	bool ok = breakdown_compare_order_init(&b.order, BLOCKS, w->a);
	for (uint32_t s = 0; ok && s < w->sides_n; s++) {
		ok = breakdown_compare_blocks_index_side(&b, s);
		all += w->sides[s].breakdown->blocks_n;
	}
	w->out->blocks =
		ok ? arena_array(w->a, struct breakdown_compare_block, all)
		   : NULL;
	for (uint32_t k = 0; w->out->blocks && k < w->out->sections_n; k++)
		breakdown_compare_blocks_add_section(&b, k);
	if (w->out->blocks)
		breakdown_compare_blocks_concurrent(w);
	for (uint32_t s = 0; s < w->sides_n; s++)
		arena_drop(w->a, b.from[s]);
	arena_drop(w->a, b.order.next);
	return w->out->blocks;
}

/* Roles: finds, by block, the smallest sets of roles such that each row of each
 * side has roles of one set only. The role of quantization joins no sets: a row
 * that also does something else is matched by its other roles. A row that only
 * quantizes is identified by the product that follows, because quantization may
 * precede any product. */

enum { QUANTIZE_FOR = 64 }; /* + the role of the product */
static const layer_roles quantize = ROLE_BIT(QUANTIZE);

static_assert((int)ROLES <= (int)QUANTIZE_FOR &&
		      (int)QUANTIZE_FOR + (int)ROLES <= (int)COMPARE_TOKENS,
	"a token for each role, and for what quantizes for it");

struct compare_roles_roles {
	const struct compare_work *w;
	uint8_t *parent; /* by block and token */
	layer_roles *follows; /* by lane: the roles of the lane's next row
		that does not only quantize */
	uint32_t *of_block; /* by lane: the block of that row */
	uint32_t lanes;
};

static uint32_t breakdown_compare_roles_lowest(layer_roles roles)
{
	return (uint32_t)__builtin_ctzll(roles);
}

static uint32_t breakdown_compare_roles_root(uint8_t *parent, uint32_t token)
{
	while (parent[token] != token)
		token = parent[token] = parent[parent[token]];
	return token;
}

/* Returns the token of a row that only quantizes. */
static uint32_t
breakdown_compare_roles_quantizes(const struct compare_roles_roles *r,
	const struct breakdown_row *row, uint32_t block)
{
	layer_roles for_ = r->of_block[row->lane] == block
				   ? r->follows[row->lane]
				   : quantize;
	return QUANTIZE_FOR + breakdown_compare_roles_lowest(for_);
}

static uint32_t breakdown_compare_roles_join(struct compare_roles_roles *r,
	const struct breakdown_row *row, uint32_t block)
{
	uint8_t *parent = r->parent + (size_t)block * COMPARE_TOKENS;
	layer_roles roles = row->roles & ~quantize;
	if (!roles)
		return breakdown_compare_roles_quantizes(r, row, block);
	uint32_t first = breakdown_compare_roles_lowest(roles);
	for (; roles; roles &= roles - 1)
		parent[breakdown_compare_roles_root(parent,
			breakdown_compare_roles_lowest(roles))] =
			(uint8_t)breakdown_compare_roles_root(parent, first);
	return first;
}

static void breakdown_compare_roles_side(struct compare_roles_roles *r,
	uint32_t s, uint32_t *token)
{
	const struct breakdown *b = r->w->sides[s].breakdown;
	memset(r->of_block, 0xff, r->lanes * sizeof *r->of_block);
	for (uint32_t i = b->rows_n; i-- > 0;) {
		const struct breakdown_row *row = &b->rows[i];
		uint32_t block = r->w->block[s][row->block];
		token[i] = COMPARE_NONE;
		if (!row->roles)
			continue;
		token[i] = breakdown_compare_roles_join(r, row, block);
		if (row->roles & ~quantize) {
			r->follows[row->lane] = row->roles & ~quantize;
			r->of_block[row->lane] = block;
		}
	}
}

static bool breakdown_compare_roles_room(struct compare_roles_roles *r)
{
	const struct compare_work *w = r->w;
	size_t tokens = (size_t)w->out->blocks_n * COMPARE_TOKENS;
	for (uint32_t s = 0; s < w->sides_n; s++)
		for (uint32_t i = 0; i < w->sides[s].breakdown->rows_n; i++) {
			uint32_t lane = w->sides[s].breakdown->rows[i].lane;
			r->lanes = lane >= r->lanes ? lane + 1 : r->lanes;
		}
	r->parent = arena_grow(w->a, NULL, tokens + 1);
	r->follows =
		arena_grow(w->a, NULL, (r->lanes + 1) * sizeof *r->follows);
	r->of_block =
		arena_grow(w->a, NULL, (r->lanes + 1) * sizeof *r->of_block);
	if (!r->parent || !r->follows || !r->of_block)
		return false;
	for (size_t k = 0; k < tokens; k++)
		r->parent[k] = (uint8_t)(k % COMPARE_TOKENS);
	return true;
}

static bool breakdown_compare_roles(const struct compare_work *w,
	uint32_t *const token[BREAKDOWN_COMPARE_MAX])
{
	struct compare_roles_roles r = { .w = w };
	bool ok = breakdown_compare_roles_room(&r);
	for (uint32_t s = 0; ok && s < w->sides_n; s++)
		breakdown_compare_roles_side(&r, s, token[s]);
	for (uint32_t s = 0; ok && s < w->sides_n; s++)
		for (uint32_t i = 0; i < w->sides[s].breakdown->rows_n; i++) {
			uint32_t block =
				w->block[s]
					[w->sides[s].breakdown->rows[i].block];
			if (token[s][i] != COMPARE_NONE)
				token[s][i] = breakdown_compare_roles_root(
					r.parent +
						(size_t)block * COMPARE_TOKENS,
					token[s][i]);
		}
	arena_drop(w->a, r.parent);
	arena_drop(w->a, r.follows);
	arena_drop(w->a, r.of_block);
	return ok;
}

/* Names: rows without a role are matched by module or by kernel. */

/* A row without a role. Rows of several sides match if they have the same
 * block, the same name, and the same index among the rows of that name on their
 * side. `name` is the number of the kernel; those of other names follow. */
struct compare_names_entry {
	uint32_t block, name, nth, side, row;
};
struct compare_names_entries {
	struct compare_work *w;
	struct names names;
	struct compare_names_entry *list;
	uint32_t n;
};

static int breakdown_compare_names_by(const uint32_t *x, const uint32_t *y,
	int n)
{
	for (int i = 0; i < n; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

static int breakdown_compare_names_by_side(const void *a, const void *b)
{
	const struct compare_names_entry *x = a, *y = b;
	return breakdown_compare_names_by((uint32_t[]){ x->block, x->name,
						  x->side, x->row },
		(uint32_t[]){ y->block, y->name, y->side, y->row }, 4);
}

static int breakdown_compare_names_by_nth(const void *a, const void *b)
{
	const struct compare_names_entry *x = a, *y = b;
	return breakdown_compare_names_by((uint32_t[]){ x->block, x->name,
						  x->nth, x->side, x->row },
		(uint32_t[]){ y->block, y->name, y->nth, y->side, y->row }, 5);
}

/* Sets *name to NAMES_NONE if the row has no name of this kind. Returns false if
 * the arena is full. */
static bool breakdown_compare_names_name_of(struct compare_names_entries *e,
	uint32_t side, const struct breakdown_row *row,
	enum breakdown_compare_match match, uint32_t *name)
{
	const struct breakdown_identities *same = &e->w->same;
	const char *text =
		match == COMPARE_BY_MODULE ? row->module : row->operation;
	*name = NAMES_NONE;
	if (match == COMPARE_BY_KERNEL && row->kernel != ROW_NO_KERNEL) {
		*name = same->number[side][row->kernel];
		return true;
	}
	if (!text)
		return true;
	uint32_t id = names_put(&e->names, text, strlen(text));
	if (id == NAMES_NONE)
		return false;
	*name = same->n + id;
	return true;
}

static bool breakdown_compare_names_collect(struct compare_names_entries *e,
	enum breakdown_compare_match match)
{
	const struct compare_work *w = e->w;
	e->n = 0;
	for (uint32_t s = 0; s < w->sides_n; s++) {
		const struct breakdown *b = w->sides[s].breakdown;
		for (uint32_t i = 0; i < b->rows_n; i++) {
			uint32_t name;
			if (!breakdown_compare_names_name_of(e, s, &b->rows[i],
				    match, &name))
				return false;
			if (w->line[s][i] != COMPARE_NONE || name == NAMES_NONE)
				continue;
			e->list[e->n++] = (struct compare_names_entry){
				w->block[s][b->rows[i].block], name, 0, s, i
			};
		}
	}
	return true;
}

/* Numbers the rows of each kernel on each side. The first row of one side then
 * matches the first of another, and so on. Rows of a module, and of kernels that
 * are summed up, are not numbered: all of them are one line. */
static void breakdown_compare_names_number(struct compare_names_entries *e)
{
	const struct breakdown_identities *all = &e->w->same;
	if (e->n)
		qsort(e->list, e->n, sizeof *e->list,
			breakdown_compare_names_by_side);
	for (uint32_t i = 1; i < e->n; i++) {
		const struct compare_names_entry *x = &e->list[i - 1];
		struct compare_names_entry *y = &e->list[i];
		bool same = x->block == y->block && x->name == y->name &&
			    x->side == y->side &&
			    !(y->name < all->n && all->several[y->name]);
		y->nth = same ? x->nth + 1 : 0;
	}
}

static bool breakdown_compare_names_together(const struct compare_names_entry
						     *x,
	const struct compare_names_entry *y)
{
	return x->block == y->block && x->name == y->name && x->nth == y->nth;
}

static void breakdown_compare_names_join(struct compare_names_entries *e,
	enum breakdown_compare_match match, struct compare_things *t)
{
	if (e->n)
		qsort(e->list, e->n, sizeof *e->list,
			breakdown_compare_names_by_nth);
	for (uint32_t i = 0, k; i < e->n; i = k) {
		const struct compare_names_entry *x = &e->list[i];
		for (k = i + 1; k < e->n && breakdown_compare_names_together(x,
						    &e->list[k]);)
			k++;
		if (x->side == e->list[k - 1].side)
			continue;
		for (uint32_t j = i; j < k; j++)
			e->w->line[e->list[j].side][e->list[j].row] = t->n;
		t->list[t->n++] = (struct compare_thing){ x->block, match };
	}
}

static void breakdown_compare_names_leave_alone(struct compare_work *w,
	struct compare_things *t)
{
	for (uint32_t s = 0; s < w->sides_n; s++) {
		const struct breakdown *b = w->sides[s].breakdown;
		for (uint32_t i = 0; i < b->rows_n; i++)
			if (w->line[s][i] == COMPARE_NONE) {
				w->line[s][i] = t->n;
				t->list[t->n++] = (struct compare_thing){
					w->block[s][b->rows[i].block],
					COMPARE_ALONE
				};
			}
	}
}

/* Matches rows without a role; their w->line is COMPARE_NONE before. First
 * matches rows of several sides with the same module, then rows with the same
 * kernel. Each remaining row is a line of its own. */
static bool breakdown_compare_names(struct compare_work *w,
	struct compare_things *t)
{
	struct compare_names_entries e = { .w = w };
	size_t rows = 1;
	for (uint32_t s = 0; s < w->sides_n; s++)
		rows += w->sides[s].breakdown->rows_n;
	e.list = arena_grow(w->a, NULL, rows * sizeof *e.list);
	bool ok = e.list && names_init(&e.names, w->a) &&
		  breakdown_compare_names_collect(&e, COMPARE_BY_MODULE);
	if (ok) {
		breakdown_compare_names_join(&e, COMPARE_BY_MODULE, t);
		ok = breakdown_compare_names_collect(&e, COMPARE_BY_KERNEL);
	}
	if (ok) {
		breakdown_compare_names_number(&e);
		breakdown_compare_names_join(&e, COMPARE_BY_KERNEL, t);
		breakdown_compare_names_leave_alone(w, t);
	}
	arena_drop(w->a, e.list);
	return ok;
}

/* Lines: the line of each row, and the order of the lines. */

/* Makes lines by role. A line with rows of one side only is COMPARE_ALONE. */
static bool breakdown_compare_lines_by_role(struct compare_work *w,
	struct compare_things *t)
{
	size_t tokens = (size_t)w->out->blocks_n * COMPARE_TOKENS + 1;
	uint32_t *at = arena_grow(w->a, NULL, tokens * sizeof *at);
	uint32_t *of = arena_grow(w->a, NULL, tokens * sizeof *of);
	bool ok = at && of && breakdown_compare_roles(w, w->line);
	for (uint32_t s = 0; ok && s < w->sides_n; s++)
		for (uint32_t i = 0; i < w->sides[s].breakdown->rows_n; i++) {
			uint32_t *token = &w->line[s][i];
			uint32_t block =
				w->block[s]
					[w->sides[s].breakdown->rows[i].block];
			if (*token == COMPARE_NONE)
				continue;
			size_t k = (size_t)block * COMPARE_TOKENS + *token;
			if (!at[k]) {
				t->list[t->n] = (struct compare_thing){ block,
					COMPARE_ALONE };
				of[k] = s;
				at[k] = ++t->n;
			}
			*token = at[k] - 1;
			if (of[k] != s)
				t->list[*token].match = COMPARE_BY_ROLE;
		}
	arena_drop(w->a, at);
	arena_drop(w->a, of);
	return ok;
}

/* Sorts the lines into `first` and `order`, which contain a list of lines for
 * each block. */
static void breakdown_compare_lines_put_in_order(const struct compare_work *w,
	struct compare_order *order, uint32_t *first)
{
	for (uint32_t s = 0; s < w->sides_n; s++) {
		const struct breakdown *b = w->sides[s].breakdown;
		for (uint32_t i = 0, k; i < b->rows_n; i = k) {
			uint32_t block = w->block[s][b->rows[i].block];
			for (k = i; k < b->rows_n &&
				    b->rows[k].block == b->rows[i].block;)
				k++;
			order->first = first[block];
			breakdown_compare_order_merge(order, w->line[s] + i,
				k - i);
			first[block] = order->first;
		}
	}
}

/* Writes lines in their order. `first` is by block. Changes order->next to the
 * number of each entry's line. */
static bool breakdown_compare_lines_number(struct compare_work *w,
	const struct compare_things *t, struct compare_order *order,
	const uint32_t *first)
{
	struct breakdown_compare *out = w->out;
	out->lines = arena_array(w->a, struct breakdown_compare_line,
		(size_t)t->n + 1);
	if (!out->lines)
		return false;
	for (uint32_t b = 0; b < out->blocks_n; b++)
		for (uint32_t k = first[b], next; k != COMPARE_NONE; k = next) {
			out->lines[out->lines_n].block = b;
			out->lines[out->lines_n].match = t->list[k].match;
			next = order->next[k];
			order->next[k] = out->lines_n++;
		}
	for (uint32_t s = 0; s < w->sides_n; s++)
		for (uint32_t i = 0; i < w->sides[s].breakdown->rows_n; i++)
			w->line[s][i] = order->next[w->line[s][i]];
	return true;
}

static bool breakdown_compare_lines_arrange(struct compare_work *w,
	const struct compare_things *t)
{
	struct compare_order order = { 0 };
	size_t blocks = w->out->blocks_n;
	uint32_t *first = arena_grow(w->a, NULL, (blocks + 1) * sizeof *first);
	bool ok = first && breakdown_compare_order_init(&order, t->n, w->a);
	if (ok) {
		for (size_t b = 0; b < blocks; b++)
			first[b] = COMPARE_NONE;
		breakdown_compare_lines_put_in_order(w, &order, first);
		ok = breakdown_compare_lines_number(w, t, &order, first);
	}
	arena_drop(w->a, order.next);
	arena_drop(w->a, first);
	return ok;
}

static bool breakdown_compare_lines(struct compare_work *w)
{
	struct compare_things t = { 0 };
	size_t rows = 1;
	for (uint32_t s = 0; s < w->sides_n; s++)
		rows += w->sides[s].breakdown->rows_n;
	t.list = arena_grow(w->a, NULL, rows * sizeof *t.list);
	bool ok = t.list && breakdown_compare_lines_by_role(w, &t) &&
		  breakdown_compare_names(w, &t) &&
		  breakdown_compare_lines_arrange(w, &t);
	arena_drop(w->a, t.list);
	return ok;
}

/* Cells: the rows of each side in each line, and the differences. */

/* Groups a side's rows by line, in order. */
static bool breakdown_compare_cells_rows_of(struct compare_work *w,
	uint32_t side)
{
	struct breakdown_compare *out = w->out;
	uint32_t n = w->sides[side].breakdown->rows_n, at = 0;
	uint32_t *rows = arena_array(w->a, uint32_t, (size_t)n + 1);
	uint32_t *to =
		arena_grow(w->a, NULL, ((size_t)out->lines_n + 1) * sizeof *to);
	bool ok = rows && to;
	for (uint32_t i = 0; ok && i < n; i++)
		out->lines[w->line[side][i]].cells[side].rows_n++;
	for (uint32_t k = 0; ok && k < out->lines_n; k++) {
		out->lines[k].cells[side].rows = rows + at;
		to[k] = at;
		at += out->lines[k].cells[side].rows_n;
	}
	for (uint32_t i = 0; ok && i < n; i++)
		rows[to[w->line[side][i]]++] = i;
	arena_drop(w->a, to);
	return ok;
}

/* Returns a mean rounded to tenths, like all means. */
static double breakdown_compare_cells_mean(int64_t total_ns, int64_t instances)
{
	return instances > 0 ? (double)exact_tenths((wide_t)total_ns,
				       (wide_t)instances) /
				       10
			     : (double)NAN;
}

static int64_t breakdown_compare_cells_instances_of(const struct breakdown *b,
	uint32_t row)
{
	return b->sections[b->blocks[b->rows[row].block].section].instances;
}

/* Adds up the sections and blocks of a side over all their rows. */
static bool breakdown_compare_cells_sums(struct compare_work *w, uint32_t side)
{
	const struct breakdown *b = w->sides[side].breakdown;
	struct breakdown_compare *out = w->out;
	int64_t *total = arena_grow(w->a, NULL,
		((size_t)out->sections_n + out->blocks_n + 1) * sizeof *total);
	if (!total)
		return false;
	for (uint32_t i = 0; i < b->rows_n; i++) {
		int64_t ns = b->rows[i].time.total_ns;
		uint32_t block = w->block[side][b->rows[i].block];
		total[out->blocks[block].section] += ns;
		total[out->sections_n + block] += ns;
	}
	for (uint32_t k = 0; k < out->sections_n; k++)
		if (out->sections[k].of[side] != COMPARE_NONE)
			out->sections[k].sum_ns[side] =
				breakdown_compare_cells_mean(total[k],
					b->sections[out->sections[k].of[side]]
						.instances);
	for (uint32_t i = 0; i < b->blocks_n; i++) {
		uint32_t to = w->block[side][i];
		out->blocks[to].sum_ns[side] =
			breakdown_compare_cells_mean(total[out->sections_n +
							     to],
				b->sections[b->blocks[i].section].instances);
	}
	arena_drop(w->a, total);
	return true;
}

static void breakdown_compare_cells_fill_cell(const struct breakdown *b,
	struct breakdown_compare_line *l, struct breakdown_compare_cell *c)
{
	double bound_ns = 0, sol_ns = 0;
	int64_t total = 0;
	for (uint32_t i = 0; i < c->rows_n; i++) {
		const struct breakdown_row *row = &b->rows[c->rows[i]];
		total += row->time.total_ns;
		bound_ns += (double)row->bound_ns;
		sol_ns += (double)row->sol_ps / 1e3;
		l->roles |= row->roles;
		if (!l->module)
			l->module = row->module;
	}
	c->sum_ns = c->rows_n ? breakdown_compare_cells_mean(total,
					breakdown_compare_cells_instances_of(b,
						c->rows[0]))
			      : (double)NAN;
	c->s = bound_ns > 0 ? sol_ns / bound_ns : (double)NAN;
}

/* Whether a row of another side of the line has this kernel. */
static bool breakdown_compare_cells_has(const struct compare_work *w,
	const struct breakdown_compare_line *l, uint32_t side, uint32_t number)
{
	for (uint32_t s = 0; s < w->sides_n; s++) {
		const struct breakdown_compare_cell *c = &l->cells[s];
		const struct breakdown *b = w->sides[s].breakdown;
		for (uint32_t i = 0; s != side && i < c->rows_n; i++) {
			uint32_t kernel = b->rows[c->rows[i]].kernel;
			if (kernel != ROW_NO_KERNEL &&
				w->same.number[s][kernel] == number)
				return true;
		}
	}
	return false;
}

static void breakdown_compare_cells_identity(const struct compare_work *w,
	struct breakdown_compare_line *l, uint32_t side)
{
	const struct breakdown_compare_cell *c = &l->cells[side];
	for (uint32_t i = 0; i < c->rows_n; i++) {
		uint32_t kernel =
			w->sides[side].breakdown->rows[c->rows[i]].kernel;
		const struct kernel_identity *is =
			kernel == ROW_NO_KERNEL ? NULL
						: w->same.by[side][kernel];
		if (!is || is->kind <= l->identity ||
			!breakdown_compare_cells_has(w, l, side,
				w->same.number[side][kernel]))
			continue;
		l->identity = is->kind;
		l->reason = is->reason;
	}
}

static void breakdown_compare_cells_fill_line(const struct compare_work *w,
	struct breakdown_compare_line *l)
{
	for (uint32_t s = 0; s < w->sides_n; s++) {
		struct breakdown_compare_cell *c = &l->cells[s];
		double first_ns = l->cells[0].sum_ns;
		breakdown_compare_cells_fill_cell(w->sides[s].breakdown, l, c);
		if (!s)
			first_ns = c->sum_ns;
		c->diff_ns = round((c->sum_ns - first_ns) * 10) / 10;
		c->diff_pct = first_ns > 0 ? 100 * c->diff_ns / first_ns
					   : (double)NAN;
	}
	for (uint32_t s = 1; s < w->sides_n; s++)
		breakdown_compare_cells_identity(w, l, s);
}

static bool breakdown_compare_cells(struct compare_work *w)
{
	for (uint32_t s = 0; s < w->sides_n; s++)
		if (!breakdown_compare_cells_rows_of(w, s) ||
			!breakdown_compare_cells_sums(w, s))
			return false;
	for (uint32_t k = 0; k < w->out->lines_n; k++)
		breakdown_compare_cells_fill_line(w, &w->out->lines[k]);
	return true;
}

static uint32_t *breakdown_compare_places(struct arena *a, uint32_t n)
{
	uint32_t *p = arena_grow(a, NULL, ((size_t)n + 1) * sizeof *p);
	if (p)
		memset(p, 0xff, n * sizeof *p);
	return p;
}

bool breakdown_compare_from(const struct breakdown_compare_side *sides,
	uint32_t sides_n, struct arena *a, struct breakdown_compare *out)
{
	struct compare_work w = { .sides = sides,
		.sides_n = sides_n,
		.a = a,
		.out = out };
	assert(sides_n > 1 && sides_n <= BREAKDOWN_COMPARE_MAX);
	*out = (struct breakdown_compare){ .sides_n = sides_n };
	bool ok = breakdown_identities_from(sides, sides_n, a, &w.same);
	for (uint32_t s = 0; s < sides_n; s++)
		out->kernel[s] = w.same.number[s];
	for (uint32_t s = 0; ok && s < sides_n; s++) {
		const struct breakdown *b = sides[s].breakdown;
		w.section[s] = breakdown_compare_places(a, b->sections_n);
		w.block[s] = breakdown_compare_places(a, b->blocks_n);
		w.line[s] = breakdown_compare_places(a, b->rows_n);
		ok = w.section[s] && w.block[s] && w.line[s];
	}
	ok = ok && breakdown_compare_sections(&w) &&
	     breakdown_compare_blocks(&w) && breakdown_compare_lines(&w) &&
	     breakdown_compare_cells(&w);
	for (uint32_t s = 0; s < sides_n; s++) {
		arena_drop(a, w.section[s]);
		arena_drop(a, w.block[s]);
		arena_drop(a, w.line[s]);
	}
	return ok;
}
