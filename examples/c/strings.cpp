// A table of words, transposed: handles as unique pointers, failures as exceptions.
//
//     strings

#include <restride.h>

#include <array>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

template <auto Delete>
struct Deleter {
  template <typename T>
  void operator()(T* handle) const {
    Delete(handle);
  }
};
using Tensor = std::unique_ptr<TF_Tensor, Deleter<TF_DeleteTensor>>;
using Layout = std::unique_ptr<restride_layout, Deleter<restride_layout_delete>>;

// A status that throws what it was given, once it is asked.
class Status {
 public:
  operator TF_Status*() const { return status_.get(); }
  void check() const {
    if (TF_GetCode(status_.get()) != TF_OK) throw std::runtime_error(TF_Message(status_.get()));
  }

 private:
  std::unique_ptr<TF_Status, Deleter<TF_DeleteStatus>> status_{TF_NewStatus()};
};

Tensor words(const std::array<std::int64_t, 2>& dims, const std::vector<std::string>& list) {
  std::vector<const char*> strings;
  std::vector<std::size_t> lengths;
  for (const auto& word : list) {
    strings.push_back(word.data());
    lengths.push_back(word.size());
  }
  const Status status;
  Tensor tensor(restride_strings(dims.data(), 2, strings.data(), lengths.data(), list.size(), status));
  status.check();
  return tensor;
}

std::string word(const Tensor& tensor, std::uint64_t element) {
  const Status status;
  const char* at = nullptr;
  std::size_t length = 0;
  restride_string_at(tensor.get(), element, &at, &length, status);
  status.check();
  return std::string(at, length);
}

}  // namespace

int main() try {
  const Tensor table = words({2, 3}, {"one", "two", "three", "un", "deux", "trois"});
  const Status status;
  const Layout rows(restride_layout_of(table.get(), status));
  const Layout columns(restride_layout_transpose(rows.get(), status));
  status.check();
  const Tensor turned(restride_materialize(nullptr, table.get(), columns.get(), status));
  status.check();
  for (std::uint64_t row = 0; row < 3; row++) {
    std::printf("%s %s\n", word(turned, 2 * row).c_str(), word(turned, 2 * row + 1).c_str());
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
