/* listing.c - pages of a list. A cursor contains the offset into an order that
 * never changes, or the key of the last item. */
#include "listing.h"
#include "cursor.h"
#include "distinct_name.h"
#include "view.h"
#include <string.h>

bool listing_run(struct call *c, struct run_row *run, struct err *e)
{
	return call_db(c, e) && query_run(c->s.db, &c->s.arena, c->id, run, e);
}

const char **listing_distinct_names(struct call *c, int64_t run,
	const char *const *names, uint32_t n, struct err *e)
{
	const char **shared = NULL, **all;
	uint32_t shared_n = 0;
	if (run && !query_shared_names(c->s.db, &c->s.arena, run, &shared,
			   &shared_n, e))
		return NULL;
	all = arena_array(&c->s.arena, const char *, (size_t)n + shared_n + 1);
	if (n)
		memcpy(all, names, n * sizeof *all);
	if (shared_n)
		memcpy(all + n, shared, shared_n * sizeof *all);
	return distinct_names(&c->s.arena, all, n + shared_n);
}

bool listing_is_json(const struct call *c)
{
	return param(&c->params, "format")->whole == TABLE_JSON;
}

bool listing_read(struct call *c, int64_t *offset, int *limit, struct err *e)
{
	int64_t unused;
	const struct param *most = param(&c->params, "limit");
	bool json = listing_is_json(c);
	if (!json && (most->given || param(&c->params, "cursor")->given))
		return err_set(e, ERR_INPUT,
			"limit and cursor: are not supported with csv and "
			"md, which return all rows");
	*limit = json ? (int)most->whole : 0;
	return cursor_read(c, offset, &unused, e);
}

bool listing_seek(struct call *c, int64_t *after, struct err *e)
{
	int64_t unused;
	return cursor_read(c, after, &unused, e) && call_db(c, e);
}

json_t *listing_total(json_t *list, int64_t total)
{
	bool exact = total <= DB_COUNTED_MAX;
	view_set_whole(list, "total", exact ? total : DB_COUNTED_MAX);
	json_object_set_new(list, "total_exact",
		total < 0 ? json_null() : json_boolean(exact));
	return list;
}

json_t *listing_next(const struct call *c, json_t *list, int64_t last,
	bool more)
{
	char next[CURSOR_TEXT];
	if (more) {
		cursor_write(c, last, 0, next);
		view_set_text(list, "next", next);
	}
	return list;
}

json_t *listing_list(const struct call *c, json_t *items, int64_t last,
	bool more)
{
	return listing_next(c, view_list(items, NULL), last, more);
}

json_t *listing_file(struct call *c, const struct table *t, const char *name)
{
	static const char *const kinds[] = { "json", "csv", "md" };
	int64_t format = param(&c->params, "format")->whole;
	c->table = t;
	c->format = format > TABLE_MD ? TABLE_CSV : (enum table_format)format;
	snprintf(c->disposition, sizeof c->disposition,
		"inline; filename=\"%s.%s\"", name, kinds[c->format]);
	return NULL;
}

json_t *listing_table(struct call *c, const struct table *t, const char *what)
{
	return listing_file(c, t,
		arena_printf(&c->s.arena, "run-%lld-%s", (long long)c->id,
			what));
}

json_t *listing_markdown(struct call *c, struct buf *text, const char *name,
	struct err *e)
{
	if (text->full) {
		buf_release(text);
		err_set(e, ERR_TOO_LARGE, "the text is too large");
		return NULL;
	}
	snprintf(c->disposition, sizeof c->disposition,
		"inline; filename=\"%s.md\"", name);
	c->text = buf_take(text, &c->text_len);
	c->text_type = "text/markdown; charset=utf-8";
	return NULL;
}

static bool listing_query_omits(const char *const *without, const char *pair,
	size_t len)
{
	for (; *without; without++)
		if (strlen(*without) == len && !memcmp(*without, pair, len))
			return true;
	return false;
}

void listing_query(const struct call *c, const char *const *without,
	struct buf *b)
{
	const char *pair = c->request->query ? c->request->query : "";
	const char *before = "";

	for (size_t len; *pair; pair += len + (pair[len] == '&')) {
		len = strcspn(pair, "&");
		if (!len ||
			listing_query_omits(without, pair, strcspn(pair, "=&")))
			continue;
		buf_puts(b, before);
		before = "&";
		/* a client may send bytes that would end a link in Markdown */
		for (size_t i = 0; i < len; i++)
			if (strchr("<>\\\"` ", pair[i]) || pair[i] < ' ')
				buf_printf(b, "%%%02X", (unsigned char)pair[i]);
			else
				buf_add(b, pair + i, 1);
	}
}

/* Returns the text after "http://" or "https://"; NULL if the text begins with
 * neither. */
static const char *listing_past_scheme(const char *s)
{
	size_t n = !strncmp(s, "http://", 7)	? 7
		   : !strncmp(s, "https://", 8) ? 8
						: 0;
	return n ? s + n : NULL;
}

bool listing_site(struct call *c, const char **site, struct err *e)
{
	static const char bytes[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "abcdefghijklmnopqrstuvwxyz"
				    "0123456789.:/_~%-[]";
	const char *s = param_text(&c->params, "site", NULL);
	*site = NULL;
	if (!s)
		return true;
	size_t len = strlen(s);
	const char *host = listing_past_scheme(s);
	if (!host || strchr("/:", *host) || strspn(s, bytes) != len)
		return err_set(e, ERR_INPUT,
			"site: '%.100s' is not the address of a page, such "
			"as https://kernsift.example",
			s);
	while (s[len - 1] == '/')
		len--;
	*site = arena_strndup(&c->s.arena, s, len);
	return true;
}
