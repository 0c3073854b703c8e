/* view_kernel_profile.c - what a kernel profiler measured of kernels. */
#include "findings.h"
#include "kernel_profiles.h"
#include "view.h"
#include <string.h>

static json_t *view_profile_three(const int32_t v[3])
{
	return v[0] < 0 ? json_null()
			: json_pack("[i, i, i]", v[0], v[1], v[2]);
}

static const char *view_profile_shape_reason(
	const struct kernel_profile_line *l)
{
	if (l->shape_rank >= 0)
		return NULL;
	if (l->kernel < 0)
		return l->match ? "several kernels of the run fit this name"
				: "no kernel of the run has this name";
	if (l->is.grid[0] < 0 || l->is.block[0] < 0)
		return "the file has no grid and block";
	if (l->run_launches < 0)
		return "the run has no launch with this grid and block";
	if (!l->searched)
		return "the run was analyzed by an earlier version; "
		       "`kernsiftd rebuild` finds the shape";
	return l->several
		       ? "launches of several shapes have this grid and block"
		       : "the launches with this grid and block are not "
			 "attributed to an operator";
}

static json_t *view_profile_stalls(const struct kernel_profile_line *l);
static json_t *view_profile_files(const struct view_profiled *is);

/* Number of profiles of a kernel of the run, or only of one of its shapes. */
static int64_t view_profile_matched(const struct view_profiled *is,
	bool with_shape)
{
	int64_t n = 0;
	for (uint32_t i = 0; i < is->profiles.n; i++) {
		const struct kernel_profile_line *l = &is->profiles.rows[i];
		n += l->kernel >= 0 && (!with_shape || l->shape_rank >= 0);
	}
	return n;
}

#define ROWS "kernel_profile.def"
#include "row_functions.h"

/* The sentences of a reason; a word of an earlier version has none. */
static json_t *view_profile_stall(const char *word, double pct)
{
	for (int r = 0; r < STALL_REASONS; r++)
		if (!strcmp(stall_reason_word((enum stall_reason)r), word))
			return row_stall(word, pct,
				stall_reason_text((enum stall_reason)r),
				stall_reason_advice((enum stall_reason)r));
	return row_stall(word, pct, "", "");
}

static json_t *view_profile_stalls(const struct kernel_profile_line *l)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < l->stalls_n; i++)
		if (strcmp(l->stalls[i], stall_reason_word(STALL_selected)) !=
			0)
			view_append(list, view_profile_stall(l->stalls[i],
						  l->stall_pct[i]));
	return list;
}

static json_t *view_profile_files(const struct view_profiled *is)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < is->files_n; i++) {
		char hex[SHA256_HEX];
		sha256_hex(is->files[i].sha256, hex);
		view_append(list, row_kernel_profile_file(&is->files[i], hex));
	}
	return list;
}

json_t *view_kernel_profiles(const struct view_profiled *is, uint32_t from,
	uint32_t n, const struct finding_list *findings)
{
	json_t *items = json_array();
	for (uint32_t i = from; i < from + n; i++)
		view_append(items, row_kernel_profile(&is->profiles.rows[i],
					   &is->profiles.rows[i].is));
	return row_kernel_profiles(is, findings, view_list(items, NULL));
}

json_t *view_kernel_profiles_attached(const struct view_profiled *is,
	int64_t run, bool existing, const struct finding_list *findings)
{
	return row_kernel_profiles_attached(is, run, existing, findings);
}

/* A row shows only some, because a kernel may have 2,000 of them. */
enum { SHOWN = 20 };

static void view_profiles_add(json_t *list, const struct kernel_profile_line *l)
{
	if (json_array_size(list) < SHOWN)
		view_append(list, row_kernel_profile(l, &l->is));
}

json_t *view_profiles_of_kernel(const struct view_profiles *profiles,
	int64_t kernel, const struct kernel_stat *s)
{
	json_t *list = json_array();
	for (uint32_t i = 0; profiles && i < profiles->n; i++) {
		const struct kernel_profile_line *l = &profiles->rows[i];
		if (l->kernel == kernel &&
			(s->split != SPLIT_GRID ||
				(!memcmp(l->is.grid, s->grid, sizeof s->grid) &&
					!memcmp(l->is.block, s->block,
						sizeof s->block))))
			view_profiles_add(list, l);
	}
	return list;
}

json_t *view_profiles_of_shape(const struct view_profiles *profiles,
	uint32_t operator_, uint32_t rank)
{
	json_t *list = json_array();
	for (uint32_t i = 0; profiles && i < profiles->n; i++) {
		const struct kernel_profile_line *l = &profiles->rows[i];
		if (l->shape_rank >= 0 && l->operator_ == (int32_t)operator_ &&
			l->shape_rank == (int32_t)rank)
			view_profiles_add(list, l);
	}
	return list;
}
