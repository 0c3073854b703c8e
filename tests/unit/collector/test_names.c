/* test_names.c - names get numbers while their pointers are valid, in many
 * threads at once. A pointer that is reused for another name is detected. */
#include "names.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char *text(struct kernel_names *n, uint32_t id)
{
	size_t len;
	const char *t = names_text(n, id, &len);
	assert_int_equal(strlen(t), len);
	return t;
}

static void equal_names_have_one_number(void **state)
{
	static const char a[] = "sgemm", b[] = "sgemm", c[] = "dgemm";
	struct kernel_names *n = names_new();
	(void)state;
	assert_int_equal(names_pin(n, a), 1);
	assert_int_equal(names_pin(n, b), 1);
	assert_int_equal(names_pin(n, c), 2);
	assert_int_equal(names_pin(n, a), 1);
	assert_string_equal(text(n, 1), "sgemm");
	assert_string_equal(text(n, 2), "dgemm");
	assert_string_equal(text(n, 3), "");
	assert_string_equal(text(n, NAMES_NONE), "");
	assert_string_equal(text(n, NAMES_FULL), "");
	assert_string_equal(text(n, UINT32_MAX), "");
	names_free(n);
}

static void invalid_addresses_have_no_name(void **state)
{
	static const uintptr_t none[] = { 0, 1, 4711,
		(uintptr_t)0xdeadbeefdeadbeef, UINTPTR_MAX };
	struct kernel_names *n = names_new();
	(void)state;
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		assert_int_equal(names_pin(n, (const char *)none[i]),
			NAMES_NONE);
	names_free(n);
}

/* A module is unloaded, and the next one gets its address. */
static void a_pointer_is_reused_for_another_name(void **state)
{
	static const char *const beginning = "_ZN7cutlass6KernelI";
	static const struct {
		const char *odd, *before, *after;
		bool forget; /* reported */
	} cases[] = {
		{ "the beginning differs", "sgemm", "dgemm", false },
		{ "it is longer", "sgemm", "sgemm_nt", false },
		{ "it is shorter", "sgemm_nt", "sgemm", false },
		{ "the end differs, and it was reported", "A", "B", true },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct kernel_names *n = names_new();
		char before[64], at[64];
		const char *head = cases[i].forget ? beginning : "";
		snprintf(at, sizeof at, "%s%s", head, cases[i].before);
		strcpy(before, at);
		assert_int_equal(names_pin(n, at), 1);
		assert_int_equal(names_pin(n, at), 1);
		snprintf(at, sizeof at, "%s%s", head, cases[i].after);
		if (cases[i].forget)
			names_forget_pointers(n);
		if (names_pin(n, at) != 2 || names_pin(n, at) != 2)
			fail_msg("%s: the old number", cases[i].odd);
		assert_string_equal(text(n, 1), before);
		assert_string_equal(text(n, 2), at);
		names_free(n);
	}
}

static void a_long_name_is_cut_off(void **state)
{
	enum { LONG = 100000, KEPT = 64 << 10 };
	struct kernel_names *n = names_new();
	char *name = malloc(LONG + 1);
	size_t len;
	(void)state;
	memset(name, 'x', LONG);
	name[LONG] = '\0';
	assert_int_equal(names_pin(n, name), 1);
	assert_int_equal(names_pin(n, name), 1);
	names_text(n, 1, &len);
	assert_int_equal(len, KEPT);
	names_pin(n, name + LONG - KEPT);
	assert_int_equal(names_pin(n, name + LONG - KEPT), 1);
	free(name);
	names_free(n);
}

static void more_names_than_numbers(void **state)
{
	struct kernel_names *n = names_new();
	char name[32];
	(void)state;
	for (int i = 1; i <= NAMES_MAX + 5; i++) {
		snprintf(name, sizeof name, "kernel_%d", i);
		assert_int_equal(names_pin(n, name),
			i < NAMES_MAX ? i : NAMES_FULL);
	}
	assert_int_equal(names_lost(n), 6);
	assert_int_equal(names_lost(n), 0);
	assert_int_equal(names_pin(n, "kernel_77"), 77);
	assert_string_equal(text(n, NAMES_MAX - 1), "kernel_65535");
	names_free(n);
}

static void more_names_than_bytes(void **state)
{
	enum { LEN = 1 << 15 };
	struct kernel_names *n = names_new();
	char *name = malloc(LEN);
	(void)state;
	memset(name, 'x', LEN);
	name[LEN - 1] = '\0';
	for (int i = 1; i <= 512; i++) {
		snprintf(name, 12, "%011d", i);
		name[11] = 'x';
		assert_int_equal(names_pin(n, name), i);
	}
	assert_int_equal(names_pin(n, "one more"), NAMES_FULL);
	assert_int_equal(names_lost(n), 1);
	free(name);
	names_free(n);
}

enum { THREADS = 8, NAMES = 500, TURNS = 20000 };
struct crowd {
	struct kernel_names *names;
	char (*pool)
		[48]; /* each thread has its own pointers to the same names */
	uint32_t id[NAMES];
	unsigned seed;
};

static void *pin_many(void *arg)
{
	struct crowd *c = arg;
	for (int i = 0; i < TURNS; i++) {
		int which = rand_r(&c->seed) % NAMES;
		uint32_t id = names_pin(c->names, c->pool[which]);
		if (!c->id[which])
			c->id[which] = id;
		if (c->id[which] != id)
			return "a name changed its number";
		size_t len;
		if (strcmp(names_text(c->names, id, &len), c->pool[which]) != 0)
			return "a number has another name";
		if (i % 1000 == 0)
			names_forget_pointers(c->names);
	}
	return NULL;
}

static void many_threads_agree(void **state)
{
	struct kernel_names *n = names_new();
	struct crowd crowd[THREADS];
	pthread_t t[THREADS];
	(void)state;
	for (int i = 0; i < THREADS; i++) {
		crowd[i] = (struct crowd){ .names = n,
			.pool = malloc(NAMES * sizeof *crowd[i].pool),
			.seed = (unsigned)i };
		for (int k = 0; k < NAMES; k++)
			snprintf(crowd[i].pool[k], sizeof *crowd[i].pool,
				"a kernel with the number %d", k);
	}
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&t[i], NULL, pin_many,
					 &crowd[i]),
			0);
	for (int i = 0; i < THREADS; i++) {
		void *complaint;
		pthread_join(t[i], &complaint);
		if (complaint)
			fail_msg("%s", (const char *)complaint);
		for (int k = 0; k < NAMES; k++)
			assert_int_equal(names_pin(n, crowd[i].pool[k]),
				names_pin(n, crowd[0].pool[k]));
	}
	assert_int_equal(names_lost(n), 0);
	for (int i = 0; i < THREADS; i++)
		free(crowd[i].pool);
	names_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_names_have_one_number),
		cmocka_unit_test(invalid_addresses_have_no_name),
		cmocka_unit_test(a_pointer_is_reused_for_another_name),
		cmocka_unit_test(a_long_name_is_cut_off),
		cmocka_unit_test(more_names_than_numbers),
		cmocka_unit_test(more_names_than_bytes),
		cmocka_unit_test(many_threads_agree),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
