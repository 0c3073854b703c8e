/* compare_identity.c - finds the kernels of both sides that are the same
 * although their names differ.
 *
 * Compilers number their kernels, and the numbers change with every other
 * kernel that is compiled. The names of such kernels have a stem (kernel_stem),
 * and kernels of one stem are matched by up to four facts: grid and block, the
 * operators with their shapes, the launches per iteration, and the place in the
 * sequence of launches. Each fact that agrees counts 1 and each that differs
 * -1, so that none of them has to be weighed against another. Two kernels match
 * if the sum is positive. Durations are no such fact: a comparison must find
 * them changed.
 *
 * The place comes from the best alignment of the two sequences of first
 * launches. If several alignments are equally good, the kernels that they
 * exchange fit equally well. Then the sums of these kernels are compared.
 * Every step gives the same pairs if the sides are exchanged.
 *
 * If a provenance file says from which nodes of the program each kernel was
 * generated, the nodes decide first: kernels are the same if they are the only
 * ones of both sides that compute these nodes, or nodes with these operators.
 *
 * Libraries choose among kernels for one computation. Such kernels are one row
 * if they ran the same operator with the same shapes. */
#include "catalog.h"
#include "compare_state.h"
#include "names.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum compare_identity_fact { GRIDS, OPERATORS, LAUNCHES, PLACE, FACTS };
enum { SAME = 1, UNKNOWN = 0, OTHER = -1 };

/* A kernel that only its whole name identifies counts in an alignment as much
 * as one of which all facts agree. */
enum { WHOLE_NAME = FACTS };

/* An alignment needs two numbers per pair of functions: at most 64 MiB. */
enum { ALIGNMENT_CELLS = 8 << 20 };
/* A byte per pair of functions: as much. */
enum { MOVED_PAIRS = 64 << 20 };

/* Launches per iteration that differ by at most this ratio are equal: the same
 * tolerance as for recordings of one length (compare_rows_window_ratio). */
static const double launches_same = 0.05;

/* A function of the GPU in one run. */
struct compare_identity_item {
	const struct pattern *p;
	double launches; /* per compared iteration; NaN unknown */
	uint32_t unit, run, pattern;
	uint32_t name; /* id of type and name */
	/* Ids of all texts; 0: unknown. */
	uint32_t grids, operators, origin_nodes, origin_operators;
	uint32_t
		stem; /* id of type and stem; 0: a compiler does not number it */
	uint32_t node; /* in the groups of the place */
	int side;
};
struct compare_identity_list {
	struct compare_identity_item *items; /* in the order of launches */
	uint32_t n;
};

/* Sets that are joined: parent[] of each node. */
struct compare_identity_sets {
	uint32_t *parent, n;
};

/* What is known of a set of items, at its root. */
struct compare_identity_note {
	enum row_identity kind;
	const char *reason;
};

struct compare_identity_place {
	struct compare *c;
	struct names words; /* names and stems */
	struct compare_identity_list *lists; /* first those of the base */
	uint32_t lists_n, first[3]; /* first[side]: its first list */
	struct compare_identity_sets sets;
	struct compare_identity_item **items; /* by node */
	struct compare_identity_note *notes; /* by node */
};

/* Matches the items of two lists. */
struct compare_identity_match {
	struct compare_identity_place *at;
	const struct compare_identity_list *list[2];
	bool *open; /* by stem: whether names alone do not decide */
	bool any_open, placed; /* placed: places are known */
	bool sides; /* the lists are of different sides */
	/* By item of both lists, those of the second after those of the first:
	 * sets of items that fit each other; whether an item is matched. */
	struct compare_identity_sets fits;
	bool *done;
	uint32_t *partner; /* by item of the first list: item + 1 of the second
		that has the same origins; 0: none */
	uint32_t *
		other; /* by word: item + 1 of the second list with that name */
};

/* ---- sets */

static void compare_identity_sets_init(struct compare_identity_sets *s,
	struct arena *a, uint32_t n)
{
	*s = (struct compare_identity_sets){ arena_array(a, uint32_t, n + 1),
		n };
	for (uint32_t i = 0; i < n; i++)
		s->parent[i] = i;
}

static uint32_t compare_identity_root(struct compare_identity_sets *s,
	uint32_t i)
{
	while (s->parent[i] != i)
		i = s->parent[i] = s->parent[s->parent[i]];
	return i;
}

/* The smaller root stays, so that the result does not depend on the order of
 * the calls. */
static uint32_t compare_identity_join(struct compare_identity_sets *s,
	uint32_t i, uint32_t j)
{
	i = compare_identity_root(s, i);
	j = compare_identity_root(s, j);
	if (i < j)
		s->parent[j] = i;
	else
		s->parent[i] = j;
	return i < j ? i : j;
}

/* ---- facts about two items */

/* `same`: whether the ids of both lists are equal. */
static int compare_identity_texts(const struct pattern_texts *x,
	const struct pattern_texts *y, bool same)
{
	uint32_t common = 0;
	if (!x->n || !y->n)
		return UNKNOWN;
	if (same || (x->n == 1 && y->n == 1))
		return same ? SAME : OTHER;
	for (uint32_t i = 0; i < x->n; i++)
		for (uint32_t j = 0; j < y->n; j++)
			common += !strcmp(x->list[i], y->list[j]);
	/* Sequence lengths vary from run to run, so half of them is enough. */
	return 2 * common >= x->n + y->n - common ? SAME : OTHER;
}

static int compare_identity_launches(const struct compare_identity_item *x,
	const struct compare_identity_item *y)
{
	if (isnan(x->launches) || isnan(y->launches))
		return UNKNOWN;
	return fabs(x->launches - y->launches) <=
			       launches_same * fmax(x->launches, y->launches)
		       ? SAME
		       : OTHER;
}

static void compare_identity_facts(const struct compare_identity_item *x,
	const struct compare_identity_item *y, int place, int facts[FACTS])
{
	facts[GRIDS] = compare_identity_texts(&x->p->launch.grids,
		&y->p->launch.grids, x->grids == y->grids);
	facts[OPERATORS] = compare_identity_texts(&x->p->launch.operators,
		&y->p->launch.operators, x->operators == y->operators);
	facts[LAUNCHES] = compare_identity_launches(x, y);
	facts[PLACE] = place;
}

static int compare_identity_sum(const int facts[FACTS])
{
	int sum = 0;
	for (int i = 0; i < FACTS; i++)
		sum += facts[i];
	return sum;
}

/* "grid and block, launches per iteration": the facts of one kind. */
static const char *compare_identity_list_facts(struct arena *a,
	const int facts[FACTS], int kind)
{
	static const char *const names[FACTS] = { "grid and block",
		"operator shapes", "launches per iteration",
		"place in the sequence of launches" };
	const char *list = NULL;
	for (int i = 0; i < FACTS; i++)
		if (facts[i] == kind)
			list = compare_text_join(a, list, names[i]);
	return list;
}

static const char *compare_identity_reason(struct arena *a,
	const int facts[FACTS])
{
	const char *same = compare_identity_list_facts(a, facts, SAME),
		   *other = compare_identity_list_facts(a, facts, OTHER),
		   *unknown = compare_identity_list_facts(a, facts, UNKNOWN);
	return arena_printf(a,
		"renamed (inferred): the names are equal except for the "
		"number%s%s%s%s%s%s",
		same ? "; equal: " : "", same ? same : "",
		other ? "; different: " : "", other ? other : "",
		unknown ? "; unknown: " : "", unknown ? unknown : "");
}

/* ---- the items of a place */

/* 0 if the function did not run; NaN if the number is unknown, or the length of
 * a recording determines it. */
static double compare_identity_mean_launches(const struct compare *c, int side,
	const struct compare_unit *u, uint32_t run, const struct pattern *p)
{
	double sum = 0, ns = 0;
	for (uint32_t k = 0; k < u->iterations_n; k++) {
		sum += (double)p->launches[u->at[run][k]];
		ns += (double)p->dur_ns[u->at[run][k]];
	}
	if (sum == 0 || compare_is_window(&c->side[side]))
		return sum > 0 || ns > 0 ? (double)NAN : 0;
	return sum / u->iterations_n;
}

static uint32_t compare_identity_word(struct compare_identity_place *x,
	const struct pattern *p, const char *kind, const char *text)
{
	const char *key =
		arena_printf(x->c->a, "%s %d %s", kind, (int)p->type, text);
	return names_put(&x->words, key, strlen(key));
}

/* The id of all texts of a list; 0 if there are none. */
static uint32_t compare_identity_texts_id(struct compare_identity_place *x,
	const struct pattern_texts *t)
{
	const char *key = "texts";
	for (uint32_t i = 0; i < t->n; i++)
		key = arena_printf(x->c->a, "%s\n%s", key, t->list[i]);
	return t->n ? names_put(&x->words, key, strlen(key)) : 0;
}

static int compare_identity_by_order(const void *left, const void *right)
{
	const struct compare_identity_item *a = left, *b = right;
	if (a->p->launch.order != b->p->launch.order)
		return (a->p->launch.order > b->p->launch.order) -
		       (a->p->launch.order < b->p->launch.order);
	return strcmp(a->p->name, b->p->name);
}

/* The functions of a run that ran in this place. */
static void compare_identity_read(struct compare_identity_place *x, int side,
	uint32_t unit, uint32_t run, uint32_t place)
{
	const struct compare_unit *u = &x->c->side[side].units[unit];
	const struct patterns *ps = &u->runs[run]->patterns;
	struct compare_identity_list *l = &x->lists[x->lists_n];

	*l = (struct compare_identity_list){
		.items = arena_array(x->c->a, struct compare_identity_item,
			ps->n + 1)
	};
	for (uint32_t i = 0; i < ps->n; i++) {
		const struct pattern *p = &ps->rows[i];
		double launches =
			compare_identity_mean_launches(x->c, side, u, run, p);
		if (u->place_of[run][i] != place || compare_on_host(p->type) ||
			launches == 0)
			continue;
		bool numbered = p->stem.text && p->stem.varies == NAME_NUMBER;
		l->items[l->n++] = (struct compare_identity_item){ .p = p,
			.launches = launches,
			.unit = unit,
			.run = run,
			.pattern = i,
			.name = compare_identity_word(x, p, "name", p->name),
			.grids = compare_identity_texts_id(x, &p->launch.grids),
			.operators = compare_identity_texts_id(x,
				&p->launch.operators),
			.origin_nodes = compare_identity_texts_id(x,
				&p->launch.origin_nodes),
			.origin_operators = compare_identity_texts_id(x,
				&p->launch.origin_operators),
			.stem = numbered ? compare_identity_word(x, p, "stem",
						   p->stem.text)
					 : 0,
			.side = side };
	}
	if (!l->n)
		return;
	qsort(l->items, l->n, sizeof *l->items, compare_identity_by_order);
	x->lists_n++;
}

/* ---- names that decide */

/* Whether two items of one name may be different kernels. */
static bool compare_identity_contradict(const struct compare_identity_item *x,
	const struct compare_identity_item *y)
{
	int facts[FACTS];
	compare_identity_facts(x, y, UNKNOWN, facts);
	return facts[GRIDS] == OTHER || facts[OPERATORS] == OTHER ||
	       (x->origin_nodes && y->origin_nodes &&
		       x->origin_nodes != y->origin_nodes);
}

/* Whether two items compute different operators. */
static bool compare_identity_other_origins(const struct compare_identity_item
						   *x,
	const struct compare_identity_item *y)
{
	return x->origin_operators && y->origin_operators &&
	       x->origin_operators != y->origin_operators;
}

/* Finds the stems whose numbers may have changed: a name is only on one side, a
 * name has another grid or other shapes, or names are in another order. */
static void compare_identity_open(struct compare_identity_match *m)
{
	struct arena *a = m->at->c->a;
	uint32_t words = m->at->words.n;
	const struct compare_identity_list *x = m->list[0], *y = m->list[1];
	uint32_t *count = arena_array(a, uint32_t, words);
	uint32_t *last = arena_array(a, uint32_t, words);

	m->open = arena_array(a, bool, words);
	m->other = arena_array(a, uint32_t, words);
	for (uint32_t j = 0; j < y->n; j++) {
		m->other[y->items[j].name] = j + 1;
		count[y->items[j].stem]++;
	}
	for (uint32_t i = 0; i < x->n; i++) {
		const struct compare_identity_item *is = &x->items[i];
		uint32_t j = m->other[is->name];
		if (!is->stem)
			continue;
		count[is->stem]--; /* 0 in the end if both have as many */
		m->open[is->stem] |=
			!j || j < last[is->stem] ||
			compare_identity_contradict(is, &y->items[j - 1]);
		last[is->stem] = j;
	}
	for (uint32_t i = 1; i < words; i++)
		m->any_open |= m->open[i] |= count[i] != 0;
}

static bool compare_identity_is_open(const struct compare_identity_match *m,
	const struct compare_identity_item *i)
{
	return m->open[i->stem];
}

/* ---- alignment of two sequences */

/* What it is worth to align two items; 0: they are not the same. */
static int8_t compare_identity_worth(const struct compare_identity_match *m,
	const struct compare_identity_item *x,
	const struct compare_identity_item *y)
{
	int facts[FACTS];
	uint32_t i = (uint32_t)(x - m->list[0]->items),
		 j = (uint32_t)(y - m->list[1]->items);
	if (!compare_identity_is_open(m, x))
		return x->name == y->name ? WHOLE_NAME : 0;
	if (m->done[i] || m->done[m->list[0]->n + j])
		return m->partner[i] == j + 1 ? WHOLE_NAME : 0;
	if (x->stem != y->stem || compare_identity_other_origins(x, y))
		return 0;
	compare_identity_facts(x, y, SAME, facts);
	int sum = compare_identity_sum(facts);
	return (int8_t)(sum > 0 ? sum : 0);
}

struct compare_identity_alignment {
	uint32_t n, m; /* how many items of each list have a place */
	const struct compare_identity_item *x, *y;
	int8_t *worth; /* [n * m] */
	int32_t *before, *after; /* [(n + 1) * (m + 1)]: the most that the items
		before, or from these on, are worth */
};

static int32_t compare_identity_max(int32_t a, int32_t b)
{
	return a > b ? a : b;
}

static void compare_identity_align_sums(struct compare_identity_alignment *l)
{
	size_t w = (size_t)l->m + 1;
	for (uint32_t i = 1; i <= l->n; i++)
		for (uint32_t j = 1; j <= l->m; j++) {
			int8_t worth = l->worth[(size_t)(i - 1) * l->m + j - 1];
			int32_t best =
				compare_identity_max(l->before[(i - 1) * w + j],
					l->before[i * w + j - 1]);
			if (worth)
				best = compare_identity_max(best,
					l->before[(i - 1) * w + j - 1] + worth);
			l->before[i * w + j] = best;
		}
	for (uint32_t i = l->n; i-- > 0;)
		for (uint32_t j = l->m; j-- > 0;) {
			int8_t worth = l->worth[(size_t)i * l->m + j];
			int32_t best =
				compare_identity_max(l->after[(i + 1) * w + j],
					l->after[i * w + j + 1]);
			if (worth)
				best = compare_identity_max(best,
					l->after[(i + 1) * w + j + 1] + worth);
			l->after[i * w + j] = best;
		}
}

/* Whether the best alignment, or one of several, aligns items i and j. */
static bool compare_identity_aligned(const struct compare_identity_alignment *l,
	uint32_t i, uint32_t j)
{
	size_t w = (size_t)l->m + 1;
	int8_t worth = l->worth[(size_t)i * l->m + j];
	return worth &&
	       l->before[i * w + j] + worth + l->after[(i + 1) * w + j + 1] ==
		       l->after[0];
}

/* The number of leading items whose place is unknown. */
static uint32_t compare_identity_unplaced(const struct compare_identity_list *l)
{
	uint32_t n = 0;
	while (n < l->n && !l->items[n].p->launch.order)
		n++;
	return n;
}

/* Joins the open items that the best alignments align. */
static void compare_identity_align(struct compare_identity_match *m)
{
	struct arena *a = m->at->c->a;
	uint32_t skip[2] = { compare_identity_unplaced(m->list[0]),
		compare_identity_unplaced(m->list[1]) };
	struct compare_identity_alignment l = { .n = m->list[0]->n - skip[0],
		.m = m->list[1]->n - skip[1],
		.x = m->list[0]->items + skip[0],
		.y = m->list[1]->items + skip[1] };
	size_t cells = ((size_t)l.n + 1) * ((size_t)l.m + 1);

	if (!l.n || !l.m || cells > ALIGNMENT_CELLS)
		return;
	m->placed = true;
	l.worth = arena_grow(a, NULL, cells * sizeof *l.worth);
	l.before = arena_grow(a, NULL, cells * sizeof *l.before);
	l.after = arena_grow(a, NULL, cells * sizeof *l.after);
	for (uint32_t i = 0; i < l.n; i++)
		for (uint32_t j = 0; j < l.m; j++)
			l.worth[(size_t)i * l.m + j] =
				compare_identity_worth(m, &l.x[i], &l.y[j]);
	compare_identity_align_sums(&l);
	for (uint32_t i = 0; i < l.n; i++)
		for (uint32_t j = 0; j < l.m; j++)
			if (compare_identity_is_open(m, &l.x[i]) &&
				!m->done[skip[0] + i] &&
				compare_identity_aligned(&l, i, j))
				compare_identity_join(&m->fits, skip[0] + i,
					m->list[0]->n + skip[1] + j);
	arena_drop(a, l.worth);
	arena_drop(a, l.before);
	arena_drop(a, l.after);
}

/* ---- what fits becomes one */

static const struct compare_identity_item *
compare_identity_item_at(const struct compare_identity_match *m, uint32_t i)
{
	uint32_t n = m->list[0]->n;
	return i < n ? &m->list[0]->items[i] : &m->list[1]->items[i - n];
}

/* Joins two items of the place; the note on them is kept at the root. */
static void compare_identity_same(struct compare_identity_place *x,
	const struct compare_identity_item *a,
	const struct compare_identity_item *b)
{
	uint32_t i = compare_identity_root(&x->sets, a->node),
		 j = compare_identity_root(&x->sets, b->node);
	struct compare_identity_note n = x->notes[i];
	if (x->notes[j].kind > n.kind || (!n.reason && x->notes[j].reason))
		n = x->notes[j];
	x->notes[compare_identity_join(&x->sets, i, j)] = n;
}

static void compare_identity_note_put(struct compare_identity_place *x,
	const struct compare_identity_item *item, enum row_identity kind,
	const char *reason)
{
	x->notes[compare_identity_root(&x->sets, item->node)] =
		(struct compare_identity_note){ kind, reason };
}

static void compare_identity_pair(struct compare_identity_match *m,
	const struct compare_identity_item *x,
	const struct compare_identity_item *y, int place)
{
	int facts[FACTS];
	compare_identity_same(m->at, x, y);
	if (x->name == y->name)
		return;
	compare_identity_facts(x, y, place, facts);
	compare_identity_note_put(m->at, x, ROW_RENAMED,
		compare_identity_reason(m->at->c->a, facts));
}

/* Joins all items of a set. */
static void compare_identity_sum_up(struct compare_identity_match *m,
	uint32_t root, const uint32_t count[2])
{
	uint32_t all = m->list[0]->n + m->list[1]->n;
	int base = m->sides && m->at->c->mirrored ? HEAD : BASE;
	const struct compare_identity_item *first = NULL;
	for (uint32_t i = 0; i < all; i++) {
		if (compare_identity_root(&m->fits, i) != root)
			continue;
		if (first)
			compare_identity_same(m->at, first,
				compare_identity_item_at(m, i));
		else
			first = compare_identity_item_at(m, i);
	}
	assert(first);
	compare_identity_note_put(m->at, first, ROW_SEVERAL,
		arena_printf(m->at->c->a,
			"renamed (inferred): the names are equal except for "
			"the number, and several kernels fit equally well (%u "
			"of the %s, %u of %s); their sums are compared",
			count[base], m->sides ? "base" : "first run",
			count[!base], m->sides ? "the head" : "another run"));
}

/* Takes over the sets of items that fit. A set of one item of each list is a
 * pair. Nothing is known of how a larger one is to be divided. */
static void compare_identity_take(struct compare_identity_match *m, int place)
{
	struct arena *a = m->at->c->a;
	uint32_t n = m->list[0]->n, all = n + m->list[1]->n;
	uint32_t(*count)[2] =
		arena_grow(a, NULL, ((size_t)all + 1) * sizeof *count);
	uint32_t(*one)[2] =
		arena_grow(a, NULL, ((size_t)all + 1) * sizeof *one);

	for (uint32_t i = 0; i < all; i++) {
		uint32_t root = compare_identity_root(&m->fits, i);
		count[root][i >= n]++;
		one[root][i >= n] = i;
	}
	for (uint32_t i = 0; i < all; i++) {
		if (!count[i][0] || !count[i][1] || m->done[i])
			continue;
		if (count[i][0] == 1 && count[i][1] == 1)
			compare_identity_pair(m,
				compare_identity_item_at(m, one[i][0]),
				compare_identity_item_at(m, one[i][1]), place);
		else
			compare_identity_sum_up(m, i, count[i]);
		for (uint32_t k = i; k < all; k++)
			m->done[k] |= compare_identity_root(&m->fits, k) == i;
	}
	arena_drop(a, count);
	arena_drop(a, one);
}

/* ---- items with the same origins, which a provenance file names */

/* What must be equal, the most specific first. */
enum compare_identity_origin { STEM_NODES, STEM_OPERATORS, NODES, ORIGINS };

/* 0 if the item has no such key. */
static uint32_t compare_identity_origin_key(struct compare_identity_match *m,
	uint32_t i, enum compare_identity_origin how)
{
	const struct compare_identity_item *is = compare_identity_item_at(m, i);
	uint32_t of =
		how == STEM_OPERATORS ? is->origin_operators : is->origin_nodes;
	if (!is->stem || !of || m->done[i] || !compare_identity_is_open(m, is))
		return 0;
	const char *key = arena_printf(m->at->c->a, "origin %u %u %d", of,
		how == NODES ? 0 : is->stem, (int)is->p->type);
	return names_put(&m->at->words, key, strlen(key));
}

/* "add, gelu, mul and 3 more". */
static const char *compare_identity_origin_text(struct arena *a,
	const struct pattern_texts *t)
{
	enum { SHOWN = 6 };
	const char *text = NULL;
	for (uint32_t i = 0; i < t->n && i < SHOWN; i++)
		text = compare_text_join(a, text, t->list[i]);
	return t->n > SHOWN
		       ? arena_printf(a, "%s and %u more", text, t->n - SHOWN)
		       : text;
}

static void compare_identity_origin_pair(struct compare_identity_match *m,
	uint32_t i, uint32_t j, enum compare_identity_origin how)
{
	const struct compare_identity_item *x = compare_identity_item_at(m, i),
					   *y = compare_identity_item_at(m, j);
	const struct pattern_texts *of =
		how == STEM_OPERATORS ? &x->p->launch.origin_operators
				      : &x->p->launch.origin_nodes;
	m->done[i] = m->done[j] = true;
	m->partner[i] = j - m->list[0]->n + 1;
	compare_identity_same(m->at, x, y);
	if (x->name != y->name)
		compare_identity_note_put(m->at, x, ROW_RENAMED,
			arena_printf(m->at->c->a,
				"renamed (by provenance): only these two were "
				"generated from the %s %s",
				how == STEM_OPERATORS ? "operators" : "nodes",
				compare_identity_origin_text(m->at->c->a, of)));
}

/* Matches items if a key is the only one of its list on both sides. */
static void compare_identity_origins(struct compare_identity_match *m)
{
	struct arena *a = m->at->c->a;
	uint32_t n = m->list[0]->n, all = n + m->list[1]->n;
	uint32_t *key = arena_array(a, uint32_t, all + 1);
	for (enum compare_identity_origin how = 0; how < ORIGINS; how++) {
		for (uint32_t i = 0; i < all; i++)
			key[i] = compare_identity_origin_key(m, i, how);
		uint32_t words = m->at->words.n;
		uint32_t(*count)[2] =
			arena_grow(a, NULL, (words + 1) * sizeof *count);
		uint32_t *first = arena_array(a, uint32_t, words + 1);
		for (uint32_t i = 0; i < all; i++) {
			count[key[i]][i >= n]++;
			if (i < n)
				first[key[i]] = i;
		}
		for (uint32_t j = n; j < all; j++)
			if (key[j] && count[key[j]][0] == 1 &&
				count[key[j]][1] == 1)
				compare_identity_origin_pair(m, first[key[j]],
					j, how);
		arena_drop(a, count);
	}
}

/* ---- items that no alignment contains: they moved in the sequence, or there
 * is no sequence */

/* The sum of the facts; -FACTS if the items do not fit. */
static int compare_identity_moved_sum(const struct compare_identity_match *m,
	uint32_t i, uint32_t j)
{
	const struct compare_identity_item *x = compare_identity_item_at(m, i),
					   *y = compare_identity_item_at(m, j);
	int facts[FACTS];
	if (m->done[i] || m->done[j] || x->stem != y->stem ||
		!compare_identity_is_open(m, x) ||
		compare_identity_other_origins(x, y))
		return -FACTS;
	bool known = m->placed && x->p->launch.order && y->p->launch.order;
	compare_identity_facts(x, y, known ? OTHER : UNKNOWN, facts);
	int sum = compare_identity_sum(facts);
	for (int f = 0; f < FACTS; f++)
		if (facts[f] != UNKNOWN)
			return sum > 0 ? sum : -FACTS;
	return 0; /* nothing is known but the stem */
}

/* The best fits first, so that a kernel with fewer facts is matched with what
 * is left. */
static void compare_identity_moved(struct compare_identity_match *m)
{
	uint32_t n = m->list[0]->n, heads = m->list[1]->n;
	size_t pairs = (size_t)n * heads;
	int8_t *sums = pairs <= MOVED_PAIRS
			       ? arena_grow(m->at->c->a, NULL, pairs + 1)
			       : NULL;
	for (size_t i = 0; sums && i < pairs; i++)
		sums[i] = (int8_t)compare_identity_moved_sum(m,
			(uint32_t)(i / heads), n + (uint32_t)(i % heads));
	for (int sum = FACTS; sums && sum >= 0; sum--) {
		bool any = false;
		for (size_t i = 0; i < pairs; i++) {
			uint32_t base = (uint32_t)(i / heads),
				 head = n + (uint32_t)(i % heads);
			if (sums[i] != sum || m->done[base] || m->done[head])
				continue;
			compare_identity_join(&m->fits, base, head);
			any = true;
		}
		if (any)
			compare_identity_take(m, m->placed ? OTHER : UNKNOWN);
	}
	arena_drop(m->at->c->a, sums);
}

/* ---- the kernels of a library */

/* The part of a text that names sizes is what makes it the same call. */
static bool compare_identity_sized(const char *operator_text)
{
	return strchr(operator_text, '=');
}

/* Joins the kernels of both lists that ran one operator with one shape, and
 * what is joined to them. */
static void compare_identity_calls(struct compare_identity_match *m)
{
	struct compare_identity_place *x = m->at;
	uint32_t n = m->list[0]->n, all = n + m->list[1]->n;
	uint32_t *first;

	for (int pass = 0; pass < 2; pass++) {
		first = arena_array(x->c->a, uint32_t, x->words.n + 1);
		for (uint32_t i = 0; i < all; i++) {
			const struct pattern *p =
				compare_identity_item_at(m, i)->p;
			const struct pattern_texts *t = &p->launch.operators;
			if (!p->stem.text || p->stem.varies != NAME_TUNING)
				continue;
			for (uint32_t k = 0; k < t->n; k++) {
				if (!compare_identity_sized(t->list[k]))
					continue;
				uint32_t word = compare_identity_word(x, p,
					p->stem.text, t->list[k]);
				if (!pass)
					continue;
				if (first[word])
					compare_identity_join(&m->fits,
						first[word] - 1, i);
				else
					first[word] = i + 1;
			}
		}
	}
}

/* Whether both lists have the same names in a set. */
static bool compare_identity_same_names(struct compare_identity_match *m,
	uint32_t root)
{
	uint32_t n = m->list[0]->n, all = n + m->list[1]->n;
	bool same = true;
	for (uint32_t i = 0; same && i < all; i++) {
		bool found = false;
		if (compare_identity_root(&m->fits, i) != root)
			continue;
		for (uint32_t j = i < n ? n : 0;
			!found && j < (i < n ? all : n); j++)
			found = compare_identity_root(&m->fits, j) == root &&
				compare_identity_item_at(m, i)->name ==
					compare_identity_item_at(m, j)->name;
		same = found;
	}
	return same;
}

/* "gemm bf16 m=64 n=64 k=64", and how many more shapes. */
static const char *compare_identity_call_text(struct arena *a,
	const struct pattern_texts *t)
{
	if (t->n < 2)
		return t->list[0];
	return arena_printf(a, "%s and %u more shape%s", t->list[0], t->n - 1,
		t->n == 2 ? "" : "s");
}

static void compare_identity_variants(struct compare_identity_match *m)
{
	struct compare_identity_place *x = m->at;
	uint32_t n = m->list[0]->n, all = n + m->list[1]->n;

	compare_identity_sets_init(&m->fits, x->c->a, all);
	compare_identity_calls(m);
	for (uint32_t i = 0; i < n; i++) {
		const struct compare_identity_item *item =
			compare_identity_item_at(m, i);
		bool head = false;
		if (compare_identity_root(&m->fits, i) != i)
			continue;
		for (uint32_t j = n; j < all; j++)
			head |= compare_identity_root(&m->fits, j) == i;
		if (!head || compare_identity_same_names(m, i))
			continue;
		for (uint32_t j = i + 1; j < all; j++)
			if (compare_identity_root(&m->fits, j) == i)
				compare_identity_same(x, item,
					compare_identity_item_at(m, j));
		compare_identity_note_put(x, item, ROW_VARIANT,
			arena_printf(x->c->a,
				"another variant: the same operator with the "
				"same shape (%s) runs another kernel of %s",
				compare_identity_call_text(x->c->a,
					&item->p->launch.operators),
				item->p->stem.of));
	}
}

/* ---- two lists, and all lists of a place */

static void compare_identity_match(struct compare_identity_place *x,
	const struct compare_identity_list *a,
	const struct compare_identity_list *b, bool sides)
{
	struct compare_identity_match m = { .at = x,
		.list = { a, b },
		.sides = sides };
	uint32_t all = a->n + b->n;

	compare_identity_open(&m);
	m.done = arena_array(x->c->a, bool, all + 1);
	compare_identity_sets_init(&m.fits, x->c->a, all);
	m.partner = arena_array(x->c->a, uint32_t, a->n + 1);
	if (m.any_open) {
		compare_identity_origins(&m);
		compare_identity_align(&m);
		compare_identity_take(&m, SAME);
		compare_identity_moved(&m);
	}
	for (uint32_t i = 0; i < a->n; i++) {
		uint32_t j = m.other[a->items[i].name];
		if (j && !m.done[i] && !m.done[a->n + j - 1])
			compare_identity_same(x, &a->items[i],
				&b->items[j - 1]);
	}
	if (sides)
		compare_identity_variants(&m);
}

/* The lists of a place: those of the base, then those of the head, the oldest
 * unit of each first. */
static uint32_t compare_identity_lists(struct compare_identity_place *x,
	uint32_t place)
{
	uint32_t runs = 0, nodes = 0;
	for (int s = 0; s < 2; s++)
		runs += x->c->side[s].runs_n;
	x->lists = arena_array(x->c->a, struct compare_identity_list, runs + 1);
	for (int s = 0; s < 2; s++) {
		const struct compare_side *side = &x->c->side[s];
		x->first[s] = x->lists_n;
		for (uint32_t u = 0; u < side->units_n; u++)
			for (uint32_t r = 0;
				r < side->units[side->by_time[u]].runs_n; r++)
				compare_identity_read(x, s, side->by_time[u], r,
					place);
	}
	x->first[2] = x->lists_n;
	for (uint32_t l = 0; l < x->lists_n; l++)
		nodes += x->lists[l].n;
	x->items =
		arena_array(x->c->a, struct compare_identity_item *, nodes + 1);
	for (uint32_t l = 0, node = 0; l < x->lists_n; l++)
		for (uint32_t i = 0; i < x->lists[l].n; i++, node++) {
			x->lists[l].items[i].node = node;
			x->items[node] = &x->lists[l].items[i];
		}
	return nodes;
}

static int compare_identity_by_name(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* "a + b", by name; "a + b + 5 more". */
static const char *compare_identity_names(struct arena *a, const char **names,
	uint32_t n)
{
	enum { SHOWN = 3 };
	const char *text = NULL;
	if (!n)
		return NULL;
	qsort(names, n, sizeof *names, compare_identity_by_name);
	for (uint32_t i = 0; i < n && i < SHOWN; i++)
		text = text ? arena_printf(a, "%s + %s", text, names[i])
			    : names[i];
	return n > SHOWN ? arena_printf(a, "%s + %u more", text, n - SHOWN)
			 : text;
}

/* The names of a set on one side: those in the side's first run that has the
 * set. */
static void compare_identity_side_names(struct compare_identity_place *x,
	uint32_t root, int side, struct compare_identity *out)
{
	struct arena *a = x->c->a;
	for (uint32_t l = x->first[side];
		l < x->first[side + 1] && !out->names_n[side]; l++) {
		const struct compare_identity_list *list = &x->lists[l];
		const char **names = arena_array(a, const char *, list->n + 1);
		for (uint32_t i = 0; i < list->n; i++)
			if (compare_identity_root(&x->sets,
				    list->items[i].node) == root)
				names[out->names_n[side]++] =
					list->items[i].p->name;
		out->name[side] =
			compare_identity_names(a, names, out->names_n[side]);
		out->names[side] = names;
	}
}

/* Whether a set is found by its name alone: all items have one name, and no
 * item outside has it. */
static bool compare_identity_by_name_alone(struct compare_identity_place *x,
	const uint32_t *root_of_name, const bool *several_names, uint32_t root)
{
	return !several_names[root] &&
	       root_of_name[x->items[root]->name] == root + 1;
}

/* Numbers the sets that names alone do not find. */
static void compare_identity_number(struct compare_identity_place *x,
	uint32_t nodes)
{
	struct compare *c = x->c;
	uint32_t *root_of_name = arena_array(c->a, uint32_t, x->words.n + 1);
	bool *several = arena_array(c->a, bool, nodes + 1);
	uint32_t *number = arena_array(c->a, uint32_t, nodes + 1);

	for (uint32_t i = 0; i < nodes; i++) {
		uint32_t root = compare_identity_root(&x->sets, i),
			 *of = &root_of_name[x->items[i]->name];
		several[root] |= x->items[i]->name != x->items[root]->name;
		*of = !*of || *of == root + 1 ? root + 1 : UINT32_MAX;
	}
	for (uint32_t i = 0; i < nodes; i++) {
		uint32_t root = compare_identity_root(&x->sets, i);
		const struct compare_identity_item *item = x->items[i];
		if (compare_identity_by_name_alone(x, root_of_name, several,
			    root))
			continue;
		if (!number[root]) {
			c->identities = arena_grow(c->a, c->identities,
				(c->identities_n + 1) * sizeof *c->identities);
			struct compare_identity *is =
				&c->identities[c->identities_n];
			*is = (struct compare_identity){
				.kind = x->notes[root].kind,
				.reason = x->notes[root].reason
			};
			for (int s = 0; s < 2; s++)
				compare_identity_side_names(x, root, s, is);
			if (is->kind == ROW_RENAMED &&
				(!is->name[BASE] || !is->name[HEAD] ||
					!strcmp(is->name[BASE],
						is->name[HEAD])))
				is->kind = ROW_BY_NAME;
			number[root] = ++c->identities_n;
		}
		c->side[item->side]
			.units[item->unit]
			.identity[item->run][item->pattern] = number[root];
	}
}

/* Joins by name what the matches of first runs do not decide: kernels without a
 * number, and kernels that only later runs have. */
static void compare_identity_rest(struct compare_identity_place *x,
	uint32_t nodes)
{
	struct arena *a = x->c->a;
	uint32_t *size = arena_array(a, uint32_t, nodes + 1);
	uint32_t *with_name = arena_array(a, uint32_t, x->words.n + 1);

	for (uint32_t i = 0; i < nodes; i++)
		size[compare_identity_root(&x->sets, i)]++;
	for (uint32_t i = 0; i < nodes; i++) {
		uint32_t *with = &with_name[x->items[i]->name];
		bool alone = size[compare_identity_root(&x->sets, i)] == 1;
		if (x->items[i]->stem && !alone)
			continue;
		if (*with)
			compare_identity_same(x, x->items[*with - 1],
				x->items[i]);
		else
			*with = i + 1;
	}
}

static void compare_identity_place_from(struct compare *c, uint32_t place)
{
	struct compare_identity_place x = { .c = c };
	names_init(&x.words, c->a);
	uint32_t nodes = compare_identity_lists(&x, place);
	compare_identity_sets_init(&x.sets, c->a, nodes);
	x.notes = arena_array(c->a, struct compare_identity_note, nodes + 1);
	for (int s = 0; s < 2; s++)
		for (uint32_t l = x.first[s] + 1; l < x.first[s + 1]; l++)
			compare_identity_match(&x, &x.lists[x.first[s]],
				&x.lists[l], false);
	if (x.first[BASE] < x.first[HEAD] && x.first[HEAD] < x.first[2])
		compare_identity_match(&x, &x.lists[x.first[BASE]],
			&x.lists[x.first[HEAD]], true);
	compare_identity_rest(&x, nodes);
	compare_identity_number(&x, nodes);
}

/* Whether any kernel has a stem; otherwise names alone decide. */
static bool compare_identity_any(const struct compare *c)
{
	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < c->side[s].runs_n; i++) {
			const struct patterns *p = &c->side[s].runs[i].patterns;
			for (uint32_t k = 0; k < p->n; k++)
				if (p->rows[k].stem.text)
					return true;
		}
	return false;
}

void compare_identity_from(struct compare *c)
{
	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < c->side[s].units_n; i++) {
			struct compare_unit *u = &c->side[s].units[i];
			u->identity = arena_array(c->a, uint32_t *, u->runs_n);
			for (uint32_t r = 0; r < u->runs_n; r++)
				u->identity[r] = arena_array(c->a, uint32_t,
					u->runs[r]->patterns.n + 1);
		}
	if (!compare_identity_any(c))
		return;
	for (uint32_t p = 0; p < c->places_n; p++)
		compare_identity_place_from(c, p);
}

/* Stems, each name of all runs once. */
struct compare_identity_stems {
	const struct catalog *catalog;
	struct arena *a;
	struct names names;
	struct compare_identity_known {
		struct kernel_stem stem;
		const struct operator_info *operator_; /* by its name */
		bool operator_found;
	} * of; /* by name */
	uint32_t cap;
};

static struct compare_identity_known *
compare_identity_known_of(struct compare_identity_stems *s, const char *name)
{
	uint32_t known = s->names.n;
	uint32_t id = names_put(&s->names, name, strlen(name));
	if (id >= s->cap) {
		s->cap = id * 2 + 256;
		s->of = arena_grow(s->a, s->of, s->cap * sizeof *s->of);
	}
	if (id >= known || !id) {
		s->of[id] = (struct compare_identity_known){ 0 };
		catalog_kernel_stem(s->catalog, name, s->a, &s->of[id].stem);
	}
	return &s->of[id];
}

static const struct kernel_stem *
compare_identity_stem(struct compare_identity_stems *s, const char *name)
{
	return &compare_identity_known_of(s, name)->stem;
}

/* A number that a compiler chose; NULL for other names. */
static const char *compare_identity_numbered(struct compare_identity_stems *s,
	const char *name)
{
	const struct kernel_stem *stem = compare_identity_stem(s, name);
	return stem->varies == NAME_NUMBER ? stem->text : NULL;
}

/* The operator with the most of a function's time: the first that it was launched
 * for, else that of its name. NULL: unknown. */
static const struct operator_info *compare_identity_operator(
	struct compare_identity_stems *s, const struct pattern *p)
{
	const struct pattern_texts *t = &p->launch.operators;
	switch (p->type) {
	case FUNCTION_gpu_compute:
	case FUNCTION_gpu_comm:
		break;
	case FUNCTION_memcpy_h2d:
	case FUNCTION_memcpy_d2h:
	case FUNCTION_memcpy_d2d:
		return catalog_operator(s->catalog, "copy");
	case FUNCTION_memset_device:
		return catalog_operator(s->catalog, "memset");
	default:
		return NULL;
	}
	if (t->n) {
		const char *name = arena_strndup(s->a, t->list[0],
			strcspn(t->list[0], " "));
		return catalog_operator(s->catalog, name);
	}
	struct compare_identity_known *is =
		compare_identity_known_of(s, p->name);
	if (!is->operator_found)
		is->operator_ = catalog_kernel_operator(s->catalog, p->name,
			strlen(p->name));
	is->operator_found = true;
	return is->operator_;
}

static void compare_identity_operator_set(struct compare_identity_stems *s,
	struct pattern *p)
{
	const struct operator_info *is = compare_identity_operator(s, p);
	bool explains = is && is->specific;
	p->operator_ = explains ? is->name : NULL;
	p->operator_group = explains ? is->group : NULL;
}

/* A table of statistics has no types of functions. */
static void compare_identity_collectives(const struct catalog *k,
	struct compared_run *run, struct arena *a)
{
	bool *is = arena_array(a, bool, run->stats_n + 1);
	for (uint32_t i = 0; i < run->stats_n; i++) {
		struct kernel_source source;
		const char *name = run->stat_names[i];
		catalog_kernel(k, name, strlen(name), &source);
		is[i] = family_is_collective(source.family);
	}
	run->stat_collective = is;
}

void compare_stems(const struct catalog *k, struct compared_run *runs,
	uint32_t n, struct arena *a)
{
	struct compare_identity_stems s = { .catalog = k, .a = a };
	names_init(&s.names, a);
	for (uint32_t i = 0; i < n; i++) {
		struct iterations *y = &runs[i].iterations;
		struct patterns *p = &runs[i].patterns;
		y->work_stems = arena_array(a, const char *, y->works_n + 1);
		for (uint32_t w = 0; w < y->works_n; w++)
			y->work_stems[w] =
				compare_identity_numbered(&s, y->works[w].name);
		if (y->range && y->detector == ITERATIONS_PERIOD)
			y->range_stem = compare_identity_numbered(&s, y->range);
		for (uint32_t r = 0; r < p->n; r++) {
			if (p->rows[r].type == FUNCTION_gpu_compute)
				p->rows[r].stem = *compare_identity_stem(&s,
					p->rows[r].name);
			compare_identity_operator_set(&s, &p->rows[r]);
		}
		compare_identity_collectives(k, &runs[i], a);
	}
	arena_drop(a, s.of);
}

static int compare_identity_by_mean_name(const void *left, const void *right)
{
	const struct repeat_mean *a = left, *b = right;
	return strcmp(a->name, b->name);
}

void compare_repeat_stems(const struct catalog *k, struct repeats *r,
	struct arena *a)
{
	struct compare_identity_stems s = { .catalog = k, .a = a };
	names_init(&s.names, a);
	for (uint32_t i = 0; i < r->n; i++) {
		struct repeat_run *run = &r->runs[i];
		uint32_t kept = 0;
		for (uint32_t m = 0; m < run->means_n; m++) {
			const char *stem = compare_identity_numbered(&s,
				run->means[m].name);
			if (stem)
				run->means[m].name = stem;
		}
		if (run->means_n)
			qsort(run->means, run->means_n, sizeof *run->means,
				compare_identity_by_mean_name);
		for (uint32_t m = 0; m < run->means_n; m++)
			if (kept && !strcmp(run->means[kept - 1].name,
					    run->means[m].name))
				run->means[kept - 1].mean_ns +=
					run->means[m].mean_ns;
			else
				run->means[kept++] = run->means[m];
		run->means_n = kept;
	}
	arena_drop(a, s.of);
}
