/* ending.c - to the last byte, and what that means. */
#include "ending.h"

bool ending_read(struct items *is, struct trace *t, struct err *e)
{
	struct window *w = is->reader.window;
	int64_t garbage = 0;
	enum window_state state = WINDOW_MORE;
	if (is->cut)
		w->at = w->end;
	while (state == WINDOW_MORE) {
		for (; w->at < w->end; w->at++)
			garbage += (unsigned char)*w->at > ' ';
		state = window_more(w, e);
	}
	if (garbage)
		note_add(&t->notes, NOTE_json_garbage, garbage, NULL, 0);
	return state != WINDOW_ERR;
}

void ending_note(const struct items *is, struct trace *t)
{
	bool told = t->notes.count[NOTE_truncated] ||
		    t->notes.count[NOTE_damaged] ||
		    t->notes.count[NOTE_checksum];
	if (is->cut && !told)
		note_add(&t->notes, NOTE_truncated,
			is->reader.window->plain->out, NULL, 0);
}

bool ending_explains(const struct items *is, int64_t records, const char *what,
	struct err *e)
{
	enum note_code ending = is->reader.window->plain->ending;
	if (ending == NOTE_damaged || ending == NOTE_checksum) {
		err_set(e, ERR_TRACE,
			"the compressed data is damaged, and no %s could "
			"be read from what came out before",
			what);
		return true;
	}
	if (records == 0 && (ending == NOTE_truncated || is->cut)) {
		err_set(e, ERR_TRACE, "the file breaks off before its first %s",
			what);
		return true;
	}
	return false;
}
