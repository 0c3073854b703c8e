/* test_catalog.c - tests the family of kernels by name: the kernels of the
 * seeds, one row for each kind of rule, and unknown names. */
#include "catalog.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct row {
	const char *name, *family, *defined_in, *launched_from;
};

static const struct row seeds[] = {
#define KERNEL(name, family, defined_in, launched_from) \
	{ name, family, defined_in, launched_from },
#include "seed_kernels.def"
#undef KERNEL
};

static const struct row others[] = {
#define FAMILY(name, family) { name, family, NULL, NULL },
#include "other_kernels.def"
#undef FAMILY
};

static int start(void **state)
{
	struct err e = { 0 };
	*state = catalog_new(NULL, &e);
	if (!*state)
		fail_msg("%s", e.text);
	return 0;
}

static int stop(void **state)
{
	catalog_free(*state);
	return 0;
}

static void same(const char *name, const char *what, const char *got,
	const char *want)
{
	if (got == want || (got && want && !strcmp(got, want)))
		return;
	fail_msg("%s: %s is %s, not %s", name, what, got ? got : "unknown",
		want ? want : "unknown");
}

static void test_seeds(void **state)
{
	int paths = 0;
	for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
		const struct row *r = &seeds[i];
		struct kernel_source s;
		catalog_kernel(*state, r->name, strlen(r->name), &s);
		same(r->name, "family", s.family, r->family);
		same(r->name, "defined_in", s.defined_in, r->defined_in);
		same(r->name, "launched_from", s.launched_from,
			r->launched_from);
		bool path = s.defined_in || s.launched_from;
		paths += path;
		assert_true(!path || s.known_from);
	}
	assert_true(paths >= 12);
}

static void test_others(void **state)
{
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		struct kernel_source s;
		catalog_kernel(*state, others[i].name, strlen(others[i].name),
			&s);
		same(others[i].name, "family", s.family, others[i].family);
	}
}

static void test_unknown(void **state)
{
	static const char *const names[] = { "", "k", "void", "void ",
		"my_kernel(int*)", "xCijk_Ailk_Bljk", "(unnamed)" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct kernel_source s;
		catalog_kernel(*state, names[i], strlen(names[i]), &s);
		same(names[i], "family", s.family, NULL);
		same(names[i], "known_from", s.known_from, NULL);
	}
}

/* Names that force patterns to backtrack. The match limit allows about a
 * thousandth of a second per name. The test allows a tenth, for slow
 * machines. */
static void test_hostile(void **state)
{
	static const char *const parts[] = { "std::enable_if<a>::type ",
		"ck_tile::", "a::", "at::native::", "_", "cudnn::", "nvjet_" };
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		enum { SIZE = 64 * 1024 };
		size_t len = strlen(parts[i]), n = 0;
		char *name = malloc(SIZE);
		for (; n + len <= SIZE; n += len)
			memcpy(name + n, parts[i], len);
		struct kernel_source s;
		clock_t begin = clock();
		catalog_kernel(*state, name, n, &s);
		assert_true(clock() - begin < CLOCKS_PER_SEC / 10);
		free(name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_seeds),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_hostile),
	};
	return cmocka_run_group_tests(tests, start, stop);
}
