/* redact.h - texts that may not leave the process as they are.
 *
 * KERNSIFT_TRACE_DROP and KERNSIFT_TRACE_HASH are patterns; a text that
 * matches both is dropped. A hash is `h:` and 16 hex digits of SipHash-2-4
 * under a secret key. Equal texts have equal hashes, so that runs can be
 * compared. Without the key a name cannot be found by trying candidates, as
 * would be possible with a plain hash, or with a salted hash whose salt is
 * stored with it. A reader of the capture still sees which texts are equal
 * and how often each occurs. With the key, candidates can be tried.
 *
 * The key is the file that KERNSIFT_TRACE_HASH_KEY names, of at least 16
 * bytes, of which the first 4,096 count. By default it is the file
 * `kernsift/hash-key` in the user's state folder ($XDG_STATE_HOME, or
 * ~/.local/state), created once from 16 random bytes (mode 0600). It is
 * never stored with a capture and never uploaded. All runs of a user on
 * hosts with one home folder give equal hashes; others need the same file.
 * If the file can be neither read nor created, the key is random for this
 * process, and one line in the log reports it.
 *
 * A pattern sees a kernel's name as CUPTI returns it: mangled. A 0 byte
 * counts as a blank. Bytes that are no character in the host's locale match
 * no `.`, so a pattern that has to span them does not match. */
#pragma once
#include "siphash.h"
#include "mapped.h"
#include "options.h"

enum { REDACT_HASH_LEN = 2 + 16 };
enum redacted { REDACT_KEPT, REDACT_HASHED, REDACT_DROPPED };

struct redact {
	const struct collector_options *options;
	struct mapped *memory;
	char *copy; /* copy of the text that ends in NUL */
	size_t copy_cap;
	struct siphash_key key;
	bool has_key;
};

/* All arguments are borrowed. */
void redact_init(struct redact *r, const struct collector_options *o,
	struct mapped *memory);
void redact_release(struct redact *r);

/* Returns whether to keep, drop or hash the text; the hash is written to
 * `hash`. A text that cannot be checked because there is no memory is dropped.
 * `folder` is the folder of the capture files. The key is never searched for
 * there. */
enum redacted redact_text(struct redact *r, int folder, const char *text,
	size_t len, char hash[static REDACT_HASH_LEN + 1]);
