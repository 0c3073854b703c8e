/* view_gate.h - a gate as a stored document, as an answer of the API and as an
 * event for webhooks. */
#pragma once
#include "buf.h"
#include "gate_evaluation.h"
#include "gate_result.h"
#include "view_compare.h"
#include <jansson.h>

/* Maximum number of rules in an answer. Rules of functions that pass are left
 * out and do not count. */
enum { GATE_RULES = 200 };

/* The document contains what the columns of the gate's row do not. */
json_t *view_gate_document(struct arena *a, const struct gate_request *q,
	const struct run_selection *base, const struct run_selection *head,
	const struct gate_evaluation *is);
/* The rules of a gate. If `range` is NULL, the gate uses the detected
 * iterations. `unit` is the label that names the commit. */
json_t *view_gate_policy(const struct gate_policy *p, const char *range,
	const char *unit);
/* Combines the row and its document. */
json_t *view_gate(const struct gate_row *row);
/* The event "gate": the gate as in lists, with the address of its page. */
json_t *view_gate_event(const struct gate_row *row);

/* ---- a stored gate as Markdown, JUnit, annotations and badge (gate_text.c)
 *
 * The texts of a gate contain names that users chose. Each format escapes them
 * for its reader, so that no name is read as markup, a mention or a command:
 *
 *   md      a pull request's comment, or a job's summary: GitHub, GitLab
 *   junit   the XML that CI systems show as tests: one case for the data, one
 *           per rule; regressed is a failure, undecided is skipped, bad data
 *           is an error
 *   github  workflow commands that annotate a run
 *   svg     a badge that shows only the outcome
 *
 * `site` is the address of the dashboard ("https://kernsift.example"), for
 * links; if it is NULL, there are no links. These functions have no side
 * effects. */

void gate_text_md(const json_t *gate, const char *site, struct buf *b);
void gate_text_junit(const json_t *gate, const char *site, struct buf *b);
void gate_text_github(const json_t *gate, const char *site, struct buf *b);
/* Escapes text for an XML element, or for an attribute in double quotes.
 * Characters that XML 1.0 cannot contain, even escaped, become U+FFFD. `s` is
 * UTF-8. */
void gate_text_xml(struct buf *b, const char *s, size_t len);
/* If `outcome` is NULL, there is no gate. */
void gate_text_svg(const char *label, const char *outcome, struct buf *b);
