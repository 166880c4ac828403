/* Strided copies of tensors, on the CPU or an adapter: what tf_tensor.h lacks.
 *
 * A layout says where in a tensor's bytes the elements of a view lie; moves make one layout of another and touch no byte;
 * restride_copy and restride_materialize move the elements.
 *
 * Owner     who gets a layout, a device or a tensor from a function owns it and deletes it once, in any order: a tensor on a
 *           device keeps that alive by itself.
 * Lifetime  what a call is given by pointer it reads during the call alone, but for the capsules of DLPack.
 * Threads   layouts and devices are never changed: any number of threads may use one at once. Tensors: see tf_tensor.h.
 *           Whoever starts a copy sees to it that meanwhile nobody writes to the source's bytes or uses the destination's.
 * NULL      as a layout argument where it says so is all elements in C order, as a device it is the CPU; as an object that
 *           is asked about it is answered as each function says. Otherwise it is refused.
 * Failure   a function with a TF_Status reports there, and returns NULL, false or 0. It changes nothing then, unless the
 *           copying itself fails on a device.
 */

#ifndef RESTRIDE_H_
#define RESTRIDE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensorflow/c/tf_tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library, "major.minor.patch"; it is never freed. */
TF_CAPI_EXPORT extern const char *restride_version(void);

/* ---- layouts ----------------------------------------------------------------------------------------------------------
 *
 * The element at index (i0, i1, ...) is at position offset + i0*stride0 + i1*stride1 + ..., counted in elements from the
 * first byte. Strides may be 0 or negative; no position is. There are at most 32 axes, and at most 2^53 elements. An axis of
 * extent 1 has stride 0, and a layout without elements offset 0 and strides 0: equal layouts mean equal positions.
 */
typedef struct restride_layout restride_layout;

/* C order at offset 0. `shape` may be NULL if rank is 0, here and below. */
TF_CAPI_EXPORT extern restride_layout *restride_layout_contiguous(
    const int64_t *shape, int rank, TF_Status *status);

/* Any strides and offset, in elements. */
TF_CAPI_EXPORT extern restride_layout *restride_layout_strided(
    uint64_t offset, const int64_t *strides, const int64_t *shape, int rank,
    TF_Status *status);

/* All elements of a tensor in C order. */
TF_CAPI_EXPORT extern restride_layout *restride_layout_of(
    const TF_Tensor *tensor, TF_Status *status);

/* Another layout equal to this one. */
TF_CAPI_EXPORT extern restride_layout *restride_layout_copy(
    const restride_layout *layout, TF_Status *status);

/* Frees a layout; NULL is legal. */
TF_CAPI_EXPORT extern void restride_layout_delete(restride_layout *layout);

/* The number of axes; -1 of NULL. */
TF_CAPI_EXPORT extern int restride_layout_rank(const restride_layout *layout);

/* The extent of an axis; -1 unless there is one. */
TF_CAPI_EXPORT extern int64_t restride_layout_dim(const restride_layout *layout,
                                                  int axis);

/* The stride of an axis, in elements; 0 unless there is one. */
TF_CAPI_EXPORT extern int64_t restride_layout_stride(
    const restride_layout *layout, int axis);

/* The position of index 0, in elements. */
TF_CAPI_EXPORT extern uint64_t restride_layout_offset(
    const restride_layout *layout);

/* The number of elements. */
TF_CAPI_EXPORT extern uint64_t restride_layout_numel(
    const restride_layout *layout);

/* The positions reached are in [*first, *end), both 0 without elements; either pointer may be NULL. */
TF_CAPI_EXPORT extern void restride_layout_span(const restride_layout *layout,
                                                uint64_t *first, uint64_t *end);

/* Whether element k in C order is at position offset + k. */
TF_CAPI_EXPORT extern bool restride_layout_is_contiguous(
    const restride_layout *layout);

/* Whether it is certain that no two indices are at one position, as a destination must be. */
TF_CAPI_EXPORT extern bool restride_layout_is_distinct(
    const restride_layout *layout);

/* Whether both take every index to the same position; NULL equals nothing. */
TF_CAPI_EXPORT extern bool restride_layout_equal(const restride_layout *one,
                                                 const restride_layout *other);

/* The position of an index, which has one coordinate for each axis. */
TF_CAPI_EXPORT extern uint64_t restride_layout_position(
    const restride_layout *layout, const uint64_t *index, int rank,
    TF_Status *status);

/* The layout in words. As snprintf does, it writes at most `len` bytes with the NUL and returns how many bytes the words have
 * without it; `text` may be NULL if `len` is 0. */
TF_CAPI_EXPORT extern size_t restride_layout_print(
    const restride_layout *layout, char *text, size_t len);

/* ---- moves ------------------------------------------------------------------------------------------------------------
 *
 * Each is a new layout; the argument stays as it is. Axes count from 0, negative ones from the end: -1 is the last.
 */

/* The axes in reverse order. */
TF_CAPI_EXPORT extern restride_layout *restride_layout_transpose(
    const restride_layout *layout, TF_Status *status);

/* Axis i of the result is axis axes[i]. */
TF_CAPI_EXPORT extern restride_layout *restride_layout_permute(
    const restride_layout *layout, const int64_t *axes, int count,
    TF_Status *status);

/* Two axes exchanged. */
TF_CAPI_EXPORT extern restride_layout *restride_layout_swap_axes(
    const restride_layout *layout, int64_t a, int64_t b, TF_Status *status);

/* Axis `from` in place `to`, the others in their order. */
TF_CAPI_EXPORT extern restride_layout *restride_layout_move_axis(
    const restride_layout *layout, int64_t from, int64_t to, TF_Status *status);

/* An axis backwards. */
TF_CAPI_EXPORT extern restride_layout *restride_layout_flip(
    const restride_layout *layout, int64_t axis, TF_Status *status);

/* Elements [start, start + len) of an axis. */
TF_CAPI_EXPORT extern restride_layout *restride_layout_narrow(
    const restride_layout *layout, int64_t axis, uint64_t start, uint64_t len,
    TF_Status *status);

/* One element of an axis, which is dropped; a negative index counts from the end. */
TF_CAPI_EXPORT extern restride_layout *restride_layout_select(
    const restride_layout *layout, int64_t axis, int64_t index,
    TF_Status *status);

/* Every step-th element of an axis, from its end for a negative step. */
TF_CAPI_EXPORT extern restride_layout *restride_layout_step(
    const restride_layout *layout, int64_t axis, int64_t step,
    TF_Status *status);

/* Of each axis a, counts[a] elements from starts[a] by steps[a]; `count` is the rank. */
TF_CAPI_EXPORT extern restride_layout *restride_layout_slice(
    const restride_layout *layout, const uint64_t *starts,
    const uint64_t *counts, const int64_t *steps, int count, TF_Status *status);

/* Without the axes of extent 1. */
TF_CAPI_EXPORT extern restride_layout *restride_layout_squeeze(
    const restride_layout *layout, TF_Status *status);

/* Without one axis, of extent 1. */
TF_CAPI_EXPORT extern restride_layout *restride_layout_squeeze_axis(
    const restride_layout *layout, int64_t axis, TF_Status *status);

/* With a new axis of extent 1, which is `axis` of the result. */
TF_CAPI_EXPORT extern restride_layout *restride_layout_unsqueeze(
    const restride_layout *layout, int64_t axis, TF_Status *status);

/* Repeated along new axes in front and axes of extent 1, to `shape`. */
TF_CAPI_EXPORT extern restride_layout *restride_layout_broadcast(
    const restride_layout *layout, const int64_t *shape, int rank,
    TF_Status *status);

/* The same elements in C order under another shape; one extent may be -1. TF_FAILED_PRECONDITION if no strides express it:
 * materialise first. */
TF_CAPI_EXPORT extern restride_layout *restride_layout_reshape(
    const restride_layout *layout, const int64_t *shape, int rank,
    TF_Status *status);

/* Windows of `size` elements `dilation` apart, one every `step` elements of an axis: it counts the windows, a new last axis
 * their elements. */
TF_CAPI_EXPORT extern restride_layout *restride_layout_window(
    const restride_layout *layout, int64_t axis, uint64_t size, uint64_t step,
    uint64_t dilation, TF_Status *status);

/* The elements whose coordinates on two axes are equal, as a new last axis. */
TF_CAPI_EXPORT extern restride_layout *restride_layout_diagonal(
    const restride_layout *layout, int64_t a, int64_t b, TF_Status *status);

/* The same bytes as elements of another size: a narrower type adds a last axis, a wider one takes it away.
 * TF_FAILED_PRECONDITION if no strides express it. */
TF_CAPI_EXPORT extern restride_layout *restride_layout_bitcast(
    const restride_layout *layout, TF_DataType from, TF_DataType to,
    TF_Status *status);

/* ---- devices ----------------------------------------------------------------------------------------------------------
 *
 * A device runs copies. The CPU's needs nothing and never waits. An adapter's waits for the GPU where it returns bytes.
 */
typedef struct restride_device restride_device;

/* The CPU executor for "cpu"; else the first adapter with `name` in its own, in any case; the best one for NULL.
 * TF_NOT_FOUND if there is none. */
TF_CAPI_EXPORT extern restride_device *restride_device_open(const char *name,
                                                            TF_Status *status);

/* Lets go of a device; NULL is legal. Tensors on it go on living. */
TF_CAPI_EXPORT extern void restride_device_delete(restride_device *device);

/* The device's name, written as restride_layout_print writes; "cpu" of NULL. */
TF_CAPI_EXPORT extern size_t restride_device_name(const restride_device *device,
                                                  char *text, size_t len);

/* The names of all adapters, the best first, one to a line, written as restride_layout_print writes. */
TF_CAPI_EXPORT extern size_t restride_adapter_names(char *text, size_t len);

/* ---- tensors ---------------------------------------------------------------------------------------------------------- */

/* A tensor of zero bytes, as many as its elements need: on the host, also if `attributes` is NULL, or, if its on_host is 0,
 * on `device`. On a device TF_TensorData is NULL, and the other functions of tf_tensor.h work.
 *
 * TF_INVALID_ARGUMENT if struct_size is 0 or the type or the dims are refused; TF_FAILED_PRECONDITION if a device is asked
 * for and `device` is NULL or the CPU's; TF_RESOURCE_EXHAUSTED if there is no room. */
TF_CAPI_EXPORT extern TF_Tensor *restride_allocate(
    const TF_AllocatorAttributes *attributes, const restride_device *device,
    TF_DataType type, const int64_t *dims, int num_dims, TF_Status *status);

/* A tensor that shares the bytes of another, of the same type and dims. */
TF_CAPI_EXPORT extern TF_Tensor *restride_tensor_share(const TF_Tensor *tensor,
                                                       TF_Status *status);

/* Whether the bytes are on the host; false of NULL. */
TF_CAPI_EXPORT extern bool restride_tensor_on_host(const TF_Tensor *tensor);

/* Gives the elements of `dst` at the positions of `dst_layout` those of `src` at the positions of `src_layout`, index by
 * index; every other byte of `dst` stays as it was. Either layout may be NULL. True iff it was done.
 *
 * The layouts have one shape, the types one size other than 0, and `dst_layout` is distinct. An adapter copies tensors on
 * itself and on the host, the CPU executor those on the host: TF_FAILED_PRECONDITION for others. Where the two views share
 * bytes, the source is read before anything is written.
 *
 * What is written on the host is there on return. What is written on a device is there for whatever is asked of it later. */
TF_CAPI_EXPORT extern bool restride_copy(const restride_device *device,
                                         const TF_Tensor *src,
                                         const restride_layout *src_layout,
                                         TF_Tensor *dst,
                                         const restride_layout *dst_layout,
                                         TF_Status *status);

/* A new tensor, where `tensor` is, of its elements at the positions of `layout`, in C order; strings are gathered, and their
 * offsets made anew. `layout` may be NULL. */
TF_CAPI_EXPORT extern TF_Tensor *restride_materialize(
    const restride_device *device, const TF_Tensor *tensor,
    const restride_layout *layout, TF_Status *status);

/* A new tensor on `device`, an adapter, of the elements of `tensor` at the positions of `layout`, which may be NULL. */
TF_CAPI_EXPORT extern TF_Tensor *restride_upload(const restride_device *device,
                                                 const TF_Tensor *tensor,
                                                 const restride_layout *layout,
                                                 TF_Status *status);

/* A tensor on the host of the same elements and dims: new, or sharing the bytes if `tensor` is on the host. */
TF_CAPI_EXPORT extern TF_Tensor *restride_read(const TF_Tensor *tensor,
                                               TF_Status *status);

/* ---- strings ---------------------------------------------------------------------------------------------------------- */

/* A tensor of `count` strings in C order, string i the lengths[i] bytes at strings[i], which are copied. `count` is the
 * product of the dims. A string of no bytes may be NULL. */
TF_CAPI_EXPORT extern TF_Tensor *restride_strings(const int64_t *dims,
                                                  int num_dims,
                                                  const char *const *strings,
                                                  const size_t *lengths,
                                                  size_t count,
                                                  TF_Status *status);

/* String `element`, counted in C order, as it lies in the tensor's bytes and for as long as they live; it does not end in
 * NUL. `string` and `len` may be NULL. False if it is malformed, or there is none. */
TF_CAPI_EXPORT extern bool restride_string_at(const TF_Tensor *tensor,
                                              uint64_t element,
                                              const char **string, size_t *len,
                                              TF_Status *status);

/* Whether every string of the tensor can be read; if not, the message names the first that cannot. */
TF_CAPI_EXPORT extern bool restride_strings_check(const TF_Tensor *tensor,
                                                  TF_Status *status);

/* ---- DLPack -----------------------------------------------------------------------------------------------------------
 *
 * The structs are those of dlpack.h, version 1. A capsule that is returned is the caller's, who calls its deleter once, on
 * any thread, or hands it on; it shares the tensor's bytes until then. A capsule that is given is the library's if the call
 * succeeds, and its deleter is called with the last owner of its bytes, on any thread; if the call fails it is still the
 * caller's. Memory is the host's.
 *
 * Elements of fewer than 8 bits are one to a byte: a versioned capsule says so by its flag, and without the flag, or in a
 * plain capsule, they are refused. Strings and quantised types are refused.
 */
struct DLManagedTensor;
struct DLManagedTensorVersioned;

/* A capsule of the elements at the positions of `layout`, which may be NULL. Bytes that came in read-only stay so, which a
 * plain capsule cannot say: TF_FAILED_PRECONDITION. */
TF_CAPI_EXPORT extern struct DLManagedTensor *restride_to_dlpack(
    const TF_Tensor *tensor, const restride_layout *layout, TF_Status *status);
TF_CAPI_EXPORT extern struct DLManagedTensorVersioned *
restride_to_dlpack_versioned(const TF_Tensor *tensor,
                             const restride_layout *layout, TF_Status *status);

/* The tensor over a capsule's bytes, and in *layout, which may not be NULL, where in it the capsule's elements lie: the
 * caller owns both. If they lie in C order from the first byte on, the tensor has their shape; otherwise it has one dim, from
 * their lowest position to their highest. */
TF_CAPI_EXPORT extern TF_Tensor *restride_from_dlpack(
    struct DLManagedTensor *capsule, restride_layout **layout,
    TF_Status *status);
TF_CAPI_EXPORT extern TF_Tensor *restride_from_dlpack_versioned(
    struct DLManagedTensorVersioned *capsule, restride_layout **layout,
    TF_Status *status);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* RESTRIDE_H_ */
