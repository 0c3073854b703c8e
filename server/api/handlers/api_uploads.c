/* api_uploads.c - what can be asked about uploads; taking one is receive.c. */
#include "cursor.h"
#include "upload.h"
#include "view.h"

json_t *uploads_get(struct call *c, struct err *e)
{
	struct upload_filter f = {
		.project = param_text(&c->params, "project", NULL),
		.state = param_text(&c->params, "state", NULL),
		.limit = (int)param(&c->params, "limit")->whole,
	};
	struct upload_row *rows;
	char next[CURSOR_TEXT];
	uint32_t n;
	int64_t unused;
	bool more;
	if (!cursor_read(c, &f.after, &unused, e) || !call_db(c, e) ||
		!query_uploads(c->s.db, &c->s.arena, &f, &rows, &n, &more, e))
		return NULL;
	json_t *items = json_array();
	for (uint32_t i = 0; i < n; i++)
		view_append(items, view_upload(&rows[i]));
	if (more)
		cursor_write(c, rows[n - 1].id, 0, next);
	return view_list(items, more ? next : NULL);
}

json_t *upload_get(struct call *c, struct err *e)
{
	struct upload_row row;
	if (!call_db(c, e) ||
		!query_upload(c->s.db, &c->s.arena, c->id, &row, e))
		return NULL;
	return view_upload(&row);
}

json_t *upload_retry_post(struct call *c, struct err *e)
{
	if (!call_db(c, e) || !upload_retry(c->s.db, c->id, e))
		return NULL;
	return upload_get(c, e);
}
