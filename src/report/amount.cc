#include "report/amount.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>

#include "kube/resource_names.h"

namespace loadline::report {
namespace {

bool counted_in_bytes(std::string_view resource) {
  return resource == "memory" || resource == "ephemeral-storage" || resource == "storage" ||
         kube::is_huge_page_resource(resource);
}

/// One decimal, rounded down, no trailing ".0".
std::string short_number(double number) {
  const double tenths = std::floor(number * 10 + 1e-6);
  const auto whole = static_cast<std::int64_t>(tenths) / 10;
  const auto rest = std::abs(static_cast<std::int64_t>(tenths) % 10);
  return rest == 0 ? fmt::format("{}", whole) : fmt::format("{}.{}", whole, rest);
}

std::string bytes(double amount) {
  constexpr std::array<std::string_view, 7> kUnits = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  std::size_t unit = 0;
  for (; amount >= 1024 && unit + 1 < kUnits.size(); ++unit) amount /= 1024;
  return short_number(amount) + std::string(kUnits[unit]);
}

}  // namespace

std::string readable_amount(std::string_view resource, const kube::Quantity& amount) {
  if (counted_in_bytes(resource)) return bytes(amount.approximate());
  return short_number(amount.approximate());
}

std::string percent_text(const kube::Quantity& part, const kube::Quantity& whole) {
  const int share = percent(part, whole);
  return share == 0 && part.sign() > 0 && whole.sign() > 0 ? "<1%" : fmt::format("{}%", share);
}

int percent(const kube::Quantity& part, const kube::Quantity& whole) {
  if (whole.sign() <= 0) return 0;
  return static_cast<int>(std::floor(part.approximate() * 100 / whole.approximate() + 1e-9));
}

}  // namespace loadline::report
