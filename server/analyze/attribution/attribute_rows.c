/* attribute_rows.c - groups launches, copies and graph replays into shapes and
 * operators, and computes their statistics and roofline bounds.
 *
 * Launches of one operator call are added up as one call. The first of them
 * determines the row of the call and its iteration. Grouping needs 16 bytes per
 * launch and per call, and one entry per row. Sums of roofline bounds are whole
 * picoseconds, so that sums can be subtracted exactly. The work of iterations is
 * never subtracted, and its sums are doubles, which cannot overflow. */
#include "attribute.h"
#include "attribute_sources.h"
#include "busy_classes.h"
#include "collective_calls.h"
#include "copies.h"
#include "exact.h"
#include "operators.h"
#include "profile.h"
#include "roofline.h"
#include "stats.h"
#include "time_bucket.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* For products of counts and times, which may exceed 64 bits. */
__extension__ typedef __int128 wide;

/* Why a recorded copy has no cost: platforms state only the bandwidth within a
 * device. NULL if the copy has a cost, and NULL for anything else. */
static const char *attribute_rows_bound_elsewhere(const struct operator_info
							  *is,
	const struct shape_stat *s)
{
	if (s->known != KNOWN_RECORD || strcmp(is->name, "copy") != 0)
		return NULL;
	if (!s->grid)
		return "its direction is unknown";
	return strcmp(s->grid, "Device-to-Device") != 0
		       ? "it moves over a link whose speed no platform in "
			 "the catalog states"
		       : NULL;
}

/* Whether a cost is too large to be stored: stored numbers have 63 bits. */
static bool attribute_rows_bound_too_large(const struct cost *c)
{
	bool large = c->read_bytes > INT64_MAX || c->write_bytes > INT64_MAX;

	for (int d = 0; d < DTYPES; d++)
		large |= c->flops[d] > INT64_MAX;
	return large;
}

/* What the launches of a row have in common. */
struct attribute_rows_sum {
	const struct shape *sizes; /* NULL unknown */
	int64_t launches;
	const char *lacks; /* of its launches; NULL: of none */
	int64_t kept_calls, kept_ns; /* in kept iterations */
	struct recomputed recomputed, kept_recomputed;
};

/* What collective launches of a row moved, or why it is unknown. It is hashed as
 * bytes, so it has no padding. */
struct attribute_rows_link {
	int64_t kind, bytes, ranks, nodes;
	const char *why; /* NULL: known */
};

static struct attribute_rows_link attribute_rows_link_of(
	const struct collective_call *c)
{
	const char *why = c->nodes_why;

	if (!c->kind)
		why = "the kind of the collective is unknown";
	else if (!why && isnan(link_factor(c->kind, c->group_size)))
		why = "what it moves over a link does not follow from its size";
	else if (!why && collective_is_uneven(c))
		why = c->split == COLLECTIVE_SPLIT_UNEVEN
			      ? "its parts have different sizes"
			      : "whether its parts have equal sizes is unknown";
	if (why)
		return (struct attribute_rows_link){ .why = why };
	return (struct attribute_rows_link){ .kind = c->kind,
		.bytes = c->bytes,
		.ranks = c->group_size,
		.nodes = c->nodes };
}

/* Sets the cost of a collective. Its bus bytes are less than twice its bytes. */
static void attribute_rows_bound_link(const struct attribute_rows_link *l,
	struct shape_stat *s)
{
	s->why = l->why;
	if (!s->why && l->bytes > INT64_MAX / 2)
		s->why = "its cost is beyond 2^63 operations or bytes";
	s->costed = !s->why;
	if (s->costed)
		s->cost.link = (struct link_use){ (enum collective_kind)l->kind,
			l->bytes, l->ranks, l->nodes };
}

static bool attribute_rows_bound_cost(const struct attribution *at,
	const struct operator_info *is, const struct attribute_rows_sum *sum,
	const struct attribute_rows_link *link, struct shape_stat *s)
{
	const struct shape *sizes = sum->sizes;
	const char *lacks = sum->lacks;
	struct err e = { 0 };
	struct cost c;

	s->why = attribute_rows_bound_elsewhere(is, s);
	if (s->why)
		return true;
	if (link) {
		attribute_rows_bound_link(link, s);
		return true;
	}
	if (!catalog_cost(at->catalog, is, sizes, CONVENTION_PHYSICAL, &c,
		    &e)) {
		s->why =
			lacks ? arena_printf(at->arena, "%s: %s", e.text, lacks)
			      : arena_strdup(at->arena, e.text);
		return s->why;
	}
	s->costed = !attribute_rows_bound_too_large(&c);
	if (s->costed)
		s->cost = c;
	else
		s->why = "its cost is beyond 2^63 operations or bytes";
	return true;
}

/* Adds a note whose detail is the shape. */
static void attribute_rows_bound_note(const struct attribution *at,
	enum note_code note, const struct shape_stat *s,
	const struct operator_stat *o)
{
	char detail[240];
	int len = snprintf(detail, sizeof detail, "%s %s", o->name, s->text);

	note_add(&at->profile->notes, note, 1, detail,
		len < (int)sizeof detail ? (size_t)len : sizeof detail - 1);
}

/* Says why the times of a shape do not fit its bound; false if the arena is
 * full. */
static bool attribute_rows_bound_fit(const struct attribution *at,
	const int64_t *ns, int64_t sol_ps, struct shape_stat *s,
	const struct operator_stat *o)
{
	enum roofline_fit fit =
		roofline_fit(ns, s->call.instances, sol_ps, at->arena, &s->why);

	if (fit == ROOFLINE_FIT_MIXED)
		attribute_rows_bound_note(at, NOTE_mixed_shape, s, o);
	return fit == ROOFLINE_FIT_YES || s->why;
}

/* Headroom: the time above the roofline bound, over the calls that take longer
 * than the launch floor. */
static int64_t attribute_rows_bound_headroom(const int64_t *ns, int64_t n,
	int64_t sol_ps, int64_t floor_ns)
{
	wide sum_ps = 0;

	for (int64_t i = 0; i < n; i++)
		if (ns[i] > floor_ns)
			sum_ps += (wide)ns[i] * 1000 - sol_ps;
	return (int64_t)(sum_ps / 1000);
}

/* Adds the roofline bound of all calls of a shape; false if the sum does not
 * fit. */
static bool attribute_rows_bound_sol_add(double sol_s, int64_t n,
	int64_t *sum_ps)
{
	double sol_ps = sol_s * 1e12;
	int64_t all;

	return sol_ps < 0x1p63 &&
	       !__builtin_mul_overflow(llround(sol_ps), n, &all) &&
	       !__builtin_add_overflow(*sum_ps, all, sum_ps);
}

/* Adds both bounds, or none; false if a sum does not fit. */
static bool attribute_rows_bound_sols_add(const struct bound *sheet,
	const struct bound *clock, int64_t n, struct operator_stat *o)
{
	int64_t sheet_ps = o->sheet.sol_ps, clock_ps = o->clock.sol_ps;

	if (!attribute_rows_bound_sol_add(sheet->sol_s, n, &sheet_ps) ||
		!attribute_rows_bound_sol_add(clock->sol_s, n, &clock_ps))
		return false;
	o->sheet.sol_ps = sheet_ps;
	o->clock.sol_ps = clock_ps;
	return true;
}

/* Adds everything but T_SOL. Returns whether S is above 1. */
static bool attribute_rows_bound_add(const struct attribution *at,
	const int64_t *ns, const struct bound *b, const struct shape_stat *s,
	struct bound_sum *sum)
{
	int64_t n = s->call.instances, total_ns = s->call.total_ns;
	int64_t sol_ps = llround(b->sol_s * 1e12);
	bool over = (wide)sol_ps * n > (wide)total_ns * 1000;

	sum->compute_ns += b->leg == LEG_COMPUTE ? total_ns : 0;
	if (over)
		sum->over_ns += total_ns;
	else
		sum->headroom_ns += attribute_rows_bound_headroom(ns, n, sol_ps,
			at->platform->launch_floor_ns);
	return over;
}

/* Stores the bounds of a shape and adds them to its operator. Whether the times
 * fit is judged by the bound at the run's clock, which is nearer to the truth.
 * False if the arena is full. */
static bool attribute_rows_bound_set(const struct attribution *at,
	const struct bound *sheet, const struct bound *clock, const int64_t *ns,
	struct shape_stat *s, struct operator_stat *o)
{
	if (!attribute_rows_bound_sols_add(sheet, clock, s->call.instances,
		    o)) {
		s->why =
			"the roofline bounds of its operator's calls add up to "
			"more than is kept (106 days)";
		return true;
	}
	s->leg = sheet->leg;
	s->sol_ns = sheet->sol_s * 1e9;
	s->clock_leg = clock->leg;
	s->clock_sol_ns = clock->sol_s * 1e9;
	o->bound_calls += s->call.instances;
	o->bound_ns += s->call.total_ns;
	s->headroom_ns = -o->sheet.headroom_ns;
	attribute_rows_bound_add(at, ns, sheet, s, &o->sheet);
	s->headroom_ns += o->sheet.headroom_ns;
	if (attribute_rows_bound_add(at, ns, clock, s, &o->clock))
		attribute_rows_bound_note(at, NOTE_over_roof, s, o);
	return attribute_rows_bound_fit(at, ns, llround(clock->sol_s * 1e12), s,
		o);
}

/* Fills the cost and the roofline bounds of a shape and adds them to its
 * operator. `ns` are the times of the shape's calls. False if the arena is
 * full. */
static bool attribute_rows_bound(const struct attribution *at,
	const struct operator_info *is, const struct attribute_rows_sum *sum,
	const struct attribute_rows_link *link, const int64_t *ns,
	struct shape_stat *s, struct operator_stat *o)
{
	struct bound sheet, clock;

	if (!is || !sum->sizes)
		return true;
	if (!attribute_rows_bound_cost(at, is, sum, link, s))
		return false;
	if (!s->costed || !at->platform)
		return true;
	roofline(&s->cost, at->platform, &sheet);
	roofline(&s->cost, at->at_clock, &clock);
	s->why = roofline_why(&sheet, &s->cost, at->platform, at->arena);
	if (isnan(sheet.sol_s))
		return s->why;
	return attribute_rows_bound_set(at, &sheet, &clock, ns, s, o);
}

int64_t attribute_bound_ps(const struct attribution *at,
	const struct platform *p, const struct operator_info *is,
	const struct shape *sizes, struct bound *b)
{
	struct err e = { 0 };
	struct cost c;

	*b = (struct bound){ .sol_s = NAN };
	if (!is || !sizes || !p ||
		!catalog_cost(at->catalog, is, sizes, CONVENTION_PHYSICAL, &c,
			&e) ||
		attribute_rows_bound_too_large(&c))
		return -1;
	roofline(&c, p, b);
	if (isnan(b->sol_s) || b->sol_s * 1e12 >= 0x1p63)
		return -1;
	return llround(b->sol_s * 1e12);
}

enum { NO_ROW = UINT32_MAX };

/* The key of a row. It is hashed as bytes, so it has no padding. */
struct attribute_rows_key {
	const struct operator_info *op; /* NULL: unattributed */
	uint32_t text, grid; /* ids of `texts`; 0 none */
	uint32_t dtype, phase, known;
	uint32_t link; /* id of `links`; 0 none */
};

struct attribute_rows_groups {
	struct arena *arena;
	struct names keys; /* struct attribute_rows_key; id = row + 1 */
	struct names texts;
	struct names links; /* struct attribute_rows_link */
	struct names pointers; /* to shapes; the id indexes text_of */
	uint32_t *text_of;
	uint32_t text_cap;
	struct attribute_rows_sum *sums; /* by row */
	uint32_t rows, cap;
	int64_t *call_ns; /* by call */
	uint32_t *row_of; /* by call; NO_ROW: no launch yet */
	uint32_t *iteration; /* by call: that of its first launch; or
		ITERATION_NONE */
	uint8_t *recompute; /* by call: enum recompute of its first launch */
	uint32_t calls, calls_cap;
	/* Which row has the launches of a kernel with a grid and a block. */
	struct attribute_rows_grids {
		struct names keys; /* struct attribute_rows_grid; id = n + 1 */
		uint32_t *row; /* by n; NO_ROW: several rows */
		uint32_t cap;
		uint32_t kernel, launch, of; /* of the last launch */
	} grids;
};

/* Launches of a kernel with one grid and block. It is hashed as bytes, so it
 * has no padding. */
struct attribute_rows_grid {
	uint32_t kernel;
	int32_t grid[3], block[3];
};

/* `calls` is how many operator calls are numbered, `launches` how many launches
 * will be added. False if the arena is full. The caller always calls
 * attribute_rows_groups_release(). */
static bool attribute_rows_groups_init(struct attribute_rows_groups *g,
	struct arena *a, uint32_t calls, uint32_t launches)
{
	size_t n = (size_t)calls + launches + 1;

	*g = (struct attribute_rows_groups){ .arena = a, .calls = calls };
	g->call_ns = arena_grow(a, NULL, n * sizeof *g->call_ns);
	g->row_of = arena_grow(a, NULL, n * sizeof *g->row_of);
	g->iteration = arena_grow(a, NULL, n * sizeof *g->iteration);
	g->recompute = arena_grow(a, NULL, n);
	if (g->row_of)
		memset(g->row_of, 0xFF, n * sizeof *g->row_of);
	return g->call_ns && g->row_of && g->iteration && g->recompute &&
	       names_init(&g->keys, a) && names_init(&g->texts, a) &&
	       names_init(&g->links, a) && names_init(&g->pointers, a) &&
	       names_init(&g->grids.keys, a);
}

static void attribute_rows_groups_release(struct attribute_rows_groups *g)
{
	arena_drop(g->arena, g->call_ns);
	arena_drop(g->arena, g->row_of);
	arena_drop(g->arena, g->iteration);
	arena_drop(g->arena, g->recompute);
	arena_drop(g->arena, g->text_of);
	arena_drop(g->arena, g->sums);
	arena_drop(g->arena, g->grids.row);
}

/* Grows an array so that it has an element `id`. */
static bool attribute_rows_reserve(struct arena *a, void **array, size_t size,
	uint32_t *cap, uint32_t id)
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

/* The id of a shape's text; 0 without a shape, NAMES_NONE if the arena is
 * full. */
static uint32_t attribute_rows_text_id(struct attribute_rows_groups *g,
	const struct shape *s)
{
	uint32_t known = g->pointers.n;

	if (!s)
		return 0;
	uint32_t id = names_put(&g->pointers, (const char *)&s, sizeof s);
	void *array = g->text_of;
	if (id == NAMES_NONE || !attribute_rows_reserve(g->arena, &array,
					sizeof *g->text_of, &g->text_cap, id))
		return NAMES_NONE;
	g->text_of = array;
	if (id == known) {
		const char *text = shape_text(s, g->arena);
		g->text_of[id] = text ? names_put(&g->texts, text, strlen(text))
				      : NAMES_NONE;
	}
	return g->text_of[id];
}

/* The row for the attribution of a launch; NO_ROW if the arena is full. */
static uint32_t attribute_rows_row(struct attribute_rows_groups *g,
	const struct attributed *is, const char *grid, uint32_t link)
{
	struct attribute_rows_key k = { .op = is->op,
		.text = attribute_rows_text_id(g, is->sizes),
		.grid = names_put(&g->texts, grid, strlen(grid)),
		.dtype = is->sizes ? is->sizes->dtype : DTYPE_UNKNOWN,
		.phase = is->phase,
		.known = is->known,
		.link = link };
	if (k.text == NAMES_NONE || k.grid == NAMES_NONE || link == NAMES_NONE)
		return NO_ROW;
	uint32_t id = names_put(&g->keys, (const char *)&k, sizeof k);
	void *array = g->sums;
	if (id == NAMES_NONE || !attribute_rows_reserve(g->arena, &array,
					sizeof *g->sums, &g->cap, id))
		return NO_ROW;
	g->sums = array;
	if (id > g->rows)
		g->sums[g->rows++] =
			(struct attribute_rows_sum){ .sizes = is->sizes };
	return id - 1;
}

/* Adds a launch. Its operator call may be LAUNCH_NO_CALL. `grid` is "" if
 * unknown. `link` is an id of `links`, 0 if the launch is no collective.
 * `iteration` may be ITERATION_NONE. */
static bool attribute_rows_groups_add(struct attribute_rows_groups *g,
	const struct attributed *is, const char *grid, uint32_t link,
	int64_t dur_ns, uint32_t iteration)
{
	uint32_t call = is->call == LAUNCH_NO_CALL ? g->calls++ : is->call;

	if (g->row_of[call] == NO_ROW) {
		g->row_of[call] = attribute_rows_row(g, is, grid, link);
		g->iteration[call] = iteration;
		g->recompute[call] = (uint8_t)is->recompute;
	}
	if (g->row_of[call] == NO_ROW)
		return false;
	struct attribute_rows_sum *sum = &g->sums[g->row_of[call]];
	g->call_ns[call] += dur_ns;
	sum->launches++;
	sum->lacks = sum->lacks ? sum->lacks : is->lacks;
	return true;
}

/* The key of a row. */
static struct attribute_rows_key
attribute_rows_groups_key(const struct attribute_rows_groups *g, uint32_t row)
{
	struct attribute_rows_key k;

	memcpy(&k, names_text(&g->keys, row + 1), sizeof k);
	return k;
}

struct attribute_rows_copies {
	const struct attribution *at;
	struct names met; /* numbers of bytes; the id indexes `shapes` */
	const struct shape **shapes;
	uint32_t cap;
};

/* A shape with bytes as its only size. NULL if the arena is full. */
static const struct shape *attribute_rows_bytes_shape(struct arena *a,
	int64_t bytes)
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

static const struct shape *
attribute_rows_shape_of_bytes(struct attribute_rows_copies *m, int64_t bytes)
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
		m->shapes[id] = attribute_rows_bytes_shape(a, bytes);
	return m->shapes[id];
}

/* Writes the direction of a copy: "Host-to-Device" for "[CUDA memcpy
 * Host-to-Device]", "" for other operations. */
static void attribute_rows_direction(const char *operation, char *to,
	size_t size)
{
	static const char head[] = "[CUDA memcpy ";
	size_t len = strlen(operation), skip = strlen(head);

	*to = '\0';
	if (!strncmp(operation, head, skip))
		snprintf(to, size, "%.*s", (int)(len - skip - 1),
			operation + skip);
}

static bool attribute_rows_add_copy(struct attribute_rows_copies *m,
	uint32_t row, struct attributed is, uint32_t iteration,
	struct attribute_rows_groups *g)
{
	const struct copy_rows *c = &m->at->trace->copy;
	const struct name *n = &m->at->trace->names.list[c->name[row]];
	char where[64];

	attribute_rows_direction(copies_operation(n->text, n->len,
					 c->is_set[row]),
		where, sizeof where);
	if (is.op && c->bytes[row] >= 0) {
		is.sizes = attribute_rows_shape_of_bytes(m, c->bytes[row]);
		if (!is.sizes)
			return false;
	}
	return attribute_rows_groups_add(g, &is, where, 0, c->dur_ns[row],
		iteration);
}

/* Whether an iteration (iteration_rows) is kept. */
static bool attribute_rows_kept(const struct profile *p, uint32_t iteration)
{
	const struct iterations *c = &p->iterations;

	return iteration != ITERATION_NONE && iteration < c->n &&
	       c->iterations[iteration].use == ITERATION_KEPT;
}

/* False if the arena is full. */
static bool attribute_rows_copy(const struct attribution *at,
	const struct iteration_rows *iterations,
	struct attribute_rows_groups *g)
{
	const struct operator_info *of[] = { catalog_operator(at->catalog,
						     "copy"),
		catalog_operator(at->catalog, "memset") };
	struct slice rows = at->proc->copy;
	struct attribute_rows_copies m = { .at = at };
	bool ok = names_init(&m.met, at->arena);

	for (uint32_t i = rows.from; ok && i < rows.to; i++) {
		const struct operator_info *is =
			of[at->trace->copy.is_set[i] != 0];
		uint32_t iteration = iterations->copy[i - rows.from];
		ok = attribute_rows_add_copy(&m, i,
			(struct attributed){ .op = is,
				.known = is ? KNOWN_RECORD : KNOWN_NOT,
				.phase = attribute_rows_phase(at->profile,
					iteration),
				.call = LAUNCH_NO_CALL },
			iteration, g);
	}
	arena_drop(at->arena, m.shapes);
	return ok;
}

/* An operator and its index before sorting. */
struct attribute_rows_placed {
	struct operator_stat row;
	uint32_t was;
};

/* Compares texts; NULL (unknown) is last. */
static int attribute_rows_text_order(const char *x, const char *y)
{
	if (!x || !y)
		return !x - !y;
	return strcmp(x, y);
}

static int attribute_rows_number_order(int64_t x, int64_t y)
{
	return (x > y) - (x < y);
}

static int attribute_rows_by_time(const void *left, const void *right)
{
	const struct operator_stat *x =
		&((const struct attribute_rows_placed *)left)->row;
	const struct operator_stat *y =
		&((const struct attribute_rows_placed *)right)->row;
	int order = attribute_rows_number_order(y->total_ns, x->total_ns);

	order = order ? order : attribute_rows_text_order(x->name, y->name);
	order = order ? order : attribute_rows_number_order(x->dtype, y->dtype);
	return order ? order : attribute_rows_number_order(x->phase, y->phase);
}

static int attribute_rows_by_operator(const void *left, const void *right)
{
	const struct shape_stat *x = left, *y = right;
	int order = attribute_rows_number_order(x->operator_, y->operator_);

	order = order ? order
		      : attribute_rows_number_order(y->call.total_ns,
				x->call.total_ns);
	order = order ? order : attribute_rows_text_order(x->text, y->text);
	order = order ? order : attribute_rows_text_order(x->grid, y->grid);
	return order ? order : attribute_rows_number_order(x->known, y->known);
}

static int attribute_rows_by_kernel(const void *left, const void *right)
{
	const struct unattributed *x = left, *y = right;
	int order = attribute_rows_number_order(y->total_ns, x->total_ns);

	return order ? order
		     : attribute_rows_number_order(x->kernel, y->kernel);
}

static void attribute_rows_sort_unattributed(struct operators *o)
{
	qsort(o->unattributed, o->unattributed_n, sizeof *o->unattributed,
		attribute_rows_by_kernel);
}

/* False if the arena is full. */
static bool attribute_rows_sort(struct operators *o, struct arena *a)
{
	struct attribute_rows_placed *rows =
		arena_grow(a, NULL, ((size_t)o->n + 1) * sizeof *rows);
	uint32_t *is = arena_grow(a, NULL, ((size_t)o->n + 1) * sizeof *is);

	for (uint32_t i = 0; rows && i < o->n; i++)
		rows[i] = (struct attribute_rows_placed){ o->rows[i], i };
	if (rows && is) {
		qsort(rows, o->n, sizeof *rows, attribute_rows_by_time);
		for (uint32_t i = 0; i < o->n; i++) {
			o->rows[i] = rows[i].row;
			is[rows[i].was] = i;
		}
		for (uint32_t i = 0; i < o->shapes_n; i++)
			o->shapes[i].operator_ = is[o->shapes[i].operator_];
		qsort(o->shapes, o->shapes_n, sizeof *o->shapes,
			attribute_rows_by_operator);
	}
	arena_drop(a, rows);
	arena_drop(a, is);
	return rows && is;
}

/* Fills p->operators.unattributed. False if the arena is full. */
static bool attribute_rows_unattributed(const struct attribution *at)
{
	const struct profile *p = at->profile;
	struct operators *o = &at->profile->operators;
	uint32_t from = at->proc->kernel.from;

	o->unattributed = arena_array(at->arena, struct unattributed,
		(size_t)p->kernels_n + 1);
	if (!o->unattributed)
		return false;
	for (uint32_t i = 0; i < at->proc->kernel.to - from; i++) {
		struct unattributed *u = &o->unattributed[at->kernel_of[i]];
		if (at->of[i].op)
			continue;
		u->launches++;
		u->total_ns += at->trace->kernel.dur_ns[from + i];
	}
	for (uint32_t i = 0; i < p->kernels_n; i++) {
		struct unattributed u = o->unattributed[i];
		u.kernel = i;
		if (u.launches)
			o->unattributed[o->unattributed_n++] = u;
	}
	attribute_rows_sort_unattributed(o);
	return true;
}

struct attribute_rows_stats {
	const struct attribution *at;
	const struct attribute_rows_groups *g;
	struct operators *out;
	struct names operators; /* id = row + 1 */
	uint32_t *from; /* by row: its first call in call_ns; the end follows */
	int64_t *call_ns, *scratch;
	uint32_t longest; /* number of calls of the row with most calls */
};

static void attribute_rows_recomputed_add(struct recomputed *sum,
	enum recompute recompute, int64_t ns)
{
	sum->calls += recompute == RECOMPUTE_YES;
	sum->known_ns += recompute == RECOMPUTE_UNKNOWN ? 0 : ns;
}

/* Adds up the calls of each row that are in kept iterations, and those that
 * compute something again. */
static void attribute_rows_sum_parts(const struct attribution *at,
	const struct attribute_rows_groups *g)
{
	for (uint32_t i = 0; i < g->calls; i++) {
		if (g->row_of[i] == NO_ROW)
			continue;
		struct attribute_rows_sum *sum = &g->sums[g->row_of[i]];
		attribute_rows_recomputed_add(&sum->recomputed, g->recompute[i],
			g->call_ns[i]);
		if (!attribute_rows_kept(at->profile, g->iteration[i]))
			continue;
		attribute_rows_recomputed_add(&sum->kept_recomputed,
			g->recompute[i], g->call_ns[i]);
		sum->kept_calls++;
		sum->kept_ns += g->call_ns[i];
	}
}

/* Sorts calls by row with a counting sort (counts two indices higher). */
static bool attribute_rows_distribute(struct attribute_rows_stats *m)
{
	const struct attribute_rows_groups *g = m->g;
	struct arena *a = m->at->arena;

	m->from = arena_grow(a, NULL, ((size_t)g->rows + 2) * sizeof *m->from);
	m->call_ns = arena_grow(a, NULL,
		((size_t)g->calls + 1) * sizeof *m->call_ns);
	if (!m->from || !m->call_ns)
		return false;
	for (uint32_t i = 0; i < g->calls; i++)
		if (g->row_of[i] != NO_ROW)
			m->from[g->row_of[i] + 2]++;
	for (uint32_t i = 2; i < g->rows + 2; i++) {
		if (m->from[i] > m->longest)
			m->longest = m->from[i];
		m->from[i] += m->from[i - 1];
	}
	for (uint32_t i = 0; i < g->calls; i++)
		if (g->row_of[i] != NO_ROW)
			m->call_ns[m->from[g->row_of[i] + 1]++] = g->call_ns[i];
	m->scratch = arena_grow(a, NULL,
		((size_t)m->longest + 1) * sizeof *m->scratch);
	return m->scratch;
}

/* Counts durations by bucket; `ns` must ascend. */
static bool attribute_rows_buckets(struct arena *a, const int64_t *ns,
	uint32_t n, struct shape_stat *s)
{
	uint32_t distinct = 0;

	for (uint32_t i = 0; i < n; i++)
		distinct +=
			i == 0 || time_bucket(ns[i]) != time_bucket(ns[i - 1]);
	int16_t *bucket = arena_array(a, int16_t, distinct);
	int64_t *calls = arena_array(a, int64_t, distinct);
	if (!bucket || !calls)
		return false;
	for (uint32_t i = 0, k = 0; i < n; i++) {
		k += i > 0 && time_bucket(ns[i]) != bucket[k];
		bucket[k] = time_bucket(ns[i]);
		calls[k]++;
	}
	s->bucket = bucket;
	s->bucket_calls = calls;
	s->buckets_n = distinct;
	return true;
}

/* The operator of a shape row, which is added if it is new; NULL if the arena
 * is full. */
static struct operator_stat *attribute_rows_operator(struct attribute_rows_stats
							     *m,
	struct attribute_rows_key k, uint32_t *at)
{
	struct operators *o = m->out;
	struct {
		const struct operator_info *op;
		uint32_t dtype, phase;
	} key = { k.op, k.dtype, k.phase };
	uint32_t id = names_put(&m->operators, (const char *)&key, sizeof key);

	if (id == NAMES_NONE)
		return NULL;
	*at = id - 1;
	if (id > o->n)
		o->rows[o->n++] =
			(struct operator_stat){ .name = k.op ? k.op->name
							     : NULL,
				.dtype = (enum dtype)k.dtype,
				.phase = (enum phase)k.phase,
				.collective = k.op && k.op->collective };
	return &o->rows[id - 1];
}

static void attribute_rows_add_up(struct operator_stat *o,
	const struct shape_stat *s)
{
	o->launches += s->launches;
	o->calls += s->call.instances;
	o->total_ns += s->call.total_ns;
	o->known_ns[s->known] += s->call.total_ns;
	o->sized_ns += s->text ? s->call.total_ns : 0;
	o->shapes++;
}

static bool attribute_rows_fill(struct attribute_rows_stats *m, uint32_t row)
{
	const struct attribute_rows_groups *g = m->g;
	struct attribute_rows_key k = attribute_rows_groups_key(g, row);
	struct shape_stat *s = &m->out->shapes[row];
	int64_t *ns = m->call_ns + m->from[row];
	uint32_t n = m->from[row + 1] - m->from[row];
	struct attribute_rows_link link;

	*s = (struct shape_stat){ .number = row,
		.text = k.text ? names_text(&g->texts, k.text) : NULL,
		.grid = k.grid ? names_text(&g->texts, k.grid) : NULL,
		.known = (enum how)k.known,
		.launches = g->sums[row].launches,
		.call = stats_from(ns, m->scratch, n),
		.kept_calls = g->sums[row].kept_calls,
		.kept_ns = g->sums[row].kept_ns,
		.recomputed = g->sums[row].recomputed,
		.kept_recomputed = g->sums[row].kept_recomputed,
		.sol_ns = NAN,
		.headroom_ns = -1,
		.clock_sol_ns = NAN };
	struct operator_stat *o = attribute_rows_operator(m, k, &s->operator_);
	if (!o || !attribute_rows_buckets(m->at->arena, ns, n, s))
		return false;
	attribute_rows_add_up(o, s);
	if (k.link)
		memcpy(&link, names_text(&g->links, k.link), sizeof link);
	return attribute_rows_bound(m->at, k.op, &g->sums[row],
		k.link ? &link : NULL, ns, s, o);
}

/* Sets the class and the shape row of each launch. The shapes are not sorted
 * yet. */
static void attribute_rows_launches(const struct attribution *at,
	const struct attribute_rows_groups *g)
{
	const struct shape_stat *shapes = at->profile->operators.shapes;
	/* attribute_rows_kernels() numbered launches without a call in this
	 * order, before all copies and graphs. */
	uint32_t single = at->calls;

	for (uint32_t i = 0; i < at->proc->kernel.to - at->proc->kernel.from;
		i++) {
		uint32_t call = at->of[i].call == LAUNCH_NO_CALL
					? single++
					: at->of[i].call;
		at->busy_of[i] =
			(uint8_t)busy_classes_of_call(&shapes[g->row_of[call]],
				g->call_ns[call], at->platform);
		at->shape_of[i] = g->row_of[call];
	}
}

/* The dtypes of a call's work. False if its work is unknown: without a dtype, it
 * can have no peak. A collective has none. */
static bool attribute_rows_work_dtypes(const struct shape_stat *s,
	uint32_t *dtypes)
{
	*dtypes = 0;
	if (!s->costed || s->cost.link.kind || s->cost.flops[DTYPE_UNKNOWN])
		return false;
	for (enum dtype d = DTYPE_UNKNOWN + 1; d < DTYPES; d++)
		if (s->cost.flops[d] && dtype_counts(d))
			*dtypes |= UINT32_C(1) << d;
	return true;
}

/* The index of the row with these dtypes, which is added if it is new; NO_ROW if
 * the arena is full. */
static uint32_t attribute_rows_work_row(struct iteration_works *all,
	struct arena *a, bool known, uint32_t dtypes)
{
	uint32_t i = 0;

	while (i < all->n &&
		(all->rows[i].known != known || all->rows[i].dtypes != dtypes))
		i++;
	if (i < all->n)
		return i;
	struct iteration_work w = { .known = known, .dtypes = dtypes };
	size_t n = all->iterations_n;
	size_t flops_n = n * (size_t)__builtin_popcount(dtypes);
	w.time_ns = arena_array(a, int64_t, n);
	w.flops = arena_array(a, double, flops_n + 1);
	w.bytes = arena_array(a, double, n);
	w.recomputed_flops = arena_array(a, double, flops_n + 1);
	w.recompute_known_ns = arena_array(a, int64_t, n);
	if (!w.time_ns || !w.flops || !w.bytes || !w.recomputed_flops ||
		!w.recompute_known_ns)
		return NO_ROW;
	all->rows[all->n++] = w;
	return i;
}

/* Adds a call's operations to its iteration; `flops` is by dtype, then by
 * iteration. */
static void attribute_rows_work_flops(const struct iteration_works *all,
	uint32_t dtypes, const struct cost *c, uint32_t iteration,
	double *flops)
{
	flops += iteration;
	for (enum dtype d = 0; d < DTYPES; d++) {
		if (!(dtypes >> d & 1))
			continue;
		*flops += (double)c->flops[d];
		flops += all->iterations_n;
	}
}

/* Adds a call to its iteration. */
static void attribute_rows_work_add(const struct iteration_works *all,
	struct iteration_work *w, const struct cost *c,
	const struct attribute_rows_groups *g, uint32_t call)
{
	uint32_t iteration = g->iteration[call];
	int64_t ns = g->call_ns[call];

	w->time_ns[iteration] += ns;
	if (!w->known)
		return;
	w->bytes[iteration] += (double)c->read_bytes + (double)c->write_bytes;
	attribute_rows_work_flops(all, w->dtypes, c, iteration, w->flops);
	if (g->recompute[call] == RECOMPUTE_YES)
		attribute_rows_work_flops(all, w->dtypes, c, iteration,
			w->recomputed_flops);
	if (g->recompute[call] != RECOMPUTE_UNKNOWN)
		w->recompute_known_ns[iteration] += ns;
}

/* Adds up the work of each iteration. The shapes are not sorted yet. False if the
 * arena is full. */
static bool attribute_rows_work(const struct attribution *at,
	const struct attribute_rows_groups *g)
{
	struct arena *a = at->arena;
	struct operators *o = &at->profile->operators;
	struct iteration_works *all = &o->work;
	uint32_t *of = arena_grow(a, NULL, ((size_t)g->rows + 1) * sizeof *of);

	*all = (struct iteration_works){ .iterations_n =
						 at->profile->iterations.n };
	all->rows = arena_array(a, struct iteration_work, (size_t)g->rows + 1);
	bool ok = of && all->rows;
	if (ok && all->iterations_n)
		ok = attribute_rows_work_row(all, a, false, 0) != NO_ROW;
	for (uint32_t i = 0; ok && all->iterations_n && i < g->rows; i++) {
		uint32_t dtypes;
		bool known = attribute_rows_work_dtypes(&o->shapes[i], &dtypes);
		of[i] = attribute_rows_work_row(all, a, known, dtypes);
		ok = of[i] != NO_ROW;
	}
	for (uint32_t i = 0; ok && i < g->calls; i++) {
		uint32_t row = g->row_of[i];
		if (row != NO_ROW && g->iteration[i] < all->iterations_n)
			attribute_rows_work_add(all, &all->rows[of[row]],
				&o->shapes[row].cost, g, i);
	}
	arena_drop(a, of);
	return ok;
}

/* False if the arena is full. */
static bool attribute_rows_stat(const struct attribution *at,
	const struct attribute_rows_groups *g)
{
	struct arena *a = at->arena;
	struct operators *o = &at->profile->operators;
	struct attribute_rows_stats m = { .at = at, .g = g, .out = o };

	o->gpu_ns = at->profile->kernel_ns + at->profile->copy_ns +
		    at->profile->graph_ns;
	o->platform = at->platform ? at->platform->name : NULL;
	o->shapes = arena_array(a, struct shape_stat, (size_t)g->rows + 1);
	o->rows = arena_array(a, struct operator_stat, (size_t)g->rows + 1);
	attribute_rows_sum_parts(at, g);
	bool ok = o->shapes && o->rows && names_init(&m.operators, a) &&
		  attribute_rows_distribute(&m);
	for (uint32_t i = 0; ok && i < g->rows; i++)
		ok = attribute_rows_fill(&m, i);
	arena_drop(a, m.from);
	arena_drop(a, m.call_ns);
	arena_drop(a, m.scratch);
	if (ok) {
		o->shapes_n = g->rows;
		attribute_rows_launches(at, g);
		ok = attribute_rows_work(at, g) && attribute_rows_sort(o, a);
	}
	return ok;
}

/* The texts of grids that were needed before, by their number: a kernel is
 * launched with the same ones again and again. */
enum { GRID_TEXTS = 64 };
struct attribute_rows_grid_text {
	uint32_t launch; /* number of the grid, + 1; 0: free */
	char text[96];
};

/* Returns grid and block, such as "128x1x1 / 256x1x1"; "" if they are
 * unknown. */
static const char *attribute_rows_grid_text(const struct trace *t,
	uint32_t launch, struct attribute_rows_grid_text *texts)
{
	const struct launch_shape *s = trace_launch_shape_at(t, launch);
	const int32_t *g = s->grid, *b = s->block;
	struct attribute_rows_grid_text *is = &texts[launch % GRID_TEXTS];

	if (g[0] < 0)
		return "";
	if (is->launch != launch + 1)
		snprintf(is->text, sizeof is->text,
			"%" PRId32 "x%" PRId32 "x%" PRId32 " / %" PRId32
			"x%" PRId32 "x%" PRId32,
			g[0], g[1], g[2], b[0], b[1], b[2]);
	is->launch = launch + 1;
	return is->text;
}

/* The id of what a collective launch moved; 0 if its bytes are unknown. */
static uint32_t attribute_rows_link_id(struct attribute_rows_groups *g,
	const struct collective_call *c)
{
	if (c->bytes < 0)
		return 0;
	struct attribute_rows_link l = attribute_rows_link_of(c);
	return names_put(&g->links, (const char *)&l, sizeof l);
}

/* Notes the row of the launch that was added last. */
static bool attribute_rows_grid_add(struct attribute_rows_groups *g,
	const struct attribution *at, uint32_t i, uint32_t row)
{
	struct attribute_rows_grids *m = &g->grids;
	const struct trace *t = at->trace;
	uint32_t launch = t->kernel.launch[at->proc->kernel.from + i];
	const struct launch_shape *is = trace_launch_shape_at(t, launch);
	struct attribute_rows_grid key = { .kernel = at->kernel_of[i] };

	if (m->keys.n > 1 && key.kernel == m->kernel && launch == m->launch &&
		row == m->of)
		return true;
	m->kernel = key.kernel;
	m->launch = launch;
	m->of = row;
	if (is->grid[0] < 0)
		return true;
	memcpy(key.grid, is->grid, sizeof key.grid);
	memcpy(key.block, is->block, sizeof key.block);
	uint32_t known = m->keys.n;
	uint32_t id = names_put(&m->keys, (const char *)&key, sizeof key);
	void *array = m->row;
	if (id == NAMES_NONE || !attribute_rows_reserve(g->arena, &array,
					sizeof *m->row, &m->cap, id))
		return false;
	m->row = array;
	if (id == known)
		m->row[id - 1] = row;
	else if (m->row[id - 1] != row)
		m->row[id - 1] = NO_ROW;
	return true;
}

/* Sets the shapes of the rows by grid and block. False if the arena is full. */
static bool attribute_rows_grid_shapes(const struct attribution *at,
	const struct attribute_rows_groups *g)
{
	struct profile *p = at->profile;
	const struct operators *o = &p->operators;
	uint32_t *shape = arena_grow(at->arena, NULL,
		((size_t)g->rows + 1) * sizeof *shape);

	if (!shape)
		return false;
	for (uint32_t i = 0; i < o->shapes_n; i++)
		shape[o->shapes[i].number] =
			o->rows[o->shapes[i].operator_].name ? i + 1 : 0;
	for (uint32_t i = 0; i < p->stats_n; i++) {
		struct kernel_stat *s = &p->stats[i];
		struct attribute_rows_grid key = { .kernel = s->kernel };
		if (s->split != SPLIT_GRID)
			continue;
		memcpy(key.grid, s->grid, sizeof key.grid);
		memcpy(key.block, s->block, sizeof key.block);
		uint32_t id = names_find(&g->grids.keys, (const char *)&key,
			sizeof key);
		uint32_t row = id == NAMES_NONE || id == 0
				       ? NO_ROW
				       : g->grids.row[id - 1];
		s->shape = row == NO_ROW ? 0 : shape[row];
		s->shapes_several =
			id != NAMES_NONE && id != 0 && row == NO_ROW;
	}
	arena_drop(at->arena, shape);
	return true;
}

static bool attribute_rows_kernels(const struct attribution *at,
	const struct iteration_rows *iterations,
	struct attribute_rows_groups *g)
{
	const struct trace *t = at->trace;
	struct attribute_rows_grid_text texts[GRID_TEXTS] = { 0 };
	uint32_t from = at->proc->kernel.from;

	for (uint32_t i = 0; i < at->proc->kernel.to - from; i++) {
		const struct attributed *is = &at->of[i];
		const struct collective_call *c =
			collective_calls_at(at->collectives, i);
		bool moved = is->op && is->op->collective && is->sizes && c;
		uint32_t link = moved ? attribute_rows_link_id(g, c) : 0;
		const char *grid = "";
		if (moved && c->kind)
			grid = collective_word(c->kind);
		else if (is->op && !is->sizes)
			grid = attribute_rows_grid_text(t,
				t->kernel.launch[from + i], texts);
		if (!attribute_rows_groups_add(g, is, grid, link,
			    t->kernel.dur_ns[from + i],
			    iterations->kernel[i]) ||
			!attribute_rows_grid_add(g, at, i,
				g->row_of[is->call == LAUNCH_NO_CALL
						  ? g->calls - 1
						  : is->call]))
			return false;
	}
	return true;
}

static bool attribute_rows_graphs(const struct attribution *at,
	const struct iteration_rows *iterations,
	struct attribute_rows_groups *g)
{
	struct slice rows = at->proc->graph;

	for (uint32_t i = rows.from; i < rows.to; i++) {
		uint32_t iteration = iterations->graph[i - rows.from];
		struct attributed is = { .known = KNOWN_NOT,
			.phase = attribute_rows_phase(at->profile, iteration),
			.call = LAUNCH_NO_CALL };
		if (!attribute_rows_groups_add(g, &is, "", 0,
			    at->trace->graph.dur_ns[i], iteration))
			return false;
	}
	return true;
}

bool attribute_rows(const struct attribution *at,
	const struct iteration_rows *iterations)
{
	const struct process *proc = at->proc;
	uint32_t n = proc->kernel.to - proc->kernel.from + proc->copy.to -
		     proc->copy.from + proc->graph.to - proc->graph.from;
	struct attribute_rows_groups g;

	bool ok = attribute_rows_groups_init(&g, at->arena, at->calls, n) &&
		  attribute_rows_kernels(at, iterations, &g) &&
		  attribute_rows_copy(at, iterations, &g) &&
		  attribute_rows_graphs(at, iterations, &g) &&
		  attribute_rows_stat(at, &g) &&
		  attribute_rows_grid_shapes(at, &g) &&
		  attribute_rows_unattributed(at);
	attribute_rows_groups_release(&g);
	return ok;
}

/* Adds a line of an uploaded table to its operator, which has only one shape
 * row. */
static void attribute_rows_add_line(struct operators *o,
	const struct operator_info *is, enum how known,
	const struct time_stats *t)
{
	const char *name = is ? is->name : NULL;
	uint32_t i = 0;

	while (i < o->n &&
		(name ? !o->rows[i].name || strcmp(o->rows[i].name, name) != 0
		      : o->rows[i].name != NULL))
		i++;
	struct operator_stat *row = &o->rows[i];
	struct shape_stat *s = &o->shapes[i];
	if (i == o->n) {
		o->n++;
		*row = (struct operator_stat){ .name = name,
			.collective = is && is->collective,
			.shapes = 1 };
		*s = (struct shape_stat){ .operator_ = i,
			.known = known,
			.kept_calls = -1,
			.kept_ns = -1,
			.recomputed = { -1, -1 },
			.kept_recomputed = { -1, -1 },
			.sol_ns = NAN,
			.headroom_ns = -1,
			.clock_sol_ns = NAN };
	}
	int64_t launches = t->instances > 0 ? t->instances : 0;
	row->launches += launches;
	row->calls += launches;
	row->total_ns += t->total_ns;
	row->known_ns[known] += t->total_ns;
	s->launches += launches;
}

static void attribute_rows_finish_tables(struct operators *o)
{
	for (uint32_t i = 0; i < o->n; i++) {
		const struct operator_stat *row = &o->rows[i];
		struct time_stats *t = &o->shapes[i].call;
		*t = (struct time_stats)TIME_STATS_UNKNOWN;
		t->instances = row->calls;
		t->total_ns = row->total_ns;
		if (row->calls)
			t->avg_ns = (double)exact_tenths((wide_t)row->total_ns,
					    (wide_t)row->calls) /
				    10;
	}
	o->shapes_n = o->n;
}

static void attribute_rows_add_unattributed(struct operators *o,
	const struct kernel_stat *s)
{
	o->unattributed[o->unattributed_n++] = (struct unattributed){ s->kernel,
		s->time.instances, s->time.total_ns };
}

static const struct operator_info *attribute_rows_rule(const struct catalog *c,
	const struct profile_kernel *k)
{
	return k->op ? catalog_operator(c, k->op) : NULL;
}

bool attribute_tables(const struct catalog *c, struct profile *p)
{
	struct operators *o = &p->operators;
	size_t n = (size_t)p->stats_n + p->copy_stats_n + 1;

	o->rows = arena_array(p->arena, struct operator_stat, n);
	o->shapes = arena_array(p->arena, struct shape_stat, n);
	o->unattributed = arena_array(p->arena, struct unattributed, n);
	if (!o->rows || !o->shapes || !o->unattributed)
		return false;
	o->sm_clock_mhz = NAN;
	o->sm_clock_why = "an imported table has no clocks";
	o->gpu_ns = p->kernel_ns + p->copy_ns + p->graph_ns;
	for (uint32_t i = 0; i < p->stats_n; i++) {
		const struct kernel_stat *s = &p->stats[i];
		if (s->split != SPLIT_NONE)
			continue;
		const struct operator_info *is =
			attribute_rows_rule(c, &p->kernels[s->kernel]);
		attribute_rows_add_line(o, is, is ? KNOWN_RULE : KNOWN_NOT,
			&s->time);
		if (!is)
			attribute_rows_add_unattributed(o, s);
	}
	for (uint32_t i = 0; i < p->copy_stats_n; i++) {
		const struct copy_stat *s = &p->copy_stats[i];
		bool set = strstr(s->operation, "memset");
		const struct operator_info *is =
			catalog_operator(c, set ? "memset" : "copy");
		if (s->split == SPLIT_NONE)
			attribute_rows_add_line(o, is,
				is ? KNOWN_RECORD : KNOWN_NOT, &s->time);
	}
	attribute_rows_finish_tables(o);
	attribute_rows_sort_unattributed(o);
	return attribute_rows_sort(o, p->arena);
}
