/* session_settings.c - CUPTI's attributes for a window, and how they were before.
 *
 * They are the process's: left as they are they would lead another tool astray,
 * which gives CUPTI buffers that are not zeroed, say. */
#include "session_state.h"
#include <string.h>

enum { V13_0 = 130000, V12_3 = 21 };
enum { ALWAYS, FAULTY_DEVICE_MEMORY, CROWDED };

static const struct setting {
	CUpti_ActivityAttribute attribute;
	size_t size;
	uint64_t value, before; /* before: where CUPTI cannot be asked */
	int when;
} settings[SETTINGS] = {
	/* Zeroed by us, on our thread, not by CUPTI in a launch. */
	[SETTING_ZEROED] = { CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, 1,
		1, 0, ALWAYS },
	/* 16 of 3.2 MB instead of 250: what the device may lose to us. */
	[SETTING_POOL] = { CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT,
		sizeof(size_t), 16, 250, ALWAYS },
	/* 13.0 before its update crashes with graphs and device memory. */
	[SETTING_PINNED] = { CUPTI_ACTIVITY_ATTR_MEM_ALLOCATION_TYPE_HOST_PINNED,
		1, 1, 0, FAULTY_DEVICE_MEMORY },
	/* Hundreds of launching threads would each hold a buffer. */
	[SETTING_SHARED] = { CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, 1,
		0, 1, CROWDED },
};

static bool applies(const struct session *s, int when)
{
	uint32_t version = s->library->version;
	if (when == FAULTY_DEVICE_MEMORY)
		return version == V13_0;
	return when == ALWAYS || (s->crowded && version >= V12_3);
}

/* x86-64 and arm64 have the low byte first, so one variable does for sizes. */
static uint64_t read_setting(const struct session *s, const struct setting *a)
{
	uint64_t value = 0;
	size_t size = a->size;
	if (!s->library->get_attribute ||
		s->library->get_attribute(a->attribute, &size, &value) !=
			CUPTI_SUCCESS)
		return a->before;
	return value;
}

static bool write_setting(const struct session *s, const struct setting *a,
	uint64_t value)
{
	size_t size = a->size;
	return s->library->set_attribute(a->attribute, &size, &value) ==
	       CUPTI_SUCCESS;
}

void session_settings_apply(struct session *s)
{
	s->settings = (struct session_settings){ .thread_ids = false };
	if (s->library->thread_ids)
		s->settings.thread_ids =
			s->library->thread_ids(
				CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM) ==
			CUPTI_SUCCESS;
	for (int i = 0; s->library->set_attribute && i < SETTINGS; i++) {
		if (!applies(s, settings[i].when))
			continue;
		s->settings.before[i] = read_setting(s, &settings[i]);
		s->settings.set[i] =
			write_setting(s, &settings[i], settings[i].value);
	}
}

void session_settings_restore(struct session *s)
{
	for (int i = 0; i < SETTINGS; i++)
		if (s->settings.set[i])
			write_setting(s, &settings[i], s->settings.before[i]);
	if (s->settings.thread_ids)
		s->library->thread_ids(CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT);
	s->settings = (struct session_settings){ .thread_ids = false };
}
