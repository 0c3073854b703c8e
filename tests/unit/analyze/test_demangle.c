/* test_demangle.c - mangled names: expanded, refused, stopped at a bound. */
#include "demangle.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

enum { CEILING = 64 * 1024 };

/* The right-hand sides are what c++filt (binutils 2.40) prints. */
static const struct {
	const char *odd, *mangled, *text;
} names[] = {
	{ "a function", "_Z3fooi", "foo(int)" },
	{ "not mangled", "foo", NULL },
	{ "mangled by nobody", "_Z9foo", NULL },
	{ "a template and an anonymous namespace",
		"_ZN12_GLOBAL__N_13barIfLi4EEEvPT_i",
		"void (anonymous namespace)::bar<float, 4>(float*, int)" },
	{ "a lambda", "_ZZ4mainENKUlvE_clEv",
		"main::{lambda()#1}::operator()() const" },
	{ "substitutions",
		"_ZN2at6native11copy_kernelIN3c108BFloat16EEEvPT_PKS3_l",
		"void at::native::copy_kernel<c10::BFloat16>"
		"(c10::BFloat16*, c10::BFloat16 const*, long)" },
};

static void expands(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct buf b;
		buf_init(&b, CEILING);
		bool ok = demangle(names[i].mangled, strlen(names[i].mangled),
			&b);
		if (ok != (names[i].text != NULL))
			fail_msg("%s", names[i].odd);
		if (ok)
			assert_string_equal(b.at, names[i].text);
		buf_release(&b);
	}
}

/* Each parameter is a pair of the one before: 31 of them, 250 bytes, would
 * expand to gigabytes. */
static void a_bomb_is_stopped(void **state)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	struct buf name, b;
	(void)state;
	buf_init(&name, CEILING);
	buf_init(&b, CEILING);
	buf_puts(&name, "_Z1fSt4pairIiiE");
	for (int i = 0; i < 30; i++)
		buf_printf(&name, "S_IS%c_S%c_E", digits[i], digits[i]);
	assert_true(name.len < 400);
	assert_false(demangle(name.at, name.len, &b));
	assert_true(b.full);
	assert_true(b.len <= CEILING);
	buf_release(&name);
	buf_release(&b);
}

/* As deep as the longest name allows: the stack must bear it. */
static void a_deep_name_is_survived(void **state)
{
	static const char *const nests[] = { "P", "1AI", "F", "K", "NS" };
	(void)state;
	for (size_t n = 0; n < sizeof nests / sizeof *nests; n++) {
		struct buf name, b;
		buf_init(&name, DEMANGLE_NAME_MAX);
		buf_init(&b, CEILING);
		buf_puts(&name, "_Z1f");
		while (!name.full)
			buf_puts(&name, nests[n]);
		demangle(name.at, name.len, &b);
		buf_release(&name);
		buf_release(&b);
	}
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
	assert_true(demangle(name.at, name.len, &b));
	assert_int_equal(b.len, 6392); /* the name and "()" */
	buf_release(&name);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expands),
		cmocka_unit_test(a_bomb_is_stopped),
		cmocka_unit_test(a_deep_name_is_survived),
		cmocka_unit_test(a_name_of_6400_bytes_expands),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
