/* host.c - what the process and its host do, from files kept open. */
#include "host.h"
#include "figures.h"
#include <fcntl.h>
#include <stdio.h>
#include <sys/statvfs.h>
#include <unistd.h>

static int file(const char *proc, const char *name)
{
	char path[256];
	int len = snprintf(path, sizeof path, "%s/%s", proc, name);
	if (len < 0 || (size_t)len >= sizeof path)
		return -1;
	return open(path, O_RDONLY | O_CLOEXEC);
}

void host_init(struct host *h, const char *proc, const char *sys,
	struct samples *to)
{
	*h = (struct host){ .to = to };
	h->self_stat = file(proc, "self/stat");
	h->stat = file(proc, "stat");
	h->diskstats = file(proc, "diskstats");
	h->self_io = file(proc, "self/io");
	h->cpuinfo = file(proc, "cpuinfo");
	tasks_init(&h->tasks, proc);
	host_cpu_init(h, sys);
}

void host_release(struct host *h)
{
	const int fds[] = { h->self_stat, h->stat, h->diskstats, h->self_io,
		h->cpuinfo };
	for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	tasks_release(&h->tasks);
	host_cpu_release(h);
}

bool host_read(struct host *h, int fd)
{
	size_t len = 0;
	while (fd >= 0 && len < sizeof h->text - 1) {
		ssize_t got = pread(fd, h->text + len, sizeof h->text - 1 - len,
			(off_t)len);
		if (got <= 0)
			break;
		len += (size_t)got;
	}
	h->text[len] = '\0';
	return len > 0;
}

void host_put(struct host *h, enum counter c, double value)
{
	samples_put(h->to,
		&(struct sample){ samples_now(h->to).real_ns, value, -1, c });
}

/* The name, in parentheses, may hold anything; user and system time are the
 * 12th and 13th word behind it, in ticks. */
static void process_cpu(struct host *h)
{
	uint64_t user, system;
	double per_s;
	if (!host_read(h, h->self_stat))
		return;
	int64_t at_ns = samples_now(h->to).steady_ns;
	const char *p = strrchr(h->text, ')');
	if (figure(figure(figure_skip(p ? p + 1 : NULL, 11), &user), &system) &&
		rate_next(&h->process, user + system, at_ns, &per_s))
		host_put(h, COUNTER_process_cpu_usage,
			100 * per_s / (double)sysconf(_SC_CLK_TCK));
}

/* user nice system idle iowait irq softirq steal; guests are in user. */
static void host_usage(struct host *h)
{
	uint64_t part[8] = { 0 }, all = 0;
	const char *p = host_read(h, h->stat) ? figure_skip(h->text, 1) : NULL;
	for (int i = 0; i < 8; i++) {
		p = figure(p, &part[i]);
		all += part[i];
	}
	uint64_t idle = part[3] + part[4];
	if (!p)
		return;
	if (h->all && all > h->all && idle >= h->idle) {
		double share =
			(double)(idle - h->idle) / (double)(all - h->all);
		host_put(h, COUNTER_host_cpu_usage,
			share > 1 ? 0 : 100 * (1 - share));
	}
	h->all = all;
	h->idle = idle;
}

static struct host_disk *disk_of(struct host *h, uint64_t major, uint64_t minor)
{
	for (int i = 0; i < h->disks; i++)
		if (h->disk[i].major == major && h->disk[i].minor == minor)
			return &h->disk[i];
	if (h->disks == HOST_DISKS)
		return NULL;
	struct host_disk *d = &h->disk[h->disks++];
	*d = (struct host_disk){ (uint32_t)major, (uint32_t)minor, { 0 } };
	return d;
}

/* Memory that looks like a disk, and files that do. */
static bool no_disk(const char *name)
{
	static const char *const words[] = { "loop", "ram", "zram" };
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strncmp(name, words[i], strlen(words[i])))
			return true;
	return false;
}

/* "8 0 sda" and numbers, of which the 10th counts milliseconds. */
static void disks(struct host *h)
{
	double most = -1, per_s;
	if (!host_read(h, h->diskstats))
		return;
	int64_t at_ns = samples_now(h->to).steady_ns;
	for (const char *line = h->text; line; line = figure_line(line)) {
		uint64_t major, minor, busy_ms;
		const char *p = figure(figure(line, &major), &minor);
		if (!p || no_disk(p + strspn(p, " ")) ||
			!figure(figure_skip(p, 10), &busy_ms))
			continue;
		struct host_disk *d = disk_of(h, major, minor);
		if (d && rate_next(&d->busy, busy_ms, at_ns, &per_s) &&
			per_s > most)
			most = per_s;
	}
	if (most >= 0)
		host_put(h, COUNTER_disk_busy, most > 1000 ? 100 : most / 10);
}

static void rate_put(struct host *h, const char *word, struct rate *r,
	int64_t at_ns, enum counter c)
{
	const char *p = strstr(h->text, word);
	uint64_t bytes;
	double per_s;
	if (figure(p ? p + strlen(word) : NULL, &bytes) &&
		rate_next(r, bytes, at_ns, &per_s))
		host_put(h, c, per_s);
}

static void process_disk(struct host *h)
{
	if (!host_read(h, h->self_io))
		return;
	int64_t at_ns = samples_now(h->to).steady_ns;
	rate_put(h, "\nread_bytes:", &h->read, at_ns,
		COUNTER_process_disk_read);
	rate_put(h, "\nwrite_bytes:", &h->write, at_ns,
		COUNTER_process_disk_write);
}

/* As df reckons: what only the superuser may still fill counts for neither. */
static void root_usage(struct host *h)
{
	struct statvfs v;
	if (statvfs("/", &v) || v.f_blocks - v.f_bfree + v.f_bavail == 0)
		return;
	double used = (double)(v.f_blocks - v.f_bfree);
	host_put(h, COUNTER_disk_usage,
		100 * used / (used + (double)v.f_bavail));
}

static void totals(struct host *h)
{
	if (!tasks_read(&h->tasks))
		return;
	host_put(h, COUNTER_oncpu, (double)h->tasks.ran_ns);
	host_put(h, COUNTER_runq, (double)h->tasks.waited_ns);
}

void host_round(struct host *h, enum host_edge edge)
{
	int64_t now_ns = samples_now(h->to).steady_ns;
	if (edge == HOST_BEGIN) {
		h->process.known = h->read.known = h->write.known = false;
		h->all = 0;
		h->disks = 0;
		h->slow_due_ns = 0;
	}
	bool slow = cadence_second(&h->slow_due_ns, now_ns);
	if (slow || edge == HOST_END)
		totals(h);
	if (edge == HOST_END)
		return;
	process_cpu(h);
	host_usage(h);
	disks(h);
	process_disk(h);
	if (slow) {
		root_usage(h);
		host_cpu_round(h);
	}
}
