/* kineto_event.c - reads one event of a Kineto trace, key by key */
#include "kineto.h"

void kineto_words_init(struct kineto_words *w)
{
	*w = (struct kineto_words){ 0 };
#define KEY(name, text) word_table_add(&w->keys, text, KEY_##name);
#include "kineto.def"
#undef KEY
#define CATEGORY(text, what) \
	word_table_add(&w->categories, text, CATEGORY_##what);
#include "kineto.def"
#undef CATEGORY
}

/* Both functions clear field by field, which is faster here than clearing the
 * whole struct. */
static void kineto_event_head_clear(struct kineto_event *e)
{
	const struct text_span none = { 0 };
	const struct number unknown = { 0 };
	e->ph = 0;
	e->dull = e->has_args = false;
	e->category = CATEGORY_NONE;
	e->category_text = e->name = e->tid = e->id = e->pid_text = none;
	e->args = none;
	e->pid = e->ts = e->dur = unknown;
}

static void kineto_event_args_clear(struct kineto_event *e)
{
	const struct text_span none = { 0 };
	e->has_args = true;
	e->has_shape = e->has_comm = false;
	e->kernel = e->label = none;
	e->dims = e->types = e->concrete = none;
	e->device = e->stream = e->correlation = e->external_id = -1;
	e->graph_id = e->graph_node = e->bytes = -1;
	e->python_id = e->python_parent = e->rank = e->pid_raw = -1;
	e->function = e->autograd_number = -1;
	memset(e->grid, -1, sizeof e->grid);
	memset(e->block, -1, sizeof e->block);
	e->registers = e->shared = -1;
}

/* Reads [x, y, z]; any other value leaves -1. */
static const char *kineto_event_triple(struct scan *s, const char *p,
	int32_t to[3])
{
	int32_t got[3];
	if (*p != '[')
		return scan_skip(s, p, true);
	const char *q = p + 1;
	for (int i = 0; i < 3; i++) {
		struct number n;
		q = number_int(s, scan_ws(q), &n);
		if (!q)
			return NULL;
		q = scan_ws(q);
		if (n.kind != NUMBER_OK || n.value < 0 || n.value > INT32_MAX ||
			*q != (i < 2 ? ',' : ']'))
			return q < s->end ? scan_skip(s, p, true)
					  : scan_stop(s, q);
		got[i] = (int32_t)n.value;
		q++;
	}
	memcpy(to, got, sizeof got);
	return q;
}

/* Reads a whole number; any other value leaves -1. */
static const char *kineto_event_number(struct scan *s, const char *p,
	int64_t *to)
{
	struct number n;
	p = number_int(s, p, &n);
	*to = n.kind == NUMBER_OK ? n.value : -1;
	return p;
}

/* Reads a count that fits 32 bits; any other value leaves -1. */
static const char *kineto_event_count(struct scan *s, const char *p,
	int32_t *to)
{
	struct number n;
	p = number_int(s, p, &n);
	if (n.kind == NUMBER_OK && n.value >= 0 && n.value <= INT32_MAX)
		*to = (int32_t)n.value;
	return p;
}

/* Reads a list's JSON text; any other value sets `at` to NULL. */
static const char *kineto_event_list(struct scan *s, const char *p,
	struct text_span *to)
{
	const char *q = scan_skip(s, p, true);
	if (q && *p == '[')
		*to = (struct text_span){ p, (uint32_t)(q - p), false };
	return q;
}

/* Reads the text of a list: PyTorch writes it as a string, "[0, 1]". */
static const char *kineto_event_list_text(struct scan *s, const char *p,
	struct text_span *to)
{
	return *p == '"' ? scan_text(s, p, to) : kineto_event_list(s, p, to);
}

/* Reads a text; a number is read as its digits. */
static const char *kineto_event_text(struct scan *s, const char *p,
	struct text_span *to)
{
	const char *q = *p == '"' ? scan_text(s, p, to) : scan_skip(s, p, true);
	if (q && number_digit(*p))
		*to = (struct text_span){ p, (uint32_t)(q - p), false };
	return q;
}

static const char *kineto_event_comm(struct scan *s, const char *p,
	enum kineto_key key, struct kineto_event *e)
{
	struct kineto_comm *c = &e->comm;
	if (!e->has_comm)
		*c = kineto_comm_none;
	e->has_comm = true;
	switch (key) {
	case KEY_COLLECTIVE:
		return kineto_event_text(s, p, &c->name);
	case KEY_COMM_DTYPE:
		return kineto_event_text(s, p, &c->dtype);
	case KEY_IN_ELEMENTS:
		return kineto_event_number(s, p, &c->in_elements);
	case KEY_OUT_ELEMENTS:
		return kineto_event_number(s, p, &c->out_elements);
	case KEY_IN_SPLIT:
		return kineto_event_list_text(s, p, &c->in_split);
	case KEY_OUT_SPLIT:
		return kineto_event_list_text(s, p, &c->out_split);
	case KEY_GROUP_NAME:
		return kineto_event_text(s, p, &c->group);
	case KEY_GROUP_RANKS:
		return kineto_event_list_text(s, p, &c->ranks);
	case KEY_GROUP_SIZE:
		return kineto_event_number(s, p, &c->group_size);
	default:
		return kineto_event_number(s, p, &c->sequence);
	}
}

static const char *kineto_event_arg(struct scan *s, const char *p,
	enum kineto_key key, struct kineto_event *e)
{
	if (key >= KEY_COLLECTIVE && key <= KEY_SEQUENCE)
		return kineto_event_comm(s, p, key, e);
	switch (key) {
	case KEY_DEVICE:
		return kineto_event_number(s, p, &e->device);
	case KEY_STREAM:
	case KEY_SYCL_QUEUE:
		return kineto_event_number(s, p, &e->stream);
	case KEY_CORRELATION:
		return kineto_event_number(s, p, &e->correlation);
	case KEY_EXTERNAL_ID:
	case KEY_EXTERNAL_ID_2020:
		return kineto_event_number(s, p, &e->external_id);
	case KEY_GRAPH_ID:
		return kineto_event_number(s, p, &e->graph_id);
	case KEY_GRAPH_NODE:
		return kineto_event_number(s, p, &e->graph_node);
	case KEY_BYTES:
		return kineto_event_number(s, p, &e->bytes);
	case KEY_FUNCTION:
		return kineto_event_number(s, p, &e->function);
	case KEY_AUTOGRAD_NUMBER:
		return kineto_event_number(s, p, &e->autograd_number);
	case KEY_PYTHON_ID:
		return kineto_event_number(s, p, &e->python_id);
	case KEY_PYTHON_PARENT:
		return kineto_event_number(s, p, &e->python_parent);
	case KEY_RANK:
		return kineto_event_number(s, p, &e->rank);
	case KEY_PID_RAW:
		return kineto_event_number(s, p, &e->pid_raw);
	case KEY_GRID:
		e->has_shape = true;
		return kineto_event_triple(s, p, e->grid);
	case KEY_BLOCK:
		e->has_shape = true;
		return kineto_event_triple(s, p, e->block);
	case KEY_REGISTERS:
		e->has_shape = true;
		return kineto_event_count(s, p, &e->registers);
	case KEY_SHARED:
		e->has_shape = true;
		return kineto_event_count(s, p, &e->shared);
	case KEY_DIMS:
	case KEY_DIMS_2020:
		return kineto_event_list(s, p, &e->dims);
	case KEY_TYPES:
		return kineto_event_list(s, p, &e->types);
	case KEY_CONCRETE:
		return kineto_event_list(s, p, &e->concrete);
	case KEY_KERNEL:
		return scan_text(s, p, &e->kernel);
	case KEY_NAME:
		return scan_text(s, p, &e->label);
	default:
		return scan_skip(s, p, true);
	}
}

static const char *kineto_event_args_read(struct scan *s,
	const struct kineto_words *w, const char *p, struct kineto_event *e)
{
	const char *from = p;
	bool end;
	kineto_event_args_clear(e);
	if (*p != '{')
		return scan_skip(s, p, true);
	for (p = scan_first(s, p, &end); p && !end;
		p = p ? scan_next(s, p, &end) : NULL) {
		struct text_span key;
		p = scan_key(s, p, &key);
		if (p)
			p = kineto_event_arg(s, p,
				word_table_find(&w->keys, key.at, key.len), e);
	}
	if (p)
		e->args =
			(struct text_span){ from, (uint32_t)(p - from), false };
	return p;
}

/* Reads a string that is one of a few words. It is not repaired if it contains
 * unescaped quotes. */
static const char *kineto_event_word(struct scan *s, const char *p,
	struct text_span *text)
{
	bool lenient = s->lenient;
	s->lenient = false;
	p = scan_text(s, p, text);
	s->lenient = lenient;
	return p;
}

static const char *kineto_event_category(struct scan *s,
	const struct kineto_words *w, const char *p, struct kineto_event *e)
{
	p = kineto_event_word(s, p, &e->category_text);
	e->category = CATEGORY_NONE;
	if (p && e->category_text.at)
		e->category = word_table_find(&w->categories,
			e->category_text.at, e->category_text.len);
	return p;
}

static const char *kineto_event_phase(struct scan *s, const char *p,
	struct kineto_event *e)
{
	struct text_span text;
	p = kineto_event_word(s, p, &text);
	if (p)
		e->ph = text.at && text.len == 1 ? *text.at : '?';
	return p;
}

/* Reads a process or thread: a number, a text, or a number as text. */
static const char *kineto_event_task(struct scan *s, const char *p,
	struct number *n, struct text_span *text)
{
	const char *from = p;
	bool quoted = *p == '"';
	p = number_int(s, p, n);
	if (p)
		*text = (struct text_span){ from + quoted,
			(uint32_t)(p - from - 2 * quoted), s->escaped };
	return p;
}

static const char *kineto_event_field(struct scan *s,
	const struct kineto_words *w, const char *p, enum kineto_key key,
	struct kineto_event *e)
{
	struct number ignored;
	switch (key) {
	case KEY_PH:
		return kineto_event_phase(s, p, e);
	case KEY_CAT:
		return kineto_event_category(s, w, p, e);
	case KEY_NAME:
		return scan_text(s, p, &e->name);
	case KEY_PID:
		return kineto_event_task(s, p, &e->pid, &e->pid_text);
	case KEY_TID:
		return kineto_event_task(s, p, &ignored, &e->tid);
	case KEY_ID:
		return kineto_event_task(s, p, &ignored, &e->id);
	case KEY_TS:
		return number_ns(s, p, &e->ts);
	case KEY_DUR:
		return number_ns(s, p, &e->dur);
	case KEY_ARGS:
		return kineto_event_args_read(s, w, p, e);
	default:
		return scan_skip(s, p, true);
	}
}

/* Whether enough of an event is known to skip the rest of it. */
static bool kineto_event_is_dull(const struct kineto_event *e)
{
	if (e->ph && e->ph != 'X' && e->ph != 'M' && e->ph != 'C')
		return true;
	return e->category_text.at && e->ph == 'X' &&
	       (e->category == CATEGORY_DULL || e->category == CATEGORY_NONE);
}

/* Whether an operator is a user annotation. PyTorch 1.8 and 1.9 (2021) write
 * both with the category "Operator": ProfilerStep#5, Optimizer.step#SGD.step,
 * enumerate(DataLoader)#…, and what record_function() is given. A name in a
 * namespace (aten::mm) is an operator's. So is an identifier: autograd nodes
 * (AddmmBackward) and operators without a namespace (detach_). An identifier
 * given to record_function() cannot be distinguished from these. */
static bool kineto_event_is_old_annotation(const struct kineto_event *e)
{
	static const char old[] = "Operator";
	const struct text_span *c = &e->category_text;
	bool identifier = true;
	if (e->category != CATEGORY_OP || !e->name.at ||
		c->len != sizeof old - 1 || memcmp(c->at, old, c->len) != 0)
		return false;
	for (uint32_t i = 0; i < e->name.len; i++) {
		char at = e->name.at[i];
		if (at == ':' && i && e->name.at[i - 1] == ':')
			return false;
		identifier &= at == '_' || number_digit(at) ||
			      (unsigned char)((at | 32) - 'a') < 26;
	}
	return !identifier;
}

const char *kineto_event_read(struct scan *s, const struct kineto_words *w,
	const char *p, struct kineto_event *e)
{
	bool end;
	kineto_event_head_clear(e);
	for (p = scan_first(s, p, &end); p && !end;
		p = p ? scan_next(s, p, &end) : NULL) {
		struct text_span key;
		p = scan_key(s, p, &key);
		if (!p)
			return NULL;
		enum kineto_key k = word_table_find(&w->keys, key.at, key.len);
		p = kineto_event_field(s, w, p, k, e);
		if (p && (k == KEY_PH || k == KEY_CAT) &&
			kineto_event_is_dull(e)) {
			e->dull = true;
			return scan_close(s, p, true);
		}
	}
	if (p && !e->has_args)
		kineto_event_args_clear(e);
	if (p && kineto_event_is_old_annotation(e))
		e->category = CATEGORY_ANNOTATION;
	return p;
}
