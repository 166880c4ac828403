/* A program of someone who knows tf_tensor.h alone: it includes no other header of this project, and uses every type, macro
 * and function that is declared in that one. */

#include "tensorflow/c/tf_tensor.h"

#include <stdlib.h>
#include <string.h>

static void free_it(void *data, size_t len, void *arg) {
  (void)len;
  free(data);
  *(bool *)arg = true;
}

int main(void) {
  const int64_t dims[2] = {2, 3}, flat[1] = {24}, turned[2] = {3, 2};
  bool freed = false;
  TF_AllocatorAttributes attributes;
  attributes.struct_size = TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE;
  attributes.on_host = (TF_Bool)1;
  void *data = malloc(24);
  if (data == NULL) return 1;
  memset(data, 0, 24);
  TF_Tensor *given = TF_NewTensor(TF_FLOAT, dims, 2, data, 24, &free_it, &freed);
  TF_Tensor *made = TF_AllocateTensor(TF_FLOAT, dims, 2, 24);
  if (given == NULL || made == NULL || attributes.on_host == 0) return 1;
  TF_Tensor *moved = TF_TensorMaybeMove(made);
  if (moved == NULL) return 1;
  TF_SetShape(moved, turned, 2);
  if (TF_TensorType(moved) != TF_FLOAT || TF_NumDims(moved) != 2 || TF_Dim(moved, 0) != 3) return 1;
  if (TF_TensorByteSize(moved) != 24 || TF_TensorElementCount(moved) != 6) return 1;
  memcpy(TF_TensorData(moved), "twenty-four bytes, no 0.", 24);
  TF_Status *status = TF_NewStatus();
  TF_TensorBitcastFrom(moved, TF_UINT8, given, flat, 1, status);
  if (TF_GetCode(status) != TF_OK || !freed) return 1;
  if (memcmp(TF_TensorData(given), "twenty-four bytes, no 0.", 24) != 0) return 1;
  if (!TF_TensorIsAligned(given)) return 1;
  TF_DeleteTensor(moved);
  TF_DeleteTensor(given);
  TF_DeleteStatus(status);
  return 0;
}
