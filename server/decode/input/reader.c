/* reader.c - tries, pulls in more, tries again. */
#include "reader.h"

enum reading reader_read(struct reader *r, reader_fn *read, void *ctx,
	bool lenient, struct err *e)
{
	struct window *w = r->window;
	for (;;) {
		struct scan s = { .end = w->end, .lenient = lenient };
		const char *p = read(ctx, &s, w->at);
		r->quoted = s.quoted;
		/* What ends where the window does may go on behind it. */
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
		enum window_state state = window_more(w, e);
		if (state == WINDOW_ERR)
			return READ_ERR;
		if (state == WINDOW_MORE || (state == WINDOW_END && p))
			continue;
		r->got = (size_t)(w->end - w->at);
		r->again += (int64_t)r->got;
		return state == WINDOW_END ? READ_CUT : READ_LONG;
	}
}

bool reader_token(struct reader *r, char *c, struct err *e)
{
	struct window *w = r->window;
	for (;;) {
		w->at += scan_ws(w->at) - w->at;
		*c = *w->at;
		if (w->at < w->end)
			return true;
		enum window_state state = window_more(w, e);
		if (state != WINDOW_MORE)
			return state == WINDOW_END;
	}
}

int64_t reader_offset(const struct reader *r)
{
	return r->window->plain->out - (r->window->end - r->window->at);
}

bool reader_patient(const struct reader *r)
{
	return r->again < (4 << 20) + 2 * reader_offset(r);
}
