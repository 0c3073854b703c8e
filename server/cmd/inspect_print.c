/* inspect_print.c - lines and tables, in the order inspect.h gives. */
#include "inspect_print.h"
#include "inspect_cycles.h"
#include "inspect_facts.h"
#include "inspect_field.h"
#include "inspect_launches.h"
#include "inspect_layers.h"
#include "inspect_operators.h"
#include "inspect_patterns.h"
#include <inttypes.h>
#include <string.h>
#include <time.h>

/* Text on a line of its own: what would break the line becomes '?'. */
static void print_text(FILE *out, const char *s)
{
	for (s = s ? s : "unknown"; *s; s++)
		putc((unsigned char)*s < 0x20 || *s == 0x7F ? '?' : *s, out);
}

static void print_line(FILE *out, const char *key, const char *text)
{
	fprintf(out, "%s ", key);
	print_text(out, text);
	putc('\n', out);
}

static void print_number(FILE *out, const char *key, int64_t n)
{
	if (n < 0)
		print_line(out, key, NULL);
	else
		fprintf(out, "%s %" PRId64 "\n", key, n);
}

void inspect_print_file(FILE *out, const struct trace *t)
{
	print_line(out, "format", t->format);
	print_line(out, "framework", t->framework);
	fprintf(out, "runs %" PRIu32 "\n", t->processes_n);
}

static void print_started(FILE *out, int64_t utc_ns)
{
	const int64_t second = 1000000000;
	time_t s = (time_t)(utc_ns / second);
	char text[64];
	struct tm tm;

	if (utc_ns < 0 || !gmtime_r(&s, &tm) ||
		!strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm))
		print_line(out, "started", NULL);
	else
		fprintf(out, "started %s.%09" PRId64 "Z\n", text,
			utc_ns % second);
}

static void print_rank(FILE *out, const struct profile *p)
{
	if (p->rank < 0)
		print_line(out, "rank", NULL);
	else if (p->world_size < 0)
		fprintf(out, "rank %" PRId32 " of unknown\n", p->rank);
	else
		fprintf(out, "rank %" PRId32 " of %" PRId32 "\n", p->rank,
			p->world_size);
}

static void print_device(FILE *out, const struct profile_device *d)
{
	fprintf(out, "device %" PRId32 " launches=%" PRId64, d->number,
		d->launches);
	if (d->busy_ns < 0)
		fputs(" busy_ns=unknown", out);
	else
		fprintf(out, " busy_ns=%" PRId64, d->busy_ns);
	if (d->sm_count < 0)
		fputs(" sms=unknown", out);
	else
		fprintf(out, " sms=%" PRId32, d->sm_count);
	if (d->compute_major < 0)
		fputs(" compute=unknown", out);
	else
		fprintf(out, " compute=%" PRId32 ".%" PRId32, d->compute_major,
			d->compute_minor < 0 ? 0 : d->compute_minor);
	if (d->memory_bytes < 0)
		fputs(" memory_bytes=unknown", out);
	else
		fprintf(out, " memory_bytes=%" PRId64, d->memory_bytes);
	fputs(" name=", out);
	print_text(out, d->name);
	putc('\n', out);
}

static void print_notes(FILE *out, const struct notes *ns)
{
	struct arena a = { 0 };
	for (enum note_code c = 0; c < NOTE_CODES; c++) {
		if (!ns->count[c])
			continue;
		fprintf(out, "note %s %s %" PRId64 ": ",
			note_severity_name(note_severity(c)), note_name(c),
			ns->count[c]);
		print_text(out,
			note_sentence(&a, c, ns->count[c], ns->detail[c]));
		putc('\n', out);
	}
	arena_release(&a);
}

static void print_heading(FILE *out, const char *count, const char *rest)
{
	fprintf(out,
		"\nTime (%%),Total Time (ns),%s,Avg (ns),Med (ns),Min (ns),"
		"Max (ns),StdDev (ns),P90 (ns),P99 (ns),%s\n",
		count, rest);
}

static void print_time(FILE *out, double pct, const struct time_stats *t)
{
	inspect_field_tenths(out, pct);
	inspect_field_whole(out, t->total_ns);
	inspect_field_whole(out, t->instances);
	inspect_field_tenths(out, t->avg_ns);
	inspect_field_tenths(out, t->med_ns);
	inspect_field_whole(out, t->min_ns);
	inspect_field_whole(out, t->max_ns);
	inspect_field_tenths(out, t->stddev_ns);
	inspect_field_tenths(out, t->p90_ns);
	inspect_field_tenths(out, t->p99_ns);
}

static void print_three(FILE *out, const int32_t v[3])
{
	if (v[0] >= 0)
		fprintf(out, "%4" PRId32 " %4" PRId32 " %4" PRId32, v[0], v[1],
			v[2]);
	putc(',', out);
}

static void print_kernels(FILE *out, const struct profile *p, enum split split)
{
	static const char *const columns[] = { [SPLIT_NONE] = "Name",
		[SPLIT_DEVICE] = "Device,Name",
		[SPLIT_GRID] = "GridXYZ,BlockXYZ,Name" };

	bool headed = false;
	for (uint32_t i = 0; i < p->stats_n; i++) {
		const struct kernel_stat *s = &p->stats[i];
		if (s->split != split)
			continue;
		if (!headed)
			print_heading(out, "Instances", columns[split]);
		headed = true;
		print_time(out, s->time_pct, &s->time);
		if (split == SPLIT_DEVICE)
			fprintf(out, "%" PRId32 ",", s->device);
		if (split == SPLIT_GRID) {
			print_three(out, s->grid);
			print_three(out, s->block);
		}
		inspect_field_text(out, p->kernels[s->kernel].name);
		putc('\n', out);
	}
}

static void print_copies(FILE *out, const struct profile *p, enum split split)
{
	if (p->copies)
		print_heading(out, "Count",
			split == SPLIT_DEVICE ? "Bytes,Sized,Device,Operation"
					      : "Bytes,Sized,Operation");
	for (uint32_t i = 0; i < p->copy_stats_n; i++) {
		const struct copy_stat *s = &p->copy_stats[i];
		if (s->split != split)
			continue;
		print_time(out, s->time_pct, &s->time);
		fprintf(out, "%" PRId64 ",%" PRId64 ",", s->bytes, s->sized);
		if (split == SPLIT_DEVICE)
			fprintf(out, "%" PRId32 ",", s->device);
		inspect_field_text(out, s->operation);
		putc('\n', out);
	}
}

/* In the order of the kernel table. */
static void print_sources(FILE *out, const struct profile *p)
{
	if (p->stats_n)
		fputs("\nShort Name,Family,Operator,Defined In,Launched From,"
		      "Known From,Mangled,Name\n",
			out);
	for (uint32_t i = 0; i < p->stats_n; i++) {
		if (p->stats[i].split != SPLIT_NONE)
			continue;
		const struct profile_kernel *k =
			&p->kernels[p->stats[i].kernel];
		const char *fields[] = { k->short_name, k->source.family,
			k->operator, k->source.defined_in,
			k->source.launched_from, k->source.known_from,
			k->mangled, k->name };
		enum { FIELDS = sizeof fields / sizeof *fields };
		for (int f = 0; f < FIELDS; f++) {
			inspect_field_text(out, fields[f]);
			putc(f == FIELDS - 1 ? '\n' : ',', out);
		}
	}
}

/* NULL: statistics, split by it. */
static const struct {
	const char *by;
	void (*print)(FILE *out, const struct profile *p);
} tables[] = {
	{ "kernels", NULL },
	{ "device", NULL },
	{ "grid", NULL },
	{ "source", print_sources },
	{ "launches", inspect_launches },
	{ "callers", inspect_callers },
	{ "cycles", inspect_cycles },
	{ "patterns", inspect_patterns },
	{ "facts", inspect_facts },
	{ "operators", inspect_operators },
	{ "shapes", inspect_shapes },
	{ "unattributed", inspect_unattributed },
	{ "layers", inspect_layers },
};
enum { TABLES = sizeof tables / sizeof *tables };

bool inspect_print_knows(const char *by)
{
	for (size_t i = 0; i < TABLES; i++)
		if (!strcmp(by, tables[i].by))
			return true;
	return false;
}

void inspect_print_run(FILE *out, const struct profile *p, uint32_t number,
	const char *by)
{
	fprintf(out, "\nrun %" PRIu32 "\n", number);
	print_number(out, "process", p->pid);
	print_line(out, "process_name", p->process_name);
	print_line(out, "host", p->host);
	print_rank(out, p);
	print_started(out, p->started_utc_ns);
	print_number(out, "span_ns", p->span_ns);
	print_number(out, "busy_ns", p->busy_ns);
	print_number(out, "kernel_ns", p->kernel_ns);
	print_number(out, "launches", p->launches);
	print_number(out, "kernels", p->kernels_n);
	print_number(out, "copy_ns", p->copy_ns);
	print_number(out, "copies", p->copies);
	inspect_graphs(out, p);
	for (uint32_t i = 0; i < p->devices_n; i++)
		print_device(out, &p->devices[i]);
	print_notes(out, &p->notes);

	for (size_t i = 0; i < TABLES; i++)
		if (!strcmp(by, tables[i].by) && tables[i].print) {
			tables[i].print(out, p);
			return;
		}
	bool device = !strcmp(by, "device");
	bool grid = !strcmp(by, "grid");
	print_kernels(out, p,
		device ? SPLIT_DEVICE
		: grid ? SPLIT_GRID
		       : SPLIT_NONE);
	print_copies(out, p, device ? SPLIT_DEVICE : SPLIT_NONE);
}
