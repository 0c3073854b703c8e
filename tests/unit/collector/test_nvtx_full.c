/* test_nvtx_full.c - tests programs that register more domains and strings
 * than the tables can store. */
#include "nvtx.h"
#include "nvtx_domain.h"
#include "nvtx_headers.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* Domains of one name are different, up to the maximum number. */
static void test_domains(void **state)
{
	struct nvtx_state *w = nvtx_state_make();
	(void)state;
	assert_non_null(w);
	for (int i = 1; i < NVTX_DOMAINS; i++)
		assert_int_equal(nvtx_domain_make(w, "one", 3), i);
	assert_int_equal(nvtx_dropped(), 0);
	assert_int_equal(nvtx_domain_make(w, "one", 3), 0);
	assert_int_equal(nvtx_domain_make(w, "another", 7), 0);
	assert_int_equal(nvtx_dropped(), 2);
	nvtx_domain_end(w, 7);
	assert_int_equal(nvtx_domain_make(w, "one", 3), 7);
	assert_int_equal(nvtx_dropped(), 0);
}

typedef nvtxStringHandle_t(
	NVTX_API *register_fn)(nvtxDomainHandle_t d, const char *text);

/* A client of NVTX whose only function registers a string. */
static NvtxFunctionPointer client_register;

static int NVTX_API client_functions(NvtxCallbackModule module,
	NvtxFunctionTable *to, unsigned *n)
{
	static NvtxFunctionPointer *table[NVTX_CBID_CORE2_SIZE];
	table[NVTX_CBID_CORE2_DomainRegisterStringA] = &client_register;
	*to = table;
	*n = NVTX_CBID_CORE2_SIZE;
	return module == NVTX_CB_MODULE_CORE2;
}

static const void *NVTX_API client_tables(uint32_t id)
{
	static const NvtxExportTableCallbacks callbacks = {
		.struct_size = sizeof callbacks,
		.GetModuleFunctionTable = client_functions
	};
	return id == NVTX_ETID_CALLBACKS ? &callbacks : NULL;
}

static void test_registered_strings(void **state)
{
	char text[16];
	int kept = 0;
	(void)state;
	assert_non_null(nvtx_state_make());
	nvtx_dropped();
	assert_int_equal(nvtx_attach((void *)(uintptr_t)client_tables), 1);
	register_fn reg = (register_fn)client_register;
	assert_non_null(reg);
	for (int i = 0; i < NVTX_TEXTS_MAX + 10; i++) {
		snprintf(text, sizeof text, "%d", i);
		kept += reg(NULL, text) != NULL;
	}
	assert_in_range(kept, 1, NVTX_TEXTS_MAX);
	assert_int_equal(nvtx_dropped(), NVTX_TEXTS_MAX + 10 - kept);
	/* Strings that were kept before are still found. */
	assert_non_null(reg(NULL, "0"));
	assert_int_equal(nvtx_dropped(), 0);
	/* A domain whose name was not kept has no name. */
	uint16_t d = nvtx_domain_make(nvtx_state(), "new", 3);
	assert_int_equal(nvtx_domain_name(nvtx_state(), d), 0);
	assert_true(nvtx_dropped() > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_domains),
		cmocka_unit_test(test_registered_strings),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
