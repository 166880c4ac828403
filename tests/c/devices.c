/* Tensors on every adapter of the machine; without one there is nothing to run. */

#include "check.h"
#include "memory.h"
#include "restride.h"

static restride_device *device;

static const TF_AllocatorAttributes ON_DEVICE = {TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE, 0};

static void allocate(void) {
  TF_Status *s = TF_NewStatus();
  const int64_t dims[] = {2, 3}, turned[] = {3, 2}, seven[] = {7};
  TF_Tensor *t = restride_allocate(&ON_DEVICE, device, TF_FLOAT, dims, 2, s);
  CHECK_STATUS(s, TF_OK);
  CHECK(TF_TensorData(t) == NULL);
  CHECK(!restride_tensor_on_host(t));
  CHECK_EQ(TF_TensorType(t), TF_FLOAT);
  CHECK_EQ(TF_NumDims(t), 2);
  CHECK_EQ(TF_Dim(t, 1), 3);
  CHECK_EQ(TF_TensorByteSize(t), 24);
  CHECK_EQ(TF_TensorElementCount(t), 6);
  CHECK(TF_TensorIsAligned(t));
  CHECK(TF_TensorMaybeMove(t) == t);
  TF_SetShape(t, seven, 1);
  CHECK_EQ(TF_NumDims(t), 2);
  TF_SetShape(t, turned, 2);
  CHECK_EQ(TF_Dim(t, 0), 3);
  TF_Tensor *read = restride_read(t, s);
  CHECK_STATUS(s, TF_OK);
  CHECK_EQ(TF_Dim(read, 0), 3);
  for (int i = 0; i < 24; i++) CHECK_EQ(((char *)TF_TensorData(read))[i], 0);
  TF_DeleteTensor(read);
  CHECK(restride_to_dlpack(t, NULL, s) == NULL);
  CHECK_STATUS(s, TF_FAILED_PRECONDITION);
  CHECK(restride_allocate(&ON_DEVICE, device, TF_STRING, dims, 2, s) == NULL);
  CHECK_STATUS(s, TF_INVALID_ARGUMENT);
  TF_DeleteTensor(t);
  TF_DeleteStatus(s);
}

static void bitcast(void) {
  TF_Status *s = TF_NewStatus();
  const int64_t dims[] = {3}, bytes[] = {12}, wrong[] = {13};
  TF_Tensor *host = TF_AllocateTensor(TF_FLOAT, dims, 1, 12), *to = TF_AllocateTensor(TF_BOOL, NULL, 0, 1);
  memcpy(TF_TensorData(host), "twelve bytes", 12);
  TF_Tensor *t = restride_upload(device, host, NULL, s);
  CHECK_STATUS(s, TF_OK);
  TF_TensorBitcastFrom(t, TF_UINT8, to, wrong, 1, s);
  CHECK_STATUS(s, TF_INVALID_ARGUMENT);
  TF_TensorBitcastFrom(t, TF_UINT8, to, bytes, 1, s);
  CHECK_STATUS(s, TF_OK);
  CHECK(TF_TensorMaybeMove(t) == NULL);
  TF_DeleteTensor(t);
  CHECK(TF_TensorMaybeMove(to) == to);
  TF_Tensor *read = restride_read(to, s);
  CHECK_EQ(TF_TensorType(read), TF_UINT8);
  CHECK(memcmp(TF_TensorData(read), "twelve bytes", 12) == 0);
  TF_DeleteTensor(read);
  TF_DeleteTensor(to);
  TF_DeleteTensor(host);
  TF_DeleteStatus(s);
}

/* A 3 x 5 matrix of `type`, reversed and transposed, by every way through host and device; the CPU executor judges. */
static void ways(TF_DataType type) {
  TF_Status *s = TF_NewStatus();
  const int64_t shape[] = {3, 5}, strides[] = {-1, -5}, turned[] = {5, 3};
  size_t len = 15 * TF_DataTypeSize(type);
  Counted c = counted(len, 0);
  for (size_t i = 0; i < len; i++) ((unsigned char *)c.data)[i] = (unsigned char)(i * 7 + 1);
  TF_Tensor *host = TF_NewTensor(type, shape, 2, c.data, len, release, &c);
  restride_layout *view = restride_layout_strided(14, strides, turned, 2, s);
  TF_Tensor *expected = restride_materialize(NULL, host, view, s);
  CHECK_STATUS(s, TF_OK);
  TF_Tensor *up = restride_upload(device, host, NULL, s);
  CHECK_STATUS(s, TF_OK);
  TF_Tensor *results[4];
  results[0] = restride_materialize(device, host, view, s);
  CHECK_STATUS(s, TF_OK);
  TF_Tensor *made = restride_materialize(device, up, view, s);
  CHECK_STATUS(s, TF_OK);
  results[1] = restride_read(made, s);
  TF_Tensor *uploaded = restride_upload(device, host, view, s);
  results[2] = restride_read(uploaded, s);
  results[3] = TF_AllocateTensor(type, turned, 2, len);
  CHECK(restride_copy(device, up, view, results[3], NULL, s));
  CHECK_STATUS(s, TF_OK);
  for (int i = 0; i < 4; i++) {
    CHECK_EQ(TF_Dim(results[i], 0), 5);
    CHECK(memcmp(TF_TensorData(results[i]), TF_TensorData(expected), len) == 0);
    TF_DeleteTensor(results[i]);
  }
  /* A device's tensor is not the CPU's to copy. */
  CHECK(!restride_copy(NULL, up, NULL, host, NULL, s));
  CHECK_STATUS(s, TF_FAILED_PRECONDITION);
  TF_DeleteTensor(made);
  TF_DeleteTensor(uploaded);
  TF_DeleteTensor(up);
  TF_DeleteTensor(expected);
  TF_DeleteTensor(host);
  CHECK_EQ(c.calls, 1);
  restride_layout_delete(view);
  TF_DeleteStatus(s);
}

static void every_way(void) {
  static const TF_DataType types[] = {TF_INT4, TF_HALF, TF_FLOAT, TF_DOUBLE, TF_COMPLEX128};
  for (int i = 0; i < 5; i++) ways(types[i]);
}

static void into_a_part_of_the_host(void) {
  TF_Status *s = TF_NewStatus();
  const int64_t board[] = {3, 3}, part[] = {2};
  Counted c = counted(9, 0);
  TF_Tensor *t = TF_NewTensor(TF_INT8, board, 2, c.data, 9, release, &c);
  TF_Tensor *u = TF_AllocateTensor(TF_UINT8, part, 1, 2);
  memcpy(TF_TensorData(u), "ab", 2);
  const int64_t stride[] = {4};
  restride_layout *where = restride_layout_strided(4, stride, part, 1, s);
  CHECK(restride_copy(device, u, NULL, t, where, s));
  CHECK_STATUS(s, TF_OK);
  CHECK(memcmp(TF_TensorData(t), "ZZZZaZZZb", 9) == 0);
  restride_layout_delete(where);
  TF_DeleteTensor(u);
  TF_DeleteTensor(t);
  TF_DeleteStatus(s);
}

static void outlives_its_device(void) {
  TF_Status *s = TF_NewStatus();
  char name[200];
  restride_device_name(device, name, sizeof name);
  restride_device *other = restride_device_open(name, s);
  CHECK_STATUS(s, TF_OK);
  const int64_t dims[] = {4};
  TF_Tensor *t = restride_allocate(&ON_DEVICE, other, TF_INT32, dims, 1, s);
  TF_Tensor *u = restride_allocate(&ON_DEVICE, device, TF_INT32, dims, 1, s);
  CHECK(!restride_copy(device, t, NULL, u, NULL, s));
  CHECK_STATUS(s, TF_FAILED_PRECONDITION);
  restride_device_delete(other);
  TF_Tensor *read = restride_read(t, s);
  CHECK_STATUS(s, TF_OK);
  TF_DeleteTensor(read);
  TF_DeleteTensor(t);
  TF_DeleteTensor(u);
  TF_DeleteStatus(s);
}

static void no_such_name(void) {
  TF_Status *s = TF_NewStatus();
  CHECK(restride_device_open("no adapter is called that", s) == NULL);
  CHECK_STATUS(s, TF_NOT_FOUND);
  CHECK(restride_device_open("\xff", s) == NULL);
  CHECK_STATUS(s, TF_INVALID_ARGUMENT);
  TF_DeleteStatus(s);
}

/* Drivers stay loaded: what they keep until the process ends is then reached from them, and no leak. */
int dlclose(void *handle);
int dlclose(void *handle) {
  (void)handle;
  return 0;
}

int main(void) {
  static const Test tests[] = {TEST(allocate), TEST(bitcast), TEST(every_way), TEST(into_a_part_of_the_host),
                               TEST(outlives_its_device), TEST(no_such_name)};
  char names[4000];
  restride_adapter_names(names, sizeof names);
  int failed = 0;
  for (char *name = names, *end; *name != '\0'; name = end) {
    end = name + strcspn(name, "\n");
    if (*end != '\0') *end++ = '\0';
    TF_Status *s = TF_NewStatus();
    device = restride_device_open(name, s);
    printf("%s: %s\n", name, device == NULL ? TF_Message(s) : "open");
    if (device == NULL || RUN(tests) != 0) failed = 1;
    restride_device_delete(device);
    TF_DeleteStatus(s);
  }
  return failed;
}
