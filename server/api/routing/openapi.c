/* openapi.c - generates the OpenAPI document from routes.def, the rows in rows/
 * and the schemas in schema/. */
#include "openapi.h"
#include "embedded.h"
#include "route.h"
#include "row.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

extern const struct embedded schema_files[];

static json_t *openapi_ref(const char *schema)
{
	char at[80];
	snprintf(at, sizeof at, "#/components/schemas/%s", schema);
	return json_pack("{s:s}", "$ref", at);
}

static json_t *openapi_content(const char *type, json_t *schema)
{
	return json_pack("{s:{s:o}}", type, "schema", schema);
}

/* ---- the rules of a gate */

static const struct openapi_gate_rule {
	enum {
		GATE_LIMIT,
		GATE_FLOOR,
		GATE_REAL,
		GATE_COUNT,
		GATE_SEED,
		GATE_CLASSES,
		GATE_FINDINGS,
		GATE_OPERATORS,
		GATE_MEASURES
	} kind;
	const char *name, *fallback;
	double min, max;
	const char *text, *null;
} openapi_gate_rules[] = {
#define POLICY(kind, field, value, def, min, max, shown, example, text, null) \
	{ GATE_##kind, #field, def, min, max, text, null },
#include "gate_policy.def"
#undef POLICY
};

static json_t *openapi_gate_number(const struct openapi_gate_rule *r)
{
	json_t *v = json_object(), *fallback = json_null();
	if (r->kind == GATE_COUNT || r->kind == GATE_SEED) {
		json_object_set_new(v, "type", json_string("integer"));
		json_object_set_new(v, "minimum",
			json_integer((json_int_t)r->min));
		json_object_set_new(v, "maximum",
			json_integer((json_int_t)r->max));
	} else {
		json_object_set_new(v, "type",
			*r->null ? json_pack("[s, s]", "number", "null")
				 : json_string("number"));
		json_object_set_new(v, "minimum", json_real(r->min));
		json_object_set_new(v, "maximum", json_real(r->max));
	}
	if (strcmp(r->fallback, "none") != 0)
		fallback = json_loads(r->fallback, JSON_DECODE_ANY, NULL);
	json_object_set_new(v, "default", fallback);
	return v;
}

/* A parameter that is a list of words; its default has commas between the
 * words. */
static json_t *openapi_gate_words(const char *fallback, json_t *items)
{
	json_t *list = json_array();
	while (strcmp(fallback, "none") != 0 && *fallback) {
		size_t len = strcspn(fallback, ",");
		json_array_append_new(list, json_stringn(fallback, len));
		fallback += len + (fallback[len] == ',');
	}
	return json_pack("{s:s, s:o, s:o}", "type", "array", "items", items,
		"default", list);
}

static json_t *openapi_gate_rule(const struct openapi_gate_rule *r)
{
	switch (r->kind) {
	case GATE_CLASSES:
		return openapi_gate_words(r->fallback,
			openapi_ref("gate_class"));
	case GATE_FINDINGS:
		return openapi_gate_words(r->fallback,
			json_pack("{s:s}", "type", "string"));
	case GATE_OPERATORS:
		return json_pack("{s:[o], s:[]}", "allOf",
			openapi_ref("gate_operator_limits"), "default");
	case GATE_MEASURES:
		return json_pack("{s:[o], s:[]}", "allOf",
			openapi_ref("gate_measure_limits"), "default");
	case GATE_LIMIT:
	case GATE_FLOOR:
	case GATE_REAL:
	case GATE_COUNT:
	case GATE_SEED:
		break;
	}
	return openapi_gate_number(r);
}

/* Adds each rule to two schemas: to the rules of a gate, where it is required,
 * and to the request of a gate, where it is optional. */
static void openapi_gate_policy(json_t *all)
{
	json_t *policy = json_object_get(all, "gate_policy");
	json_t *request = json_object_get(all, "gate_request");
	const size_t n = sizeof openapi_gate_rules / sizeof *openapi_gate_rules;
	for (size_t i = 0; i < n; i++) {
		const struct openapi_gate_rule *r = &openapi_gate_rules[i];
		json_t *rule = openapi_gate_rule(r);
		char text[400];
		snprintf(text, sizeof text, "%s%s%s", r->text,
			*r->null ? "; null: " : "", r->null);
		json_object_set_new(rule, "description", json_string(text));
		json_object_set(json_object_get(request, "properties"), r->name,
			rule);
		json_object_set_new(json_object_get(policy, "properties"),
			r->name, rule);
		json_array_append_new(json_object_get(policy, "required"),
			json_string(r->name));
	}
}

/* ---- the document */

/* Each file contains several schemas by name. The entries of shapes.json are
 * schemas of single fields of rows. */
static json_t *openapi_schemas(struct err *e)
{
	json_t *all = json_object(), *shapes = NULL;
	for (const struct embedded *f = schema_files; f->path; f++) {
		json_error_t why;
		json_t *some =
			json_loadb((const char *)f->bytes, *f->len, 0, &why);
		if (!some) {
			err_set(e, ERR_INTERNAL, "schema '%s' line %d: %s",
				f->path, why.line, why.text);
			json_decref(all);
			json_decref(shapes);
			return NULL;
		}
		if (!strcmp(f->path, "shapes.json")) {
			shapes = some;
		} else {
			json_object_update(all, some);
			json_decref(some);
		}
	}
	openapi_gate_policy(all);
	row_schemas(all, shapes);
	json_decref(shapes);
	return all;
}

static json_t *openapi_choices(const char *range)
{
	json_t *list = json_array();
	while (*range) {
		size_t len = strcspn(range, "|");
		json_array_append_new(list, json_stringn(range, len));
		range += len + (range[len] == '|');
	}
	return json_pack("{s:s, s:o}", "type", "string", "enum", list);
}

static json_t *openapi_param_schema(const struct param_spec *s)
{
	const char *most = strstr(s->range, "..");
	switch (s->kind) {
	case PARAM_WHOLE:
		return json_pack("{s:s, s:I, s:I}", "type", "integer",
			"minimum", (json_int_t)strtoll(s->range, NULL, 10),
			"maximum", (json_int_t)strtoll(most + 2, NULL, 10));
	case PARAM_REAL:
		return json_pack("{s:s, s:f, s:f}", "type", "number", "minimum",
			strtod(s->range, NULL), "maximum",
			strtod(most + 2, NULL));
	case PARAM_CHOICE:
		return openapi_choices(s->range);
	case PARAM_MOMENT:
		return json_pack("{s:s, s:s}", "type", "string", "format",
			"date-time");
	case PARAM_TEXT:
		return json_pack("{s:s, s:I}", "type", "string", "maxLength",
			(json_int_t)strtoll(s->range, NULL, 10));
	case PARAM_LABELS:
	case PARAM_CURSOR:
		break;
	}
	return json_pack("{s:s}", "type", "string");
}

static json_t *openapi_parameter(const struct param_spec *s)
{
	char name[64];
	json_t *schema = openapi_param_schema(s);
	snprintf(name, sizeof name, "%s%s", s->name,
		s->kind == PARAM_LABELS ? "KEY" : "");
	if (*s->fallback)
		json_object_set_new(schema, "default",
			s->kind == PARAM_WHOLE
				? json_integer(strtoll(s->fallback, NULL, 10))
			: s->kind == PARAM_REAL
				? json_real(strtod(s->fallback, NULL))
				: json_string(s->fallback));
	return json_pack("{s:s, s:s, s:s, s:o}", "name", name, "in", "query",
		"description", s->help, "schema", schema);
}

/* `segment` points after the opening brace. */
static json_t *openapi_path_parameter(const char *segment)
{
	json_t *schema =
		route_is_number(segment)
			? json_pack("{s:s, s:i}", "type", "integer", "minimum",
				  1)
			: json_pack("{s:s, s:s}", "type", "string", "pattern",
				  "^[A-Za-z0-9_.:+-]{1,100}$");
	return json_pack("{s:s%, s:s, s:b, s:o}", "name", segment,
		strcspn(segment, "}"), "in", "path", "required", 1, "schema",
		schema);
}

static json_t *openapi_parameters(const struct route *r)
{
	json_t *list = json_array();
	for (const char *at = r->path; (at = strchr(at, '{')); at++)
		json_array_append_new(list, openapi_path_parameter(at + 1));
	for (const struct param_spec *s = param_specs; s->handler; s++)
		if (s->handler == r->handler)
			json_array_append_new(list, openapi_parameter(s));
	return list;
}

static json_t *openapi_request_body(const struct route *r)
{
	json_t *types = json_object();
	for (const struct route_body *b = route_bodies; b->handler; b++) {
		if (b->handler != r->handler)
			continue;
		json_t *schema =
			*b->schema ? openapi_ref(b->schema)
				   : json_pack("{s:s, s:s}", "type", "string",
					     "format", "binary");
		json_object_update_new(types, openapi_content(b->type, schema));
	}
	if (json_object_size(types))
		return json_pack("{s:b, s:o}", "required", 1, "content", types);
	json_decref(types);
	return NULL;
}

/* The media types for the values of a parameter `format`, except "json". */
static const struct {
	const char *word, *type, *schema;
} formats[] = {
	{ "csv", "text/csv", "text" },
	{ "rows", "text/csv", "text" },
	{ "md", "text/markdown", "text" },
	{ "bench", "application/vnd.kernsift.set+json",
		"reference_set_document" },
	{ "pytorch", "text/x-python", "text" },
	{ "junit", "application/xml", "text" },
	{ "github", "text/plain", "text" },
	{ "svg", "image/svg+xml", "text" },
};

static void openapi_format_content(json_t *types, const char *range)
{
	for (const char *word = range; *word;) {
		size_t len = strcspn(word, "|");
		for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
			if (strlen(formats[i].word) == len &&
				!strncmp(word, formats[i].word, len))
				json_object_update_new(types,
					openapi_content(formats[i].type,
						openapi_ref(
							formats[i].schema)));
		word += len + (word[len] == '|');
	}
}

static json_t *openapi_success_content(const struct route *r)
{
	const char *schema = route_schema(r);
	if (!strcmp(schema, "text"))
		return openapi_content("text/plain", openapi_ref(schema));
	if (!strcmp(schema, "svg"))
		return openapi_content("image/svg+xml", openapi_ref(schema));
	if (!strcmp(schema, "bytes"))
		return openapi_content("application/vnd.kernsift.capture",
			openapi_ref(schema));
	json_t *types =
		openapi_content("application/json", openapi_ref(schema));
	for (const struct param_spec *s = param_specs; s->handler; s++)
		if (s->handler == r->handler && !strcmp(s->name, "format"))
			openapi_format_content(types, s->range);
	return types;
}

static json_t *openapi_responses(const struct route *r)
{
	json_t *all = json_object();
	for (const char *s = r->answer; isdigit((unsigned char)*s);) {
		char status[4];
		snprintf(status, sizeof status, "%.3s", s);
		json_t *one = json_pack("{s:s}", "description", r->help);
		if (*route_schema(r))
			json_object_set_new(one, "content",
				openapi_success_content(r));
		json_object_set_new(all, status, one);
		s += 3 + (s[3] == ' ');
	}
	json_object_set_new(all, "default",
		json_pack("{s:s, s:o}", "description", "why not", "content",
			openapi_content("application/json",
				openapi_ref("error"))));
	return all;
}

static json_t *openapi_operation(const struct route *r)
{
	json_t *security = json_array();
	if (r->scope != SCOPE_NONE)
		json_array_append_new(security,
			json_pack("{s:[s]}", "token", scope_name(r->scope)));
	return json_pack("{s:s, s:o, s:o*, s:o, s:o}", "summary", r->help,
		"parameters", openapi_parameters(r), "requestBody",
		openapi_request_body(r), "responses", openapi_responses(r),
		"security", security);
}

static json_t *openapi_paths(void)
{
	json_t *all = json_object();
	for (const struct route *r = routes; r->handler; r++) {
		char method[8] = "";
		for (int i = 0; r->method[i]; i++)
			method[i] = (char)tolower((unsigned char)r->method[i]);
		json_t *path = json_object_get(all, r->path);
		if (!path) {
			path = json_object();
			json_object_set_new(all, r->path, path);
		}
		json_object_set_new(path, method, openapi_operation(r));
	}
	return all;
}

char *openapi_text(size_t *len, struct err *e)
{
	json_t *components = openapi_schemas(e);
	if (!components)
		return NULL;
	json_t *doc = json_pack("{s:s, s:{s:s, s:s, s:s}, s:o, s:{s:o, "
				"s:{s:{s:s, s:s, s:s}}}}",
		"openapi", "3.1.0", "info", "title", "kernsift", "version",
		KERNSIFT_VERSION, "description",
		"GPU profiles in, kernel statistics out. On loopback, reading "
		"and uploading need no token.",
		"paths", openapi_paths(), "components", "schemas", components,
		"securitySchemes", "token", "type", "http", "scheme", "bearer",
		"description",
		"made by `kernsiftd token` or POST /tokens; a page has it in "
		"the cookie of POST /session");
	char *text = json_dumps(doc, JSON_INDENT(1));
	json_decref(doc);
	if (!text)
		err_set(e, ERR_INTERNAL,
			"the API's description cannot be made");
	*len = text ? strlen(text) : 0;
	return text;
}
