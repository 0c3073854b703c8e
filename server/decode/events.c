/* events.c - reads, repairs, skips, counts. */
#include "events.h"
#include "resync.h"

static const char *read_event(void *ctx, struct scan *s, const char *p)
{
	struct events *es = ctx;
	return event_read(s, &es->words, p, &es->event);
}

static const char *read_other(void *ctx, struct scan *s, const char *p)
{
	(void)ctx;
	return scan_skip(s, p, false);
}

/* Counts what is at `at` as an event that could not be read, by its name if
 * that much of it was read. */
static void bad(struct events *es)
{
	const struct span *name = &es->event.name;
	const struct window *w = es->reader.window;
	size_t left = (size_t)(w->end - w->at);
	if (name->at && name->len)
		rows_bad(&es->rows, name->at, name->len);
	else
		rows_bad(&es->rows, w->at, left < 80 ? left : 80);
}

static bool use(struct events *es, struct err *e)
{
	const struct span *name = &es->event.name;
	struct trace *t = es->rows.trace;
	if (es->reader.quoted)
		note_add(&t->notes, NOTE_name_quote, 1, name->at,
			name->at ? name->len : 0);
	return rows_event(&es->rows, &es->event) || arena_err(t->arena, e);
}

/* Goes on behind something broken: from its next byte on, or from where it
 * broke if too much was read twice already. */
static bool resume(struct events *es, enum resync *found, struct err *e)
{
	struct window *w = es->reader.window;
	if (reader_patient(&es->reader) || es->reader.stopped <= w->at)
		w->at++;
	else
		w->at += es->reader.stopped - w->at;
	*found = resync(w, &es->words, e);
	return *found != RESYNC_ERR;
}

/* The text ends inside an event; unless another begins in it, in which case
 * something in it only looked like it went on and on. */
static bool cut(struct events *es, struct err *e)
{
	enum resync found;
	if (!resume(es, &found, e))
		return false;
	if (found == RESYNC_NONE)
		es->cut = true;
	else
		rows_bad(&es->rows, "an event without an end", 23);
	return true;
}

static bool one(struct events *es, struct err *e)
{
	enum resync found;
	enum reading r = reader_read(&es->reader, read_event, es, false, e);
	if (r == READ_BROKEN && reader_patient(&es->reader))
		r = reader_read(&es->reader, read_event, es, true, e);
	switch (r) {
	case READ:
		return use(es, e);
	case READ_BROKEN:
		bad(es);
		return resume(es, &found, e);
	case READ_LONG:
		bad(es);
		return window_skip(es->reader.window, e);
	case READ_CUT:
		return cut(es, e);
	default:
		return false;
	}
}

/* Something in the list that is no event. */
static bool other(struct events *es, char first, struct err *e)
{
	enum resync found;
	es->event.name.at = NULL;
	bad(es);
	if (first == '[' || first == '"')
		return window_skip(es->reader.window, e);
	enum reading r = reader_read(&es->reader, read_other, es, false, e);
	if (r == READ || r == READ_ERR)
		return r == READ;
	return resume(es, &found, e);
}

bool events_read(struct events *es, struct err *e)
{
	struct window *w = es->reader.window;
	char c;
	while (reader_token(&es->reader, &c, e)) {
		if (w->at >= w->end) {
			es->cut = true;
			return true;
		}
		bool ok = true;
		if (c == '{')
			ok = one(es, e);
		else if (c == ',' || c == ']')
			w->at++;
		else
			ok = other(es, c, e);
		if (!ok || c == ']')
			return ok;
	}
	return false;
}
