/* tar_header.c - writes the headers of tar archives */
#include "tar_header.h"
#include <stdio.h>
#include <string.h>

int64_t tar_header_sum(const unsigned char header[TAR_BLOCK])
{
	int64_t sum = 0;

	for (int i = 0; i < TAR_BLOCK; i++)
		sum += i >= TAR_SUM_AT && i < TAR_SUM_AT + TAR_SUM ? ' '
								   : header[i];
	return sum;
}

/* The last bytes of a name, from a character's beginning. */
static const char *tar_header_name_tail(const char *name)
{
	size_t len = strlen(name);

	if (len > TAR_NAME)
		name += len - TAR_NAME;
	while (((unsigned char)*name & 0xC0) == 0x80)
		name++;
	return name;
}

static void tar_header_size(unsigned char *to, int64_t size)
{
	char text[32];

	if (size >> 33) {
		for (int i = TAR_NUMBER; i--; size >>= 8)
			to[i] = (unsigned char)(size & 0xFF);
		to[0] = 0x80;
		return;
	}
	snprintf(text, sizeof text, "%011llo", (unsigned long long)size);
	memcpy(to, text, TAR_NUMBER);
}

void tar_header_write(unsigned char out[TAR_BLOCK], const char *name,
	int64_t size, char type)
{
	char sum[32];

	name = tar_header_name_tail(name);
	memset(out, 0, TAR_BLOCK);
	memcpy(out + TAR_NAME_AT, name, strlen(name));
	memcpy(out + TAR_MODE_AT, "0000644", 8);
	tar_header_size(out + TAR_SIZE_AT, size);
	memcpy(out + TAR_TIME_AT, "00000000000", TAR_NUMBER);
	out[TAR_TYPE_AT] = (unsigned char)type;
	memcpy(out + TAR_MAGIC_AT, "ustar\00000", 8);
	snprintf(sum, sizeof sum, "%06llo",
		(unsigned long long)tar_header_sum(out));
	memcpy(out + TAR_SUM_AT, sum, 7);
	out[TAR_SUM_AT + 7] = ' ';
}
