/* device_text.h - reads the device number from the device texts of uploaded
 * tables. */
#pragma once
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* "GPU 7" → 7; -1 if the text does not end with a number. */
static inline int32_t device_text_number(const char *text)
{
	const char *digits = text + strlen(text);
	while (digits > text && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	size_t len = strlen(digits);
	return len && len < 10 ? (int32_t)strtol(digits, NULL, 10) : -1;
}
