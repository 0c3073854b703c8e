/* encode_words.c - names by number, and names by their beginning. */
#include "encode_words.h"
#include "calls.h"
#include <cupti.h>
#include <stdio.h>
#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const char *direction(uint32_t kind)
{
	static const char *const names[] = {
		[CUPTI_ACTIVITY_MEMCPY_KIND_HTOD] = "HtoD",
		[CUPTI_ACTIVITY_MEMCPY_KIND_DTOH] = "DtoH",
		[CUPTI_ACTIVITY_MEMCPY_KIND_HTOA] = "HtoA",
		[CUPTI_ACTIVITY_MEMCPY_KIND_ATOH] = "AtoH",
		[CUPTI_ACTIVITY_MEMCPY_KIND_ATOA] = "AtoA",
		[CUPTI_ACTIVITY_MEMCPY_KIND_ATOD] = "AtoD",
		[CUPTI_ACTIVITY_MEMCPY_KIND_DTOA] = "DtoA",
		[CUPTI_ACTIVITY_MEMCPY_KIND_DTOD] = "DtoD",
		[CUPTI_ACTIVITY_MEMCPY_KIND_HTOH] = "HtoH",
		[CUPTI_ACTIVITY_MEMCPY_KIND_PTOP] = "PtoP",
	};
	return kind < COUNT(names) && names[kind] ? names[kind] : "<unknown>";
}

static const char *memory(uint32_t kind)
{
	static const char *const names[] = {
		[CUPTI_ACTIVITY_MEMORY_KIND_UNKNOWN] = "Unknown",
		[CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE] = "Pageable",
		[CUPTI_ACTIVITY_MEMORY_KIND_PINNED] = "Pinned",
		[CUPTI_ACTIVITY_MEMORY_KIND_DEVICE] = "Device",
		[CUPTI_ACTIVITY_MEMORY_KIND_ARRAY] = "Array",
		[CUPTI_ACTIVITY_MEMORY_KIND_MANAGED] = "Managed",
		[CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC] = "Device Static",
		[CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC] = "Managed Static",
	};
	return kind < COUNT(names) ? names[kind] : "Unrecognized";
}

size_t words_copy(const struct copy_record *c, char to[static WORDS_LONGEST])
{
	int n = c->set ? snprintf(to, WORDS_LONGEST, "Memset (%s)",
				 memory(c->dst_kind))
		       : snprintf(to, WORDS_LONGEST, "Memcpy %s (%s -> %s)",
				 direction(c->copy_kind), memory(c->src_kind),
				 memory(c->dst_kind));
	return (size_t)n;
}

const char *words_overhead(uint32_t what)
{
	static const char *const of_driver[] = { "Unknown", "Driver Compiler" };
	static const char *const of_cupti[] = { NULL, "Buffer Flush",
		"Instrumentation", "Resource",
		"Runtime Triggered Module Loading", "Lazy Function Loading",
		"Command Buffer Full", "Activity Buffer Request",
		"UVM Activity Init" };
	if (what < COUNT(of_driver))
		return of_driver[what];
	if (what % (1 << 16) == 0 && what >> 16 < COUNT(of_cupti))
		return of_cupti[what >> 16];
	return "Unrecognized";
}

size_t words_call(const char *name)
{
	enum { DIGITS_LEAST = 4 };
	size_t all = strlen(name), len = all;
	while (len && name[len - 1] >= '0' && name[len - 1] <= '9')
		len--;
	if (all - len < DIGITS_LEAST || len < 3 || name[len - 1] != 'v' ||
		name[len - 2] != '_')
		return all;
	return len - 2;
}

bool words_call_acts(const char *name)
{
	static const char *const heads[] = { "cudaMemcpy", "cuMemcpy",
		"cudaMemset", "cuMemset" };
	if (calls_launches(name))
		return true;
	for (size_t i = 0; i < COUNT(heads); i++)
		if (!strncmp(name, heads[i], strlen(heads[i])))
			return true;
	return false;
}
