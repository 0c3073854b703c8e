/* signature.c - magic bytes, JSON or not, text or not. */
#include "signature.h"
#include "table_signature.h"
#include "utf8.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

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

/* The index of the signature these bytes have, KNOWN if none, -1 if more of
 * them could tell. Letters compare without regard to case. */
static int find(const char *p, size_t len, bool whole)
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

static enum sniffed unknown(struct err *e, const char *sentence)
{
	err_set(e, ERR_FORMAT, "%s", sentence);
	return SNIFF_UNKNOWN;
}

static size_t space(const char *p, size_t len, size_t from)
{
	while (from < len && strchr(" \t\r\n", p[from]) && p[from])
		from++;
	return from;
}

/* Whether that key stands in these bytes, with its colon. */
static bool has_key(const char *p, size_t len, size_t from, const char *key)
{
	const char *at = memmem(p + from, len - from, key, strlen(key));
	if (!at)
		return false;
	size_t behind = space(p, len, (size_t)(at - p) + strlen(key));
	return behind < len && p[behind] == ':';
}

/* Peaks of platforms, or what an operator weighs in a fleet, and no events. */
static bool operator_catalogue(const char *p, size_t len, size_t from)
{
	return (has_key(p, len, from, "\"p_peak_flops\"") ||
		       has_key(p, len, from, "\"importance_score\"")) &&
	       !has_key(p, len, from, "\"traceEvents\"");
}

/* A text that opens a bracket: what stands behind that tells. */
static enum sniffed json(const char *p, size_t len, bool whole, size_t at,
	struct err *e)
{
	bool object = p[at] == '{';
	at = space(p, len, at + 1);
	if (at >= len && !whole)
		return SNIFF_MORE;
	char c = at < len ? p[at] : 0;
	if (object && c == '"' &&
		has_key(p, len, at, "\"rocprofiler-sdk-tool\""))
		return SNIFF_ROCPROF_JSON;
	if (object && c == '"' && operator_catalogue(p, len, at))
		return unknown(e, "this is a catalogue of operators, no trace; "
				  "`kernsift import` takes it as a set to "
				  "compare with");
	if (object ? c == '"' : c == '{')
		return SNIFF_TRACE_JSON;
	if (c == 0)
		return unknown(e, "the file breaks off after its first "
				  "bracket");
	if (c == (object ? '}' : ']'))
		return unknown(e,
			object ? "this is an empty JSON object; a trace has a "
				 "list 'traceEvents'"
			       : "this is an empty JSON list; was the "
				 "profiler running while the work was done?");
	if (object)
		return unknown(e, "this begins like JSON, but its first key "
				  "has no quotes");
	return unknown(e, "this is a JSON list, but not of events ({…}); "
			  "upload a trace of torch.profiler");
}

static enum sniffed text(const char *p, size_t len, bool whole, size_t at,
	struct err *e)
{
	enum sniffed table = table_signature(p + at, len - at, e);
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

static enum sniffed binary(const unsigned char *p, size_t len, struct err *e)
{
	char hex[3 * 8 + 1] = "";
	for (size_t i = 0; i < len && i < 8; i++)
		snprintf(hex + 3 * i, 4, " %02x", p[i]);
	err_set(e, ERR_FORMAT,
		"this is no format known here; its first bytes are%s", hex);
	return SNIFF_UNKNOWN;
}

enum sniffed signature(const void *bytes, size_t len, bool whole, struct err *e)
{
	const char *p = bytes;
	if (len == 0 && !whole)
		return SNIFF_MORE;
	if (len == 0)
		return unknown(e, "the file is empty");
	int i = find(p, len, whole);
	if (i < 0)
		return SNIFF_MORE;
	if (i < KNOWN && known[i].sentence)
		return unknown(e, known[i].sentence);
	if (i < KNOWN)
		return known[i].is;
	size_t at = len >= 3 && !memcmp(p, "\xEF\xBB\xBF", 3) ? 3 : 0;
	at = space(p, len, at);
	if (at == len)
		return whole ? unknown(e, "the file holds only white space")
			     : SNIFF_MORE;
	if (p[at] == '{' || p[at] == '[')
		return json(p, len, whole, at, e);
	size_t clipped = utf8_trim(p, len);
	bool printable = utf8_valid(p, clipped);
	for (size_t j = 0; j < clipped && printable; j++)
		printable =
			(unsigned char)p[j] >= 0x20 || strchr("\t\r\n\f", p[j]);
	return printable ? text(p, len, whole, at, e) : binary(bytes, len, e);
}
