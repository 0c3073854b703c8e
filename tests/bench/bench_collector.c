/* bench_collector.c - measures the collector under many records, from CUPTI's
 * callback to the capture file.
 *
 *   bench_collector decode|eager RECORDS_PER_SECOND SECONDS FOLDER
 *
 * Two threads submit buffers of 1 MiB at the given rate. One thread reads
 * them, encodes the records and writes rows, as the collector's own thread
 * does. CPU time is the time in both callbacks and in the writing thread,
 * without the time that generates the records. At the end all capture files
 * are read and their rows are counted. Prints one line per value: NAME
 * VALUE. */
#include "clock.h"
#include "encode.h"
#include "measure.h"
#include "mix.h"
#include <cupti.h>
#include <dirent.h>
#include <fcntl.h>
#include <kernsift/kst_reader.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAKERS = 2, POOL = 32 << 20, BEAT_NS = 100000000 };
#define SECOND INT64_C(1000000000)

static struct bench {
	struct layout layout;
	struct kernel_names *names;
	struct intake *intake;
	struct encode *encode;
	struct capture_writer *writer;
	struct encoded encoded;
	int64_t records_per_s, seconds, reader_cpu_ns;
	_Atomic bool over;
	bool eager;
} bench;

struct maker {
	struct mix mix;
	struct mix_count n;
	int64_t cpu_ns; /* of the callbacks */
};

static const char *call_name(void *ctx, bool driver, uint32_t cbid)
{
	(void)ctx, (void)driver, (void)cbid;
	return "cudaLaunchKernel_v7000";
}

/* Submits one buffer; returns the number of its records. */
static int64_t hand_over(struct maker *m)
{
	size_t size, most;
	uint8_t *buffer;
	struct mix_count before = m->n;
	int64_t from = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
	intake_request(bench.intake, &buffer, &size, &most);
	m->cpu_ns += clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - from;
	size_t valid = mix_fill(&m->mix, buffer, size, &m->n);
	from = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
	intake_complete(bench.intake, buffer, valid);
	m->cpu_ns += clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - from;
	return m->n.kernels - before.kernels + m->n.calls - before.calls;
}

static void *make(void *arg)
{
	struct maker *m = arg;
	int64_t start = clock_read_ns(CLOCK_MONOTONIC), made = 0;
	int64_t rate = bench.records_per_s / MAKERS;
	while (made < rate * bench.seconds) {
		made += hand_over(m);
		int64_t due = start + made * SECOND / rate;
		struct timespec t = { due / SECOND, due % SECOND };
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
	}
	return NULL;
}

static void drain(void)
{
	struct intake_buffer b;
	while (intake_next(bench.intake, &b)) {
		encode_buffer(bench.encode, &b, bench.writer, &bench.encoded);
		intake_done(bench.intake, &b);
	}
}

static void *write_all(void *arg)
{
	(void)arg;
	int64_t beat = 0;
	while (!bench.over) {
		intake_wait(bench.intake, BEAT_NS);
		drain();
		int64_t now = clock_real_ns();
		if (now - beat < BEAT_NS)
			continue;
		beat = now;
		capture_writer_beat(bench.writer, now, false);
	}
	drain();
	capture_writer_beat(bench.writer, clock_real_ns(), true);
	bench.reader_cpu_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

static int64_t status_kib(const char *what)
{
	char line[128];
	int64_t kib = -1;
	FILE *f = fopen("/proc/self/status", "r");
	while (f && fgets(line, sizeof line, f))
		if (!strncmp(line, what, strlen(what)))
			kib = atoll(line + strlen(what));
	if (f)
		fclose(f);
	return kib;
}

struct written {
	int64_t kernels, calls, bytes, files;
	bool whole;
};

static int64_t pull(void *ctx, void *to, size_t cap)
{
	return read(*(int *)ctx, to, cap);
}

static void read_back(const char *path, struct written *w)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct kst_reader *r = kst_reader_new(pull, &fd, NULL);
	struct kst_chunk c;
	while (r && kst_reader_next(r, &c) == KST_CHUNK) {
		w->kernels += c.kind == KST_kernel ? c.rows : 0;
		w->calls += c.kind == KST_call ? c.rows : 0;
	}
	const struct kst_damage *d = kst_reader_damage(r);
	w->whole &= !d->cut && !d->damaged && !d->missing && !d->lost;
	w->bytes += lseek(fd, 0, SEEK_END);
	w->files++;
	kst_reader_free(r);
	close(fd);
}

static struct written read_all_back(const char *folder)
{
	struct written w = { .whole = true };
	DIR *dir = opendir(folder);
	struct dirent *d;
	while (dir && (d = readdir(dir))) {
		char path[4096];
		size_t len = strlen(d->d_name);
		if (len < 4 || strcmp(d->d_name + len - 4, ".kst") != 0)
			continue;
		snprintf(path, sizeof path, "%s/%s", folder, d->d_name);
		read_back(path, &w);
	}
	if (dir)
		closedir(dir);
	return w;
}

static void tell(const char *name, double value)
{
	printf("%s %.2f\n", name, value);
}

static int report(const struct maker *makers, int64_t base_kib, double wall_s,
	const char *folder)
{
	struct mix_count n = { 0 };
	int64_t callbacks_ns = 0, peak_kib = status_kib("VmHWM:");
	struct intake_drops d = intake_dropped(bench.intake);
	for (int i = 0; i < MAKERS; i++) {
		n.kernels += makers[i].n.kernels;
		n.calls += makers[i].n.calls;
		callbacks_ns += makers[i].cpu_ns;
	}
	struct written w = read_all_back(folder);
	double records = (double)(n.kernels + n.calls);
	int64_t lost = n.kernels - w.kernels + n.calls - w.calls;
	tell("records", records);
	tell("records_per_s", records / wall_s);
	tell("lost", (double)lost);
	tell("lost_counted", (double)(d.pool + d.shed + d.unreadable +
				      capture_writer_dropped(bench.writer)));
	tell("whole", w.whole);
	tell("callback_ns_per_record", (double)callbacks_ns / records);
	tell("writer_ns_per_record", (double)bench.reader_cpu_ns / records);
	tell("cpu_ns_per_record",
		(double)(callbacks_ns + bench.reader_cpu_ns) / records);
	tell("bytes_per_kernel", (double)w.bytes / (double)n.kernels);
	tell("files", (double)w.files);
	tell("peak_mib", (double)(peak_kib - base_kib) / 1024);
	tell("buffers_mib",
		(double)intake_mapped_bytes(bench.intake) / (1 << 20));
	return lost == 0 && w.whole ? 0 : 1;
}

static const char *no_env(void *ctx, const char *name)
{
	return !strcmp(name, "KERNSIFT_TRACE_DIR") ? ctx : NULL;
}

static void complain(void *ctx, const char *sentence)
{
	(void)ctx;
	fprintf(stderr, "%s\n", sentence);
}

int main(int argc, char **argv)
{
	struct collector_options o;
	struct maker makers[MAKERS] = { 0 };
	pthread_t maker[MAKERS], writer;
	if (argc < 5)
		return 2;
	mix_prepare();
	int64_t base_kib = status_kib("VmRSS:");
	options_init(&o, no_env, complain, argv[4]);
	bench.eager = !strcmp(argv[1], "eager");
	bench.records_per_s = atoll(argv[2]);
	bench.seconds = atoll(argv[3]);
	bench.layout.version = 130001;
	bench.layout.size[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL] =
		MIX_KERNEL_BYTES;
	bench.layout.size[CUPTI_ACTIVITY_KIND_RUNTIME] = MIX_CALL_BYTES;
	bench.names = names_new();
	bench.intake = intake_new(&bench.layout, bench.names, POOL);
	bench.encode = encode_new(&bench.layout, bench.names, call_name, NULL);
	bench.writer = capture_writer_new(&o);
	int64_t from = clock_read_ns(CLOCK_MONOTONIC);
	pthread_create(&writer, NULL, write_all, NULL);
	for (int i = 0; i < MAKERS; i++) {
		makers[i].mix = (struct mix){ .eager = bench.eager,
			.stream = i ? 13 : 7,
			.thread = 5000 + (uint32_t)i,
			.at_ns = (uint64_t)clock_real_ns(),
			.host_ns = (uint64_t)clock_real_ns(),
			.correlation = (uint32_t)i * 100000000,
			.random = 1234567 + (uint64_t)i };
		pthread_create(&maker[i], NULL, make, &makers[i]);
	}
	for (int i = 0; i < MAKERS; i++)
		pthread_join(maker[i], NULL);
	double wall_s = (double)(clock_read_ns(CLOCK_MONOTONIC) - from) / 1e9;
	bench.over = true;
	intake_wake(bench.intake);
	pthread_join(writer, NULL);
	return report(makers, base_kib, wall_s, argv[4]);
}
