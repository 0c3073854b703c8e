/* client.h - a client of the fake libcupti that makes the mistakes which a
 * test case names. */
#pragma once
#include "fake/door.h"

extern struct client {
	__typeof__(&cuptiSubscribe) subscribe;
	__typeof__(&cuptiUnsubscribe) unsubscribe;
	__typeof__(&cuptiActivityRegisterCallbacks) reg;
	__typeof__(&cuptiActivityEnable) enable;
	__typeof__(&cuptiActivityDisable) disable;
	__typeof__(&cuptiActivityFlushAll) flush;
	__typeof__(&cuptiActivityGetNextRecord) next;
	__typeof__(&cuptiActivitySetAttribute) attribute;
	__typeof__(&cuptiActivityEnableDriverApi) driver_call;
	__typeof__(&cuptiFinalize) finalize;
	__typeof__(&cuInit) init;
	__typeof__(&cuModuleLoadData) load;
	__typeof__(&cuModuleGetFunction) function;
	__typeof__(&cuLaunchKernel) launch;
	__typeof__(&cuStreamSynchronize) sync;
	CUpti_SubscriberHandle handle;
} client;

/* Its answer to a buffer request; FLUSHES: flushes from its callback. */
enum client_habit { GOOD, NONE, CROOKED, DIRTY, TWICE, FLUSHES };

/* Loads both libraries, calls cuInit, subscribes, registers callbacks. */
void client_begin(const char *version);
void client_launch(int n);
/* Enables kernels and launches some. */
void client_record(enum client_habit how, int n);
/* Disables, flushes, unsubscribes, prints the received records. */
void client_end(void);
long client_records(void);
