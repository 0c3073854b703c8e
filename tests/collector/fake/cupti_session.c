/* cupti_session.c - subscribers of the fake libcupti, and who may call it. */
#include "fake_cupti.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char ledger_whose[] = "cupti";

enum { IDS = 1024 };
static _Atomic bool wanted[CUPTI_CB_DOMAIN_SIZE][IDS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	CUpti_SubscriberHandle handle; /* NULL: nobody */
	CUpti_CallbackFunc callback;
	void *ctx;
	char name[64];
} holder;
static uintptr_t handles = 0x1000;
static atomic_bool subscribed, occupied, fatal;
static _Atomic int64_t refusals;
static _Thread_local int in_buffer, in_callback;

void fake_in_buffer(int by)
{
	in_buffer += by;
}

bool fake_subscribed(void)
{
	return subscribed;
}

bool fake_is_fatal(void)
{
	return fatal;
}

/* Only one thread may call libcupti, except the injecting thread before it. */
static bool thread_allowed(pid_t to)
{
	static _Atomic pid_t threads[2];
	pid_t first = 0, second = 0;

	if (atomic_compare_exchange_strong(&threads[0], &first, to) ||
		(first == to && !threads[1]))
		return true;
	return atomic_compare_exchange_strong(&threads[1], &second, to) ||
	       second == to;
}

void fake_enter(const char *function, enum fake_may may)
{
	if (may == MAY_ALWAYS)
		return;
	if (in_buffer)
		fake_die("%s from a buffer's callback can deadlock", function);
	if (in_callback && may != MAY_RESOURCE)
		fake_die("%s from a callback can deadlock", function);
	if (may != MAY_RESOURCE && !thread_allowed(gettid()))
		fake_die("%s from a second thread", function);
	if (may == MAY_SUBSCRIBED && !subscribed) {
		ledger_add(LEDGER_unarmed_calls, 1);
		fake_die("%s while there is no subscriber", function);
	}
}

void fake_callback(CUpti_CallbackDomain domain, CUpti_CallbackId id,
	const void *data)
{
	if (id >= IDS || !wanted[domain][id])
		return;
	pthread_mutex_lock(&lock);
	CUpti_CallbackFunc callback = holder.handle ? holder.callback : NULL;
	void *ctx = holder.ctx;
	pthread_mutex_unlock(&lock);
	if (!callback)
		return;
	in_callback++;
	callback(ctx, domain, id, data);
	in_callback--;
}

void fake_fatal(void)
{
	if (atomic_exchange(&fatal, true))
		return;
	CUpti_StateData data = {
		.notification = { CUPTI_ERROR_UNKNOWN,
			"the profiler has met a fatal error" }
	};
	fake_callback(CUPTI_CB_DOMAIN_STATE, CUPTI_CBID_STATE_FATAL_ERROR,
		&data);
}

void fake_cupti_hold(int on)
{
	occupied = on != 0;
}

static _Atomic(fake_cuda_node_fn *) node_fn;

uint64_t fake_node_id(CUgraphNode node)
{
	fake_cuda_node_fn *f = node_fn;
	return f ? f(node) : 0;
}

/* 0 if there is a driver that this libcupti can use. */
static CUptiResult attach(void)
{
	int64_t version = faults()->version;
	int64_t major = version >= 130000 ? 13 : version >= 19 ? 12 : 11;
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	fake_cuda_attach_fn *to = NULL;

	if (driver) {
		*(void **)&to = dlsym(driver, "fake_cuda_attach");
		node_fn = (fake_cuda_node_fn *)dlsym(driver, "fake_cuda_node");
	}
	if (!to || faults()->init)
		return version >= 130000 ? CUPTI_ERROR_UNKNOWN
					 : CUPTI_ERROR_NOT_INITIALIZED;
	if (major > faults()->driver / 1000)
		return CUPTI_ERROR_UNKNOWN;
	to(&fake_events);
	return CUPTI_SUCCESS;
}

static CUptiResult refused(CUpti_SubscriberParams *params)
{
	const char *by = occupied ? faults()->holder : NULL;
	CUptiResult r = occupied
				? CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
				: (CUptiResult)faults()->subscribe;

	if (!occupied && r && faults()->subscribe_times >= 0 &&
		++refusals > faults()->subscribe_times)
		r = CUPTI_SUCCESS;
	if (!r && fatal)
		r = CUPTI_ERROR_UNKNOWN;
	if (!r && subscribed) {
		r = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
		by = holder.name;
	}
	if (r == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED && params &&
		params->oldSubscriberName)
		snprintf(params->oldSubscriberName, params->oldSubscriberSize,
			"%s", by ? by : faults()->holder);
	return r ? r : attach();
}

static CUptiResult subscribe(CUpti_SubscriberHandle *handle,
	CUpti_CallbackFunc callback, void *ctx, CUpti_SubscriberParams *params)
{
	if (!handle || !callback)
		return CUPTI_ERROR_INVALID_PARAMETER;
	CUptiResult r = refused(params);
	if (r) {
		ledger_add(LEDGER_refused, 1);
		return r;
	}
	pthread_mutex_lock(&lock);
	holder.handle = (CUpti_SubscriberHandle)(handles += 16);
	holder.callback = callback;
	holder.ctx = ctx;
	snprintf(holder.name, sizeof(holder.name), "%s",
		params && params->subscriberName ? params->subscriberName : "");
	*handle = holder.handle;
	pthread_mutex_unlock(&lock);
	subscribed = true;
	ledger_add(LEDGER_sessions, 1);
	fake_worker_start();
	return CUPTI_SUCCESS;
}

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *handle,
	CUpti_CallbackFunc callback, void *ctx)
{
	fake_enter("cuptiSubscribe", MAY_FREE);
	return subscribe(handle, callback, ctx, NULL);
}

CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle *handle,
	CUpti_CallbackFunc callback, void *ctx, CUpti_SubscriberParams *params)
{
	fake_enter("cuptiSubscribe_v2", MAY_FREE);
	if (params &&
		(params->structSize < sizeof(*params) ||
			(params->subscriberName &&
				strlen(params->subscriberName) >
					CUPTI_SUBSCRIBER_NAME_MAX_LEN) ||
			(params->oldSubscriberName &&
				params->oldSubscriberSize <
					CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN)))
		return CUPTI_ERROR_INVALID_PARAMETER;
	return subscribe(handle, callback, ctx, params);
}

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle handle)
{
	fake_enter("cuptiUnsubscribe", MAY_SUBSCRIBED);
	if (handle != holder.handle)
		fake_die("cuptiUnsubscribe with another subscriber's handle");
	if (fake_any_enabled() && !fatal)
		fake_die("cuptiUnsubscribe while something is enabled");
	size_t left = fake_undelivered();
	if (left && !fake_stolen() && !fatal)
		fake_die("cuptiUnsubscribe while %zu records are in buffers",
			left);
	if (ledger_get(LEDGER_outstanding) && !fake_stolen() && !fatal)
		fake_die("cuptiUnsubscribe while buffers are not given back");
	fake_check_restored();
	for (int d = 0; d < CUPTI_CB_DOMAIN_SIZE; d++)
		for (int i = 0; i < IDS; i++)
			wanted[d][i] = false;
	subscribed = false;
	pthread_mutex_lock(&lock);
	holder.handle = NULL;
	pthread_mutex_unlock(&lock);
	return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableCallback(uint32_t on, CUpti_SubscriberHandle handle,
	CUpti_CallbackDomain domain, CUpti_CallbackId id)
{
	fake_enter("cuptiEnableCallback", MAY_SUBSCRIBED);
	if (handle != holder.handle)
		fake_die(
			"cuptiEnableCallback with another subscriber's handle");
	if (domain <= 0 || domain >= CUPTI_CB_DOMAIN_SIZE || id >= IDS)
		return CUPTI_ERROR_INVALID_PARAMETER;
	wanted[domain][id] = on != 0;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableDomain(uint32_t on, CUpti_SubscriberHandle handle,
	CUpti_CallbackDomain domain)
{
	(void)on;
	(void)handle;
	if (domain == CUPTI_CB_DOMAIN_DRIVER_API ||
		domain == CUPTI_CB_DOMAIN_RUNTIME_API)
		fake_die("a whole domain of callbacks slows every call down");
	for (CUpti_CallbackId i = 0; i < IDS; i++)
		cuptiEnableCallback(on, handle, domain, i);
	return CUPTI_SUCCESS;
}
