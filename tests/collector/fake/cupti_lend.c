/* cupti_lend.c - requests buffers from the client, checks them, and returns
 * them. */
#include "fake_cupti.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MOST = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint8_t *owned[MOST]; /* buffers that the client lent */
static int owns;
static _Atomic uint64_t serials;
static _Atomic CUpti_BuffersCallbackRequestFunc request_fn;
static _Atomic CUpti_BuffersCallbackCompleteFunc complete_fn;
static atomic_bool stolen;

bool fake_stolen(void)
{
	return stolen;
}

bool fake_registered(void)
{
	return request_fn;
}

uint64_t fake_serial(void)
{
	return serials;
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc
						   request,
	CUpti_BuffersCallbackCompleteFunc complete)
{
	fake_enter("cuptiActivityRegisterCallbacks", MAY_SUBSCRIBED);
	if (!request || !complete)
		return CUPTI_ERROR_INVALID_PARAMETER;
	request_fn = request;
	complete_fn = complete;
	stolen = false;
	return CUPTI_SUCCESS;
}

/* The registration of the other client outlives it. */
void fake_cupti_steal(int on)
{
	stolen = true;
	if (on)
		return;
	fake_disable_all();
	fake_deliver_all(true);
}

static void check_lent(const struct fake_buffer *b)
{
	uintptr_t page = (uintptr_t)b->bytes & ~(uintptr_t)4095;

	if ((uintptr_t)b->bytes % 8)
		fake_die("a buffer is at an address that is no multiple of 8");
	if (msync((void *)page, (uintptr_t)b->bytes + b->size - page, MS_ASYNC))
		fake_die("a buffer is no memory");
	pthread_mutex_lock(&lock);
	for (int i = 0; i < owns; i++)
		if (owned[i] == b->bytes)
			fake_die("a buffer was lent twice");
	if (owns == MOST)
		fake_die("more than %d buffers", MOST);
	owned[owns++] = b->bytes;
	pthread_mutex_unlock(&lock);
	ledger_add(LEDGER_outstanding, 1);
}

static void clean(struct fake_buffer *b)
{
	if (!fake_zeroed()) {
		memset(b->bytes, 0, b->size);
		return;
	}
	for (size_t i = 0; i + 8 <= b->size; i += 8)
		if (*(const uint64_t *)(b->bytes + i))
			fake_die("a buffer is not zero at %zu, as was promised",
				i);
}

static void request_own(struct fake_buffer *b)
{
	b->size = 64 << 10;
	b->bytes = calloc(1, b->size);
	b->theirs = true;
}

void fake_request(struct fake_buffer *b)
{
	CUpti_BuffersCallbackRequestFunc ask = request_fn;

	*b = (struct fake_buffer){ .serial = ++serials };
	if (stolen) {
		request_own(b);
	} else {
		if (!ask)
			fake_die("no callback for buffers is registered");
		ledger_add(LEDGER_requested, 1);
		fake_in_buffer(1);
		ask(&b->bytes, &b->size, &b->most);
		fake_in_buffer(-1);
		if (!b->bytes) {
			ledger_add(LEDGER_none, 1);
			if (faults()->version < 27)
				fake_die("a NULL buffer crashes version %d",
					(int)faults()->version);
			return;
		}
		clean(b);
	}
	check_lent(b);
}

void fake_disown(uint8_t *bytes)
{
	pthread_mutex_lock(&lock);
	for (int i = 0; i < owns; i++)
		if (owned[i] == bytes) {
			owned[i] = owned[--owns];
			pthread_mutex_unlock(&lock);
			return;
		}
	fake_die("a buffer has no owner");
}

/* To the registered client, even if another tool owns the memory. */
void fake_return(struct fake_buffer *b, size_t valid)
{
	CUpti_BuffersCallbackCompleteFunc complete = complete_fn;

	ledger_add(LEDGER_outstanding, -1);
	if (stolen) {
		ledger_add(LEDGER_stolen, (int64_t)b->records);
		if (b->theirs)
			free(b->bytes);
		return;
	}
	ledger_add(LEDGER_given, 1);
	fake_in_buffer(1);
	complete(NULL, 0, b->bytes, b->size, valid);
	fake_in_buffer(-1);
}
