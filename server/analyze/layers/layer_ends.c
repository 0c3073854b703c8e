/* layer_ends.c - what is before the first layer of a pass, between stacks of
 * layers, behind the last one; and where there are none. */
#include "layer_doing.h"

static void first(struct doings *s)
{
	bool embedded = false;

	for (uint32_t i = 0; i < s->n; i++) {
		struct doing *d = &s->d[i];
		if (d->act == ACT_EMBEDDING || d->act == ACT_CONVOLUTION) {
			embedded = true;
			d->roles = ROLE_BIT(EMBED);
		}
		if (d->act == ACT_COLLECTIVE)
			d->block = BLOCK_COMMUNICATION;
		else if (d->block == BLOCKS || embedded)
			d->block = embedded ? BLOCK_EMBEDDING : BLOCK_OTHER;
	}
}

/* Without layers a place is a kernel, wherever it is: what it is by itself. */
static void alone(struct doings *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		struct doing *d = &s->d[i];
		if (d->act == ACT_COLLECTIVE)
			d->block = BLOCK_COMMUNICATION;
		else if (d->act == ACT_NORM && d->block == BLOCKS)
			d->block = BLOCK_NORM;
		else if (d->block == BLOCKS)
			d->block = BLOCK_OTHER;
	}
}

/* What is behind the last layer, and how far. */
struct last {
	uint32_t products; /* before something is drawn */
	uint32_t drawn; /* the first that draws or sorts; n none */
	bool tokens; /* one product, then a draw: a language model's */
	uint32_t embedding; /* where the next stack begins; n none */
	bool headed, drawing, embedded;
	bool trained; /* a loss is made: what is behind goes backwards */
};

/* Rows are looked up for other ends too, for the last tokens' say: an embedding is
 * what the operator says it is, or the last look-up before another stack. */
static uint32_t embedding_of(const struct doings *s, bool between)
{
	uint32_t last = s->n;

	for (uint32_t i = 0; i < s->n; i++) {
		if (s->d[i].act != ACT_EMBEDDING)
			continue;
		if (s->d[i].roles & ROLE_BIT(EMBED))
			return i;
		last = between ? i : last;
	}
	return last;
}

static struct last look(const struct doings *s, bool between)
{
	struct last at = { .drawn = s->n,
		.embedding = embedding_of(s, between) };
	bool training = false;

	for (uint32_t i = 0; i < at.embedding; i++) {
		enum layer_act act = s->d[i].act;
		training |= act == ACT_TRAINING;
		if (at.drawn == s->n &&
			(act == ACT_SAMPLING || act == ACT_SORT))
			at.drawn = i;
		if (at.drawn == s->n)
			at.products += doing_product(&s->d[i]);
	}
	at.tokens = at.products == 1 && at.drawn < s->n && !training;
	return at;
}

static void behind(struct last *at, struct doing *d, uint32_t i)
{
	bool draws = d->act == ACT_SAMPLING || d->act == ACT_SORT ||
		     d->act == ACT_SOFTMAX;

	at->embedded |= i == at->embedding;
	/* Another stack's or another model's, once it has drawn. */
	if (at->drawing && i > at->drawn &&
		(doing_product(d) || d->act == ACT_NORM))
		at->tokens = at->drawing = false;
	at->trained |= d->act == ACT_TRAINING;
	if (d->act == ACT_COLLECTIVE)
		d->block = BLOCK_COMMUNICATION;
	else if (at->trained && !at->embedded) {
		d->roles &= ROLE_BIT(CONVOLUTION);
		d->block = BLOCK_OTHER;
	} else if (at->embedded) {
		/* Of the stack that follows. */
		d->block = BLOCK_EMBEDDING;
		d->roles |= i == at->embedding ? ROLE_BIT(EMBED) : 0;
	} else if (d->act == ACT_NORM && !at->headed) {
		d->roles = ROLE_BIT(FINAL_NORM);
		d->block = BLOCK_HEAD;
	} else if (doing_product(d) && !at->headed) {
		at->headed = true;
		d->roles = at->products == 1 ? ROLE_BIT(LM_HEAD) : 0;
		d->block = BLOCK_HEAD;
	} else if (at->headed && at->tokens && d->act != ACT_HELPER) {
		at->drawing = true;
		d->roles = draws ? ROLE_BIT(SAMPLE) : 0;
		d->block = BLOCK_SAMPLING;
	} else if (at->headed)
		d->block = BLOCK_HEAD;
	else if (d->block == BLOCKS)
		d->block = BLOCK_OTHER;
}

void layer_ends(struct doings *s, enum section_place place)
{
	if (place == SECTION_BEFORE)
		first(s);
	else if (place == SECTION_FLAT)
		alone(s);
	else {
		struct last at = look(s, place == SECTION_BETWEEN);
		for (uint32_t i = 0; i < s->n; i++)
			behind(&at, &s->d[i], i);
	}
}
