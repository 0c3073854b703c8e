/* fuzz_tables.c - fuzzes the decoders of statistics tables, of pattern files
 * and of the tables of Nsight Compute with any text.
 *
 * All decoders read the text, whatever format would be detected. The rows
 * that they accept must meet the guarantees of their columns, and the analysis
 * must accept them. */
#include "analyze.h"
#include "figure.h"
#include "format.h"
#include "fuzz_parts.h"
#include "ncu_table.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

static bool time_ok(int64_t ns)
{
	return ns >= -1 && ns <= TRACE_TIME_MAX_NS;
}

static void check_stats(const struct trace *t)
{
	const struct stat_rows *s = &t->stat;
	int64_t total[2] = { 0, 0 };
	for (uint32_t i = 0; i < s->n; i++) {
		assert(s->row[i] == i && s->process[i] < t->processes_n);
		assert(s->name[i] && s->name[i] < t->names.n);
		assert(s->source[i] < t->names.n);
		assert(s->launch[i] < t->launch_shapes.n);
		assert(s->instances[i] > 0 && s->total_ns[i] >= 0);
		assert(time_ok(s->min_ns[i]) && time_ok(s->max_ns[i]));
		assert(isnan(s->avg_ns[i]) || s->avg_ns[i] >= 0);
		assert(isnan(s->time_pct[i]) ||
			(s->time_pct[i] >= 0 && s->time_pct[i] <= 100));
		total[s->launch[i] != 0] += s->total_ns[i];
	}
	assert(time_ok(total[0]) && time_ok(total[1]));
}

static void check_patterns(const struct trace *t)
{
	const struct pattern_rows *p = &t->pattern;
	const struct counter_rows *c = &t->counter;
	for (uint32_t i = 0; i < p->n; i++) {
		assert(p->process[i] < t->processes_n && p->name[i]);
		assert(p->instances[i] > 0 && p->dur_ns[i] >= 0);
		assert(time_ok(p->dur_ns[i]) && time_ok(p->iteration_ns[i]));
		assert(time_ok(p->iteration_start_ns[i]));
		assert(p->interpolated[i] <= 2 && !isinf(p->beta_pct[i]));
	}
	for (uint32_t i = 0; i < c->n; i++) {
		assert(c->process[i] < t->processes_n && c->name[i]);
		assert(time_ok(c->start_ns[i]) && c->start_ns[i] >= 0);
		assert(isfinite(c->value[i]));
	}
}

/* Decodes as one of the two formats, and analyzes the result. */
static void play(format_fn *decoder, const uint8_t *data, size_t size,
	const struct catalog *families)
{
	struct arena a = { .ceiling = (size_t)ARENA_MIB << 20 };
	struct fuzz_parts from = fuzz_parts_of(data, size);
	struct source s = { fuzz_parts_next, &from, -1 };
	struct err e = { 0 };
	struct trace t;
	struct plain plain;
	struct byte_window w;
	struct profile p;

	bool ok = trace_init(&t, &a);
	assert(ok);
	plain_init(&plain, &s, &fuzz_limits, NULL, &a, &t.notes);
	if (byte_window_init(&w, &plain, &e)) {
		ok = decoder(&w, &t, &e) && trace_sort(&t);
		assert(ok ? t.processes_n > 0 && !e.code : e.code || a.full);
		if (ok) {
			check_stats(&t);
			check_patterns(&t);
		}
		for (uint32_t i = 0; ok && i < t.processes_n && i < 4; i++)
			ok = profile_from(&t, i, families, NULL, &a, &p, &e);
		byte_window_release(&w);
	}
	plain_release(&plain);
	arena_release(&a);
}

static void check_profiles(const struct kernel_profiles *is)
{
	int64_t launches = 0;
	assert(is->n <= NCU_PROFILES_MAX);
	for (uint32_t i = 0; i < is->n; i++) {
		const struct kernel_profile *p = &is->rows[i];
		double total = 0;
		assert(p->name && p->launches > 0);
		launches += p->launches;
		for (int d = 0; d < 3; d++)
			assert(p->grid[d] >= -1 && p->block[d] >= -1);
		for (int f = 0; f < KERNEL_FIGURES; f++)
			assert(!isinf(p->figure[f]));
		for (int s = 0; s < STALL_REASONS; s++)
			total += isnan(p->stall_pct[s]) ? 0 : p->stall_pct[s];
		assert(total >= 0 && total < 100.001);
	}
	assert(launches == is->launches);
	assert(is->bad_lines >= 0 && is->bad_values >= 0);
}

/* Reads the text as a table of Nsight Compute, twice: ids begin again. */
static void play_ncu(const uint8_t *data, size_t size)
{
	struct arena a = { .ceiling = (size_t)ARENA_MIB << 20 };
	struct ncu_reader *r = ncu_reader_new(&a);
	struct kernel_profiles is;
	struct err e = { 0 };
	assert(r);
	if (ncu_reader_add(r, "'x'", data, size, &e) &&
		ncu_reader_add(r, "'y'", data, size, &e) &&
		ncu_reader_end(r, &a, &is, &e))
		check_profiles(&is);
	else
		assert(e.code && e.text[0]);
	arena_release(&a);
}

static void read_figure(const uint8_t *data, size_t size)
{
	struct figure f;
	int64_t whole;
	if (!figure_read((const char *)data, size, &f))
		return;
	double real = figure_real(&f, figure_ns_power(f.unit));
	assert(real >= 0 && !isnan(real));
	if (figure_whole(&f, figure_ns_power(f.unit), &whole))
		assert(fabs((double)whole - real) <= 1 + real * 1e-15);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct catalog *families;
	struct err e = { 0 };
	if (!families && !(families = catalog_new(NULL, &e)))
		abort();
	play(stats_table_decode, data, size, families);
	play(pattern_file_decode, data, size, families);
	play_ncu(data, size);
	read_figure(data + (size > 0), size < 64 ? size - (size > 0) : 63);
	return 0;
}
