// Any bytes as a trace that is replayed on a few nodes: it ends with a summary, or is refused, and what happens is told
// in order of time.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "hosts/replay/replay.h"
#include "hosts/replay/testing/nodes.h"
#include "hosts/trace/open_work.h"
#include "line_mutations.h"

namespace {

using namespace loadline;

/// Hands on the first works, and none of very many pods: those are right, but take their time.
class FirstWorks final : public trace::WorkSource {
 public:
  explicit FirstWorks(std::unique_ptr<trace::WorkSource> source) : source_(std::move(source)) {}
  Result<std::optional<trace::Work>> next() override {
    Result<std::optional<trace::Work>> work = source_->next();
    if (!work || !*work) return work;
    if (++works_ > kWorks) return std::nullopt;
    for (trace::PodsAlike& alike : (*work)->pods) alike.count = std::min(alike.count, kPods);
    return work;
  }

 private:
  static constexpr std::size_t kWorks = 50;
  static constexpr std::size_t kPods = 20;
  std::unique_ptr<trace::WorkSource> source_;
  std::size_t works_ = 0;
};

class Clock final : public replay::Observer {
 public:
  void happened(const replay::Event& event) override {
    if (event.work == nullptr || event.at < last_) std::abort();
    last_ = event.at;
  }
  void sampled(const replay::Sample& /*sample*/) override {}

 private:
  Duration last_;
};

/// A Job of a million pods is not wrong, but takes its time.
bool has_large_object(const std::string& text) {
  if (text.find("spec") == std::string::npos) return false;
  std::size_t digits = 0;
  return std::ranges::any_of(text, [&](char c) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    return digits > 2;
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (has_large_object(text)) return 0;
  auto works = trace::read_work(std::make_unique<trace::Lines>(std::make_unique<std::istringstream>(text), "fuzz"));
  if (!works) return 0;
  FirstWorks source(*std::move(works));
  Clock clock;
  // A trace may last for centuries; what is wanted of it is its beginning.
  replay::ReplayOptions options;
  options.until = Duration::seconds(std::int64_t{30} * 86400);
  const auto summary = replay::replay(replay::testing::nodes(2, 16, 8), {}, source, options, clock);
  if (!summary && summary.error().message.empty()) std::abort();
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  return loadline::fuzz::mutate_lines(data, size, max_size, seed);
}
