/* meter.c - the terminal's width, what is drawn on it, and when. */
#include "meter.h"
#include "clock.h"
#include <poll.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { DRAW_MS = 100, LINE_MS = 10000, WIDTH = 80 };

int64_t meter_now_ms(void)
{
	return clock_ms();
}

void meter_init(struct meter *m)
{
	const char *term = getenv("TERM");
	*m = (struct meter){ .shown_ms = -1 };
	m->terminal = isatty(STDERR_FILENO) && term && strcmp(term, "dumb");
}

static int width(void)
{
	struct winsize w;
	if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &w) && w.ws_col > 0)
		return w.ws_col - 1; /* the last column would wrap */
	return WIDTH - 1;
}

/* One write, and only if the terminal takes it now. */
static bool draw(const char *line)
{
	char all[PROGRESS_LINE + 16];
	int n = snprintf(all, sizeof all, "\r%s\033[K", line);
	struct pollfd p = { .fd = STDERR_FILENO, .events = POLLOUT };
	return poll(&p, 1, 0) == 1 && (p.revents & POLLOUT) &&
	       write(STDERR_FILENO, all, (size_t)n) == n;
}

void meter_show(struct meter *m, const struct progress *p)
{
	int64_t now = meter_now_ms();
	char line[PROGRESS_LINE];
	/* the first plain line comes only when it takes long */
	if (m->shown_ms < 0 && !m->terminal)
		m->shown_ms = now;
	if (m->shown_ms >= 0 &&
		now - m->shown_ms < (m->terminal ? DRAW_MS : LINE_MS))
		return;
	m->shown_ms = now;
	if (m->terminal) {
		progress_line(line, p, width());
		m->drawn = draw(line) || m->drawn;
		return;
	}
	struct progress plain = *p;
	plain.label = "";
	progress_line(line, &plain, WIDTH - 1);
	fprintf(stderr, "%s: %s\n", p->label, line);
}

void meter_clear(struct meter *m)
{
	if (m->drawn)
		draw("");
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
