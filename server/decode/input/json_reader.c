/* json_reader.c - reads JSON of any length from a window, and damaged lists */
#include "json_reader.h"

enum json_reading json_reader_read(struct json_reader *r, json_reader_fn *read,
	void *ctx, bool lenient, struct err *e)
{
	struct byte_window *w = r->window;
	for (;;) {
		struct scan s = { .end = w->end, .lenient = lenient };
		const char *p = read(ctx, &s, w->at);
		r->quoted = s.quoted;
		/* An item that ends exactly where the window ends may continue
		 * after it. */
		if (p && (p < w->end || w->ended)) {
			w->at += p - w->at;
			return READ;
		}
		const char *stopped = p ? p : s.at;
		r->got = (size_t)(stopped - w->at);
		if (stopped < w->end) {
			r->again += (int64_t)r->got;
			return READ_BROKEN;
		}
		enum window_state state = byte_window_more(w, e);
		if (state == WINDOW_ERR)
			return READ_ERR;
		if (state == WINDOW_MORE || (state == WINDOW_END && p))
			continue;
		r->got = (size_t)(w->end - w->at);
		r->again += (int64_t)r->got;
		return state == WINDOW_END ? READ_CUT : READ_LONG;
	}
}

bool json_reader_token(struct json_reader *r, char *c, struct err *e)
{
	struct byte_window *w = r->window;
	for (;;) {
		w->at += scan_ws(w->at) - w->at;
		*c = *w->at;
		if (w->at < w->end)
			return true;
		enum window_state state = byte_window_more(w, e);
		if (state != WINDOW_MORE)
			return state == WINDOW_END;
	}
}

int64_t json_reader_offset(const struct json_reader *r)
{
	return r->window->plain->out - (r->window->end - r->window->at);
}

bool json_reader_patient(const struct json_reader *r)
{
	return r->again < (4 << 20) + 2 * json_reader_offset(r);
}

/* What follows a comma or a bracket; MORE: more bytes are needed to know. */
enum behind { BEHIND_OTHER, BEHIND_ITEM, BEHIND_LIST_END, BEHIND_MORE };

/* The id of the key at p if a colon follows it, or 0; *more: the text ends
 * before the colon. */
static uint32_t json_reader_key_at(const struct json_resync_keys *keys,
	const char *p, const char *end, bool *more)
{
	if (*p != '"') {
		*more = p >= end;
		return 0;
	}
	const char *q = scan_plain(p + 1);
	if (q < end && *q == '"') {
		uint32_t k = word_table_find(keys->words, p + 1,
			(size_t)(q - p - 1));
		q = scan_ws(q + 1);
		if (*q == ':')
			return k;
	}
	*more = q >= end;
	return 0;
}

static enum behind json_reader_item_behind(const struct json_resync_keys *keys,
	const char *p, const char *end, const char **at)
{
	bool more = false;
	*at = p = scan_ws(p);
	if (*p != '{')
		return p >= end ? BEHIND_MORE : BEHIND_OTHER;
	uint32_t k = json_reader_key_at(keys, scan_ws(p + 1), end, &more);
	if (k >= keys->from && k <= keys->to)
		return BEHIND_ITEM;
	return more ? BEHIND_MORE : BEHIND_OTHER;
}

static enum behind json_reader_list_end_behind(const struct json_resync_keys
						       *keys,
	const char *p, const char *end, bool ended)
{
	bool more = false;
	p = scan_ws(p);
	if (*p == '}')
		p = scan_ws(p + 1);
	if (p >= end)
		return ended ? BEHIND_LIST_END : BEHIND_MORE;
	if (*p != ',')
		return BEHIND_OTHER;
	if (json_reader_key_at(keys, scan_ws(p + 1), end, &more) >=
		keys->around)
		return BEHIND_LIST_END;
	return more && !ended ? BEHIND_MORE : BEHIND_OTHER;
}

/* What the comma or bracket at p begins or ends; *at is the position of
 * that. */
static enum behind json_reader_behind(const struct json_resync_keys *keys,
	const struct byte_window *w, const char *p, const char **at)
{
	enum behind b = BEHIND_OTHER;
	if (*p == ',') {
		b = json_reader_item_behind(keys, p + 1, w->end, at);
	} else {
		*at = p = scan_ws(p + 1);
		if (*p == ']')
			b = json_reader_list_end_behind(keys, p + 1, w->end,
				w->ended);
		else if (p >= w->end)
			b = BEHIND_MORE;
	}
	return b == BEHIND_MORE && w->ended ? BEHIND_OTHER : b;
}

enum json_resync json_reader_resync(struct byte_window *w,
	const struct json_resync_keys *keys, struct err *e)
{
	for (;;) {
		const char *at = NULL;
		enum behind b = BEHIND_MORE;
		while (w->at < w->end && *w->at != ',' && *w->at != '}')
			w->at++;
		if (w->at < w->end)
			b = json_reader_behind(keys, w, w->at, &at);
		if (b == BEHIND_ITEM || b == BEHIND_LIST_END) {
			w->at += at - w->at;
			return b == BEHIND_ITEM ? RESYNC_ITEM : RESYNC_LIST_END;
		}
		if (b == BEHIND_OTHER) {
			w->at++;
			continue;
		}
		enum window_state state = byte_window_more(w, e);
		if (state == WINDOW_ERR)
			return RESYNC_ERR;
		if (state == WINDOW_FULL)
			w->at++;
		else if (state == WINDOW_END && w->at == w->end)
			return RESYNC_NONE;
	}
}

/* The list that is being read, and the reader that reads it. */
struct json_list {
	struct json_reader *json;
	const struct json_list_kind *kind;
	void *ctx;
};

static const char *json_reader_skip_value(void *ctx, struct scan *s,
	const char *p)
{
	(void)ctx;
	return scan_skip(s, p, false);
}

/* Counts the bytes at `at` as an item that could not be read. A note shows its
 * name if the name was read. */
static void json_reader_bad(const struct json_list *l)
{
	const struct text_span *name = &l->json->name;
	const struct byte_window *w = l->json->window;
	size_t left = (size_t)(w->end - w->at);
	if (name->at && name->len)
		l->kind->bad(l->ctx, name->at, name->len);
	else
		l->kind->bad(l->ctx, w->at, left < 80 ? left : 80);
}

/* Continues after a broken item of which `got` bytes were read. The search
 * begins at the item's start, or, if too many bytes were read twice already,
 * after those `got` bytes. */
static bool json_reader_resume(const struct json_list *l, size_t got,
	enum json_resync *found, struct err *e)
{
	struct byte_window *w = l->json->window;
	if (!json_reader_patient(l->json))
		w->at += got;
	*found = json_reader_resync(w, &l->kind->keys, e);
	return *found != RESYNC_ERR;
}

/* The text ends inside an item. If another item begins inside it, the first one
 * was damaged and only looked endless. */
static bool json_reader_cut(const struct json_list *l, struct err *e)
{
	static const char endless[] = "an event without an end";
	enum json_resync found;
	if (!json_reader_resume(l, l->json->got, &found, e))
		return false;
	if (found == RESYNC_NONE)
		l->json->cut = true;
	else
		l->kind->bad(l->ctx, endless, sizeof endless - 1);
	return true;
}

static bool json_reader_object(const struct json_list *l, struct err *e)
{
	struct json_reader *reader = l->json;
	enum json_resync found;
	enum json_reading r =
		json_reader_read(reader, l->kind->read, l->ctx, false, e);
	if (r == READ_BROKEN && json_reader_patient(reader))
		r = json_reader_read(reader, l->kind->read, l->ctx, true, e);
	switch (r) {
	case READ:
		return l->kind->use(l->ctx, e);
	case READ_BROKEN:
		json_reader_bad(l);
		return json_reader_resume(l, reader->got, &found, e);
	case READ_LONG:
		json_reader_bad(l);
		return byte_window_skip(reader->window, e);
	case READ_CUT:
		return json_reader_cut(l, e);
	default:
		return false;
	}
}

/* The list contains a value that is not an object. The text after it must look
 * like the rest of a list. If it does not, the text inside quotes and the text
 * outside may have been confused. */
static bool json_reader_no_object(const struct json_list *l, char first,
	struct err *e)
{
	struct json_reader *reader = l->json;
	enum json_resync found;
	char c;
	l->json->name.at = NULL;
	json_reader_bad(l);
	if (first == '[') {
		if (!byte_window_skip(reader->window, e))
			return false;
	} else {
		enum json_reading r = json_reader_read(reader,
			json_reader_skip_value, NULL, false, e);
		if (r != READ)
			return r != READ_ERR &&
			       json_reader_resume(l, reader->got, &found, e);
	}
	if (!json_reader_token(reader, &c, e))
		return false;
	return c == ',' || c == ']' || c == 0 ||
	       json_reader_resume(l, 0, &found, e);
}

bool json_reader_list(struct json_reader *r, const struct json_list_kind *kind,
	void *ctx, struct err *e)
{
	struct json_list l = { r, kind, ctx };
	struct byte_window *w = r->window;
	char c;
	while (json_reader_token(r, &c, e)) {
		if (w->at >= w->end) {
			r->cut = true;
			return true;
		}
		bool ok = true;
		if (c == '{')
			ok = json_reader_object(&l, e);
		else if (c == ',' || c == ']')
			w->at++;
		else
			ok = json_reader_no_object(&l, c, e);
		if (!ok || c == ']')
			return ok;
	}
	return false;
}

bool json_reader_end(struct json_reader *r, struct trace *t, struct err *e)
{
	struct byte_window *w = r->window;
	int64_t garbage = 0;
	enum window_state state = WINDOW_MORE;
	if (r->cut)
		w->at = w->end;
	while (state == WINDOW_MORE) {
		for (; w->at < w->end; w->at++)
			garbage += (unsigned char)*w->at > ' ';
		state = byte_window_more(w, e);
	}
	if (garbage)
		note_add(&t->notes, NOTE_json_garbage, garbage, NULL, 0);
	return state != WINDOW_ERR;
}

void json_reader_note_cut(const struct json_reader *r, struct trace *t)
{
	bool noted = t->notes.count[NOTE_truncated] ||
		     t->notes.count[NOTE_damaged] ||
		     t->notes.count[NOTE_checksum];
	if (r->cut && !noted)
		note_add(&t->notes, NOTE_truncated, r->window->plain->out, NULL,
			0);
}

bool json_reader_end_explains(const struct json_reader *r, int64_t records,
	const char *what, struct err *e)
{
	enum note_code ending = r->window->plain->ending;
	if (ending == NOTE_damaged || ending == NOTE_checksum) {
		err_set(e, ERR_TRACE,
			"the compressed data is damaged, and no %s could "
			"be read from what came out before",
			what);
		return true;
	}
	if (records == 0 && (ending == NOTE_truncated || r->cut)) {
		err_set(e, ERR_TRACE, "the file breaks off before its first %s",
			what);
		return true;
	}
	return false;
}
