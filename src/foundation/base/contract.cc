#include "foundation/base/contract.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#if __has_include(<execinfo.h>)
#include <execinfo.h>
#endif

namespace loadline::contract {
namespace {

/// The path below the root of the sources, wherever they were built: "src/foundation/base/contract.cc".
std::string_view path_in_sources(std::string_view file) {
  const std::size_t at = file.rfind("/src/");
  return at == std::string_view::npos ? file : file.substr(at + 1);
}

}  // namespace

void violated(const char* condition, const char* file, int line, const char* function) {
  const std::string_view path = path_in_sources(file);
  std::fprintf(
      stderr,
      "%.*s:%d: %s: contract violated: %s\n"
      "This is a bug of Loadline, whatever its input was. Please report it: these lines, what you ran, and the\n"
      "input if you can share it. The addresses below name the callers (addr2line -Cfpe PROGRAM ADDRESS).\n",
      static_cast<int>(path.size()), path.data(), line, function, condition);
#if __has_include(<execinfo.h>)
  constexpr int kMost = 32;
  void* frames[kMost];
  const int count = backtrace(frames, kMost);
  if (count > 1) backtrace_symbols_fd(frames + 1, count - 1, STDERR_FILENO);  // the first is this function
#endif
  std::abort();
}

}  // namespace loadline::contract
