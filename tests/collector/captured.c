/* captured.c - prints the content of capture files as JSON.
 *
 *  captured FILE…            one object for all files
 *  captured --each FILE…     one object per file, each on a line of its own and
 *                            with the file's rows of nodes
 *  captured --kernels FILE…  one line per kernel: start_ns dur_ns device stream
 *                            graph_node name
 *
 * A FILE.part of a killed process is read together with its tail. "with_range"
 * is the number of kernels whose graph node has ranges. */
#include "captured.h"
#include <kernsift/kst_tail.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int64_t read_file(void *file, void *to, size_t cap)
{
	size_t n = fread(to, 1, cap, file);

	return n == 0 && ferror(file) ? -1 : (int64_t)n;
}

static const char *const groups[] = { "drops", "notes", "facts", "counters",
	"by_kernel", "by_call", "by_range", "rows" };

static json_t *all_new(void)
{
	json_t *all = json_object();

	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++)
		json_object_set_new(all, groups[i], json_object());
	static const char *const sums[] = { "kernels", "copies", "sets",
		"graphs", "calls", "ranges", "nodes", "clocks", "odd",
		"overheads", "bytes" };
	for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++)
		json_object_set_new(all, sums[i], json_integer(0));
	json_object_set_new(all, "details", json_array());
	json_object_set_new(all, "pids", json_array());
	json_object_set_new(all, "ends", json_array());
	return all;
}

static int by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Reads the rows of some kinds; returns the final status. */
static enum kst_got walk(struct captured *c, const char *path, uint64_t kinds,
	captured_row_fn *row)
{
	FILE *f = fopen(path, "re");
	struct kst_chunk chunk;
	enum kst_got got = KST_STOPPED;

	c->reader = f ? kst_reader_new(read_file, f, NULL) : NULL;
	if (c->reader && kinds)
		kst_reader_only(c->reader, kinds);
	while (c->reader &&
		(got = kst_reader_next(c->reader, &chunk)) == KST_CHUNK) {
		c->base_ns = kst_reader_about(c->reader)->base_ns;
		for (uint32_t i = 0; i < chunk.rows; i++)
			row(c, &chunk, i);
	}
	if (f)
		fclose(f);
	return got;
}

/* A capture of a killed process is completed first, as the uploader does. */
static bool whole(const char *part, char to[static 4096])
{
	size_t len = strlen(part);
	char tail[4096], sentence[256];
	struct kst_merged merged;

	if (len < 5 || len > 4000 || strcmp(part + len - 5, ".part") != 0)
		return false;
	snprintf(to, 4096, "%s.whole", part);
	snprintf(tail, sizeof(tail), "%.*s.tail", (int)len - 5, part);
	if (kst_tail_merge(part, access(tail, F_OK) ? NULL : tail, to, &merged,
		    sentence))
		return true;
	fprintf(stderr, "captured: %s\n", sentence);
	return false;
}

static void look(struct captured *c, const char *path)
{
	char mended[4096];

	if (whole(path, mended))
		path = mended;

	static const char *const ends[] = { [KST_END] = "end",
		[KST_STOPPED] = "unreadable",
		[KST_FULL] = "no memory",
		[KST_FOREIGN] = "no capture",
		[KST_NEWER] = "newer" };

	/* Ranges of nodes may come after the kernels. */
	c->nodes = 0;
	walk(c, path, KST_BIT(node), captured_node);
	kst_reader_free(c->reader);
	if (c->nodes)
		qsort(c->node, c->nodes, sizeof(*c->node), by_number);

	enum kst_got got = walk(c, path, 0, captured_row);
	const char *end = ends[got];
	if (c->reader) {
		const struct kst_damage *d = kst_reader_damage(c->reader);
		if (d->damaged + d->missing + d->repeated + d->lost)
			end = "damaged";
		else if (d->cut)
			end = "cut";
		captured_add(c->all, "bytes",
			(int64_t)kst_reader_bytes(c->reader));
	}
	json_array_append_new(json_object_get(c->all, "ends"),
		json_string(end));
	kst_reader_free(c->reader);
}

static void print(json_t *all)
{
	char *line = json_dumps(all, JSON_COMPACT);

	puts(line);
	free(line);
	json_decref(all);
}

int main(int argc, char **argv)
{
	struct captured c = { 0 };
	const char *how = argc > 1 && argv[1][0] == '-' ? argv[1] : "";
	int first = *how ? 2 : 1;

	c.each = strcmp(how, "--each") == 0;
	if (argc <= first ||
		(*how && !c.each && strcmp(how, "--kernels") != 0)) {
		fputs("usage: captured [--each | --kernels] FILE...\n", stderr);
		return 2;
	}
	if (!c.each)
		c.all = all_new();
	for (int i = first; i < argc; i++) {
		if (strcmp(how, "--kernels") == 0) {
			walk(&c, argv[i], KST_BIT(kernel), captured_print);
			kst_reader_free(c.reader);
			continue;
		}
		if (c.each) {
			c.all = all_new();
			json_object_set_new(c.all, "file",
				json_string(argv[i]));
			json_object_set_new(c.all, "node_rows", json_array());
		}
		look(&c, argv[i]);
		if (c.each)
			print(c.all);
	}
	free(c.node);
	if (!*how)
		print(c.all);
	else if (!c.each)
		json_decref(c.all);
	return 0;
}
