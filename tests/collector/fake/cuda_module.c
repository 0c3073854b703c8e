/* cuda_module.c - modules of the fake driver. A module's names are freed when
 * the module is unloaded.
 *
 * The names of a module have their own page. The page is unmapped when no
 * record that libcupti must still return points to it. The next module then
 * has other names at the same addresses. */
#include "fake_cuda.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 16 << 10 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *last_gone; /* under the lock: where the next one may be */

static char *page_new(void)
{
	pthread_mutex_lock(&lock);
	void *at = last_gone;
	last_gone = NULL;
	pthread_mutex_unlock(&lock);
	void *m = mmap(at, PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return m == MAP_FAILED ? NULL : m;
}

static void page_gone(void *page)
{
	munmap(page, PAGE);
	pthread_mutex_lock(&lock);
	last_gone = page;
	pthread_mutex_unlock(&lock);
}

static void tell(CUpti_CallbackIdResource what)
{
	CUpti_ModuleResourceData data = { .moduleId = 1 };
	const struct fake_events *e = cuda_events();

	if (e)
		e->resource(what, &data);
}

/* The image is not read: functions are created when they are looked up. */
CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
	CUresult r = cuda_usable("cuModuleLoadData");

	(void)image;
	if (r != CUDA_SUCCESS)
		return r;
	CUmodule m = calloc(1, sizeof(*m));
	m->page = page_new();
	*module = m;
	tell(CUPTI_CBID_RESOURCE_MODULE_LOADED);
	return m->page ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuModuleGetFunction(CUfunction *f, CUmodule m, const char *name)
{
	size_t len = strlen(name) + 1;

	for (int i = 0; i < m->functions; i++)
		if (strcmp(m->function[i].name, name) == 0) {
			*f = &m->function[i];
			return CUDA_SUCCESS;
		}
	if (m->functions == CUDA_NAMES || m->used + len > PAGE)
		return CUDA_ERROR_NOT_FOUND;
	*f = &m->function[m->functions++];
	(*f)->name = memcpy(m->page + m->used, name, len);
	m->used += len;
	return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule m)
{
	const struct fake_events *e = cuda_events();
	CUresult r = cuda_usable("cuModuleUnload");

	if (r != CUDA_SUCCESS)
		return r;
	tell(CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING);
	if (e)
		e->names_gone(page_gone, m->page);
	else
		page_gone(m->page);
	free(m);
	return CUDA_SUCCESS;
}
