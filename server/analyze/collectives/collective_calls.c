/* collective_calls.c - joins launches of collectives with the records of their
 * calls. */
#include "collective_calls.h"
#include "catalog.h"
#include "correlation.h"
#include "ids.h"
#include <string.h>

struct collective_calls_maker {
	const struct trace *t;
	const struct process *proc;
	const uint32_t *kernel_of, *call_of;
	struct profile *p;
	struct collective_calls *out;
	struct ids kernels; /* kernels' records by correlation */
	struct ids hosts; /* host operators' records by External id */
	uint32_t *top; /* by thread: row + 1 of its innermost open record */
	uint32_t *waiting; /* by thread: row + 1 of the last record that ended
		and waits for its launch */
	/* By row of the process's records: row + 1 of the record around it,
	 * and, after its end, of the one before it that waits as well. */
	uint32_t *below, *before;
	uint8_t *launched; /* by row: whether a kernel was launched inside it */
	/* By API call of the process. */
	uint8_t *is_collective; /* it launched a collective */
	uint32_t *open; /* row + 1 of the innermost open record */
	uint32_t *group; /* row + 1 of the last record of the group of calls
		that it launched */
};

/* Records of the host, on their threads. */

static uint32_t collective_calls_row(const struct collective_calls_maker *m,
	uint32_t row)
{
	return row - m->proc->comm.from;
}

static bool collective_calls_has_bytes(const struct comm_rows *c, uint32_t row)
{
	return c->in_bytes[row] >= 0 || c->out_bytes[row] >= 0;
}

/* Whether a record is of a call that a later launch may execute: its size is
 * known and not 0, for which NCCL launches nothing, and its group has other
 * ranks. A recording may begin after the group was made, so that NCCL's own
 * records, which have bytes, lack its size. */
static bool collective_calls_can_wait(const struct comm_rows *c, uint32_t row)
{
	if (collective_calls_has_bytes(c, row))
		return (c->in_bytes[row] > 0 || c->out_bytes[row] > 0) &&
		       c->group_size[row] != 1;
	return c->in_elements[row] > 0 && c->group_size[row] > 1;
}

static void collective_calls_close(struct collective_calls_maker *m,
	uint32_t thread, int64_t at_ns)
{
	const struct comm_rows *c = &m->t->comm;
	uint32_t *top = &m->top[thread];

	while (*top && c->start_ns[*top - 1] + c->dur_ns[*top - 1] <= at_ns) {
		uint32_t row = *top - 1, i = collective_calls_row(m, row);
		*top = m->below[i];
		if (m->launched[i] || !collective_calls_can_wait(c, row))
			continue;
		m->before[i] = m->waiting[thread];
		m->waiting[thread] = row + 1;
	}
}

static void collective_calls_open(struct collective_calls_maker *m,
	uint32_t row)
{
	const struct comm_rows *c = &m->t->comm;
	uint32_t thread = c->thread[row];

	if (c->correlation[row] >= 0 || !thread)
		return;
	collective_calls_close(m, thread, c->start_ns[row]);
	m->below[collective_calls_row(m, row)] = m->top[thread];
	m->top[thread] = row + 1;
}

/* Whether a record that is open on the thread states a size. */
static bool collective_calls_sized(const struct collective_calls_maker *m,
	uint32_t thread)
{
	const struct comm_rows *c = &m->t->comm;

	for (uint32_t x = m->top[thread]; x;
		x = m->below[collective_calls_row(m, x - 1)])
		if (c->in_elements[x - 1] >= 0 ||
			collective_calls_has_bytes(c, x - 1))
			return true;
	return false;
}

/* Whether an API call launches a single kernel. */
static bool collective_calls_launches(const char *name)
{
	return strstr(name, "Launch") && !strstr(name, "GraphLaunch");
}

static void collective_calls_launch(struct collective_calls_maker *m,
	uint32_t call)
{
	const struct call_rows *c = &m->t->call;
	uint32_t i = call - m->proc->call.from, thread = c->thread[call];

	if (!thread || !collective_calls_launches(
			       names_text(&m->t->names, c->name[call])))
		return;
	collective_calls_close(m, thread, c->start_ns[call]);
	for (uint32_t x = m->top[thread]; x;
		x = m->below[collective_calls_row(m, x - 1)])
		m->launched[collective_calls_row(m, x - 1)] = 1;
	if (!m->is_collective[i])
		return;
	m->open[i] = m->top[thread];
	if (!collective_calls_sized(m, thread))
		m->group[i] = m->waiting[thread];
	m->waiting[thread] = 0;
}

static void collective_calls_sweep(struct collective_calls_maker *m)
{
	const struct comm_rows *c = &m->t->comm;
	uint32_t row = m->proc->comm.from;

	for (uint32_t i = m->proc->call.from; i < m->proc->call.to; i++) {
		while (row < m->proc->comm.to &&
			c->start_ns[row] <= m->t->call.start_ns[i])
			collective_calls_open(m, row++);
		collective_calls_launch(m, i);
	}
}

/* A call from its records. */

struct collective_calls_found {
	struct collective_call is; /* elements and bytes are computed last */
	int64_t in, out; /* elements */
	int64_t in_bytes, out_bytes;
	uint32_t splits; /* text */
};

static const char *collective_calls_text(const struct trace *t, uint32_t id)
{
	return id ? names_text(&t->names, id) : NULL;
}

static int64_t collective_calls_or(int64_t known, int64_t other)
{
	return known >= 0 ? known : other;
}

/* Adds what a record states and earlier records did not. */
static void collective_calls_add(const struct trace *t, uint32_t row,
	struct collective_calls_found *f)
{
	const struct comm_rows *c = &t->comm;
	const struct name *dtype = &t->names.list[c->dtype[row]];
	struct collective_call *is = &f->is;

	if (!is->kind)
		is->kind =
			collective_kind_of(names_text(&t->names, c->name[row]));
	if (!is->dtype)
		is->dtype = dtype_from(dtype->text, dtype->len);
	if (!is->group)
		is->group = collective_calls_text(t, c->group[row]);
	if (!is->ranks)
		is->ranks = collective_calls_text(t, c->group_ranks[row]);
	if (!f->splits)
		f->splits = c->splits[row];
	f->in = collective_calls_or(f->in, c->in_elements[row]);
	f->out = collective_calls_or(f->out, c->out_elements[row]);
	f->in_bytes = collective_calls_or(f->in_bytes, c->in_bytes[row]);
	f->out_bytes = collective_calls_or(f->out_bytes, c->out_bytes[row]);
	is->group_handle =
		collective_calls_or(is->group_handle, c->group_handle[row]);
	is->group_size =
		collective_calls_or(is->group_size, c->group_size[row]);
	is->sequence = collective_calls_or(is->sequence, c->sequence[row]);
}

static struct collective_calls_found collective_calls_nothing(void)
{
	return (struct collective_calls_found){ .is = { .elements = -1,
							.bytes = -1,
							.group_handle = -1,
							.group_size = -1,
							.sequence = -1 },
		.in = -1,
		.out = -1,
		.in_bytes = -1,
		.out_bytes = -1 };
}

/* Whether the sizes in a text such as "[4, 4] [8, 8]" are equal in each list.
 * PyTorch ends a long list with "...": then they may differ. */
static enum collective_split collective_calls_split(const char *text)
{
	const char *first = NULL;
	size_t len = 0;

	for (const char *p = text; *p; p++) {
		size_t digits = strspn(p, "0123456789");
		if (*p == '[')
			first = NULL;
		if (!digits)
			continue;
		if (first && (len != digits || memcmp(first, p, digits) != 0))
			return COLLECTIVE_SPLIT_UNEVEN;
		first = p;
		len = digits;
		p += digits - 1;
	}
	return strstr(text, "..") ? COLLECTIVE_SPLIT_UNKNOWN
				  : COLLECTIVE_SPLIT_EVEN;
}

static struct collective_call collective_calls_finish(const struct trace *t,
	const struct collective_calls_found *f)
{
	struct collective_call is = f->is;

	if (f->splits)
		is.split = collective_calls_split(
			names_text(&t->names, f->splits));
	is.elements =
		collective_elements(is.kind, f->in, f->out, is.group_size);
	is.bytes = collective_bytes(is.elements, is.dtype);
	/* Bytes are counted from one rank's input and output as elements are. */
	if (is.bytes < 0)
		is.bytes = collective_elements(is.kind, f->in_bytes,
			f->out_bytes, is.group_size);
	return is;
}

/* Several calls that one kernel executed. */

static int64_t collective_calls_sum(int64_t a, int64_t b)
{
	int64_t sum;
	return a < 0 || b < 0 || __builtin_add_overflow(a, b, &sum) ? -1 : sum;
}

static int64_t collective_calls_larger(int64_t a, int64_t b)
{
	return a < 0 || b < 0 ? -1 : a > b ? a : b;
}

static bool collective_calls_same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Adds a call to the sum of the group's calls. What differs is unknown. */
static void collective_calls_join(struct collective_call *sum,
	const struct collective_call *is)
{
	sum->elements = collective_calls_sum(sum->elements, is->elements);
	sum->bytes = collective_calls_sum(sum->bytes, is->bytes);
	if (sum->dtype != is->dtype)
		sum->dtype = DTYPE_UNKNOWN;
	if (sum->kind != is->kind)
		sum->kind = COLLECTIVE_UNKNOWN;
	if (sum->split != is->split)
		sum->split = COLLECTIVE_SPLIT_UNKNOWN;
	if (sum->group_size != is->group_size)
		sum->group_size = -1;
	if (sum->group_handle != is->group_handle)
		sum->group_handle = -1;
	if (!collective_calls_same(sum->group, is->group))
		sum->group = NULL;
	if (!collective_calls_same(sum->ranks, is->ranks))
		sum->ranks = NULL;
	if (sum->sequence > is->sequence)
		sum->sequence = is->sequence;
}

/* Sends and receives go in both directions of a link at once, so the larger
 * sum is their size, as in nccl-tests' sendrecv_perf. */
static void collective_calls_exchange(const struct collective_call *sends,
	const struct collective_call *receives, struct collective_call *out)
{
	*out = *sends;
	collective_calls_join(out, receives);
	out->kind = COLLECTIVE_SEND_RECEIVE;
	out->elements =
		collective_calls_larger(sends->elements, receives->elements);
	out->bytes = collective_calls_larger(sends->bytes, receives->bytes);
}

/* The sum of the calls that one launch executed, the last of which is in
 * row `last` - 1. */
static struct collective_call
collective_calls_group(const struct collective_calls_maker *m, uint32_t last)
{
	/* sends, receives, all others */
	struct collective_call sum[3] = { 0 };
	bool some[3] = { false };

	for (uint32_t x = last; x;
		x = m->before[collective_calls_row(m, x - 1)]) {
		struct collective_calls_found f = collective_calls_nothing();
		collective_calls_add(m->t, x - 1, &f);
		struct collective_call is = collective_calls_finish(m->t, &f);
		int to = is.kind == COLLECTIVE_SEND	 ? 0
			 : is.kind == COLLECTIVE_RECEIVE ? 1
							 : 2;
		if (some[to])
			collective_calls_join(&sum[to], &is);
		else
			sum[to] = is;
		some[to] = true;
	}
	struct collective_call out = sum[some[0] ? 0 : some[1] ? 1 : 2];
	if (some[0] && some[1])
		collective_calls_exchange(&sum[0], &sum[1], &out);
	if (some[2] && (some[0] || some[1]))
		collective_calls_join(&out, &sum[2]);
	return out;
}

/* The call of each launch. */

/* Adds the records of the host: those that were open at the API call, or the
 * one that the kernel's External id names. In old files that id is the
 * correlation again. */
static void collective_calls_host(const struct collective_calls_maker *m,
	uint32_t row, uint32_t call, struct collective_calls_found *f)
{
	const struct kernel_rows *k = &m->t->kernel;
	uint32_t open = call == CORRELATION_NONE
				? 0
				: m->open[call - m->proc->call.from];

	for (; open; open = m->below[collective_calls_row(m, open - 1)])
		collective_calls_add(m->t, open - 1, f);
	if (k->external_id[row] == k->correlation[row])
		return;
	struct slice found = ids_find(&m->hosts, k->external_id[row]);
	for (uint32_t i = found.from; i < found.to; i++)
		if (m->t->comm.correlation[m->hosts.row[i]] < 0)
			collective_calls_add(m->t, m->hosts.row[i], f);
}

static struct collective_parts collective_calls_parts(const struct trace *t,
	const struct collective_calls_found *f)
{
	return (struct collective_parts){
		.splits = collective_calls_text(t, f->splits),
		.in_elements = f->in,
		.out_elements = f->out,
	};
}

static struct collective_call
collective_calls_of(const struct collective_calls_maker *m, uint32_t i,
	struct collective_parts *parts)
{
	uint32_t row = m->proc->kernel.from + i, call = m->call_of[i];
	struct collective_calls_found f = collective_calls_nothing();
	bool replayed = m->t->kernel.graph_node[row] > 0;

	if (m->open && !replayed) {
		struct slice own =
			ids_find(&m->kernels, m->t->kernel.correlation[row]);
		if (own.from < own.to)
			collective_calls_add(m->t, m->kernels.row[own.from],
				&f);
		collective_calls_host(m, row, call, &f);
		uint32_t group = call == CORRELATION_NONE
					 ? 0
					 : m->group[call - m->proc->call.from];
		if (f.in < 0 && f.out < 0 && f.in_bytes < 0 &&
			f.out_bytes < 0 && group) {
			*parts = (struct collective_parts){ .in_elements = -1,
				.out_elements = -1,
				.several = true };
			return collective_calls_group(m, group);
		}
	}
	*parts = collective_calls_parts(m->t, &f);
	if (!f.is.kind)
		f.is.kind =
			collective_kind_of(m->p->kernels[m->kernel_of[i]].name);
	return collective_calls_finish(m->t, &f);
}

static bool collective_calls_is(const struct collective_calls_maker *m,
	uint32_t i)
{
	return family_is_collective(
		m->p->kernels[m->kernel_of[i]].source.family);
}

/* Allocates what the records need; if there are none, nothing. */
static bool collective_calls_prepare(struct collective_calls_maker *m)
{
	struct arena *a = m->p->arena;
	size_t names = m->t->names.n,
	       rows = (size_t)(m->proc->comm.to - m->proc->comm.from) + 1,
	       calls = (size_t)(m->proc->call.to - m->proc->call.from) + 1;

	m->top = arena_grow(a, NULL, names * sizeof *m->top);
	m->waiting = arena_grow(a, NULL, names * sizeof *m->waiting);
	m->below = arena_grow(a, NULL, rows * sizeof *m->below);
	m->before = arena_grow(a, NULL, rows * sizeof *m->before);
	m->launched = arena_grow(a, NULL, rows);
	m->is_collective = arena_grow(a, NULL, calls);
	m->open = arena_grow(a, NULL, calls * sizeof *m->open);
	m->group = arena_grow(a, NULL, calls * sizeof *m->group);
	return m->top && m->waiting && m->below && m->before && m->launched &&
	       m->is_collective && m->open && m->group &&
	       ids_from(&m->kernels, a, m->t->comm.correlation,
		       m->proc->comm) &&
	       ids_from(&m->hosts, a, m->t->comm.external_id, m->proc->comm);
}

static void collective_calls_drop(struct collective_calls_maker *m)
{
	struct arena *a = m->p->arena;

	arena_drop(a, m->top);
	arena_drop(a, m->waiting);
	arena_drop(a, m->below);
	arena_drop(a, m->before);
	arena_drop(a, m->launched);
	arena_drop(a, m->is_collective);
	arena_drop(a, m->open);
	arena_drop(a, m->group);
	ids_release(&m->kernels, a);
	ids_release(&m->hosts, a);
}

static bool collective_calls_fill(struct collective_calls_maker *m, uint32_t n)
{
	uint32_t launches = m->proc->kernel.to - m->proc->kernel.from;

	m->out->of = arena_grow(m->p->arena, NULL,
		((size_t)launches + 1) * sizeof *m->out->of);
	m->out->list = arena_grow(m->p->arena, NULL,
		((size_t)n + 1) * sizeof *m->out->list);
	m->out->parts = arena_grow(m->p->arena, NULL,
		((size_t)n + 1) * sizeof *m->out->parts);
	if (!m->out->of || !m->out->list || !m->out->parts)
		return false;
	for (uint32_t i = 0; i < launches; i++) {
		if (!collective_calls_is(m, i))
			continue;
		m->out->list[m->out->n] =
			collective_calls_of(m, i, &m->out->parts[m->out->n]);
		m->out->of[i] = ++m->out->n;
	}
	return true;
}

bool collective_calls_from(const struct trace *t, const struct process *proc,
	const uint32_t *kernel_of, const uint32_t *call_of, struct profile *p,
	struct collective_calls *out)
{
	struct collective_calls_maker m = { .t = t,
		.proc = proc,
		.kernel_of = kernel_of,
		.call_of = call_of,
		.p = p,
		.out = out };
	uint32_t launches = proc->kernel.to - proc->kernel.from, n = 0;
	bool recorded = proc->comm.to > proc->comm.from, ok = true;

	*out = (struct collective_calls){ 0 };
	for (uint32_t i = 0; i < launches; i++)
		n += collective_calls_is(&m, i);
	if (!n)
		return true;
	if (recorded)
		ok = collective_calls_prepare(&m);
	for (uint32_t i = 0; ok && recorded && i < launches; i++)
		if (collective_calls_is(&m, i) &&
			call_of[i] != CORRELATION_NONE)
			m.is_collective[call_of[i] - proc->call.from] = 1;
	if (ok && recorded)
		collective_calls_sweep(&m);
	ok = ok && collective_calls_fill(&m, n);
	collective_calls_drop(&m);
	return ok;
}

void collective_calls_release(struct collective_calls *c, struct arena *a)
{
	arena_drop(a, c->of);
	arena_drop(a, c->list);
	arena_drop(a, c->parts);
	*c = (struct collective_calls){ 0 };
}
