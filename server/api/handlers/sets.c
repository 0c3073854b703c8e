/* sets.c - imports, lists, downloads and deletes reference sets. */
#include "catalog_cache.h"
#include "reference_document.h"
#include "route.h"
#include "reference_set.h"
#include "sha256.h"
#include "view_set.h"
#include <stdlib.h>
#include <string.h>

json_t *sets_get(struct call *c, struct err *e)
{
	struct reference_set_row *rows;
	uint32_t n;
	if (!call_db(c, e) ||
		!reference_set_list(c->s.db, &c->s.arena, &rows, &n, e))
		return NULL;
	json_t *items = json_array();
	for (uint32_t i = 0; i < n; i++)
		view_append(items, view_set(&rows[i]));
	return view_list(items, NULL);
}

static bool sets_name_read(const struct call *c, char name[ROUTE_WORD],
	struct err *e)
{
	const char *given = param_text(&c->params, "name", "");
	if (!*given)
		return err_set(e, ERR_INPUT,
			"name: is missing; give the name of the set, such as "
			"name=atrex");
	size_t len = strlen(given);
	if (len < ROUTE_WORD && strspn(given, ROUTE_WORD_BYTES) == len) {
		memcpy(name, given, len + 1);
		return true;
	}
	return err_set(e, ERR_INPUT,
		"name: '%.100s' is not 1 to %d letters, digits and _ . : + -",
		given, ROUTE_WORD - 1);
}

static void sets_sum(const struct reference *is, struct reference_set_row *row)
{
	row->source = is->source ? is->source : "";
	row->runs = is->runs;
	row->operators = is->operators_n;
	for (uint32_t i = 0; i < is->operators_n; i++)
		row->shapes += is->operators[i].shapes_n;
}

static bool sets_taken(struct call *c, struct reference_set_row *row,
	bool *made, struct err *e)
{
	const struct api_request *r = c->request;
	const struct catalog *k = call_catalog(c, e);
	struct sha256 sha;
	uint8_t digest[SHA256_BYTES];
	struct reference is;
	char *hex = arena_alloc(&c->s.arena, SHA256_HEX, 1);
	if (!k)
		return false;
	if (!r->body_len)
		return err_set(e, ERR_INPUT,
			"the body is empty; send the catalog's JSON");
	if (!reference_read(k, r->body, r->body_len, &c->s.arena, &is, e))
		return false;
	sha256_init(&sha);
	sha256_add(&sha, r->body, r->body_len);
	sha256_end(&sha, digest);
	sha256_hex(digest, hex);
	sets_sum(&is, row);
	row->sha256 = hex;
	row->bytes = (int64_t)r->body_len;
	char *text = arena_strndup(&c->s.arena, r->body, r->body_len);
	return reference_set_store(c->s.db, row, text, r->body_len, made, e);
}

/* The row as it is stored. If the set existed before, the time of its first
 * import is kept. */
static json_t *sets_kept(struct call *c, const char *name, bool made,
	struct err *e)
{
	struct reference_set_row *rows;
	uint32_t n, i = 0;
	if (!reference_set_list(c->s.db, &c->s.arena, &rows, &n, e))
		return NULL;
	while (i < n && strcmp(rows[i].name, name) != 0)
		i++;
	if (i == n) {
		err_set(e, ERR_NOT_FOUND,
			"the reference set was deleted during the import");
		return NULL;
	}
	json_t *v = view_set(&rows[i]);
	json_object_set_new(v, "existing", json_boolean(!made));
	return v;
}

json_t *set_post(struct call *c, struct err *e)
{
	char name[ROUTE_WORD];
	struct reference_set_row row = { .name = name };
	bool made = false;
	if (!sets_name_read(c, name, e) || !sets_taken(c, &row, &made, e))
		return NULL;
	c->status = made ? 201 : 200;
	snprintf(c->location, sizeof c->location, "/api/v1/reference-sets/%s",
		name);
	return sets_kept(c, name, made, e);
}

json_t *set_get(struct call *c, struct err *e)
{
	const struct catalog *k = call_catalog(c, e);
	struct reference_document set;
	if (!k || !reference_document_read(&c->s, c->word, k, &set, e))
		return NULL;
	c->text = malloc(set.len + 1);
	if (!c->text)
		abort();
	memcpy(c->text, set.json, set.len);
	c->text_len = set.len;
	c->text_type = "application/json";
	return NULL;
}

json_t *set_delete(struct call *c, struct err *e)
{
	if (call_db(c, e))
		reference_set_delete(c->s.db, c->word, e);
	return NULL;
}
