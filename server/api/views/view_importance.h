/* view_importance.h - importance of operators and their shapes over many runs, or in a
 * reference set; platforms, sizes and costs. */
#pragma once
#include "fleet_importance.h"
#include "findings.h"
#include "reference.h"
#include "view.h"

json_t *view_platform(const struct platform *p);
json_t *view_platforms(const struct platform *const *all, uint32_t n);
enum place_figure { PLACE_SOL, PLACE_PROD, PLACE_ATTAINED };
/* By platform, those that are known. */
json_t *view_places(const struct fleet_importance_place *places,
	const struct platform *const *platforms, uint32_t n,
	enum place_figure which);
/* By type, those above 0; null if nothing is known. */
json_t *view_flops(const struct cost *cost);
/* A shape's sizes from its text; null if it is unknown. */
json_t *view_sizes(const char *text);

/* Of the runs that match (`f`) or of a reference set (`r`); the other is NULL. */
json_t *view_importance(const struct fleet_importance *m, const struct fleet *f,
	const struct reference *r, const struct finding_list *findings);
const struct table *view_importance_table(struct arena *a,
	const struct fleet_importance *m);
json_t *view_importance_shapes(const struct fleet_importance_shapes *s,
	const struct finding_list *findings);
const struct table *view_importance_shapes_table(struct arena *a,
	const struct fleet_importance_shapes *s);
