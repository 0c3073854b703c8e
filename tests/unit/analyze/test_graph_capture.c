/* test_graph_capture.c - assigns launches to stream captures. */
#include "graph_scene.h"

/* The number of launches that belong to each graph. */
static void incomplete_captures(void **state)
{
	struct scene s;
	start(&s, state);
	/* one began before the trace, one never ends */
	launch(&s, "a", "main");
	end(&s, "main");
	begin(&s, "main");
	launch(&s, "b", "main");
	/* another begins: the end was lost */
	begin(&s, "main");
	launch(&s, "c", "main");
	call(&s, "hipGraphLaunch", "main");
	end(&s, "main");
	/* a launch that names no kernel */
	begin(&s, "main");
	launch(&s, "d", "main");
	launch(&s, NULL, "main");
	end(&s, "main");
	/* complete; both the runtime and its driver record the end */
	begin(&s, "main");
	launch(&s, "e", "main");
	launch(&s, "f", "main");
	s.now -= 8;
	launch(&s, "f", "main");
	end(&s, "main");
	s.now -= 8;
	end(&s, "main");
	begin(&s, "main");
	launch(&s, "g", "main");
	captures(&s);
	assert_int_equal(s.x.captured_n, 2);
	assert_int_equal(s.x.captures_n, 1);
	assert_string_equal(names_text(&s.w->t.names,
				    s.w->t.call.kernel[s.x.captured[0]]),
		"e");
}

static void across_threads(void **state)
{
	struct scene s;
	start(&s, state);
	/* Only one stream capture is open. The other thread's launch belongs
	 * to it unless the launch was executed. */
	begin(&s, "main");
	launch(&s, "a", "autograd");
	launch(&s, "ran", "autograd");
	rows_launched(&s.w->t, "ran", s.now, 5, s.correlation);
	launch(&s, "b", "main");
	end(&s, "main");
	/* Two stream captures are open. The launches of each of the two
	 * threads belong to the thread's own one. Launches of a third thread
	 * make both uncertain. */
	begin(&s, "main");
	begin(&s, "other");
	launch(&s, "c", "main");
	launch(&s, "d", "other");
	end(&s, "other");
	end(&s, "main");
	begin(&s, "main");
	begin(&s, "other");
	launch(&s, "e", "third");
	end(&s, "other");
	end(&s, "main");
	/* relaxed: begun on one thread, ended on another */
	begin(&s, "main");
	launch(&s, "f", "main");
	end(&s, "other");
	captures(&s);
	assert_int_equal(s.x.captured_n, 5);
	assert_int_equal(s.x.captures_n, 4);
	static const uint32_t of[] = { 0, 0, 1, 2, 3 };
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(s.x.capture_of[i], of[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(incomplete_captures),
		WORLD_TEST(across_threads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
