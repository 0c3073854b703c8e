/* gate_text.h - a stored gate (view_gate.h) as Markdown, JUnit, annotations and badge.
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
#pragma once
#include "buf.h"
#include <jansson.h>

void gate_text_md(const json_t *gate, const char *site, struct buf *b);
void gate_text_junit(const json_t *gate, const char *site, struct buf *b);
void gate_text_github(const json_t *gate, const char *site, struct buf *b);
/* Text of an element, or of an attribute in double quotes. What XML 1.0 cannot hold, not
 * even escaped, becomes U+FFFD. `s` is UTF-8. */
void gate_text_xml(struct buf *b, const char *s, size_t len);
/* `outcome` NULL: there is no gate. */
void gate_text_svg(const char *label, const char *outcome, struct buf *b);
