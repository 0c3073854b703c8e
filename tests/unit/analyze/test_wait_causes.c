/* test_wait_causes.c - traces with one planted cause of idle time each, and
 * random traces compared with a cause for every nanosecond. */
#include "correlation.h"
#include "iteration_rows.h"
#include "profile_word.h"
#include "wait_causes.h"
#include <stdio.h>
#include <stdlib.h>

static void kernel(struct world *w, int64_t start_ns, int64_t dur_ns,
	int32_t device, int64_t stream, int64_t correlation)
{
	trace_kernel_add(&w->t, &(struct kernel_row){ .start_ns = start_ns,
					.dur_ns = dur_ns,
					.name = rows_name(&w->t, "k"),
					.device = device,
					.stream = stream,
					.correlation = correlation });
}

static void copy(struct world *w, const char *name, int64_t start_ns,
	int64_t dur_ns, int64_t correlation)
{
	trace_copy_add(&w->t, &(struct copy_row){ .start_ns = start_ns,
				      .dur_ns = dur_ns,
				      .name = rows_name(&w->t, name),
				      .stream = 7,
				      .correlation = correlation });
}

static void call(struct world *w, const char *name, int64_t start_ns,
	int64_t end_ns, int64_t correlation)
{
	rows_call(&w->t, name, "1", start_ns, end_ns - start_ns, correlation);
}

static void python(struct world *w, const char *name, int64_t start_ns,
	int64_t end_ns)
{
	rows_range(&w->t, RANGE_PYTHON, name, "1", start_ns, end_ns - start_ns);
}

static uint32_t *call_of;

/* The parts of an iteration's window are in order, without overlap, and add up
 * to the time of each cause. */
static void parts_agree(const struct world *w, uint32_t iteration)
{
	const struct iteration *it = &w->p.iterations.iterations[iteration];
	int64_t from = trace_first_ns(&w->t, &w->process) + it->start_ns;
	int64_t sum[WAIT_CAUSES] = { 0 }, end = from;
	struct arena a = { 0 };
	struct wait_part *parts;
	uint32_t n;

	assert_true(wait_causes_parts(&w->t, &w->process, call_of, from,
		from + it->dur_ns, &a, &parts, &n));
	for (uint32_t i = 0; i < n; i++) {
		assert_true(parts[i].start_ns >= end && parts[i].dur_ns > 0);
		end = parts[i].start_ns + parts[i].dur_ns;
		sum[parts[i].cause] += parts[i].dur_ns;
	}
	assert_true(end <= from + it->dur_ns);
	for (int c = 0; c < WAIT_CAUSES; c++)
		assert_int_equal(sum[c], w->p.waits.iteration_ns[c][iteration]);
	arena_release(&a);
}

/* Computes the causes of the given iterations, and checks that they add up. */
static void find(struct world *w, struct given *g)
{
	given_rows(w, g);
	given_patterns(w, g);
	assert_true(correlation_join(&w->t, &w->process, &w->arena, &call_of));
	assert_true(wait_causes_from(&w->t, &w->process, call_of, &w->p));
	for (uint32_t i = 0; i < w->p.iterations.n; i++) {
		int64_t sum = 0;
		for (int c = 0; c < WAIT_CAUSES; c++)
			sum += w->p.waits.iteration_ns[c][i];
		assert_int_equal(sum, g->iterations[i].idle_ns);
		parts_agree(w, i);
	}
}

/* One iteration over [0, end). */
static void find_in(struct world *w, int64_t end_ns)
{
	static struct given g;

	g = (struct given){ 0 };
	given_iteration(w, &g, 0, end_ns);
	find(w, &g);
}

/* The causes with time, as "host_gap 10, unknown 3". */
static void causes_are(const struct world *w, const char *want)
{
	char got[400] = "";

	for (int c = 0; c < WAIT_CAUSES; c++)
		if (w->p.waits.time_ns[c])
			sprintf(got + strlen(got), "%s%s %lld",
				*got ? ", " : "", profile_word_wait[c],
				(long long)w->p.waits.time_ns[c]);
	assert_string_equal(got, want);
}

/* The names with their times, as "python f 10, op aten::mm 3". */
static void names_are(const struct world *w, const char *want)
{
	char got[1000] = "";

	for (uint32_t i = 0; i < w->p.waits.names_n; i++) {
		const struct wait_name *n = &w->p.waits.names[i];
		sprintf(got + strlen(got), "%s%s %s %lld", i ? ", " : "",
			profile_word_wait_kind[n->kind], n->name,
			(long long)n->time_ns);
	}
	assert_string_equal(got, want);
}

/* The interval is [100, 520). The host waits until 500, and launches from 500 to
 * 510. The GPU begins 10 later. */
static void test_synchronization(void **state)
{
	struct world *w = *state;
	call(w, "cudaLaunchKernel", 0, 10, 1);
	call(w, "cudaStreamSynchronize_v3020", 20, 500, 2);
	call(w, "cudaLaunchKernel_v7000", 500, 510, 3);
	kernel(w, 20, 80, 0, 7, 1);
	kernel(w, 520, 10, 0, 7, 3);
	/* Another cause before the first record: [0, 10) is the launch, and
	 * [10, 20) is unknown. */
	find_in(w, 530);
	causes_are(w, "synchronization 400, launch_bound 20, unknown 20");
	names_are(w,
		"call cudaStreamSynchronize 400, call cudaLaunchKernel 20");
	assert_int_equal(w->p.waits.parts[WAIT_SYNCHRONIZATION], 1);
	assert_int_equal(w->p.waits.late_launch_ns, 420);
	assert_int_equal(w->p.waits.short_ns, 0);
}

/* The driver's call inside of cudaMemcpy is part of it. The second copy is
 * asynchronous by its name, but to pageable memory. */
static void test_copy_wait(void **state)
{
	struct world *w = *state;
	call(w, "cudaMemcpy", 0, 300, 1);
	call(w, "cuStreamSynchronize", 100, 250, 2);
	call(w, "cudaMemcpyAsync", 300, 700, 3);
	call(w, "cudaMemcpyAsync", 700, 960, 4);
	copy(w, "Memcpy HtoD (Pinned -> Device)", 10, 10, 1);
	copy(w, "Memcpy DtoH (Device -> Pageable)", 310, 10, 3);
	copy(w, "Memcpy DtoH (Device -> Pinned)", 970, 10, 4);
	find_in(w, 980);
	/* [0, 10) launches; [20, 300), [320, 700) wait; [300, 310) and
	 * [700, 960) launch; [960, 970) is unknown. */
	causes_are(w, "copy_wait 660, launch_bound 280, unknown 10");
	names_are(w, "call cudaMemcpyAsync 380, call cudaMemcpy 280, "
		     "call cudaMemcpyAsync 270, call cudaMemcpy 10");
}

/* Of nested ranges the innermost has the time: f [100, 1000) contains g
 * [200, 500), which contains an operator [300, 350) and then overlaps h
 * [450, 600), which is not nested in g. */
static void test_host_gap(void **state)
{
	struct world *w = *state;
	call(w, "cudaLaunchKernel", 0, 10, 1);
	call(w, "cudaLaunchKernel", 1000, 1010, 2);
	python(w, "f", 100, 1000);
	python(w, "g", 200, 500);
	python(w, "h", 450, 600);
	rows_op(&w->t, "aten::mm", "1", 300, 50, 1);
	rows_range(&w->t, RANGE_ANNOTATION, "step 12", "1", 620, 10);
	rows_range(&w->t, RANGE_ANNOTATION, "step 13", "1", 640, 10);
	kernel(w, 10, 10, 0, 7, 1);
	kernel(w, 1010, 10, 0, 7, 2);
	find_in(w, 1020);
	causes_are(w, "host_gap 980, launch_bound 20");
	names_are(w, "python f 480, python g 200, python h 150, "
		     "op aten::mm 50, annotation step * 20, "
		     "call cudaLaunchKernel 20");
	assert_int_equal(w->p.waits.parts[WAIT_HOST_GAP], 1);
}

/* At most ten names; the others have no line. */
static void test_ten_names(void **state)
{
	struct world *w = *state;
	char name[10];
	call(w, "cudaLaunchKernel", 1000, 1010, 1);
	for (int i = 0; i < 12; i++) {
		snprintf(name, sizeof name, "f_%c", 'a' + i);
		python(w, name, i * 50, i * 50 + 20 + i);
	}
	kernel(w, 1010, 10, 0, 7, 1);
	find_in(w, 1020);
	causes_are(w, "host_gap 1000, launch_bound 10");
	names_are(w, "python f_l 31, python f_k 30, python f_j 29, "
		     "python f_i 28, python f_h 27, python f_g 26, "
		     "python f_f 25, python f_e 24, python f_d 23, "
		     "python f_c 22, call cudaLaunchKernel 10");
}

/* The second call begins before the interval does, and only its rest counts. */
static void test_launch_bound(void **state)
{
	struct world *w = *state;
	call(w, "hipLaunchKernel", 0, 10, 1);
	call(w, "hipModuleLaunchKernel", 10, 1000, 2);
	kernel(w, 10, 90, 0, 7, 1);
	kernel(w, 1005, 10, 0, 7, 2);
	find_in(w, 1015);
	causes_are(w, "launch_bound 910, unknown 5");
	names_are(w, "call hipModuleLaunchKernel 900, call hipLaunchKernel 10");
	assert_int_equal(w->p.waits.late_launch_ns, 0);
}

/* Kernels of one replay wait for each other. While the launch runs, it may not
 * have sent the next kernel yet. The kernels of correlation 9 are of a launch
 * before the trace. */
static void test_graph_launch(void **state)
{
	struct world *w = *state;
	call(w, "cudaGraphLaunch_v10000", 0, 60, 1);
	kernel(w, 10, 30, 0, 7, 1);
	kernel(w, 100, 10, 0, 7, 1);
	kernel(w, 300, 10, 0, 8, 1);
	kernel(w, 320, 10, 0, 7, 9);
	kernel(w, 430, 10, 0, 7, 9);
	find_in(w, 440);
	causes_are(w, "launch_bound 30, graph_launch 330, unknown 10");
}

/* The kernel of stream 8 was launched before the one of stream 7 ended. The
 * next kernel of stream 7 was launched after that, so it did not wait. */
static void test_stream_dependency(void **state)
{
	struct world *w = *state;
	call(w, "cudaLaunchKernel", 0, 10, 1);
	call(w, "cudaLaunchKernel", 10, 20, 2);
	call(w, "cudaLaunchKernel", 300, 420, 3);
	kernel(w, 10, 90, 0, 7, 1);
	kernel(w, 300, 100, 0, 8, 2);
	kernel(w, 450, 10, 0, 7, 3);
	find_in(w, 460);
	causes_are(w, "launch_bound 30, stream_dependency 200, unknown 30");
}

/* Of one stream, or of streams whose numbers are not known: nothing shows what
 * the kernel waited for. */
static void test_unknown(void **state)
{
	struct world *w = *state;
	call(w, "cudaLaunchKernel", 0, 10, 1);
	call(w, "cudaLaunchKernel", 10, 20, 2);
	call(w, "cudaLaunchKernel", 20, 30, 3);
	kernel(w, 10, 90, 0, 7, 1);
	kernel(w, 200, 100, 0, 7, 2);
	kernel(w, 320, 100, 0, -1, 3);
	kernel(w, 500, 10, 0, 7, 4); /* no call */
	find_in(w, 510);
	causes_are(w, "launch_bound 10, unknown 200");
	assert_int_equal(w->p.waits.short_ns, 20);
}

static void test_without_calls(void **state)
{
	struct world *w = *state;
	python(w, "f", 0, 1000);
	kernel(w, 10, 10, 0, 7, 1);
	kernel(w, 100, 10, 0, 7, 1);
	kernel(w, 200, 10, 0, 8, 2);
	find_in(w, 210);
	causes_are(w, "unknown 180");
	names_are(w, "");
}

/* Only the thread that launches is examined: the watchdog waits, and another
 * thread runs g. */
static void test_two_threads(void **state)
{
	struct world *w = *state;
	call(w, "cudaLaunchKernel", 0, 10, 1);
	rows_call(&w->t, "cudaEventSynchronize", "2", 20, 800, 2);
	call(w, "cudaDeviceSynchronize", 400, 500, 3);
	call(w, "cudaLaunchKernel", 1000, 1010, 4);
	python(w, "f", 0, 2000);
	rows_range(&w->t, RANGE_PYTHON, "g", "2", 10, 2000);
	kernel(w, 10, 10, 0, 7, 1);
	kernel(w, 1010, 10, 0, 7, 4);
	find_in(w, 1020);
	causes_are(w, "synchronization 100, host_gap 880, launch_bound 20");
	names_are(w, "call cudaDeviceSynchronize 100, python f 880, "
		     "call cudaLaunchKernel 20");
}

/* By the host's clock the call begins after its kernel did. */
static void test_clocks_disagree(void **state)
{
	struct world *w = *state;
	call(w, "cudaLaunchKernel", 0, 10, 1);
	call(w, "cudaLaunchKernel", 1020, 1030, 2);
	kernel(w, 10, 90, 0, 7, 1);
	kernel(w, 1000, 10, 0, 7, 2);
	find_in(w, 1010);
	causes_are(w, "host_gap 900, launch_bound 10");
	assert_int_equal(w->p.waits.late_launch_ns, 900);
}

/* Sets and copies end intervals, too. Threads may be unknown. */
static void test_copies_end_intervals(void **state)
{
	struct world *w = *state;
	rows_call(&w->t, "cudaMemsetAsync", "", 200, 100, 1);
	rows_call(&w->t, "cudaStreamSynchronize", "", 420, 60, 2);
	rows_call(&w->t, "cudaMemcpyAsync", "", 500, 10, 3);
	kernel(w, 0, 100, 0, 7, -1);
	copy(w, "Memset (Device)", 310, 90, 1);
	copy(w, "Memcpy HtoD (Pinned -> Device)", 510, 10, 3);
	find_in(w, 520);
	/* [100, 200), [400, 420) and [480, 500) host, [420, 480) waits. */
	causes_are(w, "synchronization 60, host_gap 140, launch_bound 110, "
		      "unknown 10");
}

/* Two iterations share one interval, and time between them is of none. The
 * first ends without a record of its own, so the next record decides. No record
 * follows the last one, and the host waits in [700, 800) then. Totals contain
 * the kept iterations only. */
static void test_iterations(void **state)
{
	struct world *w = *state;
	static struct given g;
	g = (struct given){ 0 };
	call(w, "cudaLaunchKernel", 0, 10, 1);
	call(w, "cudaLaunchKernel", 500, 520, 2);
	call(w, "cudaStreamSynchronize", 700, 800, 3);
	kernel(w, 10, 90, 0, 7, 1);
	kernel(w, 600, 50, 0, 7, 2);
	given_iteration(w, &g, 0, 200);
	given_iteration(w, &g, 450, 550);
	given_iteration(w, &g, 1000, 100);
	g.iterations[0].use = ITERATION_WARMUP;
	find(w, &g);
	const struct wait_times *s = &w->p.waits;
	assert_int_equal(s->iteration_ns[WAIT_HOST_GAP][0], 100);
	assert_int_equal(s->iteration_ns[WAIT_LAUNCH][0], 10);
	assert_int_equal(s->iteration_ns[WAIT_HOST_GAP][1], 50);
	assert_int_equal(s->iteration_ns[WAIT_LAUNCH][1], 20);
	assert_int_equal(s->iteration_ns[WAIT_SYNCHRONIZATION][1], 100);
	assert_int_equal(s->iteration_ns[WAIT_UNKNOWN][1], 330);
	assert_int_equal(s->iteration_ns[WAIT_UNKNOWN][2], 100);
	causes_are(w, "synchronization 100, host_gap 50, launch_bound 20, "
		      "unknown 430");
}

/* Device 1 works in [100, 300), so that device 0 is idle, but not the process.
 * Its launch ends the interval, and the next one of device 0 waits for it. */
static void test_two_devices(void **state)
{
	struct world *w = *state;
	call(w, "cudaLaunchKernel", 0, 10, 1);
	call(w, "cudaLaunchKernel", 40, 80, 2);
	call(w, "cudaLaunchKernel", 90, 95, 3);
	kernel(w, 10, 10, 0, 7, 1);
	kernel(w, 100, 200, 1, 7, 2);
	kernel(w, 350, 10, 0, 7, 3);
	find_in(w, 360);
	/* [20, 40) and [0, 10); [40, 80); [80, 100) is no dependency, because
	 * the launch came after the interval began; [300, 350). */
	causes_are(w, "host_gap 20, launch_bound 50, stream_dependency 50, "
		      "unknown 20");
}

/* ---- The longest intervals */

static struct wait_gaps longest(struct world *w, uint32_t most)
{
	struct wait_gaps gaps;

	assert_true(wait_causes_gaps(&w->t, &w->process, call_of, &w->p, most,
		&w->arena, &gaps));
	return gaps;
}

/* [100, 400) with the host in a python function, [450, 460), [500, 900) with a
 * copy after it, and [950, 1000), which no record ends. */
static void gap_world(struct world *w)
{
	call(w, "cudaLaunchKernel", 0, 10, 1);
	call(w, "cudaLaunchKernel_v7000", 390, 395, 2);
	call(w, "cudaLaunchKernel", 396, 399, 3);
	call(w, "cudaStreamSynchronize", 510, 880, 4);
	call(w, "cudaMemcpyAsync", 890, 895, 5);
	python(w, "outer", 0, 396);
	python(w, "f", 150, 380);
	kernel(w, 0, 100, 0, 7, 1);
	kernel(w, 400, 50, 0, 7, 2);
	kernel(w, 460, 40, 1, 8, 3);
	copy(w, "Memcpy HtoD (Pinned -> Device)", 900, 50, 5);
}

static void test_longest(void **state)
{
	struct world *w = *state;
	gap_world(w);
	find_in(w, 1000);
	struct wait_gaps gaps = longest(w, 2);
	assert_int_equal(gaps.n, 2);
	assert_int_equal(gaps.all, 4);
	assert_int_equal(gaps.all_ns, 300 + 10 + 400 + 50);
	const struct wait_gap *g = gaps.rows;
	assert_int_equal(g->start_ns, 500);
	assert_int_equal(g->idle_ns, 400);
	assert_int_equal(g->cause_ns[WAIT_SYNCHRONIZATION], 370);
	assert_int_equal(g->cause_ns[WAIT_HOST_GAP], 20);
	assert_int_equal(g->cause_ns[WAIT_LAUNCH], 5);
	assert_int_equal(g->cause_ns[WAIT_UNKNOWN], 5);
	assert_int_equal(g->before.kind, WAIT_RECORD_KERNEL);
	assert_int_equal(g->before.device, 1);
	assert_int_equal(g->before.stream, 8);
	assert_int_equal(g->after.kind, WAIT_RECORD_COPY);
	assert_string_equal(g->after.name, "Memcpy HtoD (Pinned -> Device)");
	assert_string_equal(g->call, "cudaMemcpyAsync");
	assert_string_equal(g->host.name, "cudaStreamSynchronize");
	assert_int_equal(g->host.time_ns, 370);
	assert_int_equal(g->path_n, 0);
	g++;
	assert_int_equal(g->start_ns, 100);
	assert_int_equal(g->idle_ns, 300);
	assert_string_equal(g->before.name, "k");
	assert_string_equal(g->call, "cudaLaunchKernel");
	/* f from 150 to 380; outer before and after it. */
	assert_string_equal(g->host.name, "f");
	assert_int_equal(g->host.kind, WAIT_KIND_PYTHON);
	assert_int_equal(g->host.time_ns, 230);
	/* f has ended when the API call begins. */
	assert_int_equal(g->path_n, 1);
	assert_string_equal(g->path[0].name, "outer");
	/* No record ends the last one. */
	gaps = longest(w, 4);
	assert_int_equal(gaps.rows[2].after.kind, WAIT_RECORD_NONE);
	assert_null(gaps.rows[2].call);
	assert_int_equal(gaps.rows[3].idle_ns, 10);
}

/* Only the parts in kept iterations count: [150, 200) and [300, 350) of [100,
 * 400). */
static void test_longest_in_iterations(void **state)
{
	struct world *w = *state;
	static struct given g;
	g = (struct given){ 0 };
	gap_world(w);
	given_iteration(w, &g, 0, 120);
	given_iteration(w, &g, 150, 50);
	given_iteration(w, &g, 300, 50);
	g.iterations[0].use = ITERATION_WARMUP;
	find(w, &g);
	struct wait_gaps gaps = longest(w, 9);
	assert_int_equal(gaps.n, 1);
	assert_int_equal(gaps.all_ns, 100);
	assert_int_equal(gaps.rows[0].start_ns, 150);
	assert_int_equal(gaps.rows[0].idle_ns, 100);
	assert_int_equal(gaps.rows[0].iteration,
		w->p.iterations.iterations[1].number);
}

/* ---- Random traces */

enum { SPAN = 400, ROWS = 40 };

static struct {
	int64_t start_ns, end_ns;
	int32_t device;
	int64_t stream, correlation;
} records[ROWS];
static struct {
	int64_t start_ns, end_ns;
	const char *name, *thread;
} calls[ROWS]; /* the correlation is the index + 1 */
static int records_n, calls_n;

static void random_world(struct world *w, struct given *g)
{
	static const char *const names[] = { "cudaLaunchKernel",
		"cudaGraphLaunch", "cudaStreamSynchronize", "cudaMemcpy",
		"cudaEventRecord" };
	static const char *const threads[] = { "1", "2" };
	int64_t free_at[2] = { 0, 0 };

	records_n = calls_n = 0;
	for (int64_t at = 0; at < SPAN && calls_n < ROWS; at += rand() % 25) {
		int thread = rand() % 2;
		if (at < free_at[thread])
			continue;
		int64_t end = at + rand() % 40;
		free_at[thread] = end;
		calls[calls_n].start_ns = at;
		calls[calls_n].end_ns = end;
		calls[calls_n].name = names[rand() % 5];
		calls[calls_n].thread = threads[thread];
		rows_call(&w->t, calls[calls_n].name, threads[thread], at,
			end - at, calls_n + 1);
		calls_n++;
	}
	for (int64_t at = 0; at < SPAN && records_n < ROWS; at += rand() % 30) {
		int i = records_n++;
		records[i].start_ns = at;
		records[i].end_ns = at + rand() % 20;
		records[i].device = rand() % 2;
		records[i].stream = rand() % 3 - 1;
		records[i].correlation = rand() % (calls_n + 2) + 1;
		kernel(w, at, records[i].end_ns - at, records[i].device,
			records[i].stream, records[i].correlation);
	}
	for (int64_t at = rand() % 50; at < SPAN && w->p.iterations.n < 60;) {
		int64_t dur = rand() % 90;
		given_iteration(w, g, at, dur);
		at += dur + rand() % 9;
	}
}

/* The cause of the host's time on a thread. */
static enum wait_cause host_at(const char *thread, int64_t ns,
	enum wait_cause other)
{
	for (int i = 0; i < calls_n; i++) {
		if (strcmp(calls[i].thread, thread) != 0 ||
			calls[i].start_ns > ns || calls[i].end_ns <= ns)
			continue;
		if (!strcmp(calls[i].name, "cudaStreamSynchronize"))
			return WAIT_SYNCHRONIZATION;
		if (!strcmp(calls[i].name, "cudaMemcpy"))
			return WAIT_COPY;
	}
	return other;
}

/* The cause of time after the launch `call` returned. */
static enum wait_cause device_at(int before, int after, int call_i)
{
	if (before < 0)
		return WAIT_UNKNOWN;
	bool same = records[before].correlation == records[after].correlation;
	if (same &&
		(call_i < 0 || !strcmp(calls[call_i].name, "cudaGraphLaunch")))
		return WAIT_GRAPH;
	if (call_i < 0 || calls[call_i].end_ns > records[before].end_ns ||
		records[before].stream < 0 || records[after].stream < 0)
		return WAIT_UNKNOWN;
	return records[before].stream != records[after].stream ||
			       records[before].device != records[after].device
		       ? WAIT_STREAM
		       : WAIT_UNKNOWN;
}

/* WAIT_CAUSES: a record runs. */
static enum wait_cause cause_at(int64_t ns)
{
	int before = -1, after = -1, last = -1;

	for (int i = 0; i < records_n; i++) {
		if (records[i].start_ns <= ns && ns < records[i].end_ns)
			return WAIT_CAUSES;
		if (records[i].start_ns > ns) {
			after = i;
			break;
		}
		if (before < 0 || records[i].end_ns >= records[before].end_ns)
			before = i;
		if (records[i].correlation <= calls_n)
			last = (int)records[i].correlation - 1;
	}
	if (after < 0)
		return last < 0 ? WAIT_UNKNOWN
				: host_at(calls[last].thread, ns, WAIT_UNKNOWN);
	int of = (int)records[after].correlation - 1;
	if (of >= calls_n)
		return device_at(before, after, -1);
	if (ns < calls[of].start_ns)
		return host_at(calls[of].thread, ns, WAIT_HOST_GAP);
	return ns < calls[of].end_ns ? WAIT_LAUNCH
				     : device_at(before, after, of);
}

static bool kept_at(const struct given *g, uint32_t n, int64_t ns)
{
	for (uint32_t i = 0; i < n; i++)
		if (g->iterations[i].start_ns <= ns &&
			ns < g->iterations[i].start_ns +
					g->iterations[i].dur_ns)
			return true;
	return false;
}

static int longer_first(const void *left, const void *right)
{
	const int64_t *a = left, *b = right;

	return (*a < *b) - (*a > *b);
}

/* Compares the intervals with those found nanosecond by nanosecond. A record
 * without a duration divides an interval, too. */
static void check_gaps(struct world *w, const struct given *g)
{
	int64_t want[2 * SPAN] = { 0 };
	uint32_t n = 0;

	for (int64_t ns = 0; ns < 2 * SPAN; ns++) {
		bool busy = false, begins = false;
		for (int i = 0; i < records_n; i++) {
			begins |= records[i].start_ns == ns;
			busy |= records[i].start_ns <= ns &&
				ns < records[i].end_ns;
		}
		n += (begins || busy) && want[n];
		want[n] += !busy && kept_at(g, w->p.iterations.n, ns);
	}
	n += want[n] > 0;
	qsort(want, n, sizeof *want, longer_first);
	struct wait_gaps gaps = longest(w, 7);
	assert_int_equal(gaps.all, n);
	assert_int_equal(gaps.n, n < 7 ? n : 7);
	for (uint32_t i = 0; i < gaps.n; i++) {
		int64_t sum = 0;
		for (int c = 0; c < WAIT_CAUSES; c++)
			sum += gaps.rows[i].cause_ns[c];
		assert_int_equal(gaps.rows[i].idle_ns, want[i]);
		assert_int_equal(sum, want[i]);
	}
}

static void test_each_nanosecond(void **state)
{
	struct world *w = *state;
	static struct given g;
	srand(6);
	for (int round = 0; round < 400; round++) {
		world_stop(state);
		assert_int_equal(world_start(state), 0);
		g = (struct given){ 0 };
		random_world(w, &g);
		find(w, &g);
		for (uint32_t i = 0; i < w->p.iterations.n; i++) {
			int64_t want[WAIT_CAUSES + 1] = { 0 };
			for (int64_t k = 0; k < g.iterations[i].dur_ns; k++)
				want[cause_at(g.iterations[i].start_ns + k)]++;
			for (int c = 0; c < WAIT_CAUSES; c++)
				assert_int_equal(want[c],
					w->p.waits.iteration_ns[c][i]);
		}
		check_gaps(w, &g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(test_synchronization),
		WORLD_TEST(test_copy_wait),
		WORLD_TEST(test_host_gap),
		WORLD_TEST(test_ten_names),
		WORLD_TEST(test_launch_bound),
		WORLD_TEST(test_graph_launch),
		WORLD_TEST(test_stream_dependency),
		WORLD_TEST(test_unknown),
		WORLD_TEST(test_without_calls),
		WORLD_TEST(test_two_threads),
		WORLD_TEST(test_clocks_disagree),
		WORLD_TEST(test_copies_end_intervals),
		WORLD_TEST(test_iterations),
		WORLD_TEST(test_two_devices),
		WORLD_TEST(test_longest),
		WORLD_TEST(test_longest_in_iterations),
		WORLD_TEST(test_each_nanosecond),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
