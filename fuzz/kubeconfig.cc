// Any bytes as a kubeconfig: understood or refused with a reason; and what goes into a request's header is one line.

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "app/cli/live/access.h"

namespace {

/// Kubeconfigs are files: this one is overwritten each time.
const std::string& path() {
  static const auto& value =
      *new std::string(std::filesystem::temp_directory_path() / ("loadline-fuzz-" + std::to_string(getpid())));
  return value;
}

bool is_control(char letter) { return static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f; }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::ofstream(path(), std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  const auto access = loadline::cli::read_access({path(), {}});
  if (!access) {
    if (access.error().message.empty()) std::abort();
    return 0;
  }
  if (access->context.empty() || access->server.empty()) std::abort();
  for (const loadline::net::Header& header : access->headers) {
    if (std::ranges::any_of(header.value, is_control)) std::abort();
  }
  return 0;
}
