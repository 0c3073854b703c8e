/* capture_told.c - what a capture tells around its rows: processes, devices,
 * notes, drops. */
#include "capture.h"
#include "utf8.h"

enum { DEVICES_MAX = 4096, PROCESSES_MAX = UINT16_MAX };

bool capture_room(struct capture *c, void **p, size_t *bytes, size_t n,
	size_t each)
{
	if (n * each <= *bytes)
		return true;
	size_t want = n < 64 ? 64 * each : n * each * 3 / 2;
	void *grown = arena_grow(c->t->arena, *p, want);
	if (!grown)
		return false;
	*p = grown;
	*bytes = want;
	return true;
}

bool capture_process(struct capture *c, int64_t id, int32_t *process)
{
	struct trace *t = c->t;
	*process = -1;
	if (id < 0 || id >= PROCESSES_MAX)
		return true;
	if (c->process_of[id] == 0) {
		if (!capture_room(c, (void **)&t->processes, &c->processes_room,
			    t->processes_n + 1, sizeof *t->processes))
			return false;
		t->processes[t->processes_n++] = (struct process){ .pid = -1,
			.rank = -1,
			.world_size = -1 };
		c->process_of[id] = (uint16_t)t->processes_n;
	}
	*process = c->process_of[id] - 1;
	return true;
}

/* A whole number that its place in the trace can hold. */
static bool fits(int64_t v, int32_t *to)
{
	return !__builtin_add_overflow(v, INT64_C(0), to);
}

/* The same for one that is -1 where it is not told, and never less. */
static bool told_fits(int64_t v, int32_t *to)
{
	return v >= -1 && fits(v, to);
}

#define CELL(kind, field) k->column[KST_COLUMN(kind, field)].i[i]

static bool process_add(struct capture *c, const struct kst_chunk *k,
	uint32_t i)
{
	struct process p = { .pid = CELL(process, pid),
		.name = capture_name(c, CELL(process, name)),
		.host = capture_name(c, CELL(process, host)) };
	int32_t process;
	if (p.name == NAMES_NONE || p.host == NAMES_NONE ||
		!capture_process(c, CELL(process, id), &process))
		return false;
	if (process >= 0 && told_fits(CELL(process, rank), &p.rank) &&
		told_fits(CELL(process, world_size), &p.world_size))
		c->t->processes[process] = p;
	else
		capture_odd(c, "process");
	return true;
}

static bool device_add(struct capture *c, const struct kst_chunk *k, uint32_t i)
{
	struct trace *t = c->t;
	struct device d = { .process = -1,
		.name = capture_name(c, CELL(device, name)),
		.memory_bytes = CELL(device, memory_bytes) };
	int64_t of = CELL(device, process);
	if (d.name == NAMES_NONE ||
		(of >= 0 && !capture_process(c, of, &d.process)))
		return false;
	if (t->devices_n == DEVICES_MAX || (of >= 0 && d.process < 0) ||
		d.memory_bytes < -1 || !fits(CELL(device, number), &d.number) ||
		!told_fits(CELL(device, sm_count), &d.sm_count) ||
		!told_fits(CELL(device, compute_major), &d.compute_major) ||
		!told_fits(CELL(device, compute_minor), &d.compute_minor)) {
		capture_odd(c, "device");
		return true;
	}
	if (!capture_room(c, (void **)&t->devices, &c->devices_room,
		    t->devices_n + 1, sizeof *t->devices))
		return false;
	t->devices[t->devices_n++] = d;
	return true;
}

/* A note that was made before: what was counted then stands. */
void capture_note(struct notes *ns, enum note_code code, int64_t count,
	const char *detail, size_t len)
{
	if (code == NOTE_name_long) {
		ns->count[code] = 0;
		ns->detail[code][0] = '\0';
	}
	if (count > TRACE_TIME_MAX_NS - ns->count[code])
		count = TRACE_TIME_MAX_NS - ns->count[code];
	bool kept = len < sizeof ns->detail[code] && utf8_valid(detail, len);
	for (size_t i = 0; i < len && kept; i++)
		kept = (unsigned char)detail[i] >= 0x20;
	if (kept && !ns->detail[code][0])
		memcpy(ns->detail[code], detail, len);
	note_add(ns, code, count, kept ? NULL : detail, len);
}

static void note_told(struct capture *c, const struct kst_chunk *k, uint32_t i)
{
	size_t len = 0, name_len = 0;
	const char *name = kst_reader_text(c->r, CELL(note, code), &name_len);
	const char *detail = kst_reader_text(c->r, CELL(note, detail), &len);
	int64_t count = CELL(note, count);
	enum note_code code = name ? note_from(name) : NOTE_CODES;
	if (count <= 0 || !name)
		capture_odd(c, "note");
	else if (code == NOTE_CODES)
		note_add(&c->t->notes, NOTE_chunk_unknown, 1, name, name_len);
	else
		capture_note(&c->t->notes, code, count, detail ? detail : "",
			len);
}

static void dropped(struct capture *c, const struct kst_chunk *k, uint32_t i)
{
	size_t len = 0;
	const char *where = kst_reader_text(c->r, CELL(drop, where), &len);
	int64_t count = CELL(drop, count);
	if (count < 0)
		capture_odd(c, "drop");
	else if (count > 0)
		capture_note(&c->t->notes, NOTE_records_dropped, count,
			where ? where : "", len);
}

bool capture_told(struct capture *c, const struct kst_chunk *k)
{
	bool ok = true;
	for (uint32_t i = 0; ok && i < k->rows; i++)
		if (k->kind == KST_process)
			ok = process_add(c, k, i);
		else if (k->kind == KST_device)
			ok = device_add(c, k, i);
		else if (k->kind == KST_note)
			note_told(c, k, i);
		else if (k->kind == KST_drop)
			dropped(c, k, i);
	return ok;
}
