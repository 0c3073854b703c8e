/* fusion_pairs.c - finds the pairs of operator calls that one kernel could
 * execute.
 *
 * One sweep over kernels, copies and graph replays in the order of their starts
 * keeps the last kernel of each stream and the idle times of each device. It
 * needs 8 bytes per operator call, 24 per idle time and 24 per pair. If tensors were observed,
 * it needs 16 per GPU record, 16 per operator call with a number and at most 120
 * per use of a tensor. A file can use any number of tensors in any call, so that
 * nothing is compared with all of them: the time is that of sorting them. */
#include "fusions.h"
#include "correlation.h"
#include "dist.h"
#include "profile.h"
#include <stdlib.h>
#include <string.h>

enum { FUSION_NO_ROW = UINT32_MAX };

/* ---- who reads a tensor */

/* A call of a host operator with tensors. */
struct fusion_call {
	int64_t function;
	int64_t begin_ns; /* of its host operator; INT64_MIN unknown */
	uint32_t from, to; /* its slice of fusion_tensors.memories */
	bool launches; /* GPU work, or in a stream capture */
	bool writes;
	bool view; /* it launches nothing and returns its argument, as
		aten::dropout does in inference */
};

/* What a call does with one memory. Views are skipped: they have no `writer`, and
 * are nobody's `next`. */
struct fusion_memory {
	int64_t storage;
	int64_t read_bytes, written_bytes; /* the largest tensor that it reads,
		and the first that it writes; 0: none */
	uint32_t call, use; /* the call, and its first use of the memory */
	uint32_t writer; /* wrote what is read here; FUSION_NO_ROW unknown */
	uint32_t next; /* writes the memory again; FUSION_NO_ROW unknown */
	uint32_t readers; /* calls that read what is written here */
};

/* Two calls of which the second reads what the first writes. */
struct fusion_shared {
	uint32_t first, second; /* calls */
	enum fusion_consumers consumers;
	int64_t bytes; /* each memory once; -1: the second reads only a part,
		and nothing reads the rest */
};

struct fusion_moments {
	int64_t *at_ns; /* ascending */
	uint32_t n;
};

struct fusion_tensors {
	const struct trace *t;
	struct op_function *functions; /* by External id */
	struct fusion_call *calls; /* in order */
	uint32_t *by_function; /* calls */
	struct fusion_memory *memories; /* by call, then by storage */
	uint32_t *order; /* memories; by storage first, then by both calls */
	struct fusion_shared *shared; /* by first, then by second */
	uint32_t functions_n, calls_n, memories_n, shared_n;
	/* Begins of API calls that launched something, and of those whose
	 * kernels have no observed tensors. */
	struct fusion_moments launched, unobserved;
	/* The last start of a kernel or copy without an API call. Only calls that
	 * begin later are known not to have launched it. */
	int64_t callless_ns;
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

static int fusion_pairs_tensors_by_function(const void *a, const void *b,
	void *calls)
{
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct fusion_call *c = calls;
	int order = fusion_pairs_order(c[i].function, c[j].function);
	return order ? order : fusion_pairs_order(i, j);
}

/* The call of a host operator; NULL if the execution trace lacks it. */
static struct fusion_call *fusion_pairs_tensors_call(const struct fusion_tensors
							     *x,
	uint32_t op)
{
	struct op_function key = { .external_id = x->t->op.external_id[op] };
	const struct op_function *f = bsearch(&key, x->functions,
		x->functions_n, sizeof key, fusion_pairs_tensors_by_id);
	uint32_t at = 0, to = f ? x->calls_n : 0;

	while (at < to) {
		uint32_t middle = at + (to - at) / 2;
		if (x->calls[x->by_function[middle]].function < f->function)
			at = middle + 1;
		else
			to = middle;
	}
	if (!f || at == x->calls_n)
		return NULL;
	struct fusion_call *c = &x->calls[x->by_function[at]];
	return c->function == f->function ? c : NULL;
}

static int fusion_pairs_moments_order(const void *a, const void *b)
{
	return fusion_pairs_order(*(const int64_t *)a, *(const int64_t *)b);
}

/* Whether one is in [from, to). */
static bool fusion_pairs_moments_any(const struct fusion_moments *m,
	int64_t from_ns, int64_t to_ns)
{
	uint32_t at = 0, to = m->n;

	while (at < to) {
		uint32_t middle = at + (to - at) / 2;
		if (m->at_ns[middle] < from_ns)
			at = middle + 1;
		else
			to = middle;
	}
	return at < m->n && m->at_ns[at] < to_ns;
}

/* Adds the launches of copies or graphs. */
static bool fusion_pairs_tensors_launched(struct fusion_tensors *x,
	const struct process *proc, const int64_t *correlation,
	const int64_t *start_ns, struct slice rows, bool graphs,
	struct arena *a)
{
	uint32_t *call_of;

	if (!correlation_join_rows(x->t, proc, correlation, start_ns, rows, a,
		    &call_of))
		return false;
	for (uint32_t row = rows.from; row < rows.to; row++) {
		uint32_t call = call_of[row - rows.from];
		if (call == CORRELATION_NONE) {
			if (x->callless_ns < start_ns[row])
				x->callless_ns = start_ns[row];
			continue;
		}
		int64_t at_ns = x->t->call.start_ns[call];
		x->launched.at_ns[x->launched.n++] = at_ns;
		if (graphs)
			x->unobserved.at_ns[x->unobserved.n++] = at_ns;
	}
	return true;
}

static void fusion_pairs_tensors_kernels(struct fusion_tensors *x,
	const struct attribution *at)
{
	uint32_t from = at->proc->kernel.from, n = at->proc->kernel.to - from;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t call = at->call_of[i];
		int64_t start = x->t->kernel.start_ns[from + i];
		if (call == CORRELATION_NONE && x->callless_ns < start)
			x->callless_ns = start;
		if (call == CORRELATION_NONE)
			continue;
		int64_t at_ns = x->t->call.start_ns[call];
		x->launched.at_ns[x->launched.n++] = at_ns;
		if (!at->op_of || !at->op_of[i] ||
			!fusion_pairs_tensors_call(x, at->op_of[i] - 1))
			x->unobserved.at_ns[x->unobserved.n++] = at_ns;
	}
	for (uint32_t i = 0; i < at->captured_n; i++)
		x->launched.at_ns[x->launched.n++] =
			x->t->call.start_ns[at->captured[i]];
}

static bool fusion_pairs_tensors_launches(struct fusion_tensors *x,
	const struct attribution *at, struct arena *a)
{
	const struct process *p = at->proc;
	const struct trace *t = x->t;
	size_t n = (size_t)(p->kernel.to - p->kernel.from) +
		   (p->copy.to - p->copy.from) + (p->graph.to - p->graph.from) +
		   at->captured_n + 1;

	x->callless_ns = INT64_MIN;
	x->launched.at_ns = arena_array(a, int64_t, n);
	x->unobserved.at_ns = arena_array(a, int64_t, n);
	if (!x->launched.at_ns || !x->unobserved.at_ns)
		return false;
	fusion_pairs_tensors_kernels(x, at);
	if (!fusion_pairs_tensors_launched(x, p, t->copy.correlation,
		    t->copy.start_ns, p->copy, false, a) ||
		!fusion_pairs_tensors_launched(x, p, t->graph.correlation,
			t->graph.start_ns, p->graph, true, a))
		return false;
	qsort(x->launched.at_ns, x->launched.n, sizeof *x->launched.at_ns,
		fusion_pairs_moments_order);
	qsort(x->unobserved.at_ns, x->unobserved.n, sizeof *x->unobserved.at_ns,
		fusion_pairs_moments_order);
	return true;
}

static bool fusion_pairs_tensors_is_view(const struct fusion_tensors *x,
	const struct fusion_call *c)
{
	if (c->launches || c->begin_ns <= x->callless_ns)
		return false;
	for (uint32_t i = c->from; i < c->to; i++)
		if (x->memories[i].written_bytes && !x->memories[i].read_bytes)
			return false;
	return c->writes;
}

/* Finds the host operators of the calls, and which calls are views. */
static void fusion_pairs_tensors_join(struct fusion_tensors *x,
	const struct process *proc)
{
	const struct op_rows *o = &x->t->op;

	for (uint32_t row = proc->op.from; row < proc->op.to; row++) {
		struct fusion_call *c = fusion_pairs_tensors_call(x, row);
		if (!c)
			continue;
		c->begin_ns = o->start_ns[row];
		c->launches |= fusion_pairs_moments_any(&x->launched,
			o->start_ns[row], o->start_ns[row] + o->dur_ns[row]);
	}
	for (uint32_t i = 0; i < x->calls_n; i++)
		x->calls[i].view =
			fusion_pairs_tensors_is_view(x, &x->calls[i]);
}

static int fusion_pairs_memories_by_storage(const void *a, const void *b)
{
	const struct fusion_memory *x = a, *y = b;
	int order = fusion_pairs_order(x->storage, y->storage);
	return order ? order : fusion_pairs_order(x->use, y->use);
}

/* Unites the uses of one memory by the last call. */
static void fusion_pairs_memories_unite(struct fusion_tensors *x)
{
	struct fusion_call *c = &x->calls[x->calls_n - 1];
	struct fusion_memory *m = x->memories;
	uint32_t n = c->from;

	qsort(m + c->from, c->to - c->from, sizeof *m,
		fusion_pairs_memories_by_storage);
	for (uint32_t i = c->from; i < c->to; i++) {
		c->writes |= m[i].written_bytes > 0;
		if (n == c->from || m[n - 1].storage != m[i].storage) {
			m[n++] = m[i];
			continue;
		}
		if (m[n - 1].read_bytes < m[i].read_bytes)
			m[n - 1].read_bytes = m[i].read_bytes;
		if (!m[n - 1].written_bytes)
			m[n - 1].written_bytes = m[i].written_bytes;
	}
	x->memories_n = c->to = n;
}

/* Lists the calls, and the memories of each. */
static void fusion_pairs_memories_fill(struct fusion_tensors *x)
{
	const struct trace *t = x->t;

	for (uint32_t i = 0; i < t->tensor_uses_n; i++) {
		const struct tensor_use *u = &t->tensor_uses[i];
		if (!i || u->function != u[-1].function) {
			if (i)
				fusion_pairs_memories_unite(x);
			x->by_function[x->calls_n] = x->calls_n;
			x->calls[x->calls_n++] =
				(struct fusion_call){ .function = u->function,
					.begin_ns = INT64_MIN,
					.from = x->memories_n };
		}
		x->memories[x->memories_n++] =
			(struct fusion_memory){ .storage = u->storage,
				.read_bytes = u->written ? 0 : u->bytes,
				.written_bytes = u->written ? u->bytes : 0,
				.call = x->calls_n - 1,
				.use = i,
				.writer = FUSION_NO_ROW,
				.next = FUSION_NO_ROW };
		x->calls[x->calls_n - 1].to = x->memories_n;
	}
	fusion_pairs_memories_unite(x);
}

static int fusion_pairs_order_by_storage(const void *a, const void *b,
	void *memories)
{
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct fusion_memory *m = memories;
	int order = fusion_pairs_order(m[i].storage, m[j].storage);
	return order ? order : fusion_pairs_order(i, j);
}

/* Finds who wrote what is read, and who writes it again. */
static void fusion_pairs_memories_writers(struct fusion_tensors *x)
{
	uint32_t last = FUSION_NO_ROW;

	for (uint32_t i = 0; i < x->memories_n; i++)
		x->order[i] = i;
	qsort_r(x->order, x->memories_n, sizeof *x->order,
		fusion_pairs_order_by_storage, x->memories);
	for (uint32_t i = 0; i < x->memories_n; i++) {
		struct fusion_memory *m = &x->memories[x->order[i]];
		if (last != FUSION_NO_ROW &&
			x->memories[last].storage != m->storage)
			last = FUSION_NO_ROW;
		if (x->calls[m->call].view)
			continue;
		if (m->read_bytes && last != FUSION_NO_ROW) {
			m->writer = last;
			x->memories[last].readers++;
		}
		if (!m->written_bytes)
			continue;
		if (last != FUSION_NO_ROW)
			x->memories[last].next = x->order[i];
		last = x->order[i];
	}
}

/* Whether all readers until the next write are known: there is one, and no kernel
 * without observed tensors was launched before it. */
static bool fusion_pairs_tensors_known(const struct fusion_tensors *x,
	const struct fusion_memory *m)
{
	int64_t from_ns = x->calls[m->call].begin_ns;
	int64_t to_ns = m->next == FUSION_NO_ROW
				? INT64_MIN
				: x->calls[x->memories[m->next].call].begin_ns;

	return x->complete && to_ns != INT64_MIN && from_ns > x->callless_ns &&
	       !fusion_pairs_moments_any(&x->unobserved, from_ns, to_ns);
}

static int fusion_pairs_order_by_calls(const void *a, const void *b,
	void *memories)
{
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct fusion_memory *m = memories;
	int order =
		fusion_pairs_order(m[m[i].writer].call, m[m[j].writer].call);
	order = order ? order : fusion_pairs_order(m[i].call, m[j].call);
	return order ? order : fusion_pairs_order(i, j);
}

/* Adds a memory to the last two calls that share some. */
static void fusion_pairs_shared_add(const struct fusion_tensors *x,
	struct fusion_shared *s, const struct fusion_memory *read)
{
	const struct fusion_memory *w = &x->memories[read->writer];
	bool others = w->readers > 1;
	bool whole = read->read_bytes >= w->written_bytes;

	if ((!whole && !others) || s->bytes < 0 ||
		__builtin_add_overflow(s->bytes,
			whole ? w->written_bytes : read->read_bytes, &s->bytes))
		s->bytes = -1;
	if (others)
		s->consumers = CONSUMERS_OTHERS;
	else if (s->consumers == CONSUMERS_SECOND &&
		 !fusion_pairs_tensors_known(x, w))
		s->consumers = CONSUMERS_UNKNOWN;
}

/* Lists the calls that share memories. A read has one writer, so that there are no
 * more of them than reads. */
static void fusion_pairs_shared_fill(struct fusion_tensors *x)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < x->memories_n; i++)
		if (x->memories[i].writer != FUSION_NO_ROW)
			x->order[n++] = i;
	if (n)
		qsort_r(x->order, n, sizeof *x->order,
			fusion_pairs_order_by_calls, x->memories);
	for (uint32_t i = 0; i < n; i++) {
		const struct fusion_memory *read = &x->memories[x->order[i]];
		uint32_t first = x->memories[read->writer].call;
		struct fusion_shared *s = &x->shared[x->shared_n];
		if (!x->shared_n || s[-1].first != first ||
			s[-1].second != read->call) {
			*s = (struct fusion_shared){ .first = first,
				.second = read->call,
				.consumers = CONSUMERS_SECOND };
			x->shared_n++;
			s++;
		}
		fusion_pairs_shared_add(x, s - 1, read);
	}
}

/* All in `a`, a scratch arena. False if it is full. */
static bool fusion_pairs_tensors_init(struct fusion_tensors *x,
	const struct attribution *at, bool complete, struct arena *a)
{
	const struct trace *t = at->trace;
	uint32_t n = t->tensor_uses_n;

	*x = (struct fusion_tensors){ .t = t,
		.functions_n = t->op_functions_n,
		.complete = complete };
	if (!n)
		return true;
	x->functions =
		arena_array(a, struct op_function, (size_t)x->functions_n + 1);
	x->calls = arena_array(a, struct fusion_call, n);
	x->by_function = arena_array(a, uint32_t, n);
	x->memories = arena_array(a, struct fusion_memory, n);
	x->order = arena_array(a, uint32_t, n);
	x->shared = arena_array(a, struct fusion_shared, n);
	if (!x->functions || !x->calls || !x->by_function || !x->memories ||
		!x->order || !x->shared)
		return false;
	if (x->functions_n)
		memcpy(x->functions, t->op_functions,
			x->functions_n * sizeof *x->functions);
	qsort(x->functions, x->functions_n, sizeof *x->functions,
		fusion_pairs_tensors_by_id);
	fusion_pairs_memories_fill(x);
	qsort_r(x->by_function, x->calls_n, sizeof *x->by_function,
		fusion_pairs_tensors_by_function, x->calls);
	if (!fusion_pairs_tensors_launches(x, at, a))
		return false;
	fusion_pairs_tensors_join(x, at->proc);
	fusion_pairs_memories_writers(x);
	fusion_pairs_shared_fill(x);
	return true;
}

enum fusion_observed {
	OBSERVED_NOTHING, /* whether the calls share a tensor is unknown */
	OBSERVED_APART, /* they share none */
	OBSERVED_TENSOR
};

static int fusion_pairs_shared_by_calls(const void *a, const void *b)
{
	const struct fusion_shared *x = a, *y = b;
	int order = fusion_pairs_order(x->first, y->first);
	return order ? order : fusion_pairs_order(x->second, y->second);
}

/* Who reads what the first call writes and the second reads. */
static enum fusion_observed
fusion_pairs_tensors_between(const struct fusion_tensors *x, uint32_t first_op,
	uint32_t second_op, enum fusion_consumers *consumers, int64_t *bytes)
{
	const struct fusion_call *first =
					 fusion_pairs_tensors_call(x, first_op),
				 *second = fusion_pairs_tensors_call(x,
					 second_op);

	/* A foreach operator that writes into its arguments returns nothing. */
	if (!first || !second || !first->writes)
		return OBSERVED_NOTHING;
	const struct fusion_shared key = { .first =
						   (uint32_t)(first - x->calls),
		.second = (uint32_t)(second - x->calls) };
	const struct fusion_shared *s =
		x->shared_n ? bsearch(&key, x->shared, x->shared_n, sizeof key,
				      fusion_pairs_shared_by_calls)
			    : NULL;
	if (!s)
		return OBSERVED_APART;
	*bytes = s->bytes;
	*consumers = s->consumers;
	return OBSERVED_TENSOR;
}

/* ---- pairs */

/* What a pair of launches saves in a kept iteration. */
struct fusion_part {
	uint32_t pair, iteration;
	double saved_ns;
};

enum { KNOWN_KINDS = 128 };

/* The kind of a pair of operators that was needed before. */
struct fusion_known_kind {
	const struct operator_info *first, *second;
	const char *kind;
};

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
	struct fusion_part *parts;
	uint32_t parts_n, parts_cap;
	bool trains; /* the run has a backward pass, or may have one */
	struct fusion_known_kind kinds[KNOWN_KINDS]; /* by a hash of the pair */
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
	static const char *const no_readers[] = {
#define READS_NOTHING(name, why) name,
#define FUSION(first, second, kind, why)
#define EPILOGUE(first, second, kind, why)
#include "fusion_family.def"
#undef READS_NOTHING
#undef FUSION
#undef EPILOGUE
	};
	static const struct fusion_family families[] = {
#define READS_NOTHING(name, why)
#define FUSION(first, second, kind, why) { first, second, #kind, false },
#define EPILOGUE(first, second, kind, why) { first, second, #kind, true },
#include "fusion_family.def"
#undef READS_NOTHING
#undef FUSION
#undef EPILOGUE
	};

	if (!first || !second || first->collective || second->collective)
		return NULL;
	for (size_t i = 0; i < sizeof no_readers / sizeof *no_readers; i++)
		if (!strcmp(second->name, no_readers[i]))
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

/* Whether the host ran a backward pass: the operators of one, or autograd. True
 * if the trace has no host operators, because autograd is not visible then. */
static bool fusion_pairs_trains(const struct attribution *at)
{
	static const char *const words[] = { "attention_backward",
		"norm_backward", "optimizer" };
	const struct operators *o = &at->profile->operators;
	const struct trace *t = at->trace;

	if (at->proc->op.from == at->proc->op.to)
		return true;
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

/* Whether an operator of a backward pass computes several gradients. */
static bool fusion_pairs_several_outputs(const struct shape *sizes)
{
	const struct size *grads = sizes ? shape_size(sizes, "grads") : NULL;
	return grads && grads->values[0] > 1;
}

/* The bytes that the first writes by its cost; -1 unknown. False if the second
 * cannot read them all, so that no single tensor is between them. */
static bool fusion_pairs_bytes(const struct shape_stat *first,
	const struct shape_stat *second, int64_t *bytes)
{
	*bytes = -1;
	if ((first->costed && !first->cost.write_bytes) ||
		(second->costed && !second->cost.read_bytes))
		return false;
	if (!first->costed || !second->costed)
		return true;
	*bytes = (int64_t)first->cost.write_bytes;
	return first->cost.write_bytes <= second->cost.read_bytes;
}

/* Sets the tensor of the key. False if there is none between the launches. */
static bool fusion_pairs_tensor(const struct fusion_maker *m, uint32_t i,
	uint32_t j, struct fusion_key *key)
{
	const struct attribution *at = m->at;
	const struct operators *o = &at->profile->operators;
	enum fusion_consumers consumers = CONSUMERS_UNKNOWN;
	enum fusion_observed observed = OBSERVED_NOTHING;

	if (at->op_of && at->op_of[i] && at->op_of[j])
		observed = fusion_pairs_tensors_between(&m->tensors,
			at->op_of[i] - 1, at->op_of[j] - 1, &consumers,
			&key->bytes);
	key->consumers = consumers;
	if (observed == OBSERVED_NOTHING)
		return !fusion_pairs_several_outputs(at->of[i].sizes) &&
		       fusion_pairs_bytes(&o->shapes[key->first],
			       &o->shapes[key->second], &key->bytes);
	return observed == OBSERVED_TENSOR;
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

static int64_t fusion_pairs_moved(const struct shape_stat *s)
{
	return s->costed ? (int64_t)(s->cost.read_bytes + s->cost.write_bytes)
			 : -1;
}

/* What pairs with these times save, in ns; NaN unknown. */
static double fusion_pairs_saved_ns(const struct fusion_maker *m,
	const struct fusion_pair *p, int64_t first_ns, int64_t second_ns,
	int64_t gap_ns)
{
	const struct shape_stat *shapes = m->at->profile->operators.shapes;
	const struct fusion_sums sums = { .first_leg = shapes[p->first].leg,
		.bytes = p->bytes,
		.first_bytes = fusion_pairs_moved(&shapes[p->first]),
		.second_bytes = fusion_pairs_moved(&shapes[p->second]),
		.must_write = p->must_write,
		.first_s = (double)first_ns,
		.second_s = (double)second_ns,
		.gap_s = (double)gap_ns };
	struct fusion_saving s = fusion_saving(&sums, (double)NAN);

	return s.traffic_s + s.gap_s;
}

/* Adds what two launches save, if the iteration of the first is kept. */
static bool fusion_pairs_part(struct fusion_maker *m,
	const struct fusion_pair *p, uint32_t i, double saved_ns)
{
	const struct profile *of = m->at->profile;
	uint32_t iteration = m->rows->kernel[i];

	if (of->iterations.iterations[iteration].use != ITERATION_KEPT)
		return true;
	if (m->parts_n == m->parts_cap) {
		uint32_t cap = m->parts_cap * 2 + 64;
		struct fusion_part *grown =
			arena_grow(m->a, m->parts, cap * sizeof *grown);
		if (!grown)
			return false;
		m->parts = grown;
		m->parts_cap = cap;
	}
	m->parts[m->parts_n++] =
		(struct fusion_part){ (uint32_t)(p - of->operators.fusions),
			iteration, saved_ns };
	return true;
}

/* Adds the pair of two launches that follow each other, if it is one. */
/* As fusion_pairs_kind(); pairs repeat in every layer. */
static const char *fusion_pairs_kind_of(struct fusion_maker *m,
	const struct operator_info *first, const struct operator_info *second)
{
	/* Entries of the catalog are in one array. */
	uint64_t x = (uint64_t)(uintptr_t)first * 31 + (uintptr_t)second;
	struct fusion_known_kind *k =
		&m->kinds[(x * UINT64_C(0x9E3779B97F4A7C15)) >> 57];

	if (k->first != first || k->second != second)
		*k = (struct fusion_known_kind){ first, second,
			fusion_pairs_kind(first, second) };
	return k->kind;
}

static bool fusion_pairs_add(struct fusion_maker *m,
	const struct fusion_device *d, uint32_t i, uint32_t j)
{
	const struct attribution *at = m->at;
	bool replayed;
	struct fusion_key key = { .first = m->shape[at->shape_of[i]],
		.second = m->shape[at->shape_of[j]] };
	const char *kind = fusion_pairs_kind_of(m, at->of[i].op, at->of[j].op);

	if (!kind || !fusion_pairs_adjacent(m, d, i, j, &replayed) ||
		!fusion_pairs_tensor(m, i, j, &key))
		return true;
	key.replayed = replayed;
	struct fusion_pair *p = fusion_pairs_row(m, &key);
	if (!p)
		return false;
	p->kind = kind;
	p->must_write = p->consumers == CONSUMERS_OTHERS ||
			(p->consumers == CONSUMERS_UNKNOWN && m->trains);
	int64_t first_ns = fusion_pairs_call_ns(m, i),
		second_ns = fusion_pairs_call_ns(m, j),
		gap_ns = replayed ? 0 : fusion_pairs_gap_ns(at, d, i, j);
	p->pairs++;
	p->first_ns += first_ns;
	p->second_ns += second_ns;
	p->gap_ns += gap_ns;
	return fusion_pairs_part(m, p, i,
		fusion_pairs_saved_ns(m, p, first_ns, second_ns, gap_ns));
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

	m->trains = fusion_pairs_trains(at);
	m->shape = arena_array(m->a, uint32_t, (size_t)o->shapes_n + 1);
	m->call_ns = arena_array(m->a, int64_t, (size_t)at->calls + 1);
	if (!m->shape || !m->call_ns || !names_init(&m->lanes, m->a) ||
		!names_init(&m->device_ids, m->a) ||
		!names_init(&m->keys, m->a) ||
		!fusion_pairs_tensors_init(&m->tensors, at,
			!m->trains || at->trace->backward_uses, m->a))
		return false;
	for (uint32_t i = 0; i < o->shapes_n; i++)
		m->shape[o->shapes[i].number] = i;
	for (uint32_t i = 0; i < proc->kernel.to - proc->kernel.from; i++)
		if (at->of[i].call != LAUNCH_NO_CALL)
			m->call_ns[at->of[i].call] +=
				at->trace->kernel.dur_ns[proc->kernel.from + i];
	return true;
}

/* By pair, then by iteration. Sums are added up in the same order everywhere. */
static int fusion_pairs_parts_order(const void *a, const void *b)
{
	const struct fusion_part *x = a, *y = b;
	int order = fusion_pairs_order(x->pair, y->pair);

	order = order ? order : fusion_pairs_order(x->iteration, y->iteration);
	return order ? order
		     : (x->saved_ns > y->saved_ns) -
			       (x->saved_ns < y->saved_ns);
}

/* Sets what a pair saves per kept iteration, of which most may lack it. `x` has
 * room for all parts. */
static void fusion_pairs_mean(const struct fusion_part *parts, uint32_t n,
	double *x, uint32_t iterations, double devices, struct fusion_pair *p)
{
	uint32_t with = 0;

	for (uint32_t i = 0; i < n; with++) {
		uint32_t iteration = parts[i].iteration;
		x[with] = 0;
		for (; i < n && parts[i].iteration == iteration; i++)
			x[with] += parts[i].saved_ns;
	}
	struct dist_mean m = dist_mean_from(x, with, iterations - with);
	p->saved_ns = m.mean / devices;
	p->saved_error_ns = m.error / devices;
}

static bool fusion_pairs_means(struct fusion_maker *m)
{
	const struct profile *of = m->at->profile;
	double *x = arena_array(m->a, double, (size_t)m->parts_n + 1);
	uint32_t at = 0, devices = 0;

	if (!x)
		return false;

	for (uint32_t i = 0; i < of->devices_n; i++)
		devices += of->devices[i].launches > 0;
	if (m->parts_n)
		qsort(m->parts, m->parts_n, sizeof *m->parts,
			fusion_pairs_parts_order);
	for (uint32_t i = 0; i < of->operators.fusions_n; i++) {
		struct fusion_pair *p = &of->operators.fusions[i];
		uint32_t from = at;
		while (at < m->parts_n && m->parts[at].pair == i)
			at++;
		p->saved_ns = p->saved_error_ns = (double)NAN;
		if (of->iterations.kept_n &&
			!isnan(fusion_pairs_saved_ns(m, p, 0, 0, 0)))
			fusion_pairs_mean(m->parts + from, at - from, x,
				of->iterations.kept_n, devices, p);
	}
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

	bool ok = fusion_pairs_maker_init(&m) && fusion_pairs_sweep(&m) &&
		  fusion_pairs_means(&m);
	if (ok && o->fusions_n)
		qsort(o->fusions, o->fusions_n, sizeof *o->fusions,
			fusion_pairs_by_time);
	o->fusions_known = ok;
	arena_scratch_release(&scratch, at->arena);
	return ok;
}
