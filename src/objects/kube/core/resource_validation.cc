#include "objects/kube/core/resource_validation.h"

#include <algorithm>

#include "objects/kube/pod_resources.h"
#include "objects/kube/resource_names.h"

namespace loadline::kube {
namespace {

constexpr std::string_view kContainerResources[] = {"cpu", "memory", "ephemeral-storage"};

constexpr std::string_view kQuotaResources[] = {"cpu",
                                                "memory",
                                                "ephemeral-storage",
                                                "requests.cpu",
                                                "requests.memory",
                                                "requests.storage",
                                                "requests.ephemeral-storage",
                                                "limits.cpu",
                                                "limits.memory",
                                                "limits.ephemeral-storage",
                                                "pods",
                                                "resourcequotas",
                                                "services",
                                                "replicationcontrollers",
                                                "secrets",
                                                "persistentvolumeclaims",
                                                "configmaps",
                                                "services.nodeports",
                                                "services.loadbalancers"};

constexpr std::string_view kCountedResources[] = {
    "pods",       "resourcequotas",         "services",           "replicationcontrollers", "secrets",
    "configmaps", "persistentvolumeclaims", "services.nodeports", "services.loadbalancers"};

template <std::size_t size>
bool contains(const std::string_view (&names)[size], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool has_prefix(std::string_view name) { return name.find('/') != std::string_view::npos; }

bool is_quota_huge_page_resource(std::string_view name) {
  return is_huge_page_resource(name) ||
         (name.starts_with(kRequestsPrefix) && is_huge_page_resource(name.substr(kRequestsPrefix.size())));
}

bool is_standard_resource(std::string_view name) { return name == "storage" || is_standard_quota_resource(name); }

bool is_compute_resource(std::string_view name) { return name == "cpu" || name == "memory"; }

bool is_whole_pages(std::string_view name, const Quantity& amount) {
  const Result<Quantity> page = Quantity::parse(name.substr(kHugePagesPrefix.size()));
  if (!page || page->sign() <= 0 || !page->is_whole()) return false;
  return amount.value() % page->value() == 0;
}

void validate_pages(FieldReport& report, const Path& at, std::string_view name, const Quantity& amount) {
  if (is_whole_pages(name, amount)) return;
  report.invalid(at, amount.to_string(),
                 amount.to_string() + " is not positive integer multiple of " + std::string(name));
}

void validate_pod_level_name(FieldReport& report, const Path& at, std::string_view name) {
  const std::size_t before = report.size();
  validate_resource_name(report, at, name);
  if (report.size() != before || is_supported_pod_level_resource(name)) return;
  report.unsupported(at, name, {"cpu", kHugePagesPrefix, "memory"});
}

using NameCheck = void (*)(FieldReport&, const Path&, std::string_view);

/// What the hugepages rule needs to know of limits and requests together.
struct Mentioned {
  bool compute = false;
  bool huge_pages = false;

  void note(std::string_view name) {
    compute = compute || is_compute_resource(name);
    huge_pages = huge_pages || is_huge_page_resource(name);
  }
};

void validate_request(FieldReport& report, const Path& at, const ResourceList& limits, std::string_view name,
                      const Quantity& request) {
  const auto limit = limits.find(name);
  if (limit == limits.end()) {
    if (is_overcommit_allowed(name)) return;
    report.required(Path(at, "limits"), "Limit must be set for non overcommitable resources",
                    "add limits." + std::string(name) + ": " + request.to_string());
    return;
  }
  const std::string bound = std::string(name) + " limit of " + limit->second.to_string();
  const Path requests(at, "requests");
  if (request != limit->second && !is_overcommit_allowed(name)) {
    report.invalid(requests, request.to_string(), "must be equal to " + bound);
  } else if (request > limit->second) {
    report.invalid(requests, request.to_string(), "must be less than or equal to " + bound);
  }
}

void validate_limits(FieldReport& report, const Path& at, const ResourceList& limits, NameCheck check_name,
                     Mentioned& mentioned) {
  for (const auto& [name, amount] : limits) {
    const Path place = Path::key(at, name);
    check_name(report, place, name);
    validate_quantity(report, place, name, amount);
    if (is_huge_page_resource(name)) validate_pages(report, place, name, amount);
    mentioned.note(name);
  }
}

void require_compute(FieldReport& report, const Path& at, const Mentioned& mentioned) {
  if (mentioned.huge_pages && !mentioned.compute) report.forbidden(at, "HugePages require cpu or memory");
}

void validate_amounts(FieldReport& report, const Path& at, const ResourceRequirements& resources,
                      NameCheck check_name) {
  Mentioned mentioned;
  validate_limits(report, Path(at, "limits"), resources.limits, check_name, mentioned);
  const Path requests(at, "requests");
  for (const auto& [name, amount] : resources.requests) {
    const Path place = Path::key(requests, name);
    check_name(report, place, name);
    validate_quantity(report, place, name, amount);
    validate_request(report, at, resources.limits, name, amount);
    if (is_huge_page_resource(name)) validate_pages(report, place, name, amount);
    mentioned.note(name);
  }
  require_compute(report, at, mentioned);
}

void validate_claims(FieldReport& report, const Path& at, const std::vector<ResourceClaimUse>& claims,
                     const std::set<std::string, std::less<>>& claim_names) {
  std::set<std::string, std::less<>> seen;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const Path place = Path::element(at, i);
    const ResourceClaimUse& claim = claims[i];
    if (claim.name.empty()) {
      report.required(place);
      continue;
    }
    std::string key = claim.name;
    if (seen.contains(claim.name)) {
      report.duplicate(place, claim.name);
    } else {
      if (!claim.request.empty()) {
        report.invalid_name(Path(place, "request"), claim.request, dns_label_problems(claim.request));
        key += "/" + claim.request;
      }
      const std::string prefix = claim.name + "/";
      const auto overlapping = std::count_if(seen.begin(), seen.end(), [&](const std::string& other) {
        return claim.request.empty() ? other.starts_with(prefix) : other == key;
      });
      for (std::ptrdiff_t k = 0; k < overlapping; ++k) report.duplicate(place, key);
      seen.insert(key);
    }
    if (claim_names.contains(claim.name)) continue;
    std::string detail = "must be one of the names in pod.spec.resourceClaims";
    if (claim_names.empty()) detail += " which is empty";
    const char* separator = ": ";
    for (const std::string& name : claim_names) {
      detail.append(separator).append(name);
      separator = ", ";
    }
    report.not_found(place, claim.name, detail);
  }
}

void validate_coverage(FieldReport& report, const Path& at, const PodSpec& spec) {
  const ResourceRequirements& pod_level = *spec.resources;
  const Path requests(at, "requests");
  for (const auto& [name, asked] : pod_requests(spec, nullptr, containers_only())) {
    const auto found = pod_level.requests.find(name);
    if (found == pod_level.requests.end() || asked <= found->second) continue;
    report.invalid(Path::key(requests, name), found->second.to_string(),
                   "must be greater than or equal to aggregate container requests of " + asked.to_string());
  }
  const Path limits(at, "limits");
  for (const auto& [name, asked] : pod_limits(spec, nullptr, containers_only())) {
    if (!is_huge_page_resource(name)) continue;
    const auto found = pod_level.limits.find(name);
    if (found == pod_level.limits.end() || asked <= found->second) continue;
    report.invalid(Path::key(limits, name), found->second.to_string(),
                   "must be greater than or equal to aggregate container limits of " + asked.to_string());
  }
  const Path containers(at, "containers");
  for (std::size_t i = 0; i < spec.containers.size(); ++i) {
    const Path container = Path::element(containers, i);
    for (const auto& [name, limit] : spec.containers[i].resources.limits) {
      const auto found = pod_level.limits.find(name);
      if (found == pod_level.limits.end() || limit <= found->second) continue;
      const Path place = Path::key(container, name);
      report.invalid(Path(place, "limits"), limit.to_string(),
                     "must be less than or equal to pod limits of " + found->second.to_string());
    }
  }
}

}  // namespace

bool is_standard_quota_resource(std::string_view name) {
  return contains(kQuotaResources, name) || is_quota_huge_page_resource(name);
}

void validate_resource_name(FieldReport& report, const Path& at, std::string_view name) {
  const NameProblems problems = qualified_name_problems(name);
  report.invalid_name(at, name, problems);
  if (!problems.empty() || has_prefix(name) || is_standard_resource(name)) return;
  report.invalid(at, name, "must be a standard resource type or fully qualified",
                 name == "gpu" ? "write the vendor's name, for example nvidia.com/gpu" : "");
}

void validate_container_resource_name(FieldReport& report, const Path& at, std::string_view name) {
  validate_resource_name(report, at, name);
  if (!has_prefix(name)) {
    if (!contains(kContainerResources, name) && !is_huge_page_resource(name)) {
      report.invalid(at, name, "must be a standard resource for containers");
    }
  } else if (!is_native_resource(name) && !is_extended_resource(name)) {
    report.invalid(at, name, "doesn't follow extended resource name standard");
  }
}

void validate_quota_resource_name(FieldReport& report, const Path& at, std::string_view name) {
  validate_resource_name(report, at, name);
  if (!has_prefix(name) && !is_standard_quota_resource(name)) {
    report.invalid(at, name, "must be a standard resource for quota");
  }
}

void validate_quantity(FieldReport& report, const Path& at, std::string_view name, const Quantity& amount) {
  if (amount.sign() < 0) report.invalid(at, amount.to_string(), "must be greater than or equal to 0");
  if (amount.is_whole()) return;
  if (contains(kCountedResources, name) || is_extended_resource(name)) {
    report.invalid(at, amount.to_string(), "must be an integer");
  }
}

void validate_positive(FieldReport& report, const Path& at, const Quantity& amount) {
  if (amount.sign() <= 0) report.invalid(at, amount.to_string(), "must be greater than zero");
}

void validate_container_resources(FieldReport& report, const Path& at, const ResourceRequirements& resources,
                                  const std::set<std::string, std::less<>>& claim_names) {
  validate_amounts(report, at, resources, validate_container_resource_name);
  validate_claims(report, Path(at, "claims"), resources.claims, claim_names);
}

void validate_overhead(FieldReport& report, const Path& at, const ResourceList& overhead) {
  Mentioned mentioned;
  validate_limits(report, at, overhead, validate_container_resource_name, mentioned);
  require_compute(report, at, mentioned);
}

void validate_pod_level_resources(FieldReport& report, const Path& at, const PodSpec& spec) {
  if (!spec.resources) return;
  if (!spec.resources->claims.empty()) {
    report.forbidden(Path(at, "claims"), "claims may not be set for Resources at pod-level");
  }
  validate_amounts(report, at, *spec.resources, validate_pod_level_name);
  validate_coverage(report, at, spec);
}

}  // namespace loadline::kube
