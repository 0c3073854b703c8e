/* cells.h - a record's cells, as they lie in it.
 *
 * Separated by a character and perhaps in quotes (RFC 4180), or standing below
 * each other in columns whose places are known. Cells are trimmed: white space
 * around them is a printer's, not a value's. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum { CELLS_MAX = 64 };

struct cell {
	char *at;
	size_t len;
};

struct cells {
	struct cell list[CELLS_MAX];
	size_t n; /* of the record; past CELLS_MAX they are only counted */
	bool broken; /* a quote is not closed, or something stands behind it */
};

/* Takes quotes away, in place where they were doubled, once the cells are
 * known to be as many as `want` (0: always); else they stay as they are, and
 * the record may be read otherwise. */
void cells_split(struct cells *c, char *at, size_t len, char separator,
	size_t want);

/* A column of a table that was printed with spaces, in bytes; the last one has
 * no end. */
struct extent {
	size_t from, to;
};
void cells_cut(struct cells *c, char *at, size_t len,
	const struct extent *columns, size_t n);

struct cell cell_trim(char *at, size_t len);
