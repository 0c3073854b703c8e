/* scribe_text.c - texts get their ids, after they were redacted. */
#include "scribe_state.h"

static int64_t text_write(struct scribe *s, const char *text, size_t len)
{
	int64_t *known = texts_id(&s->texts, text, len);
	int64_t id = known ? *known : 0;
	if (id == 0)
		id = kst_writer_text(s->file.writer, text, len);
	if (id < 0) {
		scribe_fail(s);
		return 0;
	}
	if (known)
		*known = id;
	return id;
}

static int64_t text_redacted(struct scribe *s, const char *text, size_t len)
{
	char hash[REDACT_HASH_LEN + 1];
	switch (redact_text(&s->redact, s->spool.folder, text, len, hash)) {
	case REDACT_DROPPED:
		s->texts_dropped++;
		return 0;
	case REDACT_HASHED:
		return text_write(s, hash, REDACT_HASH_LEN);
	case REDACT_KEPT:
		break;
	}
	return text_write(s, text, len);
}

int64_t scribe_text(struct scribe *s, enum scribe_text_kind kind, uint64_t key,
	const char *text, size_t len)
{
	if (len == 0 || !scribe_ready(s))
		return 0;
	struct texts_key *k =
		key ? texts_key(&s->texts, key ^ (uint64_t)(kind + 1) << 60)
		    : NULL;
	/* An id of -1 remembers that the text is not to be written. */
	if (k && k->id)
		return k->id > 0 ? k->id : 0;
	int64_t id = 0;
	if (len > KST_TEXT_MAX)
		s->texts_long++;
	else
		id = kind == TEXT_OWN ? text_write(s, text, len)
				      : text_redacted(s, text, len);
	if (k)
		k->id = id ? id : -1;
	return id;
}
