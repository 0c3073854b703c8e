/* test_kernel_stem.c - tests which part of a kernel's name identifies the
 * kernel. */
#include "catalog.h"
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct stems {
	struct catalog *catalog;
	struct arena arena;
};

static int start(void **state)
{
	static struct stems s;
	struct err e = { 0 };
	s = (struct stems){ .catalog = catalog_new(NULL, &e) };
	*state = &s;
	return s.catalog ? 0 : -1;
}

static int stop(void **state)
{
	struct stems *s = *state;
	catalog_free(s->catalog);
	arena_release(&s->arena);
	return 0;
}

static struct kernel_stem stem_of(struct stems *s, const char *name)
{
	struct kernel_stem stem;
	assert_true(catalog_kernel_stem(s->catalog, name, &s->arena, &stem));
	return stem;
}

/* Every example of the data has the stem that the data state, by its own
 * pattern. */
static void test_examples(void **state)
{
	const char *source = getenv("KERNSIFT_SRC");
	char path[4096];
	json_t *root, *entry, *pair;
	size_t i, k, tried = 0;

	snprintf(path, sizeof path, "%s/server/catalog/data/kernel_names.json",
		source ? source : ".");
	root = json_load_file(path, 0, NULL);
	assert_non_null(root);
	json_array_foreach(json_object_get(root, "names"), i, entry)
	{
		const char *of =
			json_string_value(json_object_get(entry, "of"));
		bool tuning = !strcmp(json_string_value(
					      json_object_get(entry, "varies")),
			"tuning");
		json_array_foreach(json_object_get(entry, "examples"), k, pair)
		{
			const char *name =
				json_string_value(json_array_get(pair, 0));
			struct kernel_stem got = stem_of(*state, name);
			assert_non_null(got.text);
			assert_string_equal(got.text,
				json_string_value(json_array_get(pair, 1)));
			assert_string_equal(got.of, of);
			assert_int_equal(got.varies,
				tuning ? NAME_TUNING : NAME_NUMBER);
			tried++;
		}
	}
	assert_true(tried >= 20);
	json_decref(root);
}

/* Numbers that belong to a kernel's name are kept. */
static void test_whole_names(void **state)
{
	static const char *const names[] = {
		"void at::native::vectorized_elementwise_kernel<4, float>(int)",
		"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
		"fused_add_rms_norm_kernel",
		"fused_moe_kernel",
		"fusion_kernel_oneshot_lamport",
		"kernel_012",
		"my_kernel_2",
		"triton_poi_fused_add",
		"flash_fwd_kernel",
		"nvjets",
		"",
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		assert_null(stem_of(*state, names[i]).text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_examples),
		cmocka_unit_test(test_whole_names),
	};
	return cmocka_run_group_tests(tests, start, stop);
}
