/* cycle_serving.c - numbers behind known words. */
#include "cycle_serving.h"
#include <string.h>

enum { DIGITS_MAX = 15 };

/* The number at s, or -1. */
static int64_t number(const char *s)
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
static int64_t behind(const char *s, const char *word)
{
	const char *at = strstr(s, word);

	return at ? number(at + strlen(word)) : -1;
}

/* The number right before a word, or -1. */
static int64_t before(const char *s, const char *word)
{
	const char *at = strstr(s, word), *from = at;

	while (from && from > s && from[-1] >= '0' && from[-1] <= '9')
		from--;
	return at && from < at ? number(from) : -1;
}

static int64_t sum(int64_t a, int64_t b)
{
	return a < 0 || b < 0 ? -1 : a + b;
}

static enum phase phase_of(int64_t context, int64_t generation)
{
	if (context > 0)
		return generation > 0 ? PHASE_MIXED : PHASE_PREFILL;
	return generation > 0 ? PHASE_DECODE : PHASE_UNKNOWN;
}

/* One phase of vLLM's: requests, then tokens in brackets. */
static bool part(const char *s, const char *word, int64_t *requests,
	int64_t *tokens, int64_t *kv)
{
	const char *at = strstr(s, word);
	const char *open = at ? strchr(at, '(') : NULL;

	if (!open || (*requests = number(at + strlen(word))) < 0)
		return false;
	*kv = -1;
	if (!strncmp(open, "(sq", 3)) {
		*tokens = number(open + 3);
		*kv = behind(open, "sk");
	} else {
		*tokens = number(open + 1);
	}
	return *tokens >= 0;
}

static bool vllm(const char *name, struct serving *s)
{
	int64_t generation, tokens, kv, context_kv;

	if (strncmp(name, "execute_", strlen("execute_")) ||
		!part(name, "context_", &s->context, &s->context_tokens,
			&context_kv) ||
		!part(name, "generation_", &generation, &tokens, &kv))
		return false;
	s->phase = phase_of(s->context, generation);
	s->sequences = s->context + generation;
	s->tokens = s->context_tokens + tokens;
	s->kv_tokens = sum(kv, context_kv);
	return s->phase != PHASE_UNKNOWN;
}

static bool sglang(const char *name, struct serving *s)
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
	s->sequences = behind(name, "bs=");
	s->tokens = behind(name, "toks=");
	if (s->phase == PHASE_DECODE && s->tokens < 0)
		s->tokens = s->sequences;
	return s->phase != PHASE_UNKNOWN && s->sequences >= 0;
}

static bool tensorrt(const char *name, struct serving *s)
{
	int64_t generation = before(name, " gen reqs");

	s->context = before(name, " ctx reqs");
	s->context_tokens = before(name, " ctx tokens");
	if (s->context < 0 || generation < 0)
		return false;
	if (s->context == 0)
		s->context_tokens = 0;
	s->phase = phase_of(s->context, generation);
	s->sequences = s->context + generation;
	s->tokens = sum(s->context_tokens, generation);
	return s->phase != PHASE_UNKNOWN;
}

bool serving_read(const char *name, struct serving *s)
{
	static const struct serving unknown = { PHASE_UNKNOWN, -1, -1, -1, -1,
		-1 };

	*s = unknown;
	if (vllm(name, s))
		return true;
	*s = unknown;
	if (sglang(name, s))
		return true;
	*s = unknown;
	return tensorrt(name, s);
}

bool serving_same(const struct serving *a, const struct serving *b)
{
	return a->phase == b->phase && a->sequences == b->sequences &&
	       a->tokens == b->tokens && a->context == b->context &&
	       a->context_tokens == b->context_tokens;
}
