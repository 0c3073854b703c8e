/* profile.c - the steps, in order; what each does lies in its own module. */
#include "analyze.h"
#include "copies.h"
#include "devices.h"
#include "kernels.h"
#include "shortfall.h"

static const char *text_or_null(const struct trace *t, uint32_t name)
{
	return name ? names_text(&t->names, name) : NULL;
}

/* The start of the process's earliest record, of any kind. */
static int64_t earliest(const struct trace *t, const struct process *proc)
{
	int64_t first = INT64_MAX;
#define KIND(kind, COLUMNS, what)                          \
	if (proc->kind.from < proc->kind.to &&             \
		t->kind.start_ns[proc->kind.from] < first) \
		first = t->kind.start_ns[proc->kind.from];
	TRACE_KINDS(KIND)
#undef KIND
	return first;
}

static void identity(const struct trace *t, const struct process *proc,
	struct profile *p)
{
	int64_t first = earliest(t, proc);

	p->format = t->format;
	p->framework = t->framework;
	p->pid = proc->pid;
	p->process_name = text_or_null(t, proc->name);
	p->host = text_or_null(t, proc->host);
	p->rank = proc->rank;
	p->world_size = proc->world_size;
	p->started_utc_ns =
		t->base_is_utc && first != INT64_MAX ? t->base_ns + first : -1;
}

/* The sum of durations; false where it is more than a trace may hold, which
 * no decoder lets through. */
static bool sum(const int64_t *dur_ns, struct slice rows, int64_t *total)
{
	*total = 0;
	for (uint32_t i = rows.from; i < rows.to; i++) {
		*total += dur_ns[i];
		if (*total > TRACE_TIME_MAX_NS)
			return false;
	}
	return true;
}

bool profile_from(const struct trace *t, uint32_t process,
	const struct families *f, struct arena *a, struct profile *out,
	struct err *e)
{
	const struct process *proc = &t->processes[process];

	*out = (struct profile){ .arena = a, .notes = t->notes };
	identity(t, proc, out);
	out->launches = proc->kernel.to - proc->kernel.from;
	out->copies = proc->copy.to - proc->copy.from;
	if (!sum(t->kernel.dur_ns, proc->kernel, &out->kernel_ns) ||
		!sum(t->copy.dur_ns, proc->copy, &out->copy_ns))
		return err_set(e, ERR_TRACE,
			"the durations of process %lld add up to more than a "
			"trace can hold (104 days)",
			(long long)proc->pid);
	if (!kernels_from(t, proc->kernel, f, out) ||
		!copies_from(t, proc->copy, out) ||
		!devices_from(t, proc, process, out) ||
		!shortfall_add(t, proc, out))
		return arena_err(a, e);
	return true;
}
