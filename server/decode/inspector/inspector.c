/* inspector.c - decodes the JSON of NCCL Inspector: one object per call of a
 * collective.
 *
 * A call becomes a kernel whose duration is the time that the plugin took from
 * the GPU's clock. Its start is known only in files of the verbose mode. Without
 * one, the row ends when the plugin wrote the call, because a row needs a place;
 * the note comm_no_start makes the analysis use no start of the run. Dropping
 * such calls would lose what most files have: sizes, groups, numbers and
 * durations. */
#include "finish.h"
#include "format.h"
#include "json_reader.h"
#include "number.h"
#include "text.h"
#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <strings.h>

/* Plugins write one file per process; files that were joined have as many as a
 * large job has ranks per host, or a few hosts. */
enum { INSPECTOR_PROCESSES_MAX = 4096 };
/* NCCL's longest names of a call, an algorithm and a protocol are
 * "ReduceScatter", "COLLNET_DIRECT" and "SIMPLE". */
enum { INSPECTOR_WORD_MAX = 48 };

enum inspector_part {
	PART_HEADER = 1,
	PART_METADATA = 2,
	PART_COLL = 4,
	PART_P2P = 8,
	PART_STATS = 16
};

/* What one object states. Texts are those of the window. */
struct inspector_object {
	unsigned parts;
	struct text_span other; /* its first key that is none of these */
	struct text_span id, host; /* of header and metadata */
	struct number rank, ranks, pid, dump_us;
	struct text_span kind, algorithm, protocol, timing; /* of the call */
	struct number sequence, bytes, exec_us, peer;
	int64_t start_us; /* the least of its channels; 0: not recorded */
	struct number coll_dropped, p2p_dropped;
};

struct inspector_comm {
	int64_t ranks; /* 0: not stated; -1: stated differently */
	int64_t coll_dropped, p2p_dropped;
};

/* The rank of a process in its largest communicators. */
struct inspector_rank {
	int64_t ranks, rank;
	bool differs;
};

struct inspector {
	struct trace *trace;
	struct json_reader json;
	struct text text;
	struct inspector_object object;
	struct names processes; /* 16 bytes each: host, pid; id - 1 is the
		index */
	struct names comms; /* 8 bytes each: process, group */
	struct names calls; /* struct inspector_call */
	struct inspector_comm *comm; /* by their id */
	uint32_t comm_cap;
	struct inspector_rank *rank; /* by process */
	/* What later objects inherit; comm_id 0: nothing. */
	uint32_t comm_id, group;
	uint16_t process;
	int64_t dump_us; /* -1 unknown */
	int64_t rows, total_ns;
};

/* Hashed as bytes, so it must contain no padding. */
struct inspector_call {
	int64_t sequence, peer;
	uint32_t comm, kind;
};

/* ---- one object */

static bool inspector_is(const struct text_span *key, const char *word)
{
	return key->len == strlen(word) && !memcmp(key->at, word, key->len);
}

/* Reads a whole number that is not negative. A fraction, text or a negative
 * number is NUMBER_NONE: nothing is rounded. */
static const char *inspector_whole(struct scan *s, const char *p,
	struct number *n)
{
	const char *q = scan_skip(s, p, true);
	*n = (struct number){ 0, NUMBER_NONE };
	if (!q || q == p)
		return q;
	const char *d = p;
	for (; d < q && number_digit(*d); d++) {
		if (__builtin_mul_overflow(n->value, 10, &n->value) ||
			__builtin_add_overflow(n->value, *d - '0', &n->value)) {
			*n = (struct number){ 0, NUMBER_HUGE };
			return q;
		}
	}
	n->kind = d == q ? NUMBER_OK : NUMBER_NONE;
	return q;
}

static const char *inspector_header(struct scan *s, const char *p,
	const struct text_span *key, void *to)
{
	struct inspector_object *o = to;
	if (inspector_is(key, "id"))
		return scan_text(s, p, &o->id);
	if (inspector_is(key, "rank"))
		return inspector_whole(s, p, &o->rank);
	if (inspector_is(key, "n_ranks"))
		return inspector_whole(s, p, &o->ranks);
	return scan_skip(s, p, true);
}

static const char *inspector_metadata(struct scan *s, const char *p,
	const struct text_span *key, void *to)
{
	struct inspector_object *o = to;
	if (inspector_is(key, "dump_timestamp_us"))
		return inspector_whole(s, p, &o->dump_us);
	if (inspector_is(key, "hostname"))
		return scan_text(s, p, &o->host);
	if (inspector_is(key, "pid"))
		return inspector_whole(s, p, &o->pid);
	return scan_skip(s, p, true);
}

static const char *inspector_stats(struct scan *s, const char *p,
	const struct text_span *key, void *to)
{
	struct inspector_object *o = to;
	if (inspector_is(key, "coll_dropped_total"))
		return inspector_whole(s, p, &o->coll_dropped);
	if (inspector_is(key, "p2p_dropped_total"))
		return inspector_whole(s, p, &o->p2p_dropped);
	return scan_skip(s, p, true);
}

static const char *inspector_channel(struct scan *s, const char *p,
	const struct text_span *key, void *to)
{
	struct inspector_object *o = to;
	struct number n;
	if (!inspector_is(key, "kernel_start_ts"))
		return scan_skip(s, p, true);
	p = inspector_whole(s, p, &n);
	if (n.kind == NUMBER_OK && n.value > 0 &&
		(!o->start_us || n.value < o->start_us))
		o->start_us = n.value;
	return p;
}

static const char *inspector_times(struct scan *s, const char *p,
	const struct text_span *key, void *to)
{
	if (!inspector_is(key, "kernel_events") || *p != '[')
		return scan_skip(s, p, true);
	p = scan_ws(p + 1);
	while (p && *p == '{') {
		p = scan_fields(s, p, inspector_channel, to);
		p = p ? scan_ws(p) : NULL;
		if (p && *p == ',')
			p = scan_ws(p + 1);
	}
	if (!p || *p == ']')
		return p ? p + 1 : NULL;
	return scan_stop(s, p);
}

/* Fields of coll_perf and p2p_perf, which begin with "coll" or "p2p". */
static const char *inspector_perf(struct scan *s, const char *p,
	const struct text_span *key, void *to)
{
	struct inspector_object *o = to;
	size_t prefix = o->parts & PART_P2P ? strlen("p2p") : strlen("coll");
	if (inspector_is(key, "event_trace_ts"))
		return scan_fields(s, p, inspector_times, o);
	if (key->len < prefix ||
		memcmp(key->at, prefix == 3 ? "p2p" : "coll", prefix) != 0)
		return scan_skip(s, p, true);
	struct text_span name = { key->at + prefix, key->len - (uint32_t)prefix,
		false };
	if (name.len == 0)
		return scan_text(s, p, &o->kind);
	if (inspector_is(&name, "_algo"))
		return scan_text(s, p, &o->algorithm);
	if (inspector_is(&name, "_proto"))
		return scan_text(s, p, &o->protocol);
	if (inspector_is(&name, "_timing_source"))
		return scan_text(s, p, &o->timing);
	if (inspector_is(&name, "_sn"))
		return inspector_whole(s, p, &o->sequence);
	if (inspector_is(&name, "_peer"))
		return inspector_whole(s, p, &o->peer);
	if (inspector_is(&name, "_msg_size_bytes"))
		return inspector_whole(s, p, &o->bytes);
	if (inspector_is(&name, "_exec_time_us"))
		return inspector_whole(s, p, &o->exec_us);
	return scan_skip(s, p, true);
}

static const char *inspector_part(struct scan *s, const char *p,
	const struct text_span *key, void *to)
{
	static const struct {
		const char *key;
		unsigned part;
		scan_field_fn *field;
	} parts[] = {
		{ "header", PART_HEADER, inspector_header },
		{ "metadata", PART_METADATA, inspector_metadata },
		{ "coll_perf", PART_COLL, inspector_perf },
		{ "p2p_perf", PART_P2P, inspector_perf },
		{ "dump_stats", PART_STATS, inspector_stats },
	};
	struct inspector_object *o = to;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (inspector_is(key, parts[i].key) && *p == '{') {
			o->parts |= parts[i].part;
			return scan_fields(s, p, parts[i].field, to);
		}
	if (!o->other.at)
		o->other = *key;
	return scan_skip(s, p, true);
}

static const char *inspector_object_read(void *ctx, struct scan *s,
	const char *p)
{
	struct inspector_object *o = ctx;
	*o = (struct inspector_object){ 0 };
	return scan_fields(s, p, inspector_part, o);
}

/* ---- the communicator and the process that objects state or inherit */

static bool inspector_note(struct inspector *x, enum note_code code,
	const char *detail)
{
	note_add(&x->trace->notes, code, 1, detail, strlen(detail));
	return true;
}

/* The number in a hash such as 0x7f8c496ae9f661. False if it is none. */
static bool inspector_hash(const struct text_span *id, uint64_t *hash)
{
	uint32_t i = id->len > 2 && !strncasecmp(id->at, "0x", 2) ? 2 : 0;
	*hash = 0;
	if (!id->at || id->len == i || id->len - i > 16)
		return false;
	for (; i < id->len; i++) {
		unsigned char c = (unsigned char)id->at[i];
		if (!isxdigit(c))
			return false;
		*hash = *hash << 4 |
			(uint64_t)(isdigit(c) ? c - '0'
					      : (c | 0x20) - 'a' + 10);
	}
	return true;
}

static bool inspector_process_add(struct inspector *x, uint32_t host,
	int64_t pid)
{
	struct trace *t = x->trace;
	size_t n = (size_t)t->processes_n + 1;
	struct process *list =
		arena_grow(t->arena, t->processes, n * sizeof *list);
	t->processes = list ? list : t->processes;
	struct inspector_rank *rank =
		list ? arena_grow(t->arena, x->rank, n * sizeof *rank) : NULL;
	if (!rank)
		return false;
	x->rank = rank;
	rank[n - 1] = (struct inspector_rank){ .rank = -1 };
	list[t->processes_n++] = (struct process){ .pid = pid,
		.rank = -1,
		.world_size = -1,
		.host = host };
	return true;
}

/* Makes x->process the one of this object. *found: there is room for it. */
static bool inspector_process(struct inspector *x, bool *found)
{
	const struct inspector_object *o = &x->object;
	uint32_t host = o->host.at ? text_id(&x->text, &o->host) : 0;
	const int64_t key[2] = { host, o->pid.value };
	*found = false;
	if (host == NAMES_NONE)
		return false;
	uint32_t id = names_find(&x->processes, (const char *)key, sizeof key);
	if (id == NAMES_NONE) {
		if (x->trace->processes_n == INSPECTOR_PROCESSES_MAX)
			return true;
		id = names_put(&x->processes, (const char *)key, sizeof key);
		if (id == NAMES_NONE ||
			!inspector_process_add(x, host, o->pid.value))
			return false;
	}
	x->process = (uint16_t)(id - 1);
	*found = true;
	return true;
}

static bool inspector_comm_reserve(struct inspector *x, uint32_t id)
{
	if (id < x->comm_cap)
		return true;
	uint32_t cap = id * 2 + 16;
	struct inspector_comm *grown =
		arena_grow(x->trace->arena, x->comm, cap * sizeof *grown);
	if (!grown)
		return false;
	memset(grown + x->comm_cap, 0, (cap - x->comm_cap) * sizeof *grown);
	x->comm = grown;
	x->comm_cap = cap;
	return true;
}

/* Makes x->comm_id and x->group those of the hash; false if the arena is full.
 * The group is written as NCCL's own ranges have it (../nsys). */
static bool inspector_comm(struct inspector *x, uint64_t hash)
{
	char group[24];
	int len = snprintf(group, sizeof group, "0x%llx",
		(unsigned long long)hash);
	x->group = names_put(&x->trace->names, group, (size_t)len);
	const uint32_t key[2] = { x->process, x->group };
	uint32_t id =
		x->group == NAMES_NONE
			? NAMES_NONE
			: names_put(&x->comms, (const char *)key, sizeof key);
	if (id == NAMES_NONE || !inspector_comm_reserve(x, id))
		return false;
	x->comm_id = id;
	return true;
}

static void inspector_rank_take(struct inspector_rank *r, int64_t ranks,
	int64_t rank)
{
	if (ranks > r->ranks)
		*r = (struct inspector_rank){ ranks, rank, false };
	else if (ranks == r->ranks && rank != r->rank)
		r->differs = true;
}

static void inspector_ranks(struct inspector *x)
{
	const struct inspector_object *o = &x->object;
	struct inspector_comm *c = &x->comm[x->comm_id];
	const char *group = names_text(&x->trace->names, x->group);
	int64_t ranks = o->ranks.kind == NUMBER_OK ? o->ranks.value : 0;
	if (ranks < 1 || ranks > INT32_MAX || o->rank.kind != NUMBER_OK ||
		o->rank.value >= ranks) {
		inspector_note(x, NOTE_comm_rank, group);
		return;
	}
	if (c->ranks == 0)
		c->ranks = ranks;
	if (c->ranks > 0 && c->ranks != ranks) {
		c->ranks = -1;
		inspector_note(x, NOTE_comm_ranks, group);
	}
	inspector_rank_take(&x->rank[x->process], ranks, o->rank.value);
}

static int64_t inspector_larger(int64_t known, const struct number *n)
{
	return n->kind == NUMBER_OK && n->value > known ? n->value : known;
}

/* Takes header and metadata. If they are of no use, there is no context. */
static bool inspector_context(struct inspector *x)
{
	const struct inspector_object *o = &x->object;
	uint64_t hash;
	bool found;
	x->comm_id = 0;
	if (!(o->parts & PART_HEADER) || !(o->parts & PART_METADATA) ||
		o->pid.kind != NUMBER_OK || !inspector_hash(&o->id, &hash))
		return true;
	if (!inspector_process(x, &found))
		return false;
	if (!found)
		return true;
	if (!inspector_comm(x, hash))
		return false;
	x->dump_us = o->dump_us.kind == NUMBER_OK ? o->dump_us.value : -1;
	inspector_ranks(x);
	if (o->parts & PART_STATS) {
		struct inspector_comm *c = &x->comm[x->comm_id];
		c->coll_dropped =
			inspector_larger(c->coll_dropped, &o->coll_dropped);
		c->p2p_dropped =
			inspector_larger(c->p2p_dropped, &o->p2p_dropped);
	}
	return true;
}

/* ---- calls */

/* Whether a text is one of NCCL's words, which need no repair. */
static bool inspector_word(const struct text_span *w)
{
	if (!w->at || w->len == 0 || w->len > INSPECTOR_WORD_MAX)
		return false;
	for (uint32_t i = 0; i < w->len; i++)
		if (!isalnum((unsigned char)w->at[i]) && w->at[i] != '_')
			return false;
	return true;
}

static bool inspector_known(const struct text_span *w)
{
	return inspector_word(w) && !inspector_is(w, "unknown");
}

/* The id of a name in the form that kernels of NCCL have,
 * "ncclKernel_AllReduce_RING_SIMPLE"; NAMES_NONE if the arena is full. */
static uint32_t inspector_kernel_name(struct inspector *x)
{
	const struct inspector_object *o = &x->object;
	const struct text_span *words[] = { &o->kind, &o->algorithm,
		&o->protocol };
	char name[16 + 3 * (INSPECTOR_WORD_MAX + 1)] = "ncclKernel";
	size_t len = strlen(name);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (inspector_known(words[i]))
			len += (size_t)snprintf(name + len, sizeof name - len,
				"_%.*s", (int)words[i]->len, words[i]->at);
	return names_put(&x->trace->names, name, len);
}

/* Computes start and duration. False, with a note, if there are none. */
static bool inspector_time(struct inspector *x, const char *name,
	int64_t *start_ns, int64_t *dur_ns)
{
	const struct inspector_object *o = &x->object;
	const int64_t most = INT64_MAX / 1000;
	int64_t end_us = x->dump_us;
	if (o->exec_us.kind == NUMBER_HUGE ||
		o->exec_us.value > TRACE_TIME_MAX_NS / 1000 ||
		(*dur_ns = o->exec_us.value * 1000) >
			TRACE_TIME_MAX_NS - x->total_ns)
		return !inspector_note(x, NOTE_huge_time, name);
	if (o->exec_us.kind != NUMBER_OK || o->start_us > most ||
		(!o->start_us && (end_us < o->exec_us.value || end_us > most)))
		return !inspector_note(x, NOTE_no_duration, name);
	*start_ns = o->start_us ? o->start_us * 1000 : end_us * 1000 - *dur_ns;
	return true;
}

/* Whether no earlier call of the communicator has this sequence number; *ok:
 * false if the arena is full. NCCL numbers the calls of each function apart
 * (comm->seqNumber[func]): AllGather 1 and AllReduce 1 are two calls. */
static bool inspector_is_new(struct inspector *x, uint32_t kind, bool *ok)
{
	const struct inspector_object *o = &x->object;
	bool p2p = o->parts & PART_P2P;
	const struct inspector_call call = { .sequence = o->sequence.value,
		.peer = p2p && o->peer.kind == NUMBER_OK ? o->peer.value : -1,
		.comm = x->comm_id,
		.kind = kind };
	uint32_t n = x->calls.n;
	*ok = true;
	if (o->sequence.kind != NUMBER_OK)
		return true;
	*ok = names_put(&x->calls, (const char *)&call, sizeof call) !=
	      NAMES_NONE;
	return x->calls.n > n;
}

static void inspector_call_notes(struct inspector *x, const char *name)
{
	const struct inspector_object *o = &x->object;
	if (!o->start_us)
		inspector_note(x, NOTE_comm_no_start, name);
	if (o->timing.at &&
		(o->timing.len < strlen("kernel") ||
			memcmp(o->timing.at, "kernel", strlen("kernel")) != 0))
		inspector_note(x, NOTE_comm_host_time, name);
	if (o->bytes.kind != NUMBER_OK || o->sequence.kind != NUMBER_OK)
		inspector_note(x, NOTE_comm_number, name);
}

/* Adds a call as a kernel and the record of it. The bytes are set when the
 * number of ranks is known. False if the arena is full. */
static bool inspector_call_add(struct inspector *x, uint32_t name,
	uint32_t kind, int64_t start_ns, int64_t dur_ns)
{
	const struct inspector_object *o = &x->object;
	struct trace *t = x->trace;
	bool p2p = o->parts & PART_P2P;
	int64_t id = ++x->rows;
	x->total_ns += dur_ns;
	return trace_kernel_add(t, &(struct kernel_row){ .process = x->process,
					   .start_ns = start_ns,
					   .dur_ns = dur_ns,
					   .name = name,
					   .device = -1,
					   .stream = -1,
					   .correlation = id,
					   .external_id = -1,
					   .graph_id = -1,
					   .graph_node = -1 }) &&
	       trace_comm_add(t,
		       &(struct comm_row){ .process = x->process,
			       .start_ns = start_ns,
			       .dur_ns = dur_ns,
			       .correlation = id,
			       .external_id = -1,
			       .name = kind,
			       .in_elements = -1,
			       .out_elements = -1,
			       .group = x->group,
			       .group_handle = -1,
			       .group_size = -1,
			       .sequence = p2p || o->sequence.kind != NUMBER_OK
						   ? -1
						   : o->sequence.value,
			       .in_bytes = o->bytes.kind == NUMBER_OK
						   ? o->bytes.value
						   : -1,
			       .out_bytes = -1 });
}

static bool inspector_call(struct inspector *x)
{
	const struct inspector_object *o = &x->object;
	struct trace *t = x->trace;
	int64_t start_ns = 0, dur_ns = 0; /* gcc cannot see that both are set */
	bool ok;
	if (!inspector_word(&o->kind))
		return inspector_note(x, NOTE_bad_event, "a call without name");
	uint32_t name = inspector_kernel_name(x);
	uint32_t kind = names_put(&t->names, o->kind.at, o->kind.len);
	if (name == NAMES_NONE || kind == NAMES_NONE)
		return false;
	const char *shown = names_text(&t->names, name);
	if (!x->comm_id)
		return inspector_note(x, NOTE_comm_context, shown);
	if (!inspector_time(x, shown, &start_ns, &dur_ns))
		return true;
	if (!inspector_is_new(x, kind, &ok))
		return ok && inspector_note(x, NOTE_comm_again, shown);
	inspector_call_notes(x, shown);
	return inspector_call_add(x, name, kind, start_ns, dur_ns);
}

/* Uses the object that was read. False if the arena is full. */
static bool inspector_use(struct inspector *x)
{
	const struct inspector_object *o = &x->object;
	if ((o->parts & (PART_HEADER | PART_METADATA)) && !inspector_context(x))
		return false;
	if (o->parts & (PART_COLL | PART_P2P))
		return inspector_call(x);
	if (!(o->parts & PART_STATS))
		note_add(&x->trace->notes, NOTE_record_kind, 1,
			o->other.at ? o->other.at : "{}",
			o->other.at ? o->other.len : 2);
	return true;
}

/* ---- the file */

/* Moves to the next line that begins with a bracket, which is where the plugin
 * begins an object, or to the end. */
static bool inspector_next_line(struct inspector *x, struct err *e)
{
	struct byte_window *w = x->json.window;
	bool begins = false; /* `at` is the first byte of a line */
	for (;;) {
		if (w->at >= w->end) {
			enum window_state state = byte_window_more(w, e);
			if (state != WINDOW_MORE)
				return state == WINDOW_END;
		}
		if (begins && *w->at == '{')
			return true;
		char *line = memchr(w->at, '\n', (size_t)(w->end - w->at));
		begins = line;
		w->at = line ? line + 1 : w->end;
	}
}

static bool inspector_bad(struct inspector *x, struct err *e)
{
	const char *at = x->json.window->at;
	size_t len = strcspn(at, "\r\n");
	note_add(&x->trace->notes, NOTE_bad_event, 1, at, len < 60 ? len : 60);
	return inspector_next_line(x, e);
}

static bool inspector_item(struct inspector *x, struct err *e)
{
	switch (json_reader_read(&x->json, inspector_object_read, &x->object,
		false, e)) {
	case READ:
		return inspector_use(x) || arena_err(x->trace->arena, e);
	case READ_ERR:
		return false;
	case READ_CUT:
		x->json.cut = true;
		return true;
	default:
		return inspector_bad(x, e);
	}
}

static bool inspector_read(struct inspector *x, struct err *e)
{
	char c;
	for (;;) {
		if (!json_reader_token(&x->json, &c, e))
			return false;
		if (x->json.window->at >= x->json.window->end || x->json.cut ||
			!json_reader_patient(&x->json))
			return json_reader_end(&x->json, x->trace, e);
		if (!(c == '{' ? inspector_item(x, e) : inspector_bad(x, e)))
			return false;
	}
}

/* Sets the number of ranks and the bytes of a record, whose in_bytes are the
 * size as written: of one rank's input, except that it is of the output for
 * ReduceScatter and Scatter, and of one peer for AlltoAll. */
static bool inspector_finish_record(struct inspector *x, uint32_t row)
{
	struct comm_rows *c = &x->trace->comm;
	const char *name = names_text(&x->trace->names, c->name[row]);
	const uint32_t key[2] = { c->process[row], c->group[row] };
	uint32_t comm = names_find(&x->comms, (const char *)key, sizeof key);
	assert(comm != NAMES_NONE);
	int64_t ranks = x->comm[comm].ranks;
	int64_t bytes = c->in_bytes[row];
	c->group_size[row] = ranks > 0 ? ranks : -1;
	/* Empty lists mean equal parts; NCCL's call has no other. */
	c->splits[row] = names_put(&x->trace->names, "[] []", strlen("[] []"));
	if (!strcasecmp(name, "ReduceScatter") ||
		!strcasecmp(name, "Scatter")) {
		c->out_bytes[row] = bytes;
		c->in_bytes[row] = -1;
	} else if (!strcasecmp(name, "AlltoAll") &&
		   (bytes < 0 || ranks <= 0 ||
			   __builtin_mul_overflow(bytes, ranks,
				   &c->in_bytes[row]))) {
		c->in_bytes[row] = -1;
	}
	return c->splits[row] != NAMES_NONE;
}

static void inspector_finish_processes(struct inspector *x)
{
	struct trace *t = x->trace;
	for (uint32_t i = 0; i < t->processes_n; i++)
		if (!x->rank[i].differs)
			t->processes[i].rank = (int32_t)x->rank[i].rank;
	if (t->processes_n > 1)
		note_add(&t->notes, NOTE_fused, t->processes_n, NULL, 0);
	for (uint32_t i = 1; i < x->comms.n; i++) {
		int64_t dropped;
		if (__builtin_add_overflow(x->comm[i].coll_dropped,
			    x->comm[i].p2p_dropped, &dropped))
			dropped = INT64_MAX / 2;
		if (dropped)
			note_add(&t->notes, NOTE_records_dropped, dropped,
				"calls of collectives", 20);
	}
}

static bool inspector_finish(struct inspector *x, struct err *e)
{
	struct trace *t = x->trace;
	if (!x->rows && json_reader_end_explains(&x->json, 0, "call", e))
		return false;
	if (!x->rows && t->notes.count[NOTE_comm_context])
		return err_set(e, ERR_TRACE,
			"the calls in this file of NCCL Inspector belong to no "
			"communicator that is stated; was the beginning of the "
			"file removed?");
	if (!x->rows)
		return err_set(e, ERR_TRACE,
			"no call of a collective could be read from this file "
			"of NCCL Inspector; were collectives called while it "
			"was active?");
	for (uint32_t i = 0; i < t->comm.n; i++)
		if (!inspector_finish_record(x, i))
			return arena_err(t->arena, e);
	inspector_finish_processes(x);
	note_add(&t->notes, NOTE_collectives_only, x->rows, NULL, 0);
	json_reader_note_cut(&x->json, t);
	t->format = "nccl_inspector";
	t->base_is_utc = true;
	finish_rebase(t);
	return finish_drop_idle(t) || arena_err(t->arena, e);
}

bool inspector_decode(struct byte_window *w, struct trace *t, struct err *e)
{
	struct inspector x = { .trace = t,
		.text = { .trace = t },
		.json = { .window = w } };
	if (!names_init(&x.processes, t->arena) ||
		!names_init(&x.comms, t->arena) ||
		!names_init(&x.calls, t->arena))
		return arena_err(t->arena, e);
	return inspector_read(&x, e) && inspector_finish(&x, e);
}
