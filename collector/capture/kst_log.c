/* kst_log.c - entries out of a tail, as long as their sums are right. */
#include "kst_log.h"
#include <string.h>

void kst_before_init(struct kst_before *b)
{
	memset(b, 0, sizeof *b);
	for (int kind = 0; kind < KST_KINDS_END; kind++) {
		const struct kst_kind_info *k = kst_kind_info(kind);
		for (uint32_t c = 0; k && c < k->n; c++)
			b->cells[kind][c] = kst_absent(&k->columns[c]);
	}
}

/* The younger of the two slots that are good. */
static const uint8_t *slot_of(const uint8_t *bytes)
{
	const uint8_t *best = NULL;
	for (int i = 0; i < 2; i++) {
		const uint8_t *s = bytes + i * KST_SLOT;
		bool good = !memcmp(s, KST_TAIL_MAGIC, 8) &&
			    kst_crc(0, s, KST_SLOT_SUM) ==
				    kst_get32(s + KST_SLOT_SUM);
		if (good && (!best || kst_get64(s + 8) > kst_get64(best + 8)))
			best = s;
	}
	return best;
}

bool kst_log_open(struct kst_log *l, const uint8_t *bytes, size_t len)
{
	const uint8_t *slot = len < KST_LOG ? NULL : slot_of(bytes);
	if (!slot)
		return false;
	uint64_t commit = kst_get64(bytes + KST_COMMIT);
	uint32_t generation = (uint32_t)kst_get64(slot + 8);
	/* Between the slot and the commit there is a moment at which a process
	 * can be killed: then the log is empty. */
	bool told = (uint32_t)commit == generation;
	if (!told && (uint32_t)commit != generation - 1)
		return false;
	*l = (struct kst_log){ .place = { kst_get32(slot + 16),
				       kst_get32(slot + 20),
				       kst_get64(slot + 24) },
		.first = bytes + KST_LOG,
		.at = bytes + KST_LOG,
		.end = bytes + len,
		.sum = kst_get32(slot + KST_SLOT_SUM),
		.length = told ? (uint32_t)(commit >> 32) : 0 };
	kst_before_init(&l->before);
	return true;
}

/* The differences that an entry holds are added to the row before. */
static bool row_get(struct kst_log *l, int kind, const uint8_t *at,
	const uint8_t *end)
{
	uint64_t *cells = l->before.cells[kind], changed, v;
	at = kst_varint_get(at, end, &changed);
	for (uint32_t c = 0; at && changed; c++, changed >>= 1) {
		if (!(changed & 1))
			continue;
		at = kst_varint_get(at, end, &v);
		if (at && c < kst_kind_info(kind)->n)
			cells[c] += (uint64_t)kst_unzigzag(v);
	}
	return at == end;
}

/* The next entry whose sum is right: where its body lies. */
static bool entry_get(struct kst_log *l, const uint8_t **body, size_t *len,
	int *kind)
{
	const uint8_t *from = l->at, *at = from;
	uint64_t bytes;
	if (at == l->end)
		return false;
	*kind = *at++;
	at = kst_varint_get(at, l->end, &bytes);
	if (!at || l->end - at < 4 || bytes > (uint64_t)(l->end - at) - 4)
		return false;
	uint32_t sum = kst_crc(l->sum, from, (size_t)(at - from) + bytes);
	if (sum != kst_get32(at + bytes))
		return false;
	l->sum = sum;
	l->at = at + bytes + 4;
	*body = at;
	*len = bytes;
	return true;
}

bool kst_log_next(struct kst_log *l, struct kst_entry *e)
{
	const uint8_t *body;
	size_t len;
	while (entry_get(l, &body, &len, &e->kind)) {
		const struct kst_kind_info *k = kst_kind_info(e->kind);
		e->text = (const char *)body;
		e->len = len;
		if (e->kind == KST_text && len && len <= KST_TEXT_MAX)
			return true;
		if (!k || !k->columns)
			continue;
		e->cells = l->before.cells[e->kind];
		if (row_get(l, e->kind, body, body + len))
			return true;
		l->damaged = true;
		return false;
	}
	l->damaged |= (uint64_t)(l->at - l->first) < l->length;
	return false;
}
