/* The tests of the original library that need no more than these headers, in our words: the same inputs, the same
 * expectations. Those about its own string objects keep their intent on the layout that the header describes. */

#include "tensorflow/c/tf_tensor.h"

#include "check.h"
#include "memory.h"
#include "restride.h"

static void status(void) {
  TF_Status *s = TF_NewStatus();
  CHECK_EQ(TF_GetCode(s), TF_OK);
  CHECK(strcmp(TF_Message(s), "") == 0);
  TF_SetStatus(s, TF_CANCELLED, "cancel");
  CHECK_EQ(TF_GetCode(s), TF_CANCELLED);
  CHECK(strcmp(TF_Message(s), "cancel") == 0);
  TF_DeleteStatus(s);
}

static void tensor(void) {
  Counted c = counted(24, 0);
  int64_t dims[] = {2, 3};
  TF_Tensor *t = TF_NewTensor(TF_FLOAT, dims, 2, c.data, 24, release, &c);
  CHECK(t != NULL);
  CHECK_EQ(c.calls, 0);
  CHECK_EQ(TF_TensorType(t), TF_FLOAT);
  CHECK_EQ(TF_NumDims(t), 2);
  CHECK_EQ(TF_Dim(t, 0), 2);
  CHECK_EQ(TF_Dim(t, 1), 3);
  CHECK_EQ(TF_TensorByteSize(t), 24);
  CHECK(TF_TensorData(t) == c.data);
  TF_DeleteTensor(t);
  CHECK_EQ(c.calls, 1);
  CHECK_EQ(c.wrong, 0);
}

static void nothing(void *data, size_t len, void *arg) {
  (void)data;
  (void)len;
  (void)arg;
}

static void malformed_tensor(void) {
  CHECK(TF_NewTensor(TF_FLOAT, NULL, 0, NULL, 0, nothing, NULL) == NULL);
}

static void allocate_tensor(void) {
  int64_t dims[] = {2, 3};
  TF_Tensor *t = TF_AllocateTensor(TF_FLOAT, dims, 2, 24);
  CHECK(t != NULL);
  CHECK_EQ(TF_TensorType(t), TF_FLOAT);
  CHECK_EQ(TF_NumDims(t), 2);
  CHECK_EQ(TF_Dim(t, 0), 2);
  CHECK_EQ(TF_Dim(t, 1), 3);
  CHECK_EQ(TF_TensorByteSize(t), 24);
  TF_DeleteTensor(t);
}

static void allocate_rank_three(void) {
  int64_t dims[] = {1, 5, 12};
  TF_Tensor *t = TF_AllocateTensor(TF_FLOAT, dims, 3, 240);
  CHECK_EQ(TF_TensorElementCount(t), 60);
  CHECK_EQ(TF_Dim(t, 2), 12);
  TF_DeleteTensor(t);
}

static void maybe_move(void) {
  Counted c = counted(24, 0);
  int64_t dims[] = {2, 3};
  TF_Tensor *t = TF_NewTensor(TF_FLOAT, dims, 2, c.data, 24, release, &c);
  CHECK(TF_TensorMaybeMove(t) == NULL);
  CHECK_EQ(c.calls, 0);
  TF_DeleteTensor(t);
  CHECK_EQ(c.calls, 1);
}

/* Encodes and decodes `count` strings under dims that take `used` of them. */
static void strings_under(const char *const *strings, size_t count, const int64_t *dims, int rank, size_t used) {
  TF_Status *s = TF_NewStatus();
  size_t total = 8 * used;
  for (size_t i = 0; i < used; i++) total += TF_StringEncodedSize(strlen(strings[i]));
  CHECK(used <= count);
  TF_Tensor *t = TF_AllocateTensor(TF_STRING, dims, rank, total);
  CHECK(t != NULL);
  char *table = (char *)TF_TensorData(t), *data = table + 8 * used;
  uint64_t at = 0;
  for (size_t i = 0; i < used; i++) {
    for (int k = 0; k < 8; k++) table[8 * i + (size_t)k] = (char)(at >> 8 * k & 0xff);
    at += TF_StringEncode(strings[i], strlen(strings[i]), data + at, total - 8 * used - at, s);
    CHECK_STATUS(s, TF_OK);
  }
  CHECK_EQ(8 * used + at, total);
  for (size_t i = 0; i < used; i++) {
    const char *found = NULL;
    size_t len = 0;
    CHECK(restride_string_at(t, i, &found, &len, s));
    CHECK_STATUS(s, TF_OK);
    CHECK(len == strlen(strings[i]) && memcmp(found, strings[i], len) == 0);
  }
  TF_DeleteTensor(t);
  TF_DeleteStatus(s);
}

static void encode_decode_strings(void) {
  char thousand[1001];
  memset(thousand, 'a', 1000);
  thousand[1000] = '\0';
  const char *one[] = {"hello"}, *many[] = {"the", "quick", "brown", "fox", "jumped", "over"};
  const char *mixed[3] = {"small", NULL, "small2"};
  mixed[1] = thousand;
  struct {
    const char *const *strings;
    size_t count;
  } lists[] = {{NULL, 0}, {one, 1}, {many, 6}, {mixed, 3}};
  for (size_t i = 0; i < 4; i++) {
    int64_t n = (int64_t)lists[i].count;
    int64_t flat[] = {n}, row[] = {1, n}, column[] = {n, 1}, pairs[] = {n / 2, 2};
    strings_under(lists[i].strings, lists[i].count, flat, 1, (size_t)n);
    strings_under(lists[i].strings, lists[i].count, row, 2, (size_t)n);
    strings_under(lists[i].strings, lists[i].count, column, 2, (size_t)n);
    strings_under(lists[i].strings, lists[i].count, pairs, 2, (size_t)(n / 2 * 2));
  }
}

static void data_type_enum(void) {
  static const int sizes[34] = {0, 4, 8, 4, 1, 2, 1, 0, 8, 8, 1, 1, 1, 4, 2, 2, 2, 2,
                                16, 2, 0, 0, 4, 8, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  for (int code = 0; code < 34; code++) CHECK_EQ(TF_DataTypeSize((TF_DataType)code), sizes[code]);
  CHECK_EQ(TF_DataTypeSize((TF_DataType)34), 0);
  CHECK_EQ(TF_DataTypeSize((TF_DataType)101), 0);
  CHECK_EQ(TF_COMPLEX, TF_COMPLEX64);
  CHECK_EQ(TF_FLOAT, 1);
  CHECK_EQ(TF_STRING, 7);
  CHECK_EQ(TF_HALF, 19);
  CHECK_EQ(TF_UINT64, 23);
  CHECK_EQ(TF_FLOAT4_E2M1FN, 33);
}

static void status_enum(void) {
  CHECK_EQ(TF_OK, 0);
  CHECK_EQ(TF_CANCELLED, 1);
  CHECK_EQ(TF_UNKNOWN, 2);
  CHECK_EQ(TF_INVALID_ARGUMENT, 3);
  CHECK_EQ(TF_DEADLINE_EXCEEDED, 4);
  CHECK_EQ(TF_NOT_FOUND, 5);
  CHECK_EQ(TF_ALREADY_EXISTS, 6);
  CHECK_EQ(TF_PERMISSION_DENIED, 7);
  CHECK_EQ(TF_RESOURCE_EXHAUSTED, 8);
  CHECK_EQ(TF_FAILED_PRECONDITION, 9);
  CHECK_EQ(TF_ABORTED, 10);
  CHECK_EQ(TF_OUT_OF_RANGE, 11);
  CHECK_EQ(TF_UNIMPLEMENTED, 12);
  CHECK_EQ(TF_INTERNAL, 13);
  CHECK_EQ(TF_UNAVAILABLE, 14);
  CHECK_EQ(TF_DATA_LOSS, 15);
  CHECK_EQ(TF_UNAUTHENTICATED, 16);
}

static void deleting_null_is_safe(void) {
  TF_DeleteStatus(NULL);
  TF_DeleteTensor(NULL);
}

static void untouched_strings_delete(void) {
  int64_t dims[] = {100};
  TF_Tensor *t = TF_AllocateTensor(TF_STRING, dims, 1, 2400);
  CHECK(t != NULL);
  TF_DeleteTensor(t);
}

static void bitcast_reshape(void) {
  int64_t two_three[] = {2, 3}, three_two[] = {3, 2};
  TF_Tensor *a = TF_AllocateTensor(TF_UINT64, two_three, 2, 48);
  TF_Tensor *b = TF_AllocateTensor(TF_UINT64, NULL, 0, 8);
  TF_Status *s = TF_NewStatus();
  CHECK_EQ(TF_TensorElementCount(a), 6);
  CHECK_EQ(TF_TensorElementCount(b), 1);
  TF_TensorBitcastFrom(a, TF_UINT64, b, three_two, 2, s);
  CHECK_STATUS(s, TF_OK);
  CHECK_EQ(TF_TensorElementCount(a), 6);
  CHECK_EQ(TF_TensorElementCount(b), 6);
  CHECK_EQ(TF_TensorByteSize(a), 48);
  CHECK_EQ(TF_TensorByteSize(b), 48);
  *(uint64_t *)TF_TensorData(a) = 4;
  CHECK_EQ(*(uint64_t *)TF_TensorData(b), 4);
  *(uint64_t *)TF_TensorData(b) = 6;
  CHECK_EQ(*(uint64_t *)TF_TensorData(a), 6);
  TF_DeleteTensor(a);
  CHECK_EQ(*(uint64_t *)TF_TensorData(b), 6);
  TF_DeleteTensor(b);
  TF_DeleteStatus(s);
}

/* One bitcast of the operation's tests: dims of -1 end a list. */
static void bitcast_case(TF_DataType from, const int64_t *from_dims, TF_DataType to, const int64_t *to_dims, TF_Code code) {
  int from_rank = 0, to_rank = 0;
  size_t bytes = TF_DataTypeSize(from);
  for (; from_dims[from_rank] >= 0; from_rank++) bytes *= (size_t)from_dims[from_rank];
  while (to_dims[to_rank] >= 0) to_rank++;
  TF_Status *s = TF_NewStatus();
  TF_Tensor *a = TF_AllocateTensor(from, from_dims, from_rank, bytes);
  TF_Tensor *b = TF_AllocateTensor(TF_BOOL, NULL, 0, 1);
  TF_TensorBitcastFrom(a, to, b, to_dims, to_rank, s);
  CHECK_STATUS(s, code);
  CHECK_EQ(TF_TensorType(b), code == TF_OK ? to : TF_BOOL);
  TF_DeleteTensor(a);
  TF_DeleteTensor(b);
  TF_DeleteStatus(s);
}

static void bitcast_operation(void) {
  int64_t scalar[] = {-1}, one[] = {1, -1}, eight[] = {8, -1}, m46[] = {4, 6, -1}, m464[] = {4, 6, 4, -1};
  int64_t m34[] = {3, 4, -1}, m348[] = {3, 4, 8, -1};
  bitcast_case(TF_UINT8, eight, TF_UINT64, scalar, TF_OK);
  bitcast_case(TF_UINT64, scalar, TF_UINT8, eight, TF_OK);
  bitcast_case(TF_UINT32, m46, TF_UINT8, m464, TF_OK);
  bitcast_case(TF_UINT8, one, TF_UINT32, scalar, TF_INVALID_ARGUMENT);
  bitcast_case(TF_INT64, m34, TF_INT8, m348, TF_OK);
  bitcast_case(TF_INT8, m348, TF_INT64, m34, TF_OK);
  bitcast_case(TF_FLOAT, m34, TF_INT32, m34, TF_OK);
}

static void tensor_aligned(void) {
  int64_t dims[] = {7};
  TF_Tensor *t = TF_AllocateTensor(TF_FLOAT, dims, 1, 28);
  CHECK(TF_TensorDefaultAlignment() == 64);
  CHECK(TF_TensorIsAligned(t));
  TF_DeleteTensor(t);
}

static void strings_allocate_delete(void) {
  const char *text = "This is a string of more than 22 bytes";
  int64_t dims[] = {4, 1};
  const char *strings[] = {text, text, text, text};
  size_t lengths[4];
  for (int i = 0; i < 4; i++) lengths[i] = strlen(text);
  TF_Status *s = TF_NewStatus();
  TF_Tensor *t = restride_strings(dims, 2, strings, lengths, 4, s);
  CHECK_STATUS(s, TF_OK);
  CHECK(restride_strings_check(t, s));
  TF_DeleteTensor(t);
  TF_DeleteStatus(s);
}

static void old_string_attribute(void) {
  static const char bytes[10] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 'A'};
  Counted c = counted(10, 1);
  memcpy(c.data, bytes, 10);
  TF_Tensor *t = TF_NewTensor(TF_STRING, NULL, 0, c.data, 10, release, &c);
  const char *found = NULL;
  size_t len = 0;
  TF_Status *s = TF_NewStatus();
  CHECK(restride_string_at(t, 0, &found, &len, s));
  CHECK(len == 1 && found[0] == 'A');
  TF_Tensor *copy = restride_materialize(NULL, t, NULL, s);
  CHECK_EQ(TF_TensorByteSize(copy), 10);
  CHECK(memcmp(TF_TensorData(copy), bytes, 10) == 0);
  TF_DeleteTensor(copy);
  TF_DeleteTensor(t);
  TF_DeleteStatus(s);
  CHECK_EQ(c.calls, 1);
}

static void new_string_attribute(void) {
  const char *text = "borkborkborkborkborkborkborkbork";
  const size_t length = 32;
  TF_Status *s = TF_NewStatus();
  TF_Tensor *t = restride_strings(NULL, 0, &text, &length, 1, s);
  const char *found = NULL;
  size_t len = 0;
  CHECK(restride_string_at(t, 0, &found, &len, s));
  CHECK(len == 32 && memcmp(found, text, 32) == 0);
  TF_DeleteTensor(t);
  TF_DeleteStatus(s);
}

static void allocate_temp(void) {
  TF_AllocatorAttributes attributes = {TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE, 1};
  int64_t one[] = {1}, empty[] = {0}, matrix[] = {2, 3};
  struct {
    const int64_t *dims;
    int rank, count;
  } cases[] = {{one, 1, 1}, {empty, 1, 0}, {matrix, 2, 6}};
  TF_Status *s = TF_NewStatus();
  for (int i = 0; i < 3; i++) {
    TF_Tensor *t = restride_allocate(&attributes, NULL, TF_FLOAT, cases[i].dims, cases[i].rank, s);
    CHECK_STATUS(s, TF_OK);
    CHECK_EQ(TF_TensorType(t), TF_FLOAT);
    CHECK_EQ(TF_NumDims(t), cases[i].rank);
    CHECK_EQ(TF_TensorElementCount(t), cases[i].count);
    CHECK_EQ(TF_TensorByteSize(t), 4 * cases[i].count);
    float *data = (float *)TF_TensorData(t);
    for (int k = 0; k < cases[i].count; k++) data[k] = (float)(k + 1);
    for (int k = 0; k < cases[i].count; k++) CHECK(data[k] == (float)(k + 1));
    TF_DeleteTensor(t);
  }
  TF_DeleteStatus(s);
}

/* Sizes that bindings for other languages test: enough, too many, too few. */
static void sizes_of_bindings(void) {
  int64_t cube[] = {2, 2, 2}, square[] = {2, 2}, empty[] = {3, 0, 1};
  struct {
    TF_DataType type;
    const int64_t *dims;
    int rank;
    size_t len;
    bool fine;
  } cases[] = {
      {TF_INT32, cube, 3, 32, true},   {TF_INT32, cube, 3, 36, true},     {TF_INT32, cube, 3, 31, false},
      {TF_FLOAT, square, 2, 16, true}, {TF_FLOAT, square, 2, 100, true},  {TF_FLOAT, square, 2, 10, false},
      {TF_STRING, square, 2, 100, true}, {TF_FLOAT, empty, 3, 0, true},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    TF_Tensor *t = TF_AllocateTensor(cases[i].type, cases[i].dims, cases[i].rank, cases[i].len);
    CHECK_EQ(t != NULL, cases[i].fine);
    if (t != NULL) CHECK_EQ(TF_TensorByteSize(t), cases[i].len);
    TF_DeleteTensor(t);
  }
}

int main(void) {
  static const Test tests[] = {
      TEST(status), TEST(tensor), TEST(malformed_tensor), TEST(allocate_tensor), TEST(allocate_rank_three),
      TEST(maybe_move), TEST(encode_decode_strings), TEST(data_type_enum), TEST(status_enum),
      TEST(deleting_null_is_safe), TEST(untouched_strings_delete), TEST(bitcast_reshape), TEST(bitcast_operation),
      TEST(tensor_aligned), TEST(strings_allocate_delete), TEST(old_string_attribute), TEST(new_string_attribute),
      TEST(allocate_temp), TEST(sizes_of_bindings),
  };
  return RUN(tests);
}
