/* test_arena.c - tests that memory is zeroed, aligned and counted, and never
 * exceeds the limit. */
#include "arena.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <cmocka.h>

static void zeroed_and_aligned(void **state)
{
	struct arena a = { 0 };
	(void)state;
	for (size_t n = 0; n < 3000; n += 7) {
		char *p = arena_alloc(&a, n, 1);
		assert_int_equal((uintptr_t)p % 16, 0);
		for (size_t i = 0; i < n; i++)
			assert_int_equal(p[i], 0);
		memset(p, 0xFF, n);
	}
	char *large = arena_alloc(&a, 1000000, 1);
	assert_int_equal(large[0] | large[999999], 0);
	arena_release(&a);
	assert_null(a.top);
	assert_int_equal(a.taken, 0);
}

static void texts(void **state)
{
	struct arena a = { 0 };
	(void)state;
	assert_string_equal(arena_strndup(&a, "kernel", 4), "kern");
	assert_string_equal(arena_strdup(&a, ""), "");
	assert_string_equal(arena_printf(&a, "%d %s", 5, "ms"), "5 ms");
	/* Bytes are kept, including NUL. */
	assert_memory_equal(arena_strndup(&a, "a\0b", 3), "a\0b", 4);
	arena_release(&a);
}

static void growing_keeps_the_contents(void **state)
{
	struct arena a = { 0 };
	int *p = NULL, *other = arena_grow(&a, NULL, 64);
	(void)state;
	for (size_t n = 16; n <= 1 << 16; n *= 2) {
		p = arena_grow(&a, p, n * sizeof *p);
		if (n == 16)
			assert_int_equal(p[0] | p[15], 0);
		for (size_t i = n == 16 ? 0 : n / 2; i < n; i++)
			p[i] = (int)i;
	}
	for (int i = 0; i < 1 << 16; i++)
		assert_int_equal(p[i], i);
	assert_int_equal(a.taken, 64 + sizeof(int) * (1 << 16));
	/* Shrinking changes nothing. */
	assert_ptr_equal(arena_grow(&a, p, 8), p);
	arena_drop(&a, other);
	arena_drop(&a, NULL);
	arena_drop(&a, p);
	assert_int_equal(a.taken, 0);
	assert_null(a.own);
	arena_release(&a);
}

/* Dropped in any order, the others stay. */
static void dropping_from_the_middle(void **state)
{
	struct arena a = { 0 };
	char *p[5];
	(void)state;
	for (int i = 0; i < 5; i++)
		*(p[i] = arena_grow(&a, NULL, 32)) = (char)i;
	arena_drop(&a, p[2]);
	arena_drop(&a, p[4]);
	arena_drop(&a, p[0]);
	p[1] = arena_grow(&a, p[1], 64);
	assert_int_equal(*p[1], 1);
	assert_int_equal(*p[3], 3);
	assert_int_equal(a.taken, 64 + 32);
	arena_release(&a);
}

static void the_ceiling_holds_and_full_stays(void **state)
{
	struct arena a = { .ceiling = 200 * 1024 };
	struct err e = { 0 };
	(void)state;
	char *p = arena_grow(&a, NULL, 150 * 1024);
	assert_non_null(p);
	p[0] = 'x';
	assert_false(a.full);
	assert_null(arena_grow(&a, p, 300 * 1024));
	assert_true(a.full);
	assert_int_equal(p[0], 'x'); /* still usable */
	assert_int_equal(a.taken, 150 * 1024);
	assert_null(arena_alloc(&a, 1, 60 * 1024));
	assert_null(arena_strndup(&a, p, 60 * 1024));
	assert_false(arena_err(&a, &e));
	assert_int_equal(e.code, ERR_TOO_LARGE);
	assert_string_equal(e.text,
		"the trace needs more than 0 MiB of memory; record a shorter "
		"window, or raise --ingest-mib");
	arena_release(&a);
	assert_int_equal(a.ceiling, 200 * 1024);
	assert_non_null(arena_alloc(&a, 1, 8));
	arena_release(&a);
}

/* If the machine has no more memory, the error does not blame the file. A
 * memory limit of the process has the same effect as the arena's limit. */
static void the_machine_has_no_more(void **state)
{
	struct arena a = { .ceiling = 3 << 20 };
	struct err e = { 0 };
	struct rlimit was, low;
	(void)state;
#ifdef __SANITIZE_THREAD__
	skip(); /* TSan needs address space of its own */
#endif
	assert_int_equal(getrlimit(RLIMIT_AS, &was), 0);
	low = was;
	low.rlim_cur = 64 << 20;
	assert_int_equal(setrlimit(RLIMIT_AS, &low), 0);
	arena_refuse(&a, 64 << 20);
	assert_int_equal(setrlimit(RLIMIT_AS, &was), 0);
	assert_true(a.full);
	assert_false(arena_err(&a, &e));
	assert_int_equal(e.code, ERR_TOO_LARGE);
	assert_string_equal(e.text,
		"the trace needs more than 3 MiB of memory; record a shorter "
		"window, or raise --ingest-mib");
	arena_release(&a);

	e = (struct err){ 0 };
	arena_refuse(&a, 1 << 20);
	assert_true(a.full);
	assert_false(arena_err(&a, &e));
	assert_int_equal(e.code, ERR_BUSY);
	assert_string_equal(e.text,
		"this machine has no memory left for an ingest");
	arena_release(&a);
}

/* The scratch arena gets the rest of the limit. Both arenas report that the
 * limit was too small, and the scratch arena keeps no memory. */
static void scratch_of_the_remaining_memory(void **state)
{
	struct arena a = { .ceiling = 1 << 20 };
	struct err e = { 0 };
	(void)state;
	assert_non_null(arena_grow(&a, NULL, 600 << 10));
	size_t taken = a.taken;
	struct arena scratch = arena_scratch(&a);
	assert_non_null(arena_grow(&scratch, NULL, 300 << 10));
	assert_int_equal(a.taken, taken);
	arena_scratch_release(&scratch, &a);
	assert_false(a.full);
	scratch = arena_scratch(&a);
	assert_null(arena_grow(&scratch, NULL, 500 << 10));
	arena_scratch_release(&scratch, &a);
	assert_true(a.full);
	assert_false(arena_err(&a, &e));
	assert_int_equal(e.code, ERR_TOO_LARGE);
	assert_int_equal(a.taken, taken);
	arena_release(&a);
	struct arena boundless = { 0 };
	assert_int_equal(arena_scratch(&boundless).ceiling, 0);
}

/* Impossibly large sizes are rejected and do not wrap around. */
static void sizes_that_overflow(void **state)
{
	static const size_t counts[][2] = { { SIZE_MAX, 2 },
		{ SIZE_MAX / 2, 2 }, { SIZE_MAX, 1 }, { SIZE_MAX - 8, 1 } };
	(void)state;
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		struct arena a = { .ceiling = SIZE_MAX };
		assert_null(arena_alloc(&a, counts[i][0], counts[i][1]));
		assert_true(a.full);
		arena_release(&a);
	}
	struct arena a = { .ceiling = SIZE_MAX };
	assert_null(arena_grow(&a, NULL, SIZE_MAX - 8));
	assert_true(a.full);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zeroed_and_aligned),
		cmocka_unit_test(texts),
		cmocka_unit_test(growing_keeps_the_contents),
		cmocka_unit_test(dropping_from_the_middle),
		cmocka_unit_test(the_ceiling_holds_and_full_stays),
		cmocka_unit_test(the_machine_has_no_more),
		cmocka_unit_test(scratch_of_the_remaining_memory),
		cmocka_unit_test(sizes_that_overflow),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
