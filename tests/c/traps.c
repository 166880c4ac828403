/* What other implementations of the header let through, or die of: each is an error here. */

#include "check.h"
#include "memory.h"
#include "restride.h"

static void noted(void *data, size_t len, void *arg) {
  (void)data;
  (void)len;
  ++*(int *)arg;
}

static void null_data_with_a_length(void) {
  int calls = 0;
  int64_t one[] = {1};
  CHECK(TF_NewTensor(TF_FLOAT, one, 1, NULL, 4, noted, &calls) == NULL);
  CHECK(TF_NewTensor(TF_STRING, one, 1, NULL, 9, noted, &calls) == NULL);
  CHECK_EQ(calls, 2);
}

static void byte_counts_that_wrap(void) {
  struct {
    TF_DataType type;
    int64_t dims[1];
  } cases[] = {{TF_FLOAT, {INT64_C(1) << 62}}, {TF_DOUBLE, {INT64_C(1) << 61}}, {TF_COMPLEX128, {INT64_C(1) << 60}},
               {TF_STRING, {INT64_C(1) << 61}}, {TF_STRING, {INT64_MAX}}};
  for (int i = 0; i < 5; i++) {
    Counted c = counted(24, 0);
    CHECK(TF_NewTensor(cases[i].type, cases[i].dims, 1, c.data, 24, release, &c) == NULL);
    CHECK_EQ(c.calls, 1);
    CHECK(TF_AllocateTensor(cases[i].type, cases[i].dims, 1, 24) == NULL);
  }
}

static void bitcast_of_nothing_to_a_count_that_wraps(void) {
  TF_Status *s = TF_NewStatus();
  int64_t zero[] = {0}, wraps[] = {INT64_C(1) << 62};
  TF_Tensor *t = TF_AllocateTensor(TF_FLOAT, zero, 1, 0);
  TF_TensorBitcastFrom(t, TF_FLOAT, t, wraps, 1, s);
  CHECK_STATUS(s, TF_INVALID_ARGUMENT);
  CHECK_EQ(TF_TensorElementCount(t), 0);
  TF_DeleteTensor(t);
  TF_DeleteStatus(s);
}

static void set_shape_then_bitcast_past_the_bytes(void) {
  TF_Status *s = TF_NewStatus();
  int64_t four[] = {4}, hundred[] = {100}, bytes[] = {400};
  TF_Tensor *t = TF_AllocateTensor(TF_FLOAT, four, 1, 16), *u = TF_AllocateTensor(TF_UINT8, NULL, 0, 1);
  TF_SetShape(t, hundred, 1);
  CHECK_EQ(TF_TensorElementCount(t), 4);
  TF_TensorBitcastFrom(t, TF_UINT8, u, bytes, 1, s);
  CHECK_STATUS(s, TF_INVALID_ARGUMENT);
  TF_DeleteTensor(t);
  TF_DeleteTensor(u);
  TF_DeleteStatus(s);
}

/* A scalar string whose offset and data are given; what reading it says. */
static TF_Code read_string(uint64_t offset, const char *data, size_t len) {
  TF_Status *s = TF_NewStatus();
  Counted c = counted(8 + len, 1);
  for (int k = 0; k < 8; k++) ((unsigned char *)c.data)[k] = (unsigned char)(offset >> 8 * k & 0xff);
  if (len > 0) memcpy((char *)c.data + 8, data, len);
  TF_Tensor *t = TF_NewTensor(TF_STRING, NULL, 0, c.data, 8 + len, release, &c);
  CHECK(t != NULL);
  const char *at = NULL;
  size_t found = 0;
  bool read = restride_string_at(t, 0, &at, &found, s);
  CHECK_EQ(read, TF_GetCode(s) == TF_OK);
  if (!read) CHECK(strncmp(TF_Message(s), "string 0: ", 10) == 0);
  CHECK_EQ(restride_strings_check(t, NULL), read);
  TF_Code code = TF_GetCode(s);
  TF_Tensor *copy = restride_materialize(NULL, t, NULL, s);
  CHECK_EQ(copy != NULL, read);
  TF_DeleteTensor(copy);
  TF_DeleteTensor(t);
  CHECK_EQ(c.calls, 1);
  TF_DeleteStatus(s);
  return code;
}

static void offsets_are_unsigned(void) {
  CHECK_EQ(read_string(UINT64_C(1) << 63, "\x01" "A", 2), TF_INVALID_ARGUMENT);
  CHECK_EQ(read_string(UINT64_MAX, "\x01" "A", 2), TF_INVALID_ARGUMENT);
  CHECK_EQ(read_string(UINT64_MAX - 7, "\x01" "A", 2), TF_INVALID_ARGUMENT);
  CHECK_EQ(read_string(2, "\x01" "A", 2), TF_INVALID_ARGUMENT);
  CHECK_EQ(read_string(0, "\x01" "A", 2), TF_OK);
}

static void strings_end_inside(void) {
  CHECK_EQ(read_string(0, "\x02" "A", 2), TF_INVALID_ARGUMENT);
  CHECK_EQ(read_string(1, "\x00\x01", 2), TF_INVALID_ARGUMENT);
  CHECK_EQ(read_string(1, "\x00\x00", 2), TF_OK);
  CHECK_EQ(read_string(0, "\x80", 1), TF_INVALID_ARGUMENT);
  CHECK_EQ(read_string(0, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 11), TF_INVALID_ARGUMENT);
  CHECK_EQ(read_string(0, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10), TF_INVALID_ARGUMENT);
  CHECK_EQ(read_string(0, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10), TF_INVALID_ARGUMENT);
  CHECK_EQ(read_string(0, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 10), TF_OK);
}

static void decode_stays_inside(void) {
  TF_Status *s = TF_NewStatus();
  const char *at = NULL;
  size_t len = 9;
  CHECK_EQ(TF_StringDecode("\x05hi", 3, &at, &len, s), 0);
  CHECK_STATUS(s, TF_INVALID_ARGUMENT);
  CHECK(at == NULL && len == 9);
  CHECK_EQ(TF_StringDecode("", 0, &at, &len, s), 0);
  CHECK_STATUS(s, TF_INVALID_ARGUMENT);
  CHECK_EQ(TF_StringDecode(NULL, 0, &at, &len, s), 0);
  CHECK_STATUS(s, TF_INVALID_ARGUMENT);
  CHECK_EQ(TF_StringDecode(NULL, 4, &at, &len, s), 0);
  CHECK_STATUS(s, TF_INVALID_ARGUMENT);
  CHECK_EQ(TF_StringDecode("\x02hi!", 4, &at, &len, s), 3);
  CHECK_STATUS(s, TF_OK);
  CHECK(len == 2 && memcmp(at, "hi", 2) == 0);
  CHECK_EQ(TF_StringDecode("\x02hi!", 4, NULL, NULL, s), 3);
  TF_DeleteStatus(s);
}

static void encode_writes_all_or_nothing(void) {
  TF_Status *s = TF_NewStatus();
  char to[8] = "ABCDEFG";
  CHECK_EQ(TF_StringEncode("hello", 5, to, 5, s), 0);
  CHECK_STATUS(s, TF_INVALID_ARGUMENT);
  CHECK(strcmp(to, "ABCDEFG") == 0);
  CHECK_EQ(TF_StringEncode("hello", 5, to, 6, s), 6);
  CHECK_STATUS(s, TF_OK);
  CHECK(memcmp(to, "\x05helloG", 8) == 0);
  CHECK_EQ(TF_StringEncode(NULL, 0, to, 1, s), 1);
  CHECK_EQ(to[0], 0);
  CHECK_EQ(TF_StringEncode(NULL, 1, to, 8, s), 0);
  CHECK_STATUS(s, TF_INVALID_ARGUMENT);
  CHECK_EQ(TF_StringEncode("a", 1, NULL, 8, s), 0);
  CHECK_STATUS(s, TF_INVALID_ARGUMENT);
  CHECK_EQ(TF_StringEncode("a", 1, NULL, 0, s), 0);
  CHECK_STATUS(s, TF_INVALID_ARGUMENT);
  CHECK_EQ(TF_StringEncodedSize(0), 1);
  CHECK_EQ(TF_StringEncodedSize(127), 128);
  CHECK_EQ(TF_StringEncodedSize(128), 130);
  CHECK_EQ(TF_StringEncodedSize(16383), 16385);
  CHECK_EQ(TF_StringEncodedSize(16384), 16387);
  CHECK(TF_StringEncodedSize(SIZE_MAX) == SIZE_MAX);
  TF_DeleteStatus(s);
}

static void worked_example(void) {
  char z[300];
  memset(z, 'z', 300);
  const char *strings[] = {"hi", NULL, z};
  size_t lengths[] = {2, 0, 300};
  int64_t three[] = {3};
  TF_Status *s = TF_NewStatus();
  TF_Tensor *t = restride_strings(three, 1, strings, lengths, 3, s);
  CHECK_STATUS(s, TF_OK);
  static const unsigned char head[30] = {0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0,
                                         2, 0x68, 0x69, 0, 0xac, 2};
  CHECK_EQ(TF_TensorByteSize(t), 330);
  CHECK(memcmp(TF_TensorData(t), head, 30) == 0);
  CHECK(memcmp((char *)TF_TensorData(t) + 30, z, 300) == 0);
  /* Every other one, backwards: offsets are made anew. */
  const int64_t strides[] = {-2}, shape[] = {2};
  restride_layout *view = restride_layout_strided(2, strides, shape, 1, s);
  TF_Tensor *picked = restride_materialize(NULL, t, view, s);
  CHECK_STATUS(s, TF_OK);
  CHECK_EQ(TF_TensorByteSize(picked), 16 + 302 + 3);
  const char *at = NULL;
  size_t len = 0;
  CHECK(restride_string_at(picked, 1, &at, &len, s));
  CHECK(len == 2 && memcmp(at, "hi", 2) == 0);
  CHECK(!restride_string_at(picked, 2, &at, &len, s));
  CHECK_STATUS(s, TF_INVALID_ARGUMENT);
  CHECK(restride_strings(three, 1, strings, lengths, 2, s) == NULL);
  CHECK_STATUS(s, TF_INVALID_ARGUMENT);
  TF_DeleteTensor(picked);
  TF_DeleteTensor(t);
  restride_layout_delete(view);
  TF_DeleteStatus(s);
}

int main(void) {
  static const Test tests[] = {
      TEST(null_data_with_a_length), TEST(byte_counts_that_wrap), TEST(bitcast_of_nothing_to_a_count_that_wraps),
      TEST(set_shape_then_bitcast_past_the_bytes), TEST(offsets_are_unsigned), TEST(strings_end_inside),
      TEST(decode_stays_inside), TEST(encode_writes_all_or_nothing), TEST(worked_example),
  };
  return RUN(tests);
}
