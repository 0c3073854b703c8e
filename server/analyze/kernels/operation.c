/* operation.c - the directions, as Kineto, ROCm and nsys write them. */
#include "operation.h"
#include <string.h>
#include <strings.h>

static const struct {
	const char *kineto, *rocm, *rocprof, *nsys;
} directions[] = {
#define DIRECTION(kineto, from, to)                        \
	{                                                  \
		"Memcpy " kineto, "Copy" from "To" to,     \
			"MEMORY_COPY_" from "_TO_" to,     \
			"[CUDA memcpy " from "-to-" to "]" \
	}
	DIRECTION("HtoD", "Host", "Device"),
	DIRECTION("DtoH", "Device", "Host"),
	DIRECTION("DtoD", "Device", "Device"),
	DIRECTION("HtoH", "Host", "Host"),
	DIRECTION("PtoP", "Peer", "Peer"),
	DIRECTION("HtoA", "Host", "Array"),
	DIRECTION("AtoH", "Array", "Host"),
	DIRECTION("AtoA", "Array", "Array"),
	DIRECTION("AtoD", "Array", "Device"),
	DIRECTION("DtoA", "Device", "Array"),
#undef DIRECTION
};

/* Whether the name is `head`, or goes on with something that is no letter. */
static bool begins(const char *name, size_t len, const char *head)
{
	size_t n = strlen(head);
	if (len < n || memcmp(name, head, n) != 0)
		return false;
	return len == n || name[n] == ' ' || name[n] == '(';
}

/* ROCm's, of lines and of rectangles alike. */
static bool is_rocm(const char *name, size_t len, const char *head)
{
	if (len > 2 && !memcmp(name + len - 2, "2D", 2))
		len -= 2;
	return len == strlen(head) && !memcmp(name, head, len);
}

/* rocprofiler-sdk's, in capitals; older ones without what they begin with. */
static bool is_rocprof(const char *name, size_t len, const char *text)
{
	size_t n = strlen(text), prefix = strlen("MEMORY_COPY_");
	if (len == n - prefix)
		return !strncasecmp(name, text + prefix, len);
	return len == n && !strncasecmp(name, text, len);
}

const char *operation_of(const char *name, size_t len, bool is_set)
{
	if (is_set)
		return "[CUDA memset]";
	for (size_t i = 0; i < sizeof directions / sizeof *directions; i++)
		if (begins(name, len, directions[i].kineto) ||
			is_rocm(name, len, directions[i].rocm) ||
			is_rocprof(name, len, directions[i].rocprof))
			return directions[i].nsys;
	return name;
}

static bool within(const char *text, const char *what)
{
	return strstr(text, what) != NULL;
}

enum function_type operation_type(const char *operation)
{
	bool from_host = within(operation, " Host-to-");
	bool to_host = within(operation, "-to-Host]");

	if (within(operation, "[CUDA memset"))
		return FUNCTION_memset_device;
	if (!within(operation, "[CUDA memcpy ") || (from_host && to_host))
		return FUNCTION_other_device;
	return from_host ? FUNCTION_memcpy_h2d
	       : to_host ? FUNCTION_memcpy_d2h
			 : FUNCTION_memcpy_d2d;
}
