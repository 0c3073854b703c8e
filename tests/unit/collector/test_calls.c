/* test_calls.c - tests which calls launch, by their names, and that the
 * installed libcupti returns the expected names. */
#include "calls.h"
#include "session_stage.h"

static void names_that_launch(void **state)
{
	static const struct {
		const char *name;
		bool launches;
	} calls[] = {
		{ "cudaLaunch_v3020", true },
		{ "cudaLaunchKernel_ptsz_v7000", true },
		{ "cudaLaunchCooperativeKernelMultiDevice_v9000", true },
		{ "cudaLaunchKernelExC_v11060", true },
		{ "__cudaLaunchKernel_v13000", true },
		{ "cudaGraphLaunch_v10000", true },
		{ "cuLaunch", true },
		{ "cuLaunchGridAsync", true },
		{ "cuLaunchKernelEx_ptsz", true },
		{ "cuGraphLaunch_ptsz", true },
		{ "cudaLaunchHostFunc_v10000", false },
		{ "cuLaunchHostFunc_ptsz", false },
		{ "cudaMemcpyAsync_v3020", false },
		{ "cudaGraphInstantiate_v10000", false },
		{ "cuGraphAddKernelNode", false },
		{ "cudaSetupArgument_v3020", false },
		{ "mycudaLaunch", false },
		{ "", false },
	};
	(void)state;
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		print_message("%s\n", calls[i].name);
		assert_int_equal(calls_launches(calls[i].name),
			calls[i].launches);
	}
}

static void numbers_with_gaps(void **state)
{
	static struct calls c;
	struct library l = fake_library(130001, 13000);
	(void)state;
	calls_find(&c, &l);
	assert_int_equal(c.launches[false], 2);
	assert_int_equal(c.launch[false][0], 60);
	assert_int_equal(c.launch[false][1], 123);
	assert_int_equal(c.launches[true], 1);
	assert_int_equal(c.launch[true][0], 30);
	assert_string_equal(calls_name(&c, true, 4), "cuMemAlloc_v2");
	assert_null(calls_name(&c, true, 5));
	assert_null(calls_name(&c, false, 187)); /* 64 after the last one */
	assert_null(calls_name(&c, false, CALLS_MAX));
}

static CUptiResult every_one_launches(CUpti_CallbackDomain domain, uint32_t id,
	const char **name)
{
	(void)domain;
	*name = "cuLaunchKernel";
	return id ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

/* If libcupti reports no last number, the search stops at a limit. */
static void numbers_without_end(void **state)
{
	static struct calls c;
	struct library l = { .callback_name = every_one_launches };
	(void)state;
	calls_find(&c, &l);
	assert_int_equal(c.launches[true], 64);
	assert_non_null(calls_name(&c, true, CALLS_MAX - 1));
}

static bool launches(const struct calls *c, bool driver, uint32_t id)
{
	for (int i = 0; i < c->launches[driver]; i++)
		if (c->launch[driver][i] == id)
			return true;
	return false;
}

/* The numbers of the headers; the library may be newer. */
static void the_installed_libcupti(void **state)
{
	static const uint32_t runtime[] = {
		CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000,
		CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_ptsz_v7000,
		CUPTI_RUNTIME_TRACE_CBID_cudaLaunchCooperativeKernel_v9000,
		CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000,
		CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_ptsz_v10000,
		CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060,
	};
	static const uint32_t driver[] = {
		CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
		CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
		CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
		CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
		CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,
		CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz,
	};
	static struct calls c;
	char sentence[256];
	struct library l;
	(void)state;
	if (!library_open(&l, NULL, sentence)) {
		print_message("%s\n", sentence);
		skip();
	}
	calls_find(&c, &l);
	for (size_t i = 0; i < sizeof runtime / sizeof *runtime; i++)
		assert_true(launches(&c, false, runtime[i]));
	for (size_t i = 0; i < sizeof driver / sizeof *driver; i++)
		assert_true(launches(&c, true, driver[i]));
#if CUPTI_API_VERSION >= 130000
	if (l.version >= 130000)
		assert_true(launches(&c, false,
			CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_v13000));
#endif
	assert_string_equal(calls_name(&c, true,
				    CUPTI_DRIVER_TRACE_CBID_cuProfilerStart),
		"cuProfilerStart");
	assert_false(
		launches(&c, true, CUPTI_DRIVER_TRACE_CBID_cuLaunchHostFunc));
}

/* Without a driver or a GPU, the state of the real library is unchanged. */
static void a_session_with_the_installed_libcupti(void **state)
{
	struct stage t;
	char sentence[256];
	(void)state;
	stage_set(&t);
	if (!library_open(&t.library, NULL, sentence)) {
		stage_clear(&t);
		skip();
	}
	for (int i = 0; i < 3; i++) {
		enum session_end end = session_open(t.session, t.sentence);
		if (t.library.driver)
			print_message("%d: %s\n", (int)end, t.sentence);
		else
			assert_int_equal(end, SESSION_UNFIT);
		/* CUPTI's own result text is in brackets; it differs between
		 * versions. */
		if (!t.library.driver) {
			t.sentence[strcspn(t.sentence, "(")] = '\0';
			assert_string_equal(t.sentence,
				"no NVIDIA driver is loaded in this process ");
		}
		session_close(t.session);
	}
	stage_clear(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_that_launch),
		cmocka_unit_test(numbers_with_gaps),
		cmocka_unit_test(numbers_without_end),
		cmocka_unit_test(the_installed_libcupti),
		cmocka_unit_test(a_session_with_the_installed_libcupti),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
