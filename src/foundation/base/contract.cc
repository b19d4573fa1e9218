#include "foundation/base/contract.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "foundation/base/suspect_input.h"

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

thread_local SuspectInput* suspect = nullptr;

}  // namespace

SuspectInput::SuspectInput(std::string_view file, std::string_view fault) : file_(file), fault_(fault) {
  REQUIRES(suspect == nullptr);
  suspect = this;
}

SuspectInput::~SuspectInput() { suspect = nullptr; }

SuspectInput* SuspectInput::current() { return suspect; }

std::string SuspectInput::accusation(std::string_view condition, std::string_view place) const {
  std::string text(file_);
  text += ':' + std::to_string(line_) + ":1: error: ";
  text += fault_;
  text += " here or before: ";
  text += condition;
  text += " (";
  text += place;
  text += ")\n  if nobody changed the file since Loadline wrote it, this is a bug of Loadline: please report it\n";
  return text;
}

void violated(const char* condition, const char* file, int line, const char* function) {
  const std::string_view path = path_in_sources(file);
  if (suspect != nullptr) {
    const std::string place = std::string(path) + ':' + std::to_string(line);
    const std::string text = suspect->accusation(condition, place);
    suspect = nullptr;  // what ends the process may hold contracts of its own
    std::fputs(text.c_str(), stderr);
    // No destructor may look at what is in disorder.
    std::_Exit(SuspectInput::kStatus);
  }
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
