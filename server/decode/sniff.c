/* sniff.c - looks through the compression, then at the signature. */
#include "sniff.h"
#include "plain.h"
#include "signature.h"

enum { ENOUGH = 4096 };

enum sniffed sniff(const void *bytes, size_t len, bool whole, struct err *e)
{
	static const struct decode_limits limits = { INT64_MAX, INT64_MAX };
	struct arena a = { 0 };
	struct notes notes = { 0 };
	struct source_memory m;
	struct source s;
	struct plain p;
	char head[ENOUGH];
	size_t got = 0;

	if (len < 4 && !whole)
		return SNIFF_MORE;
	source_memory_init(&m, &s, bytes, len);
	plain_init(&p, &s, &limits, NULL, &a, &notes);
	bool ok = plain_read(&p, head, sizeof head, &got, e);
	bool packed = plain_packed(&p), cut = p.ending == NOTE_truncated;
	if (ok && (whole || !cut))
		ok = plain_any(&p, e);
	plain_release(&p);
	arena_release(&a);

	if (!ok)
		return SNIFF_UNKNOWN;
	if (packed && got == 0)
		return len < ENOUGH ? SNIFF_MORE : SNIFF_TRACE_JSON;
	bool all = whole || got == sizeof head || len >= ENOUGH;
	return signature(head, got, all, e);
}
