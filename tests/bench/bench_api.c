/* bench_api.c - many clients request a mix of routes as fast as the server
 * answers.
 *
 *   bench_api PORT SECONDS CONNECTIONS UPLOADS BYTES_PER_S FILE PATH...
 *
 * Each of CONNECTIONS clients keeps its connection and requests the PATHs in
 * turn. The clients start with different PATHs and send the next request when
 * the last one is answered. UPLOADS other clients send FILE again and again at
 * BYTES_PER_S. Prints for bench/api.py one line per path: PATH REQUESTS BUSY
 * FAILED P50_NS P99_NS MAX_NS; then `uploads`, and `all REQUESTS NS`. BUSY is
 * the number of answers with status 503, FAILED the number with any status
 * other than 503 and 200. */
#include "load.h"
#include "talk.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATHS = 32, CONNECTIONS = 256, SENDERS = 16, RAMP_NS = 1000000000 };

struct answered {
	int64_t ns;
	int path, status;
};

struct load_thread {
	int port, first, paths_n;
	char **paths;
	int64_t until_ns;
	struct answered *all; /* the caller frees it */
	size_t n, room;
	pthread_t thread;
};

static void *ask_on(void *ctx)
{
	struct load_thread *a = ctx;
	struct talk *t = malloc(sizeof *t);
	if (!t)
		abort();
	talk_init(t, a->port);
	for (int i = a->first; talk_now_ns() < a->until_ns; i++) {
		int path = i % a->paths_n;
		int64_t begun = talk_now_ns();
		int status = talk_get(t, a->paths[path]);
		if (a->n == a->room) {
			a->room = 2 * a->room + 1024;
			a->all = realloc(a->all, a->room * sizeof *a->all);
			if (!a->all)
				abort();
		}
		a->all[a->n++] = (struct answered){ talk_now_ns() - begun, path,
			status };
	}
	talk_release(t);
	free(t);
	return NULL;
}

static int by_size(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/* Collects the answers to a path on all connections; returns their number. */
static size_t tell(const struct load_thread *all, int connections, int path)
{
	size_t n = 0, room = 0;
	int busy = 0, failed = 0;
	for (int i = 0; i < connections; i++)
		room += all[i].n;
	int64_t *took = calloc(room + 1, sizeof *took);
	if (!took)
		abort();
	for (int i = 0; i < connections; i++)
		for (size_t k = 0; k < all[i].n; k++) {
			const struct answered *one = &all[i].all[k];
			if (one->path != path)
				continue;
			took[n++] = one->ns;
			busy += one->status == 503;
			failed += one->status != 503 && one->status != 200;
		}
	qsort(took, n, sizeof *took, by_size);
	/* the smallest value that at least 50 or 99 of 100 do not exceed */
	printf("%s %zu %d %d %lld %lld %lld\n", all->paths[path], n, busy,
		failed, (long long)took[n ? (n + 1) / 2 - 1 : 0],
		(long long)took[n ? (n * 99 + 99) / 100 - 1 : 0],
		(long long)took[n ? n - 1 : 0]);
	free(took);
	return n;
}

static void ask_all(struct load_thread *all, int connections, double seconds)
{
	int64_t begun = talk_now_ns();
	size_t n = 0;
	for (int i = 0; i < connections; i++) {
		all[i].until_ns = begun + (int64_t)(seconds * 1e9);
		if (pthread_create(&all[i].thread, NULL, ask_on, &all[i]))
			abort();
	}
	for (int i = 0; i < connections; i++)
		pthread_join(all[i].thread, NULL);
	int64_t took = talk_now_ns() - begun;
	for (int i = 0; i < all->paths_n; i++)
		n += tell(all, connections, i);
	printf("all %zu %lld\n", n, (long long)took);
	for (int i = 0; i < connections; i++)
		free(all[i].all);
}

static char *file_read(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rb");
	if (!f || fseek(f, 0, SEEK_END))
		return NULL;
	*len = (size_t)ftell(f);
	char *bytes = malloc(*len + 1);
	rewind(f);
	if (bytes && fread(bytes, 1, *len, f) != *len)
		return NULL;
	fclose(f);
	return bytes;
}

static void stop_senders(struct sending *s, int n, volatile bool *stop)
{
	int accepted = 0, refused = 0, broken = 0;
	*stop = true;
	for (int i = 0; i < n; i++) {
		sending_join(&s[i]);
		accepted += s[i].accepted;
		refused += s[i].refused;
		broken += s[i].broken;
	}
	printf("uploads %d %d %d\n", accepted, refused, broken);
}

int main(int argc, char **argv)
{
	struct load_thread all[CONNECTIONS] = { 0 };
	struct sending s[SENDERS] = { 0 };
	volatile bool stop = false;
	size_t len;
	int connections = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 0;
	int senders = argc > 4 ? (int)strtol(argv[4], NULL, 10) : 0;
	char *bytes = argc > 7 ? file_read(argv[6], &len) : NULL;
	if (!bytes || argc > 7 + PATHS || connections < 1 ||
		connections > CONNECTIONS || senders < 0 || senders > SENDERS) {
		fputs("usage: bench_api PORT SECONDS CONNECTIONS UPLOADS "
		      "BYTES_PER_S FILE PATH...\n",
			stderr);
		return 2;
	}
	int port = (int)strtol(argv[1], NULL, 10);
	for (int i = 0; i < connections; i++)
		all[i] = (struct load_thread){ .port = port,
			.first = i,
			.paths = argv + 7,
			.paths_n = argc - 7 };
	for (int i = 0; i < senders; i++) {
		s[i] = (struct sending){ .port = port,
			.number = i,
			.bytes = bytes,
			.len = len,
			.per_s = strtoll(argv[5], NULL, 10),
			.stop = &stop };
		sending_start(&s[i]);
	}
	talk_sleep_until_ns(talk_now_ns() + RAMP_NS);
	ask_all(all, connections, strtod(argv[2], NULL));
	stop_senders(s, senders, &stop);
	free(bytes);
	return 0;
}
