#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>

#include "hosts/recording/check.h"
#include "hosts/recording/recording.h"
#include "simulation/simulation.h"

namespace loadline::recording {
namespace {

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* wanted = std::getenv(variable);
  return wanted == nullptr ? otherwise : std::strtoull(wanted, nullptr, 10);
}

/// The recording of a cluster's life with faults, crashes and users who act at random.
std::string recording_of(std::uint64_t seed) {
  std::string text;
  auto recording = std::make_shared<Recording>([&text](std::string_view lines) { text += lines; },
                                               RecordedProgram{"loadline of this test", {}});
  {
    simulation::Simulation life(seed, [&](embedded::ClusterOptions& options) { options.recording = recording; });
    life.run();
  }
  recording.reset();
  return text;
}

tl::expected<RecordingCheck, Diagnostics> checked(const std::string& text) {
  std::istringstream stream(text);
  return check_recording(stream, "recording.jsonl");
}

/// In full: what is compared is text, and a test is to show where it differs.
std::string text_of(const RecordingCheck& check) {
  std::string text;
  for (const Difference& each : check.first_differences) {
    text += fmt::format("recording.jsonl:{}: recorded {}\n  now {}\n", each.line, each.recorded, each.now);
  }
  return text;
}

TEST(Recordings, EveryDecisionIsMadeAgain) {
  const std::uint64_t first = number_of("LOADLINE_RECORDING_FIRST_SEED", 1);
  const std::uint64_t seeds = number_of("LOADLINE_RECORDING_SEEDS", 40);
  RecordingCheck sum;
  std::size_t bytes = 0;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    const std::string text = recording_of(seed);
    const auto check = checked(text);
    ASSERT_TRUE(check) << check.error().front().to_string();
    ASSERT_EQ(check->differences, 0U) << "LOADLINE_RECORDING_FIRST_SEED=" << seed
                                      << " LOADLINE_RECORDING_SEEDS=1 repeats it\n"
                                      << text_of(*check);
    EXPECT_TRUE(check->has_ended);
    EXPECT_FALSE(check->is_cut);
    sum.sections += check->sections;
    sum.changes += check->changes;
    sum.decisions += check->decisions;
    sum.requests += check->requests;
    bytes += text.size();
  }
  std::puts(fmt::format("{} recordings, {} MB: {} schedulers, {} changes, {} decisions, {} requests, no difference",
                        seeds, bytes / 1'000'000, sum.sections, sum.changes, sum.decisions, sum.requests)
                .c_str());
  EXPECT_GT(sum.sections, seeds);
  EXPECT_GT(sum.decisions, 20 * seeds);
}

}  // namespace
}  // namespace loadline::recording
