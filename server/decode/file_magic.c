/* file_magic.c - recognizes a file by its first bytes */
#include "file_magic.h"
#include "ncu_table.h"
#include "plain.h"
#include "source.h"
#include "table_magic.h"
#include "table_reader.h"
#include "utf8.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Checks the first line that is not blank: it is a pattern file's heading, or a
 * row of a table without a heading. */
static enum sniffed file_magic_first_line(const char *line, size_t len,
	struct err *e)
{
	if (stats_table_is_row(line, len))
		return SNIFF_STATS_TABLE;
	switch (pattern_file_heading_of(line, len)) {
	case PATTERN_HEADING:
		return SNIFF_PATTERNS;
	case PATTERN_COUNTERS:
		err_set(e, ERR_FORMAT,
			"this is a file of counters, which belongs behind its "
			"pattern file; upload both as one (`cat patterns.csv "
			"counters.csv`, or `kernsift upload --counters "
			"counters.csv patterns.csv`)");
		return SNIFF_UNKNOWN;
	default:
		return SNIFF_UNKNOWN;
	}
}

/* Returns SNIFF_STATS_TABLE, SNIFF_PATTERNS, or SNIFF_UNKNOWN. SNIFF_UNKNOWN
 * has *e with a sentence if the text is another table, and no *e if it is not a
 * table. */
static enum sniffed file_magic_table(const char *text, size_t len,
	struct err *e)
{
	const char *end = text + len;
	bool first = true;
	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		stop = stop ? stop : end;
		size_t n = (size_t)(stop - text);
		n -= n && text[n - 1] == '\r';
		if (stats_table_is_heading(text, n))
			return SNIFF_STATS_TABLE;
		if (ncu_table_is_heading(text, n)) {
			err_set(e, ERR_FORMAT,
				"this is a table of Nsight Compute, which "
				"measures single kernels and not a run; "
				"attach it to a run (`kernsift attach RUN "
				"FILE`)");
			return SNIFF_UNKNOWN;
		}
		struct table_cell line =
			table_reader_trim((char *)(uintptr_t)text, n);
		if (first && line.len) {
			enum sniffed s =
				file_magic_first_line(line.at, line.len, e);
			if (s != SNIFF_UNKNOWN || e->code)
				return s;
			first = false;
		}
		text = stop < end ? stop + 1 : end;
	}
	return SNIFF_UNKNOWN;
}

static const struct {
	size_t offset, len;
	const char *bytes, *sentence;
	enum sniffed is;
} known[] = {
#define SIGNATURE(offset, bytes, sentence) \
	{ offset, sizeof bytes - 1, bytes, sentence, SNIFF_UNKNOWN },
#define MAGIC(offset, bytes, is) { offset, sizeof bytes - 1, bytes, NULL, is },
#include "signature.def"
#undef SIGNATURE
#undef MAGIC
};
enum { KNOWN = sizeof known / sizeof *known, SHOWN = 24 };

/* The index of the signature that these bytes have; KNOWN if they have none, -1
 * if more bytes are needed to decide. Letters are compared without case. */
static int file_magic_find(const char *p, size_t len, bool whole)
{
	for (int i = 0; i < KNOWN; i++) {
		size_t end = known[i].offset + known[i].len;
		size_t have = len < end ? len : end;
		if (have <= known[i].offset)
			continue;
		have -= known[i].offset;
		if (strncasecmp(p + known[i].offset, known[i].bytes, have))
			continue;
		if (have == known[i].len)
			return i;
		if (!whole && known[i].offset == 0)
			return -1;
	}
	return KNOWN;
}

static enum sniffed file_magic_unknown(struct err *e, const char *sentence)
{
	err_set(e, ERR_FORMAT, "%s", sentence);
	return SNIFF_UNKNOWN;
}

static size_t file_magic_space(const char *p, size_t len, size_t from)
{
	while (from < len && strchr(" \t\r\n", p[from]) && p[from])
		from++;
	return from;
}

/* Whether the bytes contain that key, followed by a colon. */
static bool file_magic_has_key(const char *p, size_t len, size_t from,
	const char *key)
{
	const char *at = memmem(p + from, len - from, key, strlen(key));
	if (!at)
		return false;
	size_t behind =
		file_magic_space(p, len, (size_t)(at - p) + strlen(key));
	return behind < len && p[behind] == ':';
}

/* Whether the text has peaks of platforms, or the importance of operators in a
 * fleet, but no events. */
static bool file_magic_operator_catalog(const char *p, size_t len, size_t from)
{
	return (file_magic_has_key(p, len, from, "\"p_peak_flops\"") ||
		       file_magic_has_key(p, len, from,
			       "\"importance_score\"")) &&
	       !file_magic_has_key(p, len, from, "\"traceEvents\"");
}

/* Whether the object whose first key is at p[at] is one of NCCL Inspector: its
 * metadata have the version of the format. Objects that inherit these, as a file
 * whose beginning was removed has them, begin with the call. */
static bool file_magic_inspector(const char *p, size_t len, size_t at)
{
	static const char coll[] = "\"coll_perf\"", p2p[] = "\"p2p_perf\"";
	size_t left = len - at;
	if (left > sizeof coll && (!memcmp(p + at, coll, sizeof coll - 1) ||
					  !memcmp(p + at, p2p, sizeof p2p - 1)))
		return true;
	return file_magic_has_key(p, len, at,
		       "\"inspector_output_format_version\"") &&
	       !file_magic_has_key(p, len, at, "\"traceEvents\"");
}

/* Whether the object whose first key is at p[at] is an execution trace of
 * PyTorch: it begins with the version of its schema, and its events are
 * `nodes`. */
static bool file_magic_observer(const char *p, size_t len, size_t at)
{
	static const char schema[] = "\"schema\"";
	return len - at > sizeof schema &&
	       !memcmp(p + at, schema, sizeof schema - 1) &&
	       file_magic_has_key(p, len, at, "\"nodes\"") &&
	       !file_magic_has_key(p, len, at, "\"traceEvents\"");
}

/* Whether the object at p[at], the first of a list, is a node of a tree of
 * Triton Proton: its first key is one of those of a node. */
static bool file_magic_hatchet(const char *p, size_t len, size_t at)
{
	static const char *const keys[] = { "\"children\"", "\"frame\"",
		"\"metrics\"" };
	at = file_magic_space(p, len, at + 1);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		size_t n = strlen(keys[i]);
		if (len - at < n || memcmp(p + at, keys[i], n) != 0)
			continue;
		at = file_magic_space(p, len, at + n);
		return at < len && p[at] == ':';
	}
	return false;
}

/* A text that begins with a bracket: the text after the bracket decides the
 * format. */
static enum sniffed file_magic_json(const char *p, size_t len, bool whole,
	size_t at, struct err *e)
{
	bool object = p[at] == '{';
	at = file_magic_space(p, len, at + 1);
	if (at >= len && !whole)
		return SNIFF_MORE;
	char c = at < len ? p[at] : 0;
	if (object && c == '"' &&
		file_magic_has_key(p, len, at, "\"rocprofiler-sdk-tool\""))
		return SNIFF_ROCPROF_JSON;
	if (object && c == '"' && file_magic_inspector(p, len, at))
		return SNIFF_INSPECTOR;
	if (object && c == '"' && file_magic_observer(p, len, at))
		return SNIFF_OBSERVER;
	if (object && c == '"' && file_magic_operator_catalog(p, len, at))
		return file_magic_unknown(e,
			"this is a catalog of operators, no trace; "
			"`kernsift import` takes it as a set to "
			"compare with");
	if (!object && c == '{' && file_magic_hatchet(p, len, at))
		return SNIFF_HATCHET;
	if (object ? c == '"' : c == '{')
		return SNIFF_TRACE_JSON;
	if (c == 0)
		return file_magic_unknown(e,
			"the file breaks off after its first "
			"bracket");
	if (c == (object ? '}' : ']'))
		return file_magic_unknown(e,
			object ? "this is an empty JSON object; a trace has a "
				 "list 'traceEvents'"
			       : "this is an empty JSON list; was the "
				 "profiler running while the work was done?");
	if (object)
		return file_magic_unknown(e,
			"this begins like JSON, but its first key "
			"has no quotes");
	return file_magic_unknown(e,
		"this is a JSON list, but not of events ({…}); "
		"upload a trace of torch.profiler");
}

/* Reads a number of protobuf; false if it does not end in the bytes. */
static bool file_magic_varint(const unsigned char **p, const unsigned char *end,
	uint64_t *value)
{
	*value = 0;
	for (int shift = 0; *p < end && shift < 64; shift += 7) {
		unsigned char c = *(*p)++;
		*value |= (uint64_t)(c & 0x7F) << shift;
		if (c < 0x80)
			return true;
	}
	return false;
}

/* Whether the bytes begin an XSpace: a plane (field 1), which has perhaps a
 * number (1), a name (2) and then one of its other fields (3 to 6). 4 KiB
 * always suffice for the name. */
static enum sniffed file_magic_xplane(const unsigned char *p, size_t len,
	bool whole)
{
	enum { PLANE = 0x0A, ID = 0x08, NAME = 0x12, NAME_MOST = 256 };
	enum sniffed more = whole ? SNIFF_UNKNOWN : SNIFF_MORE;
	const unsigned char *end = p + len;
	uint64_t plane, id, name;
	if (*p++ != PLANE)
		return SNIFF_UNKNOWN;
	if (!file_magic_varint(&p, end, &plane))
		return more;
	if (p < end && *p == ID && (p++, !file_magic_varint(&p, end, &id)))
		return more;
	if (p == end)
		return more;
	if (*p++ != NAME)
		return SNIFF_UNKNOWN;
	if (!file_magic_varint(&p, end, &name))
		return more;
	if (name == 0 || name > NAME_MOST || name > plane)
		return SNIFF_UNKNOWN;
	for (; name && p < end; name--, p++)
		if (*p < 0x20 || *p == 0x7F)
			return SNIFF_UNKNOWN;
	if (p == end)
		return more;
	return strchr("\x1A\x22\x2A\x32\x0A", *p) && *p ? SNIFF_XPLANE
							: SNIFF_UNKNOWN;
}

static enum sniffed file_magic_text(const char *p, size_t len, bool whole,
	size_t at, struct err *e)
{
	enum sniffed table = file_magic_table(p + at, len - at, e);
	if (table != SNIFF_UNKNOWN || e->code)
		return table;
	if (!whole)
		return SNIFF_MORE;
	size_t line = 0, shown = len - at < SHOWN ? len - at : SHOWN;
	while (line < shown && (unsigned char)p[at + line] >= 0x20)
		line++;
	if (line == len - at || line < shown)
		shown = line;
	else
		shown = utf8_trim(p + at, shown);
	err_set(e, ERR_FORMAT,
		"this is text that begins with '%.*s', neither a trace nor a "
		"table known here; upload a trace (torch.profiler's JSON, an "
		"SQLite export of nsys) or a kernel summary of `nsys stats`",
		(int)shown, p + at);
	return SNIFF_UNKNOWN;
}

static enum sniffed file_magic_binary(const unsigned char *p, size_t len,
	struct err *e)
{
	char hex[3 * 8 + 1] = "";
	for (size_t i = 0; i < len && i < 8; i++)
		snprintf(hex + 3 * i, 4, " %02x", p[i]);
	err_set(e, ERR_FORMAT,
		"this is no format known here; its first bytes are%s", hex);
	return SNIFF_UNKNOWN;
}

enum sniffed file_magic_plain(const void *bytes, size_t len, bool whole,
	struct err *e)
{
	const char *p = bytes;
	if (len == 0 && !whole)
		return SNIFF_MORE;
	if (len == 0)
		return file_magic_unknown(e, "the file is empty");
	int i = file_magic_find(p, len, whole);
	if (i < 0)
		return SNIFF_MORE;
	if (i < KNOWN && known[i].sentence)
		return file_magic_unknown(e, known[i].sentence);
	if (i < KNOWN)
		return known[i].is;
	enum sniffed xplane = file_magic_xplane(bytes, len, whole);
	if (xplane != SNIFF_UNKNOWN)
		return xplane;
	size_t at = len >= 3 && !memcmp(p, "\xEF\xBB\xBF", 3) ? 3 : 0;
	at = file_magic_space(p, len, at);
	if (at == len)
		return whole ? file_magic_unknown(e,
				       "the file holds only white space")
			     : SNIFF_MORE;
	if (p[at] == '{' || p[at] == '[')
		return file_magic_json(p, len, whole, at, e);
	size_t clipped = utf8_trim(p, len);
	bool printable = utf8_valid(p, clipped);
	for (size_t j = 0; j < clipped && printable; j++)
		printable =
			(unsigned char)p[j] >= 0x20 || strchr("\t\r\n\f", p[j]);
	return printable ? file_magic_text(p, len, whole, at, e)
			 : file_magic_binary(bytes, len, e);
}

/* This number of bytes is always enough to recognize a file. */
enum { ENOUGH = 4096 };

enum sniffed file_magic_sniff(const void *bytes, size_t len, bool whole,
	struct err *e)
{
	static const struct decode_limits limits = { INT64_MAX, INT64_MAX };
	struct arena a = { 0 };
	struct notes notes = { 0 };
	struct source_memory m;
	struct source s;
	struct plain p;
	char head[ENOUGH];
	size_t got = 0;

	if (len < 4 && !whole)
		return SNIFF_MORE;
	source_memory_init(&m, &s, bytes, len);
	plain_init(&p, &s, &limits, NULL, &a, &notes);
	bool ok = plain_read(&p, head, sizeof head, &got, e);
	bool packed = plain_packed(&p), cut = p.ending == NOTE_truncated;
	if (ok && (whole || !cut))
		ok = plain_any(&p, e);
	plain_release(&p);
	arena_release(&a);

	if (!ok)
		return SNIFF_UNKNOWN;
	if (packed && got == 0)
		return len < ENOUGH ? SNIFF_MORE : SNIFF_TRACE_JSON;
	bool all = whole || got == sizeof head || len >= ENOUGH;
	return file_magic_plain(head, got, all, e);
}
