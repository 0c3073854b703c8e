/* host.c - counters of the host: CPU, memory, disks, network, control group. */
#include "host.h"
#include "figures.h"
#include "samples.h"
#include "tasks.h"
#include <ctype.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/statvfs.h>
#include <unistd.h>

static void host_put(struct host *h, enum counter c, double value);

/* Reads a file from its beginning into h->text, which ends in NUL. False if
 * the file is closed, deleted or empty. */
static bool host_read(struct host *h, int fd)
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

/* The text after "word : " in the first line that begins with the word. */
static void host_model(struct host *h)
{
	static const char word[] = "model name";
	for (const char *line = h->text; line; line = figure_line(line)) {
		if (strncmp(line, word, sizeof word - 1))
			continue;
		const char *p = line + sizeof word - 1;
		p += strspn(p, " \t:");
		size_t len = strcspn(p, "\n");
		if (len > sizeof h->model - 1)
			len = sizeof h->model - 1;
		memcpy(h->model, p, len);
		h->model[len] = '\0';
		return;
	}
}

/* Opens the files of a few CPUs, evenly chosen among those that the process
 * may use. */
static void host_open_frequencies(struct host *h, const char *sys)
{
	cpu_set_t may;
	int n = 0, at = 0;
	if (sched_getaffinity(getpid(), sizeof may, &may))
		return;
	n = CPU_COUNT(&may);
	for (size_t cpu = 0; cpu < CPU_SETSIZE && h->cpus < HOST_CPUS; cpu++) {
		char path[256];
		if (!CPU_ISSET(cpu, &may))
			continue;
		if (at++ * HOST_CPUS / n < h->cpus && n > HOST_CPUS)
			continue;
		snprintf(path, sizeof path,
			"%s/devices/system/cpu/cpu%zu/cpufreq/scaling_cur_freq",
			sys, cpu);
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return;
		h->cpu[h->cpus++] = fd;
	}
}

static void host_cpu_init(struct host *h, const char *sys)
{
	if (host_read(h, h->cpuinfo))
		host_model(h);
	host_open_frequencies(h, sys);
}

static void host_cpu_release(struct host *h)
{
	for (int i = 0; i < h->cpus; i++)
		close(h->cpu[i]);
	h->cpus = 0;
}

/* Reads "2596.132". strtod() would use the decimal point of the host's
 * locale. */
static bool host_megahertz(const char *p, double *mhz)
{
	uint64_t whole;
	double part = 1;
	if (!(p = figure(p, &whole)))
		return false;
	*mhz = (double)whole;
	for (p += *p == '.'; isdigit((unsigned char)*p); p++)
		*mhz += (part /= 10) * (*p - '0');
	return true;
}

/* The sum of the "cpu MHz" lines in the text. */
static double host_cpuinfo_mhz(struct host *h, int *n)
{
	double sum = 0, mhz;
	if (!host_read(h, h->cpuinfo))
		return 0;
	for (const char *line = h->text; line; line = figure_line(line)) {
		if (strncmp(line, "cpu MHz", 7) ||
			!host_megahertz(line + 7 + strspn(line + 7, " \t:"),
				&mhz))
			continue;
		sum += mhz;
		++*n;
	}
	return sum;
}

/* The counters of the CPUs. */
static void host_cpu_round(struct host *h)
{
	double sum = 0;
	int n = 0;
	for (int i = 0; i < h->cpus; i++) {
		uint64_t khz;
		if (!host_read(h, h->cpu[i]) || !figure(h->text, &khz))
			continue;
		sum += (double)khz / 1000;
		n++;
	}
	if (h->cpus == 0)
		sum = host_cpuinfo_mhz(h, &n);
	if (n)
		host_put(h, COUNTER_cpu_frequency, sum / n);
}

static int host_file(const char *proc, const char *name)
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
	h->self_stat = host_file(proc, "self/stat");
	h->stat = host_file(proc, "stat");
	h->diskstats = host_file(proc, "diskstats");
	h->self_io = host_file(proc, "self/io");
	h->cpuinfo = host_file(proc, "cpuinfo");
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

static void host_put(struct host *h, enum counter c, double value)
{
	samples_put(h->to,
		&(struct sample){ samples_now(h->to).real_ns, value, -1, c });
}

/* The name, in parentheses, may contain any characters. User and system time
 * are the 12th and 13th word after it, in ticks. */
static void host_process_cpu(struct host *h)
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

/* User nice system idle iowait irq softirq steal; guests are in user. */
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

static struct host_disk *host_disk_of(struct host *h, uint64_t major,
	uint64_t minor)
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

/* Whether the name is that of memory or of a file that looks like a disk. */
static bool host_no_disk(const char *name)
{
	static const char *const words[] = { "loop", "ram", "zram" };
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strncmp(name, words[i], strlen(words[i])))
			return true;
	return false;
}

/* "8 0 sda" and numbers, of which the 10th counts milliseconds. */
static void host_disks(struct host *h)
{
	double most = -1, per_s;
	if (!host_read(h, h->diskstats))
		return;
	int64_t at_ns = samples_now(h->to).steady_ns;
	for (const char *line = h->text; line; line = figure_line(line)) {
		uint64_t major, minor, busy_ms;
		const char *p = figure(figure(line, &major), &minor);
		if (!p || host_no_disk(p + strspn(p, " ")) ||
			!figure(figure_skip(p, 10), &busy_ms))
			continue;
		struct host_disk *d = host_disk_of(h, major, minor);
		if (d && rate_next(&d->busy, busy_ms, at_ns, &per_s) &&
			per_s > most)
			most = per_s;
	}
	if (most >= 0)
		host_put(h, COUNTER_disk_busy, most > 1000 ? 100 : most / 10);
}

static void host_rate_put(struct host *h, const char *word, struct rate *r,
	int64_t at_ns, enum counter c)
{
	const char *p = strstr(h->text, word);
	uint64_t bytes;
	double per_s;
	if (figure(p ? p + strlen(word) : NULL, &bytes) &&
		rate_next(r, bytes, at_ns, &per_s))
		host_put(h, c, per_s);
}

static void host_process_disk(struct host *h)
{
	if (!host_read(h, h->self_io))
		return;
	int64_t at_ns = samples_now(h->to).steady_ns;
	host_rate_put(h, "\nread_bytes:", &h->read, at_ns,
		COUNTER_process_disk_read);
	host_rate_put(h, "\nwrite_bytes:", &h->write, at_ns,
		COUNTER_process_disk_write);
}

/* As df does: blocks that only the superuser may fill are not counted. */
static void host_root_usage(struct host *h)
{
	struct statvfs v;
	if (statvfs("/", &v) || v.f_blocks - v.f_bfree + v.f_bavail == 0)
		return;
	double used = (double)(v.f_blocks - v.f_bfree);
	host_put(h, COUNTER_disk_usage,
		100 * used / (used + (double)v.f_bavail));
}

static void host_totals(struct host *h)
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
		host_totals(h);
	if (edge == HOST_END)
		return;
	host_process_cpu(h);
	host_usage(h);
	host_disks(h);
	host_process_disk(h);
	if (slow) {
		host_root_usage(h);
		host_cpu_round(h);
	}
}
