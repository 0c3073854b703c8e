/* table_reader.h - cuts a text table into records and cells
 *
 * A record is a line without its end, which is LF or CR LF. If quotes may
 * contain an end of line (RFC 4180), a record with an odd number of them
 * continues. A quote left open by mistake would swallow what follows, so such a
 * record can be cut back to its first line. How much is read twice for that is
 * counted and bounded. */
#pragma once
#include "byte_window.h"
#include <stdbool.h>
#include <stddef.h>

enum table_record {
	RECORD,
	RECORD_LONG, /* longer than a window can be; passed over */
	RECORD_END,
	RECORD_ERR, /* *e was set */
};

struct table_reader {
	struct byte_window *window;
	bool quotes; /* an end of line in quotes ends no record */
	char *at; /* in the window, until the next call */
	size_t len;
	bool ended; /* by an end of line, not by the end of the text */
	bool several; /* holds ends of lines */
	size_t taken; /* bytes of the window that the record takes */
	int64_t again; /* bytes looked at twice */
};

/* Passes over a byte order mark; before the first record. */
void table_reader_bom(struct table_reader *r);
enum table_record table_reader_next(struct table_reader *r, struct err *e);

/* Cuts the record back to its first line; what follows is read again. False if
 * it is one line. */
bool table_reader_shorten(struct table_reader *r);

/* Whether the compressed text broke off inside the record. */
bool table_reader_cut(const struct table_reader *r);

/* A record's cells, without copying their text.
 *
 * Separated by a character and perhaps in quotes (RFC 4180), or in columns
 * whose places are known. Cells are trimmed: white space around them comes from
 * the printer, not from the value. */
enum { CELLS_MAX = 64 };

struct table_cell {
	char *at;
	size_t len;
};

struct table_cells {
	struct table_cell list[CELLS_MAX];
	size_t n; /* of the record; past CELLS_MAX they are only counted */
	bool broken; /* a quote is not closed, or something follows it */
};

/* Takes quotes away, in place where they were doubled, once the cells are
 * known to be as many as `want` (0: always); else they stay as they are, and
 * the record may be read otherwise. */
void table_reader_split(struct table_cells *c, char *at, size_t len,
	char separator, size_t want);

/* A column of a table that was printed with spaces, in bytes; the last one has
 * no end. */
struct table_extent {
	size_t from, to;
};
void table_reader_columns(struct table_cells *c, char *at, size_t len,
	const struct table_extent *columns, size_t n);

struct table_cell table_reader_trim(char *at, size_t len);
