/* session_words.c - what CUPTI's answers mean, in words for the log. */
#include "session_state.h"
#include <stdio.h>
#include <string.h>

void session_tell(char sentence[static 512], const char *format, ...)
{
	size_t at = strlen(sentence);
	va_list args;
	if (at && at < 508)
		at += (size_t)snprintf(sentence + at, 512 - at, "; ");
	va_start(args, format);
	vsnprintf(sentence + at, 512 - at, format, args);
	va_end(args);
}

const char *session_reason(const struct session *s, CUptiResult r)
{
	switch (r) {
	case CUPTI_ERROR_NOT_SUPPORTED:
		return "not supported here";
	case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
		return "not on a virtual GPU";
	case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
	case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
		return "this user may not";
	case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
		return "not with confidential computing";
	case CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED:
		return "not on a mining GPU";
	case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED:
		return "not on a MIG device";
	case CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED:
		return "not with SLI";
	case CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED:
		return "not under WSL";
	default:
		return library_result(s->library, r);
	}
}

enum session_end session_unfit(const struct session *s, CUptiResult r,
	char sentence[static 512])
{
	uint32_t cuda = library_cuda(s->library->version);
	uint32_t driver = s->library->driver;
	const char *word = library_result(s->library, r);

	if (!driver)
		session_tell(sentence,
			"no NVIDIA driver is loaded in this process (%s)",
			word);
	else if (cuda > driver)
		session_tell(sentence,
			"the driver, which is of CUDA %u.%u, may be too old "
			"for CUPTI, which is of CUDA %u.%u (%s)",
			driver / 1000, driver / 10 % 100, cuda / 1000,
			cuda / 10 % 100, word);
	else if (r == CUPTI_ERROR_NOT_INITIALIZED)
		session_tell(sentence,
			"CUDA has no device here, or did not start (%s)", word);
	else
		session_tell(sentence, "CUPTI cannot be used here: %s",
			session_reason(s, r));
	return SESSION_UNFIT;
}
