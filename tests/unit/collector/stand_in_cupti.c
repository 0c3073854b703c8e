/* stand_in_cupti.c - a library with the symbols of libcupti and the version
 * that it is built with. Its functions do nothing. */
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))
#define NOTHING(symbol)          \
	EXPORT int symbol(void); \
	EXPORT int symbol(void)  \
	{                        \
		return 0;        \
	}

#if STAND_IN_VERSION
EXPORT int cuptiGetVersion(uint32_t *version);
EXPORT int cuptiGetVersion(uint32_t *version)
{
	*version = STAND_IN_VERSION;
	return 0;
}
#endif

NOTHING(cuptiGetResultString)
NOTHING(cuptiGetTimestamp)
NOTHING(cuptiSubscribe)
NOTHING(cuptiUnsubscribe)
NOTHING(cuptiEnableCallback)
NOTHING(cuptiActivityRegisterCallbacks)
NOTHING(cuptiActivityEnable)
NOTHING(cuptiActivityDisable)
NOTHING(cuptiActivityGetNextRecord)
NOTHING(cuptiActivityGetNumDroppedRecords)
NOTHING(cuptiGetCallbackName)
#ifndef STAND_IN_LACKS_FLUSH
NOTHING(cuptiActivityFlushAll)
#endif
#if STAND_IN_VERSION >= 23
NOTHING(cuptiActivityEnableRuntimeApi)
#endif
