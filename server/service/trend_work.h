/* trend_work.h - how the work of the runs before and after a change point
 * differs.
 *
 * A series has one value per run, whatever the run worked on. A comparison
 * compares equal work only. So that both say the same, each change point is
 * examined by the rules of a comparison (compare_groups_changed()). */
#pragma once
#include "catalog.h"
#include "change_point.h"
#include "db.h"
#include "trend.h"

/* Fills *other_work for changes[i] of all n change points of the series: a
 * sentence in the arena, or NULL if the work is the same or unknown. Compares up
 * to three units on each side, of a job the run with the lowest rank. Runs that
 * were deleted meanwhile are left out. The arena must have no size limit. */
bool trend_work_of(struct db *db, const struct catalog *k, struct arena *a,
	const struct trend *t, const struct change_point *changes, uint32_t n,
	uint32_t i, const char **other_work, struct err *e);

/* As trend_work_of(), for all change points. Only the newest TREND_WORK_CHANGES
 * are examined, because each reads the iterations of six runs; earlier ones have
 * NULL. */
enum { TREND_WORK_CHANGES = 20 };
bool trend_work_from(struct db *db, const struct catalog *k, struct arena *a,
	const struct trend *t, const struct change_point *changes, uint32_t n,
	const char ***other_work, struct err *e);
