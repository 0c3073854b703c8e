/* resync.h - finds the way back into a list of objects after a broken one.
 *
 * Which quotes open and which close is lost by then, so this looks for text: a
 * comma and an object whose first key is one that its items have; or the end of
 * the list, as a key that surrounds it or the end of the file shows it. */
#pragma once
#include "window.h"
#include "words.h"

/* The keys that tell, by their ids: an item's first is one of [from, to]; keys
 * of what surrounds the list are `around` and above. */
struct resync_keys {
	const struct words *words;
	uint32_t from, to, around;
};

enum resync {
	RESYNC_ITEM, /* `at` is at an item's bracket */
	RESYNC_LIST_END, /* `at` is at the bracket that closes the list */
	RESYNC_NONE, /* `at` is at the end of the text */
	RESYNC_ERR, /* *e was set */
};

/* Searches from w->at on. */
enum resync resync(struct window *w, const struct resync_keys *keys,
	struct err *e);
