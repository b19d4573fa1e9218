// ClusterQueues and Cohorts, which have most of their rules in common.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "objects/kube/field_report.h"
#include "objects/kube/kueue/cluster_queue.h"
#include "objects/kube/kueue/cohort.h"
#include "objects/kube/kueue/webhooks.h"
#include "objects/kube/meta_validation.h"

namespace loadline::kube {
namespace {

constexpr std::string_view kNegative = "must be greater than or equal to 0";
constexpr std::size_t kMostFlavors = 256;
constexpr std::size_t kMostResources = 256;
constexpr std::size_t kMostCombinations = 512;

/// Which of the two it is.
struct Owner {
  bool has_parent = false;
  std::string_view without_parent;     ///< what is said of limits of one that has none
  bool lends_at_most_nominal = false;  ///< a Cohort may lend what its members lend it
};

void check_amount(FieldReport& report, const Path& at, const Quantity& amount) {
  if (amount.sign() < 0) report.invalid(at, amount.to_string(), kNegative);
}

void check_quota(FieldReport& report, const Path& at, const FlavorQuota& quota, const Owner& owner) {
  check_amount(report, Path(at, "nominalQuota"), quota.nominal);
  const Path borrowing(at, "borrowingLimit");
  if (quota.borrowing_limit) {
    if (!owner.has_parent) report.invalid(borrowing, quota.borrowing_limit->to_string(), owner.without_parent);
    check_amount(report, borrowing, *quota.borrowing_limit);
  }
  const Path lending(at, "lendingLimit");
  if (!quota.lending_limit) return;
  check_amount(report, lending, *quota.lending_limit);
  if (!owner.has_parent) report.invalid(lending, quota.lending_limit->to_string(), owner.without_parent);
  if (owner.lends_at_most_nominal && *quota.lending_limit > quota.nominal) {
    report.invalid(lending, quota.lending_limit->to_string(), "must be less than or equal to the nominalQuota");
  }
}

/// The definition has made sure that there are as many resources as the group covers.
void check_flavor(FieldReport& report, const Path& at, const FlavorQuotas& flavor, const ResourceGroup& group,
                  const Owner& owner) {
  const Path resources(at, "resources");
  const std::size_t count = std::min(flavor.resources.size(), group.covered_resources.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Path place = Path::element(resources, i);
    const FlavorQuota& quota = flavor.resources[i];
    if (quota.resource != group.covered_resources[i]) {
      report.invalid(Path(place, "name"), quota.resource, "must match the name in coveredResources");
    }
    check_quota(report, place, quota, owner);
  }
}

void check_groups(FieldReport& report, const Path& at, const std::vector<ResourceGroup>& groups, const Owner& owner) {
  std::set<std::string_view> resources;
  std::set<std::string_view> flavors;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const ResourceGroup& group = groups[i];
    const Path place = Path::element(at, i);
    const Path covered(place, "coveredResources");
    for (std::size_t j = 0; j < group.covered_resources.size(); ++j) {
      const std::string& name = group.covered_resources[j];
      const Path here = Path::element(covered, j);
      validate_label_key(report, here, name);
      if (!resources.insert(name).second) report.duplicate(here, name);
    }
    const Path of_flavors(place, "flavors");
    for (std::size_t j = 0; j < group.flavors.size(); ++j) {
      const Path here = Path::element(of_flavors, j);
      check_flavor(report, here, group.flavors[j], group, owner);
      if (!flavors.insert(group.flavors[j].flavor).second) {
        report.duplicate(Path(here, "name"), group.flavors[j].flavor);
      }
    }
  }
}

/// Upstream names the object around the weight.
void check_fair_sharing(FieldReport& report, const Path& at, const std::optional<Quantity>& weight) {
  if (!weight) return;
  check_amount(report, at, *weight);
  if (weight->sign() > 0 && *weight <= Quantity::parse("1n").value()) {
    report.invalid(at, weight->to_string(), "When not 0, weight must be > 10e-9");
  }
}

void check_totals(FieldReport& report, const Path& at, const std::vector<ResourceGroup>& groups) {
  const auto bound = [&](const Path& place, std::size_t total, std::size_t most, std::string_view what) {
    if (total <= most) return;
    report.invalid(place, static_cast<std::int64_t>(total),
                   std::string(what) + " must be ≤ " + std::to_string(most) + ", got " + std::to_string(total));
  };
  std::size_t flavors = 0;
  std::size_t resources = 0;
  for (const ResourceGroup& group : groups) {
    flavors += group.flavors.size();
    resources += group.covered_resources.size();
  }
  bound(at, flavors, kMostFlavors, "total number of flavors across all resourceGroups");
  bound(at, resources, kMostResources, "total number of covered resources across all resourceGroups");
  for (std::size_t i = 0; i < groups.size(); ++i) {
    std::size_t combinations = 0;
    for (const FlavorQuotas& flavor : groups[i].flavors) combinations += flavor.resources.size();
    bound(Path::element(at, i), combinations, kMostCombinations,
          "number of flavor-resource combinations in a resourceGroup");
  }
}

void check_flavors_of_checks(FieldReport& report, const ClusterQueue& queue) {
  std::vector<std::string> flavors;
  for (const ResourceGroup& group : queue.resource_groups) {
    for (const FlavorQuotas& flavor : group.flavors) flavors.push_back(flavor.flavor);
  }
  std::ranges::sort(flavors);
  const Path root(nullptr);
  const Path spec(root, "spec");
  const Path strategy(spec, "admissionChecksStrategy");
  const Path checks(strategy, "admissionChecks");
  for (std::size_t i = 0; i < queue.admission_checks.size(); ++i) {
    const Path check = Path::element(checks, i);
    const Path on_flavors(check, "onFlavors");
    const std::vector<std::string>& named = queue.admission_checks[i].on_flavors;
    for (std::size_t j = 0; j < named.size(); ++j) {
      if (!std::ranges::binary_search(flavors, named[j])) {
        report.unsupported(Path::element(on_flavors, j), named[j], flavors);
      }
    }
  }
}

}  // namespace

FieldErrors webhook_refusals(const ClusterQueue& queue) {
  FieldReport report;
  const Path root(nullptr);
  const Path spec(root, "spec");
  const Path groups(spec, "resourceGroups");
  check_groups(report, groups, queue.resource_groups,
               {!queue.cohort.empty(), "must be nil when cohort is empty", /*lends_at_most_nominal=*/true});
  validate_label_selector(report, Path(spec, "namespaceSelector"), queue.namespace_selector);
  check_fair_sharing(report, Path(spec, "fairSharing"), queue.fair_sharing_weight);
  check_totals(report, groups, queue.resource_groups);
  check_flavors_of_checks(report, queue);
  return report.take();
}

FieldErrors webhook_refusals(const Cohort& cohort) {
  FieldReport report;
  const Path root(nullptr);
  const Path spec(root, "spec");
  check_fair_sharing(report, Path(spec, "fairSharing"), cohort.fair_sharing_weight);
  check_groups(report, Path(spec, "resourceGroups"), cohort.resource_groups,
               {!cohort.parent.empty(), "must be nil when parent is empty"});
  return report.take();
}

}  // namespace loadline::kube
