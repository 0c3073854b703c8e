/* step_labels.c - reads the work of a serving step from the label that the
 * engine gave it, by the patterns of step_labels.json. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "inside.h"
#include <assert.h>
#include <pcre2.h>
#include <stdlib.h>

/* The groups of a pattern that have a meaning: the sums of the whole step, of
 * prefill and of decode, in the order of struct step_sums. */
static const char *const step_labels_groups[] = { "reqs", "q", "k", "qq", "qk",
	"p_reqs", "p_q", "p_k", "p_qq", "p_qk", "d_reqs", "d_q", "d_k", "d_qq",
	"d_qk" };

enum {
	STEP_GROUPS = sizeof step_labels_groups / sizeof *step_labels_groups,
	STEP_SUMS = 5, /* numbers of a struct step_sums */
	/* A number with more digits is taken for damage: 10^15 tokens or pairs
	 * would take any GPU hours. */
	STEP_DIGITS = 15,
};

/* Products of two numbers of a label. */
__extension__ typedef __int128 step_wide;

struct step_pattern {
	pcre2_code *code;
	const char *engine, *lacks;
	enum phase phase; /* PHASE_UNKNOWN: by the numbers of requests */
	bool broken; /* the name begins like a label, but none can be read */
	bool token_per_request; /* in decode, as the label gives no tokens */
	int group[STEP_GROUPS]; /* number of the group; 0: it has none */
};

static bool step_labels_phase(const struct entries *d, size_t i,
	enum phase *out, struct err *e)
{
	static const char *const words[] = { [PHASE_PREFILL] = "prefill",
		[PHASE_DECODE] = "decode",
		[PHASE_MIXED] = "mixed" };
	const char *word;

	*out = PHASE_UNKNOWN;
	if (!entries_text(d, i, "phase", false, &word, e) || !word)
		return !e->code;
	for (enum phase p = PHASE_PREFILL; p <= PHASE_MIXED; p++)
		if (strcmp(word, words[p]) == 0)
			*out = p;
	return *out != PHASE_UNKNOWN ||
	       entries_fail(d, i, e, "no phase is called '%.40s'", word);
}

/* Every group must have a meaning: a group whose name is misspelled would be
 * ignored. */
static bool step_labels_find_groups(const struct entries *d, size_t i,
	struct step_pattern *p, struct err *e)
{
	uint32_t named = 0, known = 0;

	pcre2_pattern_info(p->code, PCRE2_INFO_NAMECOUNT, &named);
	for (int k = 0; k < STEP_GROUPS; k++) {
		int at = pcre2_substring_number_from_name(p->code,
			(PCRE2_SPTR)step_labels_groups[k]);
		p->group[k] = at > 0 ? at : 0;
		known += at > 0;
	}
	return named == known ||
	       entries_fail(d, i, e, "a group of the pattern has no meaning");
}

static bool step_labels_compile(const struct entries *d, size_t i,
	const char *match, struct step_pattern *p, struct err *e)
{
	PCRE2_UCHAR why[120];
	size_t at;
	int code;

	p->code = pcre2_compile((PCRE2_SPTR)match, PCRE2_ZERO_TERMINATED,
		PCRE2_ANCHORED | PCRE2_DOTALL | PCRE2_NO_AUTO_CAPTURE, &code,
		&at, NULL);
	if (!p->code) {
		pcre2_get_error_message(code, why, sizeof why);
		return entries_fail(d, i, e,
			"the pattern does not compile: %s, at byte %zu",
			(const char *)why, at);
	}
	/* Without JIT on this machine, matching is slower, but the results are
	 * equal. */
	pcre2_jit_compile(p->code, PCRE2_JIT_COMPLETE);
	return step_labels_find_groups(d, i, p, e);
}

static bool step_labels_entry(const struct entries *d, size_t i,
	struct step_pattern *p, struct err *e)
{
	const char *match, *skipped;

	*p = (struct step_pattern){ 0 };
	return entries_keys(d, i,
		       "engine match phase broken token_per_request lacks "
		       "known_from example gives",
		       e) &&
	       entries_text(d, i, "engine", true, &p->engine, e) &&
	       entries_text(d, i, "match", true, &match, e) &&
	       entries_text(d, i, "lacks", false, &p->lacks, e) &&
	       entries_text(d, i, "example", true, &skipped, e) &&
	       entries_bool(d, i, "broken", false, &p->broken, e) &&
	       entries_bool(d, i, "token_per_request", false,
		       &p->token_per_request, e) &&
	       step_labels_phase(d, i, &p->phase, e) &&
	       step_labels_compile(d, i, match, p, e);
}

bool step_labels_read(struct catalog *c, struct err *e)
{
	size_t n = entries_n(&c->step_labels);

	c->step_pattern = arena_array(&c->arena, struct step_pattern, n);
	for (size_t i = 0; i < n; i++) {
		bool ok = step_labels_entry(&c->step_labels, i,
			&c->step_pattern[i], e);
		c->step_patterns += c->step_pattern[i].code != NULL;
		if (!ok)
			return false;
	}
	return true;
}

void step_labels_free(struct catalog *c)
{
	for (uint32_t i = 0; i < c->step_patterns; i++)
		pcre2_code_free(c->step_pattern[i].code);
}

/* False if the text has too many digits. */
static bool step_labels_number(const char *text, size_t len, int64_t *out)
{
	*out = 0;
	for (size_t i = 0; i < len && i < STEP_DIGITS; i++)
		*out = *out * 10 + (text[i] - '0');
	return len > 0 && len <= STEP_DIGITS;
}

/* Reads the groups of a match. False if a number is too large. */
static bool step_labels_numbers(const struct step_pattern *p, const char *name,
	const size_t *at, struct step_sums sums[3])
{
	for (int k = 0; k < STEP_GROUPS; k++) {
		struct step_sums *s = &sums[k / STEP_SUMS];
		int64_t *const numbers[] = { &s->reqs, &s->q, &s->k, &s->qq,
			&s->qk };
		int64_t *to = numbers[k % STEP_SUMS];
		const size_t *is = &at[2 * (size_t)p->group[k]];
		*to = -1;
		if (p->group[k] && is[0] != PCRE2_UNSET &&
			!step_labels_number(name + is[0], is[1] - is[0], to))
			return false;
	}
	return true;
}

static enum phase step_labels_phase_of(const struct step_label *s)
{
	if (s->prefill.reqs > 0)
		return s->decode.reqs > 0 ? PHASE_MIXED : PHASE_PREFILL;
	return s->decode.reqs > 0 ? PHASE_DECODE : PHASE_UNKNOWN;
}

static void step_labels_add(int64_t a, int64_t b, int64_t *out)
{
	if (*out < 0 && a >= 0 && b >= 0)
		*out = a + b;
}

/* Completes the numbers that follow from others: a phase without requests has
 * no tokens; a step of one phase is this phase; any step is both phases
 * together. */
static void step_labels_complete(struct step_label *s)
{
	static const struct step_sums none = { 0 };
	struct step_sums *all = &s->all, *p = &s->prefill, *d = &s->decode;

	if (s->phase == PHASE_DECODE || p->reqs == 0)
		*p = none;
	if (s->phase == PHASE_PREFILL || d->reqs == 0)
		*d = none;
	if (s->phase == PHASE_PREFILL && all->reqs >= 0)
		*p = *all;
	if (s->phase == PHASE_DECODE && all->reqs >= 0)
		*d = *all;
	step_labels_add(p->reqs, d->reqs, &all->reqs);
	step_labels_add(p->q, d->q, &all->q);
	step_labels_add(p->k, d->k, &all->k);
	step_labels_add(p->qq, d->qq, &all->qq);
	step_labels_add(p->qk, d->qk, &all->qk);
}

/* Whether requests with such sums can exist. Each request has q >= 1 new tokens
 * and k >= q tokens in its context; n·Σq² >= (Σq)² is Cauchy's inequality. What
 * is unknown contradicts nothing. */
static bool step_labels_possible(const struct step_sums *s)
{
	step_wide n = s->reqs, q = s->q, k = s->k, qq = s->qq, qk = s->qk;

	if (n == 0)
		return q <= 0 && k <= 0 && qq <= 0 && qk <= 0;
	return (n < 0 || q < 0 || q >= n) && (q < 0 || k < 0 || k >= q) &&
	       (q < 0 || qq < 0 || (qq >= q && (n < 0 || n * qq >= q * q))) &&
	       (qq < 0 || qk < 0 || qk >= qq) &&
	       (q < 0 || k < 0 || qk < 0 || qk <= q * k);
}

static void step_labels_drop(struct step_label *s)
{
	struct step_sums *const all[] = { &s->all, &s->prefill, &s->decode };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		all[i]->k = all[i]->qq = all[i]->qk = -1;
}

static bool step_labels_all_possible(const struct step_label *s)
{
	return step_labels_possible(&s->all) &&
	       step_labels_possible(&s->prefill) &&
	       step_labels_possible(&s->decode);
}

static bool step_labels_fill(const struct step_pattern *p, const char *name,
	const size_t *at, struct step_label *out)
{
	struct step_sums sums[3];

	if (p->broken || !step_labels_numbers(p, name, at, sums))
		return false;
	*out = (struct step_label){ .engine = p->engine,
		.all = sums[0],
		.prefill = sums[1],
		.decode = sums[2] };
	if (p->token_per_request && out->decode.q < 0)
		out->decode.q = out->decode.reqs;
	if (p->token_per_request && out->all.q < 0)
		out->all.q = out->all.reqs;
	out->phase = p->phase ? p->phase : step_labels_phase_of(out);
	bool possible = step_labels_all_possible(out);
	step_labels_complete(out);
	if (!possible || !step_labels_all_possible(out)) {
		step_labels_drop(out);
		out->contradictory = true;
		out->lacks = "the numbers of the step's label contradict each "
			     "other";
	} else if (out->all.k < 0 || out->all.qq < 0 || out->all.qk < 0) {
		out->lacks = p->lacks ? p->lacks
				      : "the context length is not in the "
					"step's label";
	}
	return true;
}

enum step_label_found catalog_step_label(const struct catalog *c,
	const char *name, size_t len, struct step_label *out)
{
	pcre2_match_data *m = pcre2_match_data_create(STEP_GROUPS + 1, NULL);
	enum step_label_found found = STEP_LABEL_NONE;

	if (!m)
		abort();
	for (uint32_t i = 0; !found && i < c->step_patterns; i++) {
		const struct step_pattern *p = &c->step_pattern[i];
		if (pcre2_match(p->code, (PCRE2_SPTR)name, len, 0, 0, m, NULL) <
			0)
			continue;
		found = step_labels_fill(p, name, pcre2_get_ovector_pointer(m),
				out)
				? STEP_LABEL_READ
				: STEP_LABEL_BROKEN;
	}
	pcre2_match_data_free(m);
	/* A step without requests, such as vLLM's of no work, is no label. */
	return found == STEP_LABEL_READ && out->phase == PHASE_UNKNOWN
		       ? STEP_LABEL_NONE
		       : found;
}
