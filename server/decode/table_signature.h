/* table_signature.h - which table a text is, by its heading. */
#pragma once
#include "sniff.h"

/* SNIFF_STATS_TABLE, SNIFF_PATTERNS, or SNIFF_UNKNOWN: with *e and a sentence
 * where it is a table that is none of these, without where it is no table. */
enum sniffed table_signature(const char *text, size_t len, struct err *e);
