/* exchange_map.h - how evenly the all-to-alls of a job load its ranks.
 *
 * A map belongs to one process group and one kind: all-to-all, or dispatch or
 * combine of expert parallelism. Its rows are ranks. If the traces record split
 * sizes, its columns are the ranks of the group, and a cell is the number of
 * bytes that the row's rank sends to the column's, over all calls. Otherwise its
 * columns are the collectives in order, and a cell is the time by which the
 * rank's duration exceeds the shortest one.
 *
 *   imbalance = max / mean of the bytes that each rank receives */
#pragma once
#include "ranks.h"

/* A map has at most this many rows and columns, and a job this many maps: those
 * that are drawn on a page. Together they have at most 65,536 cells. */
enum { EXCHANGE_MAP_CELLS = 64, EXCHANGE_MAPS = 16 };

/* A column: a rank of the group, or consecutive collectives. */
struct exchange_column {
	uint32_t from; /* position in the group, or index of the collective */
	uint32_t n; /* collectives; 1 for a rank */
	int64_t rank; /* -1 unknown, or collectives */
};

struct exchange_map {
	const char *name; /* of the first kernel */
	const struct pair_group *group;
	enum collective_kind kind;
	bool bytes; /* what a cell is: bytes, or nanoseconds */
	/* Why the cells are no bytes, or why the sums miss some calls; NULL:
	 * there is no reason. */
	const char *reason;
	int64_t calls; /* per rank, at most */
	int64_t known; /* of these, with known bytes */
	uint32_t *rows; /* indexes into ranks.ranks */
	struct exchange_column *columns;
	uint32_t rows_n, columns_n;
	/* Ranks that are not shown because others deviate more from the mean. */
	uint32_t rows_left_out, columns_left_out;
	double *cells; /* [row][column]; NaN unknown */
	/* By row: over all ranks of the group, also those not shown; NaN
	 * unknown. waited_ns: mean of a collective. */
	double *sent, *received, *waited_ns;
	double imbalance; /* NaN unknown */
	uint32_t imbalance_ranks; /* among so many: those with known bytes */
	const char *imbalance_reason; /* why it is unknown */
	/* Pairs of ranks of which one states other bytes than the other. */
	uint32_t contradictions;
};
struct exchange_maps {
	struct exchange_map *rows; /* with bytes first; the most uneven first */
	uint32_t n, left_out;
};

/* The arena must have no size limit. */
void exchange_maps_from(const struct ranks *ranks, struct arena *a,
	struct exchange_maps *out);
