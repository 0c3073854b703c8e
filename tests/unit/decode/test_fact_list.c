/* test_fact_list.c - tests facts that are set twice, appended, or too long. */
#include "fact_list.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

struct world {
	struct arena arena;
	struct trace t;
	struct text text;
	struct fact_list l;
};

static void begin(struct world *w)
{
	*w = (struct world){ 0 };
	assert_true(trace_init(&w->t, &w->arena));
	w->text.trace = &w->t;
	w->l.text = &w->text;
}

static void put(struct world *w, const char *name, const char *value)
{
	assert_true(fact_list_put(&w->l, name, value, strlen(value)));
}

static void append(struct world *w, const char *name, const char *value)
{
	assert_true(fact_list_append(&w->l, name, value, strlen(value)));
}

static void is(const struct world *w, uint32_t i, const char *name,
	const char *value)
{
	assert_true(i < w->l.n);
	assert_string_equal(w->l.list[i].name, name);
	assert_string_equal(names_text(&w->t.names, w->l.list[i].value), value);
}

static void twice_and_empty(void **state)
{
	struct world w;
	(void)state;
	begin(&w);
	put(&w, "driver", "");
	put(&w, "driver", "570.1");
	put(&w, "driver", "1.0");
	append(&w, "cpu", "");
	assert_int_equal(w.l.n, 1);
	is(&w, 0, "driver", "570.1");
	arena_release(&w.arena);
}

/* A text that is part of another is a different text. */
static void several_values(void **state)
{
	static const char *const clocks[] = { "1980", "1410", "1980", "141",
		"1410" };
	struct world w;
	(void)state;
	begin(&w);
	for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++)
		append(&w, "clock", clocks[i]);
	is(&w, 0, "clock", "1980, 1410, 141");
	arena_release(&w.arena);
}

/* 22 numbers of ten digits with two characters between them have 262 bytes.
 * The twentieth ends at 238, and the numbers after it are omitted. */
static void as_many_as_fit(void **state)
{
	struct world w;
	char text[16];
	(void)state;
	begin(&w);
	for (int i = 0; i < 22; i++) {
		snprintf(text, sizeof text, "%010d", i);
		append(&w, "clock", text);
	}
	const char *all = names_text(&w.t.names, w.l.list[0].value);
	assert_int_equal(strlen(all), 238);
	assert_string_equal(all + 228, "0000000019");
	for (int i = 0; i < FACT_LIST_MOST + 1; i++) {
		static char names[FACT_LIST_MOST + 1][16];
		snprintf(names[i], sizeof names[i], "n%d", i);
		put(&w, names[i], "x");
	}
	assert_int_equal(w.l.n, FACT_LIST_MOST);
	arena_release(&w.arena);
}

static void versions(void **state)
{
	struct world w;
	(void)state;
	begin(&w);
	assert_true(fact_list_cuda(&w.l, "a", 13030));
	assert_true(fact_list_cuda(&w.l, "b", 9000));
	assert_true(fact_list_hip(&w.l, "c", 70226015));
	assert_true(fact_list_hip(&w.l, "d", 60443483));
	is(&w, 0, "a", "13.3");
	is(&w, 1, "b", "9.0");
	is(&w, 2, "c", "7.2.26015");
	is(&w, 3, "d", "6.4.43483");
	arena_release(&w.arena);
}

static void given_to_all(void **state)
{
	struct world w;
	struct process two[2] = { { .pid = 1 }, { .pid = 2 } };
	(void)state;
	begin(&w);
	w.t.processes = two;
	w.t.processes_n = 2;
	put(&w, "driver", "570.1");
	put(&w, "cpu", "EPYC");
	assert_true(fact_list_give_all(&w.l));
	assert_true(trace_sort(&w.t));
	assert_int_equal(w.t.fact.n, 4);
	assert_int_equal(two[1].fact.to - two[1].fact.from, 2);
	assert_string_equal(names_text(&w.t.names, w.t.fact.name[3]), "cpu");
	assert_string_equal(names_text(&w.t.names, w.t.fact.value[3]), "EPYC");
	arena_release(&w.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(twice_and_empty),
		cmocka_unit_test(several_values),
		cmocka_unit_test(as_many_as_fit),
		cmocka_unit_test(versions),
		cmocka_unit_test(given_to_all),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
