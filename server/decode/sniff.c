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
	struct err ignored = { 0 };
	char head[ENOUGH];
	size_t got = 0;

	if (len < 4 && !whole)
		return SNIFF_MORE;
	source_memory_init(&m, &s, bytes, len);
	plain_init(&p, &s, &limits, NULL, &a, &notes);
	bool ok = plain_read(&p, head, sizeof head, &got, &ignored);
	bool compressed = p.method == &plain_gzip || p.method == &plain_zstd;
	plain_release(&p);
	arena_release(&a);

	bool damaged = !ok || notes.count[NOTE_damaged];
	if (compressed && got == 0 && !damaged && !whole)
		return len < ENOUGH ? SNIFF_MORE : SNIFF_TRACE_JSON;
	if (compressed && got == 0) {
		err_set(e, ERR_FORMAT,
			damaged ? "the compressed data is damaged from the "
				  "start"
				: "the compressed data holds nothing");
		return SNIFF_UNKNOWN;
	}
	bool all = whole || got == sizeof head || len >= ENOUGH;
	return signature(head, got, all, e);
}
