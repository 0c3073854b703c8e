/* cupti_attributes.c - settings of the fake libcupti, which are kept after a
 * client unsubscribed. */
#include "fake_cupti.h"
#include <stdatomic.h>
#include <string.h>

enum {
	ZEROED = CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER,
	PER_THREAD = CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER,
};

/* By the number of the attribute; `bytes` 0: there is no such attribute. */
static struct {
	uint8_t bytes;
	_Atomic uint64_t value;
	uint64_t usual;
} settings[] = {
	[CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE] = { 8, 3200000, 3200000 },
	[CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE_CDP] = { 8, 8 << 20, 8 << 20 },
	[CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT] = { 8, 250, 250 },
	[CUPTI_ACTIVITY_ATTR_PROFILING_SEMAPHORE_POOL_SIZE] = { 8, 25000,
		25000 },
	[CUPTI_ACTIVITY_ATTR_PROFILING_SEMAPHORE_POOL_LIMIT] = { 8, 250, 250 },
	[ZEROED] = { 1, 0, 0 },
	[CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_PRE_ALLOCATE_VALUE] = { 8, 3, 3 },
	[CUPTI_ACTIVITY_ATTR_PROFILING_SEMAPHORE_PRE_ALLOCATE_VALUE] = { 8, 3,
		3 },
	[CUPTI_ACTIVITY_ATTR_MEM_ALLOCATION_TYPE_HOST_PINNED] = { 1, 0, 0 },
	[PER_THREAD] = { 1, 2, 2 }, /* 2: as the version does */
};
static _Atomic CUpti_ActivityThreadIdType thread_ids;

static bool known(CUpti_ActivityAttribute attribute, const size_t *size,
	const void *value)
{
	size_t all = sizeof(settings) / sizeof(*settings);

	return size && value && (size_t)attribute < all &&
	       *size >= settings[attribute].bytes &&
	       ((int)attribute != PER_THREAD || faults()->version >= 21);
}

bool fake_zeroed(void)
{
	return settings[ZEROED].value;
}

bool fake_per_thread(void)
{
	uint64_t wanted = settings[PER_THREAD].value;

	if (faults()->per_thread >= 0)
		return faults()->per_thread;
	return wanted < 2 ? wanted : faults()->version >= 130000;
}

CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute attribute,
	size_t *size, void *value)
{
	uint64_t number = 0;

	fake_enter("cuptiActivitySetAttribute", MAY_SUBSCRIBED);
	if (!known(attribute, size, value))
		return CUPTI_ERROR_INVALID_PARAMETER;
	if ((int)attribute == PER_THREAD && fake_any_enabled())
		fake_die("buffers per thread are decided before anything is "
			 "enabled");
	memcpy(&number, value, settings[attribute].bytes);
	settings[attribute].value = number;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetAttribute(CUpti_ActivityAttribute attribute,
	size_t *size, void *value)
{
	fake_enter("cuptiActivityGetAttribute", MAY_SUBSCRIBED);
	if (!known(attribute, size, value))
		return CUPTI_ERROR_INVALID_PARAMETER;
	uint64_t number = settings[attribute].value;
	if ((int)attribute == PER_THREAD)
		number = fake_per_thread();
	*size = settings[attribute].bytes;
	memcpy(value, &number, *size);
	return CUPTI_SUCCESS;
}

CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType type)
{
	fake_enter("cuptiSetThreadIdType", MAY_SUBSCRIBED);
	if (type != CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM &&
		type != CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT)
		return CUPTI_ERROR_INVALID_PARAMETER;
	thread_ids = type;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiGetThreadIdType(CUpti_ActivityThreadIdType *type)
{
	fake_enter("cuptiGetThreadIdType", MAY_SUBSCRIBED);
	*type = thread_ids;
	return CUPTI_SUCCESS;
}

/* Otherwise the next client would inherit them. */
void fake_check_restored(void)
{
	for (int a = 0; a < PER_THREAD; a++)
		if (settings[a].value != settings[a].usual)
			fake_die("cuptiUnsubscribe while attribute %d is not "
				 "as it was",
				a);
	if (thread_ids != CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT)
		fake_die("cuptiUnsubscribe while threads' numbers are not as "
			 "they were");
}
