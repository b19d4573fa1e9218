#include "objects/kube/kueue/topology_assignment.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "foundation/document/at.h"

namespace loadline::kube {
namespace {

using document::Array;
using document::Value;

const Array& list_at(const Value& object, std::string_view name) {
  static const auto& none = *new Array;
  const Value* list = object.is_object() ? object.find(name) : nullptr;
  return list != nullptr && list->is_array() ? list->array() : none;
}

std::string text_of(const Value* value) {
  return value != nullptr && value->is_string() ? std::string(value->string()) : std::string();
}

std::vector<std::string> texts_of(const Array& list) {
  std::vector<std::string> texts;
  for (const Value& each : list) texts.push_back(text_of(&each));
  return texts;
}

std::int32_t count_of(const Value* value) {
  if (value == nullptr || !value->is_integer()) return 0;
  const auto most = std::int64_t{std::numeric_limits<std::int32_t>::max()};
  return static_cast<std::int32_t>(std::clamp(value->integer(), std::int64_t{0}, most));
}

/// The value that a level of a slice has in its domain of that number.
std::string value_in(const Value& level, std::size_t domain) {
  const Value* individual = level.is_object() ? level.find("individual") : nullptr;
  if (individual == nullptr || !individual->is_object()) {
    return level.is_object() ? text_of(level.find("universal")) : std::string();
  }
  const Array& roots = list_at(*individual, "roots");
  const std::string root = domain < roots.size() ? text_of(&roots[domain]) : std::string();
  return text_of(individual->find("prefix")) + root + text_of(individual->find("suffix"));
}

std::int32_t pods_in(const Value& slice, std::size_t domain) {
  const Value* counts = slice.find("podCounts");
  if (counts == nullptr || !counts->is_object()) return 0;
  if (const Value* universal = counts->find("universal")) return count_of(universal);
  const Array& individual = list_at(*counts, "individual");
  return domain < individual.size() ? count_of(&individual[domain]) : 0;
}

/// How many domains a slice can tell apart: so many as it has values of some level, whatever it says.
std::size_t domains_in(const Value& slice) {
  std::size_t told_apart = 1;
  for (const Value& level : list_at(slice, "valuesPerLevel")) {
    const Value* individual = level.is_object() ? level.find("individual") : nullptr;
    if (individual != nullptr) told_apart = std::max(told_apart, list_at(*individual, "roots").size());
  }
  return std::min(told_apart, static_cast<std::size_t>(count_of(slice.find("domainCount"))));
}

void unpack(const Value& slice, std::vector<TopologyDomainAssignment>& domains) {
  if (!slice.is_object()) return;
  const std::size_t count = domains_in(slice);
  for (std::size_t i = 0; i < count; ++i) {
    TopologyDomainAssignment& domain = domains.emplace_back();
    for (const Value& level : list_at(slice, "valuesPerLevel")) domain.values.push_back(value_in(level, i));
    domain.count = pods_in(slice, i);
  }
}

}  // namespace

TopologyAssignment read_topology_assignment(const Value& assignment) {
  TopologyAssignment result;
  result.levels = texts_of(list_at(assignment, "levels"));
  for (const Value& domain : list_at(assignment, "domains")) {
    if (!domain.is_object()) continue;
    result.domains.push_back({texts_of(list_at(domain, "values")), count_of(domain.find("count"))});
  }
  for (const Value& slice : list_at(assignment, "slices")) unpack(slice, result.domains);
  return result;
}

}  // namespace loadline::kube
