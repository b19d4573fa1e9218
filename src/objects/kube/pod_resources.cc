#include "objects/kube/pod_resources.h"

#include <algorithm>
#include <span>

#include "objects/kube/condition.h"
#include "objects/kube/resource_names.h"

namespace loadline::kube {
namespace {

bool carries_pod_level_resource(const ResourceList& amounts) {
  return std::any_of(amounts.begin(), amounts.end(),
                     [](const auto& entry) { return is_supported_pod_level_resource(entry.first); });
}

// A resize that the node can never grant does not count; what the container holds does.
bool resize_infeasible(const PodStatus& status) {
  const Condition* pending = find_condition(status.conditions, "PodResizePending");
  return pending != nullptr && pending->reason == "Infeasible";
}

ResourceList effective_requests(const PodStatus& status, const ResourceList& desired, const ResourceList& actuated,
                                const ResourceList& allocated) {
  ResourceList result = actuated;
  raise_to_resources(result, allocated);
  if (!resize_infeasible(status)) raise_to_resources(result, desired);
  return result;
}

ResourceList effective_limits(const PodStatus& status, const ResourceList& desired, const ResourceList& actuated) {
  ResourceList result = actuated;
  if (!resize_infeasible(status)) raise_to_resources(result, desired);
  return result;
}

const ContainerStatus* status_of(const Container& container, const PodStatus& status) {
  // Upstream fills one map, containers first: an init container's status wins over a container's of the same name.
  for (const auto* list : {&status.init_container_statuses, &status.container_statuses}) {
    const auto found = std::find_if(list->rbegin(), list->rend(),
                                    [&](const ContainerStatus& entry) { return entry.name == container.name; });
    if (found != list->rend()) return &*found;
  }
  return nullptr;
}

enum class Side : std::uint8_t { kRequests, kLimits };

/// Sums containers, sidecars and init containers for one side. `amounts_of` yields what one container counts for.
template <class AmountsOf>
ResourceList aggregate(const PodSpec& spec, const AmountsOf& amounts_of) {
  ResourceList total;
  for (const Container& container : spec.containers) add_resources(total, amounts_of(container, true));
  ResourceList sidecars;
  ResourceList init_peak;
  for (const Container& container : spec.init_containers) {
    ResourceList amounts = amounts_of(container, container.restartable_init());
    if (container.restartable_init()) {
      add_resources(total, amounts);
      add_resources(sidecars, amounts);
      raise_to_resources(init_peak, sidecars);
    } else {
      add_resources(amounts, sidecars);
      raise_to_resources(init_peak, amounts);
    }
  }
  raise_to_resources(total, init_peak);
  return total;
}

/// What a container counts for; `resizable`: its status may matter.
ResourceList container_amounts(const Container& container, bool resizable, Side side, const PodStatus* status,
                               const PodResourcesOptions& options) {
  const ResourceList& desired = side == Side::kRequests ? container.resources.requests : container.resources.limits;
  if (!options.use_status_resources || status == nullptr || !resizable) return desired;
  const ContainerStatus* const actual = status_of(container, *status);
  if (actual == nullptr || !actual->resources) return desired;
  if (side == Side::kLimits) return effective_limits(*status, desired, actual->resources->limits);
  return effective_requests(*status, desired, actual->resources->requests, actual->allocated_resources);
}

/// Replaces what spec.resources names; `effective`, if any, holds the amounts that a resize makes of them.
void override_with_pod_level(ResourceList& total, const ResourceList& desired,
                             const std::optional<ResourceList>& effective) {
  for (const auto& [name, amount] : desired) {
    if (!is_supported_pod_level_resource(name)) continue;
    if (!effective) {
      total[name] = amount;
    } else {
      const auto found = effective->find(name);
      total[name] = found == effective->end() ? Quantity() : found->second;
    }
  }
}

bool counts_pod_level_status(const PodStatus* status, const PodResourcesOptions& options) {
  return options.use_status_resources && options.use_status_pod_level_resources && status != nullptr &&
         status->resources.has_value();
}

bool counts_for_qos(const ResourceList::value_type& entry) {
  return (entry.first == "cpu" || entry.first == "memory") && entry.second.sign() > 0;
}

/// Adds what counts of `amounts`; true if both cpu and memory did.
bool add_qos_resources(ResourceList& sum, const ResourceList& amounts) {
  int found = 0;
  for (const auto& entry : amounts) {
    if (!counts_for_qos(entry)) continue;
    ++found;
    sum[entry.first] += entry.second;
  }
  return found == 2;
}

}  // namespace

void add_resources(ResourceList& sum, const ResourceList& amounts) {
  for (const auto& [name, amount] : amounts) {
    const auto [entry, added] = sum.try_emplace(name, amount);
    if (!added) entry->second += amount;
  }
}

void raise_to_resources(ResourceList& largest, const ResourceList& amounts) {
  for (const auto& [name, amount] : amounts) {
    const auto [entry, added] = largest.try_emplace(name, amount);
    if (!added && amount > entry->second) entry->second = amount;
  }
}

bool is_supported_pod_level_resource(std::string_view name) {
  return name == "cpu" || name == "memory" || is_huge_page_resource(name);
}

bool pod_level_resources_set(const PodSpec& spec) {
  return spec.resources &&
         (carries_pod_level_resource(spec.resources->requests) || carries_pod_level_resource(spec.resources->limits));
}

ResourceList pod_requests(const PodSpec& spec, const PodStatus* status, const PodResourcesOptions& options) {
  ResourceList total = aggregate(spec, [&](const Container& container, bool resizable) {
    ResourceList amounts = container_amounts(container, resizable, Side::kRequests, status, options);
    if (options.non_missing_container_requests != nullptr) {
      amounts.insert(options.non_missing_container_requests->begin(), options.non_missing_container_requests->end());
    }
    return amounts;
  });
  if (!options.skip_pod_level_resources && spec.resources && carries_pod_level_resource(spec.resources->requests)) {
    std::optional<ResourceList> effective;
    if (counts_pod_level_status(status, options)) {
      effective = effective_requests(*status, spec.resources->requests, status->resources->requests,
                                     status->allocated_resources);
    }
    override_with_pod_level(total, spec.resources->requests, effective);
  }
  if (!options.exclude_overhead) add_resources(total, spec.overhead);
  return total;
}

ResourceList pod_limits(const PodSpec& spec, const PodStatus* status, const PodResourcesOptions& options) {
  ResourceList total = aggregate(spec, [&](const Container& container, bool resizable) {
    return container_amounts(container, resizable, Side::kLimits, status, options);
  });
  if (!options.skip_pod_level_resources && pod_level_resources_set(spec)) {
    std::optional<ResourceList> effective;
    if (counts_pod_level_status(status, options)) {
      effective = effective_limits(*status, spec.resources->limits, status->resources->limits);
    }
    override_with_pod_level(total, spec.resources->limits, effective);
  }
  if (options.exclude_overhead) return total;
  for (const auto& [name, amount] : spec.overhead) {
    const auto limit = total.find(name);
    if (limit != total.end() && !limit->second.is_zero()) limit->second += amount;
  }
  return total;
}

QosClass pod_qos(const PodSpec& spec) {
  ResourceList requests;
  ResourceList limits;
  bool guaranteed = true;
  if (spec.resources) {
    add_qos_resources(requests, spec.resources->requests);
    if (!spec.resources->limits.empty()) guaranteed = add_qos_resources(limits, spec.resources->limits);
  } else {
    for (const auto* containers : {&spec.containers, &spec.init_containers}) {
      for (const Container& container : *containers) {
        add_qos_resources(requests, container.resources.requests);
        guaranteed = add_qos_resources(limits, container.resources.limits) && guaranteed;
      }
    }
  }
  if (requests.empty() && limits.empty()) return QosClass::kBestEffort;
  return guaranteed && requests == limits ? QosClass::kGuaranteed : QosClass::kBurstable;
}

}  // namespace loadline::kube
