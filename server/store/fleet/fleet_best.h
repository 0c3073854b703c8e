/* fleet_best.h - the best efficiency that the fleet reached, by platform,
 * operator, type, leg and size class.
 *
 * The fleet-best is the 95th percentile of S over calls. A call has the S of its
 * shape in its run, T_SOL / mean time, because a single call can be short by
 * chance. Calls of shapes with S > 1 are left out, and so are collectives, which
 * wait. The percentile is the smallest S that at least 95 % of the calls do not
 * exceed, so some run reached exactly this value. There is no fleet-best of less
 * than 20 calls or less than five runs.
 *
 * Stored values are computed again when runs came or went. */
#pragma once
#include "fleet.h"
#include "query.h"

/* Computes what is due again, at most `limit` platforms, operators and types,
 * those with the most changes first; *left: whether more is due. If one fails,
 * the others are still computed; false then, with the first failure. */
bool fleet_best_refresh(struct db *db, int limit, bool *left, struct err *e);

/* Reads the values over all projects (NULL), or over one; of one platform, or of
 * all (NULL). With a project, only its runs are named. */
bool fleet_best_read(struct db *db, struct arena *a, const char *project,
	const char *platform, struct fleet_bests *out, struct err *e);
