/* Words that the other headers are written with: exported functions, the one-byte truth value, the size of a struct's known
 * part. */

#ifndef TENSORFLOW_C_C_API_MACROS_H_
#define TENSORFLOW_C_C_API_MACROS_H_

#include <stddef.h>

/* Before a declaration of a function of this library. A program that links the static library on Windows defines
 * RESTRIDE_STATIC. */
#ifndef TF_CAPI_EXPORT
#if defined(_WIN32) && !defined(RESTRIDE_STATIC)
#define TF_CAPI_EXPORT __declspec(dllimport)
#elif defined(_WIN32) || !defined(__GNUC__)
#define TF_CAPI_EXPORT
#else
#define TF_CAPI_EXPORT __attribute__((visibility("default")))
#endif
#endif

/* A truth value of one byte: 0 is false, all else is true. */
#define TF_Bool unsigned char

/* The bytes of `TYPE` up to the end of `MEMBER`, without any padding behind it. */
#ifndef TF_OFFSET_OF_END
#define TF_OFFSET_OF_END(TYPE, MEMBER) \
  (offsetof(TYPE, MEMBER) + sizeof(((TYPE *)0)->MEMBER))
#endif

#endif /* TENSORFLOW_C_C_API_MACROS_H_ */
