/* fake_nvml_new.c - the functions of the fake NVML that old libraries lack. */
#include "fake_nvml.h"
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* Parts of the second GPU can be had by name. */
CALL nvmlDeviceGetHandleByUUID(const char *uuid, nvml_device *d)
{
	if (strncmp(uuid, "MIG-", 4))
		return NVML_NOT_FOUND;
	*d = &fake.gpu[1];
	return NVML_OK;
}

CALL nvmlDeviceGetCudaComputeCapability(nvml_device d, int *major, int *minor)
{
	(void)d;
	*major = 9;
	*minor = 0;
	return fake_result("nvmlDeviceGetCudaComputeCapability");
}

CALL nvmlDeviceGetNumGpuCores(nvml_device d, unsigned int *n)
{
	(void)d;
	*n = 132 * 128;
	return fake_result("nvmlDeviceGetNumGpuCores");
}

CALL nvmlDeviceGetMaxClockInfo(nvml_device d, int domain, unsigned int *mhz)
{
	*mhz = domain == NVML_SM ? 1980 : 2619;
	if (fake.mixed && d->index == 1)
		*mhz = 1410;
	return fake_result("nvmlDeviceGetMaxClockInfo");
}

CALL nvmlDeviceGetEnforcedPowerLimit(nvml_device d, unsigned int *mw)
{
	(void)d;
	*mw = 700000;
	return fake_result("nvmlDeviceGetEnforcedPowerLimit");
}

CALL nvmlDeviceGetPowerUsage(nvml_device d, unsigned int *mw)
{
	*mw = (unsigned int)(100500 + 1000 * d->index);
	return fake_ask(d, "nvmlDeviceGetPowerUsage");
}

/* Each call adds 300 J. */
CALL nvmlDeviceGetTotalEnergyConsumption(nvml_device d, unsigned long long *mj)
{
	*mj = 5000000ull + 300000ull * (unsigned int)++d->energy;
	return fake_ask(d, "nvmlDeviceGetTotalEnergyConsumption");
}

CALL nvmlDeviceGetTemperature(nvml_device d, int sensor, unsigned int *celsius)
{
	*celsius = (unsigned int)(40 + d->index + 100 * sensor);
	return fake_ask(d, "nvmlDeviceGetTemperature");
}

/* The second GPU is slowed by its power cap, the others idle. */
CALL nvmlDeviceGetCurrentClocksEventReasons(nvml_device d,
	unsigned long long *reasons)
{
	*reasons = d->index == 1 ? 0x4 : 0x1;
	return fake_ask(d, "nvmlDeviceGetCurrentClocksEventReasons");
}

/* This process twice, the newer sample second, and another process. */
CALL nvmlDeviceGetProcessUtilization(nvml_device d, struct nvml_process *list,
	unsigned int *n, unsigned long long since_us)
{
	int code = fake_ask(d, "nvmlDeviceGetProcessUtilization");
	unsigned int own = (unsigned int)getpid();
	if (code)
		return code;
	if (*n < 3)
		return NVML_TOO_SMALL;
	*n = 3;
	list[0] = (struct nvml_process){ own, since_us + 1, 11, 1, 0, 0 };
	list[1] = (struct nvml_process){ own + 1, since_us + 3, 99, 1, 0, 0 };
	list[2] = (struct nvml_process){ own, since_us + 2,
		22 + (unsigned int)since_us, 1, 0, 0 };
	return NVML_OK;
}

/* Each call adds 1 MiB sent and 2 MiB received. */
CALL nvmlDeviceGetFieldValues(nvml_device d, int n, struct nvml_field *list)
{
	int code = fake_ask(d, "nvmlDeviceGetFieldValues");
	unsigned int reads = (unsigned int)++d->links;
	for (int i = 0; i < n && !code; i++) {
		unsigned int kib = 1024 * reads *
				   (list[i].id == NVML_LINK_RECEIVE ? 2 : 1);
		list[i].result =
			list[i].scope == NVML_ALL_LINKS
				? fake_result(list[i].id == NVML_LINK_RECEIVE
						      ? "receive"
						      : "transmit")
				: NVML_NOT_SUPPORTED;
		list[i].type = fake.link32 ? NVML_UINT : NVML_ULONGLONG;
		list[i].value.ull = UINT64_C(0xdeadbeef00000000);
		if (fake.link32)
			list[i].value.u = kib;
		else
			list[i].value.ull = kib;
	}
	return code;
}

CALL nvmlDeviceGetPcieThroughput(nvml_device d, int direction,
	unsigned int *kb_s)
{
	fake_pause(fake.pcie_ms);
	fake.pcie++;
	*kb_s = (unsigned int)(1000 * (direction + 1) + d->index);
	return fake_ask(d, "nvmlDeviceGetPcieThroughput");
}
