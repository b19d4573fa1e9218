#include "app/report/amount.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>

#include "objects/kube/resource_names.h"

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

constexpr std::array<std::string_view, 7> kUnits = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
/// From here on a digit after the point is enough: 10 of the next unit.
constexpr double kSmallestRounded = 10 * 1024;

std::string bytes(double amount) {
  std::size_t unit = 0;
  for (; amount >= 1024 && unit + 1 < kUnits.size(); ++unit) amount /= 1024;
  return short_number(amount) + std::string(kUnits[unit]);
}

/// The same, but no larger unit than tells the amount apart from its neighbours.
std::string telling_bytes(double amount) {
  std::size_t unit = 0;
  for (; amount >= 1024 && unit + 1 < kUnits.size(); ++unit) {
    const double tenths = amount / 1024 * 10;
    if (amount < kSmallestRounded && tenths != std::floor(tenths)) break;
    amount /= 1024;
  }
  return short_number(amount) + std::string(kUnits[unit]);
}

}  // namespace

std::string exact_amount(std::string_view resource, const kube::Quantity& amount) {
  if (counted_in_bytes(resource)) return telling_bytes(amount.approximate());
  return fmt::format("{}", static_cast<double>(amount.milli_value()) / 1000);
}

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

std::string gpu_hours_text(std::int64_t gpu_seconds) {
  constexpr double kSecondsOfHour = 3600;
  const double hours = static_cast<double>(gpu_seconds) / kSecondsOfHour;
  return fmt::format("{:.{}f} GPU-hours", hours, hours < 10 ? 1 : 0);
}

}  // namespace loadline::report
