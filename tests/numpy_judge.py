"""NumPy judges the command line: `python tests/numpy_judge.py target/release/restride [--adapter cpu --adapter auto]`.

Every view form, dtype and file format goes through `restride copy` and `restride write`, and what comes out is compared with what
NumPy makes of the same text, bit for bit. Bad input must end in its exit code, one line that names it, and no file touched.
Needs Python 3.10 and numpy; prints counts, and exits with 1 on any mismatch. `--self-test` plants a wrong bit in every output: each
comparison must then fail.
"""

import argparse
import concurrent.futures
import io
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

sys.dont_write_bytecode = True  # a test leaves nothing in the tree

from judge import formats, refusals, views

LITTLE = "?1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16 M8[ns] m8[25us] M8 m8[D] V1 V2 V3 V7 V12 V16".replace("?1", "b1").split()
DESCRS = ["<" + d for d in LITTLE] + [">" + d for d in LITTLE if d[0] not in "bV" and d not in ("i1", "u1")]
WIDE_VIEWS = ["", ".T", "[1:, ::-1, ::2]", ".permute(1,2,0).reshape(-1, 5)", ".window(1,2,2).reshape(-1)", "[..., None, 2]"]
BIT_VIEWS = ["", ".T", "[::-1, 1:]", "[1:, ::2]", ".reshape(-1)[5:]", ".T.reshape(-1)", ".window(1,3,2,2)", "[1, 3]", "[:, :0]",
             ".as_strided((3,2),(2,9),4)", "[:, None].broadcast(5,2,7)", ".flip(0).flip(1)"]
ODD_WIDTHS = [1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 16, 17, 24, 31, 32, 33, 40, 48, 57, 63, 64, 65, 80, 96, 100, 127, 128]
BITCASTS = [
    ("<f4", (3, 4), ".bitcast(uint8)", "|u1"), ("<f4", (3, 4), ".T.bitcast(uint16)[..., 1]", "<u2"), (">f4", (3, 4), ".bitcast(int32)", "<i4"),
    ("<u1", (3, 8), ".reshape(3,2,4).bitcast(float32)", "<f4"), ("<u1", (3, 8), "[:, 4:].bitcast(uint32)", "<u4"), ("<c8", (5,), ".bitcast(float32)[:, 1]", "<f4"),
    ("<M8[ns]", (4,), ".bitcast(int64)", "<i8"), ("V3", (4, 2), ".bitcast(uint8)", "|u1"), ("<u1", (4, 3), ".bitcast(bits(24))", "|V3"),
    ("<c16", (3,), ".bitcast(bits(128))", "|V16"), ("<f8", (2, 3), ".bitcast(uint8).bitcast(complex64)", "<c8"), ("<u1", (2, 0), ".bitcast(uint8)[None]", "|u1"),
    ("<u1", (2, 4, 4), "[::-1].bitcast(uint32).flip(1).bitcast(uint8)", "|u1"), ("b1", (6,), ".bitcast(uint8)", "|u1"),
    ("<u2", (4, 6), "[1:].bitcast(bits(8)).as_strided((5,),(9,),3)", "|V1"), ("<u4", (), ".bitcast(bits(16))", "|V2"),
]
PLACES = [
    ((6, 5, 4), "", "", (6, 5, 4)), ((5, 4), ".T", "[2].T.T.T", (6, 5, 4)), ((5, 4), "", "[2]", (6, 5, 4)), ((6, 4), "[::-1]", "[:, 3]", (6, 5, 4)),
    ((3, 5), "", "[::2, :, 1]", (6, 5, 4)), ((4, 5, 6), ".T", "", (6, 5, 4)), ((2, 2), "", "[1:5:3, ::-4, 2]", (6, 5, 4)), ((7,), "[1:]", "[:, 0, 0]", (6, 5, 4)),
    ((1,), ".broadcast(5,4)", "[-1]", (6, 5, 4)), ((4,), "[:0]", "[:0, 0, 0]", (6, 5, 4)), ((), "", "[0, 0, 0]", (6, 5, 4)), ((2, 3), "", ".as_strided((2,3),(3,40),7)", (6, 5, 4)),
    ((12,), ".reshape(3,4).T.reshape(2,6)", "[0].reshape(-1)[4:16].reshape(2,6)", (6, 5, 4)), ((3, 2), "", "[:3, 1:3, 0].flip(1)", (6, 5, 4)), ((9,), ".window(0,4,1)", "[:, 1, ::-1]", (6, 5, 4)),
]


class Judge:
    """Runs the program and counts."""

    def __init__(self, binary, adapter, plant):
        self.binary, self.adapter, self.plant = pathlib.Path(binary).resolve(), adapter, plant
        self.counts, self.failures = {}, []
        self.environment = {**os.environ, "XDG_RUNTIME_DIR": tempfile.gettempdir(), "NODEVICE_SELECT": "1"}

    def run(self, folder, arguments):
        command = [str(self.binary), *arguments]
        return subprocess.run(command, cwd=folder, capture_output=True, env=self.environment, timeout=300, check=False)

    def made(self, folder, arguments, out):
        """The bytes of the file that a run makes; with a planted wrong bit, if that is what is tested."""
        ran = self.run(folder, [*arguments, "--adapter", self.adapter])
        problem = ran.stderr.decode().strip()
        assert ran.returncode == 0, f"exit code {ran.returncode}: {problem}"
        left = [name for name in os.listdir(folder) if name.startswith(".")]
        assert not left, f"left behind: {left}"
        data = pathlib.Path(folder, out).read_bytes()
        if not self.plant:
            return data
        if out.endswith(".png"):
            pixels = formats.read_png(data).copy()
            pixels.flat[-1] ^= 1
            return formats.png(pixels)
        # The last byte's bit 0 is an element's in every width. Without an element it is the header's, and an empty file grows.
        empty = out.endswith(".bin") and not data
        return b"\1" if empty else data[:-1] + bytes([data[-1] ^ 1])

    def check(self, kind, what, test):
        """Runs one comparison in a folder of its own."""
        with tempfile.TemporaryDirectory() as folder:
            try:
                test(folder)
                wrong = "the planted bit went unnoticed" if self.plant else None
            except Exception as error:  # whatever goes wrong is a mismatch
                noticed = self.plant and isinstance(error, (AssertionError, ValueError)) and "exit code" not in str(error)
                wrong = None if noticed else f"{type(error).__name__}: {error}"
        self.counts[kind] = self.counts.get(kind, 0) + 1
        if wrong:
            self.failures.append(f"{kind}: {what}: {wrong}")


def save(folder, name, data):
    pathlib.Path(folder, name).write_bytes(data)


def equal(found, expected):
    assert found == expected, f"{found!r:.200} is not {expected!r:.200}"


def some(rng, shape, dtype):
    """An array of random bits."""
    dtype = np.dtype(dtype)
    data = rng.integers(0, 256, int(np.prod(shape, dtype=np.int64)) * dtype.itemsize, dtype=np.uint8)
    return np.frombuffer(data.tobytes(), dtype).reshape(shape)


def memory(array):
    """The elements as they lie in the file."""
    return array.reshape(-1, order="F" if array.flags.fnc else "C")


def npy_copy(judge, rng, descr, shape, text, fortran=False, options=(), result=None):
    array = np.asarray(some(rng, shape, descr), order="F" if fortran else "C")
    dtype = np.dtype(result or descr)
    expected = views.evaluate(text, views.Tensor(array, memory(array))).array

    def test(folder):
        np.save(pathlib.Path(folder, "in.npy"), array)
        data = judge.made(folder, ["copy", "in.npy", "out.npy", "--view", text, *options], "out.npy")
        found = np.load(io.BytesIO(data))
        equal((found.dtype.str, found.shape, found.flags.c_contiguous), (dtype.str, expected.shape, True))
        equal(found.tobytes(), expected.tobytes())
        equal(len(data) - data.index(b"\n") - 1, found.nbytes)

    return f"{descr} {shape} {'F' if fortran else 'C'} {text} {' '.join(options)}", test


def bits_copy(judge, rng, dtype, shape, text, options=(), safetensors=None):
    width = formats.width(dtype)
    bits = rng.integers(0, 2, shape + (width,), dtype=np.uint8)
    expected = views.evaluate(text, views.Tensor(bits, bits.reshape(-1, width), True)).array
    data = bytearray(formats.pack(bits))
    if data and bits.size % 8:
        data[-1] |= 0xFF << (bits.size % 8) & 0xFF  # spare bits that must not come through
    out = "out.safetensors" if safetensors else "out.bin"

    def test(folder):
        if safetensors:
            other = ("other", "U8", (3,), b"abc")
            save(folder, "in.safetensors", formats.safetensors([other, ("it", safetensors, shape, bytes(data))]))
            arguments = ["copy", "in.safetensors", out, "--tensor", "it"]
        else:
            save(folder, "in.bin", data)
            arguments = ["copy", "in.bin", out, "--dtype", dtype, "--shape", ",".join(map(str, shape)) or "()"]
        found = judge.made(folder, [*arguments, "--view", text, *options], out)
        if safetensors:
            tensors = formats.read_safetensors(found)
            equal(list(tensors), ["it"])
            theirs, found_shape, found = tensors["it"]
            equal((theirs, found_shape), (safetensors, expected.shape[:-1]))
        equal(found, formats.pack(expected))

    return f"{dtype} {shape} {text} {' '.join(options)}", test


def png_copy(judge, rng, shape, text, to_npy=False):
    pixels = rng.integers(0, 256, shape, dtype=np.uint8)
    expected = views.evaluate(text, views.Tensor(pixels, pixels.reshape(-1))).array
    out = "out.npy" if to_npy else "out.png"

    def test(folder):
        save(folder, "in.png", formats.png(pixels))
        data = judge.made(folder, ["copy", "in.png", out, "--view", text], out)
        found = np.load(io.BytesIO(data)) if to_npy else formats.read_png(data)
        equal((found.dtype, found.shape, found.tobytes()), (expected.dtype, expected.shape, expected.tobytes()))

    return f"{shape} {text} to {out}", test


def written(source, base, view, at):
    """The bits of a buffer after a write: NumPy places the numbers of its bits, and moves the bits there."""
    value = views.evaluate(view, views.Tensor(source, source.reshape(-1, source.shape[-1]), True)).array
    numbers = np.arange(base.size).reshape(base.shape)
    place = views.evaluate(at, views.Tensor(numbers, numbers.reshape(-1, base.shape[-1]), True)).array
    assert value.shape == place.shape
    result = base.reshape(-1).copy()
    result[place] = value
    return result.reshape(base.shape)


def write(judge, rng, form, dtype, shapes, view, at, options=()):
    """A write in one format; the header, and all around the tensor, must come through as they are."""
    source_shape, base_shape = shapes
    fortran = form == "fortran"
    if form in ("npy", "fortran"):
        width = 8 * np.dtype(dtype).itemsize
    else:
        width = formats.width(dtype)
    source = rng.integers(0, 2, source_shape + (width,), dtype=np.uint8)
    base = rng.integers(0, 2, base_shape + (width,), dtype=np.uint8)
    if fortran:  # the memory of the base is the C order of its axes in reverse
        axes = [*reversed(range(len(base_shape))), len(base_shape)]
        expected = written(source, base.transpose(axes), view, at_fortran(at, len(base_shape))).transpose(axes)
    else:
        expected = written(source, base, view, at)
    text = lambda shape: ",".join(map(str, shape)) or "()"

    def test(folder):
        if form in ("npy", "fortran"):
            array = lambda bits: np.frombuffer(formats.pack(bits), dtype).reshape(bits.shape[:-1])
            np.save(pathlib.Path(folder, "in.npy"), array(source))
            whole = io.BytesIO()
            np.save(whole, np.asarray(array(base), order="F" if fortran else "C"))
            save(folder, "base.npy", whole.getvalue())
            data = judge.made(folder, ["write", "in.npy", "base.npy", "out.npy", "--view", view, "--at", at, *options], "out.npy")
            head = len(whole.getvalue()) - base.size // 8
            equal(data[:head], whole.getvalue()[:head])
            equal(np.load(io.BytesIO(data)).tobytes(), array(expected).tobytes())
        elif form == "bin":
            save(folder, "in.bin", formats.pack(source))
            save(folder, "base.bin", formats.pack(base))
            more = ["--dtype", dtype, "--shape", text(source_shape), "--base-shape", text(base_shape)]
            equal(judge.made(folder, ["write", "in.bin", "base.bin", "out.bin", "--view", view, "--at", at, *more, *options], "out.bin"), formats.pack(expected))
        else:
            name = next(name for name, (ours, _) in formats.SAFETENSORS.items() if ours == dtype)
            file = lambda bits: formats.safetensors(
                [("a", "U8", (3,), b"abc"), ("it", name, bits.shape[:-1], formats.pack(bits)), ("z", "I16", (1,), b"zz")], {"kept": "yes"})
            save(folder, "in.safetensors", file(source))
            save(folder, "base.safetensors", file(base))
            arguments = ["write", "in.safetensors", "base.safetensors", "out.safetensors", "--tensor", "it", "--view", view, "--at", at, *options]
            equal(judge.made(folder, arguments, "out.safetensors"), file(expected))

    return f"{form} {dtype} {shapes} {view} at {at} {' '.join(options)}", test


def at_fortran(at, rank):
    """The view `at` of an array, as a view of its memory's C order."""
    return f".permute({','.join(map(str, reversed(range(rank))))}){at}"


def cases(judge, rng, chains):
    """(kind, what, test) of every comparison."""
    ladder = [("--verify",), ("--limits", "tiny"), ("--limits", "baseline", "--verify"), ("--rung", "gather"), ("--rung", "scatter", "--limits", "tiny")]
    for shape, texts in views.VIEWS.items():
        for i, text in enumerate(texts):
            for descr in ["<f4", "|u1", "<u2"]:
                yield "views", *npy_copy(judge, rng, descr, shape, text, options=ladder[i % 3])
    for descr in DESCRS:
        for i, text in enumerate(WIDE_VIEWS):
            yield "dtypes", *npy_copy(judge, rng, descr, (4, 5, 6), text, fortran=i % 2 == 1, options=ladder[i % 5])
    for descr, shape, text, result in BITCASTS:
        yield "bitcasts", *npy_copy(judge, rng, descr, shape, text, result=result)
    for dtype in [*formats.DTYPES, *(f"bits({n})" for n in ODD_WIDTHS)]:
        for i, text in enumerate(BIT_VIEWS[:: 1 if formats.width(dtype) < 8 else 3]):
            yield ".bin", *bits_copy(judge, rng, dtype, (5, 7), text, options=ladder[i % 5])
        yield ".bin", *bits_copy(judge, rng, dtype, (), "[None].broadcast(3)")
    for theirs, (dtype, _) in formats.SAFETENSORS.items():
        for text in ["", ".T", "[1:3, ::-2]", ".T.reshape(2,-1)", ".reshape(-1)[8:]"]:
            yield ".safetensors", *bits_copy(judge, rng, dtype, (6, 8), text, safetensors=theirs)
    yield "bitcasts", *bits_copy(judge, rng, "uint8", (3, 5), ".bitcast(uint4)[:, 1:, 0]")
    yield "bitcasts", *bits_copy(judge, rng, "bit", (3, 4, 12), ".swap(0,1).bitcast(bits(12))")
    yield "bitcasts", *bits_copy(judge, rng, "bits(12)", (3, 5), ".T.bitcast(uint4)[..., ::-1]")
    yield "bitcasts", *bits_copy(judge, rng, "uint4", (5, 7, 2), "[1:, ::-1].bitcast(uint8)")
    for shape in [(7, 9), (7, 9, 3), (7, 9, 4)]:
        rest = ",2" if len(shape) == 3 else ""
        for text in ["", "[::-1]", "[1:5, ::2]", f".permute(1,0{rest})", "[2:3, :1]", ".swap(0,1)[::-1]"]:
            yield ".png", *png_copy(judge, rng, shape, text)
            yield ".png", *png_copy(judge, rng, shape, text, to_npy=True)
    for source, view, at, base in PLACES:
        for form, dtype in [("npy", "<f4"), ("fortran", ">i2"), ("npy", "|V3"), ("bin", "uint4"), ("bin", "bits(12)"), ("bin", "bit"), ("safetensors", "float16"), ("safetensors", "float4_e2m1fn")]:
            if form == "safetensors" and (np.prod(source) * formats.width(dtype)) % 8 or (form == "fortran" and ("as_strided" in at or "reshape" in at)):
                continue
            for options in [("--verify",), ("--limits", "tiny")]:
                yield "write", *write(judge, rng, form, dtype, (source, base), view, at, options)
    yield "write", *write(judge, rng, "bin", "uint4", ((3, 5), (4, 3, 6)), "", "[2, :, 1:]")
    yield "write", *write(judge, rng, "bin", "uint8", ((3, 5), (3, 5, 2)), ".bitcast(uint4)[..., 0]", ".bitcast(uint4)[:, :, 1, 1]")
    for _ in range(chains):
        shape = tuple(int(d) for d in rng.integers(0, 7, int(rng.integers(0, 5))))
        descr = str(rng.choice(["|u1", "<i2", "<f4", "<f8", "|V3", "<c16"]))
        text = views.random_view(rng, np.zeros(shape, np.int8))
        yield "random chains", *npy_copy(judge, rng, descr, shape, text, fortran=bool(rng.integers(0, 2)), options=ladder[int(rng.integers(0, 3))])


def refuse(judge, files, arguments, code, parts, folder):
    """A request that must fail, and leave the folder as it is."""
    for name, data in files.items():
        save(folder, name, data)
    ran = judge.run(folder, arguments)
    lines = ran.stderr.decode().splitlines()
    equal((ran.returncode, ran.stdout), (code, b""))
    assert len(lines) == 1 and lines[0].startswith("restride: "), lines
    for part in parts:
        assert part in lines[0], f"no {part!r} in {lines[0]!r}"
    equal({name: pathlib.Path(folder, name).read_bytes() for name in os.listdir(folder)}, files)


def mutate(judge, rng, name, data):
    """A file with some bytes changed is read, or refused in one line; it never brings the program down."""
    data = bytearray(data)
    for _ in range(int(rng.integers(1, 5))):
        at = int(rng.integers(0, min(len(data), 160)))
        match int(rng.integers(0, 4)):
            case 0:
                data[at] = int(rng.integers(0, 256))
            case 1:
                data[at : at + int(rng.integers(1, 9))] = b""
            case 2:
                data[at:at] = rng.choice([b"9", b"99999999999", b"-", b"'", b"(", b"\xff\xff\xff\xff", b"{", b","])
            case _:
                data[at] = int(rng.choice(list(b"0123456789,:'\"()[]{}<>|fiuVM \0\xff")))
    data = bytes(data)

    def test(folder):
        save(folder, name, data)
        ran = judge.run(folder, ["copy", name, "out.bin", "--adapter", "cpu"])
        lines = ran.stderr.decode().splitlines()
        if ran.returncode:
            equal((ran.returncode, len(lines), os.listdir(folder)), (2, 1, [name]))
            assert lines[0].startswith(f"restride: {name}: "), lines

    return f"{name} {data!r}", test


def explained(judge, folder):
    """`explain` says what is materialised, and `adapters` what there is; neither needs a device to be opened."""
    say = lambda *arguments: judge.run(folder, arguments).stdout.decode()
    plain = ["explain", "--dtype", "uint4", "--shape", "6,8", "--view"]
    assert "materialised" in say(*plain, ".T.reshape(-1)") and ".reshape(-1)" in say(*plain, ".T.reshape(-1)")
    assert "materialised" not in say(*plain, ".T") and "gather" in say(*plain, ".T")
    assert "scatter" in say("explain", "--dtype", "uint4", "--shape", "6", "--base-shape", "6,8", "--at", "[:, 3]")
    assert say("adapters").strip().splitlines()[-1].startswith("cpu")
    for command in ["copy", "write", "explain", "adapters"]:
        assert "Examples:" in say(command, "--help") or command == "adapters"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", help="the restride program")
    parser.add_argument("--adapter", action="append", help="where to run, repeated; cpu and auto if left out")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--chains", type=int, default=200, help="random chains per adapter")
    parser.add_argument("--every", type=int, default=3, help="adapters after the first get one case of so many")
    parser.add_argument("--mutations", type=int, default=100, help="damaged files per format")
    parser.add_argument("--self-test", action="store_true", help="plant a wrong bit in each output, which must be noticed")
    arguments = parser.parse_args()
    seed = int.from_bytes(os.urandom(4), "little") if arguments.seed is None else arguments.seed
    print(f"seed {seed}")
    wrong = 0
    for turn, adapter in enumerate(arguments.adapter or ["cpu", "auto"]):
        judge = Judge(arguments.binary, adapter, arguments.self_test)
        rng = np.random.default_rng([seed, turn])
        tests = list(cases(judge, rng, arguments.chains))
        if turn > 0:  # an adapter changes the copy alone: formats and views have been judged
            tests = [tests[i] for i in sorted(rng.choice(len(tests), len(tests) // arguments.every, replace=False))]
        if turn == 0 and not arguments.self_test:  # the rest has little to do with an adapter
            for what, files, request, code, parts in refusals.all_requests():
                tests.append(("refusals", what, lambda folder, r=(files, request, code, parts): refuse(judge, *r, folder)))
            tests.append(("explain", "", lambda folder: explained(judge, folder)))
            for name, data in refusals.good_files().items():
                tests += (("mutations", *mutate(judge, rng, name, data)) for _ in range(arguments.mutations))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda test: judge.check(*test), tests))
        print(f"{adapter}: " + ", ".join(f"{count} {kind}" for kind, count in judge.counts.items()))
        for failure in judge.failures[:40]:
            print(f"MISMATCH {failure}")
        wrong += len(judge.failures)
        print(f"{sum(judge.counts.values()) - len(judge.failures)} passed, {len(judge.failures)} failed")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
