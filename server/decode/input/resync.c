/* resync.c - looks behind commas and closing brackets. */
#include "resync.h"

/* What is behind them; MORE: too little of it is there to tell. */
enum behind { BEHIND_OTHER, BEHIND_ITEM, BEHIND_LIST_END, BEHIND_MORE };

/* The id of the key at p if its colon follows, or 0; *more where the text ends
 * before. */
static uint32_t key_at(const struct resync_keys *keys, const char *p,
	const char *end, bool *more)
{
	if (*p != '"') {
		*more = p >= end;
		return 0;
	}
	const char *q = scan_plain(p + 1);
	if (q < end && *q == '"') {
		uint32_t k =
			words_find(keys->words, p + 1, (size_t)(q - p - 1));
		q = scan_ws(q + 1);
		if (*q == ':')
			return k;
	}
	*more = q >= end;
	return 0;
}

static enum behind item_behind(const struct resync_keys *keys, const char *p,
	const char *end, const char **at)
{
	bool more = false;
	*at = p = scan_ws(p);
	if (*p != '{')
		return p >= end ? BEHIND_MORE : BEHIND_OTHER;
	uint32_t k = key_at(keys, scan_ws(p + 1), end, &more);
	if (k >= keys->from && k <= keys->to)
		return BEHIND_ITEM;
	return more ? BEHIND_MORE : BEHIND_OTHER;
}

static enum behind list_end_behind(const struct resync_keys *keys,
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
	if (key_at(keys, scan_ws(p + 1), end, &more) >= keys->around)
		return BEHIND_LIST_END;
	return more && !ended ? BEHIND_MORE : BEHIND_OTHER;
}

/* What the comma or bracket at p begins or ends; *at is where. */
static enum behind behind(const struct resync_keys *keys,
	const struct window *w, const char *p, const char **at)
{
	enum behind b = BEHIND_OTHER;
	if (*p == ',') {
		b = item_behind(keys, p + 1, w->end, at);
	} else {
		*at = p = scan_ws(p + 1);
		if (*p == ']')
			b = list_end_behind(keys, p + 1, w->end, w->ended);
		else if (p >= w->end)
			b = BEHIND_MORE;
	}
	return b == BEHIND_MORE && w->ended ? BEHIND_OTHER : b;
}

enum resync resync(struct window *w, const struct resync_keys *keys,
	struct err *e)
{
	for (;;) {
		const char *at = NULL;
		enum behind b = BEHIND_MORE;
		while (w->at < w->end && *w->at != ',' && *w->at != '}')
			w->at++;
		if (w->at < w->end)
			b = behind(keys, w, w->at, &at);
		if (b == BEHIND_ITEM || b == BEHIND_LIST_END) {
			w->at += at - w->at;
			return b == BEHIND_ITEM ? RESYNC_ITEM : RESYNC_LIST_END;
		}
		if (b == BEHIND_OTHER) {
			w->at++;
			continue;
		}
		enum window_state state = window_more(w, e);
		if (state == WINDOW_ERR)
			return RESYNC_ERR;
		if (state == WINDOW_FULL)
			w->at++;
		else if (state == WINDOW_END && w->at == w->end)
			return RESYNC_NONE;
	}
}
