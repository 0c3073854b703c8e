/* nvml_abi.h - the types and numbers of NVML that the collector uses.
 *
 * They are declared here so that NVML's own header is not needed. They do not
 * differ between versions. */
#pragma once

typedef struct nvml_handle *nvml_device;

enum nvml_result {
	NVML_OK = 0,
	NVML_NOT_SUPPORTED = 3,
	NVML_NOT_FOUND = 6,
	NVML_TOO_SMALL = 7, /* the given list has too few entries */
	NVML_NO_DRIVER = 9,
	NVML_GPU_LOST = 15,
	NVML_MISMATCH = 18, /* the versions of library and driver differ */
};
enum nvml_domain { NVML_GRAPHICS, NVML_SM, NVML_MEM };
enum { NVML_DIE = 0 }; /* a sensor */
enum { NVML_TRANSMIT, NVML_RECEIVE };
enum { NVML_LINK_TRANSMIT = 138, NVML_LINK_RECEIVE }; /* KiB */
#define NVML_ALL_LINKS (~0u)
/* Reasons for lower clocks: power cap; hardware slowdown; temperature, as
 * reported by software and by hardware; power brake. */
#define NVML_CLOCKS_LIMITED (0x4 | 0x8 | 0x20 | 0x40 | 0x80)

struct nvml_memory {
	unsigned long long total, free, used;
};
struct nvml_utilization {
	unsigned int gpu, memory; /* percent */
};
struct nvml_process {
	unsigned int pid;
	unsigned long long at_us;
	unsigned int sm, memory, encoder, decoder; /* percent */
};
enum nvml_type { NVML_UINT = 1, NVML_ULONG, NVML_ULONGLONG };
struct nvml_field {
	unsigned int id, scope;
	long long at_us, latency_us;
	int type, result;
	union {
		unsigned int u;
		unsigned long ul;
		unsigned long long ull;
	} value;
};
