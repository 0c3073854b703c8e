/* view_gate.h - a gate as it is stored, as the API answers it, and as webhooks
 * receive it. */
#pragma once
#include "buf.h"
#include "gate_evaluation.h"
#include "gate_result.h"
#include "view_compare.h"
#include <jansson.h>

/* Rules of an answer: all but functions that pass, the first GATE_RULES. */
enum { GATE_RULES = 200 };

/* What the columns of its row do not hold. */
json_t *view_gate_document(struct arena *a, const struct gate_request *q,
	const struct run_selection *base, const struct run_selection *head,
	const struct compare_sides *sides, const struct gate *g);
/* The rules of a gate; range NULL: the detected iterations. */
json_t *view_gate_policy(const struct gate_policy *p, const char *range);
/* The row and its document as one. */
json_t *view_gate(const struct gate_row *row);
/* The event "gate": the gate without its rules and findings, and its page. */
json_t *view_gate_event(const struct gate_row *row);

/* ---- a stored gate as Markdown, JUnit, annotations and badge (gate_text.c)
 *
 * A gate's texts hold names that others made. Each rendering escapes them for
 * where they are read, so that no name becomes markup, a mention or a command:
 *
 *   md      a pull request's comment, or a job's summary: GitHub, GitLab
 *   junit   the XML that CI systems show as tests: a case for the data, one per
 *           rule; regressed is a failure, undecided is skipped, bad data an error
 *   github  workflow commands that annotate a run
 *   svg     a badge with the outcome alone
 *
 * `site` is the page's address ("https://kernsift.example"), for links; NULL: there are
 * no links. Pure. */

void gate_text_md(const json_t *gate, const char *site, struct buf *b);
void gate_text_junit(const json_t *gate, const char *site, struct buf *b);
void gate_text_github(const json_t *gate, const char *site, struct buf *b);
/* Text of an element, or of an attribute in double quotes. What XML 1.0 cannot hold, not
 * even escaped, becomes U+FFFD. `s` is UTF-8. */
void gate_text_xml(struct buf *b, const char *s, size_t len);
/* `outcome` NULL: there is no gate. */
void gate_text_svg(const char *label, const char *outcome, struct buf *b);
