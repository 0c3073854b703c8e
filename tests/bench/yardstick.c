/* yardstick.c - measures yardsticks for a decoder, each in a new process.
 *
 *   bench_yardstick json_loadf FILE.json    Jansson reads the uncompressed file
 *   bench_yardstick inflate_walk FILE.gz    ISA-L decompresses, walk.c scans
 *
 * Memory is ready before the measurement: the decompressed text is written to
 * memory that was touched before, and a first round is not counted. */
#include "measure.h"
#include "walk.h"
#include <isa-l/igzip_lib.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static int fail(const char *what)
{
	fprintf(stderr, "bench_yardstick: %s\n", what);
	return 1;
}

static int json_loadf_of(const char *path)
{
	FILE *f = fopen(path, "rb");
	if (!f)
		return fail("cannot open the file");
	struct moment from = measure_now();
	json_t *j = json_loadf(f, 0, NULL);
	struct moment to = measure_now();
	if (!j)
		return fail("Jansson refuses the file");
	measure_tell("json_loadf", from, to);
	measure_tell_peak();
	fclose(f);
	return 0; /* the process ends and frees the tree */
}

static unsigned char *read_all(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rb");
	if (!f || fseek(f, 0, SEEK_END))
		return NULL;
	long size = ftell(f);
	unsigned char *bytes = malloc((size_t)size + 1);
	rewind(f);
	*len = bytes ? fread(bytes, 1, (size_t)size, f) : 0;
	fclose(f);
	return *len == (size_t)size ? bytes : NULL;
}

static size_t inflate_to(unsigned char *to, size_t room, unsigned char *from,
	size_t len)
{
	static struct inflate_state s;
	isal_inflate_init(&s);
	s.crc_flag = ISAL_GZIP;
	s.next_in = from;
	s.avail_in = (uint32_t)len;
	s.next_out = to;
	s.avail_out = (uint32_t)room;
	if (isal_inflate(&s) != ISAL_DECOMP_OK ||
		s.block_state != ISAL_BLOCK_FINISH)
		return 0;
	return s.total_out;
}

static int inflate_walk(const char *path)
{
	size_t len, room;
	unsigned char *packed = read_all(path, &len);
	if (!packed || len < 8)
		return fail("cannot read the file");
	/* gzip's last four bytes: the uncompressed size */
	const unsigned char *end = packed + len - 4;
	room = (size_t)end[0] | (size_t)end[1] << 8 | (size_t)end[2] << 16 |
	       (size_t)end[3] << 24;
	unsigned char *text = calloc(1, room + WALK_PADDING);
	struct walk w = { 0 };
	if (!text || inflate_to(text, room, packed, len) != room)
		return fail("the file is not one whole gzip member");
	struct moment from = measure_now();
	inflate_to(text, room, packed, len);
	struct moment between = measure_now();
	walk((const char *)text, &w);
	struct moment to = measure_now();
	measure_tell("inflate", from, between);
	measure_tell("walk", between, to);
	printf("json_bytes %zu\nevents %lld\nkernels %lld\nkernel_ns %lld\n",
		room, (long long)w.events, (long long)w.kernels,
		(long long)w.kernel_ns);
	return w.events ? 0 : fail("no event was found");
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "json_loadf"))
		return json_loadf_of(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "inflate_walk"))
		return inflate_walk(argv[2]);
	return fail("usage: bench_yardstick json_loadf|inflate_walk FILE");
}
