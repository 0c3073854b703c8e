/* serving_steps.c - reads the work that serving engines write into the names of
 * their steps, and finds the step that contains a moment.
 *
 *   execute_context_2(512)_generation_16(16)      vLLM: requests and tokens of
 *   execute_context_1(888_788544)_generation_0(0)   both phases
 *   execute_16_context_0(sq0sk0…)_generation_16(sq16sk8209…)   the same with
 * query lengths (sq) and key lengths (sk), summed
 *   step[DECODE bs=16], step[EXTEND bs=15 toks=15360]   SGLang
 *   … 2 ctx reqs, 512 ctx tokens, 16 gen reqs     TensorRT-LLM; without the
 * middle, tokens are unknown */
#include "serving_steps.h"
#include <string.h>

enum { DIGITS_MAX = 15 };

/* The number at s, or -1. */
static int64_t serving_steps_number(const char *s)
{
	int64_t n = 0;
	size_t digits = strspn(s, "0123456789");

	if (digits == 0 || digits > DIGITS_MAX)
		return -1;
	for (size_t i = 0; i < digits; i++)
		n = n * 10 + (s[i] - '0');
	return n;
}

/* The number right behind a word, or -1. */
static int64_t serving_steps_after(const char *s, const char *word)
{
	const char *at = strstr(s, word);

	return at ? serving_steps_number(at + strlen(word)) : -1;
}

/* The number right before a word, or -1. */
static int64_t serving_steps_before(const char *s, const char *word)
{
	const char *at = strstr(s, word), *from = at;

	while (from && from > s && from[-1] >= '0' && from[-1] <= '9')
		from--;
	return at && from < at ? serving_steps_number(from) : -1;
}

static int64_t serving_steps_sum(int64_t a, int64_t b)
{
	return a < 0 || b < 0 ? -1 : a + b;
}

static enum phase serving_steps_phase_of(int64_t context, int64_t generation)
{
	if (context > 0)
		return generation > 0 ? PHASE_MIXED : PHASE_PREFILL;
	return generation > 0 ? PHASE_DECODE : PHASE_UNKNOWN;
}

/* One phase of vLLM's: requests, then tokens in brackets. */
static bool serving_steps_vllm_phase(const char *s, const char *word,
	int64_t *requests, int64_t *tokens, int64_t *kv)
{
	const char *at = strstr(s, word);
	const char *open = at ? strchr(at, '(') : NULL;

	if (!open || (*requests = serving_steps_number(at + strlen(word))) < 0)
		return false;
	*kv = -1;
	if (!strncmp(open, "(sq", 3)) {
		*tokens = serving_steps_number(open + 3);
		*kv = serving_steps_after(open, "sk");
	} else {
		*tokens = serving_steps_number(open + 1);
	}
	return *tokens >= 0;
}

static bool serving_steps_vllm(const char *name, struct serving_work *s)
{
	int64_t generation, tokens, kv, context_kv;

	if (strncmp(name, "execute_", strlen("execute_")) ||
		!serving_steps_vllm_phase(name, "context_", &s->context,
			&s->context_tokens, &context_kv) ||
		!serving_steps_vllm_phase(name, "generation_", &generation,
			&tokens, &kv))
		return false;
	s->phase = serving_steps_phase_of(s->context, generation);
	s->sequences = s->context + generation;
	s->tokens = s->context_tokens + tokens;
	s->kv_tokens = serving_steps_sum(kv, context_kv);
	return s->phase != PHASE_UNKNOWN;
}

static bool serving_steps_sglang(const char *name, struct serving_work *s)
{
	static const struct {
		const char *word;
		enum phase phase;
	} words[] = { { "DECODE", PHASE_DECODE }, { "EXTEND", PHASE_PREFILL },
		{ "PREFILL", PHASE_PREFILL }, { "MIXED", PHASE_MIXED } };

	if (strncmp(name, "step[", 5))
		return false;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strncmp(name + 5, words[i].word, strlen(words[i].word)))
			s->phase = words[i].phase;
	s->sequences = serving_steps_after(name, "bs=");
	s->tokens = serving_steps_after(name, "toks=");
	if (s->phase == PHASE_DECODE && s->tokens < 0)
		s->tokens = s->sequences;
	return s->phase != PHASE_UNKNOWN && s->sequences >= 0;
}

static bool serving_steps_tensorrt(const char *name, struct serving_work *s)
{
	int64_t generation = serving_steps_before(name, " gen reqs");

	s->context = serving_steps_before(name, " ctx reqs");
	s->context_tokens = serving_steps_before(name, " ctx tokens");
	if (s->context < 0 || generation < 0)
		return false;
	if (s->context == 0)
		s->context_tokens = 0;
	s->phase = serving_steps_phase_of(s->context, generation);
	s->sequences = s->context + generation;
	s->tokens = serving_steps_sum(s->context_tokens, generation);
	return s->phase != PHASE_UNKNOWN;
}

bool serving_steps_read(const char *name, struct serving_work *s)
{
	static const struct serving_work unknown = { PHASE_UNKNOWN, -1, -1, -1,
		-1, -1 };

	*s = unknown;
	if (serving_steps_vllm(name, s))
		return true;
	*s = unknown;
	if (serving_steps_sglang(name, s))
		return true;
	*s = unknown;
	return serving_steps_tensorrt(name, s);
}

bool serving_steps_same(const struct serving_work *a,
	const struct serving_work *b)
{
	return a->phase == b->phase && a->sequences == b->sequences &&
	       a->tokens == b->tokens && a->context == b->context &&
	       a->context_tokens == b->context_tokens;
}

/* No engine nests steps so deeply. If a trace does, the outer steps are
 * ignored. */
enum { DEEPEST = 256 };

/* By name of the trace: 1 a step, 2 not; and the steps read. */
struct serving_steps_reader {
	uint8_t *read;
	struct serving_steps *out;
	uint32_t cap;
};

static bool serving_steps_add(struct serving_steps_reader *r,
	const struct range_rows *rows, uint32_t i,
	const struct serving_work *work, struct arena *a)
{
	struct serving_steps *to = r->out;

	if (to->n == r->cap) {
		uint32_t cap = r->cap * 2 + 64;
		void *grown =
			arena_grow(a, to->list, (size_t)cap * sizeof *to->list);
		if (!grown)
			return false;
		to->list = grown;
		r->cap = cap;
	}
	int64_t end_ns = rows->start_ns[i] + rows->dur_ns[i];
	uint32_t around = to->n;
	while (around && to->list[around - 1].end_ns <= end_ns)
		around = to->list[around - 1].around;
	to->list[to->n++] = (struct serving_step){ rows->start_ns[i], end_ns,
		around, rows->thread[i], *work };
	return true;
}

bool serving_steps_find(const struct trace *t, const struct process *proc,
	struct arena *a, struct serving_steps *out)
{
	const struct range_rows *rows = &t->range;
	struct serving_steps_reader r = { .out = out };
	struct serving_work work;
	bool ok = true;

	*out = (struct serving_steps){ 0 };
	if (proc->range.from == proc->range.to)
		return true;
	r.read = arena_grow(a, NULL, t->names.n);
	if (!r.read)
		return false;
	for (uint32_t i = proc->range.from; ok && i < proc->range.to; i++) {
		uint32_t name = rows->name[i];
		if (rows->kind[i] != RANGE_ANNOTATION || r.read[name] == 2)
			continue;
		bool is =
			serving_steps_read(names_text(&t->names, name), &work);
		r.read[name] = is ? 1 : 2;
		ok = !is || serving_steps_add(&r, rows, i, &work, a);
	}
	arena_drop(a, r.read);
	return ok;
}

/* How many steps begin at or before this moment. */
static uint32_t serving_steps_begun(const struct serving_steps *s,
	int64_t at_ns)
{
	uint32_t from = 0, to = s->n;

	while (from < to) {
		uint32_t middle = from + (to - from) / 2;
		if (s->list[middle].start_ns <= at_ns)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* A step with a number of keys is better than an inner step without it. */
static bool serving_steps_is_better(const struct serving_work *than,
	const struct serving_work *s)
{
	return !than || (than->kv_tokens < 0 && s->kv_tokens >= 0);
}

const struct serving_work *serving_steps_at(const struct serving_steps *s,
	uint32_t thread, int64_t at_ns)
{
	const struct serving_work *here = NULL, *any = NULL;
	uint32_t i = serving_steps_begun(s, at_ns);

	for (int looked = 0; i && looked < DEEPEST; looked++) {
		const struct serving_step *at = &s->list[i - 1];
		/* The steps between this one and the one around it have ended,
		 * too. */
		i = at->end_ns <= at_ns ? at->around : i - 1;
		if (at->end_ns <= at_ns)
			continue;
		if (at->thread == thread &&
			serving_steps_is_better(here, &at->work))
			here = &at->work;
		if (here && here->kv_tokens >= 0)
			break;
		if (serving_steps_is_better(any, &at->work))
			any = &at->work;
	}
	return here ? here : any;
}
