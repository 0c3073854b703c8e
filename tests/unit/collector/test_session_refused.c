/* test_session_refused.c - errors of CUPTI are reported, and nothing stays
 * enabled. */
#include "session_stage.h"

static const struct refused {
	const char *what;
	struct refusal refusal;
	uint32_t driver;
	const char *holder;
	enum session_end end;
	const char *sentence, *calls; /* the calls until it ends */
} refusals[] = {
	{ "a tool with a name", { "subscribe*", 39 }, 13000,
		"CUPTI for Nsight Systems", SESSION_BUSY,
		"'CUPTI for Nsight Systems' holds CUPTI",
		"subscribe:kernsift" },
	{ "a tool without", { "subscribe*", 39 }, 13000, NULL, SESSION_BUSY,
		"another tool holds CUPTI", "subscribe:kernsift" },
	{ "no driver", { "subscribe*", 999 }, 0, NULL, SESSION_UNFIT,
		"no NVIDIA driver is loaded in this process (CUPTI_ERROR_999)",
		"subscribe:kernsift" },
	{ "a driver too old", { "subscribe*", 999 }, 12020, NULL, SESSION_UNFIT,
		"the driver, which is of CUDA 12.2, may be too old for CUPTI, "
		"which is of CUDA 13.0 (CUPTI_ERROR_999)",
		"subscribe:kernsift" },
	{ "no device", { "subscribe*", 15 }, 13000, NULL, SESSION_UNFIT,
		"CUDA has no device here, or did not start (CUPTI_ERROR_15)",
		"subscribe:kernsift" },
	{ "no right", { "subscribe*", 35 }, 13000, NULL, SESSION_UNFIT,
		"CUPTI cannot be used here: this user may not",
		"subscribe:kernsift" },
	{ "no word for it", { "subscribe*", 999 }, 13000, NULL, SESSION_UNFIT,
		"CUPTI cannot be used here: CUPTI_ERROR_999",
		"subscribe:kernsift" },
	{ "no buffers", { "register", 999 }, 13000, NULL, SESSION_UNFIT,
		"CUPTI cannot be used here: CUPTI_ERROR_999",
		HELLO "@5=0/1 @2=250/8 threads:0 unsubscribe" },
};

/* If a window cannot be opened, the state of CUPTI is unchanged. */
static void a_window_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
		const struct refused *r = &refusals[i];
		const struct refusal list[] = { r->refusal, { 0 } };
		struct stage t;
		print_message("%s\n", r->what);
		stage_set(&t);
		t.library.driver = r->driver;
		fake_lib.refusals = list;
		fake_lib.holder = r->holder;
		open_is(&t, r->end, r->sentence);
		assert_calls(r->calls);
		session_close(t.session);
		assert_calls("");
		/* The next window may succeed. */
		fake_lib.refusals = NULL;
		open_is(&t, SESSION_OPEN, "");
		session_close(t.session);
		stage_clear(&t);
	}
}

static const struct partly {
	struct refusal refusal;
	const char *sentence;
	const char *on; /* kinds and calls, if some remain */
} partly[] = {
	{ { "+10", 27 }, "kernels not recorded: not supported here",
		"+10 +1 +22 +2 +17 " CALLS },
	{ { "+1", 33 }, "copies not recorded: not on a virtual GPU",
		KINDS CALLS },
	{ { "+22", 41 },
		"copies between devices not recorded: not with "
		"confidential computing",
		KINDS CALLS },
	{ { "+2", 42 }, "memory sets not recorded: not on a mining GPU",
		KINDS CALLS },
	{ { "+17", 43 }, "overhead not recorded: not on a MIG device",
		KINDS CALLS },
	{ { "+10", 44 }, "kernels not recorded: not with SLI", KINDS CALLS },
	{ { "+10", 45 }, "kernels not recorded: not under WSL", KINDS CALLS },
	{ { "+10", 40 }, "kernels not recorded: this user may not",
		KINDS CALLS },
	{ { "+10", 21 }, "kernels not recorded: CUPTI_ERROR_21", KINDS CALLS },
	/* API calls are enabled one by one. If all of them fail, the whole
	 * domain is enabled. */
	{ { "+R60", 1 }, "", KINDS CALLS },
	{ { "+R*", 1 }, "", KINDS "+R60 +R123 +5 +D30" },
	{ { "+D*", 1 }, "", KINDS "+R60 +R123 +D30 +4" },
};

static void a_kind_is_refused_and_the_rest_recorded(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof partly / sizeof *partly; i++) {
		const struct refusal list[] = { partly[i].refusal, { 0 } };
		char expect[1024], off[16];
		struct stage t;
		stage_set(&t);
		fake_lib.refusals = list;
		open_is(&t, SESSION_OPEN, partly[i].sentence);
		snprintf(expect, sizeof expect, "%s%s%s", HELLO, UNLOADS,
			partly[i].on);
		assert_calls(expect);
		session_close(t.session);
		/* A kind that was refused is not disabled. */
		snprintf(off, sizeof off, "%s ", partly[i].refusal.word);
		*off = '-';
		if (partly[i].refusal.word[1] != 'R' &&
			partly[i].refusal.word[1] != 'D')
			assert_null(strstr(fake_lib.text, off));
		assert_non_null(strstr(fake_lib.text, "unsubscribe"));
		stage_clear(&t);
	}
}

static void all_kinds_are_refused(void **state)
{
	static const struct refusal unknown[] = { { "+1*", 27 }, { "+2*", 27 },
		{ "+R*", 1 }, { "+D*", 1 }, { "+5", 27 }, { "+4", 27 }, { 0 } };
	static const struct refusal busy[] = { { "+10", 39 }, { 0 } };
	struct stage t;
	(void)state;
	stage_set(&t);
	stage_kinds(&t,
		(struct session_kinds){ .kernel = true, .launch = true });
	fake_lib.refusals = unknown;
	open_is(&t, SESSION_UNFIT,
		"kernels not recorded: not supported here; runtime calls "
		"not recorded: not supported here; driver calls not "
		"recorded: not supported here; CUPTI cannot be used here: not "
		"supported here");
	assert_calls(HELLO UNLOADS "+10 +R60 +R123 +5 +D30 +4 "
				   "@5=0/1 @2=250/8 threads:0 unsubscribe");
	/* With the newer way to share CUPTI, the error occurs here. */
	stage_kinds(&t, (struct session_kinds){ .kernel = true });
	fake_lib.refusals = busy;
	open_is(&t, SESSION_BUSY,
		"kernels not recorded: CUPTI_ERROR_39; another tool holds "
		"CUPTI");
	*fake_lib.text = '\0';
	fake_lib.refusals = NULL;
	stage_kinds(&t, (struct session_kinds){ .kernel = false });
	open_is(&t, SESSION_UNFIT, "nothing is to be recorded");
	assert_calls("subscribe:kernsift +state:1 " PROFILER SET_UP UNLOADS
		     "@5=0/1 @2=250/8 threads:0 unsubscribe");
	stage_clear(&t);
}

static void callbacks_are_refused(void **state)
{
	static const struct refusal list[] = { { "+state*", 1 },
		{ "+resource*", 27 }, { 0 } };
	struct stage t;
	(void)state;
	stage_set(&t);
	fake_lib.refusals = list;
	open_is(&t, SESSION_OPEN,
		"fatal states are not reported: CUPTI_ERROR_1; ranges of graph nodes are not known: not supported here; ranges of copied graphs are not known: not supported here; unloaded modules are not reported: not supported here; destroyed contexts are not reported: not supported here");
	session_close(t.session);
	stage_clear(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_window_is_refused),
		cmocka_unit_test(a_kind_is_refused_and_the_rest_recorded),
		cmocka_unit_test(all_kinds_are_refused),
		cmocka_unit_test(callbacks_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
