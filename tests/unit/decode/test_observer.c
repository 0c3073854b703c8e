/* test_observer.c - which tensors an execution trace of PyTorch says that
 * operators read and write. */
#include "fixture.h"
#include "buf.h"
#include <time.h>

#define HEAD                                                              \
	"{\n  \"schema\": \"1.1.1-chakra.0.0.4\", \"pid\": 9, \"time\": " \
	"\"2026-11-28 06:00:00\", \"start_ts\": 5,\n  \"nodes\": ["
#define TAIL "],\n \"finish_ts\": 9\n}"
/* As PyTorch writes it, with what is not read left out. */
#define NODE(id, name, parent, function, in, out)                             \
	"{\"id\": " id ", \"name\": \"" name "\", \"ctrl_deps\": " parent     \
	", \"inputs\": {\"values\": [" in "], \"shapes\": [[2,2]]}, "         \
	"\"outputs\": {\"values\": [" out "], \"types\": [\"Tensor(float)\"]" \
	"}, \"attrs\": [{\"name\": \"rf_id\", \"type\": \"uint64\", "         \
	"\"value\": " function "},{\"name\": \"op_schema\", \"type\": "       \
	"\"string\", \"value\": \"\"}]}"
/* Two numbers of four bytes in a storage. */
#define GPU(storage) "[90," storage ",0,2,4,\"cuda:0\"]"

/* The uses as "1r7 1w8": function, read or written, storage. Each has 8
 * bytes. */
static void uses_are(const char *json, const char *want)
{
	struct decoded d;
	char got[400] = "";

	decode_text(&d, json);
	assert_string_equal(d.trace.format, "pytorch_execution_trace");
	for (uint32_t i = 0; i < d.trace.tensor_uses_n; i++) {
		const struct tensor_use *u = &d.trace.tensor_uses[i];
		assert_int_equal(u->bytes, 8);
		sprintf(got + strlen(got), "%s%lld%c%lld", i ? " " : "",
			(long long)u->function, u->written ? 'w' : 'r',
			(long long)u->storage);
	}
	assert_string_equal(got, want);
	decoded_release(&d);
}

/* A node is written when its call returns, and the file ends with the root. */
static void calls_are_in_the_order_of_their_begin(void **state)
{
	(void)state;
	uses_are(HEAD NODE("6", "aten::add", "5", "12", GPU("7") "," GPU("8"),
			 GPU("9")) "," NODE("3", "aten::mul", "2", "11",
			 GPU("7") ",1.5", GPU("8")) "," NODE("1",
			 "[pytorch|profiler|execution_trace|process]", "1", "0",
			 "", "") TAIL,
		"11r7 11w8 12r7 12r8 12w9");
}

/* aten::linear has the tensors of the operators that it calls. */
static void a_caller_is_left_out(void **state)
{
	(void)state;
	uses_are(HEAD NODE("3", "aten::t", "2", "12", GPU("7"),
			 GPU("7")) "," NODE("4", "aten::addmm", "2", "13",
			 GPU("7"), GPU("8")) "," NODE("2", "aten::linear", "1",
			 "11", GPU("7"), GPU("8")) TAIL,
		"13r7 13w8");
}

/* A function with a kernel of its own reads 7 and 8 and writes 9. It also calls
 * an operator that reads 8 and sets 6. It returns 7. */
static void a_caller_with_a_kernel_of_its_own(void **state)
{
	(void)state;
	uses_are(HEAD NODE("3", "aten::zero_", "2", "12", GPU("6"),
			 GPU("6")) "," NODE("4", "aten::neg", "2", "13",
			 GPU("8"), GPU("5")) "," NODE("2", "MyFunction", "1",
			 "11", GPU("7") "," GPU("8"), GPU("9") "," GPU("7"))
			 TAIL,
		"11r7 11w9 12r6 12w6 13r8 13w5");
}

/* The innermost call reads 7, and the one around it 8. */
static void callers_of_callers(void **state)
{
	(void)state;
	uses_are(HEAD NODE("4", "aten::neg", "3", "13", GPU("7"),
			 GPU("9")) "," NODE("3", "inner", "2", "12",
			 GPU("7") "," GPU("8"), GPU("9")) "," NODE("2", "outer",
			 "1", "11", GPU("7") "," GPU("8"),
			 GPU("9")) "," NODE("5", "aten::neg", "1", "14",
			 GPU("8"), GPU("9")) TAIL,
		"12r8 13r7 13w9 14r8 14w9");
}

/* An operator that only calls views and allocations works itself. */
static void a_view_reads_nothing_and_an_allocation_writes(void **state)
{
	(void)state;
	uses_are(HEAD NODE("2", "aten::native_layer_norm", "1", "11", GPU("7"),
			 GPU("8")) "," NODE("3", "aten::empty_like", "2", "12",
			 GPU("7"), GPU("8")) "," NODE("4", "aten::view", "2",
			 "13", GPU("8"), GPU("8")) TAIL,
		"11r7 11w8 12w8");
}

static void many_tensors(struct buf *b, int from)
{
	for (int i = 0; i < 50000; i++)
		buf_printf(b, "%s[90,%d,0,2,4,\"cuda:0\"]", i ? "," : "",
			from + i);
}

/* The writes of a caller are compared with its reads. Before they were sorted, 20,000
 * of each took 1.6 s, with the sanitizers. */
static void a_caller_with_many_tensors(void **state)
{
	struct decoded d;
	struct buf b;
	(void)state;
	buf_init(&b, 64 << 20);
	buf_printf(&b, "%s",
		HEAD NODE("3", "aten::neg", "2", "12", GPU("6"),
			GPU("5")) ",{\"id\": 2, \"name\": \"f\", \"ctrl_deps\": 1, "
				  "\"inputs\": {\"values\": [");
	many_tensors(&b, 1000);
	buf_printf(&b, "]}, \"outputs\": {\"values\": [");
	many_tensors(&b, 1001);
	buf_printf(&b, "%s",
		"]}, \"attrs\": [{\"name\": \"rf_id\", "
		"\"value\": 11}]}" TAIL);
	clock_t from = clock();
	decode_text(&d, b.at);
	assert_true(clock() - from < 3 * CLOCKS_PER_SEC);
	/* It writes only the one that it does not read. */
	assert_int_equal(d.trace.tensor_uses_n, 50000 + 1 + 2);
	decoded_release(&d);
	buf_release(&b);
}

/* A number that is copied to the host was read. */
static void a_scalar_is_read(void **state)
{
	(void)state;
	uses_are(HEAD NODE("2", "aten::_local_scalar_dense", "1", "11",
			 GPU("7"), "1.5") TAIL,
		"11r7");
}

static void tensors_in_lists(void **state)
{
	(void)state;
	uses_are(HEAD NODE("2", "aten::cat", "1", "11",
			 "[" GPU("7") ", [" GPU("8") "]],\"[1,2,3,4,5,\\\"\"",
			 GPU("9")) TAIL,
		"11r7 11r8 11w9");
}

/* Of the host, without memory, without elements, and too many of these. */
static void tensors_that_are_not_memory_of_a_gpu(void **state)
{
	(void)state;
	uses_are(HEAD NODE("2", "aten::copy_", "1", "11",
			 "[1,2,0,2,4,\"cpu\"],[1,0,0,2,4,\"cuda:0\"],"
			 "[1,3,0,0,4,\"cuda:0\"],"
			 "[1,4,0,9223372036854775807,4,\"cuda:0\"],"
			 "[1,99999999999999999999,0,2,4,\"cuda:0\"]",
			 GPU("5")) TAIL,
		"11w5");
}

/* An observer that was active without the profiler numbers no calls. */
static void a_call_without_a_number(void **state)
{
	(void)state;
	uses_are(HEAD NODE("2", "aten::mul", "1", "0", GPU("7"),
			 GPU("8")) "," NODE("3", "aten::mul", "1", "5",
			 GPU("7"), GPU("8")) TAIL,
		"5r7 5w8");
}

static void the_schema_of_2022(void **state)
{
	(void)state;
	uses_are("{\"schema\": \"1.0.1\", \"pid\": 9, \"nodes\": [{\"name\": "
		 "\"aten::mul\", \"id\": 4, \"rf_id\": 11, \"parent\": 2, "
		 "\"inputs\": [" GPU("7") "], \"outputs\": [" GPU("8") "]}]}",
		"11r7 11w8");
}

/* A parent that is its own, or begins later, does not end in a circle. */
static void parents_in_a_circle(void **state)
{
	(void)state;
	uses_are(HEAD NODE("2", "a", "3", "11", GPU("7"), "") "," NODE("3", "b",
			 "2", "12", GPU("8"),
			 "") "," NODE("4", "c", "4", "13", GPU("9"), "") TAIL,
		"11r7 12r8 13r9");
}

static void backward_is(const char *json, bool want)
{
	struct decoded d;
	decode_text(&d, json);
	assert_int_equal(d.trace.backward_uses, want);
	decoded_release(&d);
}

static void a_backward_pass(void **state)
{
	(void)state;
	backward_is(HEAD NODE("2", "aten::mul", "1", "1", GPU("7"), "") TAIL,
		false);
	backward_is(HEAD NODE("2", "aten::mul", "3", "1", GPU("7"),
			    "") "," NODE("1", "MulBackward0", "0", "4", "", "")
			    TAIL,
		true);
}

static void refused(const char *json, const char *sentence)
{
	struct decoded d;
	decode_bytes(&d, json, strlen(json), strlen(json) + 1);
	assert_false(d.ok);
	assert_string_equal(d.err.text, sentence);
	decoded_release(&d);
}

/* Refused, and damaged at the first byte of `rest`, which is its end. */
static void damaged(const char *json, const char *rest)
{
	char sentence[200];
	size_t at = strlen(json) - strlen(rest);
	assert_string_equal(json + at, rest);
	sprintf(sentence,
		"the execution trace of PyTorch is damaged or cut off at byte "
		"%zu, so that readers of tensors may be missing; send the "
		"trace without it",
		at);
	refused(json, sentence);
}

static void a_damaged_file(void **state)
{
	(void)state;
	damaged(HEAD "{\"id\": 1, \"na", "{\"id\": 1, \"na");
	damaged(HEAD NODE("2", "aten::mul", "1", "5", GPU("7"), ""), "");
	damaged(HEAD "7]}", "7]}");
	damaged("{\"schema\": \"1.1.1\", \"nodes\": 7}", "}");
	damaged("{\"schema\": \"1.1.1\", \"nodes\": [{\"id\" 7}]}",
		"{\"id\" 7}]}");
}

static void a_file_without_tensors(void **state)
{
	(void)state;
	refused(HEAD TAIL,
		"the execution trace of PyTorch has no operator with tensors "
		"on a GPU; was the observer active while the work was done?");
}

/* The number that joins it with the trace of the profiler. */
static void operators_of_the_profiler_have_numbers(void **state)
{
	(void)state;
	struct decoded d;
	decode_text(&d,
		"{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"cpu_op\", "
		"\"name\": \"aten::mul\", \"pid\": 1, \"tid\": 1, \"ts\": 1, "
		"\"dur\": 2, \"args\": {\"External id\": 3, "
		"\"Record function id\": 11}}, {\"ph\": \"X\", \"cat\": "
		"\"cpu_op\", \"name\": \"aten::mul\", \"pid\": 1, \"tid\": 1, "
		"\"ts\": 5, \"dur\": 2, \"args\": {\"External id\": 4, "
		"\"Record function id\": 0}}]}");
	assert_int_equal(d.trace.op.n, 2);
	assert_int_equal(d.trace.op_functions_n, 1);
	assert_int_equal(d.trace.op_functions[0].external_id, 3);
	assert_int_equal(d.trace.op_functions[0].function, 11);
	decoded_release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_are_in_the_order_of_their_begin),
		cmocka_unit_test(a_caller_is_left_out),
		cmocka_unit_test(a_caller_with_a_kernel_of_its_own),
		cmocka_unit_test(callers_of_callers),
		cmocka_unit_test(a_view_reads_nothing_and_an_allocation_writes),
		cmocka_unit_test(a_caller_with_many_tensors),
		cmocka_unit_test(a_scalar_is_read),
		cmocka_unit_test(tensors_in_lists),
		cmocka_unit_test(tensors_that_are_not_memory_of_a_gpu),
		cmocka_unit_test(a_call_without_a_number),
		cmocka_unit_test(the_schema_of_2022),
		cmocka_unit_test(parents_in_a_circle),
		cmocka_unit_test(a_backward_pass),
		cmocka_unit_test(a_damaged_file),
		cmocka_unit_test(a_file_without_tensors),
		cmocka_unit_test(operators_of_the_profiler_have_numbers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
