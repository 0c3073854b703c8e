/* profile.c - the steps, in order; what each does lies in its own module. */
#include "analyze.h"
#include "attribute.h"
#include "breakdown_from.h"
#include "callers.h"
#include "copies.h"
#include "correlation.h"
#include "iteration_find.h"
#include "devices.h"
#include "facts.h"
#include "opaque_graphs.h"
#include "kernels.h"
#include "kernel_groups.h"
#include "launches.h"
#include "names_lag.h"
#include "pattern.h"
#include "profile_notes.h"
#include "tables.h"

static const char *text_or_null(const struct trace *t, uint32_t name)
{
	return name ? names_text(&t->names, name) : NULL;
}

static void identity(const struct trace *t, const struct process *proc,
	struct profile *p)
{
	int64_t first = trace_first_ns(t, proc);

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

/* Which operators launches are of, and so groups and layers. */
static bool attributed(const struct trace *t, uint32_t process,
	const struct profile_asked *asked, const struct catalog *c,
	const struct graph_book *book, const uint32_t *kernel_of,
	const uint32_t *call_of, const uint32_t *frame_of,
	const struct iteration_rows *rows, struct profile *p, struct err *e)
{
	struct attribution at = { 0 };
	uint32_t *group_of = NULL;
	bool ok = attribute_from(t, process, c, book, kernel_of, call_of, rows,
		p, &at);

	at.frame_of = frame_of;
	ok = (ok && kernel_groups_from(&at, &p->groups, &group_of)) ||
	     arena_err(p->arena, e);
	ok = ok && breakdown_from(&at, rows, group_of, &asked->breakdown, e);
	arena_drop(p->arena, group_of);
	attribute_release(&at);
	return ok;
}

/* What repeats, what each function took in each repetition, and for which
 * operators. */
static bool repeated(const struct trace *t, uint32_t process,
	const struct profile_asked *asked, const struct catalog *c,
	const struct graph_book *book, const uint32_t *kernel_of,
	const uint32_t *call_of, const uint32_t *frame_of, struct profile *p,
	struct err *e)
{
	const struct process *proc = &t->processes[process];
	struct iteration_rows rows = { 0 };
	bool ok = iteration_find(t, proc, asked->range, kernel_of, call_of, p,
		&rows, e);

	if (ok && (!pattern_from(t, process, kernel_of, &rows, p) ||
			  !collectives_from(t, proc, kernel_of, p)))
		ok = arena_err(p->arena, e);
	ok = ok && attributed(t, process, asked, c, book, kernel_of, call_of,
			   frame_of, &rows, p, e);
	iteration_find_drop(p->arena, &rows);
	return ok;
}

/* What rests on single launches. */
static bool launched(const struct trace *t, uint32_t process,
	const struct profile_asked *asked, const struct catalog *f,
	const struct graph_book *book, struct profile *p, struct err *e)
{
	const struct process *proc = &t->processes[process];
	uint32_t *kernel_of = NULL, *call_of = NULL, *frame_of = NULL;

	bool ok = kernels_from(t, proc->kernel, f, p, &kernel_of) &&
		  copies_from(t, proc->copy, p) &&
		  opaque_graphs_from(t, proc->graph, p) &&
		  devices_from(t, proc, process, p) &&
		  correlation_join(t, proc, p->arena, &call_of) &&
		  launches_from(t, proc, kernel_of, call_of, p) &&
		  callers_from(t, proc, kernel_of, call_of, p, &frame_of) &&
		  names_lag_note(t, proc->kernel, kernel_of, p);
	ok = ok ? repeated(t, process, asked, f, book, kernel_of, call_of,
			  frame_of, p, e)
		: arena_err(p->arena, e);
	if (ok)
		profile_notes_add(t, proc, call_of, p);
	arena_drop(p->arena, kernel_of);
	arena_drop(p->arena, call_of);
	arena_drop(p->arena, frame_of);
	return ok;
}

/* What rests on tables. */
static bool told(const struct trace *t, const struct process *proc,
	const struct catalog *c, struct profile *p, struct err *e)
{
	bool ok = p->content == CONTENT_STATISTICS
			  ? tables_statistics(t, proc, c, p, e)
			  : tables_patterns(t, proc, c, p, e);

	return ok && (attribute_tables(c, p) || arena_err(p->arena, e));
}

bool profile_asked(const struct trace *t, uint32_t process,
	const struct profile_asked *asked, const struct catalog *f,
	const struct graph_book *book, struct arena *a, struct profile *out,
	struct err *e)
{
	const struct process *proc = &t->processes[process];

	*out = (struct profile){ .arena = a,
		.notes = t->notes,
		.breakdown = { .device = -1 } };
	identity(t, proc, out);
	if (!facts_from(t, proc, out))
		return arena_err(a, e);
	out->content = tables_content(proc);
	tables_note_ignored(proc, out);
	if (out->content != CONTENT_LAUNCHES)
		return told(t, proc, f, out, e);
	out->launches = proc->kernel.to - proc->kernel.from;
	out->copies = proc->copy.to - proc->copy.from;
	out->graphs = proc->graph.to - proc->graph.from;
	if (!sum(t->kernel.dur_ns, proc->kernel, &out->kernel_ns) ||
		!sum(t->copy.dur_ns, proc->copy, &out->copy_ns) ||
		!sum(t->graph.dur_ns, proc->graph, &out->graph_ns))
		return err_set(e, ERR_TRACE,
			"the durations of process %lld add up to more than a "
			"trace can hold (104 days)",
			(long long)proc->pid);
	return launched(t, process, asked, f, book, out, e);
}

bool profile_from(const struct trace *t, uint32_t process,
	const struct catalog *f, const struct graph_book *book, struct arena *a,
	struct profile *out, struct err *e)
{
	static const struct profile_asked nothing = {
		.breakdown = { .device = -1, .stratum = -1 }
	};

	return profile_asked(t, process, &nothing, f, book, a, out, e);
}
