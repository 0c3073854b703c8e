/* test_openapi.c - the document names every route and every schema it uses. */
#include "openapi.h"
#include "route.h"
#include "embedded.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

extern const struct embedded schema_files[];

static bool has_schema(const char *name)
{
	size_t len = strlen(name);
	for (const struct embedded *f = schema_files; f->path; f++)
		if (!strncmp(f->path, name, len) &&
			!strcmp(f->path + len, ".json"))
			return true;
	return false;
}

static void test_routes_have_schemas(void **state)
{
	(void)state;
	assert_true(has_schema("error"));
	for (const struct route *r = routes; r->handler; r++) {
		int status = route_status(r);
		const char *schema = route_schema(r);
		assert_true(status >= 200 && status < 300);
		assert_true(status == 204 ? !*schema : has_schema(schema));
	}
	for (const struct route_body *b = route_bodies; b->handler; b++)
		assert_true(!*b->schema || has_schema(b->schema));
}

static void refs(const json_t *all, const json_t *v)
{
	const char *key;
	json_t *each;
	size_t i;
	const char *ref = json_string_value(json_object_get(v, "$ref"));
	if (ref) {
		assert_memory_equal(ref, "#/components/schemas/", 21);
		assert_non_null(json_object_get(all, ref + 21));
	}
	json_object_foreach((json_t *)v, key, each) refs(all, each);
	json_array_foreach(v, i, each) refs(all, each);
}

static void test_document(void **state)
{
	(void)state;
	size_t len;
	struct err e = { 0 };
	char *text = openapi_text(&len, &e);
	assert_non_null(text);
	json_t *doc = json_loadb(text, len, 0, NULL);
	assert_non_null(doc);
	for (const struct route *r = routes; r->handler; r++) {
		char method[8] = "";
		for (int i = 0; r->method[i]; i++)
			method[i] = (char)(r->method[i] | 0x20);
		assert_non_null(
			json_object_get(json_object_get(json_object_get(doc,
								"paths"),
						r->path),
				method));
	}
	refs(json_object_get(json_object_get(doc, "components"), "schemas"),
		doc);
	json_decref(doc);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_routes_have_schemas),
		cmocka_unit_test(test_document),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
