/* rocm.c - what the formats of ROCm share: joins, times, grids and names */
#include "rocm.h"
#include <inttypes.h>
#include <stdlib.h>

bool rocm_map_put(struct rocm_map *m, int64_t key, int64_t value)
{
	if (m->n == m->cap) {
		if (m->cap > UINT32_MAX / 2)
			return false;
		uint32_t cap = m->cap ? m->cap * 2 : 64;
		struct rocm_pair *list = arena_grow(m->arena, m->list,
			(size_t)cap * sizeof *list);
		if (!list)
			return false;
		m->list = list;
		m->cap = cap;
	}
	m->list[m->n++] = (struct rocm_pair){ key, value };
	return true;
}

static int rocm_by_key(const void *left, const void *right)
{
	const struct rocm_pair *a = left, *b = right;
	return (a->key > b->key) - (a->key < b->key);
}

/* Of equal keys, the one that was put first comes first; qsort() does not
 * ensure this. */
static int rocm_by_key_and_place(const void *left, const void *right)
{
	const struct rocm_pair *const *a = left, *const *b = right;
	int order = rocm_by_key(*a, *b);
	return order ? order : (*a > *b) - (*a < *b);
}

/* Sorts pointers, then moves. */
static bool rocm_sort_stable(struct rocm_map *m)
{
	size_t n = m->n;
	const struct rocm_pair **at =
		arena_grow(m->arena, NULL, n * sizeof *at);
	struct rocm_pair *list =
		at ? arena_grow(m->arena, NULL, n * sizeof *list) : NULL;
	if (list) {
		for (size_t i = 0; i < n; i++)
			at[i] = &m->list[i];
		qsort(at, n, sizeof *at, rocm_by_key_and_place);
		for (size_t i = 0; i < n; i++)
			list[i] = *at[i];
		arena_drop(m->arena, m->list);
		m->list = list;
		m->cap = m->n;
	}
	arena_drop(m->arena, at);
	return list != NULL;
}

bool rocm_map_sort(struct rocm_map *m)
{
	m->last = 0;
	for (uint32_t i = 1; i < m->n; i++)
		if (m->list[i - 1].key > m->list[i].key)
			return rocm_sort_stable(m);
	return true;
}

bool rocm_map_find(struct rocm_map *m, int64_t key, int64_t *value)
{
	uint32_t low = 0, high = m->n;
	if (m->last + 1 < m->n && m->list[m->last].key < key) {
		low = m->last + 1;
		if (m->list[low].key >= key)
			high = low;
	}
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (m->list[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == m->n || m->list[low].key != key)
		return false;
	m->last = low;
	*value = m->list[low].value;
	return true;
}

int64_t rocm_map_follow(struct rocm_map *m, int64_t key)
{
	enum { STEPS = 16 }; /* calls within calls; and no end of a circle */
	for (int i = 0; i < STEPS && rocm_map_find(m, key, &key); i++)
		;
	return key;
}

void rocm_map_clear(struct rocm_map *m)
{
	m->n = m->last = 0;
}

bool rocm_span(struct rocm_times *t, struct number start, struct number end,
	const char *what, int64_t *dur_ns)
{
	enum note_code code = NOTE_CODES;
	if (start.kind == NUMBER_HUGE || end.kind == NUMBER_HUGE)
		code = NOTE_huge_time;
	else if (start.kind != NUMBER_OK || end.kind != NUMBER_OK)
		code = NOTE_no_duration;
	else if (start.value == 0 && end.value == 0)
		code = NOTE_no_duration; /* a record of work that did not run */
	else if (end.value < start.value)
		code = NOTE_negative_time;
	else if (__builtin_sub_overflow(end.value, start.value, dur_ns) ||
		 *dur_ns > TRACE_TIME_MAX_NS - t->total_ns)
		code = NOTE_huge_time;
	if (code == NOTE_CODES) {
		t->total_ns += *dur_ns;
		return true;
	}
	note_add(&t->trace->notes, code, 1, what, strlen(what));
	return false;
}

int32_t rocm_blocks(int64_t items, int64_t group)
{
	if (items < 0 || group <= 0)
		return -1;
	return rocm_small(items / group + (items % group > 0));
}

int32_t rocm_small(int64_t n)
{
	return n >= 0 && n <= INT32_MAX ? (int32_t)n : -1;
}

void rocm_device_describe(struct device *d, int64_t units, int64_t gfx,
	int64_t bytes)
{
	d->sm_count = units > 0 ? rocm_small(units) : -1;
	d->compute_major = gfx > 0 ? rocm_small(gfx / 10000) : -1;
	d->compute_minor = gfx > 0 ? (int32_t)(gfx / 100 % 100) : -1;
	d->memory_bytes = bytes > 0 ? bytes : -1;
}

uint32_t rocm_bus_id(struct trace *t, int64_t domain, int64_t location)
{
	char text[40];

	/* A partition of a GPU has its number above the domain's 16 bits or
	 * in the upper half of the location: it is part of the identity. */
	if (domain < 0 || domain > UINT32_MAX || location < 0 ||
		location > UINT32_MAX)
		return 0;
	int len = snprintf(text, sizeof text,
		"%04" PRIx64 ":%02" PRIx64 ":%02" PRIx64 ".%" PRIx64, domain,
		location >> 8, location >> 3 & 31, location & 7);
	return names_put(&t->names, text, (size_t)len);
}

size_t rocm_program_at(const char *path, size_t len)
{
	size_t at = len;
	while (at > 0 && path[at - 1] != '/')
		at--;
	return at < len ? at : 0;
}

uint32_t rocm_thread(struct trace *t, int64_t tid)
{
	char text[24];
	int len = snprintf(text, sizeof text, "%" PRId64, tid);
	return tid < 0 ? 0 : names_put(&t->names, text, (size_t)len);
}

uint32_t rocm_numbered(struct trace *t, const char *what, int64_t number)
{
	char text[80];
	int len = snprintf(text, sizeof text, "%.40s %" PRId64, what, number);
	note_add(&t->notes, NOTE_name_unknown, 1, text, (size_t)len);
	return names_put(&t->names, text, (size_t)len);
}

enum rocm_marker rocm_marker_of(const char *call)
{
	if (strstr(call, "ProcessRange") || strstr(call, "RangeStart"))
		return ROCM_LOOSE;
	return strncmp(call, "roctx", 5) || strstr(call, "Range") ? ROCM_RANGE
								  : ROCM_MARK;
}

bool rocm_process_add(struct trace *t, uint32_t *cap, const struct process *p)
{
	if (t->processes_n == *cap) {
		uint32_t more = *cap ? *cap * 2 : 4;
		void *list = arena_grow(t->arena, t->processes,
			more * sizeof *t->processes);
		if (!list)
			return false;
		t->processes = list;
		*cap = more;
	}
	t->processes[t->processes_n++] = *p;
	return true;
}

bool rocm_device_add(struct trace *t, uint32_t *cap, const struct device *d)
{
	enum { DEVICES_MAX = 16384 };
	if (t->devices_n == DEVICES_MAX ||
		trace_device(t, (uint32_t)d->process, d->number))
		return true;
	if (t->devices_n == *cap) {
		uint32_t more = *cap ? *cap * 2 : 16;
		void *list = arena_grow(t->arena, t->devices,
			more * sizeof *t->devices);
		if (!list)
			return false;
		t->devices = list;
		*cap = more;
	}
	t->devices[t->devices_n++] = *d;
	return true;
}

bool rocm_clock_fact(struct fact_list *l, int64_t mhz)
{
	char text[24];
	int n = snprintf(text, sizeof text, "%lld", (long long)mhz);
	return mhz <= 0 ||
	       fact_list_append(l, "sm_clock_max_mhz", text, (size_t)n);
}

bool rocm_system_facts(struct fact_list *l, const char *system,
	size_t system_len, const char *release, size_t release_len)
{
	char text[160];
	int n = snprintf(text, sizeof text, "%.*s%s%.*s",
		system_len < 64 ? (int)system_len : 64, system,
		system_len && release_len ? " " : "",
		release_len < 64 ? (int)release_len : 64, release);
	return fact_list_put(l, "os", text, (size_t)n);
}
