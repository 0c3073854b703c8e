/* byte_window.h - the part of the uncompressed bytes that is in memory; it
 * moves forward as they are read.
 *
 * A reader looks at [at, end), which is followed by SCAN_PAD zero bytes. If the
 * window ends inside an item, byte_window_more() keeps the bytes from `at` on
 * and appends more bytes; `at` still points to the same byte. If one item fills
 * the window, the window grows, up to WINDOW_MAX. */
#pragma once
#include "plain.h"
#include "scan.h"

/* A test build may make the window small, so that tests cross its edges. */
#ifndef KERNSIFT_WINDOW
#define KERNSIFT_WINDOW (256 * 1024)
#endif

enum { WINDOW_START = KERNSIFT_WINDOW, WINDOW_MAX = 16 * 1024 * 1024 };

enum window_state {
	WINDOW_MORE, /* there is more now */
	WINDOW_END, /* there is no more */
	WINDOW_FULL, /* what begins at `at` is too long to hold */
	WINDOW_ERR, /* *e was set */
};

struct byte_window {
	struct plain *plain;
	char *at, *end;
	char *bytes;
	size_t cap;
	bool ended;
};

bool byte_window_init(struct byte_window *w, struct plain *p, struct err *e);
enum window_state byte_window_more(struct byte_window *w, struct err *e);

/* Skips the object, list or string at `at`, of any length, without keeping it
 * in memory. False with *e on an error. If the text ends first, `at` is at the
 * end. */
bool byte_window_skip(struct byte_window *w, struct err *e);
void byte_window_release(struct byte_window *w);
