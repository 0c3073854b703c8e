/* resync.h - finds the way back into a list of events after a broken one.
 *
 * Which quotes open and which close is lost by then, so this looks for text: a
 * comma and an object whose first key is one that events have; or the end of
 * the list, as Kineto or the end of the file shows it. */
#pragma once
#include "event.h"
#include "window.h"

enum resync {
	RESYNC_EVENT, /* `at` is at an event's bracket */
	RESYNC_LIST_END, /* `at` is at the bracket that closes the list */
	RESYNC_NONE, /* `at` is at the end of the text */
	RESYNC_ERR, /* *e was set */
};

/* Searches from w->at on. */
enum resync resync(struct window *w, const struct kineto_words *words,
	struct err *e);
