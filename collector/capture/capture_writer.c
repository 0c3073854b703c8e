/* capture_writer.c - writes rows, texts and shapes to the capture file of this
 * process. */
#include "capture_writer.h"
#include "clock.h"
#include "siphash.h"
#include "kst_wire.h"
#include "mapped.h"
#include "redact.h"
#include "log.h"
#include "spool.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <kernsift/kst_reader.h>
#include <kernsift/kst_writer.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

/* Records which texts already have an id in this capture.
 *
 * A text is identified by 128 bits of a hash under a random key, so its bytes
 * are not stored. The size is bounded: a table that is half full is cleared. A
 * text that occurs again after that gets a second id, which the format
 * allows. */

struct texts {
	struct mapped *memory;
	struct siphash_key key[2];
	struct texts_slot {
		uint64_t hash[2];
		int64_t id; /* 0: a free slot */
	} * slots;
	struct capture_writer_texts_key {
		uint64_t key; /* 0: a free slot */
		int64_t id;
	} * keys; /* a cache with one possible slot per key */
	uint32_t bits, n;
};

/* The one capture file that is being written: its file, tail and writer.
 *
 * All bytes are written by the functions of this struct. Each write first
 * checks the file, because a host that closes all descriptors may have reused
 * ours for its own file. */

struct capture_writer_file {
	struct kst_writer *writer; /* NULL: none is open */
	struct kst_tail *tail; /* NULL: the folder cannot contain a tail */
	int fd;
	dev_t device;
	ino_t inode;
	uint64_t bytes, tail_bytes; /* bytes written; bytes of the tail */
	uint64_t most; /* the file size that RLIMIT_FSIZE allows */
	int error; /* errno of the write that failed */
	uint32_t number;
	int64_t base_ns, begun_ns, flushed_ns;
	int64_t records; /* rows that capture_writer_file_counts() */
	uint64_t waiting[KST_KINDS_END]; /* rows in no chunk yet, by kind */
	uint64_t waiting_n; /* and in total */
};

/* The capture writer; the functions above are for its files. */

struct capture_writer {
	/* false in a forked child, which reads zeros from this struct */
	bool alive;
	const struct collector_options *options;
	struct mapped memory;
	struct kst_memory hooks;
	struct capture_spool spool;
	struct redact redact;
	struct texts texts;
	struct capture_writer_file file;
	struct capture_writer_facts facts;
	bool has_facts;
	int64_t facts_n; /* facts in this capture */
	int64_t captures;
	int64_t failed_ns; /* time of the failure; 0: writing works */
	int64_t dropped; /* rows */
	int64_t texts_dropped, texts_long; /* for the capture's notes */
	int8_t process[KST_KINDS_END],
		start[KST_KINDS_END]; /* columns, or -1 */
	uint8_t columns[KST_KINDS_END];
};

static bool capture_writer_ready(struct capture_writer *s);
static bool capture_writer_fail(struct capture_writer *s);

/* Up to 2^(bits - 1) texts and 2^bits keys. No memory is taken yet. */
static void capture_writer_texts_init(struct texts *t, struct mapped *memory,
	uint32_t bits)
{
	*t = (struct texts){ .memory = memory,
		.bits = bits,
		.key = { siphash_key_random(), siphash_key_random() } };
}

static void capture_writer_texts_forget(struct texts *t)
{
	mapped_drop(t->memory, t->slots);
	mapped_drop(t->memory, t->keys);
	t->slots = NULL;
	t->keys = NULL;
	t->n = 0;
}

/* Where the id for a key is stored. The value is 0 if the key has no id yet,
 * and the caller sets it. NULL if there is no memory. */
static struct capture_writer_texts_key *capture_writer_texts_key(struct texts
									 *t,
	uint64_t key)
{
	size_t cap = (size_t)1 << t->bits;
	if (!t->keys)
		t->keys = mapped_grow(t->memory, NULL, cap * sizeof *t->keys);
	if (!t->keys)
		return NULL;
	struct capture_writer_texts_key *k =
		&t->keys[key * 0x9e3779b97f4a7c15u >> (64 - t->bits)];
	if (k->key != key)
		*k = (struct capture_writer_texts_key){ key, 0 };
	return k;
}

/* Where the id for a text is stored. If it is 0 the text is new, and the
 * caller sets the id. */
static int64_t *capture_writer_texts_id(struct texts *t, const char *text,
	size_t len)
{
	size_t cap = (size_t)1 << t->bits;
	if (t->n >= cap / 2) {
		mapped_drop(t->memory, t->slots);
		t->slots = NULL;
		t->n = 0;
	}
	if (!t->slots)
		t->slots = mapped_grow(t->memory, NULL, cap * sizeof *t->slots);
	if (!t->slots)
		return NULL;
	uint64_t a = siphash(&t->key[0], text, len);
	uint64_t b = siphash(&t->key[1], text, len);
	struct texts_slot *s;
	for (size_t i = a & (cap - 1);; i = (i + 1) & (cap - 1)) {
		s = &t->slots[i];
		if (!s->id || (s->hash[0] == a && s->hash[1] == b))
			break;
	}
	if (!s->id) {
		s->hash[0] = a;
		s->hash[1] = b;
		t->n++;
	}
	return &s->id;
}

/* Whether the descriptor still is the file we opened. */
static bool capture_writer_is_ours(const struct capture_writer_file *f)
{
	struct stat st;
	return !fstat(f->fd, &st) && st.st_dev == f->device &&
	       st.st_ino == f->inode;
}

static bool capture_writer_put(void *ctx, const void *bytes, size_t len)
{
	struct capture_writer_file *f = ctx;
	const char *at = bytes;
	f->error = !capture_writer_is_ours(f) ? EBADF
		   : len > f->most - f->bytes ? EFBIG
					      : 0;
	while (len && !f->error) {
		ssize_t n = write(f->fd, at, len);
		if (n < 0 && errno != EINTR)
			f->error = errno;
		if (n <= 0)
			continue;
		at += n;
		len -= (size_t)n;
		f->bytes += (size_t)n;
	}
	return !f->error;
}

static void capture_writer_limits(struct capture_writer_file *f)
{
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };
	struct stat st = { 0 };
	getrlimit(RLIMIT_FSIZE, &limit);
	f->most = limit.rlim_cur;
	fstat(f->fd, &st);
	f->device = st.st_dev;
	f->inode = st.st_ino;
}

static void capture_writer_close_all(struct capture_writer_file *f)
{
	kst_writer_free(f->writer);
	kst_tail_free(f->tail);
	f->writer = NULL;
	f->tail = NULL;
	if (capture_writer_is_ours(f))
		close(f->fd);
}

/* Creates the tail. If that fails, the capture continues without a tail: a
 * killed process then loses only the rows of the last second. */
static void capture_writer_tail_make(struct capture_writer_file *f,
	const struct capture_spool *spool, size_t bytes,
	const struct kst_memory *memory)
{
	char name[SPOOL_NAME];
	if (bytes > f->most)
		return;
	spool_name(spool, name, f->number, ".kst.tail");
	f->tail = kst_tail_new(spool->folder, name, bytes, memory);
	f->tail_bytes = f->tail ? bytes : 0;
	if (!f->tail)
		log_line_once("the spool folder cannot hold a tail (%s): a "
			      "process "
			      "that is killed loses up to a second",
			strerror(errno));
}

/* Begins a file. If there is no space, no memory or no permission, returns
 * false, sets f->error and leaves no file behind. */
static bool capture_writer_file_begin(struct capture_writer_file *f,
	struct capture_spool *spool, const struct kst_about *about,
	const struct kst_options *options, size_t tail_bytes)
{
	static const char *const suffixes[] = { ".kst.part", ".kst.tail" };
	struct kst_options with = *options;
	char name[SPOOL_NAME];
	*f = (struct capture_writer_file){ .base_ns = about->base_ns,
		.begun_ns = about->base_ns,
		.flushed_ns = about->base_ns };
	f->fd = spool_make(spool, &f->number);
	if (f->fd < 0) {
		f->error = errno;
		return false;
	}
	capture_writer_limits(f);
	capture_writer_tail_make(f, spool, tail_bytes, options->memory);
	with.tail = f->tail;
	f->writer = kst_writer_new(about, capture_writer_put, f, &with);
	if (f->writer)
		return true;
	if (!f->error)
		f->error = ENOMEM;
	capture_writer_close_all(f);
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		spool_name(spool, name, f->number, suffixes[i]);
		unlinkat(spool->folder, name, 0);
	}
	return false;
}

static void capture_writer_account(struct capture_writer_file *f,
	struct capture_spool *spool, bool part)
{
	spool_add(spool,
		&(struct spool_file){ f->number, part, f->records, f->bytes });
}

/* Whether rows of this kind are records or ranges. Lost rows of these kinds
 * are counted, so that recorded plus dropped rows are all rows that were
 * made. */
static bool capture_writer_file_counts(enum kst_kind kind)
{
	return kind == KST_kernel || kind == KST_copy || kind == KST_call ||
	       kind == KST_op || kind == KST_range || kind == KST_graph;
}

/* Writes one row, with times relative to the capture's base. False as above. */
static bool capture_writer_file_row(struct capture_writer_file *f,
	enum kst_kind kind, uint64_t *cells)
{
	if (!kst_writer_cells(f->writer, kind, cells))
		return false;
	f->records += capture_writer_file_counts(kind);
	/* One row more; or, if a block was full, the rows of this kind less. */
	uint64_t waiting_n = kst_writer_waiting(f->writer);
	f->waiting[kind] += waiting_n - f->waiting_n;
	f->waiting_n = waiting_n;
	return true;
}

/* Writes all rows in chunks. False as above. */
static bool capture_writer_file_flush(struct capture_writer_file *f)
{
	if (!kst_writer_flush(f->writer))
		return false;
	memset(f->waiting, 0, sizeof f->waiting);
	f->waiting_n = 0;
	return true;
}

/* The number of records that are in no chunk, for a capture without a tail. A
 * flush writes one kind after another, so the kinds that it wrote before it
 * failed are no longer waiting. */
static int64_t capture_writer_records_waiting(
	const struct capture_writer_file *f)
{
	uint64_t written = f->waiting_n - kst_writer_waiting(f->writer);
	uint64_t records = 0;
	for (int kind = 0; kind < KST_KINDS_END; kind++) {
		uint64_t n = f->waiting[kind];
		if (written >= n)
			written -= n;
		else if (capture_writer_file_counts((enum kst_kind)kind))
			records += n;
	}
	return (int64_t)records;
}

/* Completes the capture file. If that fails, returns false; the caller then
 * calls capture_writer_file_give_up(). */
static bool capture_writer_file_end(struct capture_writer_file *f,
	struct capture_spool *spool)
{
	if (!kst_writer_end(f->writer))
		return false;
	capture_writer_close_all(f);
	capture_writer_account(f, spool, !spool_finish(spool, f->number));
	return true;
}

/* Leaves the part file with its complete chunks to the uploader. Returns the
 * number of records that are lost. */
static int64_t capture_writer_file_give_up(struct capture_writer_file *f,
	struct capture_spool *spool)
{
	int64_t lost = f->tail ? 0 : capture_writer_records_waiting(f);
	f->records -= lost;
	capture_writer_close_all(f);
	capture_writer_account(f, spool, true);
	return lost;
}

static int64_t capture_writer_text_write(struct capture_writer *s,
	const char *text, size_t len)
{
	int64_t *known = capture_writer_texts_id(&s->texts, text, len);
	int64_t id = known ? *known : 0;
	if (id == 0)
		id = kst_writer_text(s->file.writer, text, len);
	if (id < 0) {
		capture_writer_fail(s);
		return 0;
	}
	if (known)
		*known = id;
	return id;
}

static int64_t capture_writer_text_redacted(struct capture_writer *s,
	const char *text, size_t len)
{
	char hash[REDACT_HASH_LEN + 1];
	switch (redact_text(&s->redact, s->spool.folder, text, len, hash)) {
	case REDACT_DROPPED:
		s->texts_dropped++;
		return 0;
	case REDACT_HASHED:
		return capture_writer_text_write(s, hash, REDACT_HASH_LEN);
	case REDACT_KEPT:
		break;
	}
	return capture_writer_text_write(s, text, len);
}

int64_t capture_writer_text(struct capture_writer *s,
	enum capture_writer_text_kind kind, uint64_t key, const char *text,
	size_t len)
{
	if (len == 0 || !capture_writer_ready(s))
		return 0;
	struct capture_writer_texts_key *k =
		key ? capture_writer_texts_key(&s->texts,
			      key ^ (uint64_t)(kind + 1) << 60)
		    : NULL;
	/* The id -1 records that the text must not be written. */
	if (k && k->id)
		return k->id > 0 ? k->id : 0;
	int64_t id = 0;
	if (len > KST_TEXT_MAX)
		s->texts_long++;
	else
		id = kind == TEXT_OWN
			     ? capture_writer_text_write(s, text, len)
			     : capture_writer_text_redacted(s, text, len);
	if (k)
		k->id = id ? id : -1;
	return id;
}

#define SECOND INT64_C(1000000000)
#define FILE_MOST_NS (600 * SECOND)
#define FLUSH_NS SECOND /* if there is no tail */
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

/* Bytes of memory a writer takes at most: 3/8 of KERNSIFT_TRACE_MEMORY_MIB. */
static size_t capture_writer_budget(const struct collector_options *o)
{
	return (size_t)o->memory_mib * MIB / 8 * 3;
}

/* Finds the columns of each kind that contain the process and the start. */
static void capture_writer_columns_find(struct capture_writer *s)
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

struct capture_writer *capture_writer_new(const struct collector_options *o)
{
	struct capture_writer *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (s == MAP_FAILED)
		return NULL;
	/* A forked child sees zeroes: `alive` is false there. */
	madvise(s, sizeof *s, MADV_WIPEONFORK);
	size_t budget = capture_writer_budget(o);
	s->alive = true;
	s->options = o;
	s->memory.ceiling = budget;
	s->hooks = mapped_memory(&s->memory);
	s->captures = 1;
	spool_init(&s->spool, o);
	redact_init(&s->redact, o, &s->memory);
	capture_writer_texts_init(&s->texts, &s->memory,
		budget < SMALL ? TEXT_BITS_SMALL : TEXT_BITS);
	capture_writer_columns_find(s);
	return s;
}

static void capture_writer_fact_write(struct capture_writer *s,
	const char *name, const char *value)
{
	capture_writer_row(s, KST_fact,
		&(struct kst_fact){ .name = capture_writer_text(s, TEXT_OWN, 0,
					    name, strlen(name)),
			.value = capture_writer_text(s, TEXT_OWN, 0, value,
				strlen(value)) });
}

static void capture_writer_facts_write(struct capture_writer *s)
{
	const struct capture_writer_facts *f = &s->facts;
	char text[64];
	capture_writer_fact_write(s, "profiler", "kernsift " KERNSIFT_VERSION);
	if (f->cupti_version) {
		snprintf(text, sizeof text, "%" PRIu32, f->cupti_version);
		capture_writer_fact_write(s, "cupti", text);
	}
	if (f->driver_version) {
		snprintf(text, sizeof text, "%" PRIu32 ".%" PRIu32,
			f->driver_version / 1000,
			f->driver_version % 1000 / 10);
		capture_writer_fact_write(s, "cuda_driver", text);
	}
	if (f->mode)
		capture_writer_fact_write(s, "graph_mode", f->mode);
}

void capture_writer_facts(struct capture_writer *s,
	const struct capture_writer_facts *f)
{
	s->facts = *f;
	s->has_facts = true;
	if (s->file.writer)
		capture_writer_facts_write(s);
}

int64_t capture_writer_captures(const struct capture_writer *s)
{
	return s->captures;
}

static bool capture_writer_begin(struct capture_writer *s)
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
	capture_writer_texts_forget(&s->texts);
	s->texts_dropped = s->texts_long = s->facts_n = 0;
	if (!spool_open(&s->spool)) {
		s->failed_ns = about.base_ns;
		return false;
	}
	if (!capture_writer_file_begin(&s->file, &s->spool, &about, &options,
		    small ? TAIL_SMALL : TAIL)) {
		log_line_once("no capture can be written: %s",
			strerror(s->file.error));
		s->failed_ns = about.base_ns;
		spool_close(&s->spool);
		return false;
	}
	if (s->has_facts)
		capture_writer_facts_write(s);
	return s->file.writer;
}

/* Whether there is a file to write to. Creates the file if necessary. */
static bool capture_writer_ready(struct capture_writer *s)
{
	if (s->file.writer)
		return true;
	return s->alive && !s->failed_ns && capture_writer_begin(s);
}

/* Gives up the file after a failed write. Always returns false. */
static bool capture_writer_fail(struct capture_writer *s)
{
	if (!s->file.writer)
		return false;
	log_line_once("writing a capture failed: %s; what is recorded is lost "
		      "for "
		      "now",
		strerror(s->file.error ? s->file.error : ENOMEM));
	s->dropped += capture_writer_file_give_up(&s->file, &s->spool);
	spool_close(&s->spool);
	s->failed_ns = clock_real_ns();
	return false;
}

int64_t capture_writer_shape(struct capture_writer *s,
	const struct kst_shape *shape)
{
	if (!capture_writer_ready(s))
		return 0;
	int64_t id = kst_writer_shape(s->file.writer, shape);
	if (id < 0)
		capture_writer_fail(s);
	return id < 0 ? 0 : id;
}

bool capture_writer_row(struct capture_writer *s, enum kst_kind kind,
	const void *row)
{
	uint64_t cells[KST_COLUMNS_MAX];
	if (!capture_writer_ready(s)) {
		s->dropped += s->alive && capture_writer_file_counts(kind);
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
	if (capture_writer_file_row(&s->file, kind, cells))
		return true;
	s->dropped += capture_writer_file_counts(kind);
	return capture_writer_fail(s);
}

void capture_writer_note(struct capture_writer *s, const char *code,
	int64_t count, const char *detail)
{
	struct kst_note row = { .code = capture_writer_text(s, TEXT_OWN, 0,
					code, strlen(code)),
		.count = count,
		.detail = capture_writer_text(s, TEXT_PATH, 0,
			detail ? detail : "", detail ? strlen(detail) : 0) };
	capture_writer_row(s, KST_note, &row);
}

/* Completes the capture. The next row begins another one. */
static void capture_writer_end(struct capture_writer *s)
{
	if (s->texts_dropped)
		capture_writer_note(s, "text_redacted", s->texts_dropped, NULL);
	if (s->texts_long)
		capture_writer_note(s, "text_dropped", s->texts_long, NULL);
	if (s->file.writer && !capture_writer_file_end(&s->file, &s->spool))
		capture_writer_fail(s);
	spool_close(&s->spool);
	s->captures++;
}

/* The maximum bytes of one file. Two files must fit into the limit on the
 * disk. */
static uint64_t capture_writer_file_most(const struct collector_options *o)
{
	uint64_t most = (uint64_t)o->file_mib, disk = (uint64_t)o->disk_mib;
	return (most < disk / 2 ? most : disk / 2) * MIB;
}

static void capture_writer_keep_caps(struct capture_writer *s, int64_t now_ns)
{
	uint64_t disk = (uint64_t)s->options->disk_mib * MIB;
	struct capture_writer_file *f = &s->file;
	if (f->bytes >= capture_writer_file_most(s->options) ||
		now_ns - f->begun_ns >= FILE_MOST_NS)
		capture_writer_end(s);
	uint64_t open_bytes = f->writer ? f->bytes + f->tail_bytes : 0;
	spool_keep(&s->spool, disk > open_bytes ? disk - open_bytes : 0);
	s->dropped += s->spool.lost_rows;
	s->spool.lost_rows = 0;
}

void capture_writer_beat(struct capture_writer *s, int64_t now_ns, bool idle)
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
		capture_writer_end(s);
		return;
	}
	if (now_ns - s->file.flushed_ns >=
		(s->file.tail ? FLUSH_TAIL_NS : FLUSH_NS)) {
		s->file.flushed_ns = now_ns;
		if (!capture_writer_file_flush(&s->file)) {
			capture_writer_fail(s);
			return;
		}
	}
	capture_writer_keep_caps(s, now_ns);
}

int64_t capture_writer_dropped(struct capture_writer *s)
{
	int64_t n = s->dropped;
	s->dropped = 0;
	return n;
}

void capture_writer_free(struct capture_writer *s)
{
	if (!s || !s->alive)
		return;
	if (s->file.writer)
		capture_writer_end(s);
	capture_writer_texts_forget(&s->texts);
	redact_release(&s->redact);
	munmap(s, sizeof *s);
}
