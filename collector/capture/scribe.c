/* scribe.c - rows on their way into the capture at hand; when it ends. */
#include "scribe.h"
#include "clock.h"
#include "say.h"
#include "scribe_state.h"
#include <errno.h>
#include <inttypes.h>
#include <kernsift/kst_reader.h>
#include "kst_wire.h"
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)
#define FILE_MOST_NS (600 * SECOND)
#define FLUSH_NS SECOND /* where there is no tail */
#define FLUSH_TAIL_NS (30 * SECOND)
#define RETRY_NS (60 * SECOND)

enum {
	MIB = 1 << 20,
	SMALL = 12 * MIB, /* a budget below that has smaller blocks */
	ROWS = 16384,
	ROWS_SMALL = 1024,
	TEXT_BITS = 17,
	TEXT_BITS_SMALL = 12,
	TAIL = 2 * MIB,
	TAIL_SMALL = MIB / 4,
};

size_t scribe_budget(const struct options *o)
{
	return (size_t)o->memory_mib * MIB / 8 * 3;
}

/* Where a kind has its process and its time. */
static void columns_find(struct scribe *s)
{
	for (int kind = 0; kind < KST_KINDS_END; kind++) {
		s->process[kind] = s->start[kind] = -1;
		s->columns[kind] = (uint8_t)kst_kind_columns(kind);
		for (uint32_t c = 0; c < s->columns[kind]; c++) {
			const char *name = kst_column_name(kind, c);
			if (!strcmp(name, "process"))
				s->process[kind] = (int8_t)c;
			else if (!strcmp(name, "start_ns"))
				s->start[kind] = (int8_t)c;
		}
	}
}

struct scribe *scribe_new(const struct options *o)
{
	struct scribe *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (s == MAP_FAILED)
		return NULL;
	/* A forked child sees zeroes: `alive` is false there. */
	madvise(s, sizeof *s, MADV_WIPEONFORK);
	size_t budget = scribe_budget(o);
	s->alive = true;
	s->options = o;
	s->memory.ceiling = budget;
	s->hooks = mapped_memory(&s->memory);
	s->captures = 1;
	spool_init(&s->spool, o);
	redact_init(&s->redact, o, &s->memory);
	texts_init(&s->texts, &s->memory,
		budget < SMALL ? TEXT_BITS_SMALL : TEXT_BITS);
	columns_find(s);
	return s;
}

static void fact_write(struct scribe *s, const char *name, const char *value)
{
	scribe_row(s, KST_fact,
		&(struct kst_fact){
			.name = scribe_text(s, TEXT_OWN, 0, name, strlen(name)),
			.value = scribe_text(s, TEXT_OWN, 0, value,
				strlen(value)) });
}

static void facts_write(struct scribe *s)
{
	const struct scribe_facts *f = &s->facts;
	char text[64];
	fact_write(s, "profiler", "kernsift " KERNSIFT_VERSION);
	if (f->cupti_version) {
		snprintf(text, sizeof text, "%" PRIu32, f->cupti_version);
		fact_write(s, "cupti", text);
	}
	if (f->driver_version) {
		snprintf(text, sizeof text, "%" PRIu32 ".%" PRIu32,
			f->driver_version / 1000,
			f->driver_version % 1000 / 10);
		fact_write(s, "cuda_driver", text);
	}
	if (f->mode)
		fact_write(s, "graph_mode", f->mode);
}

void scribe_facts(struct scribe *s, const struct scribe_facts *f)
{
	s->facts = *f;
	s->has_facts = true;
	if (s->file.writer)
		facts_write(s);
}

int64_t scribe_captures(const struct scribe *s)
{
	return s->captures;
}

static bool begin(struct scribe *s)
{
	struct kst_about about = { .writer = "kernsift " KERNSIFT_VERSION,
		.source = "cupti",
		.base_ns = clock_real_ns(),
		.base_is_utc = 1 };
	bool small = s->memory.ceiling < SMALL;
	struct kst_options options = { .memory = &s->hooks,
		.rows = small ? ROWS_SMALL : ROWS };
	_Static_assert(sizeof about.host > sizeof s->spool.host, "it fits");
	memcpy(about.host, s->spool.host, sizeof s->spool.host);
	texts_forget(&s->texts);
	s->texts_dropped = s->texts_long = s->facts_n = 0;
	if (!spool_open(&s->spool)) {
		s->failed_ns = about.base_ns;
		return false;
	}
	if (!scribe_file_begin(&s->file, &s->spool, &about, &options,
		    small ? TAIL_SMALL : TAIL)) {
		say_once("no capture can be written: %s",
			strerror(s->file.error));
		s->failed_ns = about.base_ns;
		spool_close(&s->spool);
		return false;
	}
	if (s->has_facts)
		facts_write(s);
	return s->file.writer;
}

bool scribe_ready(struct scribe *s)
{
	if (s->file.writer)
		return true;
	return s->alive && !s->failed_ns && begin(s);
}

bool scribe_fail(struct scribe *s)
{
	if (!s->file.writer)
		return false;
	say_once("writing a capture failed: %s; what is recorded is lost for "
		 "now",
		strerror(s->file.error ? s->file.error : ENOMEM));
	s->dropped += scribe_file_give_up(&s->file, &s->spool);
	spool_close(&s->spool);
	s->failed_ns = clock_real_ns();
	return false;
}

int64_t scribe_shape(struct scribe *s, const struct kst_shape *shape)
{
	if (!scribe_ready(s))
		return 0;
	int64_t id = kst_writer_shape(s->file.writer, shape);
	if (id < 0)
		scribe_fail(s);
	return id < 0 ? 0 : id;
}

bool scribe_row(struct scribe *s, enum kst_kind kind, const void *row)
{
	uint64_t cells[KST_COLUMNS_MAX];
	if (!scribe_ready(s)) {
		s->dropped += s->alive && scribe_file_counts(kind);
		return false;
	}
	const char *from = row;
	for (uint32_t c = 0; c < s->columns[kind]; c++)
		memcpy(&cells[c], from + c * sizeof *cells, sizeof *cells);
	if (s->process[kind] >= 0)
		cells[s->process[kind]] = 0;
	if (s->start[kind] >= 0)
		cells[s->start[kind]] -= (uint64_t)s->file.base_ns;
	if (kind == KST_fact)
		cells[KST_COLUMN(fact, row)] = (uint64_t)s->facts_n++;
	if (scribe_file_row(&s->file, kind, cells))
		return true;
	s->dropped += scribe_file_counts(kind);
	return scribe_fail(s);
}

void scribe_note(struct scribe *s, const char *code, int64_t count,
	const char *detail)
{
	struct kst_note row = { .code = scribe_text(s, TEXT_OWN, 0, code,
					strlen(code)),
		.count = count,
		.detail = scribe_text(s, TEXT_PATH, 0, detail ? detail : "",
			detail ? strlen(detail) : 0) };
	scribe_row(s, KST_note, &row);
}

/* The capture becomes whole, and the next row begins another. */
static void end(struct scribe *s)
{
	if (s->texts_dropped)
		scribe_note(s, "text_redacted", s->texts_dropped, NULL);
	if (s->texts_long)
		scribe_note(s, "text_dropped", s->texts_long, NULL);
	if (s->file.writer && !scribe_file_end(&s->file, &s->spool))
		scribe_fail(s);
	spool_close(&s->spool);
	s->captures++;
}

/* The most bytes of one file: two of them fit the disk's share. */
static uint64_t file_most(const struct options *o)
{
	uint64_t most = (uint64_t)o->file_mib, disk = (uint64_t)o->disk_mib;
	return (most < disk / 2 ? most : disk / 2) * MIB;
}

static void keep_caps(struct scribe *s, int64_t now_ns)
{
	uint64_t disk = (uint64_t)s->options->disk_mib * MIB;
	struct scribe_file *f = &s->file;
	if (f->bytes >= file_most(s->options) ||
		now_ns - f->begun_ns >= FILE_MOST_NS)
		end(s);
	uint64_t open_bytes = f->writer ? f->bytes + f->tail_bytes : 0;
	spool_keep(&s->spool, disk > open_bytes ? disk - open_bytes : 0);
	s->dropped += s->spool.lost_rows;
	s->spool.lost_rows = 0;
}

void scribe_beat(struct scribe *s, int64_t now_ns, bool idle)
{
	if (!s->alive)
		return;
	if (s->failed_ns && (idle || now_ns - s->failed_ns >= RETRY_NS)) {
		s->failed_ns = 0;
		s->captures++;
	}
	if (!s->file.writer)
		return;
	if (idle) {
		end(s);
		return;
	}
	if (now_ns - s->file.flushed_ns >=
		(s->file.tail ? FLUSH_TAIL_NS : FLUSH_NS)) {
		s->file.flushed_ns = now_ns;
		if (!scribe_file_flush(&s->file)) {
			scribe_fail(s);
			return;
		}
	}
	keep_caps(s, now_ns);
}

int64_t scribe_dropped(struct scribe *s)
{
	int64_t n = s->dropped;
	s->dropped = 0;
	return n;
}

void scribe_free(struct scribe *s)
{
	if (!s || !s->alive)
		return;
	if (s->file.writer)
		end(s);
	texts_forget(&s->texts);
	redact_release(&s->redact);
	munmap(s, sizeof *s);
}
