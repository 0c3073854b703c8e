/* bench_http.c - measures the latency of small requests, first without other
 * load and then during uploads.
 *
 *   bench_http PORT SECONDS RATE UPLOADS BYTES_PER_S FILE PATH...
 *
 * Requests each PATH at RATE per second, first without any other load. Then
 * UPLOADS connections send FILE again and again at the same time, each with at
 * most BYTES_PER_S (0: as fast as possible). Prints for bench/http.py one line
 * per path and phase: PATH PHASE REQUESTS FAILED P50_NS P99_NS MAX_NS. */
#include "load.h"
#include "talk.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { READERS = 4, PATHS = 4, SENDERS = 64, RAMP_NS = 2000000000 };

struct plan {
	int port, uploads, paths_n;
	double seconds, rate;
	char **paths;
};

static int by_size(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static void tell(const char *path, const char *phase, struct reading *r)
{
	int n = 0, failed = 0;
	for (int i = 0; i < READERS; i++)
		n += r[i].n;
	int64_t *all = calloc((size_t)n + 1, sizeof *all);
	n = 0;
	for (int i = 0; i < READERS; i++) {
		memcpy(all + n, r[i].latency_ns, (size_t)r[i].n * sizeof *all);
		n += r[i].n;
		failed += r[i].failed;
		free(r[i].latency_ns);
	}
	qsort(all, (size_t)n, sizeof *all, by_size);
	/* the smallest value that at least 50 or 99 of 100 do not exceed */
	printf("%s %s %d %d %lld %lld %lld\n", path, phase, n, failed,
		(long long)all[(n + 1) / 2 - 1],
		(long long)all[(n * 99 + 99) / 100 - 1], (long long)all[n - 1]);
	free(all);
}

/* All paths at once, each by several readers whose requests interleave. */
static void read_all(const struct plan *p, const char *phase)
{
	struct reading all[PATHS][READERS] = { 0 };
	int64_t from = talk_now_ns() + 200000000;
	bool real_time = true;
	for (int i = 0; i < p->paths_n * READERS; i++) {
		struct reading *r = &all[i / READERS][i % READERS];
		*r = (struct reading){ .port = p->port,
			.path = p->paths[i / READERS],
			.per_s = p->rate / READERS };
		r->from_ns = from + (int64_t)(1e9 / p->rate * i / p->paths_n);
		r->until_ns = r->from_ns + (int64_t)(p->seconds * 1e9);
		reading_start(r);
	}
	for (int i = 0; i < p->paths_n * READERS; i++) {
		struct reading *r = &all[i / READERS][i % READERS];
		reading_join(r);
		real_time = real_time && r->real_time;
	}
	for (int i = 0; i < p->paths_n; i++)
		tell(p->paths[i], phase, all[i]);
	printf("real_time %d\n", real_time);
}

static void read_among_uploads(const struct plan *p, struct sending *s,
	volatile bool *stop)
{
	int64_t begun = talk_now_ns();
	for (int i = 0; i < p->uploads; i++)
		sending_start(&s[i]);
	talk_sleep_until_ns(begun + RAMP_NS);
	read_all(p, "loaded");
	*stop = true;
	int accepted = 0, refused = 0, broken = 0;
	int64_t bytes = 0;
	for (int i = 0; i < p->uploads; i++) {
		sending_join(&s[i]);
		accepted += s[i].accepted;
		refused += s[i].refused;
		broken += s[i].broken;
		bytes += s[i].sent_bytes;
	}
	printf("uploads %d %d %d %lld %lld\n", accepted, refused, broken,
		(long long)bytes, (long long)(talk_now_ns() - begun));
}

int main(int argc, char **argv)
{
	if (argc < 8 || argc > 7 + PATHS) {
		fputs("usage: bench_http PORT SECONDS RATE UPLOADS BYTES_PER_S "
		      "FILE PATH...\n",
			stderr);
		return 2;
	}
	struct plan p = { .port = (int)strtol(argv[1], NULL, 10),
		.seconds = strtod(argv[2], NULL),
		.rate = strtod(argv[3], NULL),
		.uploads = (int)strtol(argv[4], NULL, 10),
		.paths = argv + 7,
		.paths_n = argc - 7 };
	FILE *f = fopen(argv[6], "rb");
	if (!f || p.uploads > SENDERS || fseek(f, 0, SEEK_END))
		return 2;
	size_t len = (size_t)ftell(f);
	char *bytes = malloc(len + 1);
	rewind(f);
	if (!bytes || fread(bytes, 1, len, f) != len)
		return 2;
	fclose(f);
	volatile bool stop = false;
	struct sending s[SENDERS] = { 0 };
	for (int i = 0; i < p.uploads; i++)
		s[i] = (struct sending){ .port = p.port,
			.number = i,
			.bytes = bytes,
			.len = len,
			.per_s = strtoll(argv[5], NULL, 10),
			.stop = &stop };
	read_all(&p, "idle");
	if (p.uploads)
		read_among_uploads(&p, s, &stop);
	free(bytes);
	return 0;
}
