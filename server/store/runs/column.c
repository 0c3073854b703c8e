/* column.c - writes and reads columns that several tables have. */
#include "column.h"
#include "packed.h"
#include "profile_word.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void column_write_time(struct bulk *b, const struct time_stats *t)
{
	bulk_int8(b, t->instances);
#define WRITE(prefix, stored, member, ...) bulk_##stored(b, t->member);
	TIME_STATS(WRITE, )
#undef WRITE
}

#define READ_int8(r) result_int8(r, 0)
#define READ_int8_known(r) result_int8(r, -1)
#define READ_float8_known(r) result_float8(r, NAN)

void column_read_time(struct result *r, struct time_stats *t)
{
	t->instances = result_int8(r, 0);
#define READ(prefix, stored, member, ...) t->member = READ_##stored(r);
	TIME_STATS(READ, )
#undef READ
}

int column_word_of(const char *text, const char *const *words, int n)
{
	int i = 0;
	while (i < n && (!words[i] || strcmp(text, words[i]) != 0))
		i++;
	assert(i < n);
	return i;
}

int column_word(struct result *r, struct arena *a, const char *const *words,
	int n)
{
	return column_word_of(result_text(r, a), words, n);
}

enum dtype column_dtype(struct result *r, struct arena *a)
{
	const char *word = result_text(r, a);
	return word ? dtype_from(word, strlen(word)) : DTYPE_UNKNOWN;
}

enum phase column_phase(struct result *r, struct arena *a)
{
	const char *word = result_text(r, a);
	return word ? (enum phase)column_word_of(word, profile_word_phase,
			      PHASES)
		    : PHASE_UNKNOWN;
}

/* "bf16=4096 fp32=32". */
void column_read_flops(const char *text, struct cost *c)
{
	while (*text) {
		size_t word = strcspn(text, "=");
		enum dtype d = dtype_from(text, word);
		assert(text[word] == '=' && d != DTYPE_UNKNOWN);
		char *end;
		c->flops[d] = strtoull(text + word + 1, &end, 10);
		text = end + (*end == ' ');
	}
}

static void column_read_link(struct result *r, struct arena *a,
	struct link_use *u)
{
	const char *kind = result_text(r, a);
	*u = (struct link_use){ .bytes = result_int8(r, 0) };
	u->ranks = result_int8(r, 0);
	u->nodes = result_int8(r, 0);
	if (kind)
		u->kind = (enum collective_kind)column_word_of(kind,
			profile_word_collective, COLLECTIVE_KINDS);
}

static enum leg column_read_leg(struct result *r, struct arena *a,
	enum leg missing)
{
	const char *leg = result_text(r, a);
	return leg ? (enum leg)column_word_of(leg, profile_word_leg, LEGS)
		   : missing;
}

static void column_read_cost(struct result *r, struct arena *a,
	struct shape_stat *s)
{
	const char *flops = result_text(r, a);
	s->cost.read_bytes = (uint64_t)result_int8(r, 0);
	s->cost.write_bytes = (uint64_t)result_int8(r, 0);
	s->costed = flops != NULL;
	if (flops)
		column_read_flops(flops, &s->cost);
	column_read_link(r, a, &s->cost.link);
	s->why = result_text(r, a);
	s->sol_ns = result_float8(r, NAN);
	s->leg = column_read_leg(r, a, LEG_NONE);
	s->clock_sol_ns = result_float8(r, s->sol_ns);
	s->clock_leg = column_read_leg(r, a, s->leg);
	s->headroom_ns = result_int8(r, -1);
}

/* False if the packed columns cannot be read. */
static bool column_read_buckets(struct result *r, struct arena *a,
	struct shape_stat *s)
{
	size_t len;
	uint32_t n = s->buckets_n = (uint32_t)result_int4(r, 0);
	int64_t *wide_bucket = arena_array(a, int64_t, n);
	int64_t *calls = arena_array(a, int64_t, n);
	int16_t *bucket = arena_array(a, int16_t, n);
	const void *bytes = result_bytes(r, &len);
	bool ok = packed_read(bytes, len, wide_bucket, n);
	bytes = result_bytes(r, &len);
	ok = ok && packed_read(bytes, len, calls, n);
	for (uint32_t i = 0; i < n; i++)
		bucket[i] = (int16_t)wide_bucket[i];
	s->bucket = bucket;
	s->bucket_calls = calls;
	return ok;
}

bool column_read_shape(struct result *r, struct arena *a, struct shape_stat *s)
{
	s->operator_ = (uint32_t)result_int4(r, 0);
	s->text = result_text(r, a);
	s->grid = result_text(r, a);
	s->known = (enum how)column_word(r, a, profile_word_how, KNOWNS);
	s->launches = result_int8(r, 0);
	column_read_time(r, &s->call);
	bool ok = column_read_buckets(r, a, s);
	column_read_cost(r, a, s);
	return ok;
}
