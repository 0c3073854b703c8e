/* schedule.c - what the options say about when, as numbers. */
#include "options.h"
#include "window.h"

bool schedule_window(struct schedule *s, const char *text)
{
	const char *at = text;

	/* From the start: the one time that is no duration. */
	if (at[0] == '0' && at[1] == '+') {
		s->after_ns = 0;
		at++;
	} else {
		s->after_ns = duration_ns(text, &at);
	}
	if (s->after_ns < 0 || *at != '+')
		return false;
	s->once_ns = duration_ns(at + 1, NULL);
	return s->once_ns > 0;
}

bool schedule_every(struct schedule *s, const char *text)
{
	const char *at;

	s->every_ns = duration_ns(text, &at);
	if (s->every_ns < 0 || *at != ':')
		return false;
	s->burst_ns = duration_ns(at + 1, NULL);
	return s->burst_ns > 0 && s->burst_ns < s->every_ns;
}

void schedule_from(struct schedule *s, const struct options *o)
{
	*s = (struct schedule){ .length_ns = duration_ns(o->length, NULL),
		.kernels = o->kernels,
		.capture = o->capture,
		.always = !*o->window && !*o->every && !*o->trigger &&
			  !o->capture };
	if (*o->window)
		schedule_window(s, o->window);
	if (*o->every)
		schedule_every(s, o->every);
}
