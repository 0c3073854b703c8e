/* byte_window.h - a piece of the plain bytes, moved along as they are read.
 *
 * The reader looks at [at, end), which is followed by SCAN_PAD zero bytes. Where
 * that breaks off inside something, byte_window_more() keeps what is from `at` on,
 * puts more behind it and leaves `at` at the same byte; the window grows where
 * one thing alone fills it, up to WINDOW_MAX. */
#pragma once
#include "plain.h"
#include "scan.h"

/* A build for tests may make it small, so that its edges are crossed. */
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

/* Passes over the object, list or string at `at`, however long, without holding
 * it. False with *e; where the text ends first, `at` is at the end. */
bool byte_window_skip(struct byte_window *w, struct err *e);
void byte_window_release(struct byte_window *w);
