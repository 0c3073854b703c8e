/* row.c - converts the lines of all .def files to schemas and to columns of
 * tables. */
#include "row.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define ROW_NEXT "cursor of the next page; null on the last"

static const struct row_field row_fields[] = {
#define ROW(name, text, ...) { ROW_BEGINS, ROW_NONE, #name, "", text, 0, "" },
#define PART(name, text, ...) \
	{ ROW_PART_BEGINS, ROW_NONE, #name, "", text, 0, "" },
#define FIELD(kind, name, range, value, text) \
	{ ROW_FIELD, ROW_##kind, #name, range, text, 0, "" },
#define COLUMN(kind, order, heading, value) \
	{ ROW_COLUMN, ROW_##kind, "", "", "", order, heading },
#define BOTH(kind, name, range, value, order, heading, text) \
	{ ROW_BOTH, ROW_##kind, #name, range, text, order, heading },
#define PAGE(item, list)                \
	FIELD(refs, items, #item, , "") \
	FIELD(text_or_null, next, "", , ROW_NEXT)
#define END
#include "rows.def"
};
enum { ROW_FIELDS = sizeof row_fields / sizeof *row_fields };

static const struct {
	const char *type, *range;
	bool null;
	enum row_kind of;
} row_kinds[] = {
#define ROW_KIND(kind, type, null, range, of) \
	[ROW_##kind] = { type, range, null, ROW_##of },
	ROW_KINDS(ROW_KIND)
#undef ROW_KIND
};

static bool row_begins(const struct row_field *f)
{
	return f->is == ROW_BEGINS || f->is == ROW_PART_BEGINS;
}

/* Returns the first line after the one that begins the row type. */
static const struct row_field *row_of(const char *name)
{
	const struct row_field *f = row_fields;
	while (!row_begins(f) || strcmp(f->name, name) != 0) {
		f++;
		assert(f < row_fields + ROW_FIELDS);
	}
	return f + 1;
}

static bool row_ends(const struct row_field *f)
{
	return f == row_fields + ROW_FIELDS || row_begins(f);
}

/* ---- schemas */

static json_t *row_object(const struct row_field *f, const json_t *shapes);

static void row_set_limit(json_t *v, const char *key, const char *text,
	bool whole)
{
	if (*text && *text != '.')
		json_object_set_new(v, key,
			whole ? json_integer(strtoll(text, NULL, 10))
			      : json_real(strtod(text, NULL)));
}

static json_t *row_number(const char *type, const char *range)
{
	bool whole = !strcmp(type, "integer");
	const char *most = strstr(range, "..");
	json_t *v = json_object();
	if (most) {
		row_set_limit(v, "minimum", range, whole);
		row_set_limit(v, "maximum", most + 2, whole);
	}
	return v;
}

static json_t *row_words(const char *range, bool null)
{
	json_t *list = json_array();
	while (*range) {
		size_t len = strcspn(range, "|");
		json_array_append_new(list, json_stringn(range, len));
		range += len + (range[len] == '|');
	}
	if (null)
		json_array_append_new(list, json_null());
	return json_pack("{s:o}", "enum", list);
}

static json_t *row_ref(const char *name)
{
	char at[80];
	snprintf(at, sizeof at, "#/components/schemas/%s", name);
	return json_pack("{s:s}", "$ref", at);
}

static json_t *row_schema(enum row_kind kind, const char *own,
	const json_t *shapes)
{
	const char *type = row_kinds[kind].type;
	const char *range = *own ? own : row_kinds[kind].range;
	bool null = row_kinds[kind].null;
	json_t *v = NULL;
	if (!strcmp(type, "array") || !strcmp(type, "object"))
		return json_pack("{s:s, s:o}", "type", type,
			*type == 'a' ? "items" : "additionalProperties",
			row_schema(row_kinds[kind].of, own, shapes));
	if (!strcmp(type, "enum"))
		return row_words(range, null);
	if (!strcmp(type, "shape")) {
		v = json_deep_copy(json_object_get(shapes, range));
		assert(v);
		return v;
	}
	if (!strcmp(type, "ref") || !strcmp(type, "row")) {
		v = *type == 'r' && type[1] == 'e'
			    ? row_ref(range)
			    : row_object(row_of(range) - 1, shapes);
		return null ? json_pack("{s:[{s:s}, o]}", "oneOf", "type",
				      "null", v)
			    : v;
	}
	v = *type == 'i' || *type == 'n' ? row_number(type, range)
					 : json_object();
	if (*range == '^')
		json_object_set_new(v, "pattern", json_string(range));
	if (!strcmp(type, "date-time")) {
		json_object_set_new(v, "format", json_string(type));
		type = "string";
	}
	json_object_set_new(v, "type",
		null ? json_pack("[s, s]", type, "null") : json_string(type));
	return v;
}

/* `f` is the line that begins the row type. */
static json_t *row_object(const struct row_field *f, const json_t *shapes)
{
	json_t *properties = json_object(), *required = json_array();
	json_t *v = json_pack("{s:s, s:o, s:o, s:b}", "type", "object",
		"properties", properties, "required", required,
		"additionalProperties", 0);
	if (*f->text)
		json_object_set_new(v, "description", json_string(f->text));
	for (f++; !row_ends(f); f++) {
		if (f->is == ROW_COLUMN)
			continue;
		json_t *one = row_schema(f->kind, f->range, shapes);
		if (*f->text)
			json_object_set_new(one, "description",
				json_string(f->text));
		json_object_set_new(properties, f->name, one);
		json_array_append_new(required, json_string(f->name));
	}
	return v;
}

static const struct {
	const char *name, *item, *text;
	bool counted;
} row_lists[] = {
#define LIST(name, item, text) { #name, #item, text, false },
#define COUNTED_LIST(name, item, text) { #name, #item, text, true },
#include "lists.def"
#undef LIST
#undef COUNTED_LIST
};

static void row_list_add(json_t *list, const char *name, enum row_kind kind,
	const char *text)
{
	json_t *one = row_schema(kind, "", NULL);
	json_object_set_new(one, "description", json_string(text));
	json_object_set_new(json_object_get(list, "properties"), name, one);
	json_array_append_new(json_object_get(list, "required"),
		json_string(name));
}

static json_t *row_list(const char *item, const char *text, bool counted)
{
	json_t *v = json_pack("{s:s, s:s, s:{s:{s:s, s:o}, s:{s:[s, s], s:s}}, "
			      "s:[s, s], s:b}",
		"description", text, "type", "object", "properties", "items",
		"type", "array", "items", row_ref(item), "next", "type",
		"string", "null", "description", ROW_NEXT, "required", "items",
		"next", "additionalProperties", 0);
	if (counted) {
		row_list_add(v, "total", ROW_whole_or_null,
			"number of items of all pages, at most 10,000; null "
			"without `total=yes`");
		row_list_add(v, "total_exact", ROW_flag_or_null,
			"false: there are more items than `total`; null "
			"without `total=yes`");
	}
	return v;
}

void row_schemas(json_t *schemas, const json_t *shapes)
{
	for (size_t i = 0; i < sizeof row_lists / sizeof *row_lists; i++)
		json_object_set_new(schemas, row_lists[i].name,
			row_list(row_lists[i].item, row_lists[i].text,
				row_lists[i].counted));
	for (int i = 0; i < ROW_FIELDS; i++)
		if (row_fields[i].is == ROW_BEGINS)
			json_object_set_new(schemas, row_fields[i].name,
				row_object(&row_fields[i], shapes));
}

/* ---- tables */

static bool row_is_number(enum row_kind kind)
{
	return *row_kinds[kind].type == 'i' || *row_kinds[kind].type == 'n';
}

static void row_table_remove(struct row_table *t, int column)
{
	t->table.width--;
	for (int i = column; i < t->table.width; i++)
		t->columns[i] = t->columns[i + 1];
	for (int i = 0; i < t->orders; i++) {
		if (t->at[i] == column)
			t->at[i] = -1;
		else if (t->at[i] > column)
			t->at[i]--;
	}
}

struct row_table *row_table_begin(struct arena *a, const char *row,
	const char *name)
{
	struct row_table *t = arena_new(a, struct row_table);
	const struct row_field *by[ROW_ORDERS] = { NULL };
	*t = (struct row_table){ .arena = a,
		.orders = ROW_ORDERS,
		.columns = arena_array(a, struct column, ROW_ORDERS),
		.at = arena_array(a, int, ROW_ORDERS) };
	for (const struct row_field *f = row_of(row); !row_ends(f); f++)
		if (f->is >= ROW_COLUMN && *f->heading &&
			(name || !strstr(f->heading, "%s"))) {
			assert(f->order < ROW_ORDERS && !by[f->order]);
			by[f->order] = f;
		}
	for (int i = 0; i < ROW_ORDERS; i++) {
		t->at[i] = by[i] ? t->table.width : -1;
		if (!by[i])
			continue;
		const char *head = by[i]->heading, *mark = strstr(head, "%s");
		if (mark)
			head = arena_printf(a, "%.*s%s%s", (int)(mark - head),
				head, name, mark + 2);
		t->columns[t->table.width++] =
			(struct column){ head, row_is_number(by[i]->kind) };
	}
	return t;
}

void row_table_hide(struct row_table *t, const char *heading)
{
	int i = 0;
	while (strcmp(t->columns[i].head, heading) != 0) {
		i++;
		assert(i < t->table.width);
	}
	row_table_remove(t, i);
}

int row_table_add(struct row_table *t, const char *const headings[], uint32_t n)
{
	int first = t->orders;
	struct column *columns =
		arena_array(t->arena, struct column, (size_t)ROW_ORDERS + n);
	int *at = arena_array(t->arena, int, (size_t)ROW_ORDERS + n);
	memcpy(columns, t->columns, (size_t)t->table.width * sizeof *columns);
	memcpy(at, t->at, (size_t)t->orders * sizeof *at);
	t->columns = columns;
	t->at = at;
	for (uint32_t i = 0; i < n; i++) {
		columns[t->table.width] = (struct column){ headings[i], true };
		at[t->orders++] = t->table.width++;
	}
	return first;
}

void row_table_rows(struct row_table *t, uint32_t rows)
{
	struct table *made = table_new(t->arena, t->columns, t->table.width,
		rows, &t->cells);
	for (size_t i = 0; i < (size_t)t->table.width * rows; i++)
		t->cells[i] = "";
	t->table = *made;
}

void row_table_put(struct row_table *t, int order, const char *text)
{
	t->cells[t->at[order]] = text ? text : "";
}

void row_table_next(struct row_table *t)
{
	t->cells += t->table.width;
}
