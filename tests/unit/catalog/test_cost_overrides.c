/* test_cost_overrides.c - tests the messages for invalid formulas in site
 * overrides. */
#include "catalog.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define OWN(cost)                                                      \
	"{\"items\": [{\"name\": \"ours\", \"sizes\": [\"m\", \"x\"]," \
	" \"cost\": " cost "}]}"

/* Formulas that an administrator may have written. */
static void test_invalid_formulas(void **state)
{
	static const struct {
		const char *operators, *sentence;
	} rows[] = {
		{ OWN("3"),
			"items[0], the operator 'ours': 'cost' is no object" },
		{ OWN("{}"), "items[0], the operator 'ours': it has no "
			     "'physical' cost" },
		{ OWN("{\"physical\": []}"),
			"items[0], the operator 'ours': in 'physical' there "
			"are no entries, or more than 8" },
		{ OWN("{\"physical\": {\"read\": \"1\"}}"),
			"items[0], the operator 'ours': in 'physical' 'write' "
			"is no text" },
		{ OWN("{\"physical\": {\"read\": 1, \"write\": \"1\"}}"),
			"items[0], the operator 'ours': in 'physical' 'read' "
			"is no text" },
		{ OWN("{\"physical\": {\"read\": \"1\", \"write\": \"1\", "
		      "\"cost\": 1}}"),
			"items[0], the operator 'ours': in 'physical' there is "
			"more than when, let, flops, read, write" },
		{ OWN("{\"physical\": {\"read\": \"2*k\", \"write\": \"1\"}}"),
			"items[0], the operator 'ours': physical.read: a name "
			"that is no size of the operator at character 3 of the "
			"formula '2*k'" },
		{ OWN("{\"physical\": {\"read\": \"1\", \"write\": \"1\"}, "
		      "\"catalog\": {\"flops\": {\"bf17\": \"1\"}, "
		      "\"read\": \"1\", \"write\": \"1\"}}"),
			"items[0], the operator 'ours': in 'catalog' the "
			"type 'bf17' is unknown" },
		{ OWN("{\"physical\": {\"flops\": {\"fp16\": \"1\", "
		      "\"half\": \"2\"}, \"read\": \"1\", \"write\": \"1\"}}"),
			"items[0], the operator 'ours': in 'physical' two "
			"formulas are of the type fp16" },
		{ OWN("{\"physical\": {\"flops\": {\"int32\": \"1\"}, "
		      "\"read\": \"1\", \"write\": \"1\"}}"),
			"items[0], the operator 'ours': in 'physical' 'int32' "
			"does no arithmetic: it only moves bytes" },
		{ OWN("{\"physical\": {\"flops\": [], \"read\": \"1\", "
		      "\"write\": \"1\"}}"),
			"items[0], the operator 'ours': in 'physical' 'flops' "
			"is no object of types and formulas" },
		{ OWN("{\"physical\": {\"let\": \"a\", \"read\": \"1\", "
		      "\"write\": \"1\"}}"),
			"items[0], the operator 'ours': in 'physical' 'let' is "
			"no list of texts" },
		{ OWN("{\"physical\": {\"let\": [\"m = 1\"], \"read\": \"1\", "
		      "\"write\": \"1\"}}"),
			"items[0], the operator 'ours': let: the name of a "
			"size at character 1 of the formula 'm = 1'" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct catalog_own ours = { .operators = rows[i].operators,
			.version = 1 };
		struct err e = { 0 };
		assert_null(catalog_new(&ours, &e));
		assert_string_equal(e.text, rows[i].sentence);
		assert_int_equal(e.code, ERR_INPUT);
	}
}

#define BYTES "{\"read\": \"1\", \"write\": \"m\"}"

/* An edit with a key that no convention has is rejected, also if a key of a
 * convention is beside it; a stored document with such a key still loads. */
static void test_unknown_conventions(void **state)
{
	static const struct {
		const char *operators, *sentence;
		bool loads;
	} rows[] = {
		{ OWN("{\"physical\": " BYTES ", \"catalogs\": " BYTES "}"),
			"items[0], the operator 'ours': 'cost' has no key "
			"'catalogs'; did you mean 'catalog'?",
			true },
		{ OWN("{\"physical\": " BYTES ", \"note\": \"\"}"),
			"items[0], the operator 'ours': 'cost' has no key "
			"'note'; use 'physical' or 'catalog'",
			true },
		{ OWN("{\"Physical\": " BYTES "}"),
			"items[0], the operator 'ours': 'cost' has no key "
			"'Physical'; did you mean 'physical'?",
			false },
		{ OWN("{\"physical\": " BYTES ", \"catalog\": " BYTES "}"),
			NULL, true },
		{ OWN("null"), NULL, true },
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct catalog_own ours = { .operators = rows[i].operators,
			.version = 1 };
		struct err e = { 0 }, why = { 0 };
		bool accepted = catalog_edit_check(rows[i].operators, &e);
		assert_int_equal(accepted, !rows[i].sentence);
		assert_string_equal(e.text,
			rows[i].sentence ? rows[i].sentence : "");
		assert_int_equal(e.code, accepted ? ERR_NONE : ERR_INPUT);
		struct catalog *c = catalog_new(&ours, &why);
		assert_int_equal(c != NULL, rows[i].loads);
		catalog_free(c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_invalid_formulas),
		cmocka_unit_test(test_unknown_conventions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
