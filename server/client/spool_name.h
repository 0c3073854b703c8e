/* spool_name.h - the names of what a collector leaves in its folder.
 *
 * HOST-PID-TICKS-N.kst is a whole capture; .kst.part one that grows, or that a
 * killed process left; .kst.tail its rows that are in no chunk yet;
 * .kst.merging the two on their way to one. What is called otherwise is
 * somebody else's. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum spool_kind {
	SPOOL_FOREIGN,
	SPOOL_WHOLE,
	SPOOL_PART,
	SPOOL_TAIL,
	SPOOL_MERGING
};

struct spool_name {
	enum spool_kind kind;
	size_t stem_len; /* HOST-PID-TICKS-N.kst */
	size_t host_len;
	uint64_t pid, ticks, number;
};

struct spool_name spool_name_from(const char *name);

/* This machine's as a collector writes it. */
enum { SPOOL_HOST = 256 };
void spool_host(char to[static SPOOL_HOST]);
/* Whether a file is of this machine; where its name was kept out of it, it is
 * taken to be. */
bool spool_name_here(const struct spool_name *n, const char *name,
	const char *host);
