/* operation.c - the directions, as Kineto, ROCm and nsys write them. */
#include "operation.h"
#include <string.h>

static const struct {
	const char *kineto, *rocm, *nsys;
} directions[] = {
#define DIRECTION(kineto, from, to, from_name, to_name)              \
	{                                                            \
		"Memcpy " kineto, "Copy" from "To" to,               \
			"[CUDA memcpy " from_name "-to-" to_name "]" \
	}
	DIRECTION("HtoD", "Host", "Device", "Host", "Device"),
	DIRECTION("DtoH", "Device", "Host", "Device", "Host"),
	DIRECTION("DtoD", "Device", "Device", "Device", "Device"),
	DIRECTION("HtoH", "Host", "Host", "Host", "Host"),
	DIRECTION("PtoP", "Peer", "Peer", "Peer", "Peer"),
	DIRECTION("HtoA", "Host", "Array", "Host", "Array"),
	DIRECTION("AtoH", "Array", "Host", "Array", "Host"),
	DIRECTION("AtoA", "Array", "Array", "Array", "Array"),
	DIRECTION("AtoD", "Array", "Device", "Array", "Device"),
	DIRECTION("DtoA", "Device", "Array", "Device", "Array"),
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

const char *operation_of(const char *name, size_t len, bool is_set)
{
	if (is_set)
		return "[CUDA memset]";
	for (size_t i = 0; i < sizeof directions / sizeof *directions; i++)
		if (begins(name, len, directions[i].kineto) ||
			begins(name, len, directions[i].rocm))
			return directions[i].nsys;
	return name;
}
