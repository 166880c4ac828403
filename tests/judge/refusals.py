"""Requests that must be refused: (what, files, arguments, exit code, parts of the message)."""

import io
import struct

import numpy as np

from . import formats

SIX = np.arange(6, dtype="<i2")


def saved(array):
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


GOOD = saved(np.arange(24, dtype="<f4").reshape(2, 3, 4))


def npys():
    """Files that are no .npy file this program reads, each with what the message says."""
    data = SIX.tobytes()
    header = lambda descr="'<i2'", shape="(6,)", body=data, **more: formats.npy(descr, shape, body, **more)
    yield "empty", b"", "truncated"
    yield "magic", b"\x93NUMPX" + GOOD[6:], "not a .npy file"
    yield "version", GOOD[:6] + b"\x04\x00" + GOOD[8:], "4.0"
    yield "header length", GOOD[:8] + b"\xff\xff" + GOOD[10:], "truncated"
    yield "header length 2.0", header(version=(2, 0))[:8] + b"\xff\xff\xff\xff" + GOOD[12:], "truncated"
    yield "short data", header(body=data[:-1]), "truncated"
    yield "long data", header(body=data + b"\0"), "too many"
    yield "larger shape", header(shape="(7,)"), "truncated"
    yield "smaller shape", header(shape="(5,)"), "too many"
    yield "overflow", header(shape="(4294967296, 4294967296)"), "2^53"
    yield "overflow to 0", header(shape="(9223372036854775808, 2)", body=b""), "2^53"
    yield "overflow beside 0", header(shape="(0, 134217728, 67108865)", body=b""), "2^53"
    yield "past 64 bits", header(shape="(99999999999999999999,)"), "64 bits"
    yield "negative", header(shape="(-6,)"), "negative"
    yield "rank 33", header(shape=f"({'1,' * 33})", body=data[:2]), "33"
    yield "shape a list", header(shape="[6]"), "`(`"
    yield "shape of names", header(shape="(six,)"), "no extent"
    yield "order", header(fortran="Maybe"), "fortran_order"
    yield "unknown key", header(extra="'more': 1, "), "more"
    yield "key twice", header(extra="'descr': '<i2', "), "again"
    yield "missing key", b"\x93NUMPY\1\0\x16\0{'descr': '<i2', }   \n" + data, "fortran_order"
    yield "no dictionary", b"\x93NUMPY\1\0\x04\0abc\n", "`{`"
    yield "no end", b"\x93NUMPY\1\0\x05\0{'de\n", "without an end"
    yield "more after", header(extra="} {"), "more after"
    for descr, part in [
        ("'<U3'", "holds text"), ("'|S4'", "byte strings"), ("'|O'", "Python objects"), ("'<f16'", "<f16"), ("'<c32'", "<c32"),
        ("'|V17'", "V17"), ("'|V0'", "V0"), ("'<x4'", "<x4"), ("'<i3'", "<i3"), ("'<M8[parsec]'", "parsec"), ("''", "unknown"),
        ("[('a', '<i2'), ('b', '<f4')]", "structured"), ("('<i2', (2,))", "subarray"), ("None", "no string"), ("'é'", "unknown"),
    ]:
        yield f"descr {descr}", header(descr=descr), part


def safetensors():
    """The same for .safetensors."""
    data = SIX.tobytes()
    good = formats.safetensors([("a", "I16", (6,), data)])
    text = lambda text, body=data: struct.pack("<Q", len(text)) + text.encode() + body
    entry = lambda dtype="I16", shape="[6]", offsets="[0,12]": f'{{"a":{{"dtype":"{dtype}","shape":{shape},"data_offsets":{offsets}}}}}'
    yield "empty", b"", "truncated"
    yield "header length", struct.pack("<Q", 1 << 60) + good[8:], "1152921504606846976"
    yield "short data", good[:-1], "truncated"
    yield "long data", good + b"\0", "too many"
    yield "no json", text("{nonsense"), "header"
    yield "no utf-8", struct.pack("<Q", 4) + b"\xff\xfe{}", "header"
    yield "unknown dtype", text(entry(dtype="I7")), "I7"
    yield "larger shape", text(entry(shape="[7]")), "header"
    yield "negative shape", text(entry(shape="[-6]")), "-6"
    yield "overflow", text(entry(shape="[4611686018427387904, 16]")), "overflow"
    yield "past this program", text(entry(dtype="U8", shape="[0, 134217728, 67108865]", offsets="[0,0]"), b""), "2^53"
    yield "offsets", text(entry(offsets="[2,14]"), data + b"\0\0"), "offset"
    yield "half a byte", text(entry(dtype="F4", shape="[3]", offsets="[0,2]"), b"\0\0"), "header"
    yield "no tensor", formats.safetensors([]), "no tensor"
    yield "two tensors", formats.safetensors([("a", "U8", (1,), b"1"), ("b", "U8", (1,), b"2")]), "--tensor"


def pngs():
    """The same for .png."""
    grey = np.arange(12, dtype=np.uint8).reshape(3, 4)
    good = formats.png(grey)
    palette = formats.chunk(b"PLTE", bytes(range(48)))
    yield "empty", b"", "truncated"
    yield "magic", b"\x89PNX" + good[4:], "bad.png"
    yield "cut", good[:50], "bad.png"
    yield "checksum", good[:45] + bytes([good[45] ^ 1]) + good[46:], "bad.png"
    yield "palette", formats.png(grey, colour=3, extra=palette), "palette"
    yield "16 bits", formats.png(np.zeros((3, 8), np.uint8), depth=16, size=(4, 3)), "16 bits"
    yield "4 bits", formats.png(np.zeros((3, 2), np.uint8), depth=4, size=(4, 3)), "4 bits"
    yield "grey and alpha", formats.png(np.zeros((3, 4, 2), np.uint8)), "alpha"
    yield "transparent colour", formats.png(np.zeros((3, 4, 3), np.uint8), extra=formats.chunk(b"tRNS", bytes(6))), "transparent"
    yield "huge", formats.png(grey, size=(2**31 - 1, 2**31 - 1)), "bad.png"
    yield "large", formats.png(grey, size=(1 << 20, 1 << 20)), "cannot hold"


def files():
    """A file each, named bad.*, that copying must refuse by name."""
    for extension, cases in [("npy", npys()), ("safetensors", safetensors()), ("png", pngs())]:
        for what, data, part in cases:
            yield f"{extension}: {what}", {f"bad.{extension}": data}, ["copy", f"bad.{extension}", "out.bin"], 2, [f"bad.{extension}", part]
    # Every beginning of a good file is too short, and says so.
    two = formats.safetensors([("a", "I16", (6,), SIX.tobytes())])
    for extension, data in [("npy", GOOD), ("safetensors", two), ("png", formats.png(np.zeros((3, 4), np.uint8))[:-12])]:
        for end in range(0, len(data), 7):
            yield f"{extension}: cut at {end}", {f"bad.{extension}": data[:end]}, ["copy", f"bad.{extension}", "out.bin"], 2, [f"bad.{extension}"]


def requests():
    """Good files, bad requests."""
    inputs = {
        "x.npy": GOOD, "big.npy": saved(np.arange(6, dtype=">f4")), "b.bin": bytes(range(15)), "out.npy": b"kept",
        "two.safetensors": formats.safetensors([("a", "U8", (2,), b"12"), ("b", "U8", (2,), b"34")]),
        "grey.png": formats.png(np.zeros((3, 4), np.uint8)),
    }
    copy = lambda *more: ["copy", "x.npy", "out.npy", *more]
    view = lambda text: copy("--view", text)
    write = lambda *more: ["write", "x.npy", "x.npy", "out.npy", *more]
    raw = lambda *more: ["copy", "b.bin", "out.npy", *more]
    rows = [
        (["copy"], 2, ["IN"]), (["copy", "x.npy"], 2, ["OUT"]), (["dance"], 2, ["dance"]), (copy("--nonsense"), 2, ["--nonsense"]),
        (["copy", "none.npy", "out.npy"], 2, ["none.npy"]), (["copy", "x.txt", "out.npy"], 2, ["x.txt", ".npy"]),
        (["copy", "x.npy", "out.txt"], 2, ["out.txt"]), (["copy", "x.npy", "x"], 2, ["extension"]),
        (["copy", "x.npy", "nowhere/out.npy"], 3, ["nowhere/out.npy"]), (["copy", ".", "out.npy"], 2, ["."]),
        (raw(), 2, ["b.bin", "--dtype"]), (raw("--dtype", "uint8"), 2, ["--shape"]), (raw("--dtype", "uint9", "--shape", "15"), 2, ["uint9"]),
        (raw("--dtype", "bits(129)", "--shape", "1"), 2, ["129"]), (raw("--dtype", "uint8", "--shape", "3,x"), 2, ["x"]),
        (raw("--dtype", "uint8", "--shape", "-3,5"), 2, ["-3"]), (raw("--dtype", "uint8", "--shape", "4,4"), 2, ["truncated", "16", "15"]),
        (raw("--dtype", "uint8", "--shape", "14"), 2, ["14", "15"]), (raw("--dtype", "uint4", "--shape", "31"), 2, ["16", "15"]),
        (raw("--dtype", "uint8", "--shape", "4294967296,4294967296"), 2, ["2^53"]), (raw("--dtype", "uint8", "--shape", "99999999999999999999"), 2, ["64 bits"]),
        (raw("--dtype", "uint4", "--shape", "5,6"), 2, ["out.npy", "uint4"]), (raw("--dtype", "bfloat16", "--shape", "7"), 2, ["15"]),
        (["copy", "two.safetensors", "out.npy"], 2, ["--tensor", '"a"', '"b"']), (["copy", "two.safetensors", "out.npy", "--tensor", "c"], 2, ['"c"']),
        (view("x"), 2, ["--view", "byte 0"]), (view("[1"), 2, ["byte 2"]), (view(".fly(0)"), 2, ["byte 1", "permute"]), (view("[2]"), 2, ["[2]", "index 2"]),
        (view(".T.permute(0,1,5)"), 2, ["byte 2", "axis 5"]), (view("[::0]"), 2, ["step 0"]), (view(".reshape(5,-1)"), 2, ["24"]),
        (view(".broadcast(2,2,4)"), 2, ["extent 3"]), (view(".window(0,3)"), 2, ["size 3"]), (view(".bitcast(bits(12))"), 2, ["32 to 12"]),
        (view(".bitcast(float65)"), 2, ["byte 9"]), (view(".T.bitcast(uint64)"), 2, ["byte 2", "extent 2"]), (view(".bitcast(uint4)"), 2, ["uint4"]),
        (view(".as_strided((25),(1),0)"), 2, ["100 bytes of a buffer of 96"]), (view(".as_strided((2),(-1),0)"), 2, ["negative"]),
        (view(".as_strided((2),(1),-1)"), 2, ["offset"]), (["copy", "big.npy", "out.safetensors"], 2, ["out.safetensors", "little-endian"]),
        (["copy", "b.bin", "out.safetensors", "--dtype", "uint4", "--shape", "30"], 2, ["uint4"]),
        (["copy", "b.bin", "out.safetensors", "--dtype", "float4_e2m1fn", "--shape", "30", "--view", "[1:]"], 2, ["29", "116 bits"]),
        (["copy", "x.npy", "out.png"], 2, ["out.png", "uint8"]), (["copy", "grey.png", "out.png", "--view", "[..., None]"], 2, ["out.png", "(3,4,1)"]),
        (["copy", "grey.png", "out.png", "--view", "[:0]"], 2, ["0"]), (copy("--rung", "ladder"), 2, ["ladder"]),
        (copy("--limits", "none"), 2, ["none"]), (copy("--rung", "rows", "--view", ".T"), 2, ["rows"]), (copy("--adapter", "99"), 3, ["99"]),
        (copy("--adapter", "no such device"), 3, ["no such device"]), (write("--at", "[0]"), 2, ["(2,3,4)", "(3,4)"]),
        (write("--view", ".bitcast(uint8)", "--at", "[..., None]"), 2, ["8 bits", "32"]), (write("--at", ".T.reshape(2,3,4)"), 2, ["--at", "byte 2", "no strides"]),
        (write("--view", "[0].broadcast(2,3,4)", "--at", "[:1].broadcast(2,3,4)"), 2, ["--at", "distinct"]), (write("--at", "[0"), 2, ["--at", "byte 2"]),
        (["write", "x.npy", "none.npy", "out.npy"], 2, ["none.npy"]), (["write", "none.npy", "x.npy", "out.npy"], 2, ["none.npy"]),
        (["explain"], 2, ["--dtype"]), (["explain", "--dtype", "uint8"], 2, ["--shape"]), (["explain", "--dtype", "uint8", "--shape", "4", "--at", "[0]"], 2, ["--at"]),
        (["explain", "--dtype", "uint8", "--shape", "4", "--view", "[4]"], 2, ["index 4"]),
        (copy("--dtype", "float16"), 2, ["--dtype", "not converted"]), (copy("--shape", "24"), 2, ["--shape"]), (copy("--tensor", "a"), 2, ["--tensor"]),
        (write("--base-shape", "24"), 2, ["--base-shape"]), (write("--base-dtype", "uint8"), 2, ["--base-dtype"]), (write("--base-tensor", "a"), 2, ["--base-tensor"]),
        (view(".broadcast(4503599627370496,2,3,4)"), 2, ["2^53"]),
    ]
    for arguments, code, parts in rows:
        yield " ".join(arguments), inputs, arguments, code, parts


def good_files():
    """A file of each format that has a header."""
    two = formats.safetensors([("a", "I16", (6,), SIX.tobytes()), ("b", "F4", (2, 4), b"1234")], {"key": "value"})
    one = formats.safetensors([("a", "I16", (2, 3), SIX.tobytes())])
    return {"x.npy": GOOD, "two.safetensors": two, "one.safetensors": one, "rgb.png": formats.png(np.zeros((3, 4, 3), np.uint8))}


def all_requests():
    yield from files()
    yield from requests()
