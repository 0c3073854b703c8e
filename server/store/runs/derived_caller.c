/* derived_caller.c - who launched the kernels: callers, and of the tree of
 * frames what they reach. */
#include "derived_table.h"
#include "arena.h"
#include "profile_word.h"

/* Which frames lie on a caller's path, by index. A parent comes before its
 * children, so that one walk from the end finds all. */
static const bool *reached(struct arena *a, const struct profile *p)
{
	bool *is = arena_array(a, bool, p->frames_n);
	for (uint32_t i = 0; i < p->callers_n; i++)
		if (p->callers[i].known == CALLER_PATH)
			is[p->callers[i].frame] = true;
	for (uint32_t i = p->frames_n; i-- > 1;)
		if (is[i])
			is[p->frames[i].parent] = true;
	return is;
}

static void write_frames(struct bulk *b, const struct derived_run *run)
{
	const struct profile *p = run->profile;
	struct arena a = { 0 };
	const bool *is = reached(&a, p);
	for (uint32_t i = 1; i < p->frames_n; i++) {
		const struct frame *f = &p->frames[i];
		if (!is[i])
			continue;
		bulk_row(b, 5);
		bulk_int8(b, run->id);
		bulk_int4(b, (int32_t)i);
		bulk_int4(b, (int32_t)f->parent);
		bulk_text(b, profile_word_frame[f->kind]);
		bulk_text(b, f->name);
	}
	arena_release(&a);
}

const struct derived_table derived_frame = {
	"COPY run_frame (run_id, frame, parent, kind, name) "
	"FROM STDIN (FORMAT binary)",
	write_frames,
};

static void write_callers(struct bulk *b, const struct derived_run *run)
{
	const struct profile *p = run->profile;
	int32_t rank = 0;
	for (uint32_t i = 0; i < p->callers_n; i++, rank++) {
		const struct caller_stat *c = &p->callers[i];
		if (i && c->kernel != c[-1].kernel)
			rank = 0;
		bulk_row(b, 7);
		bulk_int8(b, run->id);
		bulk_int8(b, run->kernels[c->kernel]);
		bulk_int4(b, rank);
		bulk_text(b, profile_word_known[c->known]);
		if (c->known == CALLER_PATH)
			bulk_int4(b, (int32_t)c->frame);
		else
			bulk_null(b);
		bulk_int8(b, c->launches);
		bulk_int8(b, c->total_ns);
	}
}

const struct derived_table derived_caller = {
	"COPY run_caller (run_id, kernel_id, rank, known, frame, launches, "
	"total_ns) FROM STDIN (FORMAT binary)",
	write_callers,
};
