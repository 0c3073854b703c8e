/* capture_write.c - writes a trace, or one process of it, as a capture file */
#include "capture_write.h"
#include "kernsift/kst_writer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct capture_write {
	const struct trace *t;
	uint32_t from, to; /* processes */
	struct kst_writer *w;
	uint32_t *texts; /* by id of the trace's names: the capture's */
	uint32_t *shapes; /* likewise of its launch shapes */
	int64_t long_texts; /* number of texts that were omitted */
	capture_put_fn *put;
	void *put_to;
	struct err *e;
};

static bool capture_write_put_bytes(void *ctx, const void *bytes, size_t len)
{
	struct capture_write *m = ctx;
	return m->put(m->put_to, bytes, len, m->e);
}

/* Checks that a kind has an array for each of its columns in kst.def, and no
 * other. The functions below check the names. */
#define COLUMN(type, field, what) +1
#define KIND(kind, COLUMNS, what)                                          \
	_Static_assert(0 COLUMNS(COLUMN) == sizeof(struct kst_##kind) / 8, \
		"kst.def lacks a column of " #kind);
TRACE_KINDS(KIND)
TRACE_TABLES(KIND)
#undef KIND
#undef COLUMN

_Static_assert((int)KST_RANGE_ANNOTATION == (int)RANGE_ANNOTATION &&
		       (int)KST_RANGE_GPU_ANNOTATION ==
			       (int)RANGE_GPU_ANNOTATION &&
		       (int)KST_RANGE_MODULE == (int)RANGE_MODULE &&
		       (int)KST_RANGE_PYTHON == (int)RANGE_PYTHON &&
		       (int)KST_RANGE_LOOSE == (int)RANGE_LOOSE,
	"ranges have the same kinds there and here");

/* Marks the texts and shapes that rows refer to. */
#define USED_INT(field)
#define USED_REAL(field)
#define USED_TEXT(field) m->texts[r->field[i]] = 1;
#define USED_NAME(field) USED_TEXT(field)
#define USED_JSON(field) USED_TEXT(field)
#define USED_SHAPE(field) m->shapes[r->field[i]] = 1;
#define COLUMN(type, field, absent, expected, what) USED_##type(field)
#define KIND(kind, COLUMNS, what)                                  \
	static void kind##_used(struct capture_write *m,           \
		const struct slice *rows)                          \
	{                                                          \
		const struct kind##_rows *r = &m->t->kind;         \
		for (uint32_t i = rows->from; i < rows->to; i++) { \
			KST_##COLUMNS(COLUMN)                      \
		}                                                  \
	}
TRACE_KINDS(KIND)
TRACE_TABLES(KIND)
#undef KIND
#undef COLUMN

/* Writes rows. Rows of a process have the number of that process in the capture
 * file. */
#define GIVEN_INT(field) (int64_t) r->field[i]
#define GIVEN_REAL(field) r->field[i]
#define GIVEN_TEXT(field) (int64_t) m->texts[r->field[i]]
#define GIVEN_NAME(field) GIVEN_TEXT(field)
#define GIVEN_JSON(field) GIVEN_TEXT(field)
#define GIVEN_SHAPE(field) (int64_t) m->shapes[r->field[i]]
#define COLUMN(type, field, absent, expected, what) \
	.field = GIVEN_##type(field),
#define KIND(kind, COLUMNS, what)                                           \
	static bool kind##_write(struct capture_write *m, uint32_t process, \
		const struct slice *rows)                                   \
	{                                                                   \
		const struct kind##_rows *r = &m->t->kind;                  \
		for (uint32_t i = rows->from; i < rows->to; i++) {          \
			struct kst_##kind row = { KST_##COLUMNS(COLUMN) };  \
			row.process = process - m->from;                    \
			if (!kst_writer_##kind(m->w, &row))                 \
				return false;                               \
		}                                                           \
		return true;                                                \
	}
TRACE_KINDS(KIND)
TRACE_TABLES(KIND)
#undef KIND
#undef COLUMN

static bool capture_write_device_used(const struct capture_write *m,
	const struct device *d)
{
	return d->process < 0 || ((uint32_t)d->process >= m->from &&
					 (uint32_t)d->process < m->to);
}

static void capture_write_mark_used(struct capture_write *m)
{
	for (uint32_t p = m->from; p < m->to; p++) {
		const struct process *proc = &m->t->processes[p];
#define KIND(kind, COLUMNS, what) kind##_used(m, &proc->kind);
		TRACE_KINDS(KIND)
		TRACE_TABLES(KIND)
#undef KIND
		m->texts[proc->name] = m->texts[proc->host] = 1;
	}
	for (uint32_t d = 0; d < m->t->devices_n; d++)
		if (capture_write_device_used(m, &m->t->devices[d])) {
			m->texts[m->t->devices[d].name] = 1;
			m->texts[m->t->devices[d].uuid] = 1;
			m->texts[m->t->devices[d].bus_id] = 1;
		}
}

/* Replaces the marks by ids, in the order of the texts in the trace. */
static bool capture_write_names(struct capture_write *m)
{
	for (uint32_t id = 0; id < m->t->names.n; id++) {
		const struct name *n = &m->t->names.list[id];
		if (!m->texts[id])
			continue;
		int64_t text = 0;
		if (n->len > KST_TEXT_MAX)
			m->long_texts++;
		else
			text = kst_writer_text(m->w, n->text, n->len);
		if (text < 0 || text > UINT32_MAX)
			return false;
		m->texts[id] = (uint32_t)text;
	}
	for (uint32_t id = 0; id < m->t->launch_shapes.n; id++) {
		const struct launch_shape *s = trace_launch_shape_at(m->t, id);
		struct kst_shape shape = { { s->grid[0], s->grid[1],
						   s->grid[2] },
			{ s->block[0], s->block[1], s->block[2] }, s->registers,
			s->shared_bytes };
		if (!m->shapes[id])
			continue;
		int64_t at = kst_writer_shape(m->w, &shape);
		if (at < 0)
			return false;
		m->shapes[id] = (uint32_t)at;
	}
	return true;
}

static bool capture_write_processes(struct capture_write *m)
{
	bool ok = true;
	for (uint32_t i = m->from; ok && i < m->to; i++) {
		const struct process *p = &m->t->processes[i];
		ok = kst_writer_process(m->w,
			&(struct kst_process){ .id = i - m->from,
				.pid = p->pid,
				.name = m->texts[p->name],
				.rank = p->rank,
				.world_size = p->world_size,
				.host = m->texts[p->host] });
	}
	for (uint32_t i = 0; ok && i < m->t->devices_n; i++) {
		const struct device *d = &m->t->devices[i];
		if (!capture_write_device_used(m, d))
			continue;
		ok = kst_writer_device(m->w,
			&(struct kst_device){
				.process =
					d->process < 0
						? -1
						: d->process - (int64_t)m->from,
				.number = d->number,
				.name = m->texts[d->name],
				.sm_count = d->sm_count,
				.compute_major = d->compute_major,
				.compute_minor = d->compute_minor,
				.memory_bytes = d->memory_bytes,
				.uuid = m->texts[d->uuid],
				.bus_id = m->texts[d->bus_id] });
	}
	return ok;
}

static bool capture_write_rows(struct capture_write *m)
{
	for (uint32_t p = m->from; p < m->to; p++) {
		const struct process *proc = &m->t->processes[p];
#define KIND(kind, COLUMNS, what)             \
	if (!kind##_write(m, p, &proc->kind)) \
		return false;
		TRACE_KINDS(KIND)
		TRACE_TABLES(KIND)
#undef KIND
	}
	return true;
}

static bool capture_write_note(struct capture_write *m, enum note_code code,
	int64_t count, const char *detail)
{
	const char *name = note_name(code);
	struct kst_note row = { .count = count };
	if (count == 0)
		return true;
	row.code = kst_writer_text(m->w, name, strlen(name));
	row.detail = kst_writer_text(m->w, detail, strlen(detail));
	return row.code >= 0 && row.detail >= 0 && kst_writer_note(m->w, &row);
}

static bool capture_write_notes(struct capture_write *m)
{
	const struct notes *ns = &m->t->notes;
	bool ok = true;
	for (int c = 0; ok && c < NOTE_CODES; c++) {
		int64_t more = c == NOTE_text_dropped ? m->long_texts : 0;
		ok = capture_write_note(m, (enum note_code)c,
			ns->count[c] + more, ns->detail[c]);
	}
	return ok;
}

static void capture_write_about_from(struct kst_about *about,
	const struct trace *t)
{
	*about = (struct kst_about){ .base_ns = t->base_ns,
		.base_is_utc = t->base_is_utc };
	snprintf(about->writer, sizeof about->writer, "kernsift %s",
		KERNSIFT_VERSION);
	snprintf(about->source, sizeof about->source, "%s",
		t->format ? t->format : "");
	snprintf(about->framework, sizeof about->framework, "%s",
		t->framework ? t->framework : "");
}

static bool capture_write_all(struct capture_write *m)
{
	return capture_write_names(m) && capture_write_processes(m) &&
	       capture_write_rows(m) && capture_write_notes(m) &&
	       kst_writer_end(m->w);
}

bool capture_write_sized(const struct trace *t, uint32_t process,
	capture_put_fn *put_fn, void *to, struct capture_size *size,
	struct err *e)
{
	bool all = process == CAPTURE_ALL;
	struct capture_write m = { .t = t,
		.from = all ? 0 : process,
		.to = all ? t->processes_n : process + 1,
		.texts = calloc(t->names.n, sizeof *m.texts),
		.shapes = calloc(t->launch_shapes.n, sizeof *m.shapes),
		.put = put_fn,
		.put_to = to,
		.e = e };
	struct kst_about about;
	bool ok = m.texts && m.shapes;
	*size = (struct capture_size){ 0 };
	if (ok) {
		capture_write_mark_used(&m);
		capture_write_about_from(&about, t);
		m.w = kst_writer_new(&about, capture_write_put_bytes, &m, NULL);
		ok = m.w && capture_write_all(&m);
	}
	if (ok) {
		size->bytes = kst_writer_bytes(m.w, 0);
		size->kernel_bytes = kst_writer_bytes(m.w, KST_kernel) +
				     kst_writer_bytes(m.w, KST_launch);
	}
	kst_writer_free(m.w);
	free(m.texts);
	free(m.shapes);
	return ok || err_set(e, ERR_BUSY,
			     "this machine has no memory left for a capture");
}

bool capture_write(const struct trace *t, uint32_t process,
	capture_put_fn *put_fn, void *to, struct err *e)
{
	struct capture_size size;
	return capture_write_sized(t, process, put_fn, to, &size, e);
}
