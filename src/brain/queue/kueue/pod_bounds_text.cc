#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "brain/queue/kueue/pod_bounds.h"
#include "objects/kube/pod_resources.h"

namespace loadline::queue::kueue {
namespace {

using Names = std::vector<std::string_view>;

std::int64_t counted(std::string_view resource, const kube::Quantity& amount) {
  return resource == "cpu" ? amount.milli_value() : amount.value();
}

/// Those that both have, of which the first has more, by name.
Names greater(const kube::ResourceList& some, const kube::ResourceList& others) {
  Names names;
  for (const auto& [name, amount] : some) {
    const auto other = others.find(name);
    if (other != others.end() && counted(name, amount) > counted(name, other->second)) names.emplace_back(name);
  }
  return names;
}

/// Of what both have, the one that `wins(new, old)`; of what one has, that.
template <class Wins>
void merge(kube::ResourceList& into, const kube::ResourceList& others, Wins wins) {
  for (const auto& [name, amount] : others) {
    const auto [known, is_new] = into.try_emplace(name, amount);
    if (!is_new && wins(amount, known->second)) known->second = amount;
  }
}
void merge_lower(kube::ResourceList& into, const kube::ResourceList& others) {
  merge(into, others, [](const kube::Quantity& one, const kube::Quantity& other) { return one < other; });
}
void merge_higher(kube::ResourceList& into, const kube::ResourceList& others) {
  merge(into, others, [](const kube::Quantity& one, const kube::Quantity& other) { return other < one; });
}

/// What is wrong, each once, as Kubernetes lists errors of fields.
class FieldErrors {
 public:
  void add(const std::string& path, const Names& names, std::string_view message) {
    if (names.empty()) return;
    std::string text = fmt::format(R"({}: Invalid value: ["{}"]: {})", path, fmt::join(names, R"(",")"), message);
    if (std::ranges::find(texts_, text) == texts_.end()) texts_.push_back(std::move(text));
  }
  [[nodiscard]] bool empty() const { return texts_.empty(); }
  [[nodiscard]] std::string text() const {
    return texts_.size() == 1 ? texts_.front() : fmt::format("[{}]", fmt::join(texts_, ", "));
  }

 private:
  std::vector<std::string> texts_;
};

template <class Visit>
void for_each_container(const kube::PodSpec& spec, const std::string& path, const Visit& visit) {
  for (std::size_t i = 0; i < spec.init_containers.size(); ++i) {
    visit(spec.init_containers[i].resources, fmt::format("{}.initContainers[{}]", path, i));
  }
  for (std::size_t i = 0; i < spec.containers.size(); ++i) {
    visit(spec.containers[i].resources, fmt::format("{}.containers[{}]", path, i));
  }
}

void check_limits(const kube::PodSpec& spec, const std::string& path, FieldErrors& errors) {
  const auto check = [&](const kube::ResourceRequirements& it, const std::string& at) {
    errors.add(at, greater(it.requests, it.limits), "requests must not exceed its limits");
  };
  for_each_container(spec, path, check);
  if (spec.resources) check(*spec.resources, path + ".resources");
}

void check_range(const kube::ResourceList& least, const kube::ResourceList& most, const PodBounds::Range& range,
                 const std::string& path, FieldErrors& errors) {
  errors.add(path, greater(most, range.max), "requests must not be above the limitRange max");
  errors.add(path, greater(range.min, least), "requests must not be below the limitRange min");
}

void check_bounds(const kube::PodSpec& spec, const PodBounds& bounds, const std::string& path, FieldErrors& errors) {
  for_each_container(spec, path, [&](const kube::ResourceRequirements& it, const std::string& at) {
    kube::ResourceList least = it.requests;
    kube::ResourceList most = it.requests;
    merge_lower(least, it.limits);
    merge_higher(most, it.limits);
    check_range(least, most, bounds.container, at, errors);
  });
  if (bounds.pod == PodBounds::Range()) return;
  const kube::ResourceList total = kube::pod_requests(spec, nullptr, {});
  check_range(total, total, bounds.pod, path, errors);
}

template <class Check>
std::string problem(const kube::KueueWorkload& workload, std::string_view what, const Check& check) {
  FieldErrors errors;
  for (std::size_t i = 0; i < workload.pod_sets.size(); ++i) {
    check(*workload.pod_sets[i].template_.spec, fmt::format("spec.podSets[{}].template.spec", i), errors);
  }
  return errors.empty() ? std::string() : fmt::format("{}: {}", what, errors.text());
}

}  // namespace

PodBounds bounds_of(std::span<const kube::LimitRange* const> ranges) {
  PodBounds bounds;
  for (const kube::LimitRange* range : ranges) {
    for (const kube::LimitRangeItem& item : range->limits) {
      if (item.type != kube::LimitType::kContainer && item.type != kube::LimitType::kPod) continue;
      PodBounds::Range& of = item.type == kube::LimitType::kPod ? bounds.pod : bounds.container;
      merge_lower(of.max, item.max);
      merge_higher(of.min, item.min);
    }
  }
  return bounds;
}

std::string pod_problem(const kube::KueueWorkload& workload, const PodBounds& bounds) {
  std::string found = problem(workload, "resources validation failed", check_limits);
  if (!found.empty() || bounds == PodBounds()) return found;
  return problem(workload, "resources didn't satisfy LimitRange constraints",
                 [&](const kube::PodSpec& spec, const std::string& path, FieldErrors& errors) {
                   check_bounds(spec, bounds, path, errors);
                 });
}

}  // namespace loadline::queue::kueue
