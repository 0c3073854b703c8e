/* timeline_arg.c - numbers, texts, JSON in text, shapes, times. */
#include "timeline_arg.h"
#include "json_text.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

const char *timeline_arg_text_of(const struct timeline_row *r, int64_t cell,
	size_t *len)
{
	const char *s = kst_reader_text(r->ev->reader, cell, len);
	if (s)
		return s;
	*len = sizeof "(lost)" - 1;
	return "(lost)";
}

void timeline_arg_text(struct timeline_row *r, const char *key, int64_t cell)
{
	size_t len;
	const char *s = timeline_arg_text_of(r, cell, &len);
	json_text_key(r->out, key);
	json_text_string(r->out, s, len);
}

void timeline_arg_number(struct timeline_row *r, const char *key, int64_t v)
{
	if (v < 0)
		return;
	json_text_key(r->out, key);
	json_text_whole(r->out, v);
}

void timeline_arg_told(struct timeline_row *r, const char *key, int64_t cell)
{
	if (cell)
		timeline_arg_text(r, key, cell);
}

static bool is_json(struct timeline_event *ev, int64_t cell, const char *s,
	size_t len)
{
	size_t n = (size_t)kst_reader_texts(ev->reader);
	if (cell < 0)
		return false;
	if (n > ev->is_json_n) {
		ev->is_json = realloc(ev->is_json, n);
		if (!ev->is_json)
			abort();
		memset(ev->is_json + ev->is_json_n, 0, n - ev->is_json_n);
		ev->is_json_n = n;
	}
	if (!ev->is_json[cell]) {
		json_t *v = json_loadb(s, len, JSON_DECODE_ANY, NULL);
		ev->is_json[cell] = v ? 'y' : 'n';
		json_decref(v);
	}
	return ev->is_json[cell] == 'y';
}

void timeline_arg_json(struct timeline_row *r, const char *key, int64_t cell)
{
	size_t len;
	const char *s = timeline_arg_text_of(r, cell, &len);
	if (!len)
		return;
	json_text_key(r->out, key);
	if (is_json(r->ev, cell, s, len))
		json_text_raw(r->out, s, len);
	else
		json_text_string(r->out, s, len);
}

static void three(struct timeline_row *r, const char *key, const int32_t v[3])
{
	if (v[0] < 0)
		return;
	json_text_key(r->out, key);
	json_text_open(r->out, '[');
	for (int i = 0; i < 3; i++)
		json_text_whole(r->out, v[i]);
	json_text_close(r->out, ']');
}

void timeline_arg_shape(struct timeline_row *r, int64_t cell)
{
	const struct kst_shape *s = kst_reader_shape(r->ev->reader, cell);
	three(r, "grid", s->grid);
	three(r, "block", s->block);
	timeline_arg_number(r, "registers per thread", s->registers);
	timeline_arg_number(r, "shared memory", s->shared_bytes);
}

void timeline_arg_when(struct timeline_row *r, int64_t start_ns)
{
	json_text_key(r->out, "ts");
	json_text_us(r->out, start_ns);
}

void timeline_arg_span(struct timeline_row *r, int64_t start_ns, int64_t dur_ns)
{
	timeline_arg_when(r, start_ns);
	json_text_key(r->out, "dur");
	json_text_us(r->out, dur_ns);
	json_text_key(r->out, "args");
	json_text_open(r->out, '{');
}

void timeline_arg_end(struct timeline_row *r)
{
	json_text_close(r->out, '}');
	json_text_close(r->out, '}');
}
