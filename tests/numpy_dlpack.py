"""NumPy's arrays through DLPack and the C ABI, both ways: any strides, every dtype that both know, equal bits.

    numpy_dlpack.py path/to/librestride.so [device]

The library is called as a C program calls it; the capsules are made and taken as Python's protocol says. Needs NumPy 2.1.
"""

import ctypes
import gc
import itertools
import sys
import weakref
from ctypes import POINTER, byref, c_bool, c_char_p, c_int, c_int64, c_void_p

import numpy as np

PLAIN, VERSIONED = b"dltensor", b"dltensor_versioned"
DTYPES = [
    np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64,
    np.float16, np.float32, np.float64, np.complex64, np.complex128,
]
HOST = (1, 0)

api = ctypes.pythonapi
api.PyCapsule_GetPointer.restype, api.PyCapsule_GetPointer.argtypes = c_void_p, [ctypes.py_object, c_char_p]
api.PyCapsule_SetName.restype, api.PyCapsule_SetName.argtypes = c_int, [ctypes.py_object, c_char_p]
api.PyCapsule_IsValid.restype, api.PyCapsule_IsValid.argtypes = c_int, [ctypes.py_object, c_char_p]
api.PyCapsule_New.restype, api.PyCapsule_New.argtypes = ctypes.py_object, [c_void_p, c_char_p, c_void_p]
# Names live as long as any capsule that has one.
USED = {PLAIN: b"used_dltensor", VERSIONED: b"used_dltensor_versioned"}


class Failed(Exception):
    """What the library refused, in its words."""


class Library:
    """The C functions, with a status that becomes an exception."""

    FUNCTIONS = {
        "TF_NewStatus": (c_void_p, []), "TF_GetCode": (c_int, [c_void_p]), "TF_Message": (c_char_p, [c_void_p]),
        "TF_DeleteTensor": (None, [c_void_p]), "TF_TensorData": (c_void_p, [c_void_p]),
        "restride_layout_delete": (None, [c_void_p]), "restride_layout_rank": (c_int, [c_void_p]),
        "restride_layout_dim": (c_int64, [c_void_p, c_int]), "restride_layout_stride": (c_int64, [c_void_p, c_int]),
        "restride_device_open": (c_void_p, [c_char_p, c_void_p]),
        "restride_materialize": (c_void_p, [c_void_p] * 4),
        "restride_copy": (c_bool, [c_void_p] * 6),
        "restride_from_dlpack": (c_void_p, [c_void_p, POINTER(c_void_p), c_void_p]),
        "restride_from_dlpack_versioned": (c_void_p, [c_void_p, POINTER(c_void_p), c_void_p]),
        "restride_to_dlpack": (c_void_p, [c_void_p] * 3), "restride_to_dlpack_versioned": (c_void_p, [c_void_p] * 3),
    }

    def __init__(self, path):
        library = ctypes.CDLL(path)
        for name, (result, arguments) in self.FUNCTIONS.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)
        self.status = self.TF_NewStatus()

    def call(self, name, *arguments):
        result = getattr(self, name)(*arguments, self.status)
        if self.TF_GetCode(self.status) != 0:
            raise Failed(self.TF_Message(self.status).decode())
        return result


class Tensor:
    """A tensor with the layout of a view of it; both are given back with this object."""

    def __init__(self, lib, tensor, layout=None):
        self.lib, self.tensor, self.layout = lib, tensor, layout

    def __del__(self):
        self.lib.TF_DeleteTensor(self.tensor)
        self.lib.restride_layout_delete(self.layout)

    @classmethod
    def take(cls, lib, array, name):
        """From anything with `__dlpack__`, as a consumer does."""
        capsule = array.__dlpack__(max_version=(1, 0)) if name == VERSIONED else array.__dlpack__()
        assert api.PyCapsule_IsValid(capsule, name), "another capsule than the one asked for"
        pointer, layout = api.PyCapsule_GetPointer(capsule, name), c_void_p()
        function = "restride_from_dlpack_versioned" if name == VERSIONED else "restride_from_dlpack"
        tensor = lib.call(function, pointer, byref(layout))
        # It is the library's now: the capsule's destructor must not delete it.
        assert api.PyCapsule_SetName(capsule, USED[name]) == 0
        return cls(lib, tensor, layout.value)

    def strides(self):
        rank = self.lib.restride_layout_rank(self.layout)
        return tuple(self.lib.restride_layout_stride(self.layout, axis) for axis in range(rank))

    def materialize(self, device):
        return Tensor(self.lib, self.lib.call("restride_materialize", device, self.tensor, self.layout))

    def give(self, name):
        """To NumPy, as a producer does."""
        return np.from_dlpack(Producer(self, name))


class Producer:
    """What NumPy asks for a capsule."""

    def __init__(self, tensor, name):
        self.tensor, self.name = tensor, name

    def __dlpack_device__(self):
        return HOST

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if self.name == VERSIONED:
            assert max_version is not None and max_version >= (1, 0)
        function = "restride_to_dlpack_versioned" if self.name == VERSIONED else "restride_to_dlpack"
        t = self.tensor
        # NumPy takes the capsule at once, so that it needs no destructor.
        return api.PyCapsule_New(t.lib.call(function, t.tensor, t.layout), self.name, None)


def bits(array):
    return np.ascontiguousarray(array).tobytes()


def views(base):
    """A 4 x 5 x 6 array in many ways: whole, reversed, transposed, sliced, without elements, of no axis."""
    yield "whole", base
    for axes in itertools.permutations(range(3)):
        yield f"transposed {axes}", base.transpose(axes)
    for steps in itertools.product([1, -1, 2, -3], repeat=3):
        yield f"steps {steps}", base[:: steps[0], :: steps[1], :: steps[2]]
    yield "a part from inside", base[1:3, 2:, -2:0:-1]
    yield "reversed and turned", base[::-1, :, ::-2].T
    yield "one element", base[2, 3, 4:5]
    yield "a scalar", base[2, 3, 4, ...]
    yield "a new axis", base[:, None, ::-1]
    yield "no elements", base[:, 2:2, ::-1]
    yield "a column", base[:, 0, 0]
    yield "a diagonal", np.lib.stride_tricks.as_strided(base, (4,), (sum(base.strides),))
    yield "windows", np.lib.stride_tricks.sliding_window_view(base, 3, axis=2)
    yield "repeated", np.broadcast_to(base[:1, ::-1], (3, 5, 6))


def element_strides(array):
    """NumPy's strides in elements, 0 where they mean nothing."""
    if array.size == 0:
        return (0,) * array.ndim
    return tuple(0 if extent == 1 else stride // array.itemsize for extent, stride in zip(array.shape, array.strides))


def round_trip(lib, device, array, name):
    tensor = Tensor.take(lib, array, name)
    assert tensor.strides() == element_strides(array), (tensor.strides(), element_strides(array))
    # As it is: the same memory, seen with the same strides.
    back = tensor.give(name)
    assert back.dtype == array.dtype and back.shape == array.shape, (back.dtype, back.shape)
    assert bits(back) == bits(array)
    if array.size:
        assert back.__array_interface__["data"][0] == array.__array_interface__["data"][0]
        assert element_strides(back) == element_strides(array)
    if name == VERSIONED:
        assert back.flags.writeable == array.flags.writeable
    # Materialised: other memory, in C order.
    made = tensor.materialize(device).give(name)
    assert made.flags.c_contiguous and made.shape == array.shape
    assert bits(made) == bits(array)


def random_bits(dtype, rng):
    count = 4 * 5 * 6
    if dtype == np.bool_:
        return rng.integers(0, 2, count).astype(bool).reshape(4, 5, 6)
    raw = rng.integers(0, 256, count * np.dtype(dtype).itemsize, dtype=np.uint8)
    return raw.view(dtype).reshape(4, 5, 6)


def capsules_end(lib):
    """The array goes when the last tensor over it does, and not before."""
    for name in (PLAIN, VERSIONED):
        array = np.arange(24, dtype=np.int32)
        gone = weakref.ref(array)
        tensor = Tensor.take(lib, array[::-2], name)
        back = tensor.give(name)
        del array, tensor
        gc.collect()
        assert gone() is not None and back.tolist() == list(range(23, 0, -2))
        del back
        gc.collect()
        assert gone() is None, "the array was never let go of"


def a_refused_capsule_is_the_callers(lib):
    """Types that have no tensor here, and a capsule that can still be used afterwards."""
    array = np.zeros(4, dtype=np.int16)
    gone = weakref.ref(array)
    capsule = array.__dlpack__(max_version=(1, 0))
    pointer = api.PyCapsule_GetPointer(capsule, VERSIONED)
    major = ctypes.cast(pointer, POINTER(ctypes.c_uint32))
    layout = c_void_p()
    major[0] = 9
    try:
        lib.call("restride_from_dlpack_versioned", pointer, byref(layout))
        raise AssertionError("version 9 was taken")
    except Failed as failure:
        assert "version 9" in str(failure), failure
    major[0] = 1
    del array, capsule
    gc.collect()
    assert gone() is None, "the capsule's own destructor still frees it"


def writes_show(lib):
    """A tensor over an array's memory is the array; a read-only one is not written."""
    array = np.zeros((3, 4), dtype=np.float32)
    tensor = Tensor.take(lib, array.T, VERSIONED)
    source = Tensor.take(lib, np.arange(12, dtype=np.float32).reshape(4, 3), VERSIONED)
    lib.call("restride_copy", None, source.tensor, source.layout, tensor.tensor, tensor.layout)
    assert array.T.ravel().tolist() == list(range(12))
    array.flags.writeable = False
    fixed = Tensor.take(lib, array.T, VERSIONED)
    try:
        lib.call("restride_copy", None, source.tensor, source.layout, fixed.tensor, fixed.layout)
        raise AssertionError("a read-only array was written")
    except Failed:
        pass


def a_planted_byte_is_noticed(lib, device):
    """What compares must be able to fail."""
    array = np.arange(24, dtype=np.int16).reshape(4, 6)[:, ::-1]
    made = Tensor.take(lib, array, VERSIONED).materialize(device)
    assert bits(made.give(VERSIONED)) == bits(array)
    ctypes.cast(lib.TF_TensorData(made.tensor), POINTER(ctypes.c_uint8))[47] ^= 1
    assert bits(made.give(VERSIONED)) != bits(array)


def main():
    version = tuple(int(part) for part in np.__version__.split(".")[:2])
    if version < (2, 1):
        sys.exit(f"NumPy {np.__version__} where 2.1 or newer is needed")
    lib = Library(sys.argv[1])
    device = lib.call("restride_device_open", (sys.argv[2] if len(sys.argv) > 2 else "cpu").encode())
    rng = np.random.default_rng(7)
    passed = failed = 0

    def run(name, test, *arguments):
        nonlocal passed, failed
        try:
            test(*arguments)
            passed += 1
        except Exception as error:
            failed += 1
            print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)

    for dtype in DTYPES:
        base = random_bits(dtype, rng)
        for what, array in views(base):
            for name in (PLAIN, VERSIONED):
                # A capsule without flags cannot say that an array is read-only: NumPy refuses to make it.
                if name == PLAIN and not array.flags.writeable:
                    continue
                run(f"{np.dtype(dtype)}, {what}, {name.decode()}", round_trip, lib, device, array, name)
    for test in (capsules_end, a_refused_capsule_is_the_callers, writes_show):
        run(test.__name__, test, lib)
    run("a planted byte", a_planted_byte_is_noticed, lib, device)
    print(f"numpy_dlpack, NumPy {np.__version__}: {passed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
