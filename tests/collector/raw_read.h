/* raw_read.h - reads the buffers of a KERNSIFT_TRACE_RAW file in their
 * order. */
#pragma once
#include "intake.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct raw_read {
	FILE *file;
	struct layout layout;
	struct kernel_names
		*names; /* borrowed; the file's names get numbers here */
	uint32_t number[NAMES_MAX]; /* here, by that in the file */
	uint8_t *bytes; /* of the buffer at hand */
};

static inline bool raw_read_open(struct raw_read *r, const char *path,
	struct kernel_names *names)
{
	char line[128];
	unsigned a, b;
	memset(r, 0, sizeof *r);
	r->names = names;
	r->file = fopen(path, "rbe");
	if (!r->file || !fgets(line, sizeof line, r->file) ||
		strcmp(line, "kernsift raw 1\n") != 0)
		return false;
	while (fgets(line, sizeof line, r->file) && strcmp(line, "\n") != 0)
		if (sscanf(line, "version %u", &a) == 1)
			r->layout.version = a;
		else if (sscanf(line, "size %u %u", &a, &b) == 2 &&
			 a < RECORD_KINDS && b <= UINT16_MAX)
			r->layout.size[a] = (uint16_t)b;
		else
			return false;
	return !feof(r->file);
}

static inline void raw_read_close(struct raw_read *r)
{
	free(r->bytes);
	if (r->file)
		fclose(r->file);
}

/* The bytes that follow a line, and their line's end. */
static inline bool raw_read_bytes(struct raw_read *r, size_t len)
{
	free(r->bytes);
	r->bytes = calloc(1, len + RECORD_ALIGN);
	return r->bytes && fread(r->bytes, 1, len, r->file) == len &&
	       fgetc(r->file) == '\n';
}

static inline void raw_read_renumber(struct raw_read *r, size_t len)
{
	struct record record = { .at = NULL };
	size_t unreadable;
	uint64_t *name;
	while (records_next(&r->layout, r->bytes, len, &record, &unreadable))
		if ((name = record_name(&record)))
			*name = *name < NAMES_MAX ? r->number[*name] : 0;
}

/* The next buffer. It is valid until the next call. False at the end, and if
 * the file has another format: feof() distinguishes the two. */
static inline bool raw_read_next(struct raw_read *r, struct intake_buffer *b)
{
	char line[128];
	unsigned id, thread;
	unsigned long long place;
	long long at_ns;
	size_t len;
	while (fgets(line, sizeof line, r->file)) {
		if (sscanf(line, "name %u %zu", &id, &len) == 2 &&
			id < NAMES_MAX && raw_read_bytes(r, len)) {
			r->number[id] =
				names_pin(r->names, (const char *)r->bytes);
			names_forget_pointers(r->names);
			continue;
		}
		if (sscanf(line, "buffer %llu %u %lld %zu", &place, &thread,
			    &at_ns, &len) != 4 ||
			!raw_read_bytes(r, len))
			return false;
		raw_read_renumber(r, len);
		*b = (struct intake_buffer){ r->bytes, len, thread, at_ns, -1 };
		return true;
	}
	return false;
}
