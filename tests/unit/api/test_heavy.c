/* test_heavy.c - so many at once, each given back once. */
#include "heavy.h"
#include "api_state.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { AT_ONCE = 3 };

static void test_places(void **state)
{
	(void)state;
	struct api api = { 0 };
	struct call calls[AT_ONCE], late = { .api = &api };
	struct err e = { 0 };
	for (int i = 0; i < AT_ONCE; i++) {
		calls[i] = (struct call){ .api = &api };
		assert_true(heavy_take(&calls[i], &e));
		assert_true(heavy_take(&calls[i], &e)); /* once is enough */
	}
	assert_false(heavy_take(&late, &e));
	assert_int_equal(e.code, ERR_BUSY);
	assert_string_equal(e.text,
		"3 answers that take long are being made already, the most at "
		"once; try again in a moment");
	heavy_give_back(&late);
	heavy_give_back(&calls[0]);
	heavy_give_back(&calls[0]);
	e = (struct err){ 0 };
	assert_true(heavy_take(&late, &e));
	calls[0] = (struct call){ .api = &api };
	assert_false(heavy_take(&calls[0], &e));
	heavy_give_back(&calls[0]);
	for (int i = 1; i < AT_ONCE; i++)
		heavy_give_back(&calls[i]);
	heavy_give_back(&late);
	assert_int_equal(atomic_load(&api.heavy), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_places) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
