/* items.c - reads, repairs, skips, counts. */
#include "items.h"

/* The list being read, and for whom. */
struct list {
	struct items *items;
	const struct items_kind *kind;
	void *ctx;
};

static const char *read_other(void *ctx, struct scan *s, const char *p)
{
	(void)ctx;
	return scan_skip(s, p, false);
}

/* Counts what is at `at` as an item that could not be read, by its name if
 * that much of it was read. */
static void bad(const struct list *l)
{
	const struct span *name = &l->items->name;
	const struct window *w = l->items->reader.window;
	size_t left = (size_t)(w->end - w->at);
	if (name->at && name->len)
		l->kind->bad(l->ctx, name->at, name->len);
	else
		l->kind->bad(l->ctx, w->at, left < 80 ? left : 80);
}

/* Goes on behind something broken, of which `got` bytes were read: from its
 * beginning on, or, if too much was read twice already, from there. */
static bool resume(const struct list *l, size_t got, enum resync *found,
	struct err *e)
{
	struct window *w = l->items->reader.window;
	if (!reader_patient(&l->items->reader))
		w->at += got;
	*found = resync(w, &l->kind->keys, e);
	return *found != RESYNC_ERR;
}

/* The text ends inside an item; unless another begins in it, in which case
 * something in it only looked like it went on and on. */
static bool cut(const struct list *l, struct err *e)
{
	static const char endless[] = "an event without an end";
	enum resync found;
	if (!resume(l, l->items->reader.got, &found, e))
		return false;
	if (found == RESYNC_NONE)
		l->items->cut = true;
	else
		l->kind->bad(l->ctx, endless, sizeof endless - 1);
	return true;
}

static bool one(const struct list *l, struct err *e)
{
	struct reader *reader = &l->items->reader;
	enum resync found;
	enum reading r = reader_read(reader, l->kind->read, l->ctx, false, e);
	if (r == READ_BROKEN && reader_patient(reader))
		r = reader_read(reader, l->kind->read, l->ctx, true, e);
	switch (r) {
	case READ:
		return l->kind->use(l->ctx, e);
	case READ_BROKEN:
		bad(l);
		return resume(l, reader->got, &found, e);
	case READ_LONG:
		bad(l);
		return window_skip(reader->window, e);
	case READ_CUT:
		return cut(l, e);
	default:
		return false;
	}
}

/* Something in the list that is no object. What follows it must look like a
 * list going on; if not, quotes may be the wrong way round. */
static bool other(const struct list *l, char first, struct err *e)
{
	struct reader *reader = &l->items->reader;
	enum resync found;
	char c;
	l->items->name.at = NULL;
	bad(l);
	if (first == '[') {
		if (!window_skip(reader->window, e))
			return false;
	} else {
		enum reading r =
			reader_read(reader, read_other, NULL, false, e);
		if (r != READ)
			return r != READ_ERR &&
			       resume(l, reader->got, &found, e);
	}
	if (!reader_token(reader, &c, e))
		return false;
	return c == ',' || c == ']' || c == 0 || resume(l, 0, &found, e);
}

bool items_read(struct items *is, const struct items_kind *kind, void *ctx,
	struct err *e)
{
	struct list l = { is, kind, ctx };
	struct window *w = is->reader.window;
	char c;
	while (reader_token(&is->reader, &c, e)) {
		if (w->at >= w->end) {
			is->cut = true;
			return true;
		}
		bool ok = true;
		if (c == '{')
			ok = one(&l, e);
		else if (c == ',' || c == ']')
			w->at++;
		else
			ok = other(&l, c, e);
		if (!ok || c == ']')
			return ok;
	}
	return false;
}
