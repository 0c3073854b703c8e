/* view_operators.h - operators of a run, of many runs, of a reference set and
 * of the catalog; their shapes, platforms and rules. */
#pragma once
#include "catalog.h"
#include "findings.h"
#include "gpu_fleet.h"
#include "measured_ceilings.h"
#include "fleet_fusions.h"
#include "fleet_importance.h"
#include "query_operator.h"
#include "reference.h"
#include "run_operators.h"
#include "site_overrides.h"
#include "view.h"

/* ---- GPUs over many runs (view_devices.c) */

/* `rows`: those of the fleet that are on the page. */
json_t *view_devices(const struct gpu_fleet *f,
	const struct gpu_fleet_row *rows, uint32_t n);
const struct table *view_devices_table(struct arena *a,
	const struct gpu_fleet_row *rows, uint32_t n);

/* ---- the operators of a run, their shapes, and unattributed kernels
 * (view_operators.c) */

json_t *view_run_operators(const struct run_operators_table *m,
	const struct finding_list *findings);
const struct table *view_run_operators_table(struct arena *a,
	const struct run_operators_table *m);

struct run_shapes {
	const struct run_operators_table *of;
	const char *op;
	const struct shape_stat *rows; /* operator_: index into of->is->rows */
	uint32_t n;
	double s_median;
	struct view_profiles profiles;
};
/* Returns at most `n` shapes as items, starting after the first `from` shapes.
 */
json_t *view_run_shapes(const struct run_shapes *s, uint32_t from, uint32_t n,
	const struct finding_list *findings);
const struct table *view_run_shapes_table(struct arena *a,
	const struct run_shapes *s);

json_t *view_replayed_graph(const struct replayed_graph *g);
const struct table *view_replayed_graph_table(struct arena *a,
	const struct replayed_graph *rows, uint32_t n);
json_t *view_unattributed(const struct unattributed_line *u);
const struct table *view_unattributed_table(struct arena *a,
	const struct unattributed_line *rows, uint32_t n);

/* ---- importance over many runs or in a reference set; platforms, sizes and costs
 * (view_importance.c) */

json_t *view_platform(const struct platform *p);
json_t *view_platforms(const struct platform *const *all, uint32_t n);
enum place_figure { PLACE_SOL, PLACE_PROD, PLACE_ATTAINED };
/* By platform; unknown values are left out. */
json_t *view_places(const struct fleet_importance_place *places,
	const struct platform *const *platforms, uint32_t n,
	enum place_figure which);
/* FLOP by dtype; only values above 0. Null if nothing is known. */
json_t *view_flops(const struct cost *cost);
/* Parses the sizes of a shape from its text; null if they are unknown. */
json_t *view_sizes(const char *text);

/* The importance over the runs that match (`f`) or in a reference set (`r`);
 * the other argument is NULL. */
json_t *view_importance(const struct fleet_importance *m, const struct fleet *f,
	const struct reference *r, const struct finding_list *findings);
const struct table *view_importance_table(struct arena *a,
	const struct fleet_importance *m);
json_t *view_importance_shapes(const struct fleet_importance_shapes *s,
	const struct finding_list *findings);
const struct table *view_importance_shapes_table(struct arena *a,
	const struct fleet_importance_shapes *s);
/* Writes a PyTorch script for the first shape of the list, with its measured
 * times and roofline bounds as a comment. The caller frees the text. NULL with
 * *e as for pytorch_script_write(). */
char *view_importance_pytorch(const struct fleet_importance_shapes *s,
	struct err *e);

json_t *view_fusions(const struct fleet_fusion_list *l);
/* All candidates, in the order of the list. */
const struct table *view_fusions_table(struct arena *a,
	const struct fleet_fusion_list *l);

/* ---- the catalog, its edits, and rules tested on names (view_catalog.c) */

/* Lists one kind of entry of the current catalog, with the version of the
 * edits. It also contains this installation's own entries, which are JSON or
 * NULL. */
json_t *view_catalog_list(const struct catalog *k,
	enum site_overrides_kind kind, int64_t version, const char *fault,
	const char *own);
/* Measured ceilings of a platform. */
json_t *view_ceilings(const struct measured_ceilings *m);
/* The rule that matched the name of a kernel, or the operator of a host
 * operator's name. */
json_t *view_trial(const char *name, const struct rule_trial *t);
