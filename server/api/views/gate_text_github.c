/* gate_text_github.c - commands that GitHub's runner finds in a job's output: one
 * line each, whatever is in a name. */
#include "gate_text.h"
#include "gate_text_parts.h"

/* GitHub shows ten of a kind and step. */
enum { LINES = 9 };

/* As actions/toolkit's escapeData(), and escapeProperty() where it is one. */
static void escaped(struct buf *b, const char *s, bool property)
{
	for (; *s; s++)
		if (*s == '%' || *s == '\r' || *s == '\n' ||
			(property && (*s == ':' || *s == ',')))
			buf_printf(b, "%%%02X", *s);
		else
			buf_add(b, s, 1);
}

static void command(struct buf *b, const char *kind, const char *title,
	const char *of, const char *message)
{
	const char *rest;
	size_t len = gate_name_shown(of, &rest);
	char shown[GATE_NAME_BYTES + 1] = "";
	memcpy(shown, of, len);
	buf_printf(b, "::%s title=", kind);
	escaped(b, title, true);
	buf_puts(b, len ? " " : "");
	escaped(b, shown, true);
	buf_printf(b, "%s::", rest);
	escaped(b, message, false);
	buf_puts(b, "\n");
}

static const char *kind_of(const char *outcome)
{
	if (!strcmp(outcome, "pass"))
		return "notice";
	return !strcmp(outcome, "undecided") ? "warning" : "error";
}

static void outcome(const json_t *gate, const char *site, struct buf *b)
{
	const char *is = gate_text_of(gate, "outcome");
	const char *name = gate_text_of(gate, "name");
	buf_printf(b, "::%s title=Gate%%3A %s%s", kind_of(is),
		gate_outcome_said(is), *name ? "%2C " : "");
	escaped(b, name, true);
	buf_puts(b, "::");
	escaped(b, gate_text_of(gate, "sentence"), false);
	if (site) {
		buf_puts(b, " (");
		escaped(b, site, false);
		buf_printf(b, "/gates/%lld)", gate_whole_of(gate, "id"));
	}
	buf_puts(b, "\n");
}

/* The first rules of an outcome. */
static void rules(const json_t *gate, const char *is, struct buf *b)
{
	size_t i;
	int told = 0;
	json_t *r;
	json_array_foreach(json_object_get(gate, "rules"), i, r)
	{
		if (told == LINES || strcmp(gate_text_of(r, "outcome"), is))
			continue;
		told++;
		command(b, kind_of(is), gate_text_of(r, "rule"),
			gate_text_of(r, "of"), gate_text_of(r, "sentence"));
	}
}

void gate_text_github(const json_t *gate, const char *site, struct buf *b)
{
	size_t i;
	json_t *each;
	outcome(gate, site, b);
	json_array_foreach(json_object_get(gate, "shortfalls"), i, each)
	{
		if (i == LINES)
			break;
		command(b, "error", gate_text_of(each, "what"), "",
			gate_text_of(each, "message"));
	}
	rules(gate, "regressed", b);
	rules(gate, "undecided", b);
}
