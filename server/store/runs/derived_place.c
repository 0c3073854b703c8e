/* derived_place.c - the rows of a run's layers, and which kernels are launched
 * together. */
#include "derived_table.h"
#include "breakdown_word.h"

static void write_roles(struct bulk *b, layer_roles roles)
{
	const char *words[ROLES];
	uint32_t n = 0;
	for (int i = 0; i < ROLES; i++)
		if (roles & (UINT64_C(1) << i))
			words[n++] = breakdown_word_role[i];
	bulk_texts(b, words, n);
}

static void write_place(struct bulk *b, const struct derived_run *run,
	uint32_t place)
{
	const struct breakdown_row *r = &run->profile->breakdown.rows[place];
	bulk_row(b, 19 + TIME_COLUMNS_N);
	bulk_int8(b, run->id);
	bulk_int4(b, (int32_t)place);
	bulk_int4(b, (int32_t)r->block);
	if (r->kernel == ROW_NO_KERNEL)
		bulk_null(b);
	else
		bulk_int8(b, run->kernels[r->kernel]);
	bulk_text(b, r->operation);
	bulk_text(b, r->operator_);
	bulk_text(b, r->module);
	write_roles(b, r->roles);
	bulk_bool(b, r->role_by_module);
	bulk_int4(b, (int32_t)r->lane);
	bulk_index(b, r->group);
	bulk_int8(b, r->instances);
	bulk_bool(b, r->extra);
	bulk_float8_known(b, r->offset_ns);
	bulk_int8(b, r->exclusive_ns);
	bulk_int8(b, r->overlapped_ns);
	bulk_int8(b, r->bound_launches);
	bulk_int8(b, r->bound_ns);
	bulk_int8(b, r->sol_ps);
	derived_time(b, &r->time);
}

static void write_places(struct bulk *b, const struct derived_run *run)
{
	if (run->profile->content == CONTENT_LAUNCHES)
		for (uint32_t i = 0; i < run->profile->breakdown.rows_n; i++)
			write_place(b, run, i);
}

const struct derived_table derived_place = {
	"COPY run_place (run_id, place, block, kernel_id, operation, "
	"operator, module, roles, role_by_module, lane, launch_group, occurs, "
	"extra, offset_ns, exclusive_ns, overlapped_ns, bound_launches, "
	"bound_ns, sol_ps, " TIME_COLUMNS ") FROM STDIN (FORMAT binary)",
	write_places,
};

static void write_groups(struct bulk *b, const struct derived_run *run)
{
	const struct kernel_groups *gs = &run->profile->groups;
	struct arena a = { 0 };
	for (uint32_t i = 0; i < gs->n; i++) {
		const struct kernel_group *g = &gs->groups[i];
		int64_t *ids = arena_array(&a, int64_t, g->kernels_n);
		for (uint32_t k = 0; k < g->kernels_n; k++)
			ids[k] = run->kernels[g->kernels[k]];
		bulk_row(b, 9);
		bulk_int8(b, run->id);
		bulk_int4(b, (int32_t)i);
		bulk_text(b, breakdown_word_evidence[g->evidence]);
		bulk_int8s(b, ids, g->kernels_n);
		bulk_int8(b, g->support);
		bulk_float8(b, g->confidence);
		bulk_text(b, g->operator_);
		bulk_int8(b, g->total_ns);
		bulk_int8(b, g->alone);
	}
	arena_release(&a);
}

const struct derived_table derived_group = {
	"COPY run_group (run_id, rank, evidence, kernels, support, "
	"confidence, operator, total_ns, alone) FROM STDIN (FORMAT binary)",
	write_groups,
};
