/* progress.c - parts of a line, and as many of them as fit. */
#include "progress.h"
#include "utf8.h"
#include <inttypes.h>

enum { BAR_MIN = 8, BAR_MAX = 40, LABEL_MIN = 8, PART = 160 };

void progress_bytes(char out[PROGRESS_WORD], int64_t bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	double x = (double)bytes;
	int u = 0;
	/* 1023.95 would be written as 1024.0 */
	while (x >= (u ? 1023.95 : 1024) && u < 4) {
		x /= 1024;
		u++;
	}
	snprintf(out, PROGRESS_WORD, u ? "%.1f %s" : "%.0f %s", x, units[u]);
}

void progress_time(char out[PROGRESS_WORD], int64_t seconds)
{
	int64_t h = seconds / 3600, m = seconds / 60 % 60, s = seconds % 60;
	if (h)
		snprintf(out, PROGRESS_WORD,
			"%" PRId64 ":%02" PRId64 ":%02" PRId64, h, m, s);
	else
		snprintf(out, PROGRESS_WORD, "%" PRId64 ":%02" PRId64, m, s);
}

static int columns(const char *s)
{
	int n = 0;
	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

/* The label in at most `most` columns, its end cut off and marked. */
static void cut(char out[PART], const char *label, int most)
{
	const char *end = label;
	int n = 0, fits = columns(label) <= most;
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

static void bar(char out[PART], int64_t done, int64_t total, int wide)
{
	int full = (int)((double)done / (double)total * (wide - 2));
	out[0] = '[';
	for (int i = 0; i < wide - 2; i++)
		out[1 + i] = i < full ? '#' : '.';
	out[wide - 1] = ']';
	out[wide] = '\0';
}

/* "45 %  23.1 MiB of 51.2 MiB", or only what is known. */
static void amount(char out[PART], const struct progress *p)
{
	char done[PROGRESS_WORD], total[PROGRESS_WORD];
	progress_bytes(done, p->done_bytes);
	progress_bytes(total, p->total_bytes);
	if (p->total_bytes > 0)
		snprintf(out, PART, "%3d %%  %s of %s",
			(int)((double)p->done_bytes / (double)p->total_bytes *
				100),
			done, total);
	else
		snprintf(out, PART, "%s", p->done_bytes > 0 ? done : "");
}

static void speed(char out[PART], const struct progress *p)
{
	out[0] = '\0';
	if (p->rate > 0) {
		char rate[PROGRESS_WORD];
		progress_bytes(rate, p->rate);
		snprintf(out, PART, "  %s/s", rate);
	}
}

static void left(char out[PART], const struct progress *p)
{
	out[0] = '\0';
	if (p->rate > 0 && p->total_bytes > p->done_bytes) {
		char time[PROGRESS_WORD];
		int64_t rest = p->total_bytes - p->done_bytes;
		progress_time(time, (rest + p->rate - 1) / p->rate);
		snprintf(out, PART, "  %s left", time);
	}
}

void progress_line(char out[PROGRESS_LINE], const struct progress *told,
	int width)
{
	struct progress p = *told;
	if (p.total_bytes >= 0 && p.done_bytes > p.total_bytes)
		p.total_bytes = -1; /* it grew: what is known is too old */
	char head[PART], name[PART], line[PART] = "", many[PART], rate[PART],
				     eta[PART];
	snprintf(head, sizeof head, "%.40s%s", p.stage, *p.stage ? "  " : "");
	amount(many, &p);
	speed(rate, &p);
	left(eta, &p);
	int rest = width - columns(head) - columns(many) - 2;
	if (rest - columns(rate) - columns(eta) < LABEL_MIN)
		eta[0] = '\0';
	if (rest - columns(rate) < LABEL_MIN)
		rate[0] = '\0';
	rest -= columns(rate) + columns(eta);
	int wish = columns(p.label) < rest ? columns(p.label) : rest;
	int wide = rest - wish - 2;
	wide = wide > BAR_MAX ? BAR_MAX : wide;
	if (p.total_bytes > 0 && wide >= BAR_MIN)
		bar(line, p.done_bytes, p.total_bytes, wide);
	cut(name, p.label, wish > 0 ? wish : 0);
	char whole[PROGRESS_LINE];
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

void pace_init(struct pace *p)
{
	*p = (struct pace){ .at_ms = -1 };
}

int64_t pace_add(struct pace *p, int64_t now_ms, int64_t bytes)
{
	if (p->at_ms < 0 || bytes < p->bytes) {
		*p = (struct pace){ .at_ms = now_ms, .bytes = bytes };
		return 0;
	}
	double dt = (double)(now_ms - p->at_ms) / 1000;
	if (dt < 0.1)
		return (int64_t)p->rate;
	double now = (double)(bytes - p->bytes) / dt;
	/* of a steady flow, the last 3 s make up half of it */
	double old = p->rate > 0 ? 3 / (3 + dt) : 0;
	p->rate = p->rate * old + now * (1 - old);
	p->at_ms = now_ms;
	p->bytes = bytes;
	return (int64_t)p->rate;
}
