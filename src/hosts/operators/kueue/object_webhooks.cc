#include "hosts/operators/kueue/object_webhooks.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "foundation/document/at.h"
#include "hosts/operators/custom_finalizers.h"
#include "hosts/operators/kueue/configuration.h"
#include "hosts/operators/kueue/job_rules.h"
#include "hosts/operators/kueue/known_objects.h"
#include "hosts/operators/kueue/workload_rules.h"
#include "hosts/watching/kind_name.h"
#include "objects/kube/kueue/cluster_queue.h"
#include "objects/kube/kueue/cohort.h"
#include "objects/kube/kueue/job_names.h"
#include "objects/kube/kueue/resource_flavor.h"
#include "objects/kube/kueue/webhooks.h"
#include "objects/kube/kueue/workload.h"
#include "objects/kube/registry.h"
#include "objects/kube/view.h"
#include "server/apiserver/kinds/checked_field.h"

namespace loadline::operators::kueue {
namespace {

using apiserver::WebhookRequest;
using document::Value;

template <class Kind>
kube::FieldErrors faults_of(const Value& object) {
  return kube::webhook_refusals(kube::view<Kind>(object, *kube::kind_of<Kind>().schema).object);
}

std::set<std::string> flavors_of(const Value& queue) {
  std::set<std::string> names;
  for (const Value& group : document::items_at(queue, {"spec", "resourceGroups"})) {
    for (const Value& flavor : document::items_at(group, {"flavors"})) {
      names.emplace(document::text_at(flavor, {"name"}));
    }
  }
  return names;
}

/// A queue that was kept with checks on flavors that it has not may be changed elsewhere.
kube::FieldErrors faults_of_queue_change(const Value& before, const Value& after) {
  constexpr std::string_view kChecks = "spec.admissionChecksStrategy.";
  kube::FieldErrors faults = faults_of<kube::ClusterQueue>(after);
  if (flavors_of(before) == flavors_of(after)) {
    const kube::FieldErrors known = faults_of<kube::ClusterQueue>(before);
    std::erase_if(faults, [&](const kube::FieldError& each) {
      return each.path.starts_with(kChecks) && std::ranges::find(known, each) != known.end();
    });
  }
  kube::FieldErrors unused;
  apiserver::CheckedField(faults, after)
      .at({"spec", "concurrentAdmissionPolicy"})
      .unchanged_from(apiserver::CheckedField(unused, before).at({"spec", "concurrentAdmissionPolicy"}));
  return faults;
}

template <class Kind>
kube::FieldErrors faults_of_change(const Value& before, const Value& after) {
  if constexpr (std::is_same_v<Kind, kube::KueueWorkload>) return faults_of_workload_change(before, after);
  if constexpr (std::is_same_v<Kind, kube::ClusterQueue>) return faults_of_queue_change(before, after);
  return faults_of<Kind>(after);
}

/// Fewer pods are never enough where partial admission is switched off.
Value without_minimum_counts(Value workload) {
  document::Array sets;
  for (const Value& each : document::items_at(workload, {"spec", "podSets"})) sets.push_back(each.without("minCount"));
  if (sets.empty()) return workload;
  return document::with_at(std::move(workload), {"spec", "podSets"}, Value(std::move(sets)));
}

template <class Kind>
class ObjectWebhook final : public apiserver::Webhook {
 public:
  [[nodiscard]] bool concerns(std::string_view resource) const override { return resource == resource_; }
  [[nodiscard]] bool concerns_status() const override { return std::is_same_v<Kind, kube::KueueWorkload>; }
  [[nodiscard]] std::string_view mutating_name() const override { return mutating_; }
  [[nodiscard]] std::string_view validating_name() const override { return validating_; }

  Verdict<Value> complete(const WebhookRequest& request, Value object) override {
    if (!is_new(request)) return object;
    if constexpr (std::is_same_v<Kind, kube::ClusterQueue> || std::is_same_v<Kind, kube::ResourceFlavor>) {
      const auto& finalizers = document::items_at(object, {"metadata", "finalizers"});
      const bool has_it = std::ranges::find(finalizers, Value(kube::kResourceInUse)) != finalizers.end();
      return has_it ? object : with_finalizer(std::move(object), kube::kResourceInUse);
    } else if constexpr (std::is_same_v<Kind, kube::KueueWorkload>) {
      const StoredObjects objects(request.stored);
      const bool is_partial = configuration_.of(objects).enables("PartialAdmission");
      return is_partial ? object : without_minimum_counts(std::move(object));
    } else {
      return object;
    }
  }

  Verdict<void> review(const WebhookRequest& request, const Value& object) override {
    const auto refusal =
        aggregate(is_new(request) ? faults_of<Kind>(object) : faults_of_change<Kind>(*request.old, object));
    if (refusal) return tl::unexpected(*refusal);
    return {};
  }

 private:
  static bool is_new(const WebhookRequest& request) {
    return request.operation == apiserver::AdmissionRequest::Operation::kCreate;
  }
  static std::string named(std::string_view letter) {
    return fmt::format("{}{}.kb.io", letter, kube::lower_case(watching::kind_name<Kind>().kind));
  }

  const std::string resource_ =
      fmt::format("{}.{}", watching::kind_name<Kind>().plural, watching::kind_name<Kind>().group);
  const std::string mutating_ = named("m");
  const std::string validating_ = named("v");
  ConfigurationInForce configuration_;
};

}  // namespace

apiserver::Webhooks make_object_webhooks() {
  return {std::make_shared<ObjectWebhook<kube::ClusterQueue>>(), std::make_shared<ObjectWebhook<kube::Cohort>>(),
          std::make_shared<ObjectWebhook<kube::ResourceFlavor>>(),
          std::make_shared<ObjectWebhook<kube::KueueWorkload>>()};
}

}  // namespace loadline::operators::kueue
