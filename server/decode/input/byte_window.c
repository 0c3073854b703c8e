/* byte_window.c - keeps a window of the uncompressed bytes, moves it and fills it */
#include "byte_window.h"
#include <string.h>

static bool byte_window_resize(struct byte_window *w, size_t cap, struct err *e)
{
	char *bytes = arena_grow(w->plain->arena, w->bytes, cap + SCAN_PAD);
	if (!bytes)
		return arena_err(w->plain->arena, e);
	w->at = bytes + (w->at - w->bytes);
	w->end = bytes + (w->end - w->bytes);
	w->bytes = bytes;
	w->cap = cap;
	return true;
}

bool byte_window_init(struct byte_window *w, struct plain *p, struct err *e)
{
	*w = (struct byte_window){ .plain = p };
	w->bytes = arena_grow(p->arena, NULL, WINDOW_START + SCAN_PAD);
	if (!w->bytes)
		return arena_err(p->arena, e);
	w->cap = WINDOW_START;
	w->at = w->end = w->bytes;
	return byte_window_more(w, e) != WINDOW_ERR;
}

enum window_state byte_window_more(struct byte_window *w, struct err *e)
{
	size_t keep = (size_t)(w->end - w->at), got = 0;
	if (w->ended)
		return WINDOW_END;
	if (keep >= WINDOW_MAX)
		return WINDOW_FULL;
	memmove(w->bytes, w->at, keep);
	w->at = w->bytes;
	w->end = w->bytes + keep;
	if (keep > w->cap / 2 && w->cap < WINDOW_MAX &&
		!byte_window_resize(w, w->cap * 2, e))
		return WINDOW_ERR;
	if (!plain_read(w->plain, w->end, w->cap - keep, &got, e))
		return WINDOW_ERR;
	w->ended = got < w->cap - keep;
	w->end += got;
	memset(w->end, 0, SCAN_PAD);
	return got ? WINDOW_MORE : WINDOW_END;
}

/* The state of skipping a value that extends over several pieces. */
struct passing {
	int64_t depth;
	bool in_string, escaped;
};

/* Returns the position after the value, or NULL if the value does not end in
 * these bytes. */
static char *byte_window_pass(struct passing *s, char *p, const char *end)
{
	for (; p < end; p++) {
		if (s->escaped) {
			s->escaped = false;
		} else if (s->in_string) {
			s->escaped = *p == '\\';
			s->in_string = *p != '"';
			if (!s->in_string && s->depth == 0)
				return p + 1;
		} else if (*p == '"') {
			s->in_string = true;
		} else if (*p == '{' || *p == '[') {
			s->depth++;
		} else if (*p == '}' || *p == ']') {
			if (--s->depth <= 0)
				return p + 1;
		}
	}
	return NULL;
}

bool byte_window_skip(struct byte_window *w, struct err *e)
{
	struct passing s = { 0 };
	for (;;) {
		char *behind = byte_window_pass(&s, w->at, w->end);
		w->at = behind ? behind : w->end;
		if (behind)
			return true;
		enum window_state state = byte_window_more(w, e);
		if (state != WINDOW_MORE)
			return state == WINDOW_END;
	}
}

void byte_window_release(struct byte_window *w)
{
	arena_drop(w->plain->arena, w->bytes);
	*w = (struct byte_window){ 0 };
}
