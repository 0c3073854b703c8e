/* iteration_strata.c - finds which iterations did the same work, and describes
 * it.
 *
 * An iteration's signature is the first of these that it has:
 *
 *  - phase, requests and tokens that a serving engine wrote into the
 *    iteration's name, or into the only such range that began in it
 *    (serving_steps.h);
 *  - the dims of its operators that multiply matrices or convolve;
 *  - the grids and blocks of its kernels.
 *
 * Iterations are in one stratum if their signatures are of one kind and equal.
 * Signatures of the last two kinds need only share 90 % (the weighted Jaccard
 * index of the multisets). 60 % is enough if names and counts agree to 97 %:
 * during decoding, only the sizes of operators that attend to the growing
 * context change, but with another batch all sizes change. */
#include "iteration_parts.h"
#include "correlation.h"
#include "serving_steps.h"
#include "trace.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Items: what each iteration worked on. An item is a name with a size: an
 * operator with its dims, or a kernel with its grid and block.
 *
 * The operators are those whose API calls launched something. The operator of
 * an API call is the innermost one with Input Dims that was open on the call's
 * thread when the call began. Each operator is counted once, in the iteration
 * of its first launch. Grids are counted if the trace contains them. If no
 * operator has dims, there are no operator items. */

enum { OP_NONE = UINT32_MAX };

/* Operators on a thread are nested. So a stack of them is stored as its top,
 * and for each operator the one around it. */
struct iteration_items_stacks {
	const struct op_rows *op;
	uint32_t first; /* row of the slice */
	uint32_t *top; /* by thread; row + 1 */
	uint32_t *below; /* by row of the slice; row + 1 */
};

static int64_t iteration_strata_items_end_of(const struct op_rows *op,
	uint32_t row)
{
	return op->start_ns[row] + op->dur_ns[row];
}

static void iteration_strata_items_close(struct iteration_items_stacks *s,
	uint32_t thread, int64_t at_ns)
{
	uint32_t *top = &s->top[thread];

	while (*top && iteration_strata_items_end_of(s->op, *top - 1) <= at_ns)
		*top = s->below[*top - 1 - s->first];
}

/* Operators without dims are not pushed, so that the innermost with dims is on top. */
static void iteration_strata_items_open(struct iteration_items_stacks *s,
	uint32_t row)
{
	uint32_t thread = s->op->thread[row];

	if (!s->op->dims[row])
		return;
	iteration_strata_items_close(s, thread, s->op->start_ns[row]);
	s->below[row - s->first] = s->top[thread];
	s->top[thread] = row + 1;
}

static bool iteration_strata_items_any_dims(const struct op_rows *op,
	struct slice rows)
{
	for (uint32_t i = rows.from; i < rows.to; i++)
		if (op->dims[i])
			return true;
	return false;
}

/* Sets *op_of to an array with the operator's row, or OP_NONE, for each API
 * call of the process; to NULL if no operator has dims. It is allocated from
 * `a`, an arena for temporary data. False if `a` is full. */
static bool iteration_strata_items_find_ops(const struct trace *t,
	const struct process *proc, struct arena *a, uint32_t **op_of)
{
	const struct call_rows *c = &t->call;
	struct iteration_items_stacks s = { .op = &t->op,
		.first = proc->op.from };
	uint32_t row = proc->op.from;
	size_t calls = proc->call.to - proc->call.from;

	*op_of = NULL;
	if (!iteration_strata_items_any_dims(&t->op, proc->op))
		return true;
	s.top = arena_grow(a, NULL, (size_t)t->names.n * sizeof *s.top);
	s.below = arena_grow(a, NULL,
		((size_t)(proc->op.to - row) + 1) * sizeof *s.below);
	uint32_t *of = arena_grow(a, NULL, (calls + 1) * sizeof *of);
	if (!s.top || !s.below || !of)
		return false;
	for (uint32_t i = proc->call.from; i < proc->call.to; i++) {
		uint32_t thread = c->thread[i];
		while (row < proc->op.to &&
			t->op.start_ns[row] <= c->start_ns[i])
			iteration_strata_items_open(&s, row++);
		iteration_strata_items_close(&s, thread, c->start_ns[i]);
		of[i - proc->call.from] =
			thread && s.top[thread] ? s.top[thread] - 1 : OP_NONE;
	}
	arena_drop(a, s.top);
	arena_drop(a, s.below);
	*op_of = of;
	return true;
}

/* Fills the entries with the items of rows that are in iterations, one
 * iteration after the other. of[] is the iteration of each row, or
 * ITERATION_NONE. */
static bool iteration_strata_items_distribute(struct iteration_items *s,
	const uint32_t *of, const uint32_t *item, uint32_t rows,
	uint32_t iterations_n, struct arena *a)
{
	s->n = s->keys.n - 1;
	s->from = arena_grow(a, NULL,
		((size_t)iterations_n + 2) * sizeof *s->from);
	s->entry = arena_grow(a, NULL, ((size_t)rows + 1) * sizeof *s->entry);
	if (!s->from || !s->entry)
		return false;
	/* An iteration is counted two entries further and filled one entry
	 * further, so that from[] is right in the end. */
	for (uint32_t i = 0; i < rows; i++)
		if (of[i] != ITERATION_NONE)
			s->from[of[i] + 2]++;
	for (uint32_t c = 0; c < iterations_n; c++)
		s->from[c + 2] += s->from[c + 1];
	for (uint32_t i = 0; i < rows; i++)
		if (of[i] != ITERATION_NONE)
			s->entry[s->from[of[i] + 1]++] = item[i];
	return true;
}

static bool iteration_strata_items_put(struct iteration_items *s,
	struct iteration_item key, uint32_t *item)
{
	uint32_t id = names_put(&s->keys, (const char *)&key, sizeof key);

	*item = id - 1;
	return id != NAMES_NONE;
}

/* Assigns each operator to the iteration of its first launch. */
static void iteration_strata_items_assign_ops(const struct iteration_gpu *g,
	const uint32_t *op_of, uint32_t *of)
{
	for (int k = 0; k < ITERATION_GPU_KINDS; k++) {
		const struct iteration_gpu_rows *r = &g->kind[k];
		for (uint32_t i = 0; i < r->rows.to - r->rows.from; i++) {
			if (r->call_of[i] == CORRELATION_NONE ||
				r->iteration[i] == ITERATION_NONE)
				continue;
			uint32_t op = op_of[r->call_of[i] - g->proc->call.from];
			if (op == OP_NONE)
				continue;
			uint32_t *iteration = &of[op - g->proc->op.from];
			if (*iteration == ITERATION_NONE)
				*iteration = r->iteration[i];
		}
	}
}

/* Fills the items of operators. If no operator has dims, there are no entries.
 * `a` is an arena for temporary data; false if it is full. */
static bool iteration_strata_items_ops(struct iteration_items *s,
	const struct iteration_gpu *g, uint32_t iterations_n, struct arena *a)
{
	const struct op_rows *op = &g->t->op;
	struct slice rows = g->proc->op;
	uint32_t n = rows.to - rows.from, *op_of;
	bool ok = true;

	*s = (struct iteration_items){ .kind = WORK_OP,
		.names_n = g->t->names.n };
	if (!names_init(&s->keys, a) ||
		!iteration_strata_items_find_ops(g->t, g->proc, a, &op_of))
		return false;
	if (!op_of)
		n = 0;
	uint32_t *of = arena_grow(a, NULL, ((size_t)n + 1) * sizeof *of);
	uint32_t *item = arena_grow(a, NULL, ((size_t)n + 1) * sizeof *item);
	if (!of || !item)
		return false;
	memset(of, 0xFF, (size_t)n * sizeof *of);
	if (op_of)
		iteration_strata_items_assign_ops(g, op_of, of);
	for (uint32_t i = 0; ok && i < n; i++) {
		uint32_t row = rows.from + i;
		struct iteration_item key = { op->name[row], op->dims[row] };
		ok = of[i] == ITERATION_NONE ||
		     iteration_strata_items_put(s, key, &item[i]);
	}
	ok = ok &&
	     iteration_strata_items_distribute(s, of, item, n, iterations_n, a);
	arena_drop(a, op_of);
	arena_drop(a, of);
	arena_drop(a, item);
	return ok;
}

struct iteration_grid {
	int32_t grid[3], block[3]; /* hashed as bytes */
};

/* Returns for each launch shape the number of its grid and block, 0 if it has
 * no grid. */
static uint32_t *iteration_strata_items_grid_of(struct iteration_items *s,
	const struct trace *t, struct arena *a)
{
	uint32_t n = t->launch_shapes.n;
	uint32_t *grid = arena_grow(a, NULL, ((size_t)n + 1) * sizeof *grid);

	for (uint32_t i = 1; grid && i < n; i++) {
		const struct launch_shape *l = trace_launch_shape_at(t, i);
		if (l->grid[0] < 0)
			continue;
		struct iteration_grid key;
		memcpy(key.grid, l->grid, sizeof key.grid);
		memcpy(key.block, l->block, sizeof key.block);
		grid[i] = names_put(&s->grids, (const char *)&key, sizeof key);
		if (grid[i] == NAMES_NONE)
			return NULL;
	}
	return grid;
}

static bool iteration_strata_items_grids(struct iteration_items *s,
	const struct iteration_gpu *g, const uint32_t *kernel_of,
	uint32_t kernels_n, uint32_t iterations_n, struct arena *a)
{
	const struct iteration_gpu_rows *k = &g->kind[ITERATION_KERNEL];
	uint32_t n = k->rows.to - k->rows.from, *grid = NULL;
	bool ok = true;

	*s = (struct iteration_items){ .kind = WORK_GRID,
		.names_n = kernels_n };
	uint32_t *item = arena_grow(a, NULL, ((size_t)n + 1) * sizeof *item);
	if (!item || !names_init(&s->keys, a) || !names_init(&s->grids, a) ||
		!(grid = iteration_strata_items_grid_of(s, g->t, a)))
		return false;
	for (uint32_t i = 0; ok && i < n; i++) {
		uint32_t launch = g->t->kernel.launch[k->rows.from + i];
		struct iteration_item key = { kernel_of[i], grid[launch] };
		ok = k->iteration[i] == ITERATION_NONE ||
		     iteration_strata_items_put(s, key, &item[i]);
	}
	ok = ok && iteration_strata_items_distribute(s, k->iteration, item, n,
			   iterations_n, a);
	arena_drop(a, grid);
	arena_drop(a, item);
	return ok;
}

static struct iteration_item
iteration_strata_items_at(const struct iteration_items *s, uint32_t item)
{
	struct iteration_item key;

	memcpy(&key, names_text(&s->keys, item + 1), sizeof key);
	return key;
}

/* "128x1x1 / 256x1x1", or "128x1x1" if the block is unknown; "" if the grid is
 * unknown. An operator's dims as the trace has them. */
static const char *iteration_strata_items_size(const struct iteration_items *s,
	const struct trace *t, uint32_t item, struct arena *a)
{
	struct iteration_item key = iteration_strata_items_at(s, item);
	struct iteration_grid g;

	if (!key.size)
		return "";
	if (s->kind == WORK_OP)
		return names_text(&t->names, key.size);
	memcpy(&g, names_text(&s->grids, key.size), sizeof g);
	if (g.block[0] < 0)
		return arena_printf(a, "%dx%dx%d", g.grid[0], g.grid[1],
			g.grid[2]);
	return arena_printf(a, "%dx%dx%d / %dx%dx%d", g.grid[0], g.grid[1],
		g.grid[2], g.block[0], g.block[1], g.block[2]);
}

struct iteration_strata_similarity {
	const struct iteration_items *items;
	const uint8_t *counts; /* by item: whether it does; NULL: all do */
	uint32_t *item,
		*name; /* of the iteration that is compared with others */
	uint32_t *item_met, *name_met;
	uint32_t iteration, size;
};

enum {
	STRATA_MAX = 1000, /* further strata are merged into "other work" */
	STRATA_TRIED =
		64, /* that an iteration equal to none is compared with */
};

/* How much the items of two iterations have in common. */

/* Allocates the arrays from `a`; false if it is full. */
static bool iteration_strata_similarity_init(struct iteration_strata_similarity
						     *s,
	const struct iteration_items *items, const uint8_t *counts,
	struct arena *a)
{
	size_t n = (size_t)items->n + 1, names = (size_t)items->names_n + 1;

	*s = (struct iteration_strata_similarity){ .items = items,
		.counts = counts,
		.item = arena_grow(a, NULL, n * sizeof *s->item),
		.item_met = arena_grow(a, NULL, n * sizeof *s->item_met),
		.name = arena_grow(a, NULL, names * sizeof *s->name),
		.name_met = arena_grow(a, NULL, names * sizeof *s->name_met) };
	return s->item && s->item_met && s->name && s->name_met;
}

static bool iteration_strata_counts_item(
	const struct iteration_strata_similarity *s, uint32_t item)
{
	return !s->counts || s->counts[item];
}

/* Adds so many to the counts of an iteration's items and names. */
static uint32_t
iteration_strata_add_items(const struct iteration_strata_similarity *s,
	uint32_t iteration, uint32_t *item, uint32_t *name, uint32_t by)
{
	const struct iteration_items *x = s->items;
	uint32_t n = 0;

	for (uint32_t i = x->from[iteration]; i < x->from[iteration + 1]; i++) {
		if (!iteration_strata_counts_item(s, x->entry[i]))
			continue;
		item[x->entry[i]] += by;
		name[iteration_strata_items_at(x, x->entry[i]).name] += by;
		n++;
	}
	return n;
}

/* Selects an iteration for comparison with others, and deselects it. */
static void iteration_strata_take(struct iteration_strata_similarity *s,
	uint32_t iteration)
{
	s->iteration = iteration;
	s->size = iteration_strata_add_items(s, iteration, s->item, s->name, 1);
}

static void iteration_strata_drop(struct iteration_strata_similarity *s)
{
	iteration_strata_add_items(s, s->iteration, s->item, s->name, -1u);
}

/* Whether another did the same work. */
static bool iteration_strata_is_similar(struct iteration_strata_similarity *s,
	uint32_t other)
{
	const struct iteration_items *x = s->items;
	uint32_t same = 0, named = 0, n = 0;

	for (uint32_t i = x->from[other]; i < x->from[other + 1]; i++) {
		uint32_t item = x->entry[i];
		if (!iteration_strata_counts_item(s, item))
			continue;
		uint32_t name = iteration_strata_items_at(x, item).name;
		same += s->item_met[item]++ < s->item[item];
		named += s->name_met[name]++ < s->name[name];
		n++;
	}
	iteration_strata_add_items(s, other, s->item_met, s->name_met, -1u);
	double all = (double)n + s->size;
	return same >= 0.9 * (all - same) ||
	       (named >= 0.97 * (all - named) && same * 2 >= 0.6 * all);
}

static uint64_t iteration_strata_mix(uint64_t x)
{
	x = (x + UINT64_C(0x9E3779B97F4A7C15)) * UINT64_C(0xBF58476D1CE4E5B9);
	x ^= x >> 29;
	x *= UINT64_C(0x94D049BB133111EB);
	return x ^ x >> 32;
}

/* Entries of an iteration that count, and a hash of them, in any order. */
static uint32_t iteration_strata_hash(const struct iteration_strata_similarity
					      *s,
	uint32_t iteration, uint64_t *hash)
{
	const struct iteration_items *x = s->items;
	uint32_t n = 0;

	*hash = 0;
	for (uint32_t i = x->from[iteration]; i < x->from[iteration + 1]; i++) {
		if (!iteration_strata_counts_item(s, x->entry[i]))
			continue;
		*hash += iteration_strata_mix(x->entry[i]);
		n++;
	}
	return n;
}

/* A stratum's work in words, and which operators describe it. */

enum { SIZE_SHOWN = 48, ITEMS_SHOWN = 2 };

static bool iteration_strata_is_gemm(const char *name)
{
	static const char *const words[] = { "mm", "addmm", "bmm", "baddbmm",
		"addbmm", "linear", "matmul", "_scaled_mm", "_int_mm",
		"_grouped_mm", "_scaled_grouped_mm", "einsum" };
	const char *last = strrchr(name, ':');

	name = last ? last + 1 : name;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(name, words[i]))
			return true;
	return strstr(name, "conv") || strstr(name, "gemm");
}

/* Returns for each item whether the operator multiplies matrices or convolves.
 * NULL if the arena is full. */
static uint8_t *iteration_strata_gemms(const struct iteration_items *ops,
	const struct trace *t, struct arena *a)
{
	uint8_t *counts = arena_grow(a, NULL, (size_t)ops->n + 1);

	for (uint32_t i = 0; counts && i < ops->n; i++)
		counts[i] = iteration_strata_is_gemm(names_text(&t->names,
			iteration_strata_items_at(ops, i).name));
	return counts;
}

static const char *iteration_strata_phase_text(enum phase phase)
{
	static const char *const texts[] = { [PHASE_UNKNOWN] = "step",
		[PHASE_PREFILL] = "prefill",
		[PHASE_DECODE] = "decode",
		[PHASE_MIXED] = "prefill and decode" };

	return texts[phase];
}

/* "decode, 16 sequences, 16 tokens" */
static const char *iteration_strata_serving_text(const struct step_label *s,
	struct arena *a)
{
	const char *text = arena_printf(a, "%s, %" PRId64 " sequence%s",
		iteration_strata_phase_text(s->phase), s->all.reqs,
		s->all.reqs == 1 ? "" : "s");

	if (!text || s->all.q < 0)
		return text;
	text = arena_printf(a, "%s, %" PRId64 " token%s", text, s->all.q,
		s->all.q == 1 ? "" : "s");
	if (!text || s->phase != PHASE_MIXED || s->prefill.q < 0)
		return text;
	return arena_printf(a, "%s (%" PRId64 " of %" PRId64 " in prefill)",
		text, s->prefill.q, s->prefill.reqs);
}

/* Elements of the first tensor of dims, so that large ones come first. */
static double iteration_strata_elements(const char *dims)
{
	double n = 1, number = 0;
	bool any = false, digits = false;

	for (const char *c = dims + strspn(dims, "["); *c && *c != ']'; c++) {
		if (*c >= '0' && *c <= '9') {
			number = number * 10 + (*c - '0');
			digits = true;
		} else if (digits) {
			n *= number;
			number = 0;
			digits = false;
			any = true;
		}
	}
	return digits ? n * number : any ? n : 0;
}

/* Counts in s->item_met how often each item is in the iteration. */
static void
iteration_strata_count_items(const struct iteration_strata_similarity *s,
	uint32_t iteration, uint32_t by)
{
	const struct iteration_items *x = s->items;

	for (uint32_t i = x->from[iteration]; i < x->from[iteration + 1]; i++)
		if (!s->counts || s->counts[x->entry[i]])
			s->item_met[x->entry[i]] += by;
}

/* The item with most elements except those taken; UINT32_MAX none. */
static uint32_t iteration_strata_largest(
	const struct iteration_strata_similarity *s, uint32_t iteration,
	const struct trace *t, const uint32_t *taken, uint32_t taken_n)
{
	const struct iteration_items *x = s->items;
	uint32_t found = UINT32_MAX;
	double most = -1;

	for (uint32_t i = x->from[iteration]; i < x->from[iteration + 1]; i++) {
		uint32_t item = x->entry[i];
		bool new = s->item_met[item];
		for (uint32_t k = 0; k < taken_n; k++)
			new &= item != taken[k];
		if (!new)
			continue;
		double size =
			iteration_strata_elements(names_text(&t->names,
				iteration_strata_items_at(x, item).size)) *
			s->item_met[item];
		if (size > most || (size >= most && item < found)) {
			most = size;
			found = item;
		}
	}
	return found;
}

/* Where a text is cut, so that no character is. */
static int iteration_strata_text_end(const char *text)
{
	size_t n = strlen(text);

	if (n <= SIZE_SHOWN)
		return (int)n;
	for (n = SIZE_SHOWN; n && ((unsigned char)text[n] & 0xC0) == 0x80;)
		n--;
	return (int)n;
}

static const char *iteration_strata_append_item(struct arena *a,
	const char *before, const char *name, const char *size, uint32_t n)
{
	int shown = iteration_strata_text_end(size);

	return arena_printf(a, "%s%s%.80s %.*s%s ×%" PRIu32, before,
		*before ? ", " : "", name, shown, size, size[shown] ? "…" : "",
		n);
}

/* "aten::mm [[64,128],[128,17]] ×12, aten::addmm … ×2, …": two items that count,
 * those with most elements, and that there are more. */
static const char *
iteration_strata_ops_text(const struct iteration_strata_similarity *s,
	uint32_t iteration, const struct trace *t, struct arena *a)
{
	const char *text = "";
	uint32_t taken[ITEMS_SHOWN], n = 0, item;

	iteration_strata_count_items(s, iteration, 1);
	while (text && n < ITEMS_SHOWN &&
		(item = iteration_strata_largest(s, iteration, t, taken, n)) !=
			UINT32_MAX) {
		struct iteration_item key =
			iteration_strata_items_at(s->items, item);
		text = iteration_strata_append_item(a, text,
			names_text(&t->names, key.name),
			names_text(&t->names, key.size), s->item_met[item]);
		taken[n++] = item;
	}
	if (text && iteration_strata_largest(s, iteration, t, taken, n) !=
			    UINT32_MAX)
		text = arena_printf(a, "%s, …", text);
	iteration_strata_count_items(s, iteration, -1u);
	return text;
}

/* "grids of 57 kernels" */
static const char *
iteration_strata_grids_text(const struct iteration_strata_similarity *s,
	uint32_t iteration, struct arena *a)
{
	const struct iteration_items *x = s->items;
	uint32_t n = 0;

	for (uint32_t i = x->from[iteration]; i < x->from[iteration + 1]; i++)
		n += !s->name_met[iteration_strata_items_at(x, x->entry[i])
					  .name]++;
	for (uint32_t i = x->from[iteration]; i < x->from[iteration + 1]; i++)
		s->name_met[iteration_strata_items_at(x, x->entry[i]).name] = 0;
	return arena_printf(a, "grids of %" PRIu32 " kernel%s", n,
		n == 1 ? "" : "s");
}

enum iteration_strata_signature { NO_WORK, SERVING, OPS, GRIDS, OTHER };

/* The signatures of the strata so far. */
struct iteration_strata_known {
	enum iteration_strata_signature by;
	struct step_label serving;
	uint32_t iteration; /* the first */
	int64_t kv_tokens, iterations; /* their sum; how many gave it */
};

struct iteration_strata_maker {
	const struct iteration_gpu *g;
	struct profile *p;
	struct arena *a;
	struct iteration_strata_similarity ops, grids;
	struct step_label *announced; /* by iteration; PHASE_UNKNOWN none */
	bool *no_label; /* by name of the trace: it was read and is no label */
	struct names hashes; /* of struct iteration_strata_exact */
	uint32_t *of_hash; /* by id: stratum */
	uint32_t hashes_cap;
	struct iteration_strata_known *known;
	uint32_t n;
};

/* Equal signatures have equal values here. Hashed as bytes, so without
 * padding. */
struct iteration_strata_exact {
	uint64_t by, hash;
	int64_t serving[5];
};

/* Whether two steps do the same work, however much they attend to. */
static bool iteration_strata_same_work(const struct step_label *a,
	const struct step_label *b)
{
	return a->phase == b->phase && a->all.reqs == b->all.reqs &&
	       a->all.q == b->all.q && a->prefill.reqs == b->prefill.reqs &&
	       a->prefill.q == b->prefill.q;
}

/* If an iteration contains a second range of a serving step, neither range
 * describes the iteration. */
static void iteration_strata_merge_serving(struct step_label *to,
	uint8_t *twice, const struct step_label *s)
{
	if (to->phase == PHASE_UNKNOWN && !*twice)
		*to = *s;
	else if (!iteration_strata_same_work(to, s)) {
		*to = (struct step_label){ .phase = PHASE_UNKNOWN };
		*twice = 1;
	}
}

static bool iteration_strata_label(const struct iteration_strata_maker *m,
	const char *name, struct step_label *out)
{
	return catalog_step_label(m->g->catalog, name, strlen(name), out) ==
	       STEP_LABEL_READ;
}

static bool iteration_strata_row_label(struct iteration_strata_maker *m,
	uint32_t row, struct step_label *out)
{
	const struct trace *t = m->g->t;
	uint32_t name = t->range.name[row];

	if (!m->no_label[name])
		m->no_label[name] = !iteration_strata_label(m,
			names_text(&t->names, name), out);
	return !m->no_label[name];
}

/* Reads the ranges inside iterations. A range on the GPU's timeline belongs to
 * the iteration in which it starts. If there is only one iteration, any range
 * does. */
static bool iteration_strata_serving_within(struct iteration_strata_maker *m)
{
	const struct range_rows *r = &m->g->t->range;
	struct slice rows = m->g->proc->range;
	const struct iterations *c = &m->p->iterations;
	struct step_label s = { .phase = PHASE_UNKNOWN };
	uint32_t at = 0;
	uint8_t *twice = arena_grow(m->a, NULL, (size_t)c->n + 1);

	for (uint32_t i = rows.from; twice && i < rows.to; i++) {
		bool gpu = r->kind[i] == RANGE_GPU_ANNOTATION;
		if ((!gpu && (c->n != 1 || r->kind[i] != RANGE_ANNOTATION)) ||
			!iteration_strata_row_label(m, i, &s))
			continue;
		while (gpu && at < c->n &&
			c->iterations[at].start_ns + c->iterations[at].dur_ns <=
				r->start_ns[i])
			at++;
		uint32_t iteration = gpu ? at : 0;
		if (iteration < c->n && !c->iterations[iteration].label &&
			(!gpu || c->iterations[iteration].start_ns <=
					 r->start_ns[i]))
			iteration_strata_merge_serving(&m->announced[iteration],
				&twice[iteration], &s);
	}
	arena_drop(m->a, twice);
	return twice;
}

static bool iteration_strata_serving(struct iteration_strata_maker *m)
{
	const struct iterations *c = &m->p->iterations;

	m->announced = arena_grow(m->a, NULL,
		((size_t)c->n + 1) * sizeof *m->announced);
	m->no_label = arena_grow(m->a, NULL, m->g->t->names.n);
	if (!m->announced || !m->no_label)
		return false;
	for (uint32_t i = 0; i < c->n; i++)
		if (!c->iterations[i].label ||
			!iteration_strata_label(m, c->iterations[i].label,
				&m->announced[i]))
			m->announced[i].phase = PHASE_UNKNOWN;
	return iteration_strata_serving_within(m);
}

static enum iteration_strata_signature
iteration_strata_signature(const struct iteration_strata_maker *m,
	uint32_t iteration, struct iteration_strata_exact *e)
{
	const struct step_label *s = &m->announced[iteration];

	*e = (struct iteration_strata_exact){ .by = SERVING };
	if (s->phase != PHASE_UNKNOWN) {
		const int64_t numbers[] = { s->phase, s->all.reqs, s->all.q,
			s->prefill.reqs, s->prefill.q };
		for (int i = 0; i < 5; i++)
			e->serving[i] = numbers[i];
	} else if (iteration_strata_hash(&m->ops, iteration, &e->hash)) {
		e->by = OPS;
	} else {
		bool any =
			iteration_strata_hash(&m->grids, iteration, &e->hash);
		e->by = any ? GRIDS : NO_WORK;
	}
	return (enum iteration_strata_signature)e->by;
}

/* For an iteration whose signature is new: a stratum to which it is similar; n
 * if there is none. */
static uint32_t iteration_strata_similar(struct iteration_strata_maker *m,
	uint32_t iteration, enum iteration_strata_signature by)
{
	struct iteration_strata_similarity *s = by == OPS ? &m->ops : &m->grids;
	uint32_t tried = 0, found = m->n;

	if (by != OPS && by != GRIDS)
		return m->n;
	iteration_strata_take(s, iteration);
	for (uint32_t i = 0; i < m->n && tried < STRATA_TRIED; i++) {
		if (m->known[i].by != by)
			continue;
		tried++;
		if (iteration_strata_is_similar(s, m->known[i].iteration)) {
			found = i;
			break;
		}
	}
	iteration_strata_drop(s);
	return found;
}

/* The stratum of a signature. A new signature gets the next number. NAMES_NONE
 * if the arena is full. */
static uint32_t iteration_strata_stratum_of(struct iteration_strata_maker *m,
	uint32_t iteration, struct iteration_strata_exact *e,
	enum iteration_strata_signature by)
{
	uint32_t before = m->hashes.n;
	uint32_t id = names_put(&m->hashes, (const char *)e, sizeof *e);

	if (id == NAMES_NONE || id < before)
		return id == NAMES_NONE ? id : m->of_hash[id];
	if (id >= m->hashes_cap) {
		uint32_t cap = (id + 1) * 2;
		uint32_t *grown =
			arena_grow(m->a, m->of_hash, cap * sizeof *grown);
		if (!grown)
			return NAMES_NONE;
		m->of_hash = grown;
		m->hashes_cap = cap;
	}
	uint32_t found = iteration_strata_similar(m, iteration, by);
	if (found == STRATA_MAX)
		found = STRATA_MAX - 1;
	if (found == m->n) {
		bool last = m->n + 1 == STRATA_MAX;
		m->known[m->n++] =
			(struct iteration_strata_known){ .by = last ? OTHER
								    : by,
				.serving = m->announced[iteration],
				.iteration = iteration };
	}
	m->of_hash[id] = found;
	return found;
}

static bool iteration_strata_assign(struct iteration_strata_maker *m)
{
	struct iterations *c = &m->p->iterations;
	struct iteration_strata_exact e;

	for (uint32_t i = 0; i < c->n; i++) {
		enum iteration_strata_signature by =
			iteration_strata_signature(m, i, &e);
		uint32_t stratum = iteration_strata_stratum_of(m, i, &e, by);
		if (stratum == NAMES_NONE)
			return false;
		c->iterations[i].stratum = stratum;
		if (by == SERVING && m->announced[i].all.k >= 0) {
			m->known[stratum].kv_tokens += m->announced[i].all.k;
			m->known[stratum].iterations++;
		}
	}
	return true;
}

static const char *iteration_strata_text_of(const struct iteration_strata_maker
						    *m,
	const struct iteration_strata_known *k)
{
	struct arena *a = m->p->arena;

	switch (k->by) {
	case SERVING:
		return iteration_strata_serving_text(&k->serving, a);
	case OPS:
		return iteration_strata_ops_text(&m->ops, k->iteration, m->g->t,
			a);
	case GRIDS:
		return iteration_strata_grids_text(&m->grids, k->iteration, a);
	case OTHER:
		return "other work";
	case NO_WORK:
	default:
		return "no kernels";
	}
}

static bool iteration_strata_describe(struct iteration_strata_maker *m)
{
	struct iterations *c = &m->p->iterations;

	c->strata = arena_array(m->p->arena, struct stratum, (size_t)m->n + 1);
	if (!c->strata)
		return false;
	c->strata_n = m->n;
	for (uint32_t i = 0; i < m->n; i++) {
		const struct iteration_strata_known *k = &m->known[i];
		bool serving = k->by == SERVING;
		c->strata[i] = (struct stratum){
			.text = iteration_strata_text_of(m, k),
			.phase = serving ? k->serving.phase : PHASE_UNKNOWN,
			.sequences = serving ? k->serving.all.reqs : -1,
			.tokens = serving ? k->serving.all.q : -1,
			.kv_tokens = k->iterations
					     ? k->kv_tokens / k->iterations
					     : -1
		};
		if (!c->strata[i].text)
			return false;
	}
	return true;
}

bool iteration_strata_find(const struct iteration_gpu *g,
	const uint32_t *kernel_of, struct profile *p, struct arena *a,
	struct iteration_items *ops, struct iteration_items *grids)
{
	struct iteration_strata_maker m = { .g = g, .p = p, .a = a };

	if (!iteration_strata_items_ops(ops, g, p->iterations.n, a) ||
		!iteration_strata_items_grids(grids, g, kernel_of, p->kernels_n,
			p->iterations.n, a))
		return false;
	uint8_t *counts = iteration_strata_gemms(ops, g->t, a);
	m.known = arena_grow(a, NULL, STRATA_MAX * sizeof *m.known);
	return counts && m.known && names_init(&m.hashes, a) &&
	       iteration_strata_similarity_init(&m.ops, ops, counts, a) &&
	       iteration_strata_similarity_init(&m.grids, grids, NULL, a) &&
	       iteration_strata_serving(&m) && iteration_strata_assign(&m) &&
	       iteration_strata_describe(&m);
}

struct iteration_strata_place {
	struct stratum s;
	uint32_t was;
};

static int iteration_strata_most_iterations(const void *left, const void *right)
{
	const struct iteration_strata_place *a = left, *b = right;

	if (a->s.iterations != b->s.iterations)
		return a->s.iterations > b->s.iterations ? -1 : 1;
	return (a->was > b->was) - (a->was < b->was);
}

/* Counts kept iterations, and sorts the strata by this count, largest first. */
static bool iteration_strata_sort(struct iterations *c, struct arena *a)
{
	size_t n = (size_t)c->strata_n + 1;
	struct iteration_strata_place *place =
		arena_grow(a, NULL, n * sizeof *place);
	uint32_t *now = arena_grow(a, NULL, n * sizeof *now);

	if (!place || !now)
		return false;
	for (uint32_t i = 0; i < c->n; i++)
		c->strata[c->iterations[i].stratum].iterations +=
			c->iterations[i].use == ITERATION_KEPT;
	for (uint32_t i = 0; i < c->strata_n; i++)
		place[i] = (struct iteration_strata_place){ c->strata[i], i };
	qsort(place, c->strata_n, sizeof *place,
		iteration_strata_most_iterations);
	for (uint32_t i = 0; i < c->strata_n; i++) {
		c->strata[i] = place[i].s;
		now[place[i].was] = i;
	}
	for (uint32_t i = 0; i < c->n; i++)
		c->iterations[i].stratum = now[c->iterations[i].stratum];
	return true;
}

/* The sizes that each stratum's kept iterations worked on. */

struct iteration_strata_works {
	const struct trace *t;
	struct profile *p;
	struct arena *a;
	struct work *found; /* of a stratum and kind */
	uint32_t *count; /* by item */
	uint32_t *order, *from; /* kept iterations, stratum by stratum */
	uint32_t cap; /* of p->iterations.works */
};

/* Kept iterations in order of their strata. */
static bool iteration_strata_by_stratum(struct iteration_strata_works *m)
{
	const struct iterations *c = &m->p->iterations;

	m->from = arena_grow(m->a, NULL,
		((size_t)c->strata_n + 2) * sizeof *m->from);
	m->order =
		arena_grow(m->a, NULL, ((size_t)c->n + 1) * sizeof *m->order);
	if (!m->from || !m->order)
		return false;
	for (uint32_t i = 0; i < c->n; i++)
		if (c->iterations[i].use == ITERATION_KEPT)
			m->from[c->iterations[i].stratum + 2]++;
	for (uint32_t s = 0; s < c->strata_n; s++)
		m->from[s + 2] += m->from[s + 1];
	for (uint32_t i = 0; i < c->n; i++)
		if (c->iterations[i].use == ITERATION_KEPT)
			m->order[m->from[c->iterations[i].stratum + 1]++] = i;
	return true;
}

static int iteration_strata_most_frequent(const void *left, const void *right)
{
	const struct work *a = left, *b = right;

	if (a->per_iteration > b->per_iteration ||
		a->per_iteration < b->per_iteration)
		return a->per_iteration > b->per_iteration ? -1 : 1;
	int names = strcmp(a->name, b->name);
	return names ? names : strcmp(a->size, b->size);
}

static bool iteration_strata_append_works(struct iteration_strata_works *m,
	uint32_t n)
{
	struct iterations *c = &m->p->iterations;

	if (n == 0)
		return true;
	if (c->works_n + n > m->cap) {
		uint32_t cap = (c->works_n + n) * 2;
		struct work *grown =
			arena_grow(m->p->arena, c->works, cap * sizeof *grown);
		if (!grown)
			return false;
		c->works = grown;
		m->cap = cap;
	}
	memcpy(c->works + c->works_n, m->found, n * sizeof *m->found);
	c->works_n += n;
	return true;
}

static const char *iteration_strata_name_of(const struct iteration_strata_works
						    *m,
	const struct iteration_items *x, struct iteration_item key)
{
	return x->kind == WORK_OP ? names_text(&m->t->names, key.name)
				  : m->p->kernels[key.name].name;
}

/* The counted items of a stratum, as works; sizes are in the profile's arena. */
static bool iteration_strata_gather_works(struct iteration_strata_works *m,
	const struct iteration_items *x, uint32_t stratum, uint32_t *n)
{
	uint32_t iterations = m->from[stratum + 1] - m->from[stratum];

	*n = 0;
	for (uint32_t k = m->from[stratum]; k < m->from[stratum + 1]; k++) {
		uint32_t c = m->order[k];
		for (uint32_t i = x->from[c]; i < x->from[c + 1]; i++) {
			uint32_t item = x->entry[i], times = m->count[item];
			struct iteration_item key =
				iteration_strata_items_at(x, item);
			m->count[item] = 0;
			if (!times || !key.size)
				continue;
			m->found[*n] = (struct work){ .stratum = stratum,
				.kind = x->kind,
				.name = iteration_strata_name_of(m, x, key),
				.size = iteration_strata_items_size(x, m->t,
					item, m->a),
				.per_iteration = (double)times / iterations };
			if (!m->found[(*n)++].size)
				return false;
		}
	}
	return true;
}

static bool iteration_strata_works_of(struct iteration_strata_works *m,
	const struct iteration_items *x, uint32_t stratum)
{
	uint32_t n;

	for (uint32_t k = m->from[stratum]; k < m->from[stratum + 1]; k++)
		for (uint32_t i = x->from[m->order[k]];
			i < x->from[m->order[k] + 1]; i++)
			m->count[x->entry[i]]++;
	if (!iteration_strata_gather_works(m, x, stratum, &n))
		return false;
	qsort(m->found, n, sizeof *m->found, iteration_strata_most_frequent);
	n = n > ITERATIONS_WORKS_MAX ? ITERATIONS_WORKS_MAX : n;
	for (uint32_t i = 0; i < n && x->kind == WORK_GRID; i++) {
		m->found[i].size = arena_strdup(m->p->arena, m->found[i].size);
		if (!m->found[i].size)
			return false;
	}
	return iteration_strata_append_works(m, n);
}

bool iteration_strata_rank(const struct iteration_items *ops,
	const struct iteration_items *grids, const struct trace *t,
	struct profile *p, struct arena *a)
{
	struct iteration_strata_works m = { .t = t, .p = p, .a = a };
	size_t most = (ops->n > grids->n ? ops->n : grids->n) + (size_t)1;

	if (!iteration_strata_sort(&p->iterations, a))
		return false;
	m.found = arena_grow(a, NULL, most * sizeof *m.found);
	m.count = arena_grow(a, NULL, most * sizeof *m.count);
	if (!m.found || !m.count || !iteration_strata_by_stratum(&m))
		return false;
	for (uint32_t s = 0; s < p->iterations.strata_n; s++)
		if (!iteration_strata_works_of(&m, ops, s) ||
			!iteration_strata_works_of(&m, grids, s))
			return false;
	return true;
}
