/* 100,000 random sequences of calls on a few tensors, and more on threads that hand tensors to one another: each deallocator
 * is called exactly once, none while a tensor still shares its bytes, and nothing leaks (the sanitizer sees to that). */

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "check.h"
#include "restride.h"

enum { SEQUENCES = 100000, STEPS = 24, SLOTS = 4, THREADS = 4, HANDED = 5000 };

typedef struct Source {
  void *block, *data;
  size_t len;
  atomic_int calls;
  unsigned char mark;
} Source;

static void release(void *data, size_t len, void *arg) {
  Source *source = (Source *)arg;
  if (atomic_fetch_add(&source->calls, 1) != 0 || data != source->data || len != source->len) abort();
  memset(data, 0xdd, len);
  free(source->block);
}

static uint64_t next(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

/* A handle with the source of its bytes: the last `Source` is memory of the library's own. */
typedef struct Slot {
  TF_Tensor *tensor;
  int source;
} Slot;

static TF_Tensor *new_tensor(Source *source, uint64_t r, int mark) {
  const int64_t dims[] = {2, 3};
  source->len = 24 + r % 9;
  source->block = malloc(source->len + 128);
  if (source->block == NULL) abort();
  uintptr_t at = ((uintptr_t)source->block + 63) / 64 * 64;
  source->data = (void *)(at + (r >> 8) % 2 * 4);
  source->mark = (unsigned char)mark;
  atomic_store(&source->calls, 0);
  memset(source->data, mark, source->len);
  /* One in eight is refused. */
  return TF_NewTensor(TF_FLOAT, dims, (r >> 9) % 8 == 0 ? -1 : 2, source->data, source->len, release, source);
}

static void one_sequence(uint64_t *state) {
  Source sources[STEPS];
  Slot slots[SLOTS] = {{NULL, -1}, {NULL, -1}, {NULL, -1}, {NULL, -1}};
  int count = 0;
  for (int step = 0; step < STEPS; step++) {
    uint64_t r = next(state);
    Slot *a = &slots[r % SLOTS], *b = &slots[(r >> 4) % SLOTS];
    const int64_t six[] = {6}, bytes[] = {24}, matrix[] = {3, 2}, many[] = {9000};
    switch ((r >> 8) % 7) {
      case 0: /* new */
        TF_DeleteTensor(a->tensor);
        a->tensor = new_tensor(&sources[count], r >> 16, 1 + count);
        a->source = a->tensor == NULL ? -1 : count;
        if (a->tensor == NULL) CHECK_EQ(sources[count].calls, 1);
        count++;
        break;
      case 1: /* allocate */
        TF_DeleteTensor(a->tensor);
        a->tensor = TF_AllocateTensor(TF_FLOAT, matrix, 2, 24);
        a->source = -1;
        break;
      case 2: /* clone */
        if (a != b && a->tensor != NULL) {
          TF_DeleteTensor(b->tensor);
          b->tensor = restride_tensor_share(a->tensor, NULL);
          b->source = a->source;
        }
        break;
      case 3: /* bitcast, also onto itself, at times refused */
        if (a->tensor != NULL && b->tensor != NULL) {
          bool fits = TF_TensorElementCount(a->tensor) * (int64_t)TF_DataTypeSize(TF_TensorType(a->tensor)) == 24;
          TF_TensorBitcastFrom(a->tensor, TF_UINT8, b->tensor, bytes, 1, NULL);
          if (fits) b->source = a->source;
        }
        break;
      case 4: /* move */
        if (a->tensor != NULL) {
          TF_Tensor *moved = TF_TensorMaybeMove(a->tensor);
          CHECK(moved == NULL || moved == a->tensor);
        }
        break;
      case 5: /* set_shape, at times refused */
        if (a->tensor != NULL) {
          TF_SetShape(a->tensor, r >> 16 & 1 ? six : many, 1);
        }
        break;
      default: /* delete */
        TF_DeleteTensor(a->tensor);
        a->tensor = NULL;
        a->source = -1;
    }
    for (int i = 0; i < SLOTS; i++) {
      if (slots[i].tensor == NULL || slots[i].source < 0) continue;
      const Source *source = &sources[slots[i].source];
      /* Misaligned bytes were copied and let go of at once; others live while a tensor shares them. */
      CHECK_EQ(source->calls, (uintptr_t)source->data % 64 != 0);
      CHECK_EQ(*(unsigned char *)TF_TensorData(slots[i].tensor), source->mark);
    }
  }
  for (int i = 0; i < SLOTS; i++) TF_DeleteTensor(slots[i].tensor);
  for (int i = 0; i < count; i++) CHECK_EQ(sources[i].calls, 1);
}

static void sequences(void) {
  uint64_t state = 0x9e3779b97f4a7c15u;
  for (int i = 0; i < SEQUENCES; i++) {
    one_sequence(&state);
    if (check_failures > 0) {
      fprintf(stderr, "sequence %d\n", i);
      return;
    }
  }
}

/* What a thread gets: tensors over sources that all threads share. */
typedef struct Work {
  TF_Tensor **tensors;
  uint64_t state;
} Work;

static void *work(void *arg) {
  Work *w = (Work *)arg;
  for (int i = 0; i < HANDED; i++) {
    TF_Tensor *t = w->tensors[i];
    uint64_t r = next(&w->state);
    if (r % 3 == 0) {
      TF_Tensor *shared = restride_tensor_share(t, NULL);
      TF_DeleteTensor(t);
      t = shared;
    }
    if (r % 5 == 0 && TF_TensorMaybeMove(t) != NULL) abort();
    if (*(unsigned char *)TF_TensorData(t) != 7) abort();
    TF_DeleteTensor(t);
  }
  return NULL;
}

static void across_threads(void) {
  const int64_t dims[] = {16};
  Source *sources = (Source *)calloc(HANDED, sizeof(Source));
  TF_Tensor **tensors = (TF_Tensor **)calloc((size_t)HANDED * THREADS, sizeof(TF_Tensor *));
  pthread_t threads[THREADS];
  Work works[THREADS];
  if (sources == NULL || tensors == NULL) abort();
  for (int i = 0; i < HANDED; i++) {
    sources[i].len = 64;
    sources[i].block = sources[i].data = aligned_alloc(64, 64);
    if (sources[i].block == NULL) abort();
    memset(sources[i].data, 7, 64);
    TF_Tensor *t = TF_NewTensor(TF_FLOAT, dims, 1, sources[i].data, 64, release, &sources[i]);
    for (int k = 0; k < THREADS; k++) tensors[k * HANDED + i] = k == 0 ? t : restride_tensor_share(t, NULL);
  }
  for (int k = 0; k < THREADS; k++) {
    works[k].tensors = tensors + k * HANDED;
    works[k].state = 1 + (uint64_t)k;
    if (pthread_create(&threads[k], NULL, work, &works[k]) != 0) abort();
  }
  for (int k = 0; k < THREADS; k++) pthread_join(threads[k], NULL);
  for (int i = 0; i < HANDED; i++) CHECK_EQ(sources[i].calls, 1);
  free(sources);
  free(tensors);
}

int main(void) {
  static const Test tests[] = {TEST(sequences), TEST(across_threads)};
  return RUN(tests);
}
