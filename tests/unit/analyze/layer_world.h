/* layer_world.h - a trace to which tests add rows, and the sequence of its
 * launches. A profile performs the same steps before it makes this sequence. */
#pragma once
#include "callers.h"
#include "copies.h"
#include "correlation.h"
#include "device_clock.h"
#include "devices.h"
#include "opaque_graphs.h"
#include "kernels.h"
#include "layer_seq.h"
#include "world.h"

struct layer_world {
	struct world *w;
	struct attribution at;
	struct iteration_rows iterations;
	struct layer_seq s;
};

/* Runs every step except the sequence; the rows must be added before. */
static inline void layer_world_init(struct layer_world *l, struct world *w)
{
	struct profile *p = &w->p;
	uint32_t *kernel_of = NULL, *call_of = NULL, *frame_of = NULL;
	const struct process *proc = &w->process;

	*l = (struct layer_world){ .w = w };
	*p = (struct profile){ .arena = &w->arena };
	w->t.processes = &w->process;
	w->t.processes_n = 1;
	assert_true(trace_sort(&w->t));
	assert_true(
		kernels_from(&w->t, proc->kernel, w->families, p, &kernel_of) &&
		copies_from(&w->t, proc->copy, p) &&
		opaque_graphs_from(&w->t, proc->graph, p) &&
		devices_from(&w->t, proc, 0, p) &&
		device_clocks_from(&w->t, proc, p) &&
		correlation_join(&w->t, proc, p->arena, &call_of) &&
		callers_from(&w->t, proc, kernel_of, call_of, p, &frame_of) &&
		iteration_find(&(struct iteration_input){ &w->t, proc,
				       kernel_of, call_of, w->families },
			NULL, p, &l->iterations, &w->e));
	l->at = (struct attribution){ .trace = &w->t,
		.catalog = w->families,
		.profile = p,
		.kernel_of = kernel_of,
		.call_of = call_of };
	assert_true(attribute_from(&l->at, &l->iterations));
	l->at.frame_of = frame_of;
}

static inline bool layer_world_seq(struct layer_world *l,
	const struct breakdown_params *params)
{
	l->w->e = (struct err){ 0 };
	return layer_seq_from(&l->s, &l->at, &l->iterations, params, &l->w->e);
}

static inline void layer_world_release(struct layer_world *l)
{
	layer_seq_release(&l->s);
	attribute_release(&l->at);
}
