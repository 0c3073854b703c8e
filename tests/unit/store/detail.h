/* detail.h - makes a profile with the origin of its kernels: graphs,
 * launches, callers. */
#pragma once
#include "fixture.h"

/* The rows that detailed() adds: 2 graphs, 2 launches, 4 of its 5 frames
 * (nothing was launched below the module), 5 callers. */
enum { DETAIL_ROWS = 13 };

static inline void detail_launches(struct arena *a, struct profile *p)
{
	static const struct spread none = { NAN, NAN, NAN, -1, -1 };
	p->launch_stats_n = 2;
	p->launch_stats = arena_array(a, struct launch_stat, 2);
	p->launch_stats[0] = (struct launch_stat){ "python (4711)", 0,
		"cudaLaunchKernel", 0, 3, 2, { 900.5, 880, 12.3, 700, 1100 },
		{ 300.1, 290, 9.5, 200, 410 }, { 400.2, 399.5, 1.5, 398, 402 },
		{ 100, 10.5, 0.3, 99, 101 } };
	p->launch_stats[1] = (struct launch_stat){ "", 1, "cuLaunchKernelEx", 1,
		2, 0, { 80, 80, 0, 80, 80 }, { 5, 5, 0, 5, 5 }, none,
		{ 75, 75, 0, 75, 75 } };
}

static inline void detail_callers(struct arena *a, struct profile *p)
{
	static const struct frame frames[] = {
		{ 0, FRAME_ANNOTATION, NULL },
		{ 0, FRAME_ANNOTATION, "step 7" },
		{ 1, FRAME_PYTHON, "train.py(7): loop" },
		{ 1, FRAME_MODULE, "nn.Module: Mlp_0" },
		{ 2, FRAME_OP, "aten::mm" },
		{ 0, FRAME_MODULE, "nn.Module: Head_0" },
	};
	static const struct caller_stat callers[] = {
		{ 0, CALLER_PATH, 4, 1, 200 },
		{ 0, CALLER_PATH, 2, 1, 60 },
		{ 0, CALLER_NO_RANGE, 0, 1, 40 },
		{ 1, CALLER_NO_CALL, 0, 1, 100 },
		{ 1, CALLER_PATH, 5, 1, 50 },
	};
	p->frames_n = sizeof frames / sizeof *frames;
	p->frames = arena_array(a, struct frame, p->frames_n);
	memcpy(p->frames, frames, sizeof frames);
	p->callers_n = sizeof callers / sizeof *callers;
	p->callers = arena_array(a, struct caller_stat, p->callers_n);
	memcpy(p->callers, callers, sizeof callers);
}

/* fixture_profile() with these additions. */
static inline struct profile detailed(struct arena *a)
{
	struct profile p = fixture_profile(a);
	p.graph_ns = 90;
	p.graphs = 5;
	p.graph_stats_n = 2;
	p.graph_stats = arena_array(a, struct graph_stat, 2);
	p.graph_stats[0] = (struct graph_stat){ 4, 9, 0, fixture_time(2, 60) };
	p.graph_stats[1] =
		(struct graph_stat){ -1, -1, 1, fixture_time(3, 30) };
	detail_launches(a, &p);
	detail_callers(a, &p);
	return p;
}

/* The dictionary's id of a name. */
static inline int64_t detail_kernel(struct db *db, const char *name)
{
	char sql[100];
	snprintf(sql, sizeof sql, "SELECT id FROM kernel WHERE name = '%s'",
		name);
	return fixture_count(db, sql);
}
