#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/base/rng.h"
#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "hosts/recording/check.h"
#include "hosts/recording/recorded_work.h"
#include "hosts/recording/recording.h"
#include "recordings/room_history.h"
#include "simulation/simulation.h"

namespace loadline::recording {
namespace {

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* wanted = std::getenv(variable);
  return wanted == nullptr ? otherwise : std::strtoull(wanted, nullptr, 10);
}

/// What a cluster that is handed a recording leaves behind.
template <class Live>
std::string recording_of(Live live) {
  std::string text;
  live(std::make_shared<Recording>([&text](std::string_view lines) { text += lines; },
                                   RecordedProgram{"loadline of this test", {}}));
  return text;
}

/// A life with faults, crashes and users who act at random.
std::string recorded_life(std::uint64_t seed) {
  return recording_of([&](std::shared_ptr<Recording> recording) {
    simulation::Simulation life(seed, [&](embedded::ClusterOptions& options) { options.recording = recording; });
    life.run();
    recording.reset();
  });
}

/// The same, in which teams share the cluster by Kueue's queues.
std::string recorded_queues(std::uint64_t seed) {
  return recording_of([&](std::shared_ptr<Recording> recording) {
    simulation::Simulation life(
        seed, [&](embedded::ClusterOptions& options) { options.recording = recording; },
        simulation::Simulation::Queues::kKueue);
    life.run();
    recording.reset();
  });
}

/// A life with reservations and policies.
std::string recorded_room(std::uint64_t seed) {
  return recording_of([&](std::shared_ptr<Recording> recording) {
    RoomHistory history(seed, std::move(recording));
    history.run();
  });
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

/// How many decisions have that member.
std::size_t count_of(const std::string& text, const std::string& member) {
  std::istringstream stream(text);
  std::size_t count = 0;
  for (std::string line; std::getline(stream, line);) {
    const bool is_decision = line.starts_with("{\"decided\"") || line.starts_with("{\"round\"");
    if (is_decision && line.find('"' + member + "\":") != std::string::npos) ++count;
  }
  return count;
}

/// Records the lives of some seeds, as the environment says, and checks each.
/// Returns how many decisions have which member.
std::map<std::string, std::size_t> check_all(std::string (*record)(std::uint64_t seed), std::uint64_t otherwise) {
  const std::uint64_t first = number_of("LOADLINE_RECORDING_FIRST_SEED", 1);
  const std::uint64_t seeds = number_of("LOADLINE_RECORDING_SEEDS", otherwise);
  RecordingCheck sum;
  std::map<std::string, std::size_t> seen;
  std::size_t bytes = 0;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    const std::string text = record(seed);
    const auto check = checked(text);
    if (!check || check->differences > 0) {
      ADD_FAILURE() << "LOADLINE_RECORDING_FIRST_SEED=" << seed << " LOADLINE_RECORDING_SEEDS=1 repeats it\n"
                    << (check ? text_of(*check) : check.error().front().to_string());
      return seen;
    }
    EXPECT_TRUE(check->has_ended);
    EXPECT_FALSE(check->is_cut);
    sum.sections += check->sections;
    sum.changes += check->changes;
    sum.decisions += check->decisions;
    sum.rounds += check->rounds;
    sum.requests += check->requests;
    bytes += text.size();
    for (const char* what : {"consumed", "denominated", "error", "evicted", "nominated", "node", "podSets", "requeued",
                             "victims", "volumes"}) {
      seen[what] += count_of(text, what);
    }
  }
  std::puts(fmt::format("{} recordings, {} MB: {} schedulers, {} changes, {} decisions, {} rounds, {} requests, no "
                        "difference",
                        seeds, bytes / 1'000'000, sum.sections, sum.changes, sum.decisions, sum.rounds, sum.requests)
                .c_str());
  for (const auto& [what, count] : seen) std::puts(fmt::format("  {} decisions say \"{}\"", count, what).c_str());
  EXPECT_GT(sum.sections, seeds);
  EXPECT_GT(sum.decisions, 20 * seeds);
  return seen;
}

TEST(Recordings, EveryDecisionIsMadeAgain) {
  auto seen = check_all(recorded_life, 20);
  if (seen["node"] < 400) return;  // a few lives need not have seen everything
  for (const char* what : {"nominated", "victims", "volumes"}) EXPECT_GT(seen[what], 0U) << what;
}

TEST(Recordings, SoAreThoseAboutReservedRoomAndUnderOtherPolicies) {
  auto seen = check_all(recorded_room, 40);
  if (seen["node"] < 400) return;
  for (const char* what : {"consumed", "nominated", "victims"}) EXPECT_GT(seen[what], 0U) << what;
}

TEST(Recordings, SoAreRoundsOfQueues) {
  auto seen = check_all(recorded_queues, 12);
  if (seen["podSets"] < 60) return;
  for (const char* what : {"evicted", "requeued", "victims"}) EXPECT_GT(seen[what], 0U) << what;
}

/// The life that the tests below tamper with.
std::string some_life() { return recorded_room(1); }

/// The text with the first line that holds all of that, behind the start, made into another one; empty: it is left out.
std::string with_line(const std::string& text, const std::vector<std::string_view>& held,
                      const std::function<std::string(std::string)>& change) {
  std::istringstream stream(text);
  std::string result;
  bool has_started = false;
  bool is_changed = false;
  for (std::string line; std::getline(stream, line);) {
    line += '\n';
    has_started = has_started || line.find("\"start\":true") != std::string::npos;
    const bool is_it = has_started && !is_changed && std::ranges::all_of(held, [&](std::string_view each) {
                         return line.find(each) != std::string::npos;
                       });
    result += is_it ? change(line) : line;
    is_changed = is_changed || is_it;
  }
  EXPECT_TRUE(is_changed) << fmt::format("{}", fmt::join(held, " "));
  return result;
}

TEST(Recordings, ADecisionThatWasTamperedWithIsFound) {
  std::string recorded;
  const std::string text =
      with_line(some_life(), {R"({"decided":"default/pod-)", R"("node":"node-)"}, [&](std::string line) {
        line.insert(line.find("\"node\":\"node-") + 13, "9");
        recorded = line.substr(0, line.size() - 1);
        return line;
      });
  const auto check = checked(text);
  ASSERT_TRUE(check);
  ASSERT_EQ(check->differences, 1U);
  const Difference& difference = check->first_differences.front();
  EXPECT_EQ(difference.recorded, recorded);
  EXPECT_EQ(difference.now.size(), recorded.size() - 1);
  EXPECT_TRUE(difference.subject.starts_with("pod default/pod-"));
  EXPECT_GT(difference.line, 10U);
  EXPECT_GT(difference.at, Instant{});
}

TEST(Recordings, AChangeThatWasTakenAwayIsFound) {
  const auto pod =
      checked(with_line(some_life(), {R"("put":"pods")", R"("name":"pod-7")"}, [](const auto&) { return ""; }));
  ASSERT_TRUE(pod);
  ASSERT_GT(pod->differences, 1U);
  EXPECT_TRUE(pod->first_differences.front().now.starts_with("there is no task "));
  EXPECT_LE(pod->first_differences.size(), 10U);
  // Without any change of another decision, it is found where the scheduler ends.
  const auto data = checked(with_line(some_life(), {R"("answer":)", R"("object":)"}, [](const auto&) { return ""; }));
  ASSERT_TRUE(data);
  ASSERT_EQ(data->differences, 1U);
  EXPECT_TRUE(data->first_differences.front().now.ends_with(" lines before its end"));
}

TEST(Recordings, ADecisionThatIsMissingAndOneThatIsTooMuchAreFound) {
  const auto without = checked(with_line(some_life(), {R"({"decided":)"}, [](const auto&) { return ""; }));
  ASSERT_TRUE(without);
  EXPECT_GT(without->differences, 0U);
  const auto twice = checked(with_line(some_life(), {R"({"decided":)"}, [](const auto& line) { return line + line; }));
  ASSERT_TRUE(twice);
  EXPECT_GT(twice->differences, 0U);
}

/// A bound pod that is put again without its node.
TEST(Recordings, OneThatContradictsItselfIsRefused) {
  std::string unbound;
  const std::string text = with_line(some_life(), {R"("put":"pods")", R"("nodeName":")"}, [&](const std::string& line) {
    const std::size_t begin = line.find(R"("nodeName":")");
    unbound = line;
    unbound.replace(begin + 1, 8, "formerly");
    const std::size_t version = unbound.find(R"("resourceVersion":")") + 19;
    unbound.insert(version, "9");
    return line + unbound;
  });
  ASSERT_FALSE(unbound.empty());
  const auto check = checked(text);
  ASSERT_FALSE(check);
  const Diagnostic& problem = check.error().front();
  EXPECT_EQ(problem.path, "object.spec.nodeName");
  EXPECT_TRUE(problem.message.starts_with("the recording contradicts itself: pods default/")) << problem.message;
  EXPECT_GT(problem.at.line, 10U);
}

/// Lines that are left out, doubled and exchanged by chance: no contract of the model is violated, or this would end.
TEST(Recordings, WhateverBecomesOfItsLinesACheckEnds) {
  std::size_t refused = 0;
  std::size_t different = 0;
  for (std::uint64_t seed = 1; seed <= number_of("LOADLINE_TAMPERED_RECORDINGS", 16); ++seed) {
    std::istringstream stream(seed % 2 == 0   ? recorded_room(seed)
                              : seed % 4 == 1 ? recorded_queues(seed)
                                              : recorded_life(seed));
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    Rng rng(seed);
    for (std::uint64_t changes = 1 + rng.below(4); changes > 0; --changes) {
      const auto at = lines.begin() + 2 + static_cast<std::ptrdiff_t>(rng.below(lines.size() - 2));
      const auto other = lines.begin() + 2 + static_cast<std::ptrdiff_t>(rng.below(lines.size() - 2));
      switch (rng.below(3)) {
        case 0:
          lines.erase(at);
          break;
        case 1:
          lines.insert(other, std::string(*at));
          break;
        default:
          std::iter_swap(at, other);
      }
    }
    const auto check = checked(fmt::format("{}\n", fmt::join(lines, "\n")));
    refused += check ? 0 : 1;
    different += check && check->differences > 0 ? 1 : 0;
  }
  EXPECT_GT(refused, 0U);
  EXPECT_GT(different, 0U);
}

/// A program that is killed leaves what it has written.
TEST(Recordings, OneThatIsCutOffIsCheckedAsFarAsItGoes) {
  const std::string whole = some_life();
  std::size_t most = 0;
  for (const std::size_t percent : {1U, 20U, 50U, 80U, 99U}) {
    const std::string text = whole.substr(0, whole.size() * percent / 100);
    const auto check = checked(text);
    if (text.find('\n') == std::string::npos) {
      EXPECT_FALSE(check);
      continue;
    }
    ASSERT_TRUE(check) << check.error().front().to_string();
    EXPECT_EQ(check->differences, 0U) << percent << text_of(*check);
    EXPECT_TRUE(check->is_cut);
    EXPECT_GE(check->decisions, most);
    most = check->decisions;
  }
  EXPECT_GT(most, 10U);
}

/// Nothing is lost, and nothing comes twice: what was there when the scheduler began, or came later, arrives.
TEST(Recordings, EveryPodIsWorkOnce) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const std::string text = recorded_room(seed);
    std::istringstream lines(text);
    std::map<std::string, std::string> names_of_uids;
    bool has_started = false;
    for (std::string line; std::getline(lines, line);) {
      has_started = has_started || line.find(R"("start":true)") != std::string::npos;
      const document::Value value = document::read_json(line, "line").documents.at(0);
      if (document::text_at(value, {"put"}) == "pods") {
        names_of_uids.emplace(document::text_at(value, {"object", "metadata", "uid"}),
                              document::text_at(value, {"object", "metadata", "name"}));
      } else if (document::text_at(value, {"gone"}) == "pods" && !has_started) {
        std::erase_if(names_of_uids,
                      [&](const auto& each) { return each.second == document::text_at(value, {"name"}); });
      }
    }
    std::istringstream stream(text);
    const auto works = RecordedWork::read(stream, "recording.jsonl");
    ASSERT_TRUE(works) << works.error().front().to_string();
    std::set<std::string> names;
    std::size_t pods = 0;
    Duration last;
    while (const auto work = *(*works)->next()) {
      EXPECT_TRUE(names.insert(work->name).second) << work->name;
      EXPECT_LE(last, work->arrives);
      last = work->arrives;
      for (const trace::PodsAlike& alike : work->pods) pods += alike.count;
    }
    EXPECT_EQ(pods, names_of_uids.size()) << seed;
    EXPECT_GT(pods, 10U);
    EXPECT_GE((*works)->nodes().size(), 1U);
  }
}

}  // namespace
}  // namespace loadline::recording
