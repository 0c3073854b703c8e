/* host_cpu.c - how fast the CPUs run that the process may use. */
#include "host.h"
#include "figures.h"
#include <ctype.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

/* The text behind "word : " of the first line that begins so. */
static void model(struct host *h)
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

/* A few CPUs, evenly chosen among those the process may use. */
static void open_frequencies(struct host *h, const char *sys)
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

void host_cpu_init(struct host *h, const char *sys)
{
	if (host_read(h, h->cpuinfo))
		model(h);
	open_frequencies(h, sys);
}

void host_cpu_release(struct host *h)
{
	for (int i = 0; i < h->cpus; i++)
		close(h->cpu[i]);
	h->cpus = 0;
}

/* "2596.132"; strtod() would go by the host program's decimal point. */
static bool megahertz(const char *p, double *mhz)
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

/* The sum of "cpu MHz" lines, as far as the text goes. */
static double told(struct host *h, int *n)
{
	double sum = 0, mhz;
	if (!host_read(h, h->cpuinfo))
		return 0;
	for (const char *line = h->text; line; line = figure_line(line)) {
		if (strncmp(line, "cpu MHz", 7) ||
			!megahertz(line + 7 + strspn(line + 7, " \t:"), &mhz))
			continue;
		sum += mhz;
		++*n;
	}
	return sum;
}

void host_cpu_round(struct host *h)
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
		sum = told(h, &n);
	if (n)
		host_put(h, COUNTER_cpu_frequency, sum / n);
}
