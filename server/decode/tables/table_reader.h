/* table_reader.h - cuts a text table into records and cells
 *
 * A record is a line without its line end, LF or CR LF. If quoted cells may
 * contain line ends (RFC 4180), a record with an odd number of quotes continues
 * on the next line. A quote that was left open by mistake would swallow the
 * lines after it, so such a record can be cut back to its first line. The bytes
 * that are read twice because of this are counted and bounded. */
#pragma once
#include "byte_window.h"
#include <stdbool.h>
#include <stddef.h>

enum table_record {
	RECORD,
	RECORD_LONG, /* longer than the maximum window; skipped */
	RECORD_END,
	RECORD_ERR, /* *e was set */
};

struct table_reader {
	struct byte_window *window;
	bool quotes; /* a line end inside quotes does not end a record */
	char *at; /* points into the window; valid until the next call */
	size_t len;
	bool ended; /* ended by a line end, not by the end of the text */
	bool several; /* contains line ends */
	size_t taken; /* length in the window, including the line end */
	int64_t again; /* number of bytes that were looked at twice */
};

/* Skips a byte order mark; call it before the first record. */
void table_reader_bom(struct table_reader *r);
enum table_record table_reader_next(struct table_reader *r, struct err *e);

/* Cuts the record back to its first line; the rest is read again. False if the
 * record is one line. */
bool table_reader_shorten(struct table_reader *r);

/* Whether the compressed data ended inside the record. */
bool table_reader_cut(const struct table_reader *r);

/* A record's cells, without copies of their text.
 *
 * Cells are separated by a character and may be quoted (RFC 4180), or they are
 * columns at known positions. White space around a cell is removed, because the
 * printer added it. */
enum { CELLS_MAX = 64 };

struct table_cell {
	char *at;
	size_t len;
};

struct table_cells {
	struct table_cell list[CELLS_MAX];
	/* number of cells in the record; those past CELLS_MAX are only
	 * counted */
	size_t n;
	/* a quote is not closed, or text follows the closing quote */
	bool broken;
};

/* Cuts the record into cells. If it has `want` cells (0: any number), their
 * quotes are removed in place, and doubled quotes become single. Otherwise the
 * record is unchanged, so that it can be read in another way. */
void table_reader_split(struct table_cells *c, char *at, size_t len,
	char separator, size_t want);

/* The cells of a record one by one, for tables with more than CELLS_MAX columns.
 * Begin with the record's bounds. */
struct table_cursor {
	char *at, *end; /* at: NULL after the last cell */
	bool broken; /* as in struct table_cells */
};
/* Removes the quotes in place. False if there is no further cell. */
bool table_reader_cell(struct table_cursor *c, char separator,
	struct table_cell *cell);

/* A column of a table that was printed with spaces, as byte offsets; the last
 * column has no end. */
struct table_extent {
	size_t from, to;
};
void table_reader_columns(struct table_cells *c, char *at, size_t len,
	const struct table_extent *columns, size_t n);

struct table_cell table_reader_trim(char *at, size_t len);
