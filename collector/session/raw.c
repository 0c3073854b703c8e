/* raw.c - writes lines of text, each followed by the bytes that it
 * describes. */
#include "raw.h"
#include "clock.h"
#include "fd_guard.h"
#include "log.h"
#include "names.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 256 << 20, LINE = 128 };

struct raw {
	const struct layout *layout;
	const struct kernel_names *names;
	const char *folder;
	bool begun;
	int file; /* -1: none */
	struct fd_guard opened; /* of it */
	uint64_t bytes, buffers;
	uint8_t written[NAMES_MAX / 8]; /* one bit per number of a name */
};

static void raw_give_up(struct raw *r, const char *why)
{
	log_line_once("no more raw buffers are written: %s", why);
	fd_guard_close(&r->opened, r->file);
	r->file = -1;
}

static bool raw_put_all(int file, const void *bytes, size_t len)
{
	while (len) {
		ssize_t n = write(file, bytes, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		bytes = (const char *)bytes + n;
		len -= (size_t)n;
	}
	return true;
}

static void raw_put(struct raw *r, const void *bytes, size_t len)
{
	if (r->file < 0)
		return;
	r->bytes += len;
	if (r->bytes > MOST)
		raw_give_up(r, "the file has 256 MiB");
	else if (!raw_put_all(r->file, bytes, len))
		raw_give_up(r, strerror(errno));
}

static void raw_line(struct raw *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void raw_line(struct raw *r, const char *format, ...)
{
	char text[LINE];
	va_list args;
	va_start(args, format);
	int len = vsnprintf(text, sizeof text, format, args);
	va_end(args);
	raw_put(r, text, (size_t)len);
}

static int raw_open_file(const char *folder)
{
	char path[OPTIONS_PATH];
	int len = snprintf(path, sizeof path, "%s/%d-%lld.raw", folder,
		(int)getpid(), (long long)clock_real_ns());
	if (len >= (int)sizeof path)
		return -1;
	mkdir(folder, 0700); /* it may exist already */
	int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (file < 0)
		log_line("no raw buffers are written to %s: %s", path,
			strerror(errno));
	return file;
}

/* The host closed the file. The next buffer begins another file. */
static void raw_restart(struct raw *r)
{
	r->begun = false;
	r->bytes = 0;
	memset(r->written, 0, sizeof r->written);
}

/* Called for the first buffer: then the sizes are known. */
static void raw_begin(struct raw *r)
{
	r->begun = true;
	r->file = raw_open_file(r->folder);
	r->opened = fd_guard_of(r->file);
	raw_line(r, "kernsift raw 1\nversion %u\n", r->layout->version);
	for (unsigned kind = 0; kind < RECORD_KINDS; kind++)
		if (r->layout->size[kind])
			raw_line(r, "size %u %u\n", kind,
				r->layout->size[kind]);
	raw_line(r, "\n");
}

struct raw *raw_new(const struct collector_options *o, const struct layout *l,
	const struct kernel_names *n)
{
	if (!*o->raw)
		return NULL;
	if (o->hash.given || o->drop.given) {
		log_line(
			"no raw buffers are written: they contain names in plain text, and some are to be hashed or dropped");
		return NULL;
	}
	struct raw *r = mmap(NULL, sizeof *r, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (r == MAP_FAILED)
		return NULL;
	r->layout = l;
	r->names = n;
	r->folder = o->raw;
	r->file = -1;
	return r;
}

void raw_free(struct raw *r)
{
	if (!r)
		return;
	fd_guard_close(&r->opened, r->file);
	munmap(r, sizeof *r);
}

static void raw_tell_name(struct raw *r, uint64_t id)
{
	size_t len;
	if (id >= NAMES_MAX || r->written[id / 8] & 1 << id % 8)
		return;
	r->written[id / 8] |= (uint8_t)(1 << id % 8);
	const char *text = names_text(r->names, (uint32_t)id, &len);
	if (!len)
		return;
	raw_line(r, "name %u %zu\n", (unsigned)id, len);
	raw_put(r, text, len);
	raw_line(r, "\n");
}

void raw_buffer(struct raw *r, const struct intake_buffer *b)
{
	struct record record = { .at = NULL };
	size_t unreadable;
	if (r && r->file >= 0 && !fd_guard_holds(&r->opened, r->file))
		raw_restart(r);
	if (r && !r->begun)
		raw_begin(r);
	if (!r || r->file < 0)
		return;
	while (records_next(r->layout, b->bytes, b->valid, &record,
		&unreadable))
		if (record_name(&record))
			raw_tell_name(r, *record_name(&record));
	raw_line(r, "buffer %llu %u %lld %zu\n",
		(unsigned long long)++r->buffers, b->thread,
		(long long)b->at_ns, b->valid);
	raw_put(r, b->bytes, b->valid);
	raw_line(r, "\n");
}
