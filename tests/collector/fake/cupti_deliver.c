/* cupti_deliver.c - returns full buffers to the client. */
#include "fake_cupti.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

enum { MOST = 4096, GONE = 256 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct fake_buffer full[MOST];
static int fulls, delivering;
static struct {
	uint64_t serial;
	void (*release)(void *ctx);
	void *ctx;
} gone[GONE];
static int gones;

/* Records of unfinished work have no times. */
static void erase_times(struct fake_buffer *b, int64_t now)
{
	uint8_t *at = b->bytes;

	for (size_t i = 0; i < b->records; i++) {
		uint32_t kind = *(uint32_t *)at;
		bool replay = kind == CUPTI_ACTIVITY_KIND_GRAPH_TRACE;
		if (b->until_ns[i] > now)
			memset(at + (replay ? 8 : 16), 0, 16);
		at += fake_size(kind);
	}
}

static void hand_over(struct fake_buffer *b)
{
	static _Atomic int64_t cuts;
	size_t valid = b->at;

	erase_times(b, fake_now_ns());
	if (b->records && fault_every(&cuts, faults()->cut)) {
		valid = b->last + (b->at - b->last) / 2 / 8 * 8;
		ledger_add(LEDGER_cut, 1);
	}
	fake_return(b, valid);
	free(b->until_ns);
}

/* One full buffer, chosen at random; under the lock. */
static bool take_full(bool all, struct fake_buffer *b)
{
	int64_t now = fake_now_ns();
	int from = fulls ? (int)fake_dice((uint32_t)fulls) : 0;

	for (int n = 0; n < fulls; n++) {
		int i = (from + n) % fulls;
		if (!all && full[i].busy_ns > now)
			continue;
		*b = full[i];
		full[i] = full[--fulls];
		return true;
	}
	return false;
}

static void release_names(void)
{
	uint64_t oldest = UINT64_MAX;

	fake_lanes_records(&oldest);
	pthread_mutex_lock(&lock);
	for (int i = 0; i < fulls; i++)
		if (full[i].serial < oldest)
			oldest = full[i].serial;
	for (int i = 0; i < gones && !delivering;)
		if (gone[i].serial < oldest) {
			gone[i].release(gone[i].ctx);
			gone[i] = gone[--gones];
		} else {
			i++;
		}
	pthread_mutex_unlock(&lock);
}

void fake_names_gone(void (*release)(void *ctx), void *ctx)
{
	pthread_mutex_lock(&lock);
	if (gones == GONE)
		fake_die("more than %d modules are waiting", GONE);
	gone[gones].serial = fake_serial();
	gone[gones].release = release;
	gone[gones++].ctx = ctx;
	pthread_mutex_unlock(&lock);
	release_names();
}

static void deliver(struct fake_buffer *b)
{
	hand_over(b);
	pthread_mutex_lock(&lock);
	delivering--;
	pthread_cond_broadcast(&changed);
	bool any = gones > 0;
	pthread_mutex_unlock(&lock);
	if (any)
		release_names();
}

static bool take(bool lanes, bool all, struct fake_buffer *b)
{
	/* Counted first, so that a buffer on its way is not taken for delivered. */
	pthread_mutex_lock(&lock);
	delivering++;
	bool got = take_full(all, b);
	pthread_mutex_unlock(&lock);
	if (!got && lanes)
		got = fake_lanes_take(all, b);
	pthread_mutex_lock(&lock);
	if (got)
		fake_disown(b->bytes);
	else
		delivering--;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	return got;
}

void fake_full(const struct fake_buffer *b)
{
	pthread_mutex_lock(&lock);
	if (fulls == MOST)
		fake_die("more than %d full buffers", MOST);
	full[fulls++] = *b;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

void fake_deliver_here(void)
{
	struct fake_buffer b;
	int64_t how = faults()->deliver;

	if (how == 1 || (how == 2 && fake_dice(2)))
		while (take(false, false, &b))
			deliver(&b);
}

void fake_deliver_all(bool all)
{
	struct fake_buffer b;

	while (take(true, all, &b))
		deliver(&b);
	pthread_mutex_lock(&lock);
	while (all && delivering)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

size_t fake_undelivered(void)
{
	uint64_t oldest = UINT64_MAX;
	size_t sum = fake_lanes_records(&oldest);

	pthread_mutex_lock(&lock);
	for (int i = 0; i < fulls; i++)
		sum += full[i].records;
	pthread_mutex_unlock(&lock);
	return sum;
}

static void *work(void *unused)
{
	struct fake_buffer b;

	prctl(PR_SET_NAME, "fake-cupti");
	for (;;) {
		while (take(false, false, &b))
			deliver(&b);
		struct timespec until;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 1000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_mutex_lock(&lock);
		if (fulls)
			pthread_cond_timedwait(&changed, &lock, &until);
		else
			pthread_cond_wait(&changed, &lock);
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

void fake_worker_start(void)
{
	static atomic_flag started = ATOMIC_FLAG_INIT;
	sigset_t all, before;
	pthread_t thread;

	if (faults()->deliver == 1 || atomic_flag_test_and_set(&started))
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (pthread_create(&thread, NULL, work, NULL) == 0)
		pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}
