/* inject.c - the four entries by which a CUDA process loads the collector.
 *
 * Always 1: at 0 the driver reports a failure and NVTX's clients unload us. */
#include "collector.h"
#include "nvtx.h"

#define ENTRY __attribute__((visibility("default")))

ENTRY int InitializeInjection(void);
ENTRY int InitializeInjectionNvtx(void *get_export_table);
ENTRY int InitializeInjectionNvtx2(void *get_export_table);
ENTRY int InitializeInjectionNvtxExtension(void *module_info);

int InitializeInjection(void)
{
	collector_start();
	return 1;
}

/* NVTX before version 3 has another table, which nobody fills any more. */
int InitializeInjectionNvtx(void *get_export_table)
{
	(void)get_export_table;
	return 1;
}

int InitializeInjectionNvtx2(void *get_export_table)
{
	return collector_wants_ranges() ? nvtx_attach(get_export_table) : 1;
}

int InitializeInjectionNvtxExtension(void *module_info)
{
	return collector_wants_ranges() ? nvtx_attach_extension(module_info)
					: 1;
}
