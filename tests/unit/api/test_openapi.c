/* test_openapi.c - the document names every route and every schema it uses. */
#include "openapi.h"
#include "route.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>

static json_t *document(void)
{
	size_t len;
	struct err e = { 0 };
	char *text = openapi_text(&len, &e);
	assert_non_null(text);
	json_t *doc = json_loadb(text, len, 0, NULL);
	assert_non_null(doc);
	free(text);
	return doc;
}

static json_t *schemas(json_t *doc)
{
	return json_object_get(json_object_get(doc, "components"), "schemas");
}

static void test_routes_have_schemas(void **state)
{
	(void)state;
	json_t *doc = document();
	const json_t *all = schemas(doc);
	assert_non_null(json_object_get(all, "error"));
	for (const struct route *r = routes; r->handler; r++) {
		int status = route_status(r);
		const char *schema = route_schema(r);
		assert_true(status >= 200 && status < 300);
		assert_true(status == 204 ? !*schema
					  : !!json_object_get(all, schema));
	}
	for (const struct route_body *b = route_bodies; b->handler; b++)
		assert_true(!*b->schema || json_object_get(all, b->schema));
	json_decref(doc);
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
	json_t *doc = document();
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
	refs(schemas(doc), doc);
	json_decref(doc);
}

/* An object with listed fields allows no others and requires each. */
static void closed(const char *name, const json_t *v)
{
	const char *key;
	json_t *each;
	size_t i;
	const json_t *fields = json_object_get(v, "properties");
	if (fields && json_is_false(json_object_get(v, "additionalProperties")))
		json_array_foreach(json_object_get(v, "required"), i, each)
			assert_non_null(json_object_get(fields,
				json_string_value(each)));
	json_object_foreach((json_t *)v, key, each) closed(name, each);
	json_array_foreach(v, i, each) closed(name, each);
}

static void test_rows(void **state)
{
	(void)state;
	json_t *doc = document();
	closed("", schemas(doc));
	const json_t *kernel = json_object_get(schemas(doc), "kernel");
	const json_t *fields = json_object_get(kernel, "properties");
	assert_true(
		json_is_false(json_object_get(kernel, "additionalProperties")));
	assert_int_equal(json_object_size(fields),
		json_array_size(json_object_get(kernel, "required")));
	assert_string_equal(json_string_value(
				    json_object_get(json_object_get(fields,
							    "id"),
					    "type")),
		"integer");
	json_decref(doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_routes_have_schemas),
		cmocka_unit_test(test_document),
		cmocka_unit_test(test_rows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
