/* The types of a tensor's elements, by number.
 *
 * Elements are whole bytes: those of fewer than 8 bits are one to a byte, in its low bits. Integers and floats are in the
 * host's byte order.
 */

#ifndef TENSORFLOW_C_TF_DATATYPE_H_
#define TENSORFLOW_C_TF_DATATYPE_H_

#include <stddef.h>

#include "tensorflow/c/c_api_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum TF_DataType {
  TF_FLOAT = 1, /* IEEE binary32 */
  TF_DOUBLE = 2, /* IEEE binary64 */
  TF_INT32 = 3,
  TF_UINT8 = 4,
  TF_INT16 = 5,
  TF_INT8 = 6,
  TF_STRING = 7, /* offsets and bytes: see tf_tensor.h */
  TF_COMPLEX64 = 8, /* two binary32, the real part first */
  TF_COMPLEX = 8, /* its older name */
  TF_INT64 = 9,
  TF_BOOL = 10, /* one byte, true iff it is not 0 */
  TF_QINT8 = 11, /* quantised */
  TF_QUINT8 = 12, /* quantised */
  TF_QINT32 = 13, /* quantised */
  TF_BFLOAT16 = 14, /* the upper half of a binary32 */
  TF_QINT16 = 15, /* quantised */
  TF_QUINT16 = 16, /* quantised */
  TF_UINT16 = 17,
  TF_COMPLEX128 = 18, /* two binary64, the real part first */
  TF_HALF = 19, /* IEEE binary16 */
  TF_RESOURCE = 20, /* no tensor here holds it */
  TF_VARIANT = 21, /* no tensor here holds it */
  TF_UINT32 = 22,
  TF_UINT64 = 23,
  TF_FLOAT8_E5M2 = 24, /* IEEE-like */
  TF_FLOAT8_E4M3FN = 25, /* no infinity */
  TF_FLOAT8_E4M3FNUZ = 26, /* one zero */
  TF_FLOAT8_E4M3B11FNUZ = 27, /* one zero, bias 11 */
  TF_FLOAT8_E5M2FNUZ = 28, /* one zero */
  TF_INT4 = 29, /* one to a byte, as are all below */
  TF_UINT4 = 30,
  TF_INT2 = 31,
  TF_UINT2 = 32,
  TF_FLOAT4_E2M1FN = 33
} TF_DataType;

/* The bytes of an element of type `dt`; 0 for TF_STRING, TF_RESOURCE, TF_VARIANT and numbers that are no type. */
TF_CAPI_EXPORT extern size_t TF_DataTypeSize(TF_DataType dt);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TENSORFLOW_C_TF_DATATYPE_H_ */
