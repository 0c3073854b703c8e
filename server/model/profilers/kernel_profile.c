/* kernel_profile.c - the words of kernel profiles */
#include "kernel_profile.h"

static const struct {
	const char *word, *text, *advice;
} reasons[] = {
#define STALL_REASON(word, text, advice) { #word, text, advice },
#include "stall_reason.def"
#undef STALL_REASON
};

const char *stall_reason_word(enum stall_reason r)
{
	return reasons[r].word;
}

const char *stall_reason_text(enum stall_reason r)
{
	return reasons[r].text;
}

const char *stall_reason_advice(enum stall_reason r)
{
	return reasons[r].advice;
}

const char *const kernel_profile_match_word[KERNEL_PROFILE_MATCHES] = {
	[KERNEL_PROFILE_NAME] = "name",
	[KERNEL_PROFILE_SPELLING] = "spelling",
	[KERNEL_PROFILE_BASE] = "base_name",
	[KERNEL_PROFILE_SEVERAL] = "several",
};
