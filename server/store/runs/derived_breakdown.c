/* derived_breakdown.c - the layers of a run: what is told of all of it, kinds of
 * layer, blocks. */
#include "derived_table.h"
#include "breakdown_word.h"

/* A table of statistics or patterns has no launches to find layers in. */
static const struct breakdown *breakdown_of(const struct derived_run *run)
{
	static const struct breakdown none;
	return run->profile->content == CONTENT_LAUNCHES
		       ? &run->profile->breakdown
		       : &none;
}

/* Bars as three columns. */
static void write_bars(struct bulk *b, const struct breakdown *d)
{
	struct arena a = { 0 };
	int64_t *layer = arena_array(&a, int64_t, d->bars_n);
	int64_t *block = arena_array(&a, int64_t, d->bars_n);
	double *mean = arena_array(&a, double, d->bars_n);
	for (uint32_t i = 0; i < d->bars_n; i++) {
		layer[i] = d->bars[i].layer;
		block[i] = d->bars[i].block;
		mean[i] = d->bars[i].mean_ns;
	}
	bulk_int4(b, (int32_t)d->bars_n);
	bulk_packed(b, layer, d->bars_n);
	bulk_packed(b, block, d->bars_n);
	bulk_packed(b, mean, d->bars_n);
	arena_release(&a);
}

static void write_breakdown(struct bulk *b, const struct derived_run *run)
{
	const struct breakdown *d = breakdown_of(run);
	if (run->profile->content != CONTENT_LAUNCHES)
		return;
	bulk_row(b, 19 + 2 * TIME_COLUMNS_N);
	bulk_int8(b, run->id);
	bulk_text(b, breakdown_word_layers[d->detector]);
	bulk_float8(b, d->confidence);
	bulk_text(b, d->anchor);
	bulk_text(b, d->why);
	bulk_int4_known(b, d->device);
	bulk_bool(b, d->realigned);
	bulk_int4(b, (int32_t)d->passes);
	bulk_text(b, d->stratum);
	derived_time(b, &d->pass);
	bulk_int4(b, (int32_t)d->layers);
	derived_time(b, &d->layered);
	bulk_int8(b, d->wall_ns);
	bulk_int8(b, d->overlap_ns);
	bulk_int8(b, d->idle_ns);
	bulk_int8(b, d->other_ns);
	bulk_int8(b, d->exposed_comm_ns);
	write_bars(b, d);
}

#define TIME_OF(what)                                                         \
	what "_instances, " what "_total_ns, " what "_min_ns, " what          \
	     "_max_ns, " what "_avg_ns, " what "_med_ns, " what "_stddev_ns," \
	     " " what "_p90_ns, " what "_p99_ns"

#define PASS_TIME TIME_OF("pass")
#define LAYERED_TIME TIME_OF("layered")

const struct derived_table derived_breakdown = {
	"COPY run_breakdown (run_id, detector, confidence, anchor, why, "
	"device, realigned, passes, stratum, " PASS_TIME ", "
	"layers, " LAYERED_TIME ", "
	"wall_ns, overlap_ns, idle_ns, other_ns, exposed_comm_ns, "
	"bars, bar_layer, bar_block, bar_mean_ns) "
	"FROM STDIN (FORMAT binary)",
	write_breakdown,
};

static void write_sections(struct bulk *b, const struct derived_run *run)
{
	const struct breakdown *d = breakdown_of(run);
	for (uint32_t i = 0; i < d->sections_n; i++) {
		const struct breakdown_section *s = &d->sections[i];
		bulk_row(b, 8 + TIME_COLUMNS_N);
		bulk_int8(b, run->id);
		bulk_int4(b, (int32_t)i);
		bulk_text(b, breakdown_word_place[s->place]);
		bulk_text(b, s->name);
		bulk_int4(b, (int32_t)s->per_pass);
		bulk_int4(b, (int32_t)s->first);
		bulk_float8_known(b, s->alike);
		bulk_int8(b, s->instances);
		derived_time(b, &s->time);
	}
}

const struct derived_table derived_section = {
	"COPY run_section (run_id, section, place, name, per_pass, first, "
	"alike, occurs, " TIME_COLUMNS ") FROM STDIN (FORMAT binary)",
	write_sections,
};

static void write_blocks(struct bulk *b, const struct derived_run *run)
{
	const struct breakdown *d = breakdown_of(run);
	for (uint32_t i = 0; i < d->blocks_n; i++) {
		const struct breakdown_block *s = &d->blocks[i];
		bulk_row(b, 8);
		bulk_int8(b, run->id);
		bulk_int4(b, (int32_t)i);
		bulk_int4(b, (int32_t)s->section);
		bulk_text(b, breakdown_word_block[s->kind]);
		bulk_index(b, s->beside);
		bulk_float8_known(b, s->sum_ns);
		bulk_int8(b, s->exclusive_ns);
		bulk_int8(b, s->overlapped_ns);
	}
}

const struct derived_table derived_block = {
	"COPY run_block (run_id, block, section, kind, beside, sum_ns, "
	"exclusive_ns, overlapped_ns) FROM STDIN (FORMAT binary)",
	write_blocks,
};
