/* Layouts, moves, and strided copies on the CPU executor. */

#include "check.h"
#include "memory.h"
#include "restride.h"

static TF_Status *s;

/* The layout's words, to be compared with what they should be; the layout is deleted. */
static void is(restride_layout *layout, const char *words) {
  char text[200] = "";
  CHECK_STATUS(s, TF_OK);
  CHECK(restride_layout_print(layout, text, sizeof text) == strlen(words));
  if (strcmp(text, words) != 0) {
    fprintf(stderr, "%s where %s is expected\n", text, words);
    check_failures++;
  }
  restride_layout_delete(layout);
}

static void refused(const restride_layout *layout, TF_Code code) {
  CHECK(layout == NULL);
  CHECK_STATUS(s, code);
}

static void queries(void) {
  const int64_t shape[] = {2, 3}, strides[] = {-3, 2};
  restride_layout *l = restride_layout_strided(5, strides, shape, 2, s);
  CHECK_EQ(restride_layout_rank(l), 2);
  CHECK_EQ(restride_layout_dim(l, 1), 3);
  CHECK_EQ(restride_layout_dim(l, 2), -1);
  CHECK_EQ(restride_layout_stride(l, 0), -3);
  CHECK_EQ(restride_layout_stride(l, -1), 0);
  CHECK_EQ(restride_layout_offset(l), 5);
  CHECK_EQ(restride_layout_numel(l), 6);
  uint64_t first = 0, end = 0;
  restride_layout_span(l, &first, &end);
  CHECK(first == 2 && end == 10);
  restride_layout_span(l, NULL, NULL);
  CHECK(!restride_layout_is_contiguous(l));
  CHECK(!restride_layout_is_distinct(l));
  const uint64_t index[] = {1, 2}, outside[] = {2, 0};
  CHECK_EQ(restride_layout_position(l, index, 2, s), 6);
  CHECK_STATUS(s, TF_OK);
  restride_layout_position(l, outside, 2, s);
  CHECK_STATUS(s, TF_INVALID_ARGUMENT);
  restride_layout_position(l, index, 1, s);
  CHECK_STATUS(s, TF_INVALID_ARGUMENT);
  restride_layout *same = restride_layout_copy(l, s);
  CHECK(restride_layout_equal(l, same));
  CHECK(!restride_layout_equal(l, NULL) && !restride_layout_equal(NULL, NULL));
  char text[8];
  CHECK(restride_layout_print(l, text, 8) > 7);
  CHECK(strcmp(text, "[2, 3] ") == 0);
  CHECK(restride_layout_print(l, NULL, 0) > 7);
  restride_layout_delete(same);
  restride_layout_delete(l);
  restride_layout_delete(NULL);
}

static void of_null(void) {
  CHECK_EQ(restride_layout_rank(NULL), -1);
  CHECK_EQ(restride_layout_dim(NULL, 0), -1);
  CHECK_EQ(restride_layout_numel(NULL), 0);
  CHECK_EQ(restride_layout_print(NULL, NULL, 0), 0);
  refused(restride_layout_of(NULL, s), TF_INVALID_ARGUMENT);
  refused(restride_layout_transpose(NULL, s), TF_INVALID_ARGUMENT);
  refused(restride_layout_contiguous(NULL, 2, s), TF_INVALID_ARGUMENT);
  const int64_t negative[] = {-2};
  refused(restride_layout_contiguous(negative, 1, s), TF_INVALID_ARGUMENT);
  refused(restride_layout_contiguous(negative, -1, s), TF_INVALID_ARGUMENT);
}

static void moves(void) {
  const int64_t shape[] = {2, 3, 4}, axes[] = {2, 0, -2}, six_four[] = {6, -1}, wide[] = {5, 2, 3, 4};
  const uint64_t starts[] = {1, 0, 3}, counts[] = {1, 3, 2};
  const int64_t steps[] = {1, 1, -2};
  restride_layout *l = restride_layout_contiguous(shape, 3, s);
  is(restride_layout_transpose(l, s), "[4, 3, 2] strides [1, 4, 12] offset 0");
  is(restride_layout_permute(l, axes, 3, s), "[4, 2, 3] strides [1, 12, 4] offset 0");
  is(restride_layout_swap_axes(l, 0, -1, s), "[4, 3, 2] strides [1, 4, 12] offset 0");
  is(restride_layout_move_axis(l, 0, -1, s), "[3, 4, 2] strides [4, 1, 12] offset 0");
  is(restride_layout_flip(l, 1, s), "[2, 3, 4] strides [12, -4, 1] offset 8");
  is(restride_layout_narrow(l, 2, 1, 2, s), "[2, 3, 2] strides [12, 4, 1] offset 1");
  is(restride_layout_select(l, 0, -1, s), "[3, 4] strides [4, 1] offset 12");
  is(restride_layout_step(l, 2, -3, s), "[2, 3, 2] strides [12, 4, -3] offset 3");
  is(restride_layout_slice(l, starts, counts, steps, 3, s), "[1, 3, 2] strides [0, 4, -2] offset 15");
  restride_layout *one = restride_layout_narrow(l, 0, 1, 1, s);
  is(restride_layout_squeeze(one, s), "[3, 4] strides [4, 1] offset 12");
  is(restride_layout_squeeze_axis(one, 0, s), "[3, 4] strides [4, 1] offset 12");
  refused(restride_layout_squeeze_axis(one, 1, s), TF_INVALID_ARGUMENT);
  restride_layout_delete(one);
  is(restride_layout_unsqueeze(l, -1, s), "[2, 3, 4, 1] strides [12, 4, 1, 0] offset 0");
  is(restride_layout_broadcast(l, wide, 4, s), "[5, 2, 3, 4] strides [0, 12, 4, 1] offset 0");
  is(restride_layout_reshape(l, six_four, 2, s), "[6, 4] strides [4, 1] offset 0");
  is(restride_layout_window(l, 2, 2, 1, 2, s), "[2, 3, 2, 2] strides [12, 4, 1, 2] offset 0");
  is(restride_layout_diagonal(l, 0, 1, s), "[4, 2] strides [1, 16] offset 0");
  is(restride_layout_bitcast(l, TF_FLOAT, TF_UINT8, s), "[2, 3, 4, 4] strides [48, 16, 4, 1] offset 0");
  restride_layout *turned = restride_layout_transpose(l, s);
  refused(restride_layout_reshape(turned, six_four, 2, s), TF_FAILED_PRECONDITION);
  refused(restride_layout_bitcast(turned, TF_UINT8, TF_FLOAT, s), TF_FAILED_PRECONDITION);
  refused(restride_layout_bitcast(l, TF_STRING, TF_FLOAT, s), TF_INVALID_ARGUMENT);
  refused(restride_layout_flip(l, 3, s), TF_INVALID_ARGUMENT);
  refused(restride_layout_flip(l, INT64_MIN, s), TF_INVALID_ARGUMENT);
  refused(restride_layout_permute(l, axes, 2, s), TF_INVALID_ARGUMENT);
  restride_layout_delete(turned);
  restride_layout_delete(l);
}

/* Copies between tensors whose bytes end inside a word, so that no element may touch what is behind them. */
static void copy_to_the_last_byte(void) {
  const int64_t nine[] = {9}, three[] = {3, 3};
  Counted from = counted(9, 0), to = counted(9, 0);
  for (int i = 0; i < 9; i++) ((char *)from.data)[i] = (char)i;
  TF_Tensor *a = TF_NewTensor(TF_INT8, nine, 1, from.data, 9, release, &from);
  TF_Tensor *b = TF_NewTensor(TF_INT8, three, 2, to.data, 9, release, &to);
  restride_layout *whole = restride_layout_contiguous(three, 2, s), *turned = restride_layout_transpose(whole, s);
  CHECK(restride_copy(NULL, a, turned, b, NULL, s));
  CHECK_STATUS(s, TF_OK);
  CHECK(memcmp(TF_TensorData(b), "\0\3\6\1\4\7\2\5\10", 9) == 0);
  restride_layout_delete(whole);
  restride_layout_delete(turned);
  TF_DeleteTensor(a);
  TF_DeleteTensor(b);
  CHECK_EQ(from.calls + to.calls, 2);
}

static void copy_into_a_part(void) {
  const int64_t board[] = {4, 4}, part[] = {2, 2}, back[] = {-8, -1};
  TF_Tensor *t = TF_AllocateTensor(TF_HALF, board, 2, 32);
  TF_Tensor *u = TF_AllocateTensor(TF_UINT16, part, 2, 8);
  for (int i = 0; i < 4; i++) ((uint16_t *)TF_TensorData(u))[i] = (uint16_t)(i + 1);
  restride_layout *where = restride_layout_strided(13, back, part, 2, s);
  CHECK(restride_copy(NULL, u, NULL, t, where, s));
  CHECK_STATUS(s, TF_OK);
  for (int i = 0; i < 16; i++) {
    int expected = i == 13 ? 1 : i == 12 ? 2 : i == 5 ? 3 : i == 4 ? 4 : 0;
    CHECK_EQ(((uint16_t *)TF_TensorData(t))[i], expected);
  }
  restride_layout_delete(where);
  TF_DeleteTensor(t);
  TF_DeleteTensor(u);
}

static void copy_within_shared_bytes(void) {
  const int64_t eight[] = {8}, back[] = {-1}, half[] = {4}, up[] = {1};
  TF_Tensor *t = TF_AllocateTensor(TF_INT32, eight, 1, 32), *same = restride_tensor_share(t, s);
  int32_t *data = (int32_t *)TF_TensorData(t);
  for (int i = 0; i < 8; i++) data[i] = i;
  restride_layout *reversed = restride_layout_strided(7, back, eight, 1, s);
  CHECK(restride_copy(NULL, t, reversed, same, NULL, s));
  for (int i = 0; i < 8; i++) CHECK_EQ(data[i], 7 - i);
  /* One place further on: the source is read before anything is written. */
  restride_layout *low = restride_layout_strided(0, up, half, 1, s), *high = restride_layout_strided(1, up, half, 1, s);
  CHECK(restride_copy(NULL, t, low, t, high, s));
  CHECK(data[0] == 7 && data[1] == 7 && data[2] == 6 && data[3] == 5 && data[4] == 4 && data[5] == 2);
  restride_layout_delete(reversed);
  restride_layout_delete(low);
  restride_layout_delete(high);
  TF_DeleteTensor(t);
  TF_DeleteTensor(same);
}

static void copy_refuses(void) {
  const int64_t eight[] = {8}, four[] = {4}, zero[] = {0}, far[] = {100};
  TF_Tensor *a = TF_AllocateTensor(TF_INT32, eight, 1, 32), *b = TF_AllocateTensor(TF_INT8, eight, 1, 8);
  TF_Tensor *c = TF_AllocateTensor(TF_INT32, four, 1, 16), *strings = TF_AllocateTensor(TF_STRING, four, 1, 33);
  restride_layout *repeated = restride_layout_strided(0, zero, eight, 1, s);
  restride_layout *beyond = restride_layout_strided(1, far, eight, 1, s);
  struct {
    const TF_Tensor *src;
    const restride_layout *from;
    TF_Tensor *dst;
    const restride_layout *to;
  } cases[] = {
      {a, NULL, b, NULL}, {a, NULL, c, NULL}, {a, NULL, a, repeated}, {a, beyond, a, NULL},
      {a, NULL, a, beyond}, {strings, NULL, c, NULL}, {strings, NULL, strings, NULL}, {NULL, NULL, a, NULL},
      {a, NULL, NULL, NULL},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    CHECK(!restride_copy(NULL, cases[i].src, cases[i].from, cases[i].dst, cases[i].to, s));
    CHECK_STATUS(s, TF_INVALID_ARGUMENT);
  }
  CHECK(restride_materialize(NULL, a, beyond, s) == NULL);
  CHECK_STATUS(s, TF_INVALID_ARGUMENT);
  TF_Tensor *d = restride_materialize(NULL, a, repeated, s);
  CHECK_STATUS(s, TF_OK);
  TF_DeleteTensor(d);
  CHECK(restride_upload(NULL, a, NULL, s) == NULL);
  CHECK_STATUS(s, TF_FAILED_PRECONDITION);
  d = restride_read(a, s);
  CHECK(TF_TensorData(d) == TF_TensorData(a));
  TF_DeleteTensor(d);
  restride_layout_delete(repeated);
  restride_layout_delete(beyond);
  TF_DeleteTensor(a);
  TF_DeleteTensor(b);
  TF_DeleteTensor(c);
  TF_DeleteTensor(strings);
}

/* Random views of random tensors, judged by the plainest loop there is. */
static void copies_at_random(void) {
  uint64_t r = 88172645463325252u;
  static const TF_DataType types[] = {TF_INT8, TF_HALF, TF_FLOAT, TF_DOUBLE, TF_COMPLEX128};
  for (int turn = 0; turn < 2000; turn++) {
    int64_t shape[3], sliced[3];
    for (int i = 0; i < 3; i++) {
      r ^= r << 13, r ^= r >> 7, r ^= r << 17;
      shape[i] = 1 + (int64_t)(r % 6);
    }
    TF_DataType type = types[r / 7 % 5];
    size_t size = TF_DataTypeSize(type);
    size_t len = (size_t)(shape[0] * shape[1] * shape[2]) * size;
    TF_Tensor *t = TF_AllocateTensor(type, shape, 3, len);
    for (size_t i = 0; i < len; i++) ((unsigned char *)TF_TensorData(t))[i] = (unsigned char)(i * 31 + i / 251);
    restride_layout *l = restride_layout_of(t, s), *next = NULL;
    for (int i = 0; i < 3; i++) {
      r ^= r << 13, r ^= r >> 7, r ^= r << 17;
      int64_t axis = (int64_t)(r >> 8) % 3;
      switch (r % 4) {
        case 0: next = restride_layout_flip(l, axis, s); break;
        case 1: next = restride_layout_step(l, axis, r >> 16 & 1 ? 2 : -2, s); break;
        case 2: next = restride_layout_swap_axes(l, axis, 0, s); break;
        default: next = restride_layout_narrow(l, axis, 0, (uint64_t)(restride_layout_dim(l, (int)axis) + 1) / 2, s);
      }
      restride_layout_delete(l);
      l = next;
    }
    TF_Tensor *m = restride_materialize(NULL, t, l, s);
    CHECK_STATUS(s, TF_OK);
    const char *to = (const char *)TF_TensorData(m), *from = (const char *)TF_TensorData(t);
    for (int i = 0; i < 3; i++) sliced[i] = restride_layout_dim(l, i);
    size_t at = 0;
    for (int64_t i = 0; i < sliced[0]; i++)
      for (int64_t j = 0; j < sliced[1]; j++)
        for (int64_t k = 0; k < sliced[2]; k++, at++) {
          int64_t p = (int64_t)restride_layout_offset(l) + i * restride_layout_stride(l, 0) +
                      j * restride_layout_stride(l, 1) + k * restride_layout_stride(l, 2);
          CHECK(memcmp(to + at * size, from + (size_t)p * size, size) == 0);
        }
    restride_layout_delete(l);
    TF_DeleteTensor(m);
    TF_DeleteTensor(t);
    if (check_failures > 0) return;
  }
}

static void names(void) {
  char name[16];
  CHECK_EQ(restride_device_name(NULL, name, sizeof name), 3);
  CHECK(strcmp(name, "cpu") == 0);
  restride_device *cpu = restride_device_open("cpu", s);
  CHECK_STATUS(s, TF_OK);
  CHECK_EQ(restride_device_name(cpu, NULL, 0), 3);
  restride_device_delete(cpu);
  restride_device_delete(NULL);
  CHECK(restride_version()[0] >= '0');
}

int main(void) {
  static const Test tests[] = {
      TEST(queries), TEST(of_null), TEST(moves), TEST(copy_to_the_last_byte), TEST(copy_into_a_part),
      TEST(copy_within_shared_bytes), TEST(copy_refuses), TEST(copies_at_random), TEST(names),
  };
  s = TF_NewStatus();
  int failed = RUN(tests);
  TF_DeleteStatus(s);
  return failed;
}
