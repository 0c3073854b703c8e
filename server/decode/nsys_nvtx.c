/* nsys_nvtx.c - NVTX ranges, their domains, and what is no range.
 *
 * As a rule the export has a range in one row; where it has its two ends in two
 * (older ones, and what a crash left open), nsys_half.c pairs them up. Marks
 * have no duration and are counted. A domain's name may come behind its ranges,
 * so these keep the domain's number until all is read. */
#include "nsys_nvtx.h"

enum {
	START,
	END,
	TYPE,
	RANGE,
	TEXT,
	TEXT_ID,
	TID,
	DOMAIN,
	PAYLOAD,
	COLUMNS = PAYLOAD + NSYS_PAYLOAD_COLUMNS_N
};
static const struct sqlite_column columns[COLUMNS] = {
	[START] = { "start", true },
	[END] = { "end", true },
	[TYPE] = { "eventType", true },
	[RANGE] = { "rangeId", false },
	[TEXT] = { "text", false },
	[TEXT_ID] = { "textId", false },
	[TID] = { "globalTid", false },
	[DOMAIN] = { "domainId", false },
#define COLUMN(code, name) [PAYLOAD + NSYS_PAYLOAD_##code] = { name, false },
	NSYS_PAYLOAD_COLUMNS(COLUMN)
#undef COLUMN
};

/* ENUM_NSYS_EVENT_TYPE; the later of two numbers is that of NVTX text files. */
enum { TYPE_FIRST = 32, TYPE_LAST = 99 };
static const enum sort {
	OTHER,
	PUSH_POP,
	START_END,
	HALF_PUSH,
	HALF_POP,
	HALF_START,
	HALF_END,
	MARK,
	DOMAIN_NEW,
	ABOUT, /* names of threads, categories, devices: no event */
} sorts[TYPE_LAST + 1] = {
	[32] = ABOUT,
	[33] = ABOUT,
	[34] = MARK,
	[35] = HALF_PUSH,
	[36] = HALF_POP,
	[37] = HALF_START,
	[38] = HALF_END,
	[39] = ABOUT,
	[59] = PUSH_POP,
	[60] = START_END,
	[64] = ABOUT,
	[65] = MARK,
	[66] = HALF_PUSH,
	[67] = HALF_POP,
	[68] = HALF_START,
	[69] = HALF_END,
	[70] = PUSH_POP,
	[71] = START_END,
	[72] = ABOUT,
	[73] = ABOUT,
	[74] = ABOUT,
	[75] = DOMAIN_NEW,
	[76] = ABOUT,
	[97] = ABOUT,
	[98] = ABOUT,
	[99] = ABOUT,
};

/* The id of a process's domain in x->domains; 0 of the one without a name. */
static bool domain_of(struct nsys_nvtx *x, uint16_t process, int64_t domain,
	uint32_t *id)
{
	const int64_t key[2] = { process, domain };
	*id = 0;
	if (domain == 0)
		return true;
	*id = names_put(&x->domains, (const char *)key, sizeof key);
	if (*id == NAMES_NONE || *id < x->domain_cap)
		return *id != NAMES_NONE;
	uint32_t cap = *id * 2 + 16;
	uint32_t *p = arena_grow(x->nsys->trace->arena, x->domain_names,
		cap * sizeof *p);
	if (!p)
		return false;
	memset(p + x->domain_cap, 0, (cap - x->domain_cap) * sizeof *p);
	x->domain_names = p;
	x->domain_cap = cap;
	return true;
}

static bool name_of(struct nsys_nvtx *x, struct sqlite_rows *r, uint32_t *name,
	struct err *e)
{
	*name = sqlite_text(r, TEXT, &x->nsys->text);
	if (*name == NAMES_NONE)
		return arena_err(x->nsys->trace->arena, e);
	return *name || nsys_name(x->nsys, r, TEXT_ID, name, e);
}

static bool take_half(struct nsys_nvtx *x, struct sqlite_rows *r, enum sort s,
	const struct range_row *row, struct err *e)
{
	struct nsys_half h = { .process = row->process,
		.name = row->name,
		.payload = row->payload,
		.domain = row->domain,
		.thread = row->thread,
		.loose = s == HALF_START || s == HALF_END,
		.end = s == HALF_POP || s == HALF_END };
	h.owner = h.loose ? row->process : sqlite_int_or(r, TID, 0);
	h.range = h.loose ? sqlite_int_or(r, RANGE, -1) : 0;
	if (!sqlite_int(r, START, &h.at_ns)) {
		note_add(&x->nsys->trace->notes, NOTE_no_duration, 1, NULL, 0);
		return true;
	}
	return nsys_half_add(x, &h) || arena_err(x->nsys->trace->arena, e);
}

static bool take_range(struct nsys_nvtx *x, struct sqlite_rows *r, enum sort s,
	struct range_row *row, struct err *e)
{
	struct nsys *n = x->nsys;
	if (!sqlite_has(r, END)) {
		note_add(&n->trace->notes, NOTE_nvtx_open, 1, NULL, 0);
		return true;
	}
	if (!nsys_span(n, r, NSYS_RANGE, row->name, &row->start_ns,
		    &row->dur_ns))
		return true;
	row->kind = s == PUSH_POP ? RANGE_ANNOTATION : RANGE_LOOSE;
	row->id = s == PUSH_POP ? -1 : sqlite_int_or(r, RANGE, -1);
	return nsys_range(x, row, e);
}

static enum sort sort_of(struct nsys *n, struct sqlite_rows *r)
{
	int64_t type = sqlite_int_or(r, TYPE, -1);
	enum sort s = type >= 0 && type <= TYPE_LAST ? sorts[type] : OTHER;
	char text[40];
	if (s == OTHER) {
		int len = snprintf(text, sizeof text, "NVTX type %lld",
			(long long)type);
		note_add(&n->trace->notes, NOTE_category_unknown, 1, text,
			(size_t)len);
	} else if (s == MARK) {
		note_add(&n->trace->notes, NOTE_nvtx_mark, 1, NULL, 0);
	}
	return s;
}

/* Ranges of processes without CUDA work are no run's; but where no process has
 * any, they are all there is. */
static bool take(struct nsys_nvtx *x, struct sqlite_rows *r, bool any,
	struct err *e)
{
	struct nsys *n = x->nsys;
	struct range_row row = { .id = -1, .parent = -1 };
	enum sort s = sort_of(n, r);
	if (s == OTHER || s == MARK || s == ABOUT)
		return true;
	int64_t tid = sqlite_int_or(r, TID, 0);
	if (!nsys_process(n, tid, any, &row.process, e))
		return false;
	if (row.process == NSYS_NOBODY) {
		if (s != DOMAIN_NEW)
			note_add(&n->trace->notes, NOTE_nvtx_elsewhere, 1, NULL,
				0);
		return true;
	}
	if (!name_of(x, r, &row.name, e))
		return false;
	row.thread = nsys_thread(n, tid);
	if (row.thread == NAMES_NONE ||
		!domain_of(x, row.process, sqlite_int_or(r, DOMAIN, 0),
			&row.domain))
		return arena_err(n->trace->arena, e);
	if (s == DOMAIN_NEW) {
		if (row.domain)
			x->domain_names[row.domain] = row.name;
		return true;
	}
	if (!nsys_payload_of(&x->payload, r, PAYLOAD, &row.payload, e))
		return false;
	return s == PUSH_POP || s == START_END ? take_range(x, r, s, &row, e)
					       : take_half(x, r, s, &row, e);
}

static bool read_events(struct nsys_nvtx *x, struct err *e)
{
	struct nsys *n = x->nsys;
	bool any = n->processes.n == 1; /* only the empty text is known */
	struct sqlite_rows r;
	bool ok = sqlite_rows_open(&r, n->file, "NVTX_EVENTS", columns, COLUMNS,
		e);
	while (ok && sqlite_rows_next(&r)) {
		n->rows++;
		ok = take(x, &r, any, e);
	}
	return sqlite_rows_close(&r, e) && ok;
}

static void name_domains(struct nsys_nvtx *x)
{
	struct range_rows *r = &x->nsys->trace->range;
	for (uint32_t i = 0; i < r->n; i++)
		if (r->domain[i])
			r->domain[i] = x->domain_names[r->domain[i]];
}

bool nsys_nvtx(struct nsys *n, struct err *e)
{
	struct arena *a = n->trace->arena;
	struct nsys_nvtx x = { .nsys = n };
	if (!sqlite_file_table(n->file, "NVTX_EVENTS"))
		return true;
	if (!names_init(&x.domains, a))
		return arena_err(a, e);
	bool ok = nsys_payload_init(&x.payload, n, e) && read_events(&x, e) &&
		  nsys_halves(&x, e);
	name_domains(&x);
	nsys_payload_release(&x.payload);
	arena_drop(a, x.halves);
	arena_drop(a, x.domain_names);
	return ok;
}
