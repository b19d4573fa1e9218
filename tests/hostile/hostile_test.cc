#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "foundation/document/at.h"
#include "foundation/document/writer.h"
#include "hostile/hostile_objects.h"
#include "hostile/limited_up.h"
#include "hostile/neighbour.h"
#include "hostile/rest.h"

namespace loadline::hostile {
namespace {

using document::Value;
using Clock = std::chrono::steady_clock;

constexpr double kMiB = 1024.0 * 1024.0;
constexpr double kMost = 2048 * kMiB;
constexpr std::int64_t kExtremes[] = {2147483647, 1'000'000, 100'000};

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

void rest_for(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

double since(Clock::time_point began) { return std::chrono::duration<double>(Clock::now() - began).count(); }

/// Namespaces "tenant-0", "tenant-1", …; with a quota if that is not empty.
void make_namespace(Rest& rest, const std::string& name, const std::string& quota = {}) {
  rest.send_text("POST", "/api/v1/namespaces",
                 fmt::format(R"({{"apiVersion":"v1","kind":"Namespace","metadata":{{"name":"{}"}}}})", name));
  if (quota.empty()) return;
  rest.send_text(
      "POST", fmt::format("/api/v1/namespaces/{}/resourcequotas", name),
      fmt::format(R"({{"apiVersion":"v1","kind":"ResourceQuota","metadata":{{"name":"q"}},"spec":{{"hard":{}}}}})",
                  quota));
  rest_for(0.3);  // its status is in force
}

/// An object that the server has taken.
struct Taken {
  std::string title;
  std::string path;
};

/// Creates the object under a name of its own; nothing: it was refused, as is its good right.
std::optional<Taken> create(Rest& rest, const Value& object, const std::string& name, const std::string& name_space) {
  const Value named = renamed(object, name);
  const std::string collection = rest.collection_of(named, name_space);
  if (collection.empty()) return std::nullopt;
  const net::HttpAnswer answer = rest.send("POST", collection, named);
  EXPECT_NE(answer.status, 0) << title_of(named) << " is not answered: " << answer.body;
  EXPECT_LT(answer.status, 500) << title_of(named) << ": " << answer.body.substr(0, 1000);
  if (answer.status != 201) return std::nullopt;
  return Taken{title_of(named), collection + '/' + name};
}

void remove(Rest& rest, const Taken& taken) {
  const net::HttpAnswer answer =
      rest.send_text("DELETE", taken.path, R"({"propagationPolicy":"Background","gracePeriodSeconds":0})");
  EXPECT_TRUE(answer.status == 200 || answer.status == 202 || answer.status == 404)
      << taken.title << ": " << answer.status << ' ' << answer.body.substr(0, 400);
}

/// Those that are still there after so many seconds.
std::vector<std::string> left_after(Rest& rest, const std::vector<Taken>& all, double seconds) {
  const auto began = Clock::now();
  std::vector<Taken> left = all;
  while (!left.empty() && since(began) < seconds) {
    std::erase_if(left, [&](const Taken& taken) { return rest.send("GET", taken.path).status == 404; });
    if (!left.empty()) rest_for(0.5);
  }
  std::vector<std::string> titles;
  for (const Taken& taken : left) titles.push_back(taken.title);
  return titles;
}

/// Waits until no pod of these namespaces is there.
bool are_empty(Rest& rest, const std::set<std::string>& names, double seconds) {
  const auto began = Clock::now();
  while (since(began) < seconds) {
    std::size_t left = 0;
    for (const std::string& name : names) {
      const Value pods = json(rest.send("GET", fmt::format("/api/v1/namespaces/{}/pods?limit=1", name)).body);
      left += document::items_at(pods, {"items"}).size();
    }
    if (left == 0) return true;
    rest_for(1);
  }
  return false;
}

/// Has every kind written once, in dry runs that leave nothing: the types of operators' kinds are made then, and stay.
/// What that takes has nothing to do with what is created later.
void serve_each_once(Rest& rest, const std::vector<Value>& objects, const std::string& name_space) {
  for (const Value& object : objects) {
    const std::string collection = rest.collection_of(object, name_space);
    if (!collection.empty()) rest.send("POST", collection + "?dryRun=All", renamed(object, "tried"));
  }
}

double longest_idle_answer(const LimitedUp& up) {
  Neighbour idle(up.kubeconfig());
  rest_for(2);
  idle.stop();
  return idle.longest();
}

/// Every kind of workload, each with the same extreme wherever it says how many: created, restarted on, deleted.
/// Without a quota each kind has a namespace of its own: the first of them fills its share of the cluster, and whoever
/// comes after it into the same namespace would be refused, and so not tried.
void outlives_counts_of(std::int64_t count, const std::string& quota) {
  LimitedUp up;
  ASSERT_TRUE(up.start()) << up.log();
  Rest rest(up.kubeconfig());
  if (!quota.empty()) make_namespace(rest, "tenant", quota);
  std::vector<Taken> taken;
  std::set<std::string> kinds;
  std::size_t tried = 0;
  for (const Value& object : everyday_objects()) {
    const std::string space = quota.empty() ? fmt::format("tenant-{}", tried) : "tenant";
    if (quota.empty()) make_namespace(rest, space);
    for (const Value& variant : with_counts(object, count)) {
      auto one = create(rest, variant, fmt::format("h{}", tried++), space);
      if (!one) continue;
      kinds.emplace(
          fmt::format("{} {}", document::text_at(object, {"apiVersion"}), document::text_at(object, {"kind"})));
      taken.push_back(*std::move(one));
    }
  }
  rest_for(5);
  const double bytes = rest.resident_bytes();
  std::cout << count << (quota.empty() ? "" : " under " + quota) << ": " << taken.size() << " of " << tried
            << " objects of " << kinds.size() << " kinds, " << static_cast<int>(bytes / kMiB) << " MiB\n";
  EXPECT_GE(kinds.size(), 25U) << "nearly all kinds take any number in some place";
  ASSERT_TRUE(up.is_alive()) << up.log();
  EXPECT_LT(bytes, kMost);

  EXPECT_EQ(up.end(), 0) << up.log();
  ASSERT_TRUE(up.start()) << "it starts over what was stored: " << up.log();
  Rest again(up.kubeconfig());
  rest_for(3);
  for (const Taken& each : taken) remove(again, each);
  EXPECT_THAT(left_after(again, taken, 120), ::testing::IsEmpty());
  EXPECT_TRUE(up.tells_its_status()) << up.log();
}

TEST(Hostile, EveryKindWithExtremeCountsUnderAQuota) {
  outlives_counts_of(kExtremes[0], R"({"pods":"5","services":"20"})");
  if (std::getenv("LOADLINE_HOSTILE_OBJECTS") == nullptr) return;
  for (const std::int64_t count : {kExtremes[1], kExtremes[2]}) {
    outlives_counts_of(count, R"({"pods":"5","services":"20"})");
  }
}

TEST(Hostile, EveryKindWithExtremeCountsAndNoQuota) {
  if (std::getenv("LOADLINE_HOSTILE_OBJECTS") == nullptr) {
    GTEST_SKIP() << "fills the cluster to its bounds: LOADLINE_HOSTILE_OBJECTS=1000";
  }
  for (const std::int64_t count : kExtremes) outlives_counts_of(count, "");
}

/// Random hostile objects, one after the other, while somebody else works in the same cluster.
TEST(Hostile, ObjectsOfAllKindsLeaveOthersAlone) {
  const std::uint64_t objects = number_of("LOADLINE_HOSTILE_OBJECTS", 10);
  const std::uint64_t seed = number_of("LOADLINE_HOSTILE_FIRST_SEED", 1);
  SCOPED_TRACE(fmt::format("LOADLINE_HOSTILE_FIRST_SEED={} LOADLINE_HOSTILE_OBJECTS={}", seed, objects));
  const std::vector<Value> patterns = everyday_objects();
  constexpr std::size_t kNamespaces = 10;

  LimitedUp up;
  ASSERT_TRUE(up.start()) << up.log();
  Rest rest(up.kubeconfig());
  const double idle = longest_idle_answer(up);
  std::set<std::string> spaces;
  for (std::size_t i = 0; i < kNamespaces; ++i) {
    spaces.insert(fmt::format("tenant-{}", i));
    make_namespace(rest, fmt::format("tenant-{}", i), i % 2 == 0 ? R"({"pods":"50"})" : "");
  }
  serve_each_once(rest, patterns, *spaces.begin());
  rest_for(3);
  const double before = rest.resident_bytes();

  Neighbour neighbour(up.kubeconfig());
  Rng random(seed);
  std::vector<Taken> taken;
  double most = 0;
  for (std::uint64_t i = 0; i < objects; ++i) {
    const Value& pattern = patterns[static_cast<std::size_t>(random.below(patterns.size()))];
    const std::string space = fmt::format("tenant-{}", random.below(kNamespaces));
    auto one = create(rest, made_hostile(pattern, random), fmt::format("h{}", i), space);
    if (one) taken.push_back(*std::move(one));
    if (i % 20 == 19) most = std::max(most, rest.resident_bytes());
    ASSERT_TRUE(up.is_alive()) << "after object " << i << ", a " << title_of(pattern) << ": " << up.log();
  }
  rest_for(5);
  most = std::max(most, rest.resident_bytes());
  for (const Taken& each : taken) remove(rest, each);
  EXPECT_THAT(left_after(rest, taken, 300), ::testing::IsEmpty());
  EXPECT_TRUE(are_empty(rest, spaces, 300));
  neighbour.stop();
  // In a run among others the machine's own load is measured, too: there an answer is enough.
  const double most_seconds = std::getenv("LOADLINE_HOSTILE_OBJECTS") == nullptr ? 30 : std::max(1.0, 20 * idle);
  EXPECT_LT(neighbour.longest(), most_seconds) << neighbour.slowest();
  EXPECT_THAT(neighbour.failures(), ::testing::IsEmpty());

  EXPECT_TRUE(up.tells_its_status()) << up.log();
  if (std::getenv("LOADLINE_HOSTILE_OBJECTS") == nullptr) return;  // what follows takes minutes
  // Events go with their namespaces, or an hour later.
  spaces.insert("neighbour");
  for (const std::string& name : spaces) remove(rest, {"Namespace " + name, "/api/v1/namespaces/" + name});
  // Pages go back to the system some time after they were last used, and history some time after it was made.
  double after = rest.resident_bytes();
  for (int tries = 0; tries < 60 && after > 1.2 * before; ++tries) {
    rest_for(6);
    after = rest.resident_bytes();
  }
  std::cout << taken.size() << " of " << objects << " hostile objects were taken; others waited "
            << fmt::format("{:.3f} s at most, {:.4f} s as a rule ({} answers; {:.3f} s at most beside nothing); ",
                           neighbour.longest(), neighbour.median(), neighbour.answers(), idle)
            << fmt::format("{:.0f} MiB before, {:.0f} at most, {:.0f} after\n", before / kMiB, most / kMiB,
                           after / kMiB);
  EXPECT_LT(after, 1.2 * before);
  EXPECT_TRUE(up.tells_its_status()) << up.log();
}

}  // namespace
}  // namespace loadline::hostile
