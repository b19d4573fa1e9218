#include "api_robustness/mutation.h"

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loadline::api_robustness {
namespace {

using document::Array;
using document::Member;
using document::Object;
using document::Value;

constexpr std::array<std::int64_t, 12> kNumbers{0,
                                                1,
                                                -1,
                                                2,
                                                7,
                                                100,
                                                2'147'483'647,
                                                -2'147'483'648,
                                                4'294'967'296,
                                                253'402'300'799,
                                                std::numeric_limits<std::int64_t>::max(),
                                                std::numeric_limits<std::int64_t>::min()};
constexpr std::array<std::int64_t, 4> kCounts{0, 1, 2, 5};
constexpr std::array<std::string_view, 40> kTexts{"",
                                                  "0",
                                                  "-1",
                                                  "1e400",
                                                  "99999999999999999999",
                                                  "9223372036854775807",
                                                  "99999999999999Ei",
                                                  "1n",
                                                  "0.0000000001",
                                                  "8",
                                                  "true",
                                                  "a b",
                                                  "..",
                                                  "/",
                                                  "{{",
                                                  "{{ range }}",
                                                  "\xc3\xa9\xe2\x82\xac",
                                                  "0001-01-01T00:00:00Z",
                                                  "1677-09-21T00:12:43Z",
                                                  "2262-04-11T23:47:16Z",
                                                  "2262-04-11T23:47:17Z",
                                                  "9999-12-31T23:59:59Z",
                                                  "1ns",
                                                  "0s",
                                                  "-5s",
                                                  "2562047h47m16.854775807s",
                                                  "1ns/1ns",
                                                  "1h/0s",
                                                  "forever",
                                                  "never",
                                                  "* * * * *",
                                                  "0 0 30 2 *",
                                                  "0 0 29 2 */7",
                                                  "@every 1ns",
                                                  "1%",
                                                  "100%",
                                                  "2147483648%",
                                                  "Error",
                                                  "OOMKilled",
                                                  "ImagePullBackOff"};

bool is_count(std::string_view member) {
  return member == "replicas" || member == "parallelism" || member == "completions" || member == "maxSurge";
}

std::size_t leaves(const Value& value) {
  std::size_t count = 1;
  if (value.is_array()) {
    for (const Value& element : value.array()) count += leaves(element);
  } else if (value.is_object()) {
    for (const Member& member : value.object()) count += leaves(member.value);
  }
  return count;
}

class Mutation {
 public:
  Mutation(Rng& random, std::size_t place, Value borrowed)
      : random_(random), place_(place), borrowed_(std::move(borrowed)) {}

  Value walk(const Value& value, std::string_view member, int depth) {
    if (place_-- == 0) return changed(value, member);
    if (value.is_array()) {
      Array elements;
      for (const Value& element : value.array()) elements.push_back(walk(element, member, depth + 1));
      return Value(std::move(elements));
    }
    if (!value.is_object()) return value;
    Object members;
    for (const Member& one : value.object()) {
      const bool is_fixed = depth <= 1 && (one.key == "name" || one.key == "kind" || one.key == "apiVersion");
      members.push_back({one.key, is_fixed ? one.value : walk(one.value, one.key, depth + 1), {}});
    }
    return Value(std::move(members));
  }

 private:
  template <std::size_t N, class T>
  const T& one_of(const std::array<T, N>& choices) {
    return choices.at(random_.below(N));
  }

  Value changed(const Value& value, std::string_view member) {
    if (value.is_object() && !value.object().empty()) return without_a_member(value.object());
    if (value.is_array() && !value.array().empty()) return with_an_element_twice(value.array());
    if (is_count(member)) return Value(one_of(kCounts));
    switch (random_.below(8)) {
      case 0:
        return Value();
      case 1:
        return borrowed_;
      case 2:
        return Value(random_.below(2) == 0 ? Value(Object{}) : Value(Array{}));
      case 3:
        return Value(std::string(253, 'x'));
      default:
        break;
    }
    if (value.is_boolean()) return Value(!value.boolean());
    if (value.is_number() || random_.below(8) == 0) return Value(one_of(kNumbers));
    return Value(std::string(one_of(kTexts)));
  }

  Value without_a_member(Object members) {
    members.erase(members.begin() + static_cast<std::ptrdiff_t>(random_.below(members.size())));
    return Value(std::move(members));
  }

  Value with_an_element_twice(Array elements) {
    elements.push_back(elements.at(random_.below(elements.size())));
    return Value(std::move(elements));
  }

  Rng& random_;
  std::size_t place_;
  Value borrowed_;
};

const Value* find(const Value& value, std::size_t& place) {
  if (place-- == 0) return &value;
  if (value.is_array()) {
    for (const Value& element : value.array()) {
      if (const Value* found = find(element, place)) return found;
    }
  } else if (value.is_object()) {
    for (const Member& member : value.object()) {
      if (const Value* found = find(member.value, place)) return found;
    }
  }
  return nullptr;
}

}  // namespace

Value mutated(const Value& document, Rng& random) {
  const std::size_t count = leaves(document);
  std::size_t lender = random.below(count);
  const Value borrowed = *find(document, lender);
  return Mutation(random, 1 + random.below(count - 1), borrowed).walk(document, "", 0);
}

}  // namespace loadline::api_robustness
