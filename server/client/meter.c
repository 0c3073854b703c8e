/* meter.c - composes the progress line and draws it on stderr. */
#include "meter.h"
#include "utf8.h"
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { BAR_MIN = 8, BAR_MAX = 40, LABEL_MIN = 8, PART = 160 };

void meter_bytes(char out[METER_WORD], int64_t bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	double x = (double)bytes;
	int u = 0;
	/* with one decimal, 1023.95 would be written as 1024.0 */
	while (x >= (u ? 1023.95 : 1024) && u < 4) {
		x /= 1024;
		u++;
	}
	snprintf(out, METER_WORD, u ? "%.1f %s" : "%.0f %s", x, units[u]);
}

void meter_time(char out[METER_WORD], int64_t seconds)
{
	int64_t h = seconds / 3600, m = seconds / 60 % 60, s = seconds % 60;
	if (h)
		snprintf(out, METER_WORD,
			"%" PRId64 ":%02" PRId64 ":%02" PRId64, h, m, s);
	else
		snprintf(out, METER_WORD, "%" PRId64 ":%02" PRId64, m, s);
}

static int meter_columns(const char *s)
{
	int n = 0;
	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

/* The label in at most `most` columns. If it is longer, its end is replaced by
 * a mark. */
static void meter_cut(char out[PART], const char *label, int most)
{
	const char *end = label;
	int n = 0, fits = meter_columns(label) <= most;
	while (*end && end - label < PART - 8 && n < (fits ? most : most - 1)) {
		do
			end++;
		while (((unsigned char)*end & 0xc0) == 0x80);
		n++;
	}
	size_t len = utf8_trim(label, (size_t)(end - label));
	snprintf(out, PART, "%.*s%s", (int)len, label,
		label[len] && most > 0 ? "…" : "");
}

static void meter_bar(char out[PART], int64_t done, int64_t total, int wide)
{
	int full = (int)((double)done / (double)total * (wide - 2));
	out[0] = '[';
	for (int i = 0; i < wide - 2; i++)
		out[1 + i] = i < full ? '#' : '.';
	out[wide - 1] = ']';
	out[wide] = '\0';
}

/* "45 %  23.1 MiB of 51.2 MiB", or the part of it that is known. */
static void meter_amount(char out[PART], const struct meter_progress *p)
{
	char done[METER_WORD], total[METER_WORD];
	meter_bytes(done, p->done_bytes);
	meter_bytes(total, p->total_bytes);
	if (p->total_bytes > 0)
		snprintf(out, PART, "%3d %%  %s of %s",
			(int)((double)p->done_bytes / (double)p->total_bytes *
				100),
			done, total);
	else
		snprintf(out, PART, "%s", p->done_bytes > 0 ? done : "");
}

static void meter_speed(char out[PART], const struct meter_progress *p)
{
	out[0] = '\0';
	if (p->rate > 0) {
		char rate[METER_WORD];
		meter_bytes(rate, p->rate);
		snprintf(out, PART, "  %s/s", rate);
	}
}

static void meter_left(char out[PART], const struct meter_progress *p)
{
	out[0] = '\0';
	if (p->rate > 0 && p->total_bytes > p->done_bytes) {
		char time[METER_WORD];
		int64_t rest = p->total_bytes - p->done_bytes;
		meter_time(time, (rest + p->rate - 1) / p->rate);
		snprintf(out, PART, "  %s left", time);
	}
}

void meter_line(char out[METER_LINE], const struct meter_progress *progress,
	int width)
{
	struct meter_progress p = *progress;
	if (p.total_bytes >= 0 && p.done_bytes > p.total_bytes)
		p.total_bytes = -1; /* the file grew */
	char head[PART], name[PART], line[PART] = "", many[PART], rate[PART],
				     eta[PART];
	snprintf(head, sizeof head, "%.40s%s", p.stage, *p.stage ? "  " : "");
	meter_amount(many, &p);
	meter_speed(rate, &p);
	meter_left(eta, &p);
	int rest = width - meter_columns(head) - meter_columns(many) - 2;
	if (rest - meter_columns(rate) - meter_columns(eta) < LABEL_MIN)
		eta[0] = '\0';
	if (rest - meter_columns(rate) < LABEL_MIN)
		rate[0] = '\0';
	rest -= meter_columns(rate) + meter_columns(eta);
	int label_width =
		meter_columns(p.label) < rest ? meter_columns(p.label) : rest;
	int wide = rest - label_width - 2;
	wide = wide > BAR_MAX ? BAR_MAX : wide;
	if (p.total_bytes > 0 && wide >= BAR_MIN)
		meter_bar(line, p.done_bytes, p.total_bytes, wide);
	meter_cut(name, p.label, label_width > 0 ? label_width : 0);
	char whole[METER_LINE];
	snprintf(whole, sizeof whole, "%s%s%s%s%s%s%s%s", name,
		*name ? "  " : "", head, line, *line ? "  " : "", many, rate,
		eta);
	int most = width < 0 ? 0 : width;
	size_t n = 0;
	for (int seen = 0; whole[n]; n++) {
		seen += ((unsigned char)whole[n] & 0xc0) != 0x80;
		if (seen > most)
			break;
	}
	while (n && whole[n - 1] == ' ')
		n--;
	memcpy(out, whole, n);
	out[n] = '\0';
}

int64_t meter_pace_add(struct meter_pace *p, int64_t now_ms, int64_t bytes)
{
	if (p->at_ms < 0 || bytes < p->bytes) {
		*p = (struct meter_pace){ .at_ms = now_ms, .bytes = bytes };
		return 0;
	}
	double dt = (double)(now_ms - p->at_ms) / 1000;
	if (dt < 0.1)
		return (int64_t)p->rate;
	double now = (double)(bytes - p->bytes) / dt;
	/* in a steady flow, the last 3 s are half of the average */
	double old = p->rate > 0 ? 3 / (3 + dt) : 0;
	p->rate = p->rate * old + now * (1 - old);
	p->at_ms = now_ms;
	p->bytes = bytes;
	return (int64_t)p->rate;
}

enum { DRAW_MS = 100, LINE_MS = 10000, WIDTH = 80 };

int64_t meter_now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void meter_init(struct meter *m)
{
	const char *term = getenv("TERM");
	*m = (struct meter){ .shown_ms = -1 };
	m->terminal = isatty(STDERR_FILENO) && term && strcmp(term, "dumb");
}

static int meter_width(void)
{
	struct winsize w;
	if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &w) && w.ws_col > 0)
		return w.ws_col - 1; /* the last column would wrap */
	return WIDTH - 1;
}

/* Writes the line with one system call, and only if the terminal accepts it
 * now. */
static bool meter_draw(const char *line)
{
	char all[METER_LINE + 16];
	int n = snprintf(all, sizeof all, "\r%s\033[K", line);
	struct pollfd p = { .fd = STDERR_FILENO, .events = POLLOUT };
	return poll(&p, 1, 0) == 1 && (p.revents & POLLOUT) &&
	       write(STDERR_FILENO, all, (size_t)n) == n;
}

void meter_show(struct meter *m, const struct meter_progress *p)
{
	int64_t now = meter_now_ms();
	char line[METER_LINE];
	/* the first plain line is printed only if the transfer takes long */
	if (m->shown_ms < 0 && !m->terminal)
		m->shown_ms = now;
	if (m->shown_ms >= 0 &&
		now - m->shown_ms < (m->terminal ? DRAW_MS : LINE_MS))
		return;
	m->shown_ms = now;
	if (m->terminal) {
		meter_line(line, p, meter_width());
		m->drawn = meter_draw(line) || m->drawn;
		return;
	}
	struct meter_progress plain = *p;
	plain.label = "";
	meter_line(line, &plain, WIDTH - 1);
	fprintf(stderr, "%s: %s\n", p->label, line);
}

void meter_clear(struct meter *m)
{
	if (m->drawn)
		meter_draw("");
	m->drawn = false;
	m->shown_ms = -1;
}

void meter_say(struct meter *m, const char *fmt, ...)
{
	va_list ap;
	meter_clear(m);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}
