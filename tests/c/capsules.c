/* DLPack capsules in C: what strides and shapes are taken, what is refused, who deletes. The structs are written out here as
 * dlpack.h has them, so that they judge the library's. */

#include "check.h"
#include "restride.h"

typedef struct {
  void *data;
  struct {
    int32_t device_type, device_id;
  } device;
  int32_t ndim;
  struct {
    uint8_t code, bits;
    uint16_t lanes;
  } dtype;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} Array;

struct DLManagedTensor {
  Array array;
  void *context;
  void (*deleter)(struct DLManagedTensor *self);
};

struct DLManagedTensorVersioned {
  struct {
    uint32_t major, minor;
  } version;
  void *context;
  void (*deleter)(struct DLManagedTensorVersioned *self);
  uint64_t flags;
  Array array;
};

static TF_Status *s;
static int deleted;

static void noted(struct DLManagedTensor *self) {
  (void)self;
  deleted++;
}

static void noted_versioned(struct DLManagedTensorVersioned *self) {
  (void)self;
  deleted++;
}

static struct DLManagedTensorVersioned capsule(void *data, int rank, int64_t *shape, int64_t *strides) {
  struct DLManagedTensorVersioned c = {{1, 0}, NULL, noted_versioned, 0,
                                       {data, {1, 0}, rank, {2, 32, 1}, shape, strides, 0}};
  return c;
}

static void shapes_and_strides(void) {
  float data[24];
  int64_t scalar[1], four[] = {4}, m432[] = {4, 3, 2}, one[] = {1}, m412[] = {4, 1, 2}, m431[] = {4, 3, 1};
  int64_t m402[] = {4, 0, 2}, s1[] = {1}, s0[] = {0}, s621[] = {6, 2, 1}, s211[] = {2, 1, 1}, s201[] = {2, 0, 1};
  int64_t s311[] = {3, 1, 1}, s310[] = {3, 1, 0}, s021[] = {0, 2, 1}, s011[] = {0, 1, 1}, s001[] = {0, 0, 1}, s020[] = {0, 2, 0};
  struct {
    int rank;
    int64_t *shape, *strides;
  } cases[] = {
      {0, scalar, scalar}, {1, four, NULL},  {1, four, s1},   {3, m432, NULL}, {3, m432, s621}, {1, one, s1},
      {1, one, s0},        {3, m412, s211},  {3, m412, s201}, {3, m431, s311}, {3, m431, s310}, {3, m402, s021},
      {3, m402, s011},     {3, m402, s001},  {3, m402, s020},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    struct DLManagedTensorVersioned c = capsule(data, cases[i].rank, cases[i].shape, cases[i].strides);
    restride_layout *layout = NULL;
    deleted = 0;
    TF_Tensor *t = restride_from_dlpack_versioned(&c, &layout, s);
    CHECK_STATUS(s, TF_OK);
    CHECK(restride_layout_is_contiguous(layout));
    CHECK_EQ(TF_NumDims(t), cases[i].rank);
    if (cases[i].shape != m402) CHECK(TF_TensorData(t) == data);
    CHECK_EQ(deleted, 0);
    TF_DeleteTensor(t);
    CHECK_EQ(deleted, 1);
    restride_layout_delete(layout);
  }
}

static void refused(struct DLManagedTensorVersioned c) {
  restride_layout *layout = NULL;
  deleted = 0;
  CHECK(restride_from_dlpack_versioned(&c, &layout, s) == NULL);
  CHECK_STATUS(s, TF_INVALID_ARGUMENT);
  CHECK(layout == NULL);
  CHECK_EQ(deleted, 0);
}

static void refusals(void) {
  float data[24];
  int64_t big[] = {INT64_C(1) << 32, INT64_C(1) << 32, 16}, negative[] = {-1, 4}, four[] = {4}, far[] = {INT64_MIN};
  struct DLManagedTensorVersioned c = capsule(data, 3, big, NULL);
  refused(c);
  refused(capsule(data, 2, negative, NULL));
  refused(capsule(NULL, 1, four, NULL));
  refused(capsule(data, 1, NULL, NULL));
  refused(capsule(data, -1, four, NULL));
  refused(capsule(data, 33, four, NULL));
  refused(capsule(data, 1, four, far));
  c = capsule(data, 1, four, NULL);
  c.version.major = 2;
  refused(c);
  c = capsule(data, 1, four, NULL);
  c.array.device.device_type = 2;
  refused(c);
  c = capsule(data, 1, four, NULL);
  c.array.dtype.lanes = 4;
  refused(c);
  c = capsule(data, 1, four, NULL);
  c.array.dtype.code = 99;
  refused(c);
  /* Packed nibbles: only those that are one to a byte are known. */
  c = capsule(data, 1, four, NULL);
  c.array.dtype.code = 0;
  c.array.dtype.bits = 4;
  refused(c);
  c.flags = 4;
  restride_layout *layout = NULL;
  TF_Tensor *t = restride_from_dlpack_versioned(&c, &layout, s);
  CHECK_EQ(TF_TensorType(t), TF_INT4);
  TF_DeleteTensor(t);
  restride_layout_delete(layout);
  c = capsule(data, 1, four, NULL);
  CHECK(restride_from_dlpack_versioned(&c, NULL, s) == NULL);
  CHECK_STATUS(s, TF_INVALID_ARGUMENT);
  CHECK(restride_from_dlpack_versioned(NULL, &layout, s) == NULL);
  CHECK_STATUS(s, TF_INVALID_ARGUMENT);
}

static void backwards_from_inside(void) {
  float data[6] = {0, 1, 2, 3, 4, 5};
  int64_t shape[] = {2, 2}, strides[] = {1, -2};
  struct DLManagedTensor c = {{data, {1, 0}, 2, {2, 32, 1}, shape, strides, 12}, NULL, noted};
  restride_layout *layout = NULL;
  deleted = 0;
  TF_Tensor *t = restride_from_dlpack(&c, &layout, s);
  CHECK_STATUS(s, TF_OK);
  CHECK(TF_TensorData(t) == data + 1);
  CHECK(TF_TensorIsAligned(t) == ((uintptr_t)(data + 1) % 64 == 0));
  TF_Tensor *m = restride_materialize(NULL, t, layout, s);
  const float *found = (const float *)TF_TensorData(m);
  CHECK(found[0] == 3 && found[1] == 1 && found[2] == 4 && found[3] == 2);
  TF_DeleteTensor(m);
  TF_DeleteTensor(t);
  CHECK_EQ(deleted, 1);
  restride_layout_delete(layout);
}

static void not_aligned(void) {
  _Alignas(64) float data[30];
  int64_t shape[] = {12};
  struct DLManagedTensorVersioned c = capsule(data + 1, 1, shape, NULL);
  restride_layout *layout = NULL;
  TF_Tensor *t = restride_from_dlpack_versioned(&c, &layout, s);
  CHECK(!TF_TensorIsAligned(t));
  TF_DeleteTensor(t);
  restride_layout_delete(layout);
}

static void read_only(void) {
  int32_t data[4] = {1, 2, 3, 4};
  int64_t shape[] = {4};
  struct DLManagedTensorVersioned c = capsule(data, 1, shape, NULL);
  c.array.dtype.code = 0;
  c.flags = 1;
  restride_layout *layout = NULL;
  TF_Tensor *t = restride_from_dlpack_versioned(&c, &layout, s), *u = TF_AllocateTensor(TF_INT32, shape, 1, 16);
  CHECK(!restride_copy(NULL, u, NULL, t, NULL, s));
  CHECK_STATUS(s, TF_FAILED_PRECONDITION);
  CHECK(restride_copy(NULL, t, NULL, u, NULL, s));
  CHECK(restride_to_dlpack(t, NULL, s) == NULL);
  CHECK_STATUS(s, TF_FAILED_PRECONDITION);
  struct DLManagedTensorVersioned *again = restride_to_dlpack_versioned(t, NULL, s);
  CHECK_EQ(again->flags, 1);
  again->deleter(again);
  TF_DeleteTensor(t);
  TF_DeleteTensor(u);
  restride_layout_delete(layout);
}

static void made(void) {
  const int64_t dims[] = {2, 3};
  TF_Tensor *t = TF_AllocateTensor(TF_INT16, dims, 2, 12);
  void *data = TF_TensorData(t);
  restride_layout *all = restride_layout_of(t, s), *flipped = restride_layout_flip(all, 1, s);
  struct DLManagedTensor *plain = restride_to_dlpack(t, flipped, s);
  CHECK_STATUS(s, TF_OK);
  struct DLManagedTensorVersioned *versioned = restride_to_dlpack_versioned(t, NULL, s);
  CHECK_STATUS(s, TF_OK);
  TF_DeleteTensor(t);
  restride_layout_delete(all);
  restride_layout_delete(flipped);
  CHECK(plain->array.data == data && plain->array.byte_offset == 4);
  CHECK_EQ(plain->array.device.device_type, 1);
  CHECK(plain->array.ndim == 2 && plain->array.shape[1] == 3);
  CHECK(plain->array.strides[0] == 3 && plain->array.strides[1] == -1);
  CHECK(plain->array.dtype.code == 0 && plain->array.dtype.bits == 16 && plain->array.dtype.lanes == 1);
  CHECK(versioned->version.major == 1 && versioned->flags == 0);
  CHECK(versioned->array.data == data && versioned->array.byte_offset == 0);
  plain->deleter(plain);
  versioned->deleter(versioned);
}

static void types(void) {
  const int64_t dims[] = {2};
  /* The code and the bits of each type; 0 bits where there is none. */
  static const struct {
    int code, bits;
  } known[34] = {{0, 0},  {2, 32}, {2, 64}, {0, 32}, {1, 8},  {0, 16}, {0, 8},  {0, 0},  {5, 64},
                 {0, 64}, {6, 8},  {0, 0},  {0, 0},  {0, 0},  {4, 16}, {0, 0},  {0, 0},  {1, 16},
                 {5, 128}, {2, 16}, {0, 0}, {0, 0},  {1, 32}, {1, 64}, {12, 8}, {10, 8}, {11, 8},
                 {9, 8},  {13, 8}, {0, 4},  {1, 4},  {0, 2},  {1, 2},  {17, 4}};
  for (int type = 1; type < 34; type++) {
    if (type == TF_RESOURCE || type == TF_VARIANT) continue;
    TF_Tensor *t = TF_AllocateTensor((TF_DataType)type, dims, 1, 64);
    struct DLManagedTensor *plain = restride_to_dlpack(t, NULL, s);
    CHECK_EQ(plain != NULL, known[type].bits >= 8);
    if (plain != NULL) plain->deleter(plain);
    struct DLManagedTensorVersioned *c = restride_to_dlpack_versioned(t, NULL, s);
    CHECK_EQ(c != NULL, known[type].bits > 0);
    if (c != NULL) {
      CHECK(c->array.dtype.code == known[type].code && c->array.dtype.bits == known[type].bits);
      CHECK_EQ(c->flags, known[type].bits < 8 ? 4 : 0);
      restride_layout *layout = NULL;
      TF_Tensor *back = restride_from_dlpack_versioned(c, &layout, s);
      CHECK_STATUS(s, TF_OK);
      CHECK_EQ(TF_TensorType(back), type);
      CHECK(TF_TensorData(back) == TF_TensorData(t));
      TF_DeleteTensor(back);
      restride_layout_delete(layout);
    }
    TF_DeleteTensor(t);
  }
}

int main(void) {
  static const Test tests[] = {TEST(shapes_and_strides), TEST(refusals), TEST(backwards_from_inside), TEST(not_aligned),
                               TEST(read_only),          TEST(made),     TEST(types)};
  s = TF_NewStatus();
  int failed = RUN(tests);
  TF_DeleteStatus(s);
  return failed;
}
