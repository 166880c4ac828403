#!/usr/bin/env bash
# The C ABI, as C and C++ programs meet it: the headers by themselves, the exported functions, the tests of tests/c under
# AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer, the examples through pkg-config.
#
#   tests/capi.sh            everything, on every adapter that there is
#
# CC, CXX and CARGO_TARGET_DIR may be set beforehand. Adapters are those that the environment's drivers offer; RESTRIDE_ADAPTERS,
# if set and not empty, says that there must be one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
target=${CARGO_TARGET_DIR:-target}
mkdir -p "$target"
target=$(cd "$target" && pwd)
cc=${CC:-cc} cxx=${CXX:-c++}
out=$target/capi
rm -rf "$out" && mkdir -p "$out"

passed=0 failures=() skipped=()
step() {
  local name=$1
  shift
  if "$@" >"$out/log" 2>&1; then
    passed=$((passed + 1))
    echo "-- $name: passed"
    # What a test says of itself.
    grep -hE 'passed, [0-9]+ failed|: open$' "$out/log" | sed 's/^/   /' || true
  else
    failures+=("$name")
    echo "-- $name: FAILED" >&2
    tail -n 60 "$out/log" >&2
  fi
}
# Passes iff the command fails, and says `word`.
refuses() {
  local word=$1 said
  shift
  if said=$("$@" 2>&1); then echo "$said"; echo "went through: $*"; return 1; fi
  echo "$said"
  grep -q "$word" <<<"$said"
}

echo "== building the libraries"
cargo rustc --lib --release --features capi --crate-type cdylib,staticlib -- --print native-static-libs 2>&1 | tee "$out/build" | tail -n 3
lib=$target/release
[ -e "$lib/librestride.a" ] || { echo "no static library in $lib" >&2; exit 1; }
shared=$lib/librestride.so
[ -e "$shared" ] || shared=$lib/librestride.dylib
# What a program that links the static library needs besides; cargo repeats it where it has nothing to build.
private=$(sed -n 's/^note: native-static-libs: //p' "$out/build" | tail -n 1)
private=${private:--lgcc_s -lutil -lrt -lpthread -lm -ldl -lc}

strict="-Wall -Wextra -Werror -pedantic"
sanitize="-g -fsanitize=address,undefined -fno-sanitize-recover=undefined"
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1
export LSAN_OPTIONS=print_suppressions=0

# ---- headers ----

header() { printf '#include "%s"\n#include "%s"\n' "$1" "$1" | "${@:2}" $strict -Iinclude -fsyntax-only -; }
for header in tensorflow/c/c_api_macros.h tensorflow/c/tf_datatype.h tensorflow/c/tf_status.h tensorflow/c/tf_tensor.h restride.h; do
  for standard in c99 c11 c17; do step "$header alone, as $standard" header "$header" "$cc" "-std=$standard" -x c; done
  for standard in c++17 c++20; do step "$header alone, as $standard" header "$header" "$cxx" "-std=$standard" -x c++; done
done

# The functions that the headers declare are those that the library exports, no more and no fewer.
declared() { cat include/tensorflow/c/*.h include/restride.h | tr '\n' ' ' | grep -oE 'TF_CAPI_EXPORT extern [^;]*;' | grep -oE '\b(TF|restride)_[A-Za-z_]+ *\(' | tr -d ' (' | sort -u; }
exported() { nm -D --defined-only "$shared" | awk '$2 == "T" { print $3 }' | sort -u; }
same_functions() { [ "$(declared | wc -l)" -gt 60 ] && diff <(declared) <(exported); }
step "declared and exported functions" same_functions

# ---- tests ----

compile() { "$cc" -std=c11 $strict $sanitize -Iinclude -Itests/c "$1" -o "$2" "${@:3}" -lpthread; }
test_shared() { compile "$1" "$out/test" -L"$lib" -lrestride -Wl,-rpath,"$lib" && "$out/test"; }
test_static() { compile "$1" "$out/test" "$lib/librestride.a" $private && "$out/test"; }

# The sanitizers see what they are there for, through the library too.
cat >"$out/leak.c" <<'C'
#include "restride.h"
int main(void) {
  const int64_t dims[] = {1000};
  for (int i = 0; i < 10; i++) (void)TF_AllocateTensor(TF_FLOAT, dims, 1, 4000);
  return 0;
}
C
cat >"$out/overrun.c" <<'C'
#include "restride.h"
int main(void) {
  const int64_t dims[] = {1000};
  TF_Tensor *t = TF_AllocateTensor(TF_FLOAT, dims, 1, 4000);
  char last = ((volatile char *)TF_TensorData(t))[4096];
  TF_DeleteTensor(t);
  return last == 1 ? 2 : 0;
}
C
step "a planted leak is noticed" refuses LeakSanitizer test_shared "$out/leak.c"
step "a planted read past the bytes is noticed" refuses heap-buffer-overflow test_shared "$out/overrun.c"
for file in tests/c/*.c; do
  [ "$file" = tests/c/devices.c ] && continue
  step "$file, shared library" test_shared "$file"
  step "$file, static library" test_static "$file"
done

# -rdynamic: the test keeps drivers loaded by a function of its own; see there.
test_devices() { compile tests/c/devices.c "$out/test" -rdynamic -L"$lib" -lrestride -Wl,-rpath,"$lib" && "$out/test"; }
step "tests/c/devices.c, shared library" test_devices
if ! grep -q ': open$' "$out/log"; then
  if [ -n "${RESTRIDE_ADAPTERS:-}" ]; then
    failures+=("adapters for C")
    echo "-- adapters for C: FAILED: none, where RESTRIDE_ADAPTERS asks for $RESTRIDE_ADAPTERS" >&2
  else
    skipped+=("tensors on adapters: this machine offers none")
  fi
fi

# ---- examples ----

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
prefix=$out/prefix
mkdir -p "$prefix/lib/pkgconfig" "$prefix/include"
cp -R include/tensorflow include/restride.h "$prefix/include/"
cp "$shared" "$lib/librestride.a" "$prefix/lib/"
sed -e "s|@prefix@|$prefix|; s|@version@|$version|; s|@libs_private@|$private|" include/restride.pc.in >"$prefix/lib/pkgconfig/restride.pc"
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
if command -v pkg-config >/dev/null; then
  says() { [ "$("${@:2}")" = "$1" ] || { echo "says: $("${@:2}")"; return 1; }; }
  planes=$'DEF/ABC\ndef/abc\nUVW/XYZ'
  example_c() { "$cc" -std=c11 $strict examples/c/transpose.c -o "$out/transpose" $(pkg-config --cflags --libs restride) -Wl,-rpath,"$prefix/lib" && says "$planes" "$out/transpose"; }
  example_static() { "$cc" -std=c11 $strict examples/c/transpose.c -o "$out/transpose" $(pkg-config --cflags restride) "$prefix/lib/librestride.a" $(pkg-config --static --libs-only-l restride | sed 's/-lrestride//') && says "$planes" "$out/transpose" cpu; }
  example_cpp() { "$cxx" -std=c++17 $strict examples/c/strings.cpp -o "$out/strings" $(pkg-config --cflags --libs restride) -Wl,-rpath,"$prefix/lib" && says $'one un\ntwo deux\nthree trois' "$out/strings"; }
  right_version() { says "$version" pkg-config --modversion restride; }
  step "pkg-config's version" right_version
  step "examples/c/transpose.c, shared library" example_c
  step "examples/c/transpose.c, static library" example_static
  step "examples/c/strings.cpp" example_cpp
else
  skipped+=("examples: no pkg-config")
fi

for reason in ${skipped[@]+"${skipped[@]}"}; do echo "skipped: $reason"; done
for name in ${failures[@]+"${failures[@]}"}; do echo "failed: $name"; done
echo "capi: $passed passed, ${#failures[@]} failed"
[ ${#failures[@]} -eq 0 ]
