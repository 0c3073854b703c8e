/* scribe_state.h - what a scribe holds; for the files it is made of. */
#pragma once
#include "redact.h"
#include "scribe.h"
#include "scribe_file.h"
#include "texts.h"

struct scribe {
	bool alive; /* false in a forked child, where all this reads as zero */
	const struct options *options;
	struct mapped memory;
	struct kst_memory hooks;
	struct spool spool;
	struct redact redact;
	struct texts texts;
	struct scribe_file file;
	struct scribe_facts facts;
	bool has_facts;
	int64_t facts_n; /* of this capture */
	int64_t captures;
	int64_t failed_ns; /* when writing failed; 0 it did not */
	int64_t dropped; /* rows */
	int64_t texts_dropped, texts_long; /* for the capture's notes */
	int8_t process[KST_KINDS_END],
		start[KST_KINDS_END]; /* columns, or -1 */
	uint8_t columns[KST_KINDS_END];
};

/* Whether there is a file to write to; makes it where it is time for it. */
bool scribe_ready(struct scribe *s);
/* Writing failed: gives the file up. Always false. */
bool scribe_fail(struct scribe *s);
