/* records.h - a text table, one line at a time.
 *
 * A record is a line without its end, which is LF or CR LF. Where an end of
 * line may stand in quotes (RFC 4180), a record with an odd number of them
 * goes on; a quote that was left open by mistake would swallow what follows,
 * so such a record can be cut back to its first line. What is looked at twice
 * for that is counted and bounded. */
#pragma once
#include "window.h"

enum record {
	RECORD,
	RECORD_LONG, /* longer than a window can be; passed over */
	RECORD_END,
	RECORD_ERR, /* *e was set */
};

struct records {
	struct window *window;
	bool quotes; /* an end of line in quotes ends no record */
	char *at; /* in the window, until the next call */
	size_t len;
	bool ended; /* by an end of line, not by the end of the text */
	bool several; /* holds ends of lines */
	size_t taken; /* bytes of the window that the record takes */
	int64_t again; /* bytes looked at twice */
};

/* Passes over a byte order mark; before the first record. */
void records_bom(struct records *r);
enum record records_next(struct records *r, struct err *e);

/* Cuts the record back to its first line, what follows is read anew; false
 * where it is one line. */
bool records_shorten(struct records *r);

/* Whether the compressed text broke off inside the record. */
bool records_cut(const struct records *r);
