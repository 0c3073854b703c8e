/* decode.c - bytes, plain bytes, format, trace. */
#include "decode.h"
#include "format.h"
#include "file_magic.h"

/* Who reads what was sniffed; NULL with a sentence where nobody does. */
static format_fn *format_of(const struct window *w, struct err *e)
{
	size_t len = (size_t)(w->end - w->at);
	if (!plain_any(w->plain, e))
		return NULL;
	enum sniffed s = signature(w->at, len < 4096 ? len : 4096, true, e);
	switch (s) {
#define FORMAT(sniffed, decoder) \
	case sniffed:            \
		return decoder;
#include "formats.def"
#undef FORMAT
	default:
		return NULL;
	}
}

static bool plain_decode(struct plain *p, struct trace *t, struct err *e)
{
	struct window w;
	bool ok = window_init(&w, p, e);
	format_fn *format = ok ? format_of(&w, e) : NULL;
	ok = format && format(&w, t, e);
	window_release(&w);
	return ok;
}

bool decode(struct source *s, const struct decode_limits *limits,
	const struct decode_progress *progress, struct trace *t, struct err *e)
{
	struct plain p;
	plain_init(&p, s, limits, progress, t->arena, &t->notes);
	bool ok = plain_decode(&p, t, e);
	plain_release(&p);
	return ok && (trace_sort(t) || arena_err(t->arena, e));
}
