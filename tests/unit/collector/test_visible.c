/* test_visible.c - tests which GPU each CUDA device is. */
#include "visible.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static const struct visible_gpu equal[] = {
	{ "GPU-aa11-1", "H200" },
	{ "GPU-aa22-2", "H200" },
	{ "GPU-bb33-3", "H200" },
};
static const struct visible_gpu mixed[] = {
	{ "GPU-aa11-1", "H200" },
	{ "GPU-aa22-2", "A100" },
};
#define PCI "PCI_BUS_ID"

static const struct {
	const struct visible_gpu *gpus;
	int n;
	const char *list, *order, *want, *odd;
} cases[] = {
	{ equal, 3, NULL, NULL, "0 1 2", "no setting" },
	{ equal, 3, "", NULL, "", "an empty list hides all" },
	{ equal, 3, "2,0", NULL, "2 0", "numbers, in another order" },
	{ equal, 3, " 1 , 2 ", NULL, "1 2", "blanks" },
	{ equal, 3, "1,-1,2", NULL, "1", "-1 ends the list" },
	{ equal, 3, "0,3,1", NULL, "0", "a GPU that is not there ends it" },
	{ equal, 3, "1,1", NULL, "", "one twice: CUDA sees none" },
	{ equal, 3, "0,x", NULL, "0", "a word that is none ends it" },
	{ equal, 3, "2x", NULL, "", "a number with something behind it" },
	{ equal, 3, "99999999999999999999", NULL, "", "a number too large" },
	{ equal, 3, "GPU-bb,GPU-aa11-1", NULL, "2 0", "UUIDs, one shortened" },
	{ equal, 3, "GPU-aa", NULL, "", "a UUID that two begin with" },
	{ equal, 3, "GPU-cc", NULL, "", "a UUID that is not there" },
	{ equal, 3, "0,", NULL, "0", "a comma at the end" },
	{ equal, 3, "MIG-77", NULL, "MIG-77", "a part of a GPU" },
	{ equal, 0, NULL, NULL, "", "no GPU" },
	{ mixed, 2, NULL, NULL, "?", "kinds differ: the fastest first" },
	{ mixed, 2, "1,0", "FASTEST_FIRST", "?", "the same, set explicitly" },
	{ mixed, 2, "1,0", PCI, "1 0", "kinds differ, by the bus" },
	{ mixed, 2, "GPU-aa22", NULL, "1",
		"kinds differ, but a UUID is clear" },
	{ mixed, 2, "", NULL, "", "kinds differ and none is seen" },
	{ mixed, 1, NULL, NULL, "0", "one GPU has one number" },
};

static void test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct visible v;
		char got[256] = "";
		visible_from(&v, cases[i].gpus, cases[i].n, cases[i].list,
			cases[i].order);
		for (int k = 0; k < v.n; k++) {
			size_t len = strlen(got);
			snprintf(got + len, sizeof got - len, "%s",
				k ? " " : "");
			len = strlen(got);
			if (v.gpu[k] < 0)
				snprintf(got + len, sizeof got - len, "%s",
					v.mig[k]);
			else
				snprintf(got + len, sizeof got - len, "%d",
					v.gpu[k]);
		}
		if (v.unknown)
			strcat(got, "?");
		if (strcmp(got, cases[i].want))
			fail_msg("%s: '%s' instead of '%s'", cases[i].odd, got,
				cases[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_cases) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
