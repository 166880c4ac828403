"""What views mean, in NumPy's terms, and views to try."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from . import formats

# NumPy's dtype for a name of the table, where it has one.
NUMPY = {
    name: np.dtype(name)
    for name in "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 complex64 complex128".split()
}


class Tensor:
    """An array whose methods are the language's steps; NumPy's own indexing is its indexing.

    With `bits` the last axis of `array` is not a tensor's: it holds one element's bits, whatever stands for them. `base` is the
    buffer as a list of elements, which only `as_strided` asks for.
    """

    def __init__(self, array, base, bits=False):
        self.array, self.base, self.bits = array, base, bits
        self.rank = array.ndim - bits

    def same(self, array):
        return Tensor(array, self.base, self.bits)

    def whole(self, shape):
        return tuple(shape) + self.array.shape[self.rank :]

    def order(self, axes):
        return self.same(self.array.transpose([*axes, *range(self.rank, self.array.ndim)]))

    def axis(self, axis, rank=None):
        rank = self.rank if rank is None else rank
        assert -rank <= axis < rank
        return axis % rank

    def __getitem__(self, index):
        index = index if isinstance(index, tuple) else (index,)
        if self.bits and Ellipsis not in index:
            index += (Ellipsis,)
        if self.bits:
            index += (slice(None),)
        return self.same(self.array[index])

    @property
    def T(self):
        return self.order(reversed(range(self.rank)))

    def permute(self, *axes):
        axes = [self.axis(a) for a in axes]
        assert sorted(axes) == list(range(self.rank))
        return self.order(axes)

    def swap(self, a, b):
        return self.same(self.array.swapaxes(self.axis(a), self.axis(b)))

    def reshape(self, *shape):
        numel = int(np.prod(self.array.shape[: self.rank], dtype=np.int64))
        return self.same(self.array.reshape(self.whole(np.empty(numel, np.int8).reshape(shape).shape)))

    def broadcast(self, *shape):
        inner = self.array.reshape((1,) * (len(shape) - self.rank) + self.array.shape)
        return self.same(np.broadcast_to(inner, self.whole(shape)))

    def flip(self, axis):
        return self.same(np.flip(self.array, self.axis(axis)))

    def squeeze(self, axis=None):
        axes = range(self.rank) if axis is None else [self.axis(axis)]
        axes = [a for a in axes if axis is not None or self.array.shape[a] == 1]
        return self.same(self.array.squeeze(tuple(axes)))

    def unsqueeze(self, axis):
        return self.same(np.expand_dims(self.array, self.axis(axis, self.rank + 1)))

    def window(self, axis, size, step=1, dilation=1):
        axis = self.axis(axis)
        windows = sliding_window_view(self.array, dilation * (size - 1) + 1, axis)[..., ::dilation]
        windows = windows[(slice(None),) * axis + (slice(None, None, step),)]
        return self.same(np.moveaxis(windows, -1, -2) if self.bits else windows)

    def as_strided(self, shape, strides, offset=0):
        places = offset + sum((np.arange(d).reshape((d,) + (1,) * (len(shape) - 1 - i)) * s
                               for i, (d, s) in enumerate(zip(shape, strides))), np.zeros((1,) * len(shape), np.int64))
        assert places.size == 0 or (places.min() >= 0 and places.max() < len(self.base))
        return self.same(self.base[np.broadcast_to(places, shape)])

    def bitcast(self, dtype):
        width = formats.width(dtype)
        if not self.bits:
            to = np.dtype(f"V{width // 8}") if dtype.startswith("bits(") else NUMPY[dtype]
            old, whole = self.array.dtype.itemsize, np.ascontiguousarray(self.base).view(to)
            if to.itemsize <= old:
                array = np.ascontiguousarray(self.array[..., None]).view(to)
                array = array[..., 0] if to.itemsize == old else array
            else:
                assert self.array.shape[-1] == to.itemsize // old
                array = np.ascontiguousarray(self.array).view(to)[..., 0]
            return Tensor(array, whole)
        old = self.array.shape[-1]
        flat = self.base.reshape(-1)
        base = flat[: len(flat) // width * width].reshape(-1, width)
        if width < old:
            array = self.array.reshape(self.array.shape[:-1] + (old // width, width))
        elif width > old:
            assert self.array.shape[-2] == width // old
            array = self.array.reshape(self.array.shape[:-2] + (width,))
        else:
            array = self.array
        return Tensor(array, base, True)


class Names(dict):
    """Names in a view's text: dtypes stand for themselves."""

    def __missing__(self, name):
        return name


def evaluate(text, tensor):
    """The tensor that a view's text, read by Python itself, makes of another."""
    names = Names(x=tensor, bits=lambda n: f"bits({n})")
    names["None"] = None
    return eval("x" + text, {"__builtins__": {}}, names)  # the text is this file's own


# Views by the shape that they are for: each form, both ends of its range, and chains.
VIEWS = {
    (6, 5, 4): [
        "", "[2:5, ::-1, ..., None, 3]", "[2:5, ::-1]", "[..., 3]", "[None, ..., None]", "[1]", "[-1, -2, -3]", "[5:0:-2, :, 1:]",
        "[:, 1:4, ::3]", "[::-1, ::-1, ::-1]", "[7:, :]", "[100:-100:-3]", "[-100:100]", "[:, 4:1]", "[3:3]", "[0, :, None, ::2]",
        ".T", ".T.T", ".permute(0,2,1)", ".permute(2,0,1)", ".permute(-1,0,-2)", ".reshape(2,-1)", ".reshape(-1)",
        ".reshape(4,5,6)", ".reshape(3,2,5,2,2)", ".T.reshape(-1)", ".permute(1,0,2).reshape(-1, 4)", ".permute(1,0,2).reshape(6,20)",
        "[:, ::2].reshape(-1)", ".reshape(30,4).T.reshape(2,60)", ".flip(0)", ".flip(-1)", ".flip(1).flip(2)", ".unsqueeze(0)",
        ".unsqueeze(-1)", ".unsqueeze(2).squeeze()", ".unsqueeze(1).squeeze(1)", ".swap(0,1)", ".swap(0,-1)", ".window(0,3,1,1)",
        ".window(0,3,2,2)", ".window(1,2,3,1)", ".window(-1,4)", ".window(0,1,100,1)", ".window(0,2).window(1,2)",
        ".window(0,3).reshape(-1,3)", ".unsqueeze(0).broadcast(3,6,5,4)", ".broadcast(2,6,5,4)", "[:, :1].broadcast(6,7,4)",
        "[0,0,0].broadcast(4,3)", "[:,:1,:].broadcast(6,5,4).reshape(-1)", ".as_strided((3,2),(1,3),0)", ".as_strided((3,2),(1,3),5)",
        ".as_strided((4,3),(-7,2),100)", ".as_strided((),(),119)", ".as_strided((3,4),(0,1),2)", ".as_strided((0,3),(5,1),999)",
        ".T.as_strided((5,5),(24,1),3)", "[::2].reshape(3,-1)[1:].T", ".T[::2, ::-1].reshape(-1, 3).T", ".permute(2,1,0)[1:3, ::-2]",
    ],
    (24,): [
        "[::-1]", "[1::5]", "[-1]", "[None]", ".reshape(4,6).T", ".reshape(2,3,4).permute(2,0,1)", ".window(0,5,3,2)", ".window(0,24)",
        ".broadcast(3,24)", ".as_strided((2,3,4),(1,2,6),0)", "[23:0:-7]", ".reshape(4,6).T.reshape(24)",
    ],
    (): ["", "[None]", "[...]", "[None, None].broadcast(3,4)", ".reshape(1,1,1)", ".T", ".permute()", ".squeeze()", ".unsqueeze(0)"],
    (1, 7, 1): [".squeeze()", ".squeeze(0)", ".squeeze(-1)", ".broadcast(3,7,2)", ".broadcast(2,1,7,5)", ".T", "[0,:,0][::-1]",
                ".reshape(7)", ".squeeze().window(0,3)"],
    (3, 0, 4): ["", ".T", "[1:]", ".reshape(0)", ".reshape(12,-1,2)", "[:, :, 0]", ".broadcast(2,3,0,4)", "[:, None]", ".flip(1)"],
    (33, 17): [".T", "[::-1, 1:]", "[:, ::-1].T", "[1:, 3:16]", "[5]", "[:, 5]", ".reshape(17,33)", ".T.reshape(11, 51)",
               ".window(1,3).permute(2,0,1)", "[::4, ::3]"],
}


def random_view(rng, array):
    """A chain of one to four steps that NumPy accepts on an array like this one."""
    tensor, text = Tensor(array, array.reshape(-1)), ""
    for _ in range(int(rng.integers(1, 5))):
        piece = random_step(rng, tensor.array.shape)
        try:
            longer = evaluate(piece, tensor)
        except (ValueError, IndexError, AssertionError):
            continue
        if longer.array.size <= 5000 and longer.rank <= 8:
            tensor, text = longer, text + piece
    return text


def random_step(rng, shape):
    """Text that may be legal on a shape."""
    number = lambda low, high: int(rng.integers(low, high))
    rank = len(shape)
    axis = number(-rank, rank) if rank else 0
    match number(0, 10):
        case 0:
            return ".T"
        case 1:
            return f".permute({','.join(map(str, rng.permutation(rank)))})"
        case 2:
            return f".flip({axis})"
        case 3:
            numel = int(np.prod(shape, dtype=np.int64))
            divisors = [d for d in range(1, 13) if numel % d == 0]
            return f".reshape({rng.choice(divisors)},-1)" if number(0, 2) else ".reshape(-1)"
        case 4:
            wide = [number(0, 4) if d == 1 else d for d in shape]
            return f".broadcast({','.join(map(str, [number(1, 4)] * number(0, 2) + wide))})"
        case 5:
            return f".window({axis},{number(1, 4)},{number(1, 4)},{number(1, 3)})"
        case 6:
            return [".squeeze()", f".unsqueeze({number(0, rank + 1)})"][number(0, 2)]
        case 7:
            return f".swap({axis},{number(-rank, rank) if rank else 0})"
        case _:
            items = []
            for d in shape:
                bound = lambda: "" if number(0, 3) == 0 else str(number(-d - 2, d + 3))
                items.append(str(number(-d, d)) if d and number(0, 4) == 0 else f"{bound()}:{bound()}:{rng.choice([1, 1, 2, -1, -2, 3])}")
                if number(0, 6) == 0:
                    items.append("None")
            items.insert(number(0, len(items) + 1), "...")
            return f"[{', '.join(items)}]"
