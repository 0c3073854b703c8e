/* profile_notes.c - counts what a trace lacks: grids, launches, device names. */
#include "profile_notes.h"
#include "correlation.h"

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

void profile_notes_add(const struct trace *t, const struct process *proc,
	const uint32_t *call_of, struct profile *p)
{
	int64_t rows = 0, unnamed = 0;

#define KIND(kind, COLUMNS, what) rows += proc->kind.to - proc->kind.from;
	TRACE_KINDS(KIND)
#undef KIND
	if (p->launches == 0 && p->graphs == 0)
		note_add(&p->notes, NOTE_no_kernels, rows, NULL, 0);
	for (uint32_t i = 0; i < p->devices_n; i++)
		unnamed += p->devices[i].name == NULL;
	if (unnamed)
		note_add(&p->notes, NOTE_no_device_name, unnamed, NULL, 0);
	profile_notes_add_no_grid(t, proc, p);
	profile_notes_add_uncorrelated(call_of, p);
}
