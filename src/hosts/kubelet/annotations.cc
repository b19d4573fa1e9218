#include "hosts/kubelet/annotations.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "objects/kube/scalars.h"

namespace loadline::kubelet {

const std::string* AnnotationReader::text(std::string_view key) const {
  if (annotations_.empty()) return nullptr;
  if (!container_.empty()) {
    const auto own = annotations_.find(fmt::format("{}.{}", key, container_));
    if (own != annotations_.end()) return &own->second;
  }
  const auto found = annotations_.find(key);
  return found == annotations_.end() ? nullptr : &found->second;
}

bool AnnotationReader::is(std::string_view key, std::string_view value) const {
  const std::string* found = text(key);
  return found != nullptr && *found == value;
}

void AnnotationReader::complain(std::string_view key, std::string_view text, std::string_view expected) {
  problems_.push_back(fmt::format("Annotation {}: {:?} is not {}", key, text, expected));
}

std::optional<Duration> AnnotationReader::duration(std::string_view key) {
  const std::string* found = text(key);
  if (found == nullptr) return std::nullopt;
  const Result<Duration> span = kube::parse_duration(*found);
  if (span && span->nanoseconds >= 0) return *span;
  complain(key, *found, "a duration such as \"90s\" or \"1h30m\"");
  return std::nullopt;
}

std::optional<std::int32_t> AnnotationReader::integer(std::string_view key) {
  const std::string* found = text(key);
  if (found == nullptr) return std::nullopt;
  std::int32_t value = 0;
  const char* end = found->data() + found->size();
  const auto [stop, error] = std::from_chars(found->data(), end, value);
  if (error == std::errc() && stop == end && !found->empty()) return value;
  complain(key, *found, "an integer");
  return std::nullopt;
}

std::optional<double> AnnotationReader::number(std::string_view key) {
  const std::string* found = text(key);
  if (found == nullptr) return std::nullopt;
  double value = 0;
  const char* end = found->data() + found->size();
  const auto [stop, error] = std::from_chars(found->data(), end, value);
  if (error == std::errc() && stop == end && !found->empty() && std::isfinite(value) && value >= 0) return value;
  complain(key, *found, "a number");
  return std::nullopt;
}

std::optional<kube::Quantity> AnnotationReader::quantity(std::string_view key) {
  const std::string* found = text(key);
  if (found == nullptr) return std::nullopt;
  if (const Result<kube::Quantity> amount = kube::Quantity::parse(*found); amount && amount->sign() >= 0) {
    return *amount;
  }
  complain(key, *found, "a quantity such as \"250m\" or \"1Gi\"");
  return std::nullopt;
}

}  // namespace loadline::kubelet
