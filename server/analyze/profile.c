/* profile.c - computes a profile from one process of a trace. It calls the
 * steps in order; each step is a module of its own. */
#include "profile.h"
#include "analyze.h"
#include "attribute.h"
#include "breakdown_from.h"
#include "busy_classes.h"
#include "callers.h"
#include "collective_calls.h"
#include "copies.h"
#include "correlation.h"
#include "device_clock.h"
#include "devices.h"
#include "facts.h"
#include "fusions.h"
#include "iteration_energy.h"
#include "iteration_find.h"
#include "kernel_groups.h"
#include "kernels.h"
#include "launches.h"
#include "names_lag.h"
#include "opaque_graphs.h"
#include "pattern.h"
#include "tables.h"
#include "trace.h"
#include "wait_causes.h"

static void profile_notes_add_uncorrelated(const uint32_t *call_of,
	struct profile *p)
{
	int64_t count = 0;
	for (int64_t i = 0; i < p->launches; i++)
		count += call_of[i] == CORRELATION_NONE;
	if (count)
		note_add(&p->notes, NOTE_uncorrelated, count, NULL, 0);
}

static void profile_notes_add_no_grid(const struct trace *t,
	const struct process *proc, struct profile *p)
{
	int64_t count = 0;
	for (uint32_t i = proc->kernel.from; i < proc->kernel.to; i++)
		count +=
			trace_launch_shape_at(t, t->kernel.launch[i])->grid[0] <
			0;
	if (count)
		note_add(&p->notes, NOTE_no_grid, count, NULL, 0);
}

/* Adds notes about missing data: no kernels, devices without a name, launches
 * without a grid or without an API call. Everything else in *p is already
 * filled in. `call_of` is by kernel row of the process. */
static void profile_notes_add(const struct trace *t, const struct process *proc,
	const uint32_t *call_of, struct profile *p)
{
	/* What a record says about a collective call is in an event that has a
	 * row of its own kind, too. */
	int64_t rows = -(int64_t)(proc->comm.to - proc->comm.from), unnamed = 0;

#define KIND(kind, COLUMNS, what) rows += proc->kind.to - proc->kind.from;
	TRACE_KINDS(KIND)
#undef KIND
	if (p->launches == 0 && p->graphs == 0)
		note_add(&p->notes, NOTE_no_kernels, rows, NULL, 0);
	for (uint32_t i = 0; i < p->devices_n; i++)
		unnamed += p->devices[i].name == NULL;
	if (unnamed)
		note_add(&p->notes, NOTE_no_device_name, unnamed, NULL, 0);
	/* A file of collectives alone has no grid and no call of any kernel, as
	 * its own note says. */
	if (t->notes.count[NOTE_collectives_only])
		return;
	profile_notes_add_no_grid(t, proc, p);
	profile_notes_add_uncorrelated(call_of, p);
}

static const char *profile_text_or_null(const struct trace *t, uint32_t name)
{
	return name ? names_text(&t->names, name) : NULL;
}

/* The data of the process: single launches, a table, or calls that a decoder
 * had to place in time. The note counts calls of the file, so one call without a
 * start leaves all runs of the file without times between calls. */
static void profile_content(const struct trace *t, const struct process *proc,
	struct profile *p)
{
	tables_content(proc, p);
	if (p->content == CONTENT_LAUNCHES &&
		t->notes.count[NOTE_comm_no_start])
		p->content = CONTENT_DURATIONS;
}

static void profile_identity(const struct trace *t, const struct process *proc,
	struct profile *p)
{
	int64_t first = trace_first_ns(t, proc);

	p->format = t->format;
	p->framework = t->framework;
	p->pid = proc->pid;
	p->process_name = profile_text_or_null(t, proc->name);
	p->host = profile_text_or_null(t, proc->host);
	p->rank = proc->rank;
	p->world_size = proc->world_size;
	p->started_utc_ns = t->base_is_utc && first != INT64_MAX &&
					    p->content != CONTENT_DURATIONS
				    ? t->base_ns + first
				    : -1;
}

/* Sums durations. False if the sum is above TRACE_TIME_MAX_NS, the longest time
 * that a decoder accepts in a trace. */
static bool profile_sum(const int64_t *dur_ns, struct slice rows,
	int64_t *total)
{
	*total = 0;
	for (uint32_t i = rows.from; i < rows.to; i++) {
		*total += dur_ns[i];
		if (*total > TRACE_TIME_MAX_NS)
			return false;
	}
	return true;
}

/* State that the steps over single launches share. The arrays are by kernel row
 * of the process. */
struct profile_steps {
	const struct trace *t;
	uint32_t process;
	const struct process *proc;
	const struct profile_params *params;
	const struct catalog *catalog;
	const struct graph_book *book;
	struct profile *p;
	uint32_t *kernel_of, *call_of, *frame_of;
	struct iteration_rows rows;
	struct collective_calls collectives;
};

/* Finds groups and layers from the order of launches. */
static bool profile_find_layers(struct profile_steps *s, struct attribution *at,
	struct err *e)
{
	struct profile *p = s->p;
	uint32_t *group_of = NULL;
	bool ok = kernel_groups_from(at, &p->groups, &group_of) ||
		  arena_err(p->arena, e);
	ok = ok &&
	     breakdown_from(at, &s->rows, group_of, &s->params->breakdown, e);
	arena_drop(p->arena, group_of);
	return ok;
}

/* Attributes launches to operators, then finds groups and layers from the
 * attribution. */
static bool profile_attribute(struct profile_steps *s, struct err *e)
{
	struct profile *p = s->p;
	struct attribution at = { .trace = s->t,
		.process = s->process,
		.catalog = s->catalog,
		.book = s->book,
		.profile = p,
		.kernel_of = s->kernel_of,
		.call_of = s->call_of,
		.collectives = &s->collectives };
	bool ok = (attribute_from(&at, &s->rows) && busy_classes_from(&at) &&
			  iteration_energy_from(&at, p) &&
			  pattern_launch_from(&at, &s->rows) &&
			  collectives_from(s->t, s->proc, s->kernel_of,
				  &s->collectives, p)) ||
		  arena_err(p->arena, e);

	at.frame_of = s->frame_of;
	if (p->content == CONTENT_LAUNCHES)
		ok = ok &&
		     (fusion_pairs_from(&at, &s->rows) ||
			     arena_err(p->arena, e)) &&
		     profile_find_layers(s, &at, e);
	attribute_release(&at);
	return ok;
}

/* Finds iterations and computes the time of each function in each iteration.
 * Then attributes launches to operators. */
static bool profile_find_iterations(struct profile_steps *s, struct err *e)
{
	const struct iteration_input in = { s->t, s->proc, s->kernel_of,
		s->call_of, s->catalog };
	struct profile *p = s->p;
	bool ok = iteration_find(&in, s->params->range, p, &s->rows, e);

	if (ok && (!pattern_from(s->t, s->process, s->kernel_of, &s->rows, p) ||
			  !wait_causes_from(s->t, s->proc, s->call_of, p) ||
			  !collective_calls_from(s->t, s->proc, s->kernel_of,
				  s->call_of, p, &s->collectives)))
		ok = arena_err(p->arena, e);
	ok = ok && profile_attribute(s, e);
	iteration_find_drop(p->arena, &s->rows);
	collective_calls_release(&s->collectives, p->arena);
	return ok;
}

/* Computes a profile from single launches. */
static bool profile_from_launches(struct profile_steps *s, struct err *e)
{
	const struct trace *t = s->t;
	const struct process *proc = s->proc;
	struct profile *p = s->p;

	bool ok = kernels_from(t, proc->kernel, s->catalog, p, &s->kernel_of) &&
		  copies_from(t, proc->copy, p) &&
		  opaque_graphs_from(t, proc->graph, p) &&
		  devices_from(t, proc, s->process, p) &&
		  device_clocks_from(t, proc, p) &&
		  correlation_join(t, proc, p->arena, &s->call_of) &&
		  launches_from(t, proc, s->kernel_of, s->call_of, p) &&
		  callers_from(t, proc, s->kernel_of, s->call_of, p,
			  &s->frame_of) &&
		  (p->content != CONTENT_LAUNCHES ||
			  names_lag_note(t, proc->kernel, s->kernel_of, p));
	ok = ok ? profile_find_iterations(s, e) : arena_err(p->arena, e);
	if (ok)
		profile_notes_add(t, proc, s->call_of, p);
	arena_drop(p->arena, s->kernel_of);
	arena_drop(p->arena, s->call_of);
	arena_drop(p->arena, s->frame_of);
	return ok;
}

bool profile_from_params(const struct trace *t, uint32_t process,
	const struct profile_params *params, const struct catalog *f,
	const struct graph_book *book, struct arena *a, struct profile *out,
	struct err *e)
{
	const struct process *proc = &t->processes[process];

	*out = (struct profile){ .arena = a,
		.notes = t->notes,
		.breakdown = { .device = -1 } };
	profile_content(t, proc, out);
	profile_identity(t, proc, out);
	if (!facts_from(t, proc, out))
		return arena_err(a, e);
	if (out->content != CONTENT_LAUNCHES &&
		out->content != CONTENT_DURATIONS)
		return tables_read(t, proc, f, out, e) &&
		       (attribute_tables(f, out) || arena_err(a, e));
	out->launches = proc->kernel.to - proc->kernel.from;
	out->copies = proc->copy.to - proc->copy.from;
	out->graphs = proc->graph.to - proc->graph.from;
	if (!profile_sum(t->kernel.dur_ns, proc->kernel, &out->kernel_ns) ||
		!profile_sum(t->copy.dur_ns, proc->copy, &out->copy_ns) ||
		!profile_sum(t->graph.dur_ns, proc->graph, &out->graph_ns))
		return err_set(e, ERR_TRACE,
			"the durations of process %lld add up to more than a "
			"trace can hold (104 days)",
			(long long)proc->pid);
	struct profile_steps steps = { .t = t,
		.process = process,
		.proc = proc,
		.params = params,
		.catalog = f,
		.book = book,
		.p = out };
	return profile_from_launches(&steps, e);
}

bool profile_from(const struct trace *t, uint32_t process,
	const struct catalog *f, const struct graph_book *book, struct arena *a,
	struct profile *out, struct err *e)
{
	static const struct profile_params nothing = {
		.breakdown = { .device = -1, .stratum = -1 }
	};

	return profile_from_params(t, process, &nothing, f, book, a, out, e);
}
