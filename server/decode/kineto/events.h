/* events.h - the list of events of a Kineto or Chrome trace. */
#pragma once
#include "items.h"
#include "rows.h"

struct events {
	struct items items;
	struct items_kind kind;
	struct kineto_words words;
	struct rows rows;
	struct event event; /* the one being read */
};

/* No events yet; they will be read from `w` into `t`. False where the arena is
 * full. */
bool events_init(struct events *es, struct window *w, struct trace *t);

/* Reads from inside the list to behind the bracket that closes it, or to the
 * end of the text. */
bool events_read(struct events *es, struct err *e);
