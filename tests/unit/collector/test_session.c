/* test_session.c - tests which CUPTI functions a window calls, and in which
 * order. */
#include "session_stage.h"

static void one_window_from_end_to_end(void **state)
{
	struct stage t;
	(void)state;
	stage_set(&t);
	assert_calls("");
	for (int window = 0; window < 3; window++) {
		open_is(&t, SESSION_OPEN, "");
		assert_calls(HELLO UNLOADS KINDS CALLS);
		open_is(&t, SESSION_OPEN, ""); /* it is open already */
		assert_calls("");
		session_close(t.session);
		assert_calls(KINDS_OFF CALLS_OFF BYE);
		/* Between windows CUPTI is not called. */
		session_close(t.session);
		assert_true(session_flush(t.session));
		assert_false(session_displaced(t.session));
		assert_int_equal(session_dropped(t.session), 0);
		assert_calls("");
	}
	stage_clear(&t);
}

/* With CUDA 11.8, API calls cannot be selected, even if functions with these
 * names exist. Subscribers have no names. */
static void an_old_libcupti(void **state)
{
	struct stage t;
	(void)state;
	stage_set(&t);
	t.library.version = 18;
	t.library.subscribe_v2 = NULL;
	t.library.get_attribute = NULL;
	open_is(&t, SESSION_OPEN, "");
	assert_calls("subscribe " EVENTS SET_UP UNLOADS KINDS "+5 +4");
	session_close(t.session);
	assert_calls(KINDS_OFF "-5 -4 " BYE);
	stage_clear(&t);
}

/* All optional functions are missing. */
static void the_oldest_libcupti(void **state)
{
	struct stage t;
	(void)state;
	stage_set(&t);
	t.library.subscribe_v2 = NULL;
	t.library.runtime_call = t.library.driver_call = NULL;
	t.library.set_attribute = t.library.get_attribute = NULL;
	t.library.thread_ids = NULL;
	t.library.graph_node_id = NULL;
	open_is(&t, SESSION_OPEN, "");
	assert_calls("subscribe +state:1 " PROFILER "register " UNLOADS KINDS
		     "+5 +4");
	session_close(t.session);
	assert_calls(KINDS_OFF "-5 -4 flush:1 dropped unsubscribe");
	stage_clear(&t);
}

static void cuda_13_0_before_its_update(void **state)
{
	struct stage t;
	(void)state;
	stage_set(&t);
	t.library.version = 130000;
	open_is(&t, SESSION_OPEN,
		"CUPTI 13.0 has faults that 13.0 Update 1 mends");
	assert_calls("subscribe:kernsift " EVENTS
		     "threads:1 @5=1/1 @2=16/8 @8=1/1 register " UNLOADS KINDS
			     CALLS);
	session_close(t.session);
	assert_calls(
		KINDS_OFF CALLS_OFF "flush:1 dropped @5=0/1 @2=250/8 @8=0/1 "
				    "threads:0 unsubscribe");
	stage_clear(&t);
}

static void graphs_as_a_whole(void **state)
{
	struct stage t;
	(void)state;
	stage_set(&t);
	stage_kinds(&t,
		(struct session_kinds){ .kernel = true, .graph_whole = true });
	open_is(&t, SESSION_OPEN, "");
	/* Set before kernels are enabled; nodes are not read. */
	assert_calls("subscribe:kernsift +state:1 " PROFILER SET_UP UNLOADS
		     "+51 +10");
	session_close(t.session);
	assert_calls("-51 -10 " BYE);
	stage_clear(&t);
}

static void attributes_are_restored(void **state)
{
	static const struct refusal no_pool[] = { { "@2=*", 1 }, { 0 } };
	struct stage t;
	(void)state;
	stage_set(&t);
	stage_kinds(&t, (struct session_kinds){ .copy = true });
	fake_lib.attribute[2] = 7;
	fake_lib.attribute[5] = 1;
	open_is(&t, SESSION_OPEN, "");
	session_close(t.session);
	assert_int_equal(fake_lib.attribute[2], 7);
	assert_int_equal(fake_lib.attribute[5], 1);
	/* An attribute that could not be set is not restored. */
	fake_lib.refusals = no_pool;
	*fake_lib.text = '\0';
	open_is(&t, SESSION_OPEN, "");
	session_close(t.session);
	assert_null(strstr(fake_lib.text, "@2=7"));
	stage_clear(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_window_from_end_to_end),
		cmocka_unit_test(an_old_libcupti),
		cmocka_unit_test(the_oldest_libcupti),
		cmocka_unit_test(cuda_13_0_before_its_update),
		cmocka_unit_test(graphs_as_a_whole),
		cmocka_unit_test(attributes_are_restored),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
