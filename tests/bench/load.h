/* load.h - readers that ask at a fixed rate, and senders that never stop.
 *
 * A reader's request has a time at which it was due; its latency counts from
 * there, also where an earlier answer was still awaited (no coordinated
 * omission). Readers stand for clients on other machines: where they may, they
 * run at real-time priority, so that waiting for this machine's scheduler on
 * the client's side is not counted as the server's. */
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
	int n, failed; /* failed: any status but 200 */
	bool real_time;
	pthread_t thread;
};

void reading_start(struct reading *r);
void reading_join(struct reading *r);

struct sending {
	int port, number; /* the number makes its uploads unlike others' */
	const void *bytes;
	size_t len;
	int64_t per_s; /* bytes a second; 0 as fast as it goes */
	const volatile bool *stop;

	int accepted, refused, broken;
	int64_t sent_bytes; /* of those accepted */
	pthread_t thread;
};

void sending_start(struct sending *s);
void sending_join(struct sending *s);
