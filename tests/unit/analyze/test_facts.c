/* test_facts.c - tests that facts have one line per name, in order, up to the
 * limit. */
#include "facts.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void add(struct trace *t, uint16_t process, int64_t row,
	const char *name, const char *value)
{
	assert_true(trace_fact_add(t,
		&(struct fact_row){ .process = process,
			.row = row,
			.name = names_put(&t->names, name, strlen(name)),
			.value = names_put(&t->names, value, strlen(value)) }));
}

static void first_of_a_name(void **state)
{
	struct arena a = { 0 };
	struct trace t;
	struct process two[2] = { { .pid = 1 }, { .pid = 2 } };
	struct profile p = { .arena = &a };
	(void)state;
	assert_true(trace_init(&t, &a));
	t.processes = two;
	t.processes_n = 2;
	add(&t, 1, 2, "driver", "2");
	add(&t, 1, 1, "driver", "1");
	add(&t, 1, 0, "os", "Linux");
	add(&t, 0, 0, "other", "process");
	add(&t, 1, 3, "cpu", "EPYC");
	assert_true(trace_sort(&t));
	assert_true(facts_from(&t, &two[1], &p));
	assert_int_equal(p.facts.n, 3);
	assert_string_equal(p.facts.rows[0].name, "cpu");
	assert_string_equal(p.facts.rows[1].value, "1");
	assert_string_equal(p.facts.rows[2].name, "os");
	arena_release(&a);
}

static void too_many(void **state)
{
	struct arena a = { 0 };
	struct trace t;
	struct process one[1] = { { .pid = 1 } };
	struct profile p = { .arena = &a };
	char name[16];
	(void)state;
	assert_true(trace_init(&t, &a));
	t.processes = one;
	t.processes_n = 1;
	assert_true(trace_sort(&t));
	assert_true(facts_from(&t, one, &p));
	assert_int_equal(p.facts.n, 0);
	for (int i = 0; i < FACTS_MOST + 5; i++) {
		snprintf(name, sizeof name, "n%d", i);
		add(&t, 0, i, name, "x");
	}
	assert_true(trace_sort(&t));
	assert_true(facts_from(&t, one, &p));
	assert_int_equal(p.facts.n, FACTS_MOST);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_of_a_name),
		cmocka_unit_test(too_many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
