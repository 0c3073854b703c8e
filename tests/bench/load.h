/* load.h - readers that send requests at a fixed rate, and senders that send
 * without a pause.
 *
 * Each request of a reader is due at a given time. Its latency counts from
 * that time, even if the reader was still waiting for an earlier answer (no
 * coordinated omission). Readers represent clients on other machines. If
 * permitted, they run at real-time priority, so that the time in which a
 * client waits for the scheduler of this machine does not count as the
 * server's time. */
#pragma once
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct reading {
	int port;
	const char *path;
	double per_s; /* requests of this reader */
	int64_t from_ns, until_ns;

	int64_t *latency_ns; /* as many as were due; free() it */
	int n, failed; /* failed: every status except 200 */
	bool real_time;
	pthread_t thread;
};

void reading_start(struct reading *r);
void reading_join(struct reading *r);

struct sending {
	int port, number; /* the number makes its uploads unique */
	const void *bytes;
	size_t len;
	int64_t per_s; /* bytes per second; 0: as fast as possible */
	const volatile bool *stop;

	int accepted, refused, broken;
	int64_t sent_bytes; /* of those accepted */
	pthread_t thread;
};

void sending_start(struct sending *s);
void sending_join(struct sending *s);
