/* events.c - an item of the list is an event and becomes a row. */
#include "events.h"

static const char *read_event(void *ctx, struct scan *s, const char *p)
{
	struct events *es = ctx;
	p = event_read(s, &es->words, p, &es->event);
	es->items.name = es->event.name;
	return p;
}

static bool use(void *ctx, struct err *e)
{
	struct events *es = ctx;
	const struct span *name = &es->event.name;
	struct trace *t = es->rows.trace;
	if (es->items.reader.quoted)
		note_add(&t->notes, NOTE_name_quote, 1, name->at,
			name->at ? name->len : 0);
	return rows_event(&es->rows, &es->event) || arena_err(t->arena, e);
}

static void bad(void *ctx, const char *what, size_t len)
{
	struct events *es = ctx;
	rows_bad(&es->rows, what, len);
}

bool events_init(struct events *es, struct window *w, struct trace *t)
{
	*es = (struct events){ .items.reader.window = w };
	kineto_words_init(&es->words);
	es->kind = (struct items_kind){
		.keys = { &es->words.keys, KEY_PH, KEY_ID, KEY_EVENTS },
		.read = read_event,
		.use = use,
		.bad = bad,
	};
	return rows_init(&es->rows, t);
}

bool events_read(struct events *es, struct err *e)
{
	return items_read(&es->items, &es->kind, es, e);
}
