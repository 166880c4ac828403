"""The file formats, written and read without any of the program's code."""

import json
import struct
import zlib

import numpy as np

# Bits of every dtype that a .safetensors file has.
SAFETENSORS = {
    "BOOL": ("bool", 8), "F4": ("float4_e2m1fn", 4), "F6_E2M3": ("float6_e2m3fn", 6), "F6_E3M2": ("float6_e3m2fn", 6),
    "U8": ("uint8", 8), "I8": ("int8", 8), "F8_E5M2": ("float8_e5m2", 8), "F8_E4M3": ("float8_e4m3fn", 8),
    "F8_E8M0": ("float8_e8m0fnu", 8), "F8_E4M3FNUZ": ("float8_e4m3fnuz", 8), "F8_E5M2FNUZ": ("float8_e5m2fnuz", 8),
    "I16": ("int16", 16), "U16": ("uint16", 16), "F16": ("float16", 16), "BF16": ("bfloat16", 16), "I32": ("int32", 32),
    "U32": ("uint32", 32), "F32": ("float32", 32), "C64": ("complex64", 64), "F64": ("float64", 64), "I64": ("int64", 64),
    "U64": ("uint64", 64),
}
# Bits of every dtype of the table.
DTYPES = {
    "bool": 8, "bit": 1, "int2": 2, "uint2": 2, "int4": 4, "uint4": 4, "int8": 8, "uint8": 8, "int16": 16, "uint16": 16,
    "int32": 32, "uint32": 32, "int64": 64, "uint64": 64, "float4_e2m1fn": 4, "float6_e2m3fn": 6, "float6_e3m2fn": 6,
    "float8_e4m3fn": 8, "float8_e5m2": 8, "float8_e4m3": 8, "float8_e3m4": 8, "float8_e4m3fnuz": 8, "float8_e5m2fnuz": 8,
    "float8_e4m3b11fnuz": 8, "float8_e8m0fnu": 8, "float16": 16, "bfloat16": 16, "float32": 32, "float64": 64,
    "complex64": 64, "complex128": 128,
}


def width(dtype):
    """The bits of a dtype of the table, bits(n) included."""
    return int(dtype[5:-1]) if dtype.startswith("bits(") else DTYPES[dtype]


def pack(bits):
    """Bytes of bits, least significant first, spare bits 0."""
    return np.packbits(np.asarray(bits, np.uint8).reshape(-1), bitorder="little").tobytes()


def unpack(data, shape, bits):
    """Elements as an array of shape + (bits,)."""
    numel = int(np.prod(shape, dtype=object))
    flat = np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little")
    return flat[: numel * bits].reshape(tuple(shape) + (bits,))


def safetensors(tensors, metadata=None):
    """A file of (name, dtype, shape, data)."""
    header, body = {}, b""
    if metadata:
        header["__metadata__"] = metadata
    for name, dtype, shape, data in tensors:
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + body


def read_safetensors(data):
    """{name: (dtype, shape, data)}, each offset checked."""
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    body = data[8 + size :]
    result = {}
    for name, info in header.items():
        start, end = info["data_offsets"]
        assert 0 <= start <= end <= len(body)
        result[name] = (info["dtype"], tuple(info["shape"]), body[start:end])
    assert sum(len(data) for _, _, data in result.values()) == len(body)
    return result


def npy(descr, shape, data, fortran=False, version=(1, 0), extra=""):
    """A .npy file with any header."""
    text = f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, {extra}}}".encode()
    size = struct.calcsize("<H" if version == (1, 0) else "<I")
    text += b" " * (-(8 + size + len(text) + 1) % 64) + b"\n"
    return b"\x93NUMPY" + bytes(version) + len(text).to_bytes(size, "little") + text + data


CHANNELS = {0: 1, 2: 3, 4: 2, 6: 4, 3: 1}


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(pixels, colour=None, depth=8, extra=b"", size=None):
    """A .png file of a uint8 array (H,W) or (H,W,C); rows are not filtered."""
    height, width = pixels.shape[:2]
    channels = pixels.shape[2] if pixels.ndim == 3 else 1
    colour = {1: 0, 2: 4, 3: 2, 4: 6}[channels] if colour is None else colour
    rows = b"".join(b"\0" + pixels[y].tobytes() for y in range(height))
    head = struct.pack(">IIBBBBB", *(size or (width, height)), depth, colour, 0, 0, 0)
    body = chunk(b"IHDR", head) + extra + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def read_png(data):
    """The pixels of an 8-bit file that is not interlaced."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed = 8, b""
    while at < len(data):
        (size,), name = struct.unpack(">I", data[at : at + 4]), data[at + 4 : at + 8]
        body = data[at + 8 : at + 8 + size]
        assert chunk(name, body) == data[at : at + 12 + size]
        if name == b"IHDR":
            width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", body)
            assert depth == 8 and not interlaced
        elif name == b"IDAT":
            packed += body
        at += 12 + size
    channels = CHANNELS[colour]
    row = width * channels
    raw = zlib.decompress(packed)
    assert len(raw) == height * (row + 1)
    pixels = np.zeros((height, row), np.uint8)
    before = [0] * row
    for y in range(height):
        kind, *line = raw[y * (row + 1) : (y + 1) * (row + 1)]
        for x in range(row):
            left = line[x - channels] if x >= channels else 0
            corner = before[x - channels] if x >= channels else 0
            line[x] = (line[x] + predict(kind, left, before[x], corner)) & 255
        before = line
        pixels[y] = line
    return pixels.reshape((height, width) if channels == 1 else (height, width, channels))


def predict(kind, left, up, corner):
    """What a PNG row filter adds."""
    if kind < 4:
        return [0, left, up, (left + up) // 2][kind]
    guess = left + up - corner
    return min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
