/* redact.h - texts that may not leave the process as they are.
 *
 * KERNSIFT_TRACE_DROP and KERNSIFT_TRACE_HASH are patterns; a text that matches
 * both is dropped. A hash is `h:` and 16 hex digits of SipHash-2-4 under a
 * secret key: equal texts stay equal, so that runs can be compared, and who has
 * the capture alone cannot try out names until one fits, as could be done with
 * a plain or a salted hash whose salt lies beside it. What remains to be seen:
 * which texts are equal, and how often each occurs. Who has the key can try.
 *
 * The key comes from the file that KERNSIFT_TRACE_HASH_KEY names, of 16 bytes
 * or more, of which the first 4,096 count. Where none is named it is the file
 * `kernsift/hash-key` of the user's state ($XDG_STATE_HOME, or ~/.local/state),
 * made once of 16 random bytes (mode 0600). It lies beside no capture and is
 * never uploaded: all runs of a user on hosts with one home hash alike; others
 * need the same file. Where it can neither be read nor made the key is this
 * process's own, and one line tells.
 *
 * A pattern sees a kernel's name as CUPTI tells it, so mangled. A 0 byte
 * counts as a blank; bytes that are no character in the host's locale match
 * no `.`, so a pattern that has to span them does not. */
#pragma once
#include "siphash.h"
#include "mapped.h"
#include "options.h"

enum { REDACT_HASH_LEN = 2 + 16 };
enum redacted { REDACT_KEPT, REDACT_HASHED, REDACT_DROPPED };

struct redact {
	const struct options *options;
	struct mapped *memory;
	char *copy; /* of a text, ending in NUL */
	size_t copy_cap;
	struct siphash_key key;
	bool has_key;
};

/* All is borrowed. */
void redact_init(struct redact *r, const struct options *o,
	struct mapped *memory);
void redact_release(struct redact *r);

/* What becomes of a text; the hash in `hash` where that is it. Without memory
 * to look at it, it is dropped. `folder`, of the captures, is no place for a
 * key: it is not looked at. */
enum redacted redact_text(struct redact *r, int folder, const char *text,
	size_t len, char hash[static REDACT_HASH_LEN + 1]);
