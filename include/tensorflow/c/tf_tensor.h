/* Tensors: a data type, dims, and bytes that several tensors may share.
 *
 * Owner     TF_NewTensor, TF_AllocateTensor and the functions of restride.h that return a tensor return it to the caller, who
 *           calls TF_DeleteTensor once. The bytes belong to all tensors that share them, and are freed with the last.
 * Lifetime  of a TF_TensorData pointer: as long as a tensor that shares the bytes lives and is not made another by
 *           TF_TensorBitcastFrom. Of dims that a call is given: the call.
 * Threads   calls on one tensor that only read it (const) may run at once. A call that changes a tensor (SetShape, MaybeMove,
 *           Delete, BitcastFrom's `to`) needs it alone. Tensors that share bytes may be used and deleted on different
 *           threads; the bytes themselves are the callers' to guard. A deallocator runs on the thread that lets go last.
 * NULL      in place of a tensor is legal, and never followed: each function says what it then answers.
 *
 * Nothing here aborts. What is refused leaves every argument as it was, but for a deallocator: see TF_NewTensor.
 * Dims are refused if there are more than 254, if one is negative, or if their product, taken from the first to the last,
 * exceeds an int64_t.
 */

#ifndef TENSORFLOW_C_TF_TENSOR_H_
#define TENSORFLOW_C_TF_TENSOR_H_

#include <stdbool.h>
#include <stdint.h>

#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/tf_datatype.h"
#include "tensorflow/c/tf_status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where memory is asked for: an argument of restride_allocate. */
typedef struct TF_AllocatorAttributes {
  /* TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE; 0 is refused. */
  size_t struct_size;
  /* Not 0 for the host, 0 for a device. */
  TF_Bool on_host;
} TF_AllocatorAttributes;

#define TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE \
  TF_OFFSET_OF_END(TF_AllocatorAttributes, on_host)

/* Elements lie in C order (row major) from the first byte; there may be more bytes than they need.
 *
 * The bytes of n strings are n offsets, each a uint64_t of the least significant byte first, and then data. String i begins
 * at byte offset[i] of the data: its length as a varint (7 bits a byte, the least significant first, the top bit set if more
 * follow), then its bytes. Offsets need neither order nor gaps, and strings may share bytes. {"hi", ""} is
 *
 *     00 00 00 00 00 00 00 00  03 00 00 00 00 00 00 00  02 68 69  00
 *
 * Strings are checked when they are read, not when a tensor is made of them.
 */
typedef struct TF_Tensor TF_Tensor;

/* The tensor over the `len` bytes at `data`, which the library owns from here on: it calls
 *
 *     deallocator(data, len, deallocator_arg)
 *
 * exactly once, on any thread. A NULL deallocator frees nothing. Until then the bytes must stay valid.
 *
 * - Data at a multiple of TF_TensorDefaultAlignment() is used where it is, and let go of with its last owner. Other data is
 *   copied, all `len` bytes, and the deallocator is called before this returns. Strings are never copied.
 * - NULL, and the deallocator called before this returns, if the type is unknown or TF_RESOURCE or TF_VARIANT, if the dims
 *   are refused, if `len` is less than the elements need (8n + 1 for n > 0 strings), if data is NULL and `len` is not 0, or
 *   if there is no memory for the copy. A larger `len` is fine.
 * - `dims` may be NULL if num_dims is 0.
 */
TF_CAPI_EXPORT extern TF_Tensor *TF_NewTensor(
    TF_DataType, const int64_t *dims, int num_dims, void *data, size_t len,
    void (*deallocator)(void *data, size_t len, void *arg),
    void *deallocator_arg);

/* A tensor of `len` bytes of 0, at a multiple of TF_TensorDefaultAlignment(): numbers are 0, strings empty. NULL if the type
 * or the dims are refused, if `len` is less than the elements need, or if there is no memory. */
TF_CAPI_EXPORT extern TF_Tensor *TF_AllocateTensor(TF_DataType,
                                                   const int64_t *dims,
                                                   int num_dims, size_t len);

/* `tensor` itself, iff it alone owns its bytes and this library allocated them: it is then as it was, now the caller's by the
 * result. Otherwise NULL, and `tensor` is untouched; also for NULL. */
TF_CAPI_EXPORT extern TF_Tensor *TF_TensorMaybeMove(TF_Tensor *tensor);

/* Lets go of a tensor; NULL is legal. Its bytes are freed if no other tensor shares them. */
TF_CAPI_EXPORT extern void TF_DeleteTensor(TF_Tensor *);

/* The type of the elements; 0 of NULL. */
TF_CAPI_EXPORT extern TF_DataType TF_TensorType(const TF_Tensor *);

/* Gives the tensor other dims over the same bytes. Dims that are refused, or need more bytes than there are, leave it as it
 * was. */
TF_CAPI_EXPORT extern void TF_SetShape(TF_Tensor *tensor, const int64_t *dims,
                                       int num_dims);

/* The number of dims: 0 of a scalar, -1 of NULL. */
TF_CAPI_EXPORT extern int TF_NumDims(const TF_Tensor *);

/* Dim `dim_index`; -1 unless 0 <= dim_index < TF_NumDims(tensor). */
TF_CAPI_EXPORT extern int64_t TF_Dim(const TF_Tensor *tensor, int dim_index);

/* The number of bytes, which SetShape leaves as it is; 0 of NULL. */
TF_CAPI_EXPORT extern size_t TF_TensorByteSize(const TF_Tensor *);

/* The bytes, to be read and, with the care said above, written. NULL on a device, of NULL, and where a caller gave a NULL of
 * no bytes. Bytes that came in read-only (restride_from_dlpack_versioned) must not be written. */
TF_CAPI_EXPORT extern void *TF_TensorData(const TF_Tensor *);

/* The product of the dims: 1 of a scalar, -1 of NULL. */
TF_CAPI_EXPORT extern int64_t TF_TensorElementCount(const TF_Tensor *tensor);

/* Makes `to` a tensor of `type` and `new_dims` over the bytes of `from`, shared; what `to` was is let go of. `to` may be
 * `from`.
 *
 * TF_INVALID_ARGUMENT, and `to` as it was, unless both types have a size and the elements take as many bytes as before:
 *
 *     product(new_dims) * TF_DataTypeSize(type)
 *         == TF_TensorElementCount(from) * TF_DataTypeSize(TF_TensorType(from))
 */
TF_CAPI_EXPORT extern void TF_TensorBitcastFrom(const TF_Tensor *from,
                                                TF_DataType type, TF_Tensor *to,
                                                const int64_t *new_dims,
                                                int num_new_dims,
                                                TF_Status *status);

/* True iff the bytes are at a multiple of TF_TensorDefaultAlignment(), or there is no element, or they are strings, or they
 * are on a device; true of NULL. */
TF_CAPI_EXPORT extern bool TF_TensorIsAligned(const TF_Tensor *);

/* What the address of memory that this library allocates is a multiple of: 64. */
TF_CAPI_EXPORT extern size_t TF_TensorDefaultAlignment(void);

/* Writes the string of `src_len` bytes at `src` to `dst`, which has `dst_len` bytes: its length as a varint, then its bytes.
 * The result is how many were written, TF_StringEncodedSize(src_len) of them. If `dst` is too short nothing is written:
 * TF_INVALID_ARGUMENT, and 0. The two may not overlap. */
TF_CAPI_EXPORT extern size_t TF_StringEncode(const char *src, size_t src_len,
                                             char *dst, size_t dst_len,
                                             TF_Status *status);

/* Reads the string that TF_StringEncode wrote at `src`: *dst is where it lies in `src`, for as long as that is valid, and
 * *dst_len its length; either may be NULL. The result is how many of the `src_len` bytes it takes. A length that is cut off,
 * longer than 10 bytes or past 64 bits, and a string that goes on behind the bytes: TF_INVALID_ARGUMENT, and 0. No byte past
 * `src_len` is read. */
TF_CAPI_EXPORT extern size_t TF_StringDecode(const char *src, size_t src_len,
                                             const char **dst, size_t *dst_len,
                                             TF_Status *status);

/* The bytes that a string of `len` bytes takes with its length; SIZE_MAX if a size_t does not count them. */
TF_CAPI_EXPORT extern size_t TF_StringEncodedSize(size_t len);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TENSORFLOW_C_TF_TENSOR_H_ */
