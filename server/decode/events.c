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

/* Goes on behind something broken, of which `got` bytes were read: from its
 * beginning on, or, if too much was read twice already, from there. */
static bool resume(struct events *es, size_t got, enum resync *found,
	struct err *e)
{
	struct window *w = es->reader.window;
	if (!reader_patient(&es->reader))
		w->at += got;
	*found = resync(w, &es->words, e);
	return *found != RESYNC_ERR;
}

/* The text ends inside an event; unless another begins in it, in which case
 * something in it only looked like it went on and on. */
static bool cut(struct events *es, struct err *e)
{
	enum resync found;
	if (!resume(es, es->reader.got, &found, e))
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
		return resume(es, es->reader.got, &found, e);
	case READ_LONG:
		bad(es);
		return window_skip(es->reader.window, e);
	case READ_CUT:
		return cut(es, e);
	default:
		return false;
	}
}

/* Something in the list that is no event. What follows it must look like a
 * list going on; if not, quotes may be the wrong way round. */
static bool other(struct events *es, char first, struct err *e)
{
	enum resync found;
	char c;
	es->event.name.at = NULL;
	bad(es);
	if (first == '[') {
		if (!window_skip(es->reader.window, e))
			return false;
	} else {
		enum reading r =
			reader_read(&es->reader, read_other, es, false, e);
		if (r != READ)
			return r != READ_ERR &&
			       resume(es, es->reader.got, &found, e);
	}
	if (!reader_token(&es->reader, &c, e))
		return false;
	return c == ',' || c == ']' || c == 0 || resume(es, 0, &found, e);
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
