/* cupti_lanes.c - the buffers that the fake libcupti is filling.
 *
 * There is one lane per thread, or one for all threads. A lane is locked
 * before libcupti checks whether a kind is enabled, and unlocked after the
 * record is in the buffer. So exactly the records of enabled kinds are
 * counted. */
#include "fake_cupti.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct fake_lane {
	pthread_mutex_t lock;
	struct fake_lane *next;
	bool taken; /* by a living thread; under lanes_lock */
	struct fake_buffer buffer; /* bytes NULL: none */
};

static pthread_mutex_t lanes_lock = PTHREAD_MUTEX_INITIALIZER;
static struct fake_lane common = { .lock = PTHREAD_MUTEX_INITIALIZER };
static struct fake_lane *lanes = &common;
static pthread_key_t key;
static _Atomic int64_t records;

/* A thread ended: the next thread takes its lane. */
static void leave(void *lane)
{
	pthread_mutex_lock(&lanes_lock);
	((struct fake_lane *)lane)->taken = false;
	pthread_mutex_unlock(&lanes_lock);
}

__attribute__((constructor)) static void make_key(void)
{
	pthread_key_create(&key, leave);
}

static struct fake_lane *own_lane(void)
{
	struct fake_lane *l = pthread_getspecific(key);

	if (l)
		return l;
	pthread_mutex_lock(&lanes_lock);
	for (l = lanes; l != &common && l->taken;)
		l = l->next;
	if (l == &common) {
		l = calloc(1, sizeof(*l));
		pthread_mutex_init(&l->lock, NULL);
		l->next = lanes;
		lanes = l;
	}
	l->taken = true;
	pthread_mutex_unlock(&lanes_lock);
	pthread_setspecific(key, l);
	return l;
}

struct fake_lane *fake_lane_lock(void)
{
	struct fake_lane *l = fake_per_thread() ? own_lane() : &common;

	pthread_mutex_lock(&l->lock);
	return l;
}

void fake_lane_unlock(struct fake_lane *l)
{
	pthread_mutex_unlock(&l->lock);
}

static bool fits(const struct fake_buffer *b, size_t size)
{
	size_t most = b->most;

	if (faults()->fill && (!most || most > (size_t)faults()->fill))
		most = (size_t)faults()->fill;
	return size <= b->size - b->at && (!most || b->records < most);
}

void *fake_lane_put(struct fake_lane *l, uint32_t kind, int64_t until_ns)
{
	struct fake_buffer *b = &l->buffer;
	size_t size = fake_size(kind);

	if (fault_every(&records, faults()->lose)) {
		ledger_add(LEDGER_lost, 1);
		return NULL;
	}
	if (b->bytes && !fits(b, size)) {
		fake_full(b);
		*b = (struct fake_buffer){ 0 };
	}
	if (!b->bytes)
		fake_request(b);
	if (!b->bytes) {
		ledger_add(LEDGER_lost, 1);
		return NULL;
	}
	if (!fits(b, size))
		fake_die("a buffer of %zu bytes holds no record", b->size);
	if (b->records % 64 == 0)
		b->until_ns = realloc(b->until_ns,
			(b->records + 64) * sizeof(*b->until_ns));
	b->until_ns[b->records++] = until_ns;
	if (b->busy_ns < until_ns)
		b->busy_ns = until_ns;
	b->last = b->at;
	b->at += size;
	return b->bytes + b->last;
}

void fake_lanes_barrier(void)
{
	pthread_mutex_lock(&lanes_lock);
	for (struct fake_lane *l = lanes; l; l = l->next) {
		pthread_mutex_lock(&l->lock);
		pthread_mutex_unlock(&l->lock);
	}
	pthread_mutex_unlock(&lanes_lock);
}

bool fake_lanes_take(bool all, struct fake_buffer *b)
{
	int64_t now = fake_now_ns();
	bool found = false;

	pthread_mutex_lock(&lanes_lock);
	for (struct fake_lane *l = lanes; l && !found; l = l->next) {
		pthread_mutex_lock(&l->lock);
		found = l->buffer.bytes && (all || l->buffer.records) &&
			(all || l->buffer.busy_ns <= now);
		if (found) {
			*b = l->buffer;
			l->buffer = (struct fake_buffer){ 0 };
		}
		pthread_mutex_unlock(&l->lock);
	}
	pthread_mutex_unlock(&lanes_lock);
	return found;
}

size_t fake_lanes_records(uint64_t *oldest)
{
	size_t sum = 0;

	pthread_mutex_lock(&lanes_lock);
	for (struct fake_lane *l = lanes; l; l = l->next) {
		pthread_mutex_lock(&l->lock);
		sum += l->buffer.records;
		if (l->buffer.records && l->buffer.serial < *oldest)
			*oldest = l->buffer.serial;
		pthread_mutex_unlock(&l->lock);
	}
	pthread_mutex_unlock(&lanes_lock);
	return sum;
}
