/* test_strips.c - traces whose strips are known, and random traces whose windows
 * are compared with sums over their rows. */
#include "strips.h"
#include "world.h"
#include <stdio.h>
#include <stdlib.h>

static const struct iterations no_iterations;

static void make(struct world *w, struct strips *s)
{
	rows_done(&w->t, &w->process);
	assert_true(strips_from(&w->t, 0, w->families, &no_iterations,
		&w->arena, s));
}

/* The strips with items, as "ranges 1/0: 2, stream 0/7: 3": thread and level or
 * device and stream, and the number of items. */
static void strips_are(const struct strips *s, const char *want)
{
	static const char *const kinds[] = { "iterations", "ranges",
		"gpu_ranges", "idle", "stream" };
	char got[1000] = "";

	for (uint32_t i = 0; i < s->n; i++) {
		const struct strip *is = &s->list[i];
		uint32_t n = is->items.to - is->items.from;
		char *to = got + strlen(got);
		if (!n)
			continue;
		to += sprintf(to, "%s%s", *got ? ", " : "", kinds[is->kind]);
		if (is->thread)
			to += sprintf(to, " %s/%u", is->thread, is->depth);
		else if (is->kind == STRIP_STREAM)
			to += sprintf(to, " %d/%lld", is->device,
				(long long)is->stream);
		sprintf(to, ": %u", n);
	}
	assert_string_equal(got, want);
}

static void on_stream(struct world *w, const char *name, int64_t start_ns,
	int64_t dur_ns, int32_t device, int64_t stream)
{
	trace_kernel_add(&w->t, &(struct kernel_row){ .start_ns = start_ns,
					.dur_ns = dur_ns,
					.name = rows_name(&w->t, name),
					.device = device,
					.stream = stream,
					.correlation = -1 });
}

static void test_no_records(void **state)
{
	struct strips s;
	struct strips_window window;
	make(*state, &s);
	strips_are(&s, "");
	assert_int_equal(s.end_ns, 1);
	strips_window(&s, 0, 1, 1000, &((struct world *)*state)->arena,
		&window);
	assert_int_equal(window.totals_n, 0);
	assert_int_equal(window.bin_ns, 1);
}

/* The last launch takes no time; the whole run contains it nevertheless. */
static void test_last_launch_takes_no_time(void **state)
{
	struct world *w = *state;
	struct strips s;
	struct strips_window window;
	on_stream(w, "k", 100, 50, 0, 7);
	on_stream(w, "k", 150, 0, 0, 7);
	make(w, &s);
	assert_int_equal(s.end_ns, 51);
	strips_window(&s, 0, s.end_ns, 10, &w->arena, &window);
	assert_int_equal(window.totals[0].count, 2);
	assert_int_equal(window.totals[0].time_ns, 50);
}

/* Streams of a device are in order, and a stream has records of all kinds. */
static void test_streams(void **state)
{
	struct world *w = *state;
	struct strips s;
	on_stream(w, "a", 0, 10, 1, 7);
	on_stream(w, "b", 20, 10, 0, 20);
	on_stream(w, "c", 30, 10, 0, 0);
	rows_copy(&w->t, "Memcpy HtoD", 5, 5, 0, 64, false);
	rows_copy(&w->t, "Memset", 12, 5, 0, 64, true);
	rows_graph(&w->t, 4, 5, 60, 5, 0);
	make(w, &s);
	strips_are(&s, "idle: 3, stream 0/0: 4, stream 0/20: 1, "
		       "stream 1/7: 1");
	assert_int_equal(s.names[s.name[s.list[s.n - 3].items.from]].kind,
		STRIP_NAME_COPY);
}

/* Ranges that overlap without nesting are on two levels, too. Python functions
 * have no strip. */
static void test_range_levels(void **state)
{
	struct world *w = *state;
	struct strips s;
	on_stream(w, "k", 0, 100, 0, 7);
	rows_range(&w->t, RANGE_ANNOTATION, "step", "1", 0, 50);
	rows_range(&w->t, RANGE_PYTHON, "f", "1", 0, 50);
	rows_range(&w->t, RANGE_MODULE, "nn.Module: A", "1", 10, 20);
	rows_range(&w->t, RANGE_LOOSE, "loose", "1", 40, 60);
	rows_range(&w->t, RANGE_ANNOTATION, "step", "1", 50, 10);
	rows_range(&w->t, RANGE_ANNOTATION, "step", "2", 50, 10);
	rows_range(&w->t, RANGE_GPU_ANNOTATION, "step", "7", 50, 10);
	make(w, &s);
	strips_are(&s, "ranges 1/0: 2, ranges 1/1: 2, ranges 2/0: 1, "
		       "gpu_ranges 7/0: 1, stream 0/7: 1");
	assert_int_equal(s.deeper, 0);
}

static void test_ten_levels(void **state)
{
	struct world *w = *state;
	struct strips s;
	for (int i = 0; i < 10; i++)
		rows_range(&w->t, RANGE_ANNOTATION, "r", "1", i, 100 - 2 * i);
	make(w, &s);
	assert_int_equal(s.deeper, 2);
}

/* Sixty launches of 1 ns in bins of 10 ns, then one of 100 ns. */
static void test_levels_of_detail(void **state)
{
	struct world *w = *state;
	struct strips s;
	struct strips_window window;
	for (int i = 0; i < 60; i++)
		on_stream(w, i % 3 ? "often" : "rare", i * 2, 1, 0, 7);
	on_stream(w, "long", 120, 100, 0, 7);
	make(w, &s);
	strips_window(&s, 0, 220, 22, &w->arena, &window);
	struct slice of = window.of_strip[s.n - 1];
	assert_int_equal(window.bin_ns, 10);
	assert_int_equal(of.to - of.from, 13);
	for (uint32_t i = of.from; i < of.to - 1; i++) {
		const struct strip_segment *g = &window.segments[i];
		assert_int_equal(g->count, 5);
		assert_int_equal(g->busy_ns, 5);
		assert_int_equal(g->dur_ns, 9);
		assert_string_equal(s.names[g->name].text, "often");
	}
	assert_int_equal(window.segments[of.to - 1].count, 1);
	assert_int_equal(window.segments[of.to - 1].dur_ns, 100);
	/* A window inside the long launch cuts its time, not its segment. */
	strips_window(&s, 130, 140, 10, &w->arena, &window);
	assert_int_equal(window.totals_n, 1);
	assert_int_equal(window.totals[0].time_ns, 10);
	assert_int_equal(window.segments[0].dur_ns, 100);
}

/* More streams than are shown: the sums are over all of them. */
static void test_many_streams(void **state)
{
	struct world *w = *state;
	struct strips s;
	struct strips_window window;
	uint32_t shown = 0;
	for (int i = 0; i < 100; i++)
		on_stream(w, "k", i, 10, 0, i);
	make(w, &s);
	strips_window(&s, 0, s.end_ns, 100, &w->arena, &window);
	for (uint32_t i = 0; i < s.n; i++)
		shown += window.of_strip[i].from != window.of_strip[i].to;
	assert_int_equal(shown, STRIPS_SHOWN_MAX);
	assert_int_equal(window.totals[0].count, 100);
	assert_int_equal(window.totals[0].time_ns, 1000);
}

/* Busy strips get fewer bins, so that an answer has a bounded size. */
static void test_many_segments(void **state)
{
	struct world *w = *state;
	struct strips s;
	struct strips_window window;
	for (int i = 0; i < 4000; i++)
		for (int stream = 0; stream < STRIPS_SHOWN_MAX; stream++)
			on_stream(w, "k", i * 100 + stream, 10, 0, stream);
	make(w, &s);
	strips_window(&s, 0, s.end_ns, 4096, &w->arena, &window);
	uint32_t n = window.of_strip[s.n - 1].to;
	assert_true(n > STRIPS_SEGMENTS_MAX / 4 && n <= STRIPS_SEGMENTS_MAX);
	assert_int_equal(window.totals[0].count, 4000 * STRIPS_SHOWN_MAX);
}

/* The names after the first ones of a kind are one total. */
static void test_many_names(void **state)
{
	enum { MORE = 30 };
	struct world *w = *state;
	struct strips s;
	struct strips_window window;
	for (int i = 0; i < STRIPS_NAMES_MAX + MORE; i++) {
		char name[20];
		snprintf(name, sizeof name, "k%d", i);
		on_stream(w, name, i * 1000, i < MORE ? 1 : 5 + i % 7, 0, 7);
	}
	make(w, &s);
	strips_window(&s, 0, s.end_ns, 100, &w->arena, &window);
	/* The last one is the idle time. */
	assert_int_equal(window.totals_n, STRIPS_NAMES_MAX + 2);
	const struct strip_total *others = &window.totals[STRIPS_NAMES_MAX];
	assert_true(others->name == STRIPS_OTHERS);
	assert_int_equal(others->kind, STRIP_NAME_KERNEL);
	assert_int_equal(others->count, MORE);
	assert_int_equal(others->time_ns, MORE);
	assert_int_equal(window.totals[STRIPS_NAMES_MAX + 1].kind,
		STRIP_NAME_CAUSE);
}

/* ---- random traces */

enum { SPAN = 3000, NAMES = 5, STREAMS = 3 };

static void random_rows(struct world *w)
{
	for (int64_t at = 0, stream = 0; at < SPAN; stream++) {
		char name[2] = { (char)('a' + rand() % NAMES), 0 };
		int64_t dur = rand() % 4 ? rand() % 5 : rand() % 200;
		on_stream(w, name, at, dur, 0, stream % STREAMS);
		at += rand() % 3 ? dur : rand() % 20;
	}
}

/* The sums of a kernel in a window, over the rows of the trace. */
static void by_rows(const struct world *w, const char *name, int64_t from_ns,
	int64_t to_ns, int64_t *count, int64_t *time_ns)
{
	const struct kernel_rows *k = &w->t.kernel;
	*count = *time_ns = 0;
	for (uint32_t i = 0; i < k->n; i++) {
		int64_t start = k->start_ns[i], end = start + k->dur_ns[i];
		if (strcmp(names_text(&w->t.names, k->name[i]), name) != 0 ||
			start >= to_ns || (end <= from_ns && start < from_ns))
			continue;
		start = start < from_ns ? from_ns : start;
		end = end > to_ns ? to_ns : end;
		++*count;
		*time_ns += end - start;
	}
}

static void window_is_right(const struct world *w, const struct strips *s,
	const struct strips_window *window)
{
	int64_t count = 0, found = 0, segments = 0;
	for (uint32_t i = 0; i < window->totals_n; i++) {
		const struct strip_total *t = &window->totals[i];
		int64_t want_n, want_ns;
		if (s->names[t->name].kind != STRIP_NAME_KERNEL)
			continue;
		by_rows(w, s->names[t->name].text, window->from_ns,
			window->to_ns, &want_n, &want_ns);
		assert_int_equal(t->count, want_n);
		assert_int_equal(t->time_ns, want_ns);
		found += t->count;
	}
	for (char name[2] = "a"; *name < 'a' + NAMES; ++*name) {
		int64_t want_n, want_ns;
		by_rows(w, name, window->from_ns, window->to_ns, &want_n,
			&want_ns);
		count += want_n;
	}
	assert_int_equal(found, count);
	for (uint32_t i = 0; i < s->n; i++) {
		struct slice of = window->of_strip[i];
		if (s->list[i].kind != STRIP_STREAM)
			continue;
		for (uint32_t g = of.from; g < of.to; g++) {
			segments += window->segments[g].count;
			assert_true(window->segments[g].count == 1 ||
				    window->segments[g].dur_ns <
					    2 * window->bin_ns);
			assert_true(g == of.from ||
				    window->segments[g].start_ns >=
					    window->segments[g - 1].start_ns);
		}
	}
	assert_int_equal(segments, count);
}

static void test_windows_of_random_traces(void **state)
{
	(void)state;
	srand(17);
	for (int round = 0; round < 20; round++) {
		struct world *w;
		struct strips s;
		assert_int_equal(world_start((void **)&w), 0);
		random_rows(w);
		make(w, &s);
		for (int i = 0; i < 50; i++) {
			struct strips_window window;
			int64_t from = rand() % SPAN;
			strips_window(&s, from, from + 1 + rand() % SPAN,
				(uint32_t)(1 + rand() % 500), &w->arena,
				&window);
			window_is_right(w, &s, &window);
		}
		world_stop((void **)&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(test_no_records),
		WORLD_TEST(test_last_launch_takes_no_time),
		WORLD_TEST(test_streams),
		WORLD_TEST(test_range_levels),
		WORLD_TEST(test_ten_levels),
		WORLD_TEST(test_levels_of_detail),
		WORLD_TEST(test_many_streams),
		WORLD_TEST(test_many_segments),
		WORLD_TEST(test_many_names),
		cmocka_unit_test(test_windows_of_random_traces),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
