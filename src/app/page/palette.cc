#include "app/page/palette.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "foundation/base/contract.h"

namespace loadline::page {
namespace {

constexpr std::array<std::string_view, kColours> kClasses = {
    "c0",      "c1",      "c2",      "c3",      "c4",      "c5",      "c6",      "c7",      "c0 pale",
    "c1 pale", "c2 pale", "c3 pale", "c4 pale", "c5 pale", "c6 pale", "c7 pale", "waiting", "failed"};

}  // namespace

std::string_view colour_class(Colour colour) {
  REQUIRES(colour < kColours);
  return kClasses[colour];
}

void Palette::add_chart(const std::vector<std::string_view>& names) {
  std::array<std::size_t, kHues> uses_in_chart = {};
  std::set<std::string_view> fresh;
  for (const std::string_view name : names) {
    const Colour colour = of(name);
    if (colour >= kWaiting) continue;
    if (!colours_.contains(name)) {
      fresh.insert(name);
    } else {
      ++uses_in_chart[colour % kHues];
    }
  }
  for (const std::string_view name : names) {
    if (fresh.erase(name) == 0) continue;
    Colour hue = 0;
    for (Colour other = 1; other < kHues; ++other) {
      if (std::tie(uses_in_chart[other], uses_[other]) < std::tie(uses_in_chart[hue], uses_[hue])) hue = other;
    }
    const bool is_pale = uses_in_chart[hue] % 2 == 1;
    colours_.emplace(name, is_pale ? hue + kHues : hue);
    ++uses_in_chart[hue];
    ++uses_[hue];
  }
}

Colour Palette::of(std::string_view name) const {
  if (name == "waiting") return kWaiting;
  if (name == "failed") return kFailed;
  const auto found = colours_.find(name);
  return found == colours_.end() ? 0 : found->second;
}

}  // namespace loadline::page
