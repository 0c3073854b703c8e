#!/bin/sh
# nvtx.sh - the NVTX ranges of two libraries of a process are in the
# capture, one by one, and the server attributes kernels by them.
set -eu
bin=$KERNSIFT_BIN
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

LD_LIBRARY_PATH="$bin/fakes" FAKE_LEDGER="$folder/ledger" \
	FAKE_DRIVER_VERSION=13040 \
	CUDA_INJECTION64_PATH="$bin/libkernsift_cupti.so" \
	NVTX_INJECTION64_PATH="$bin/libkernsift_cupti.so" \
	KERNSIFT_TRACE_CUPTI="$bin/fakes/libcupti.so.13" \
	KERNSIFT_TRACE_DIR="$folder/spool" KERNSIFT_TRACE_NVML_HZ=0 \
	KERNSIFT_TRACE_HOST_HZ=0 \
	timeout 120 "$bin/nvtx_host" "$bin/libnvtx_client_a.so" \
	"$bin/libnvtx_client_b.so" >"$folder/expected"
"$bin/ranges" "$folder"/spool/*.kst >"$folder/captured"
diff "$folder/expected" "$folder/captured" || {
	echo "the expected ranges (<) are not those that were captured (>)"
	exit 1
}
[ "$(wc -l <"$folder/captured")" -eq 28 ] || {
	echo "there are not 28 ranges"
	exit 1
}

# Of four kernels two are in ranges of a matrix product with sizes, one is in an
# elementwise range, and one has only its own name.
"$bin/kernsiftd" inspect --by operators "$folder"/spool/*.kst >"$folder/by"
cat >"$folder/want" <<'END'
6000,3,3,3,4000,0,0,0,0,0,,,sizes=4000 rule=2000,gemm
2000,1,1,1,2000,0,0,0,0,0,,,sizes=2000,elementwise
END
tail -n 2 "$folder/by" | diff "$folder/want" - || {
	echo "the server takes the kernels (>) for other operators'"
	exit 1
}
