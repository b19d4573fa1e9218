#include "hostile/hostile_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <string_view>
#include <utility>

#include "command/command.h"
#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"

namespace loadline::hostile {
namespace {

namespace fs = std::filesystem;
using document::Array;
using document::Member;
using document::Object;
using document::Value;

constexpr std::size_t kLargest = 1'500'000;  // of a request's body, in bytes

constexpr std::string_view kCounts[] = {
    "replicas",
    "parallelism",
    "completions",
    "minMember",
    "minAvailable",
    "minReplicas",
    "maxReplicas",
    "numOfHosts",
    "size",
    "count",
    "pods",
    "minCount",
    "minSuccess",
    "minTaskMember",
    "minSubGroup",
    "minSubGroups",
    "slotsPerWorker",
    "backoffLimit",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
    "partition",
};

/// What is not a tenant's to write, or would take all others along.
constexpr std::string_view kLeftOut[] = {"Node",  "Namespace",     "PersistentVolume", "StorageClass", "PriorityClass",
                                         "Stage", "ResourceQuota", "LimitRange",       "Policy"};

constexpr std::int64_t kNumbers[] = {0,         1,          -1,         5,          501,        100'000,
                                     1'000'000, 2147483646, 2147483647, 2147483648, -2147483648};

std::size_t below(Rng& random, std::size_t bound) { return static_cast<std::size_t>(random.below(bound)); }

template <class Visit>
Value rebuilt(const Value& value, const Visit& visit, std::string_view name = {}) {
  if (value.is_object()) {
    Object members;
    for (const Member& member : value.object()) {
      members.push_back({member.key, rebuilt(member.value, visit, member.key), {}});
    }
    return visit(name, Value(std::move(members)));
  }
  if (value.is_array()) {
    Array items;
    for (const Value& item : value.array()) items.push_back(rebuilt(item, visit, name));
    return visit(name, Value(std::move(items)));
  }
  return visit(name, value);
}

bool is_count(std::string_view name) { return std::ranges::find(kCounts, name) != std::end(kCounts); }

template <class Test>
std::size_t number_of(const Value& object, const Test& test) {
  std::size_t found = 0;
  rebuilt(object, [&](std::string_view name, Value value) {
    found += test(name, value) ? 1 : 0;
    return value;
  });
  return found;
}

/// Changes one of the values that pass the test.
template <class Test, class Change>
Value with_one(const Value& object, Rng& random, const Test& test, const Change& change) {
  const std::size_t all = number_of(object, test);
  if (all == 0) return object;
  const std::size_t chosen = below(random, all);
  std::size_t seen = 0;
  return rebuilt(object, [&](std::string_view name, Value value) {
    if (!test(name, value) || seen++ != chosen) return value;
    return change(std::move(value));
  });
}

/// A list of many like the one that is there; what has a name gets one of its own.
Value multiplied(const Value& list, std::size_t times) {
  Array items = list.array();
  const Value pattern = items.back();
  for (std::size_t i = 0; i < times; ++i) {
    Value item = pattern;
    for (const std::string_view name : {"name", "key", "topologyKey", "conditionType"}) {
      const std::string_view written = document::text_at(pattern, {name});
      if (pattern.is_object() && !written.empty())
        item = std::move(item).with(name, Value(fmt::format("{}{}", written, i)));
    }
    if (pattern.is_object() && pattern.find("containerPort") != nullptr) {
      item = std::move(item).with("containerPort", Value(static_cast<std::int64_t>(1 + i % 65'000)));
    }
    if (pattern.is_object() && pattern.find("port") != nullptr) {
      item = std::move(item).with("port", Value(static_cast<std::int64_t>(1 + i % 65'000)));
    }
    if (pattern.is_string()) item = Value(fmt::format("{}{}", pattern.string(), i));
    items.push_back(std::move(item));
  }
  return Value(std::move(items));
}

Value with_long_list(const Value& object, Rng& random) {
  const std::size_t size = document::write_json(object).size();
  return with_one(
      object, random, [](std::string_view, const Value& value) { return value.is_array() && !value.array().empty(); },
      [&](const Value& list) {
        const std::size_t each = std::max<std::size_t>(document::write_json(list.array().back()).size(), 8) + 8;
        const std::size_t room = kLargest > size ? (kLargest - size) / each : 0;
        // As often a hundred as ten thousand.
        const std::size_t most = std::size_t{1} << (4 + below(random, 11));
        return multiplied(list, std::min(room, most));
      });
}

Value with_many_labels(const Value& object, Rng& random) {
  const std::size_t count = std::size_t{1} << (4 + below(random, 9));
  Value changed = object;
  Object labels;
  if (const Value* there = document::find_at(object, {"metadata", "labels"}); there != nullptr && there->is_object()) {
    labels = there->object();
  }
  for (std::size_t i = 0; i < count; ++i) {
    labels.push_back({fmt::format("example.com/{}-{}", std::string(40, 'l'), i), Value(std::string(60, 'v')), {}});
  }
  return document::with_at(std::move(changed), {"metadata", "labels"}, Value(std::move(labels)));
}

Value with_long_text(const Value& object, Rng& random) {
  return with_one(
      object, random,
      [](std::string_view name, const Value& value) {
        return value.is_string() && name != "kind" && name != "apiVersion" && name != "name";
      },
      [&](const Value&) { return Value(std::string(std::size_t{1} << (6 + below(random, 13)), 'x')); });
}

Value with_depth(const Value& object, Rng& random) {
  Value deep("bottom");
  for (std::size_t i = std::size_t{1} << (4 + below(random, 9)); i > 0; --i) {
    deep = i % 2 == 0 ? Value(Array{std::move(deep)}) : Value(Object{{"in", std::move(deep), {}}});
  }
  return with_one(
      object, random, [](std::string_view, const Value& value) { return value.is_object(); },
      [&](Value value) { return std::move(value).with("deep", deep); });
}

Value with_extreme_numbers(const Value& object, Rng& random) {
  return rebuilt(object, [&](std::string_view name, Value value) {
    if (!value.is_integer() || !is_count(name) || below(random, 3) == 0) return value;
    return Value(kNumbers[below(random, std::size(kNumbers))]);
  });
}

Value with_any_number(const Value& object, Rng& random) {
  return with_one(
      object, random, [](std::string_view, const Value& value) { return value.is_integer(); },
      [&](const Value&) { return Value(kNumbers[below(random, std::size(kNumbers))]); });
}

void add_from(const fs::path& file, std::vector<Value>& objects) {
  for (const Value& object : document::read_yaml(command::read(file), file.string()).documents) {
    const std::string_view kind = document::text_at(object, {"kind"});
    if (kind.empty() || std::ranges::find(kLeftOut, kind) != std::end(kLeftOut)) continue;
    objects.push_back(document::without_at(object, {"metadata", "namespace"}));
  }
}

}  // namespace

std::vector<Value> everyday_objects() {
  const fs::path tests(LOADLINE_TESTS);
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(tests / "manifests" / "cases")) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  files.push_back(tests / "api_robustness" / "objects.yaml");
  files.push_back(tests / "hostile" / "objects.yaml");
  std::vector<Value> objects;
  for (const fs::path& file : files) add_from(file, objects);
  return objects;
}

std::string title_of(const Value& object) {
  return fmt::format("{} {}", document::text_at(object, {"kind"}), document::text_at(object, {"metadata", "name"}));
}

std::vector<Value> with_counts(const Value& object, std::int64_t count) {
  const auto is_one = [](std::string_view name, const Value& value) { return value.is_integer() && is_count(name); };
  const std::size_t places = number_of(object, is_one);
  std::vector<Value> variants;
  if (places == 0) return variants;
  variants.push_back(
      rebuilt(object, [&](std::string_view name, Value value) { return is_one(name, value) ? Value(count) : value; }));
  for (std::size_t place = 0; places > 1 && place < places; ++place) {
    std::size_t seen = 0;
    variants.push_back(rebuilt(object, [&](std::string_view name, Value value) {
      return is_one(name, value) && seen++ == place ? Value(count) : value;
    }));
  }
  return variants;
}

Value made_hostile(const Value& object, Rng& random) {
  Value hostile = with_extreme_numbers(object, random);
  using Step = Value (*)(const Value&, Rng&);
  constexpr Step kSteps[] = {with_long_list, with_long_list, with_long_list, with_many_labels,
                             with_long_text, with_depth,     with_any_number};
  for (std::size_t steps = below(random, 4); steps > 0; --steps) {
    Value changed = kSteps[below(random, std::size(kSteps))](hostile, random);
    if (document::write_json(changed).size() <= 2 * kLargest) hostile = std::move(changed);
  }
  return hostile;
}

Value renamed(const Value& object, const std::string& name) {
  return document::with_at(document::without_at(object, {"metadata", "generateName"}), {"metadata", "name"},
                           Value(name));
}

}  // namespace loadline::hostile
