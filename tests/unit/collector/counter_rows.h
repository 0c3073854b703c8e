/* counter_rows.h - reads the counters and devices of a capture file, for
 * tests. */
#pragma once
#include "samples.h"
#include "spooled.h"

enum { ROWS_MAX = 20000 };

struct row {
	int64_t at_ns;
	char name[32];
	int64_t device;
	double value;
};

/* The counters in a capture. */
struct counted {
	struct row row[ROWS_MAX];
	int n;
	char devices[512], facts[512], notes[128];
};

static struct counted counted;
static inline void take(struct kst_reader *r, const struct kst_chunk *c,
	uint32_t i)
{
	struct row *x = &counted.row[counted.n++];
	assert_true(counted.n < ROWS_MAX);
	x->at_ns = c->column[KST_COLUMN(counter, start_ns)].i[i] +
		   kst_reader_about(r)->base_ns;
	x->device = c->column[KST_COLUMN(counter, device)].i[i];
	x->value = c->column[KST_COLUMN(counter, value)].d[i];
	snprintf(x->name, sizeof x->name, "%s",
		kst_reader_text(r, c->column[KST_COLUMN(counter, name)].i[i],
			NULL));
}

static inline void device(struct kst_reader *r, const struct kst_chunk *c,
	uint32_t i)
{
	size_t len = strlen(counted.devices);
#define CELL(field) c->column[KST_COLUMN(device, field)].i[i]
	snprintf(counted.devices + len, sizeof counted.devices - len,
		"%" PRId64 " %s %" PRId64 " %" PRId64 ".%" PRId64 " %" PRId64
		" %.12s\n",
		CELL(number), kst_reader_text(r, CELL(name), NULL),
		CELL(sm_count), CELL(compute_major), CELL(compute_minor),
		CELL(memory_bytes) >> 30, kst_reader_text(r, CELL(uuid), NULL));
#undef CELL
}

static inline void texts(char *to, size_t room, struct kst_reader *r,
	const struct kst_chunk *c, uint32_t i, uint32_t first, uint32_t second)
{
	size_t len = strlen(to);
	snprintf(to + len, room - len, "%s %s\n",
		kst_reader_text(r, c->column[first].i[i], NULL),
		second ? kst_reader_text(r, c->column[second].i[i], NULL) : "");
}

static inline void read_capture(const char *path)
{
	struct kst_chunk c;
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	memset(&counted, 0, sizeof counted);
	struct kst_reader *r = kst_reader_new(spooled_read, f, NULL);
	while (kst_reader_next(r, &c) == KST_CHUNK)
		for (uint32_t i = 0; i < c.rows; i++)
			if (c.kind == KST_counter)
				take(r, &c, i);
			else if (c.kind == KST_device)
				device(r, &c, i);
			else if (c.kind == KST_fact)
				texts(counted.facts, sizeof counted.facts, r,
					&c, i, KST_COLUMN(fact, name),
					KST_COLUMN(fact, value));
			else if (c.kind == KST_note)
				texts(counted.notes, sizeof counted.notes, r,
					&c, i, KST_COLUMN(note, code), 0);
	kst_reader_free(r);
	fclose(f);
}

/* Returns the number of samples of a series; all are in order and within
 * [from, to]. */
static inline int series(enum counter counter, int64_t number, int64_t from,
	int64_t to)
{
	int n = 0;
	for (int i = 0; i < counted.n; i++) {
		const struct row *x = &counted.row[i];
		if (x->device != number ||
			strcmp(x->name, counter_name(counter)))
			continue;
		assert_true(x->at_ns >= from && x->at_ns <= to);
		from = x->at_ns;
		n++;
	}
	return n;
}
