/* signature.h - tells plain bytes apart: a trace, or one sentence that says
 * what they are instead. The list is signature.def. */
#pragma once
#include "sniff.h"

/* As sniff(), for bytes that are not compressed any more. */
enum sniffed signature(const void *bytes, size_t len, bool whole,
	struct err *e);
