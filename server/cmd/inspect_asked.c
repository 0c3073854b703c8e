/* inspect_asked.c - words and numbers of the options about layers. */
#include "inspect_asked.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A whole number of at most `most`; *out stays where `text` is NULL. */
static bool number(const char *text, const char *option, int64_t most,
	int64_t *out, struct err *e)
{
	char *end;

	if (!text)
		return true;
	errno = 0;
	*out = strtoll(text, &end, 10);
	if (errno || end == text || *end || *out < 0 || *out > most)
		return err_set(e, ERR_INPUT,
			"--%s is '%.40s', and should be a whole number", option,
			text);
	return true;
}

static bool detector(const char *text, enum layer_detector *out, struct err *e)
{
	if (!text)
		return true;
	if (!strcmp(text, "modules"))
		*out = LAYERS_MODULES;
	else if (!strcmp(text, "period"))
		*out = LAYERS_PERIOD;
	else
		return err_set(e, ERR_INPUT,
			"--layers is '%.40s', and should be modules or period",
			text);
	return true;
}

static bool flag(const char *text, bool *out, struct err *e)
{
	if (text && strcmp(text, "yes") != 0 && strcmp(text, "no") != 0)
		return err_set(e, ERR_INPUT,
			"--realign is '%.40s', and should be yes or no", text);
	*out = text && !strcmp(text, "yes");
	return true;
}

bool inspect_asked(const struct inspect_asked *asked,
	struct breakdown_asked *out, struct err *e)
{
	int64_t every = 0, device = out->device;

	bool ok = detector(asked->layers, &out->by, e) &&
		  number(asked->layer_every, "layer_every", UINT32_MAX, &every,
			  e) &&
		  number(asked->device, "device", INT32_MAX, &device, e) &&
		  number(asked->stratum, "stratum", INT64_MAX, &out->stratum,
			  e) &&
		  flag(asked->realign, &out->realign, e);
	if (ok && asked->layer_range && asked->layer_start)
		return err_set(e, ERR_INPUT,
			"--layer_range and --layer_start both tell where "
			"layers are; give one of them");
	out->layers = (struct layer_asked){ asked->layer_range,
		asked->layer_start, (uint32_t)every };
	out->device = (int32_t)device;
	return ok;
}
