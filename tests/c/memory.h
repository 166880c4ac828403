/* Memory that counts how often it is freed. */

#ifndef RESTRIDE_TESTS_C_MEMORY_H_
#define RESTRIDE_TESTS_C_MEMORY_H_

#include <stdint.h>
#include <stdlib.h>

typedef struct Counted {
  void *block;  /* what free() gets */
  void *data;   /* what the tensor got */
  size_t len;
  int calls;
  int wrong;    /* calls with other arguments than those given */
} Counted;

/* `len` bytes at `skew` bytes past a multiple of 64, of 0x5a. */
static Counted counted(size_t len, size_t skew) {
  Counted c = {NULL, NULL, len, 0, 0};
  c.block = malloc(len + 64 + skew);
  if (c.block == NULL) abort();
  uintptr_t at = ((uintptr_t)c.block + 63) / 64 * 64;
  c.data = (void *)(at + skew);
  memset(c.data, 0x5a, len);
  return c;
}

static void release(void *data, size_t len, void *arg) {
  Counted *c = (Counted *)arg;
  c->calls++;
  if (data != c->data || len != c->len) c->wrong++;
  free(c->block);
  c->block = NULL;
}

#endif /* RESTRIDE_TESTS_C_MEMORY_H_ */
