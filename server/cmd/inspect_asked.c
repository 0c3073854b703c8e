/* inspect_asked.c - words and numbers of the options about layers. */
#include "inspect_asked.h"
#include <string.h>

static enum layer_detector detector(const char *text)
{
	return !*text			  ? LAYERS_NONE
	       : !strcmp(text, "modules") ? LAYERS_MODULES
					  : LAYERS_PERIOD;
}

bool inspect_asked(const struct inspect_asked *asked,
	struct breakdown_asked *out, struct err *e)
{
	out->by = detector(asked->layers);
	out->realign = !strcmp(asked->realign, "yes");
	if (asked->stratum >= 0)
		out->stratum = asked->stratum;
	if (asked->device >= 0)
		out->device = (int32_t)asked->device;
	out->layers = (struct layer_asked){ asked->layer_range,
		asked->layer_start,
		asked->layer_every > 0 ? (uint32_t)asked->layer_every : 0 };
	return !asked->layer_range || !asked->layer_start ||
	       err_set(e, ERR_INPUT,
		       "--layer-range and --layer-start exclude each other "
		       "(give one of them)");
}
