/* events.h - a list of events, read one by one whatever state it is in. */
#pragma once
#include "reader.h"
#include "rows.h"

struct events {
	struct reader reader;
	struct kineto_words words;
	struct rows rows;
	struct event event; /* the one being read */
	bool cut; /* the text ended inside something */
};

/* Reads from inside the list to behind the bracket that closes it, or to the
 * end of the text. */
bool events_read(struct events *es, struct err *e);
