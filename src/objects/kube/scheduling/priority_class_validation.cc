#include "objects/kube/meta_validation.h"
#include "objects/kube/scheduling/priority_class.h"
#include "objects/kube/validation.h"

namespace loadline::kube {
namespace {

constexpr std::int32_t kHighestUserPriority = 1'000'000'000;
constexpr std::string_view kSystemPrefix = "system-";

struct SystemClass {
  std::string_view name;
  std::int32_t value;
};

constexpr SystemClass kSystemClasses[] = {{"system-node-critical", 2'000'001'000},
                                          {"system-cluster-critical", 2'000'000'000}};

/// What sets it apart from the two classes that Kubernetes itself makes; empty: nothing.
std::string difference_from_system_class(const PriorityClass& priority_class) {
  const std::string& name = priority_class.metadata.name;
  for (const SystemClass& known : kSystemClasses) {
    if (known.name != name) continue;
    if (known.value != priority_class.value) {
      return "value of " + name + " PriorityClass must be " + std::to_string(known.value);
    }
    return priority_class.global_default ? "globalDefault of " + name + " PriorityClass must be false" : "";
  }
  return name + " is not a known system priority class";
}

}  // namespace

FieldErrors validate(const PriorityClass& priority_class) {
  FieldReport report;
  validate_metadata(report, priority_class.metadata, NamespaceRule::kForbidden, dns_subdomain_problems);
  const Path root(nullptr);
  if (priority_class.metadata.name.starts_with(kSystemPrefix)) {
    const std::string difference = difference_from_system_class(priority_class);
    const Path metadata(root, "metadata");
    if (!difference.empty()) {
      report.forbidden(
          Path(metadata, "name"),
          "priority class names with 'system-' prefix are reserved for system use only. error: " + difference);
    }
  } else if (priority_class.value > kHighestUserPriority) {
    report.forbidden(Path(root, "value"), "maximum allowed value of a user defined priority is 1000000000");
  }
  return report.take();
}

}  // namespace loadline::kube
