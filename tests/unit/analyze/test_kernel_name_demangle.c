/* test_kernel_name_demangle.c - tests mangled names that are demangled,
 * rejected, or stopped at a limit. */
#include "kernel_name.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { CEILING = 64 * 1024 };

static const struct name {
	const char *odd, *mangled, *text;
} names[] = {
#define NAME(odd, mangled, text) { odd, mangled, text },
#include "mangled_names.def"
#undef NAME
};

static void expands(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const struct name *n = &names[i];
		struct buf b;
		buf_init(&b, CEILING);
		bool ok = kernel_name_demangle(n->mangled, strlen(n->mangled),
			&b);
		if (ok != (n->text != NULL))
			fail_msg("%s: %s", n->odd, ok ? b.at : "refused");
		if (ok && strcmp(b.at, n->text) != 0)
			fail_msg("%s:\n%s\n%s", n->odd, b.at, n->text);
		buf_release(&b);
	}
}

/* A name truncated at any byte is rejected or demangled, without further
 * effects. */
static void cut_anywhere(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		for (size_t n = strlen(names[i].mangled); n-- > 0;) {
			struct buf b;
			buf_init(&b, CEILING);
			kernel_name_demangle(names[i].mangled, n, &b);
			buf_release(&b);
		}
}

/* S_, S0_, … S9_, SA_ …: the k-th substitution. */
static void sub(struct buf *b, int k)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	if (k == 0)
		buf_puts(b, "S_");
	else if (k <= 36)
		buf_printf(b, "S%c_", digits[k - 1]);
	else
		buf_printf(b, "S%c%c_", digits[(k - 1) / 36],
			digits[(k - 1) % 36]);
}

/* Adds n types, each a pair of the previous type. The first pair is the
 * substitution after template `first`. */
static void pairs(struct buf *b, int first, int n)
{
	for (int i = 0; i < n; i++) {
		sub(b, first);
		buf_puts(b, "I");
		sub(b, first + 1 + i);
		sub(b, first + 1 + i);
		buf_puts(b, "E");
	}
}

/* The name is rejected quickly; a slow rejection would exceed the test's time
 * limit. */
static void refused(struct buf *name, size_t most)
{
	struct buf b;
	buf_init(&b, CEILING);
	assert_true(name->len <= most);
	assert_false(kernel_name_demangle(name->at, name->len, &b));
	buf_release(&b);
	buf_release(name);
}

/* f(pair<int, int>, pair<pair…>, …): each parameter is twice as long as the
 * previous one. */
static void bomb_of_output(void **state)
{
	struct buf name;
	(void)state;
	buf_init(&name, CEILING);
	buf_puts(&name, "_Z1fSt4pairIiiE");
	pairs(&name, 0, 24);
	refused(&name, 260);
}

/* The parameters of bomb_of_output() inside a pack expansion. The demangler
 * searches them for a pack before it writes any byte. */
static void bomb_without_output(void **state)
{
	struct buf name;
	(void)state;
	buf_init(&name, CEILING);
	buf_puts(&name, "_Z1fIJiEEvDpN1AI1BIiiE");
	pairs(&name, 1, 40);
	buf_puts(&name, "E1XE");
	refused(&name, 500);
}

/* cv T_ I…E may be a conversion to T_ with arguments, or to T_<…>. A demangler
 * that tries both reads the inner one twice as often at each level. */
static void bomb_for_readers(void **state)
{
	struct buf name;
	(void)state;
	buf_init(&name, CEILING);
	buf_puts(&name, "_ZN1Acv");
	for (int i = 0; i < 60; i++)
		buf_puts(&name, "T_I");
	buf_puts(&name, "i");
	for (int i = 0; i < 60; i++)
		buf_puts(&name, "E");
	buf_puts(&name, "IiEEv");
	refused(&name, 260);
}

/* Nesting as deep as the longest name allows must fit on the stack. */
static void nested_as_deep_as_can_be(void **state)
{
	static const char *const nests[] = { "P", "1AI", "F", "K", "NS", "M",
		"IX", "1AIXng", "Z1f", "1AIJ", "Dp", "A1_", "DTad" };
	(void)state;
	for (size_t n = 0; n < sizeof nests / sizeof *nests; n++) {
		struct buf name;
		buf_init(&name, DEMANGLE_NAME_MAX);
		buf_puts(&name, "_Z1f");
		while (!name.full)
			buf_puts(&name, nests[n]);
		refused(&name, DEMANGLE_NAME_MAX);
	}
}

/* 700 templates and 1,200 references to a parameter, 7 KiB in all with little
 * nesting: the stack must hold the product of the two. */
static void bomb_for_the_stack(void **state)
{
	struct buf name;
	(void)state;
	buf_init(&name, CEILING);
	buf_puts(&name, "_Z1fIiEv");
	for (int i = 0; i < 700; i++)
		buf_puts(&name, i % 40 ? "1AIiE"
				: i    ? "E1BI1AIiE"
				       : "1BI1AIiE");
	for (int i = 0; i < 1200; i++)
		buf_puts(&name, i % 40 ? "RT_" : "E1BIRT_");
	buf_puts(&name, "E");
	refused(&name, DEMANGLE_NAME_MAX);
}

static void longer_than_looked_at(void **state)
{
	struct buf name;
	(void)state;
	buf_init(&name, CEILING);
	buf_puts(&name, "_Z1fi");
	while (name.len <= DEMANGLE_NAME_MAX)
		buf_puts(&name, "i");
	refused(&name, DEMANGLE_NAME_MAX + 1);
}

static void a_name_of_6400_bytes_expands(void **state)
{
	struct buf name, b;
	(void)state;
	buf_init(&name, CEILING);
	buf_init(&b, CEILING);
	buf_puts(&name, "_Z6390");
	for (int i = 0; i < 6390; i++)
		buf_puts(&name, "k");
	buf_puts(&name, "v");
	assert_true(kernel_name_demangle(name.at, name.len, &b));
	assert_int_equal(b.len, 6392); /* the name and "()" */
	buf_release(&name);
	buf_release(&b);
}

/* 200 times A<int> needs 200 * 6 bytes plus commas: names of more than 1,024
 * bytes are valid. */
static void long_and_harmless(void **state)
{
	struct buf name, b;
	(void)state;
	buf_init(&name, CEILING);
	buf_init(&b, CEILING);
	buf_puts(&name, "_Z1f1AIiE");
	for (int i = 1; i < 300; i++)
		buf_puts(&name, "S0_P");
	buf_puts(&name, "c");
	assert_true(name.len > 1024);
	assert_true(kernel_name_demangle(name.at, name.len, &b));
	/* "f(A<int>, A<int>", then 298 times ", A<int>*", then ", char*)" */
	assert_int_equal(b.len, 2 + 6 + 2 + 6 + 298 * 9 + 2 + 5 + 1);
	buf_release(&name);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expands),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(bomb_of_output),
		cmocka_unit_test(bomb_without_output),
		cmocka_unit_test(bomb_for_readers),
		cmocka_unit_test(bomb_for_the_stack),
		cmocka_unit_test(nested_as_deep_as_can_be),
		cmocka_unit_test(longer_than_looked_at),
		cmocka_unit_test(a_name_of_6400_bytes_expands),
		cmocka_unit_test(long_and_harmless),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
