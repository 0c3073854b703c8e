/* cmd_gate.c - `kernsift gate`: sends a request, prints the answer as text and
 * writes report files.
 *
 * The server makes the decision; the outcome, the figures and the sentences
 * come from the server. */
#include "address.h"
#include "arena.h"
#include "buf.h"
#include "commands.h"
#include "decimals.h"
#include "err.h"
#include "format_duration.h"
#include "json_get.h"
#include "options.h"
#include "retry.h"
#include "terminal.h"
#include "url_encode.h"
#include "utf8.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A report file. It is opened before the request is sent, so that a missing
 * folder is reported early. The new file is written in the folder of the old
 * one, and gate_file_commit() replaces the old one. If the path is not a
 * regular file (a pipe) or is our own standard output, the report is written to
 * it directly; flush standard output before that. The summary of a GitHub step
 * contains the output of other steps too, so the report is appended to it in
 * one write. */
struct gate_file {
	char *path; /* with symbolic links followed */
	char *temporary; /* NULL: the file itself is written to */
	int fd; /* -1: nothing is to be written */
	bool adds;
};

static inline bool gate_file_wanted(const struct gate_file *f)
{
	return f->fd >= 0;
}

enum { MODE = 0666 }; /* before the umask is applied */

static bool gate_file_fail(const char *path, struct err *e)
{
	return err_set(e, ERR_FILE, "cannot write '%.200s': %s", path,
		strerror(errno));
}

/* Whether the file is our own standard output, such as /dev/stdout. A second
 * descriptor for this file would overwrite what this program prints. */
static bool gate_file_is_our_output(const struct stat *st)
{
	struct stat out;
	return fstat(STDOUT_FILENO, &out) == 0 && out.st_dev == st->st_dev &&
	       out.st_ino == st->st_ino;
}

/* Whether the path is the file to which GitHub lets a step append. */
static bool gate_file_is_step_summary(const char *path)
{
	const char *summary = getenv("GITHUB_STEP_SUMMARY");
	struct stat a, b;
	return summary && *summary &&
	       (strcmp(path, summary) == 0 ||
		       (stat(path, &a) == 0 && stat(summary, &b) == 0 &&
			       a.st_dev == b.st_dev && a.st_ino == b.st_ino));
}

static char *gate_file_temporary_name(const char *path)
{
	size_t room = strlen(path) + 32;
	char *name = malloc(room);
	if (!name)
		abort();
	snprintf(name, room, "%s.%ld.part", path, (long)getpid());
	return name;
}

/* Opens a report file. "" means that there is none. Returns false with a
 * message if it cannot be written. */
static bool gate_file_init(struct gate_file *f, const char *path, struct err *e)
{
	struct stat st;
	*f = (struct gate_file){ .fd = -1 };
	if (!*path)
		return true;
	bool there = stat(path, &st) == 0;
	bool ours = there && gate_file_is_our_output(&st);
	bool plain = there && !ours && S_ISREG(st.st_mode);
	f->path = plain ? realpath(path, NULL) : strdup(path);
	if (!f->path)
		return gate_file_fail(path, e);
	f->adds = !ours && gate_file_is_step_summary(path);
	if (ours) {
		f->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	} else if (f->adds) {
		f->fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC,
			MODE);
	} else if (there && !plain) {
		f->fd = open(path, O_WRONLY | O_CLOEXEC);
	} else {
		f->temporary = gate_file_temporary_name(f->path);
		f->fd = open(f->temporary,
			O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
			MODE);
	}
	return f->fd >= 0 || gate_file_fail(path, e);
}

static bool gate_file_write_all(int fd, const char *bytes, size_t len)
{
	while (len) {
		ssize_t n = write(fd, bytes, len);
		if (n < 0 && errno != EINTR)
			return false;
		if (n > 0) {
			bytes += n;
			len -= (size_t)n;
		}
	}
	return true;
}

/* Writes an empty line between the old text and the new text. */
static bool gate_file_part_from(int fd)
{
	struct stat st;
	return fstat(fd, &st) == 0 &&
	       (st.st_size == 0 || gate_file_write_all(fd, "\n", 1));
}

static bool gate_file_commit(struct gate_file *f, const char *bytes, size_t len,
	struct err *e)
{
	bool ok = (!f->adds || gate_file_part_from(f->fd)) &&
		  gate_file_write_all(f->fd, bytes, len);
	ok = close(f->fd) == 0 && ok;
	f->fd = -1;
	if (!ok)
		return gate_file_fail(f->path, e);
	if (!f->temporary)
		return true;
	if (rename(f->temporary, f->path) != 0)
		return gate_file_fail(f->path, e);
	free(f->temporary);
	f->temporary = NULL;
	return true;
}

/* Removes the temporary file if gate_file_commit() was not called. */
static void gate_file_release(struct gate_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	if (f->temporary)
		unlink(f->temporary);
	free(f->temporary);
	free(f->path);
	*f = (struct gate_file){ .fd = -1 };
}

/* The request contains the rules of the policy file. Options replace these
 * rules; a limit for an operator replaces only the limit of this operator. The
 * server checks the values. This program rejects a value that is neither a
 * number nor a text, and a policy file that names the sides, because they are
 * on the command line. */
enum { GATE_REQUEST_MAX = 1 << 20 };

/* Adds a member to the request; returns a message if its text is not UTF-8. */
static bool gate_put(json_t *to, const char *key, json_t *value, struct err *e)
{
	return (value && json_object_set_new(to, key, value) == 0) ||
	       err_set(e, ERR_INPUT, "the value of '%.60s' is not UTF-8", key);
}

static bool gate_put_text(json_t *to, const char *key, const char *text,
	struct err *e)
{
	return !*text || gate_put(to, key, json_string(text), e);
}

static bool gate_number_from(const char *text, size_t len, double *out)
{
	char *end;
	if (!len || strspn(text, "+-.0123456789eE") != len)
		return false;
	*out = strtod(text, &end);
	return end == text + len && isfinite(*out);
}

/* Adds a number. "none" removes the rule. A whole number is written without
 * decimals. */
static bool gate_put_number(json_t *to, const char *key, const char *text,
	struct err *e)
{
	double n;
	if (!*text)
		return true;
	if (!strcmp(text, "none"))
		return gate_put(to, key, json_null(), e);
	if (!gate_number_from(text, strlen(text), &n))
		return err_set(e, ERR_INPUT, "%s: '%.60s' is not a number", key,
			text);
	bool whole = fabs(n) < 0x1p53 && floor(n) >= n;
	return gate_put(to, key,
		whole ? json_integer((json_int_t)n) : json_real(n), e);
}

/* Adds a list of words that are separated by commas; "none" is an empty list.
 */
static bool gate_put_words(json_t *to, const char *key, const char *text,
	struct err *e)
{
	if (!*text)
		return true;
	json_t *words = json_array();
	if (strcmp(text, "none") == 0)
		return gate_put(to, key, words, e);
	for (const char *at = text;; at++) {
		size_t len = strcspn(at, ",");
		if (json_array_append_new(words, json_stringn(at, len))) {
			json_decref(words);
			return gate_put(to, key, NULL, e);
		}
		at += len;
		if (!*at)
			return gate_put(to, key, words, e);
	}
}

/* Adds one limit to `all`, or replaces the limit of this name. `key` is "operator"
 * or "measure". */
static bool gate_put_limit(json_t *all, const char *key, const char *text,
	struct err *e)
{
	size_t i;
	double pct;
	json_t *item;
	const char *equals = strrchr(text, '=');
	if (!equals || equals == text ||
		!gate_number_from(equals + 1, strlen(equals + 1), &pct))
		return err_set(e, ERR_INPUT,
			"%s: '%.60s' is not a limit; limits are NAME=PERCENT",
			key, text);
	json_t *name = json_stringn(text, (size_t)(equals - text));
	if (!name)
		return gate_put(all, key, NULL, e);
	json_array_foreach(all, i, item)
	{
		if (json_equal(json_object_get(item, key), name)) {
			json_array_remove(all, i);
			break;
		}
	}
	json_array_append_new(all,
		json_pack("{s:o, s:f}", key, name, "pct", pct));
	return true;
}

static bool gate_put_limits(json_t *to, const char *list, const char *key,
	const struct text_list *given, struct err *e)
{
	if (!given->n)
		return true;
	json_t *all = json_object_get(to, list);
	if (!json_is_array(all)) {
		all = json_array();
		json_object_set_new(to, list, all);
	}
	for (int i = 0; i < given->n; i++)
		if (!gate_put_limit(all, key, given->at[i], e))
			return false;
	return true;
}

static json_t *gate_policy_read(const char *path, struct err *e)
{
	json_error_t why;
	if (!*path)
		return json_object();
	json_t *v = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
	if (!v) {
		/* if a file cannot be opened, Jansson's message already names
		 * it */
		if (why.line < 0)
			err_set(e, ERR_FILE, "%.300s", why.text);
		else
			err_set(e, ERR_INPUT, "'%.100s', line %d: %.200s", path,
				why.line, why.text);
		return NULL;
	}
	if (json_is_object(v) && !json_object_get(v, "base") &&
		!json_object_get(v, "head"))
		return v;
	err_set(e, ERR_INPUT,
		json_is_object(v)
			? "'%.200s' has a base or a head; give these on the "
			  "command line"
			: "'%.200s' is not a gate policy (a JSON object)",
		path);
	json_decref(v);
	return NULL;
}

static bool gate_put_all(json_t *to, const struct options *o, struct err *e)
{
	const struct {
		const char *key, *value;
		bool (*put)(json_t *to, const char *key, const char *text,
			struct err *e);
	} all[] = {
		{ "base", o->files.at[0], gate_put_text },
		{ "head", o->files.at[1], gate_put_text },
		{ "project", o->project, gate_put_text },
		{ "workload", o->workload, gate_put_text },
		{ "name", o->name, gate_put_text },
		{ "anchor", o->anchor, gate_put_text },
		{ "unit", o->unit, gate_put_text },
#define POLICY(kind, field, ...) GATE_PUT_##kind(field)
#define GATE_PUT_NUMBER(field) { #field, o->field, gate_put_number },
#define GATE_PUT_LIMIT(field) GATE_PUT_NUMBER(field)
#define GATE_PUT_REAL(field) GATE_PUT_NUMBER(field)
#define GATE_PUT_COUNT(field) GATE_PUT_NUMBER(field)
#define GATE_PUT_FLOOR(field) GATE_PUT_NUMBER(field)
#define GATE_PUT_SEED(field) GATE_PUT_NUMBER(field)
#define GATE_PUT_CLASSES(field) { #field, o->field, gate_put_words },
#define GATE_PUT_FINDINGS(field) GATE_PUT_CLASSES(field)
#define GATE_PUT_OPERATORS(field)
#define GATE_PUT_MEASURES(field)
#include "gate_policy.def"
#undef POLICY
		{ "range", o->range, gate_put_text },
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!all[i].put(to, all[i].key, all[i].value, e))
			return false;
	return gate_put_limits(to, "operators", "operator", &o->operator_pct,
		       e) &&
	       gate_put_limits(to, "measures", "measure", &o->measure_pct, e);
}

static int gate_add(const char *bytes, size_t len, void *to)
{
	buf_add(to, bytes, len);
	return 0;
}

/* Appends the JSON document to a buffer that buf_init() initialized with the
 * ceiling GATE_REQUEST_MAX. Returns false with a message that names the option
 * or the file. */
static bool gate_request(struct buf *b, const struct options *o, struct err *e)
{
	json_t *v = gate_policy_read(o->policy, e);
	bool ok = v && gate_put_all(v, o, e) &&
		  json_dump_callback(v, gate_add, b, JSON_COMPACT) == 0;
	json_decref(v);
	return ok && (!b->full || err_set(e, ERR_INPUT,
					  "'%.200s' is larger than the 1 MiB "
					  "that a policy may have",
					  o->policy));
}

/* The exit statuses of `kernsift gate`.
 *
 * Text in the structs below contains no control characters. GitHub's runner
 * reads what a step prints, so the text also contains nothing that the runner
 * would take for a command. */
enum gate_outcome {
	GATE_PASS,
	GATE_REGRESSED,
	GATE_UNDECIDED,
	GATE_BAD_DATA,
};

/* The result of a rule; an unknown number is NaN. */
struct gate_answer_rule {
	const char *rule, *of, *device, *sentence; /* "" none */
	enum gate_outcome outcome;
	double base_ns, head_ns;
	double base_gb_s, head_gb_s; /* of a rule without times */
	double base_value, head_value; /* in `unit`, of a rule without both */
	const char *unit; /* "" none */
	bool fall; /* a lower value is worse */
	double change_pct; /* of the base */
	/* What the rule limits: the change relative to the base, or as a
	 * percentage of the base's iteration. */
	struct gate_answer_limited {
		bool iteration;
		double limit, change, low, high;
	} limited;
	double p, p_family, alpha;
	int64_t since_run; /* 0 none */
};

struct gate_answer_side {
	const char *query;
	int64_t units, iterations;
};

struct gate_answer {
	struct arena arena;
	int64_t id;
	enum gate_outcome outcome;
	const char *sentence, *compare; /* the page's path; "" none */
	int64_t runs_needed; /* 0: decided, -1: the baseline is too small */
	struct gate_answer_side base, head;
	const char *commit; /* "" if the gate is not numbered */
	int64_t number, gates; /* of the commit */
	double alpha;
	struct gate_answer_rule *rules;
	const char **shortfalls, **findings; /* sentences */
	size_t rules_n, shortfalls_n, findings_n;
};

/* GitHub's runner reads what a step prints. It finds the command "##[" anywhere
 * in a line, and "::" at the start of a line. No line printed here starts with
 * text from the server. */
static const char *gate_read_text(struct gate_answer *g, const json_t *v,
	const char *key)
{
	char *copy = json_get_text(&g->arena, v, key);
	for (char *at = copy; (at = strstr(at, "##[")) != NULL;)
		at[2] = '(';
	return copy;
}

static bool gate_read_outcome(const json_t *v, enum gate_outcome *out)
{
	static const char *const words[] = { "pass", "regressed", "undecided",
		"bad_data" };
	const char *word = json_string_value(json_object_get(v, "outcome"));
	for (int i = 0; word && i < 4; i++) {
		if (!strcmp(word, words[i])) {
			*out = (enum gate_outcome)i;
			return true;
		}
	}
	return false;
}

static struct gate_answer_limited gate_read_limited(const json_t *v)
{
	double limit = json_get_real(v, "iteration_limit_pct");
	if (isfinite(limit))
		return (struct gate_answer_limited){ true, limit,
			json_get_real(v, "iteration_change_pct"),
			json_get_real(v, "iteration_low_pct"),
			json_get_real(v, "iteration_high_pct") };
	return (struct gate_answer_limited){ false,
		json_get_real(v, "limit_pct"), json_get_real(v, "change_pct"),
		json_get_real(v, "low_pct"), json_get_real(v, "high_pct") };
}

static bool gate_read_rules(struct gate_answer *g, const json_t *list)
{
	g->rules_n = json_array_size(list);
	g->rules = arena_array(&g->arena, struct gate_answer_rule, g->rules_n);
	for (size_t i = 0; i < g->rules_n; i++) {
		const json_t *v = json_array_get(list, i);
		g->rules[i] = (struct gate_answer_rule){
			.rule = gate_read_text(g, v, "rule"),
			.of = gate_read_text(g, v, "of"),
			.device = gate_read_text(g, v, "device"),
			.sentence = gate_read_text(g, v, "summary"),
			.base_ns = json_get_real(v, "base_ns"),
			.head_ns = json_get_real(v, "head_ns"),
			.base_gb_s = json_get_real(v, "base_gb_s"),
			.head_gb_s = json_get_real(v, "head_gb_s"),
			.base_value = json_get_real(v, "base_value"),
			.head_value = json_get_real(v, "head_value"),
			.unit = gate_read_text(g, v, "unit"),
			.fall = json_is_true(json_object_get(v, "fall")),
			.change_pct = json_get_real(v, "change_pct"),
			.limited = gate_read_limited(v),
			.p = json_get_real(v, "p"),
			.p_family = json_get_real(v, "p_family"),
			.alpha = json_get_real(v, "alpha"),
			.since_run = json_get_whole(v, "since_run"),
		};
		if (!gate_read_outcome(v, &g->rules[i].outcome))
			return false;
	}
	return true;
}

static const char **gate_read_sentences(struct gate_answer *g,
	const json_t *list, size_t *n)
{
	*n = json_array_size(list);
	const char **all = arena_array(&g->arena, const char *, *n);
	for (size_t i = 0; i < *n; i++)
		all[i] = gate_read_text(g, json_array_get(list, i), "message");
	return all;
}

static struct gate_answer_side gate_read_side(struct gate_answer *g,
	const json_t *v)
{
	return (struct gate_answer_side){ gate_read_text(g, v, "query"),
		json_get_whole(v, "units"), json_get_whole(v, "iterations") };
}

static void gate_read_budget(struct gate_answer *g, const json_t *v)
{
	g->commit = gate_read_text(g, v, "commit");
	g->number = json_get_whole(v, "gate");
	g->gates = json_get_whole(v, "gates");
	g->alpha = json_number_value(json_object_get(v, "alpha"));
}

static bool gate_read_gate(struct gate_answer *g, const json_t *v)
{
	const json_t *list = json_object_get(v, "rules");
	g->id = json_get_whole(v, "id");
	if (g->id <= 0 || !gate_read_outcome(v, &g->outcome) ||
		!json_is_array(list))
		return false;
	g->sentence = gate_read_text(g, v, "summary");
	g->compare = gate_read_text(g, v, "compare");
	g->runs_needed = json_get_whole(v, "runs_needed");
	g->base = gate_read_side(g, json_object_get(v, "base"));
	g->head = gate_read_side(g, json_object_get(v, "head"));
	gate_read_budget(g, json_object_get(v, "budget"));
	g->shortfalls = gate_read_sentences(g,
		json_object_get(v, "data_problems"), &g->shortfalls_n);
	g->findings = gate_read_sentences(g, json_object_get(v, "findings"),
		&g->findings_n);
	return gate_read_rules(g, list);
}

static void gate_release(struct gate_answer *g)
{
	arena_release(&g->arena);
}

/* Parses an answer of POST /gates. Returns false with a message if it is
 * something else. */
static bool gate_read(struct gate_answer *g, const char *body, size_t len,
	struct err *e)
{
	json_t *v = json_loadb(body ? body : "", len, 0, NULL);
	*g = (struct gate_answer){ 0 };
	bool ok = gate_read_gate(g, v);
	json_decref(v);
	if (!ok)
		gate_release(g);
	return ok || err_set(e, ERR_UNREACHABLE,
			     "the server's answer is not a gate; is it a "
			     "kernsift server?");
}

enum { NAME_SHOWN = 60, FUNCTIONS_SHOWN = 20 };

static const char *const words[] = { "pass", "regressed", "undecided",
	"bad data" };

static void gate_print_side(const char *name, const struct gate_answer_side *s,
	FILE *out)
{
	fprintf(out, "%s  %s: %" PRId64 " run%s, %" PRId64 " iterations\n",
		name, s->query, s->units, s->units == 1 ? "" : "s",
		s->iterations);
}

static void gate_print_all(const char *what, const char **all, size_t n,
	FILE *out)
{
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s: %s\n", what, all[i]);
}

static bool gate_print_is_function(const struct gate_answer_rule *r)
{
	return strcmp(r->rule, "function") == 0;
}

/* Prints, for example, "+5.2 % (+3.9 to +6.5), limit 2 %", as far as the figures
 * are known. */
static void gate_print_change(const struct gate_answer_rule *r, FILE *out)
{
	const struct gate_answer_limited *is = &r->limited;
	const char *unit = is->iteration ? "% of the iteration" : "%";
	double limit = r->fall ? -is->limit : is->limit;
	bool own = is->iteration && isfinite(r->change_pct);
	if (own)
		fprintf(out, " %+8.1f %%", r->change_pct);
	if (isfinite(is->change))
		fprintf(out, own ? ", %+.*f %s" : " %+8.*f %s",
			decimals_near_limit(is->change, limit, 1), is->change,
			unit);
	if (isfinite(is->low) && isfinite(is->high))
		fprintf(out, " (%+.1f to %+.1f)", is->low, is->high);
	if (isfinite(is->limit))
		fprintf(out, ", limit %g %s", limit, unit);
}

/* Prints, for example, ", p 0.0003, p family 0.001, alpha 0.0012". */
static void gate_print_probabilities(const struct gate_answer_rule *r,
	FILE *out)
{
	if (isfinite(r->p))
		fprintf(out, ", p %.3g", r->p);
	if (isfinite(r->p_family))
		fprintf(out, ", p family %.3g", r->p_family);
	if (isfinite(r->alpha) && (isfinite(r->p) || isfinite(r->p_family)))
		fprintf(out, ", alpha %.3g", r->alpha);
}

/* The time of a side or, if the rule has none, its bandwidth or measure. */
static const char *gate_print_value(char cell[FORMAT_CELL], double ns,
	double gb_s, double value, const char *unit)
{
	if (isnan(ns) && isfinite(gb_s))
		snprintf(cell, FORMAT_CELL, "%.4g GB/s", gb_s);
	else if (isnan(ns) && isfinite(value))
		snprintf(cell, FORMAT_CELL, "%.4g %.11s", value,
			strcmp(unit, "1") ? unit : "");
	else
		return format_duration(cell, ns, "");
	return cell;
}

/* The outcome, filled to `wide` columns, in its color. */
static void gate_print_outcome(const struct terminal *t, enum gate_outcome o,
	int wide)
{
	bool any;
	enum terminal_style style = terminal_verdict(words[o], &any);

	fprintf(t->out, "%s%-*s%s", any ? terminal_on(t, style) : "", wide,
		words[o], any ? terminal_off(t) : "");
}

static void gate_print_rule(const struct gate_answer *g,
	const struct gate_answer_rule *r, const struct terminal *t)
{
	FILE *out = t->out;
	char base[FORMAT_CELL], head[FORMAT_CELL];
	const char *name = *r->of ? r->of : r->rule;
	size_t len = strlen(name);
	bool cut = len > NAME_SHOWN;
	fputs("  ", out);
	gate_print_outcome(t, r->outcome, 9);
	fprintf(out, " %12s %12s",
		gate_print_value(base, r->base_ns, r->base_gb_s, r->base_value,
			r->unit),
		gate_print_value(head, r->head_ns, r->head_gb_s, r->head_value,
			r->unit));
	gate_print_change(r, out);
	gate_print_probabilities(r, out);
	fprintf(out, "  %.*s%s", (int)utf8_clip(name, len, NAME_SHOWN), name,
		cut ? "…" : "");
	if (*r->device)
		fprintf(out, " [%s]", r->device);
	fputs("\n", out);
	if (r->outcome != GATE_PASS && *r->sentence &&
		strcmp(r->sentence, g->sentence) != 0)
		fprintf(out, "            %s\n", r->sentence);
	if (r->since_run > 0)
		fprintf(out,
			"            the baseline has this level since run %" PRId64
			"\n",
			r->since_run);
}

/* Prints every rule, the worst first. The server leaves out functions that
 * pass. */
static void gate_print_rules(const struct gate_answer *g,
	const struct terminal *t)
{
	FILE *out = t->out;

	size_t functions = 0;
	if (g->rules_n)
		fprintf(out, "\n%-12s%12s %12s %10s\n", "rule", "base", "head",
			"change");
	for (size_t i = 0; i < g->rules_n; i++) {
		if (gate_print_is_function(&g->rules[i]) &&
			functions++ >= FUNCTIONS_SHOWN)
			continue;
		gate_print_rule(g, &g->rules[i], t);
	}
	if (functions > FUNCTIONS_SHOWN)
		fprintf(out, "  and %zu more functions\n",
			functions - FUNCTIONS_SHOWN);
}

static void gate_print_to_decide(const struct gate_answer *g, FILE *out)
{
	if (g->outcome != GATE_UNDECIDED)
		return;
	if (g->runs_needed > 0)
		fprintf(out,
			"\nto decide: probably %" PRId64
			" runs of the head in total\n",
			g->runs_needed);
	else if (g->runs_needed < 0)
		fputs("\nto decide: more runs of the baseline; more runs of the "
		      "head are not enough\n",
			out);
}

/* Prints the gate. The links are to pages of `server`. */
static void gate_print(const struct gate_answer *g, const char *server,
	const struct terminal *t)
{
	FILE *out = t->out;

	size_t len = strlen(server);
	while (len && server[len - 1] == '/')
		len--;
	fputs("gate ", out);
	gate_print_outcome(t, g->outcome, 0);
	fprintf(out, ": %s\n\n", g->sentence);
	gate_print_all("bad data", g->shortfalls, g->shortfalls_n, out);
	gate_print_all("note", g->findings, g->findings_n, out);
	gate_print_side("base", &g->base, out);
	gate_print_side("head", &g->head, out);
	if (*g->commit && g->number > 0)
		fprintf(out,
			"alpha %.3g: gate %" PRId64 " of %" PRId64
			" of commit %s\n",
			g->alpha, g->number, g->gates, g->commit);
	gate_print_rules(g, t);
	gate_print_to_decide(g, out);
	fprintf(out, "\ngate %" PRId64 " %.*s/gates/%" PRId64 "\n", g->id,
		(int)len, server, g->id);
	if (*g->compare == '/')
		fprintf(out, "compare %.*s%s\n", (int)len, server, g->compare);
}

enum {
	GATE_MAX = 16 << 20, /* bytes of an answer */

};

enum { SUMMARY, JUNIT, BADGE, JSON, REPORTS };

/* The formats under the names that the API uses. */
static const char *const formats[REPORTS] = { [SUMMARY] = "md",
	[JUNIT] = "junit",
	[BADGE] = "svg",
	[JSON] = "json" };

struct gating {
	const struct options *o;
	struct wire *wire;
	struct meter meter;
	struct gate_file reports[REPORTS];
};

static bool gate_gating_init(struct gating *g, struct err *e)
{
	const char *paths[REPORTS] = { g->o->summary, g->o->junit, g->o->badge,
		g->o->json };
	bool ok = true;
	for (int i = 0; i < REPORTS; i++)
		ok = gate_file_init(&g->reports[i], paths[i], e) && ok;
	return ok && (g->wire = wire_new(g->o, e)) != NULL;
}

static void gate_gating_release(struct gating *g)
{
	for (int i = 0; i < REPORTS; i++)
		gate_file_release(&g->reports[i]);
	wire_free(g->wire);
}

static bool gate_request_send(struct gating *g, const char *url,
	const char *json, struct buf *body, struct err *e)
{
	struct attempt a = { 0 };
	struct retry_request q = { url, json, "gate", GATE_MAX };
	bool ok = retry_send(g->wire, g->o, &q, &g->meter, &a, body, e);
	meter_clear(&g->meter);
	return ok;
}

/* Creates a gate and receives it as JSON. The request is built before any file
 * is opened. */
static bool gate_create(struct gating *g, struct buf *body, struct err *e)
{
	struct buf url, json;
	buf_init(&url, ADDRESS_MAX);
	buf_init(&json, GATE_REQUEST_MAX);
	address_path(&url, g->o->server, "/api/v1/gates");
	bool ok = gate_request(&json, g->o, e) && gate_gating_init(g, e) &&
		  gate_request_send(g, url.at, json.at, body, e);
	buf_release(&json);
	buf_release(&url);
	return ok;
}

/* Downloads an existing gate in another format, with links to this server. */
static bool gate_rendered(struct gating *g, int64_t id, const char *format,
	struct buf *body, struct err *e)
{
	struct buf url;
	buf_init(&url, ADDRESS_MAX);
	address_path(&url, g->o->server, "/api/v1/gates/");
	buf_printf(&url, "%" PRId64 "?format=%s&site=", id, format);
	url_encode(&url, g->o->server, strlen(g->o->server));
	bool ok = gate_request_send(g, url.at, NULL, body, e);
	buf_release(&url);
	return ok;
}

static bool gate_write_report(struct gating *g, int which, int64_t id,
	const struct buf *made, struct err *e)
{
	struct buf body;
	if (!gate_file_wanted(&g->reports[which]))
		return true;
	if (which == JSON)
		return gate_file_commit(&g->reports[which], made->at, made->len,
			e);
	if (!gate_rendered(g, id, formats[which], &body, e))
		return false;
	bool ok = gate_file_commit(&g->reports[which], body.at, body.len, e);
	buf_release(&body);
	return ok;
}

static bool gate_wants_annotations(const struct options *o)
{
	const char *actions = getenv("GITHUB_ACTIONS");
	return *o->annotations ? strcmp(o->annotations, "github") == 0
			       : actions && strcmp(actions, "true") == 0;
}

static bool gate_print_annotations(struct gating *g, int64_t id, struct err *e)
{
	struct buf body;
	if (!gate_wants_annotations(g->o))
		return true;
	if (!gate_rendered(g, id, "github", &body, e))
		return false;
	fwrite(body.at, 1, body.len, stdout);
	buf_release(&body);
	return true;
}

/* Writes every output, even if another one failed. */
static bool gate_report(struct gating *g, const struct gate_answer *answer,
	const struct buf *made, struct err *e)
{
	struct terminal t;

	terminal_init(&t, g->o->color);
	gate_print(answer, g->o->server, &t);
	bool ok = gate_print_annotations(g, answer->id, e);
	ok = commands_flush(e) && ok;
	for (int i = 0; i < REPORTS; i++)
		ok = gate_write_report(g, i, answer->id, made, e) && ok;
	return ok;
}

/* A failure has no status that is another outcome. */
static int gate_failed(const struct err *e)
{
	int status = commands_usage_status(e);
	assert(status != EXIT_OK); /* it would be a pass */
	return status == EXIT_FAILED ? EXIT_BAD_DATA : status;
}

static int gate_status_of(const struct options *o, enum gate_outcome outcome)
{
	return outcome == GATE_UNDECIDED && o->undecided_passes ? (int)GATE_PASS
								: (int)outcome;
}

int cmd_gate(const struct options *o)
{
	struct gating g = { .o = o };
	for (int i = 0; i < REPORTS; i++)
		g.reports[i].fd = -1;
	struct gate_answer answer;
	struct err e = { 0 };
	struct buf made;
	int status = EXIT_OK;
	meter_init(&g.meter);
	bool ok = gate_create(&g, &made, &e);
	if (ok) {
		ok = gate_read(&answer, made.at, made.len, &e);
		if (ok) {
			ok = gate_report(&g, &answer, &made, &e);
			if (ok)
				status = gate_status_of(o, answer.outcome);
			gate_release(&answer);
		}
		buf_release(&made);
	}
	if (!ok) {
		meter_say(&g.meter, "kernsift: %s", e.text);
		status = gate_failed(&e);
	}
	gate_gating_release(&g);
	return status;
}
