/* test_compare_split.c - tests the parts of an iteration that the host records,
 * and the causes of idle time. */
#include "sides.h"
#include <math.h>

static const struct split_row *part_of(const struct comparison *c,
	enum split_part part)
{
	for (uint32_t i = 0; i < c->split_n; i++)
		if (c->split[i].part == part)
			return &c->split[i];
	return NULL;
}

static struct compared_run run(struct arena *a, int64_t id, int64_t oncpu_ns,
	int64_t runq_ns)
{
	struct compared_run r = sides_run(a, id, 12);
	sides_kernel(a, &r, "gemm", 600000, 3);
	sides_function(a, &r, "oncpu", FUNCTION_oncpu, "Host", oncpu_ns, 1);
	if (runq_ns >= 0)
		sides_function(a, &r, "runq", FUNCTION_runq, "Host", runq_ns,
			1);
	return r;
}

/* Thread time is listed and tested like the other parts of an iteration. */
static void threads_join_the_parts(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = run(&a, 1, 1500000, 20000),
			    h = run(&a, 2, 1500000, 400000);
	(void)state;
	sides_compare(&b, 1, &h, 1, &a, &c);
	const struct split_row *on = part_of(&c, SPLIT_PART_oncpu);
	const struct split_row *runq = part_of(&c, SPLIT_PART_runq);
	assert_non_null(on);
	assert_non_null(runq);
	assert_true(on->change.base_ns == 1500000);
	assert_int_equal(on->change.is, CHANGE_UNCHANGED);
	assert_true(runq->change.base_ns == 20000);
	assert_true(runq->change.head_ns == 400000);
	assert_int_equal(runq->change.is, CHANGE_REGRESSED);
	arena_release(&a);
}

/* A part that one side does not record is omitted. */
static void one_side_does_not_record(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = run(&a, 1, 1500000, 20000),
			    h = run(&a, 2, 1500000, -1);
	(void)state;
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_non_null(part_of(&c, SPLIT_PART_oncpu));
	assert_null(part_of(&c, SPLIT_PART_runq));
	arena_release(&a);
}

/* Iterations of 1 ms that are idle for gap_ns in host gaps and for sync_ns in
 * synchronizing calls, each with 0 to 3 µs more. */
static struct compared_run idle_run(struct arena *a, int64_t id, int64_t gap_ns,
	int64_t sync_ns, uint32_t n)
{
	struct compared_run r = sides_run(a, id, n);
	int64_t *ns[WAIT_CAUSES];
	sides_kernel(a, &r, "gemm", 500000, 3);
	for (int c = 0; c < WAIT_CAUSES; c++)
		r.idle_cause_ns[c] = ns[c] = arena_array(a, int64_t, n + 1);
	for (uint32_t i = 0; i < n; i++) {
		struct iteration *y = &r.iterations.iterations[i];
		ns[WAIT_HOST_GAP][i] = gap_ns + 1000 * (i % 4);
		ns[WAIT_SYNCHRONIZATION][i] = sync_ns + 1000 * (i % 3);
		y->idle_ns = ns[WAIT_HOST_GAP][i] + ns[WAIT_SYNCHRONIZATION][i];
		y->comm_ns = y->copy_ns = 0;
		y->compute_ns = y->dur_ns - y->idle_ns;
	}
	return r;
}

static const struct change *cause_of(const struct comparison *c,
	enum wait_cause cause)
{
	for (uint32_t i = 0; i < c->causes_n; i++)
		if (c->causes[i].cause == cause)
			return &c->causes[i].change;
	return NULL;
}

static void causes_add_up(const struct comparison *c)
{
	const struct change *idle = &part_of(c, SPLIT_PART_idle)->change;
	double base = 0, head = 0, delta = 0;
	for (uint32_t i = 0; i < c->causes_n; i++) {
		base += c->causes[i].change.base_ns;
		head += c->causes[i].change.head_ns;
		delta += c->causes[i].change.delta_ns;
	}
	assert_true(fabs(base - idle->base_ns) < 1e-6);
	assert_true(fabs(head - idle->head_ns) < 1e-6);
	assert_true(fabs(delta - idle->delta_ns) < 1e-6);
}

/* Host gaps grow threefold, synchronization does not change; five causes have no
 * time. 12 iterations have 0 to 3 µs three times: 1.5 µs in the mean. */
static void the_cause_that_grew_is_found(void **state)
{
	struct arena a = { 0 };
	struct comparison c, fro;
	struct compared_run b = idle_run(&a, 1, 100000, 200000, 12),
			    h = idle_run(&a, 2, 300000, 200000, 12);
	(void)state;
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_true(c.causes_known);
	assert_int_equal(c.causes_n, 2);
	const struct change *gap = cause_of(&c, WAIT_HOST_GAP),
			    *sync = cause_of(&c, WAIT_SYNCHRONIZATION);
	assert_true(fabs(gap->base_ns - 101500) < 1e-6);
	assert_true(fabs(gap->delta_ns - 200000) < 1e-6);
	assert_int_equal(gap->is, CHANGE_REGRESSED);
	assert_true(gap->low_ns > 0 && gap->low_ns < 200000 &&
		    gap->high_ns > 200000);
	assert_int_equal(sync->is, CHANGE_UNCHANGED);
	causes_add_up(&c);
	sides_compare(&h, 1, &b, 1, &a, &fro);
	assert_int_equal(cause_of(&fro, WAIT_HOST_GAP)->is, CHANGE_IMPROVED);
	assert_true(cause_of(&fro, WAIT_HOST_GAP)->low_ns == -gap->high_ns);
	assert_string_equal(sides_finding(&c, FINDING_idle_causes), "");
	arena_release(&a);
}

/* The other rows are judged as without causes. */
static void causes_change_no_other_verdict(void **state)
{
	struct arena a = { 0 };
	struct comparison with, without;
	struct compared_run b = idle_run(&a, 1, 100000, 200000, 12),
			    h = idle_run(&a, 2, 130000, 200000, 12);
	(void)state;
	sides_compare(&b, 1, &h, 1, &a, &with);
	b.idle_cause_ns[0] = NULL;
	sides_compare(&b, 1, &h, 1, &a, &without);
	assert_int_equal(with.split_n, without.split_n);
	for (uint32_t i = 0; i < with.split_n; i++)
		assert_memory_equal(&with.split[i].change,
			&without.split[i].change, sizeof(struct change));
	assert_memory_equal(&with.rows[0].change, &without.rows[0].change,
		sizeof(struct change));
	arena_release(&a);
}

static void runs_without_causes_are_named(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b[2] = { idle_run(&a, 1, 100000, 0, 12),
		idle_run(&a, 3, 100000, 0, 12) },
			    h = idle_run(&a, 2, 300000, 0, 12);
	(void)state;
	b[1].idle_cause_ns[0] = NULL;
	sides_compare(b, 2, &h, 1, &a, &c);
	assert_false(c.causes_known);
	assert_int_equal(c.causes_n, 0);
	assert_string_equal(sides_finding(&c, FINDING_idle_causes),
		"the causes of idle time are not stored for run 3, so the "
		"change of idle time is not divided by cause; `kernsiftd "
		"rebuild` finds them");
	h.idle_cause_ns[0] = NULL;
	sides_compare(b, 2, &h, 1, &a, &c);
	assert_non_null(strstr(sides_finding(&c, FINDING_idle_causes),
		"for run 3, run 2, so"));
	/* computed as the comparison of the others: run 2 with run 1 */
	sides_compare(&h, 1, b, 2, &a, &c);
	assert_non_null(strstr(sides_finding(&c, FINDING_idle_causes),
		"for run 2, run 3, so"));
	arena_release(&a);
}

/* Nothing is idle, so that no cause is missing; and runs of another program, whose
 * idle time is unknown. */
static void no_idle_time_needs_no_causes(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = idle_run(&a, 1, 0, 0, 1),
			    h = idle_run(&a, 2, 0, 0, 1);
	(void)state;
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_true(c.causes_known);
	assert_int_equal(c.causes_n, 0);
	b.idle_cause_ns[0] = h.idle_cause_ns[0] = NULL;
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_false(c.causes_known);
	assert_string_equal(sides_finding(&c, FINDING_idle_causes), "");
	struct compared_run x = run(&a, 1, 1500000, -1),
			    y = run(&a, 2, 1500000, -1);
	sides_compare(&x, 1, &y, 1, &a, &c);
	assert_false(c.causes_known);
	assert_string_equal(sides_finding(&c, FINDING_idle_causes), "");
	arena_release(&a);
}

/* The causes of a job are the mean over its ranks, as its idle time is: ranks of 100
 * and 300 µs, and of 200 and 300. Two iterations are no evidence. */
static void a_job_has_the_mean_of_its_ranks(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b[2] = { idle_run(&a, 1, 100000, 0, 2),
		idle_run(&a, 2, 300000, 0, 2) },
			    h[2] = { idle_run(&a, 3, 200000, 0, 2),
				    idle_run(&a, 4, 300000, 0, 2) };
	(void)state;
	for (int i = 0; i < 2; i++) {
		b[i].job = 5;
		h[i].job = 6;
		b[i].rank = h[i].rank = i;
		b[i].world_size = h[i].world_size = 2;
	}
	sides_compare(b, 2, h, 2, &a, &c);
	const struct change *gap = cause_of(&c, WAIT_HOST_GAP);
	assert_true(fabs(gap->base_ns - 200500) < 1e-6);
	assert_true(fabs(gap->head_ns - 250500) < 1e-6);
	assert_int_equal(gap->is, CHANGE_UNDECIDED);
	assert_int_equal(gap->evidence, EVIDENCE_NONE);
	causes_add_up(&c);
	arena_release(&a);
}

/* Recordings of one length, the head's with a third of the launches: its parts are
 * scaled, and its causes with them. */
static void causes_of_recordings_are_scaled(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = idle_run(&a, 1, 100000, 0, 1),
			    h = idle_run(&a, 2, 300000, 0, 1);
	(void)state;
	b.iterations.detector = h.iterations.detector = ITERATIONS_WINDOW;
	h.patterns.rows[0].launches[0] = 9;
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_string_not_equal(sides_finding(&c, FINDING_window_scaled), "");
	const struct change *gap = cause_of(&c, WAIT_HOST_GAP);
	assert_true(fabs(gap->head_ns - 100000) < 1e-6);
	assert_int_equal(gap->evidence, EVIDENCE_NONE);
	causes_add_up(&c);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_join_the_parts),
		cmocka_unit_test(one_side_does_not_record),
		cmocka_unit_test(the_cause_that_grew_is_found),
		cmocka_unit_test(causes_change_no_other_verdict),
		cmocka_unit_test(runs_without_causes_are_named),
		cmocka_unit_test(no_idle_time_needs_no_causes),
		cmocka_unit_test(a_job_has_the_mean_of_its_ranks),
		cmocka_unit_test(causes_of_recordings_are_scaled),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
