#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "foundation/document/at.h"
#include "hosts/operators/kueue/configuration.h"
#include "hosts/operators/kueue/job_rules.h"
#include "hosts/operators/kueue/leader_worker_set.h"
#include "hosts/operators/kueue/management.h"
#include "hosts/operators/kueue/pod_group.h"
#include "hosts/operators/kueue/pod_holder_rules.h"
#include "objects/kube/kueue/job_names.h"

namespace loadline::operators::kueue {
namespace {

using apiserver::CheckedField;
using apiserver::WebhookRequest;
using document::Value;

constexpr std::int64_t kMostGroups = 1'000'000;
constexpr std::string_view kTemplates = "leaderWorkerTemplate";

Value with_marked_template(Value set, std::string_view name) {
  const auto mark = [&](std::string_view field, std::string_view key, std::string_view value) {
    set = document::with_at(std::move(set), {"spec", kTemplates, name, "metadata", field, key}, Value(value));
  };
  mark("annotations", kSuspendedByParent, kLeaderWorkerSetFramework);
  mark("annotations", kServing, "true");
  for (const std::string_view label : {kube::kQueueName, kube::kWorkloadPriorityClassLabel}) {
    const std::string value(document::text_at(set, {"metadata", "labels", label}));
    if (!value.empty()) mark("labels", label, value);
  }
  return set;
}

class GroupsWebhook final : public apiserver::Webhook {
 public:
  [[nodiscard]] bool concerns(std::string_view resource) const override {
    return resource == "leaderworkersets.leaderworkerset.x-k8s.io";
  }
  [[nodiscard]] std::string_view mutating_name() const override { return "mleaderworkerset.kb.io"; }
  [[nodiscard]] std::string_view validating_name() const override { return "vleaderworkerset.kb.io"; }

  Verdict<Value> complete(const WebhookRequest& request, Value set) override {
    const StoredObjects objects(request.stored);
    if (!has_queues(objects)) return set;
    const kube::KueueConfiguration& configuration = configuration_.of(objects);
    if (!manages(configuration, kLeaderWorkerSetFramework)) return set;
    set = with_default_queue(objects, configuration, std::move(set));
    const auto is_held = holds_pods(objects, configuration, kLeaderWorkerSetFramework, set);
    if (!is_held) return tl::unexpected(is_held.error());
    if (!*is_held) return set;
    if (document::find_at(set, {"spec", kTemplates, "leaderTemplate"}) != nullptr) {
      set = with_marked_template(std::move(set), "leaderTemplate");
    }
    return with_marked_template(std::move(set), "workerTemplate");
  }

  Verdict<void> review(const WebhookRequest& request, const Value& set) override {
    const StoredObjects objects(request.stored);
    if (!has_queues(objects)) return {};
    const kube::KueueConfiguration& configuration = configuration_.of(objects);
    if (!manages(configuration, kLeaderWorkerSetFramework)) return {};
    kube::FieldErrors faults;
    const CheckedField whole(faults, set);
    check_pod_holder(whole, "leaderworkerset.x-k8s.io/v1, Kind=LeaderWorkerSet");
    const CheckedField replicas = whole.at({"spec", "replicas"});
    if (replicas.number(1) > kMostGroups) {
      replicas.invalid(
          fmt::format("invalid LeaderWorkerSet replicas: must be <= {}, got {}", kMostGroups, replicas.number(1)));
    }
    if (request.old != nullptr) {
      const Value ready = document::value_at(*request.old, {"status", "readyReplicas"});
      check_pod_holder_change(*request.old, whole, ready.is_integer() && ready.integer() > 0);
      const auto is_held = holds_pods(objects, configuration, kLeaderWorkerSetFramework, set);
      if (!is_held) return tl::unexpected(is_held.error());
      if (*is_held) check_same_groups(*request.old, whole);
    }
    if (const auto refusal = aggregate(faults)) return tl::unexpected(*refusal);
    return {};
  }

 private:
  static void check_same_groups(const Value& before, const CheckedField& whole) {
    kube::FieldErrors unused;
    const CheckedField old_templates = CheckedField(unused, before).at({"spec", kTemplates});
    const CheckedField templates = whole.at({"spec", kTemplates});
    for (const std::string_view name : {"leaderTemplate", "workerTemplate"}) {
      const CheckedField now = templates.at(name);
      const CheckedField old = old_templates.at(name);
      if (now.is_set() != old.is_set()) {
        now.invalid("field is immutable");
      } else if (now.is_set()) {
        check_same_shape(old.at("spec").value(), now.at("spec").value(), now.path() + ".spec", whole);
      }
    }
    const CheckedField size = templates.at("size");
    if (size.number(1) != old_templates.at("size").number(1)) size.invalid(Value(size.number(1)), "field is immutable");
  }

  ConfigurationInForce configuration_;
};

}  // namespace

std::shared_ptr<apiserver::Webhook> make_leader_worker_set_webhook() { return std::make_shared<GroupsWebhook>(); }

}  // namespace loadline::operators::kueue
