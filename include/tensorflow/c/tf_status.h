/* How a call went: a code and words.
 *
 * Owner     who calls TF_NewStatus owns the status and calls TF_DeleteStatus once.
 * Lifetime  of a message: until its status is changed, by any call that is given it, or deleted.
 * Threads   a status belongs to one thread at a time; nothing in it is locked.
 * NULL      is legal in place of a status everywhere: nobody then learns why a call failed.
 */

#ifndef TENSORFLOW_C_TF_STATUS_H_
#define TENSORFLOW_C_TF_STATUS_H_

#include "tensorflow/c/c_api_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TF_Status TF_Status;

/* Codes. This library sets OK, INVALID_ARGUMENT, NOT_FOUND, RESOURCE_EXHAUSTED, FAILED_PRECONDITION, INTERNAL (a fault of
 * its own) and UNAVAILABLE (a device that was lost). */
typedef enum TF_Code {
  TF_OK = 0,
  TF_CANCELLED = 1,
  TF_UNKNOWN = 2,
  TF_INVALID_ARGUMENT = 3,
  TF_DEADLINE_EXCEEDED = 4,
  TF_NOT_FOUND = 5,
  TF_ALREADY_EXISTS = 6,
  TF_PERMISSION_DENIED = 7,
  TF_RESOURCE_EXHAUSTED = 8,
  TF_FAILED_PRECONDITION = 9,
  TF_ABORTED = 10,
  TF_OUT_OF_RANGE = 11,
  TF_UNIMPLEMENTED = 12,
  TF_INTERNAL = 13,
  TF_UNAVAILABLE = 14,
  TF_DATA_LOSS = 15,
  TF_UNAUTHENTICATED = 16
} TF_Code;

/* A new status: TF_OK, without words. */
TF_CAPI_EXPORT extern TF_Status *TF_NewStatus(void);

/* Frees a status; NULL is legal. */
TF_CAPI_EXPORT extern void TF_DeleteStatus(TF_Status *);

/* Gives `s` a code and a copy of `msg`, which may be NULL. With TF_OK the message becomes "". */
TF_CAPI_EXPORT extern void TF_SetStatus(TF_Status *s, TF_Code code,
                                        const char *msg);

/* The code of `s`; TF_OK of NULL. */
TF_CAPI_EXPORT extern TF_Code TF_GetCode(const TF_Status *s);

/* The words of `s`, UTF-8 and ended by NUL, never NULL; "" with TF_OK. They belong to the status. */
TF_CAPI_EXPORT extern const char *TF_Message(const TF_Status *s);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TENSORFLOW_C_TF_STATUS_H_ */
