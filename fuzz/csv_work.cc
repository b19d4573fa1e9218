// Any bytes as a trace of CSV, plain or compressed: works or a reason; and works that are written are read back.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>

#include "hosts/trace/open_work.h"
#include "hosts/trace/work_writer.h"

namespace {

using loadline::trace::Lines;
using loadline::trace::WorkSource;

loadline::Result<std::unique_ptr<WorkSource>> works_of(const std::string& text) {
  return loadline::trace::read_work(std::make_unique<Lines>(std::make_unique<std::istringstream>(text), "fuzz"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (text.find('{') != std::string::npos) return 0;  // JSON lines have a fuzzer of their own
  const auto works = works_of(text);
  if (!works) {
    if (works.error().message.empty()) std::abort();
    return 0;
  }
  std::ostringstream written;
  const auto count = loadline::trace::write_csv(**works, written);
  if (!count) {
    if (count.error().message.empty()) std::abort();
    return 0;
  }
  const auto again = works_of(written.str());
  if (!again) std::abort();
  std::ostringstream twice;
  if (loadline::trace::write_csv(**again, twice) != *count || twice.str() != written.str()) std::abort();
  return 0;
}
