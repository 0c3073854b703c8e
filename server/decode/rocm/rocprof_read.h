/* rocprof_read.h - reads the objects of rocprofv3 JSON, field by field.
 *
 * rocprof.def explains the words of the format. Text spans point into the
 * window and are valid until it moves. An absent `struct number` is
 * NUMBER_NONE; an absent plain integer is -1. */
#pragma once
#include "number.h"
#include "word_table.h"

/* Reads an object's known fields with one function per type of object.
 *
 * For objects inside objects. The reader defines the depth, never the file: a
 * field that is itself an object is read with the function for that type.
 * Unknown fields are skipped. */

struct rocprof_fields;

/* Reads the value at p of a key (0: unknown key) into `to`. Returns the
 * position after the value, or NULL. */
typedef const char *rocprof_field_fn(const struct rocprof_fields *f,
	struct scan *s, const char *p, uint32_t key, void *to);

struct rocprof_fields {
	const struct word_table *words;
	rocprof_field_fn *field;
};

/* Reads the object at p; any other value is skipped. Returns the position after
 * it, or NULL. */
const char *rocprof_read_fields(const struct rocprof_fields *f, struct scan *s,
	const char *p, void *to);

/* Reads the string at p, an item of a list, and the comma after it:
 *
 * 	for (p = scan_ws(p + 1); p && *p != ']';)
 * 		p = rocprof_read_string(s, p, &text);
 *
 * An item that is not a string sets `at` to NULL. */
const char *rocprof_read_string(struct scan *s, const char *p,
	struct text_span *text);

enum rocprof_key {
	ROCPROF_NONE,
#define KEY(name, text) ROCPROF_##name,
#include "rocprof.def"
#undef KEY
};

void rocprof_words_init(struct word_table *w);

/* A dispatch, a copy, a call or a marker; each kind uses some of these
 * fields. */
struct rocprof_record {
	struct number start, end, kernel, agent, dst, src;
	int64_t kind, operation, thread, internal, ancestor, queue, stream,
		bytes, lds;
	int64_t grid[3], group[3]; /* in work-items */
};

struct rocprof_symbol {
	struct number kernel;
	struct text_span formatted, demangled, name;
	int64_t vgprs;
};

struct rocprof_agent {
	struct number handle;
	struct text_span name, product;
	int64_t type, logical, gpu_index, cu_count, gfx, memory_bytes;
	int64_t pci_domain, pci_location; /* -1 unknown */
	int64_t clock_mhz; /* the highest of its compute units */
};

/* The names of a kind's operations; a kind is a text such as
 * "HIP_RUNTIME_API". */
struct rocprof_operations {
	struct text_span kind;
	/* points to the list's bracket; the list has been read once,
	 * completely */
	const char *list;
};

/* An entry of a map that the file writes as a list. */
struct rocprof_entry {
	struct number key;
	struct text_span value;
};

struct rocprof_metadata {
	struct number pid;
	struct text_span host, program;
	struct text_span system, release; /* Linux, 5.15.0-160-generic */
};

union rocprof_thing {
	struct rocprof_record record;
	struct rocprof_symbol symbol;
	struct rocprof_agent agent;
	struct rocprof_operations operations;
	struct rocprof_entry entry;
	struct rocprof_metadata metadata;
};

/* Each function reads the object whose bracket is at p into its own member. It
 * returns the position after the object, or NULL. */
typedef const char *rocprof_read_fn(struct scan *s, const struct word_table *w,
	const char *p, union rocprof_thing *t);
rocprof_read_fn rocprof_record, rocprof_symbol, rocprof_agent,
	rocprof_operations, rocprof_entry, rocprof_metadata;
