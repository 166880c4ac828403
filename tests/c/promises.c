/* What tf_tensor.h and restride.h promise of each function, one test for each: lawful, refused, and what is left untouched. */

#include <limits.h>

#include "check.h"
#include "memory.h"
#include "restride.h"

static const int64_t MATRIX[] = {2, 3};

/* A refused TF_NewTensor: NULL, and the deallocator called once with what was given. */
static void refused(TF_DataType type, const int64_t *dims, int rank, size_t len, size_t skew) {
  Counted c = counted(len, skew);
  CHECK(TF_NewTensor(type, dims, rank, c.data, len, release, &c) == NULL);
  CHECK_EQ(c.calls, 1);
  CHECK_EQ(c.wrong, 0);
}

static void new_refuses(void) {
  int64_t negative[] = {2, -1}, overflow[] = {INT64_C(1) << 40, INT64_C(1) << 40};
  int64_t late_zero[] = {INT64_C(1) << 40, INT64_C(1) << 40, 0}, huge[] = {INT64_MAX}, long_dims[255], strings[] = {2};
  for (int i = 0; i < 255; i++) long_dims[i] = 1;
  refused(TF_FLOAT, MATRIX, 2, 23, 0);
  refused(TF_FLOAT, MATRIX, 2, 23, 4);
  refused(TF_INT4, strings, 1, 1, 0);
  refused(TF_STRING, strings, 1, 16, 0);
  refused(TF_RESOURCE, MATRIX, 2, 24, 0);
  refused(TF_VARIANT, MATRIX, 2, 24, 0);
  refused((TF_DataType)0, MATRIX, 2, 24, 0);
  refused((TF_DataType)34, MATRIX, 2, 24, 0);
  refused((TF_DataType)300, MATRIX, 2, 24, 0);
  refused((TF_DataType)-1, MATRIX, 2, 24, 0);
  refused(TF_FLOAT, negative, 2, 24, 0);
  refused(TF_FLOAT, overflow, 2, 24, 0);
  refused(TF_FLOAT, late_zero, 3, 24, 0);
  refused(TF_INT8, huge, 1, 24, 0);
  refused(TF_FLOAT, long_dims, 255, 24, 0);
  refused(TF_FLOAT, MATRIX, -1, 24, 0);
  refused(TF_FLOAT, NULL, 2, 24, 0);
}

static void count_calls(void *data, size_t len, void *arg) {
  CHECK(data == NULL);
  CHECK_EQ(len, 8);
  ++*(int *)arg;
}

static void new_refuses_null_data(void) {
  int calls = 0;
  CHECK(TF_NewTensor(TF_FLOAT, MATRIX, 0, NULL, 8, count_calls, &calls) == NULL);
  CHECK_EQ(calls, 1);
}

static void new_accepts(void) {
  int64_t early_zero[] = {0, INT64_C(1) << 40, INT64_C(1) << 40}, long_dims[254];
  for (int i = 0; i < 254; i++) long_dims[i] = 1;
  Counted c = counted(24, 0);
  TF_Tensor *t = TF_NewTensor(TF_FLOAT, early_zero, 3, c.data, 24, release, &c);
  CHECK_EQ(TF_TensorElementCount(t), 0);
  TF_DeleteTensor(t);
  CHECK_EQ(c.calls, 1);
  c = counted(24, 0);
  t = TF_NewTensor(TF_FLOAT, long_dims, 254, c.data, 24, release, &c);
  CHECK_EQ(TF_NumDims(t), 254);
  TF_DeleteTensor(t);
  CHECK_EQ(c.calls, 1);
}

static void new_keeps_a_larger_length(void) {
  Counted c = counted(40, 0);
  TF_Tensor *t = TF_NewTensor(TF_FLOAT, MATRIX, 2, c.data, 40, release, &c);
  CHECK_EQ(TF_TensorByteSize(t), 40);
  CHECK_EQ(TF_TensorElementCount(t), 6);
  TF_DeleteTensor(t);
  CHECK_EQ(c.calls, 1);
  CHECK_EQ(c.wrong, 0);
}

static void new_copies_misaligned_data(void) {
  Counted c = counted(40, 4);
  memcpy(c.data, "all forty bytes, not the logical ones!!", 40);
  TF_Tensor *t = TF_NewTensor(TF_FLOAT, MATRIX, 2, c.data, 40, release, &c);
  CHECK(t != NULL);
  CHECK_EQ(c.calls, 1);
  CHECK_EQ(c.wrong, 0);
  CHECK(TF_TensorData(t) != c.data);
  CHECK(TF_TensorIsAligned(t));
  CHECK(memcmp(TF_TensorData(t), "all forty bytes, not the logical ones!!", 40) == 0);
  CHECK(TF_TensorMaybeMove(t) == t);
  TF_DeleteTensor(t);
  CHECK_EQ(c.calls, 1);
}

static void new_takes_no_deallocator(void) {
  char bytes[128];
  char *aligned = bytes + (64 - (uintptr_t)bytes % 64) % 64;
  for (int skew = 0; skew < 2; skew++) {
    TF_Tensor *t = TF_NewTensor(TF_INT8, MATRIX, 2, aligned + skew, 6, NULL, NULL);
    CHECK(t != NULL);
    TF_DeleteTensor(t);
  }
  CHECK(TF_NewTensor(TF_INT8, MATRIX, 2, aligned, 5, NULL, NULL) == NULL);
}

static void new_wraps_strings_anywhere(void) {
  Counted c = counted(17, 3);
  memset(c.data, 0, 17);
  int64_t two[] = {2};
  TF_Tensor *t = TF_NewTensor(TF_STRING, two, 1, c.data, 17, release, &c);
  CHECK(TF_TensorData(t) == c.data);
  CHECK_EQ(c.calls, 0);
  CHECK(TF_TensorIsAligned(t));
  TF_DeleteTensor(t);
  CHECK_EQ(c.calls, 1);
}

static void new_without_elements(void) {
  int64_t empty[] = {0}, also[] = {3, 0, 2};
  int calls = 0;
  TF_Tensor *t = TF_NewTensor(TF_FLOAT, empty, 1, NULL, 0, NULL, &calls);
  CHECK(t != NULL);
  CHECK(TF_TensorData(t) == NULL);
  CHECK(TF_TensorIsAligned(t));
  TF_DeleteTensor(t);
  Counted c = counted(0, 5);
  t = TF_NewTensor(TF_FLOAT, also, 3, c.data, 0, release, &c);
  CHECK(t != NULL);
  CHECK_EQ(c.calls, 1);
  CHECK(TF_TensorData(t) != NULL && TF_TensorData(t) != c.data);
  TF_DeleteTensor(t);
  CHECK_EQ(c.calls, 1);
}

static void allocate(void) {
  int64_t strings[] = {3}, empty[] = {0}, huge[] = {INT64_C(1) << 58};
  TF_Tensor *t = TF_AllocateTensor(TF_FLOAT, MATRIX, 2, 40);
  CHECK_EQ((uintptr_t)TF_TensorData(t) % 64, 0);
  for (int i = 0; i < 40; i++) CHECK_EQ(((char *)TF_TensorData(t))[i], 0);
  CHECK_EQ(TF_TensorByteSize(t), 40);
  TF_DeleteTensor(t);
  CHECK(TF_AllocateTensor(TF_FLOAT, MATRIX, 2, 23) == NULL);
  CHECK(TF_AllocateTensor(TF_FLOAT, MATRIX, -1, 24) == NULL);
  CHECK(TF_AllocateTensor((TF_DataType)34, MATRIX, 2, 24) == NULL);
  CHECK(TF_AllocateTensor(TF_VARIANT, MATRIX, 2, 24) == NULL);
  /* More than there is, and more than an address counts. */
  CHECK(TF_AllocateTensor(TF_FLOAT, huge, 1, (size_t)1 << 60) == NULL);
  CHECK(TF_AllocateTensor(TF_FLOAT, MATRIX, 2, SIZE_MAX) == NULL);
  CHECK(TF_AllocateTensor(TF_FLOAT, MATRIX, 2, SIZE_MAX / 2 - 8) == NULL);
  /* Strings start as empty. */
  CHECK(TF_AllocateTensor(TF_STRING, strings, 1, 24) == NULL);
  t = TF_AllocateTensor(TF_STRING, strings, 1, 25);
  for (uint64_t i = 0; i < 3; i++) {
    const char *at = NULL;
    size_t len = 1;
    CHECK(restride_string_at(t, i, &at, &len, NULL));
    CHECK_EQ(len, 0);
  }
  TF_DeleteTensor(t);
  t = TF_AllocateTensor(TF_STRING, empty, 1, 0);
  CHECK(t != NULL);
  TF_DeleteTensor(t);
}

static void maybe_move(void) {
  TF_Status *s = TF_NewStatus();
  TF_Tensor *a = TF_AllocateTensor(TF_FLOAT, MATRIX, 2, 24);
  CHECK(TF_TensorMaybeMove(a) == a);
  TF_Tensor *b = TF_AllocateTensor(TF_FLOAT, NULL, 0, 4);
  TF_TensorBitcastFrom(a, TF_FLOAT, b, MATRIX, 2, s);
  CHECK(TF_TensorMaybeMove(a) == NULL);
  CHECK(TF_TensorMaybeMove(b) == NULL);
  CHECK_EQ(TF_Dim(a, 1), 3);
  TF_DeleteTensor(a);
  CHECK(TF_TensorMaybeMove(b) == b);
  TF_DeleteTensor(b);
  CHECK(TF_TensorMaybeMove(NULL) == NULL);
  TF_DeleteStatus(s);
}

static void delete_keeps_shared_bytes(void) {
  TF_Status *s = TF_NewStatus();
  Counted c = counted(24, 0);
  TF_Tensor *a = TF_NewTensor(TF_FLOAT, MATRIX, 2, c.data, 24, release, &c);
  TF_Tensor *b = restride_tensor_share(a, s);
  CHECK_STATUS(s, TF_OK);
  CHECK(TF_TensorData(a) == TF_TensorData(b));
  TF_DeleteTensor(a);
  CHECK_EQ(c.calls, 0);
  CHECK_EQ(((unsigned char *)TF_TensorData(b))[23], 0x5a);
  TF_DeleteTensor(b);
  CHECK_EQ(c.calls, 1);
  TF_DeleteStatus(s);
}

static void getters(void) {
  TF_Tensor *t = TF_AllocateTensor(TF_HALF, MATRIX, 2, 12);
  CHECK_EQ(TF_TensorType(t), TF_HALF);
  CHECK_EQ(TF_NumDims(t), 2);
  CHECK_EQ(TF_Dim(t, 1), 3);
  CHECK_EQ(TF_Dim(t, 2), -1);
  CHECK_EQ(TF_Dim(t, -1), -1);
  CHECK_EQ(TF_Dim(t, INT_MIN), -1);
  TF_DeleteTensor(t);
  t = TF_AllocateTensor(TF_HALF, NULL, 0, 2);
  CHECK_EQ(TF_NumDims(t), 0);
  CHECK_EQ(TF_Dim(t, 0), -1);
  CHECK_EQ(TF_TensorElementCount(t), 1);
  TF_DeleteTensor(t);
}

static void getters_of_null(void) {
  CHECK_EQ(TF_TensorType(NULL), 0);
  CHECK_EQ(TF_NumDims(NULL), -1);
  CHECK_EQ(TF_Dim(NULL, 0), -1);
  CHECK_EQ(TF_TensorByteSize(NULL), 0);
  CHECK(TF_TensorData(NULL) == NULL);
  CHECK_EQ(TF_TensorElementCount(NULL), -1);
  CHECK(TF_TensorIsAligned(NULL));
  TF_SetShape(NULL, MATRIX, 2);
  TF_TensorBitcastFrom(NULL, TF_FLOAT, NULL, MATRIX, 2, NULL);
}

static void set_shape(void) {
  TF_Tensor *t = TF_AllocateTensor(TF_FLOAT, MATRIX, 2, 24);
  int64_t turned[] = {3, 2}, four[] = {4}, seven[] = {7}, empty[] = {0}, negative[] = {-1};
  int64_t overflow[] = {INT64_C(1) << 40, INT64_C(1) << 40};
  struct {
    const int64_t *dims;
    int rank, count;
  } fine[] = {{turned, 2, 6}, {four, 1, 4}, {empty, 1, 0}, {NULL, 0, 1}, {MATRIX, 2, 6}};
  for (int i = 0; i < 5; i++) {
    TF_SetShape(t, fine[i].dims, fine[i].rank);
    CHECK_EQ(TF_NumDims(t), fine[i].rank);
    CHECK_EQ(TF_TensorElementCount(t), fine[i].count);
    CHECK_EQ(TF_TensorByteSize(t), 24);
  }
  struct {
    const int64_t *dims;
    int rank;
  } bad[] = {{seven, 1}, {negative, 1}, {overflow, 2}, {NULL, 1}, {MATRIX, -1}};
  for (int i = 0; i < 5; i++) {
    TF_SetShape(t, bad[i].dims, bad[i].rank);
    CHECK_EQ(TF_NumDims(t), 2);
    CHECK_EQ(TF_TensorElementCount(t), 6);
  }
  TF_DeleteTensor(t);
}

static void bitcast_refuses(void) {
  TF_Status *s = TF_NewStatus();
  int64_t negative[] = {-1}, overflow[] = {INT64_C(1) << 40, INT64_C(1) << 40}, dims[255], six[] = {6};
  for (int i = 0; i < 255; i++) dims[i] = 1;
  TF_Tensor *a = TF_AllocateTensor(TF_FLOAT, MATRIX, 2, 64), *b = TF_AllocateTensor(TF_BOOL, NULL, 0, 1);
  TF_Tensor *strings = TF_AllocateTensor(TF_STRING, NULL, 0, 9);
  void *data = TF_TensorData(b);
  struct {
    const TF_Tensor *from;
    TF_DataType type;
    const int64_t *dims;
    int rank;
  } cases[] = {
      {a, TF_FLOAT, six, 0},      {a, TF_UINT8, six, 1},        {a, TF_FLOAT, negative, 1}, {a, TF_FLOAT, overflow, 2},
      {a, TF_FLOAT, dims, 255},   {a, TF_FLOAT, six, -1},       {a, TF_FLOAT, NULL, 1},     {a, TF_STRING, six, 1},
      {a, TF_RESOURCE, six, 1},   {a, TF_VARIANT, six, 1},      {a, (TF_DataType)34, six, 1}, {strings, TF_UINT8, six, 1},
      {strings, TF_STRING, NULL, 0}, {NULL, TF_FLOAT, six, 1},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    TF_TensorBitcastFrom(cases[i].from, cases[i].type, b, cases[i].dims, cases[i].rank, s);
    CHECK_STATUS(s, TF_INVALID_ARGUMENT);
    CHECK_EQ(TF_TensorType(b), TF_BOOL);
    CHECK_EQ(TF_NumDims(b), 0);
    CHECK(TF_TensorData(b) == data);
  }
  TF_TensorBitcastFrom(a, TF_FLOAT, NULL, six, 1, s);
  CHECK_STATUS(s, TF_INVALID_ARGUMENT);
  /* Without a status the refusal is the same. */
  TF_TensorBitcastFrom(a, TF_UINT8, b, six, 1, NULL);
  CHECK(TF_TensorData(b) == data);
  TF_DeleteTensor(a);
  TF_DeleteTensor(b);
  TF_DeleteTensor(strings);
  TF_DeleteStatus(s);
}

static void bitcast_lets_go_of_old_bytes(void) {
  TF_Status *s = TF_NewStatus();
  Counted c = counted(24, 0);
  int64_t bytes[] = {24}, zero[] = {0}, nothing[] = {7, 0};
  TF_Tensor *old = TF_NewTensor(TF_FLOAT, MATRIX, 2, c.data, 24, release, &c);
  TF_Tensor *a = TF_AllocateTensor(TF_INT4, bytes, 1, 24);
  TF_TensorBitcastFrom(a, TF_FLOAT, old, MATRIX, 2, s);
  CHECK_STATUS(s, TF_OK);
  CHECK_EQ(c.calls, 1);
  /* Onto itself: a reshape. */
  TF_TensorBitcastFrom(old, TF_UINT8, old, bytes, 1, s);
  CHECK_STATUS(s, TF_OK);
  CHECK_EQ(TF_TensorType(old), TF_UINT8);
  CHECK_EQ(TF_Dim(old, 0), 24);
  CHECK(TF_TensorData(old) == TF_TensorData(a));
  /* No elements to no elements of any size. */
  TF_SetShape(a, zero, 1);
  TF_TensorBitcastFrom(a, TF_COMPLEX128, a, nothing, 2, s);
  CHECK_STATUS(s, TF_OK);
  TF_DeleteTensor(a);
  TF_DeleteTensor(old);
  TF_DeleteStatus(s);
}

static void allocator_attributes(void) {
  CHECK_EQ(TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE, offsetof(TF_AllocatorAttributes, on_host) + 1);
  CHECK_EQ(sizeof(TF_Bool), 1);
  TF_Status *s = TF_NewStatus();
  TF_AllocatorAttributes attributes = {0, 1};
  CHECK(restride_allocate(&attributes, NULL, TF_FLOAT, MATRIX, 2, s) == NULL);
  CHECK_STATUS(s, TF_INVALID_ARGUMENT);
  attributes.struct_size = TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE;
  attributes.on_host = 0;
  CHECK(restride_allocate(&attributes, NULL, TF_FLOAT, MATRIX, 2, s) == NULL);
  CHECK_STATUS(s, TF_FAILED_PRECONDITION);
  restride_device *cpu = restride_device_open("cpu", s);
  CHECK_STATUS(s, TF_OK);
  CHECK(restride_allocate(&attributes, cpu, TF_FLOAT, MATRIX, 2, s) == NULL);
  CHECK_STATUS(s, TF_FAILED_PRECONDITION);
  attributes.on_host = 2;
  TF_Tensor *t = restride_allocate(&attributes, cpu, TF_FLOAT, MATRIX, 2, s);
  CHECK_STATUS(s, TF_OK);
  CHECK(restride_tensor_on_host(t));
  CHECK_EQ(TF_TensorByteSize(t), 24);
  TF_DeleteTensor(t);
  t = restride_allocate(NULL, NULL, TF_STRING, MATRIX, 2, s);
  CHECK_EQ(TF_TensorByteSize(t), 49);
  TF_DeleteTensor(t);
  CHECK(restride_allocate(NULL, NULL, TF_RESOURCE, MATRIX, 2, s) == NULL);
  CHECK_STATUS(s, TF_INVALID_ARGUMENT);
  restride_device_delete(cpu);
  TF_DeleteStatus(s);
}

static void statuses(void) {
  TF_Status *s = TF_NewStatus();
  TF_SetStatus(s, TF_ABORTED, NULL);
  CHECK_EQ(TF_GetCode(s), TF_ABORTED);
  CHECK(strcmp(TF_Message(s), "") == 0);
  TF_SetStatus(s, TF_OK, "said in vain");
  CHECK_STATUS(s, TF_OK);
  /* A success wipes what was there. */
  TF_SetStatus(s, TF_UNKNOWN, "before");
  restride_layout_delete(restride_layout_contiguous(MATRIX, 2, s));
  CHECK_STATUS(s, TF_OK);
  CHECK_EQ(TF_GetCode(NULL), TF_OK);
  CHECK(strcmp(TF_Message(NULL), "") == 0);
  TF_SetStatus(NULL, TF_ABORTED, "nowhere");
  TF_DeleteStatus(s);
}

int main(void) {
  static const Test tests[] = {
      TEST(new_refuses), TEST(new_refuses_null_data), TEST(new_accepts), TEST(new_keeps_a_larger_length),
      TEST(new_copies_misaligned_data), TEST(new_takes_no_deallocator), TEST(new_wraps_strings_anywhere),
      TEST(new_without_elements), TEST(allocate), TEST(maybe_move), TEST(delete_keeps_shared_bytes), TEST(getters),
      TEST(getters_of_null), TEST(set_shape), TEST(bitcast_refuses), TEST(bitcast_lets_go_of_old_bytes),
      TEST(allocator_attributes), TEST(statuses),
  };
  return RUN(tests);
}
