/* decode.c - bytes, plain bytes, format, trace. */
#include "decode.h"
#include "kineto.h"
#include "signature.h"

/* Refuses what is no trace, by the plain text's first bytes. */
static bool known(const struct window *w, struct err *e)
{
	size_t len = (size_t)(w->end - w->at);
	return plain_any(w->plain, e) &&
	       signature(w->at, len < 4096 ? len : 4096, true, e) ==
		       SNIFF_TRACE_JSON;
}

static bool plain_decode(struct plain *p, struct trace *t, struct err *e)
{
	struct window w;
	bool ok = window_init(&w, p, e) && known(&w, e) &&
		  kineto_decode(&w, t, e);
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
