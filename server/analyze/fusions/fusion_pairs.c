/* fusion_pairs.c - finds the pairs of operator calls that one kernel could
 * execute.
 *
 * One sweep over kernels, copies and graph replays in the order of their starts
 * keeps the last kernel of each stream and the idle times of each device. It
 * needs 8 bytes per operator call, 24 per idle time and 24 per use of a tensor. */
#include "fusions.h"
#include "correlation.h"
#include "profile.h"
#include <stdlib.h>
#include <string.h>

enum { FUSION_NO_ROW = UINT32_MAX };

/* ---- who reads a tensor */

/* The uses of a call, as a slice of trace.tensor_uses. */
struct fusion_call {
	int64_t function;
	uint32_t from, to;
};

struct fusion_tensors {
	const struct trace *t;
	struct op_function *functions; /* by External id */
	uint32_t functions_n;
	struct fusion_call *calls; /* by function */
	uint32_t calls_n;
	uint32_t *by_storage; /* uses, by storage, then in their order */
	bool complete; /* a backward pass is among the uses, or the run has
		none */
};

static int fusion_pairs_order(int64_t x, int64_t y)
{
	return (x > y) - (x < y);
}

static int fusion_pairs_tensors_by_id(const void *a, const void *b)
{
	const struct op_function *x = a, *y = b;
	return fusion_pairs_order(x->external_id, y->external_id);
}

static int fusion_pairs_tensors_by_function(const void *a, const void *b)
{
	const struct fusion_call *x = a, *y = b;
	return fusion_pairs_order(x->function, y->function);
}

static int fusion_pairs_tensors_by_storage(const void *a, const void *b,
	void *uses)
{
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct tensor_use *u = uses;
	int order = fusion_pairs_order(u[i].storage, u[j].storage);
	return order ? order : fusion_pairs_order(i, j);
}

/* All in `a`, a scratch arena. False if it is full. */
static bool fusion_pairs_tensors_init(struct fusion_tensors *x,
	const struct trace *t, struct arena *a)
{
	uint32_t n = t->tensor_uses_n;

	*x = (struct fusion_tensors){ .t = t,
		.functions_n = t->op_functions_n };
	if (!n)
		return true;
	x->functions =
		arena_array(a, struct op_function, (size_t)x->functions_n + 1);
	x->calls = arena_array(a, struct fusion_call, n);
	x->by_storage = arena_array(a, uint32_t, n);
	if (!x->functions || !x->calls || !x->by_storage)
		return false;
	if (x->functions_n)
		memcpy(x->functions, t->op_functions,
			x->functions_n * sizeof *x->functions);
	qsort(x->functions, x->functions_n, sizeof *x->functions,
		fusion_pairs_tensors_by_id);
	for (uint32_t i = 0; i < n; i++) {
		const struct tensor_use *u = &t->tensor_uses[i];
		if (!i || u->function != u[-1].function)
			x->calls[x->calls_n++].from = i;
		x->calls[x->calls_n - 1].function = u->function;
		x->calls[x->calls_n - 1].to = i + 1;
		x->by_storage[i] = i;
	}
	qsort(x->calls, x->calls_n, sizeof *x->calls,
		fusion_pairs_tensors_by_function);
	qsort_r(x->by_storage, n, sizeof *x->by_storage,
		fusion_pairs_tensors_by_storage, t->tensor_uses);
	return true;
}

/* The uses of a host operator's call; NULL if the execution trace lacks it. */
static const struct fusion_call *
fusion_pairs_tensors_call(const struct fusion_tensors *x, uint32_t op)
{
	struct op_function key = { .external_id = x->t->op.external_id[op] };
	const struct op_function *f = bsearch(&key, x->functions,
		x->functions_n, sizeof key, fusion_pairs_tensors_by_id);
	struct fusion_call of = { .function = f ? f->function : 0 };

	return f ? bsearch(&of, x->calls, x->calls_n, sizeof of,
			   fusion_pairs_tensors_by_function)
		 : NULL;
}

static bool fusion_pairs_tensors_reads(const struct fusion_tensors *x,
	const struct fusion_call *c, int64_t storage)
{
	for (uint32_t i = c->from; i < c->to; i++)
		if (!x->t->tensor_uses[i].written &&
			x->t->tensor_uses[i].storage == storage)
			return true;
	return false;
}

/* Follows the memory from a write on to the next write. *reached: `second`
 * reads it. Returns whether other calls read it. */
static bool fusion_pairs_tensors_read_by_others(const struct fusion_tensors *x,
	uint32_t write, const struct fusion_call *first,
	const struct fusion_call *second, bool *reached)
{
	const struct tensor_use *uses = x->t->tensor_uses;
	uint32_t n = x->t->tensor_uses_n, at = 0, to = n;
	bool others = false;

	*reached = false;
	while (at < to) {
		uint32_t middle = at + (to - at) / 2;
		if (fusion_pairs_tensors_by_storage(&x->by_storage[middle],
			    &write, x->t->tensor_uses) < 0)
			at = middle + 1;
		else
			to = middle;
	}
	int64_t ended = 0; /* the call that wrote the memory again */
	for (; at < n; at++) {
		uint32_t i = x->by_storage[at];
		const struct tensor_use *u = &uses[i];
		if (u->storage != uses[write].storage)
			break;
		if (i < first->to)
			continue;
		if (ended && u->function != ended)
			break;
		if (u->written) {
			ended = u->function;
			continue;
		}
		*reached |= u->function == second->function;
		others |= u->function != second->function;
	}
	return others;
}

/* Who reads what the first call writes and the second reads. If the execution
 * trace has both, sets *bytes to its size. False if the second reads nothing of
 * it. */
static bool fusion_pairs_tensors_between(const struct fusion_tensors *x,
	uint32_t first_op, uint32_t second_op, enum fusion_consumers *consumers,
	int64_t *bytes)
{
	const struct fusion_call *first =
					 fusion_pairs_tensors_call(x, first_op),
				 *second = fusion_pairs_tensors_call(x,
					 second_op);
	bool writes = false, others = false;
	int64_t shared = 0;

	if (!first || !second)
		return true;
	for (uint32_t i = first->from; i < first->to; i++) {
		const struct tensor_use *u = &x->t->tensor_uses[i];
		bool reached;
		writes |= u->written;
		if (!u->written ||
			!fusion_pairs_tensors_reads(x, second, u->storage))
			continue;
		bool more = fusion_pairs_tensors_read_by_others(x, i, first,
			second, &reached);
		shared += reached ? u->bytes : 0;
		others |= reached && more;
	}
	/* An operator that writes into its argument has no output. */
	if (!writes)
		return true;
	if (!shared)
		return false;
	*bytes = shared;
	*consumers = others	   ? CONSUMERS_OTHERS
		     : x->complete ? CONSUMERS_SECOND
				   : CONSUMERS_UNKNOWN;
	return true;
}

/* ---- pairs */

struct fusion_maker {
	const struct attribution *at;
	const struct iteration_rows *rows;
	struct arena *a; /* scratch */
	struct fusion_tensors tensors;
	uint32_t *shape; /* by `number`: index into operators.shapes */
	int64_t *call_ns; /* by operator call: time of its launches */
	struct names lanes; /* struct fusion_lane */
	uint32_t *last; /* by lane: the last kernel row; FUSION_NO_ROW */
	uint32_t last_cap;
	struct names device_ids; /* int64_t */
	struct fusion_device *devices;
	uint32_t devices_cap;
	struct names keys; /* struct fusion_key */
	uint32_t cap; /* of operators.fusions */
	bool trains; /* the run has a backward pass */
};

/* Both are hashed as bytes, so they have no padding. */
struct fusion_lane {
	int64_t device, stream;
};
struct fusion_key {
	uint32_t first, second;
	int64_t bytes;
	uint32_t consumers, replayed;
};

/* The records of a device so far. `idle` has the times in which none ran. */
struct fusion_idle {
	int64_t from_ns, to_ns;
	int64_t before_ns; /* idle time before it */
};
struct fusion_device {
	int64_t busy_to_ns, collective_to_ns; /* the last ends */
	struct fusion_idle *idle; /* ascending */
	uint32_t n, cap;
};

struct fusion_family {
	const char *first, *second, *kind;
	bool epilogue;
};

static bool fusion_pairs_is(const struct operator_info *is, const char *word)
{
	return !strcmp(is->name, word) ||
	       (is->group && !strcmp(is->group, word));
}

/* The kind of a pair; NULL if fusion_family.def lists none. */
static const char *fusion_pairs_kind(const struct operator_info *first,
	const struct operator_info *second)
{
	static const struct fusion_family families[] = {
#define FUSION(first, second, kind, why) { first, second, #kind, false },
#define EPILOGUE(first, second, kind, why) { first, second, #kind, true },
#include "fusion_family.def"
#undef FUSION
#undef EPILOGUE
	};

	if (!first || !second || first->collective || second->collective)
		return NULL;
	for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
		const struct fusion_family *f = &families[i];
		if (!fusion_pairs_is(first, f->first) ||
			!fusion_pairs_is(second, f->second))
			continue;
		if (!f->epilogue || catalog_fit(first, second) == FIT_PART)
			return f->kind;
	}
	return NULL;
}

/* Whether the host ran a backward pass: the operators of one, or autograd. */
static bool fusion_pairs_trains(const struct attribution *at)
{
	static const char *const words[] = { "attention_backward",
		"norm_backward", "optimizer" };
	const struct operators *o = &at->profile->operators;
	const struct trace *t = at->trace;

	for (uint32_t i = 0; i < o->n; i++)
		for (size_t w = 0;
			o->rows[i].name && w < sizeof words / sizeof *words;
			w++)
			if (!strcmp(o->rows[i].name, words[w]))
				return true;
	for (uint32_t i = at->proc->op.from; i < at->proc->op.to; i++)
		if (strstr(names_text(&t->names, t->op.name[i]), "Backward"))
			return true;
	return false;
}

static int64_t fusion_pairs_end_ns(const struct kernel_rows *k, uint32_t row)
{
	return k->start_ns[row] + k->dur_ns[row];
}

static bool fusion_pairs_replayed(const struct attribution *at, uint32_t i)
{
	const struct trace *t = at->trace;
	uint32_t call = at->call_of[i];

	return t->kernel.graph_node[at->proc->kernel.from + i] > 0 ||
	       (call != CORRELATION_NONE &&
		       strstr(names_text(&t->names, t->call.name[call]),
			       "GraphLaunch"));
}

/* Whether the launches may be one: both in one iteration, in one launch of a
 * graph or in none, of different operator calls, and without a collective
 * between them, which may need the result of the first or make the tensor that
 * the second reads. */
static bool fusion_pairs_adjacent(const struct fusion_maker *m,
	const struct fusion_device *d, uint32_t i, uint32_t j, bool *replayed)
{
	const struct attribution *at = m->at;
	const struct kernel_rows *k = &at->trace->kernel;
	uint32_t from = at->proc->kernel.from;
	const int64_t *correlation = k->correlation + from;
	int64_t end = fusion_pairs_end_ns(k, from + i);
	bool same_call = at->of[i].call != LAUNCH_NO_CALL &&
			 at->of[i].call == at->of[j].call;

	*replayed = fusion_pairs_replayed(at, i);
	if (*replayed != fusion_pairs_replayed(at, j) ||
		(*replayed && correlation[i] != correlation[j]))
		return false;
	if (end < k->start_ns[from + j] && end < d->collective_to_ns)
		return false;
	return !same_call && m->rows->kernel[i] != ITERATION_NONE &&
	       m->rows->kernel[i] == m->rows->kernel[j];
}

/* The bytes that the first writes, if the second can read them all; -1 unknown.
 * False if no tensor can be between them. */
static bool fusion_pairs_bytes(const struct shape_stat *first,
	const struct shape_stat *second, int64_t *bytes)
{
	*bytes = -1;
	if ((first->costed && !first->cost.write_bytes) ||
		(second->costed && !second->cost.read_bytes))
		return false;
	if (first->costed && second->costed &&
		first->cost.write_bytes <= second->cost.read_bytes)
		*bytes = (int64_t)first->cost.write_bytes;
	return true;
}

/* The idle time of the device before a moment. */
static int64_t fusion_pairs_idle_ns(const struct fusion_device *d,
	int64_t until_ns)
{
	uint32_t at = 0, to = d->n;

	while (at < to) {
		uint32_t middle = at + (to - at) / 2;
		if (d->idle[middle].from_ns < until_ns)
			at = middle + 1;
		else
			to = middle;
	}
	if (!at)
		return 0;
	const struct fusion_idle *last = &d->idle[at - 1];
	int64_t end = until_ns < last->to_ns ? until_ns : last->to_ns;
	return last->before_ns + (end - last->from_ns);
}

static int64_t fusion_pairs_gap_ns(const struct attribution *at,
	const struct fusion_device *d, uint32_t i, uint32_t j)
{
	const struct trace *t = at->trace;
	uint32_t from = at->proc->kernel.from, call = at->call_of[j];
	int64_t end = fusion_pairs_end_ns(&t->kernel, from + i);
	int64_t start = t->kernel.start_ns[from + j];

	if (call == CORRELATION_NONE)
		return 0;
	if (end < t->call.start_ns[call])
		end = t->call.start_ns[call];
	return end < start ? fusion_pairs_idle_ns(d, start) -
				     fusion_pairs_idle_ns(d, end)
			   : 0;
}

static int64_t fusion_pairs_call_ns(const struct fusion_maker *m, uint32_t i)
{
	const struct attribution *at = m->at;
	uint32_t call = at->of[i].call;

	return call == LAUNCH_NO_CALL
		       ? at->trace->kernel.dur_ns[at->proc->kernel.from + i]
		       : m->call_ns[call];
}

/* The row of a key, which is added if it is new; NULL if an arena is full. */
static struct fusion_pair *fusion_pairs_row(struct fusion_maker *m,
	const struct fusion_key *key)
{
	struct operators *o = &m->at->profile->operators;
	uint32_t known = m->keys.n;
	uint32_t id = names_put(&m->keys, (const char *)key, sizeof *key);

	if (id == NAMES_NONE)
		return NULL;
	if (id < known)
		return &o->fusions[id - 1];
	if (o->fusions_n == m->cap) {
		uint32_t cap = m->cap * 2 + 64;
		void *grown = arena_grow(m->at->arena, o->fusions,
			cap * sizeof *o->fusions);
		if (!grown)
			return NULL;
		o->fusions = grown;
		m->cap = cap;
	}
	struct fusion_pair *p = &o->fusions[o->fusions_n++];
	*p = (struct fusion_pair){ .first = key->first,
		.second = key->second,
		.consumers = (enum fusion_consumers)key->consumers,
		.replayed = key->replayed,
		.bytes = key->bytes };
	return p;
}

/* Adds the pair of two launches that follow each other, if it is one. */
static bool fusion_pairs_add(struct fusion_maker *m,
	const struct fusion_device *d, uint32_t i, uint32_t j)
{
	const struct attribution *at = m->at;
	const struct operators *o = &at->profile->operators;
	enum fusion_consumers consumers = CONSUMERS_UNKNOWN;
	bool replayed;
	struct fusion_key key = { .first = m->shape[at->shape_of[i]],
		.second = m->shape[at->shape_of[j]] };
	const char *kind = fusion_pairs_kind(at->of[i].op, at->of[j].op);

	if (!kind || !fusion_pairs_adjacent(m, d, i, j, &replayed) ||
		!fusion_pairs_bytes(&o->shapes[key.first],
			&o->shapes[key.second], &key.bytes))
		return true;
	if (at->op_of && at->op_of[i] && at->op_of[j] &&
		!fusion_pairs_tensors_between(&m->tensors, at->op_of[i] - 1,
			at->op_of[j] - 1, &consumers, &key.bytes))
		return true;
	key.consumers = consumers;
	key.replayed = replayed;
	struct fusion_pair *p = fusion_pairs_row(m, &key);
	if (!p)
		return false;
	p->kind = kind;
	p->must_write = consumers == CONSUMERS_OTHERS ||
			(consumers == CONSUMERS_UNKNOWN && m->trains);
	p->pairs++;
	p->first_ns += fusion_pairs_call_ns(m, i);
	p->second_ns += fusion_pairs_call_ns(m, j);
	p->gap_ns += replayed ? 0 : fusion_pairs_gap_ns(at, d, i, j);
	return true;
}

/* The last kernel of a stream; NULL if the arena is full. */
static uint32_t *fusion_pairs_lane_last(struct fusion_maker *m, int32_t device,
	int64_t stream)
{
	struct fusion_lane lane = { device, stream };
	uint32_t known = m->lanes.n;
	uint32_t id = names_put(&m->lanes, (const char *)&lane, sizeof lane);

	if (id == NAMES_NONE)
		return NULL;
	if (id >= m->last_cap) {
		uint32_t cap = id * 2 + 8;
		uint32_t *grown =
			arena_grow(m->a, m->last, cap * sizeof *grown);
		if (!grown)
			return NULL;
		m->last = grown;
		m->last_cap = cap;
	}
	if (id == known)
		m->last[id] = FUSION_NO_ROW;
	return &m->last[id];
}

/* Adds the idle time of a device until a moment. */
static bool fusion_pairs_idle_add(struct fusion_maker *m,
	struct fusion_device *d, int64_t to_ns)
{
	int64_t before_ns = fusion_pairs_idle_ns(d, d->busy_to_ns);

	if (d->n == d->cap) {
		uint32_t cap = d->cap * 2 + 64;
		struct fusion_idle *grown =
			arena_grow(m->a, d->idle, cap * sizeof *grown);
		if (!grown)
			return false;
		d->idle = grown;
		d->cap = cap;
	}
	d->idle[d->n++] =
		(struct fusion_idle){ d->busy_to_ns, to_ns, before_ns };
	return true;
}

/* Adds a record, which begins no earlier than those before it, and returns its
 * device; NULL if the arena is full. */
static struct fusion_device *fusion_pairs_record(struct fusion_maker *m,
	int64_t device, int64_t start_ns, int64_t dur_ns)
{
	uint32_t known = m->device_ids.n;
	uint32_t id =
		names_put(&m->device_ids, (const char *)&device, sizeof device);

	if (id == NAMES_NONE)
		return NULL;
	if (id >= m->devices_cap) {
		uint32_t cap = id * 2 + 2;
		struct fusion_device *grown =
			arena_grow(m->a, m->devices, cap * sizeof *grown);
		if (!grown)
			return NULL;
		m->devices = grown;
		m->devices_cap = cap;
	}
	struct fusion_device *d = &m->devices[id];
	if (id == known)
		*d = (struct fusion_device){ .busy_to_ns = start_ns,
			.collective_to_ns = INT64_MIN };
	if (d->busy_to_ns < start_ns && !fusion_pairs_idle_add(m, d, start_ns))
		return NULL;
	if (d->busy_to_ns < start_ns + dur_ns)
		d->busy_to_ns = start_ns + dur_ns;
	return d;
}

/* A copy or an opaque graph ends the sequence of its stream. */
static bool fusion_pairs_break(struct fusion_maker *m, int32_t device,
	int64_t stream, int64_t start_ns, int64_t dur_ns)
{
	uint32_t *last = fusion_pairs_lane_last(m, device, stream);

	if (!last)
		return false;
	*last = FUSION_NO_ROW;
	return fusion_pairs_record(m, device, start_ns, dur_ns);
}

/* Adds the copies and graphs that begin no later than `until_ns`, from the rows
 * *copy and *graph on. */
static bool fusion_pairs_breaks(struct fusion_maker *m, uint32_t *copy,
	uint32_t *graph, int64_t until_ns)
{
	const struct process *proc = m->at->proc;
	const struct copy_rows *c = &m->at->trace->copy;
	const struct graph_rows *g = &m->at->trace->graph;

	for (;;) {
		bool is_copy =
			*copy < proc->copy.to && c->start_ns[*copy] <= until_ns;
		bool is_graph = *graph < proc->graph.to &&
				g->start_ns[*graph] <= until_ns;
		if (!is_copy && !is_graph)
			return true;
		if (is_copy && is_graph)
			is_copy = c->start_ns[*copy] <= g->start_ns[*graph];
		uint32_t row = is_copy ? (*copy)++ : (*graph)++;
		if (!(is_copy ? fusion_pairs_break(m, c->device[row],
					c->stream[row], c->start_ns[row],
					c->dur_ns[row])
			      : fusion_pairs_break(m, g->device[row],
					g->stream[row], g->start_ns[row],
					g->dur_ns[row])))
			return false;
	}
}

/* Adds a kernel and the pair that it ends. */
static bool fusion_pairs_kernel(struct fusion_maker *m, uint32_t i)
{
	const struct kernel_rows *k = &m->at->trace->kernel;
	const struct operator_info *op = m->at->of[i].op;
	uint32_t row = m->at->proc->kernel.from + i;
	struct fusion_device *d = fusion_pairs_record(m, k->device[row],
		k->start_ns[row], k->dur_ns[row]);
	uint32_t *last =
		fusion_pairs_lane_last(m, k->device[row], k->stream[row]);

	if (!d || !last ||
		(*last != FUSION_NO_ROW && !fusion_pairs_add(m, d, *last, i)))
		return false;
	*last = i;
	if (op && op->collective &&
		d->collective_to_ns < fusion_pairs_end_ns(k, row))
		d->collective_to_ns = fusion_pairs_end_ns(k, row);
	return true;
}

static bool fusion_pairs_sweep(struct fusion_maker *m)
{
	const struct process *proc = m->at->proc;
	const struct kernel_rows *k = &m->at->trace->kernel;
	uint32_t copy = proc->copy.from, graph = proc->graph.from;

	for (uint32_t row = proc->kernel.from; row < proc->kernel.to; row++)
		if (!fusion_pairs_breaks(m, &copy, &graph, k->start_ns[row]) ||
			!fusion_pairs_kernel(m, row - proc->kernel.from))
			return false;
	return true;
}

static bool fusion_pairs_maker_init(struct fusion_maker *m)
{
	const struct attribution *at = m->at;
	const struct operators *o = &at->profile->operators;
	const struct process *proc = at->proc;

	m->shape = arena_array(m->a, uint32_t, (size_t)o->shapes_n + 1);
	m->call_ns = arena_array(m->a, int64_t, (size_t)at->calls + 1);
	if (!m->shape || !m->call_ns || !names_init(&m->lanes, m->a) ||
		!names_init(&m->device_ids, m->a) ||
		!names_init(&m->keys, m->a) ||
		!fusion_pairs_tensors_init(&m->tensors, at->trace, m->a))
		return false;
	for (uint32_t i = 0; i < o->shapes_n; i++)
		m->shape[o->shapes[i].number] = i;
	for (uint32_t i = 0; i < proc->kernel.to - proc->kernel.from; i++)
		if (at->of[i].call != LAUNCH_NO_CALL)
			m->call_ns[at->of[i].call] +=
				at->trace->kernel.dur_ns[proc->kernel.from + i];
	m->trains = fusion_pairs_trains(at);
	m->tensors.complete = !m->trains || at->trace->backward_uses;
	return true;
}

static int fusion_pairs_by_time(const void *a, const void *b)
{
	const struct fusion_pair *x = a, *y = b;
	int order = fusion_pairs_order(y->first_ns + y->second_ns,
		x->first_ns + x->second_ns);

	order = order ? order : fusion_pairs_order(x->first, y->first);
	order = order ? order : fusion_pairs_order(x->second, y->second);
	order = order ? order : fusion_pairs_order(x->consumers, y->consumers);
	order = order ? order : fusion_pairs_order(x->replayed, y->replayed);
	return order ? order : fusion_pairs_order(x->bytes, y->bytes);
}

bool fusion_pairs_from(const struct attribution *at,
	const struct iteration_rows *rows)
{
	struct arena scratch = arena_scratch(at->arena);
	struct fusion_maker m = { .at = at, .rows = rows, .a = &scratch };
	struct operators *o = &at->profile->operators;

	bool ok = fusion_pairs_maker_init(&m) && fusion_pairs_sweep(&m);
	if (ok && o->fusions_n)
		qsort(o->fusions, o->fusions_n, sizeof *o->fusions,
			fusion_pairs_by_time);
	o->fusions_known = ok;
	arena_scratch_release(&scratch, at->arena);
	return ok;
}
