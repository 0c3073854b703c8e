/* ranges.c - prints the ranges of capture files in order of their start, one
 * per line: kind, thread, domain, name, payload. The probe of an nvtx_client
 * is left out. */
#include <kernsift/kst_reader.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct line {
	int64_t start_ns;
	char *text;
};
static struct line *lines;
static size_t n, room;

static int64_t read_file(void *file, void *to, size_t cap)
{
	return (int64_t)fread(to, 1, cap, file);
}

static const char *text(struct kst_reader *r, const struct kst_chunk *c,
	size_t column, uint32_t i)
{
	return kst_reader_text(r, c->column[column].i[i], NULL);
}

static void add(struct kst_reader *r, const struct kst_chunk *c, uint32_t i)
{
	const char *name = text(r, c, KST_COLUMN(range, name), i);
	int64_t kind = c->column[KST_COLUMN(range, kind)].i[i];
	if (!strcmp(name, "probe"))
		return;
	if (n == room) {
		room = room * 2 + 64;
		lines = realloc(lines, room * sizeof *lines);
	}
	lines[n].start_ns = c->column[KST_COLUMN(range, start_ns)].i[i];
	if (asprintf(&lines[n++].text, "%s\t%s\t%s\t%s\t%s",
		    kind == KST_RANGE_LOOSE ? "loose" : "pushed",
		    text(r, c, KST_COLUMN(range, thread), i),
		    text(r, c, KST_COLUMN(range, domain), i), name,
		    text(r, c, KST_COLUMN(range, payload), i)) < 0)
		exit(2);
}

static int by_start(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

int main(int argc, char **argv)
{
	for (int f = 1; f < argc; f++) {
		FILE *file = fopen(argv[f], "r");
		struct kst_reader *r = kst_reader_new(read_file, file, NULL);
		struct kst_chunk c;
		enum kst_got got;
		while (file && (got = kst_reader_next(r, &c)) == KST_CHUNK)
			for (uint32_t i = 0; c.kind == KST_range && i < c.rows;
				i++)
				add(r, &c, i);
		if (!file || got != KST_END)
			return 1;
		kst_reader_free(r);
		fclose(file);
	}
	qsort(lines, n, sizeof *lines, by_start);
	for (size_t i = 0; i < n; i++) {
		puts(lines[i].text);
		free(lines[i].text);
	}
	free(lines);
	return 0;
}
