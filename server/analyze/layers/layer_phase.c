/* layer_phase.c - norms by what is around them; else how far names go on. */
#include "layer_phase.h"
#include <assert.h>
#include <string.h>

enum { NOWHERE = UINT32_MAX, LONGEST = 1024, MATCH = 1, DIFFERS = -1 };

/* A period as a ring of acts. */
struct ring {
	const struct layer_line *line;
	uint32_t from, n;
	bool softmax; /* stands for attention */
};

static enum layer_act act(const struct ring *r, uint32_t at)
{
	return r->line->act[r->from + at % r->n];
}

static bool mixes(const struct ring *r, uint32_t at)
{
	return r->softmax ? act(r, at) == ACT_SOFTMAX
			  : layer_act_mixes(act(r, at));
}

static bool feeds(const struct ring *r, uint32_t at)
{
	return act(r, at) == ACT_ACTIVATION || act(r, at) == ACT_EXPERTS;
}

static bool norm(const struct ring *r, uint32_t at)
{
	return act(r, at) == ACT_NORM || act(r, at) == ACT_ROOT;
}

static bool product(const struct ring *r, uint32_t at)
{
	return act(r, at) == ACT_PRODUCT || act(r, at) == ACT_EXPERTS;
}

static uint32_t call(const struct ring *r, uint32_t at)
{
	const struct layer_seq *s = r->line->s;
	const struct layer_item *i =
		&s->items[r->line->item[r->from + at % r->n]];

	return i->is ? i->is->call : LAUNCH_NO_CALL;
}

/* Back from a place in a norm to where that begins: launches of one call, or
 * steps of a norm that is made of them: convert, square, mean, sum, root. */
static uint32_t norm_from(const struct ring *r, uint32_t at)
{
	uint32_t back = 0;

	at += r->n;
	if (act(r, at) == ACT_NORM) {
		while (back < r->n && act(r, at - back - 1) == ACT_NORM &&
			call(r, at) != LAUNCH_NO_CALL &&
			call(r, at - back - 1) == call(r, at))
			back++;
		return (at - back) % r->n;
	}
	while (back < 4 && (act(r, at - back - 1) == ACT_ADD ||
				   act(r, at - back - 1) == ACT_MEAN))
		back++;
	back += act(r, at - back - 1) == ACT_POWER;
	back += act(r, at - back - 1) == ACT_CONVERT;
	return (at - back) % r->n;
}

/* The last place before attention that feeds forward; NOWHERE. */
static uint32_t fed_before(const struct ring *r)
{
	for (uint32_t i = 0; i < r->n; i++) {
		uint32_t k = i + 1;
		if (!feeds(r, i))
			continue;
		while (k < i + r->n && !feeds(r, k) && !mixes(r, k))
			k++;
		if (k < i + r->n && mixes(r, k))
			return i;
	}
	return NOWHERE;
}

/* The norm between a place and attention behind it. */
static uint32_t norm_behind(const struct ring *r, uint32_t fed)
{
	uint32_t found = NOWHERE;

	for (uint32_t k = fed + 1; k < fed + r->n && !mixes(r, k); k++) {
		if (found != NOWHERE && product(r, k))
			break;
		if (norm(r, k))
			found = k % r->n;
	}
	return found;
}

/* The last norm before attention, behind which there is a product. */
static uint32_t norm_before(const struct ring *r)
{
	uint32_t at = 0, found = NOWHERE;
	bool between = false;

	while (at < r->n && !mixes(r, at))
		at++;
	if (at == r->n)
		return NOWHERE;
	for (uint32_t k = at + r->n - 1; k > at; k--) {
		between |= product(r, k);
		if (mixes(r, k))
			between = false;
		if (!norm(r, k))
			continue;
		if (between)
			return k % r->n;
		found = found == NOWHERE ? k % r->n : found;
	}
	return found;
}

static uint32_t by_acts(const struct layer_line *l,
	const struct layer_stretch *one)
{
	struct ring r = { l, one->from, one->to - one->from, true };

	for (uint32_t i = 0; i < r.n; i++)
		if (layer_act_mixes(act(&r, i)))
			r.softmax = false;
	uint32_t fed = fed_before(&r);
	uint32_t at = fed == NOWHERE ? NOWHERE : norm_behind(&r, fed);
	if (at == NOWHERE)
		at = norm_before(&r);
	return at == NOWHERE ? at : norm_from(&r, at);
}

/* How far back from `anchor` the names go on as in the period: alignment from
 * its end, both read backwards; of equals the longest, for the first layer may
 * differ from the others in a place. Round the period twice, for the first layer
 * may have lost its anchor. */
static bool goes_back(const struct layer_line *l, uint32_t floor,
	uint32_t anchor, const struct layer_stretch *one, struct arena *a,
	uint32_t *head)
{
	uint32_t whole = one->to - one->from, most = anchor - floor;
	uint32_t n = whole < LONGEST ? whole : LONGEST;
	int32_t best = 0;

	n = n * 2 < LONGEST ? n * 2 : n;
	most = most < n + n / 4 ? most : n + n / 4;
	int32_t *row = arena_grow(a, NULL, (n + 1) * sizeof *row);
	if (!row)
		return false;
	*head = 0;
	for (uint32_t j = 0; j <= n; j++)
		row[j] = DIFFERS * (int32_t)j;
	for (uint32_t i = 1; i <= most; i++) {
		int32_t corner = row[0];
		row[0] = DIFFERS * (int32_t)i;
		for (uint32_t j = 1; j <= n; j++) {
			bool same = l->symbol[anchor - i] ==
				    l->symbol[one->to - 1 - (j - 1) % whole];
			int32_t to = corner + (same ? MATCH : DIFFERS);
			int32_t skip =
				row[j] > row[j - 1] ? row[j] : row[j - 1];
			corner = row[j];
			row[j] = to > skip + DIFFERS ? to : skip + DIFFERS;
			if (row[j] >= best) {
				best = row[j];
				*head = j;
			}
		}
	}
	arena_drop(a, row);
	return true;
}

/* What most parts say; of equals the longest. */
static uint32_t most_said(const uint32_t *said, uint32_t n)
{
	uint32_t best = 0, votes = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t same = 0;
		for (uint32_t k = 0; k < n; k++)
			same += said[k] == said[i];
		if (same > votes || (same == votes && said[i] > best)) {
			votes = same;
			best = said[i];
		}
	}
	return best;
}

static bool by_rims(const struct layer_line *l, const struct slice *parts,
	const struct layer_cuts *c, const struct layer_stretch *one,
	struct arena *a, uint32_t *head)
{
	enum { PARTS = 16 };
	uint32_t said[PARTS], n = 0, done = NOWHERE;
	uint32_t whole = one->to - one->from;

	assert(whole);
	for (uint32_t i = 0; i < c->n && n < PARTS; i++) {
		const struct layer_stretch *r = &c->at[i];
		if (!r->alike || r->part == done)
			continue;
		done = r->part;
		if (!goes_back(l, parts[r->part].from, r->from, one, a,
			    &said[n]))
			return false;
		said[n++] %= whole;
	}
	*head = most_said(said, n);
	return true;
}

bool layer_phase_of(const struct layer_line *l, const struct layer_stretch *one,
	uint32_t *head)
{
	uint32_t at = by_acts(l, one), n = one->to - one->from;

	if (at != NOWHERE)
		*head = (n - at) % n;
	return at != NOWHERE;
}

bool layer_phase_find(const struct layer_line *l, const struct slice *parts,
	const struct layer_cuts *c, const struct layer_stretch *one,
	struct arena *a, uint32_t *head)
{
	return layer_phase_of(l, one, head) ||
	       by_rims(l, parts, c, one, a, head);
}
