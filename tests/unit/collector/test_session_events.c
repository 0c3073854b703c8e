/* test_session_events.c - the effects of CUPTI's callbacks, and the results of
 * flushes. */
#include "session_stage.h"

#define RUNTIME CUPTI_CB_DOMAIN_RUNTIME_API
#define DRIVER CUPTI_CB_DOMAIN_DRIVER_API

static void buffers_come_and_go(void **state)
{
	struct intake_buffer b;
	struct stage t;
	size_t size;
	(void)state;
	stage_open(&t);
	uint8_t *buffer = lend(&size);
	assert_int_equal(intake_lent(t.intake), 1);
	*(uint32_t *)buffer = 10;
	give_back(buffer, size, 216);
	assert_int_equal(intake_lent(t.intake), 0);
	assert_true(intake_next(t.intake, &b));
	assert_int_equal(b.valid, 216);
	intake_done(t.intake, &b);
	/* Some are returned only after the window. */
	buffer = lend(&size);
	*(uint32_t *)buffer = 10;
	session_close(t.session);
	give_back(buffer, size, 216);
	assert_true(intake_next(t.intake, &b));
	intake_done(t.intake, &b);
	give_back(NULL, 0, 0);
	/* The session is closed: a request for a buffer is declined. */
	CUpti_BuffersCallbackRequestFunc request = fake_lib.request;
	stage_clear(&t);
	size = 1;
	request(&buffer, &size, &size);
	assert_null(buffer);
	assert_int_equal(size, 0);
}

static void records_lost_by_cupti_are_added_up(void **state)
{
	struct stage t;
	(void)state;
	stage_open(&t);
	fake_lib.lost = 5;
	assert_true(session_flush(t.session));
	fake_lib.lost = 2;
	assert_true(session_flush(t.session));
	assert_int_equal(session_dropped(t.session), 7);
	assert_int_equal(session_dropped(t.session), 0);
	fake_lib.lost = 11; /* reported by the last flush */
	assert_true(session_close(t.session));
	assert_int_equal(session_dropped(t.session), 11);
	stage_clear(&t);
}

static void three_failed_flushes_end_the_session(void **state)
{
	static const struct refusal fails[] = { { "flush:0", 999 }, { 0 } };
	struct stage t;
	(void)state;
	stage_open(&t);
	fake_lib.refusals = fails;
	assert_true(session_flush(t.session));
	assert_true(session_flush(t.session));
	fake_lib.refusals = NULL;
	assert_true(session_flush(t.session));
	fake_lib.refusals = fails;
	assert_true(session_flush(t.session));
	assert_true(session_flush(t.session));
	assert_false(session_flush(t.session));
	session_close(t.session);
	assert_non_null(strstr(fake_lib.text, "unsubscribe"));
	stage_clear(&t);
}

/* CUPTI has finalized itself: a call could crash. */
static void after_a_fatal_state_nothing_is_called(void **state)
{
	struct stage t;
	(void)state;
	stage_open(&t);
	fake_lib.called(fake_lib.ctx, CUPTI_CB_DOMAIN_STATE,
		CUPTI_CBID_STATE_FATAL_ERROR, NULL);
	assert_false(session_flush(t.session));
	session_close(t.session);
	assert_int_equal(session_open(t.session, t.sentence), SESSION_FATAL);
	assert_string_equal(t.sentence, "CUPTI reported a fatal state");
	assert_int_equal(session_listen(t.session, true, t.sentence),
		SESSION_FATAL);
	assert_string_equal(fake_lib.text, "");
	stage_clear(&t);
}

static void die(void)
{
	fake_lib.called(fake_lib.ctx, CUPTI_CB_DOMAIN_STATE,
		CUPTI_CBID_STATE_FATAL_ERROR, NULL);
}

static void a_fatal_state_during_the_flush(void **state)
{
	struct stage t;
	(void)state;
	stage_open(&t);
	fake_lib.in_flush = die;
	assert_false(session_flush(t.session));
	assert_false(session_close(t.session));
	assert_calls("flush:0");
	stage_clear(&t);
}

/* The last flush may report it. */
static void a_fatal_state_during_the_last_flush(void **state)
{
	struct stage t;
	(void)state;
	stage_open(&t);
	fake_lib.in_flush = die;
	assert_false(session_close(t.session));
	assert_calls("-10 -1 -22 -2 -17 -R60 -R123 -D30 flush:1");
	assert_int_equal(session_open(t.session, t.sentence), SESSION_FATAL);
	stage_clear(&t);
}

static void calls_seen_are(struct stage *t, bool start, bool stop)
{
	bool started, stopped;
	session_profiler(t->session, &started, &stopped);
	assert_int_equal(started, start);
	assert_int_equal(stopped, stop);
}

static void profiler_calls_are_seen(void **state)
{
	struct stage t;
	(void)state;
	stage_open(&t);
	calls_seen_are(&t, false, false);
	call(DRIVER, 308, CUPTI_API_ENTER);
	call(DRIVER, 309, CUPTI_API_EXIT);
	calls_seen_are(&t, true, false);
	calls_seen_are(&t, false, false);
	call(RUNTIME, 172, CUPTI_API_ENTER);
	calls_seen_are(&t, false, true);
	call(RUNTIME, 171, CUPTI_API_ENTER);
	call(DRIVER, 309, CUPTI_API_ENTER);
	calls_seen_are(&t, true, true);
	/* Call numbers are separate per domain. */
	call(RUNTIME, 308, CUPTI_API_ENTER);
	fake_lib.called(fake_lib.ctx, CUPTI_CB_DOMAIN_SYNCHRONIZE, 1, NULL);
	calls_seen_are(&t, false, false);
	stage_clear(&t);
}

static void listening_between_windows(void **state)
{
	static const struct refusal busy[] = { { "subscribe*", 39 }, { 0 } };
	struct stage t;
	(void)state;
	stage_set(&t);
	fake_lib.refusals = busy;
	assert_int_equal(session_listen(t.session, true, t.sentence),
		SESSION_BUSY);
	assert_string_equal(t.sentence, "another tool holds CUPTI");
	fake_lib.refusals = NULL;
	*fake_lib.text = '\0';
	assert_int_equal(session_listen(t.session, true, t.sentence),
		SESSION_OPEN);
	assert_calls("subscribe:kernsift +state:1 +resource:13 +resource:20 "
		     "+driver:308 +driver:309 +runtime:171 +runtime:172");
	session_listen(t.session, true, t.sentence);
	assert_calls("");
	/* A window uses the same subscription and does not end it. */
	session_open(t.session, t.sentence);
	assert_null(strstr(fake_lib.text, "subscribe"));
	assert_null(strstr(fake_lib.text, "driver:308"));
	*fake_lib.text = '\0';
	session_close(t.session);
	assert_null(strstr(fake_lib.text, "unsubscribe"));
	assert_non_null(strstr(fake_lib.text, "-resource:7 -resource:2"));
	assert_null(strstr(fake_lib.text, "-resource:13"));
	assert_null(strstr(fake_lib.text, "-state:1"));
	*fake_lib.text = '\0';
	session_listen(t.session, false, t.sentence);
	assert_calls("unsubscribe");
	session_listen(t.session, false, t.sentence);
	assert_calls("");
	stage_clear(&t);
}

static void listening_that_ends_within_a_window(void **state)
{
	struct stage t;
	(void)state;
	stage_open(&t);
	session_listen(t.session, true, t.sentence);
	session_listen(t.session, false, t.sentence);
	assert_calls("");
	session_close(t.session);
	assert_non_null(strstr(fake_lib.text, "unsubscribe"));
	stage_clear(&t);
}

static bool keep(void *ctx, uint64_t node, const uint32_t *stack, int depth)
{
	size_t at = strlen(ctx);
	(void)stack;
	snprintf((char *)ctx + at, 64 - at, "%llu:%d ",
		(unsigned long long)node, depth);
	return true;
}

static void node(CUpti_CallbackId id, uint64_t original, uint64_t made)
{
	CUpti_GraphData graph = {
		.node = (CUgraphNode)(uintptr_t)made,
		.originalNode = (CUgraphNode)(uintptr_t)original,
	};
	CUpti_ResourceData data = { .resourceDescriptor = &graph };
	fake_lib.called(fake_lib.ctx, CUPTI_CB_DOMAIN_RESOURCE, id, &data);
}

static void graph_nodes(void **state)
{
	static const uint32_t ranges[] = { 4, 2 };
	char text[64] = "";
	struct stage t;
	(void)state;
	stage_open(&t);
	nodes_created(t.nodes, 11, ranges, 2);
	node(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, 11, 21);
	node(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, 0, 22);
	/* No range is open on this thread, and the id is now that of another
	 * node. */
	node(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, 0, 11);
	fake_lib.called(fake_lib.ctx, CUPTI_CB_DOMAIN_RESOURCE,
		CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, NULL);
	nodes_write(t.nodes, keep, text);
	assert_string_equal(text, "21:2 ");
	/* None of this called a CUPTI function that may block. */
	assert_calls("");
	stage_clear(&t);
}

static void calls_have_names(void **state)
{
	struct stage t;
	(void)state;
	stage_set(&t);
	assert_null(session_call_name(t.session, true, 30));
	session_open(t.session, t.sentence);
	assert_string_equal(session_call_name(t.session, true, 30),
		"cuLaunchKernelEx");
	assert_string_equal(session_call_name(t.session, false, 60),
		"__cudaLaunchKernel_v13000");
	assert_null(session_call_name(t.session, false, 30));
	assert_null(session_call_name(t.session, false, UINT32_MAX));
	stage_clear(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buffers_come_and_go),
		cmocka_unit_test(records_lost_by_cupti_are_added_up),
		cmocka_unit_test(three_failed_flushes_end_the_session),
		cmocka_unit_test(after_a_fatal_state_nothing_is_called),
		cmocka_unit_test(a_fatal_state_during_the_flush),
		cmocka_unit_test(a_fatal_state_during_the_last_flush),
		cmocka_unit_test(profiler_calls_are_seen),
		cmocka_unit_test(listening_between_windows),
		cmocka_unit_test(listening_that_ends_within_a_window),
		cmocka_unit_test(graph_nodes),
		cmocka_unit_test(calls_have_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
