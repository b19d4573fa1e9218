#include "hosts/operators/grove/webhooks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "brain/workloads/pod_clique_set_rules.h"
#include "foundation/document/at.h"
#include "objects/kube/grove/pod_clique_set_schema.h"
#include "objects/kube/view.h"
#include "objects/schema/quoted.h"

namespace loadline::operators {
namespace {

using document::Array;
using document::Object;
using document::Value;

constexpr std::int64_t kGrace = 30;

Value with_default(Value object, document::Names names, Value value) {
  const Value* const known = document::find_at(object, names);
  if (known != nullptr && !known->is_null()) return object;
  return document::with_at(std::move(object), names, std::move(value));
}

bool is_object_at(const Value& object, document::Names names) {
  const Value* const found = document::find_at(object, names);
  return found != nullptr && found->is_object();
}

/// What follows from the replicas is what was written, even if that is none.
Value completed_clique(Value clique) {
  clique = with_default(std::move(clique), {"spec", "podSpec", "restartPolicy"}, Value("Always"));
  clique = with_default(std::move(clique), {"spec", "podSpec", "terminationGracePeriodSeconds"}, Value(kGrace));
  Value written = document::value_at(clique, {"spec", "replicas"});
  if (!written.is_integer()) written = Value(std::int64_t{0});
  if (written.integer() == 0) {
    clique = document::with_at(std::move(clique), {"spec", "replicas"}, Value(std::int64_t{1}));
  }
  clique = with_default(std::move(clique), {"spec", "minAvailable"}, written);
  if (!is_object_at(clique, {"spec", "autoScalingConfig"})) return clique;
  return with_default(std::move(clique), {"spec", "autoScalingConfig", "minReplicas"}, written);
}

Value completed_group(Value group) {
  group = with_default(std::move(group), {"replicas"}, Value(std::int64_t{1}));
  group = with_default(std::move(group), {"minAvailable"}, Value(std::int64_t{1}));
  if (!is_object_at(group, {"scaleConfig"})) return group;
  Value replicas = document::value_at(group, {"replicas"});
  return with_default(std::move(group), {"scaleConfig", "minReplicas"}, std::move(replicas));
}

Value with_each(Value set, document::Names names, Value (*completed)(Value)) {
  Array items = document::items_at(set, names);
  if (items.empty()) return set;
  for (Value& item : items) {
    if (item.is_object()) item = completed(std::move(item));
  }
  return document::with_at(std::move(set), names, Value(std::move(items)));
}

/// Grove as it is installed by its chart knows two schedulers.
void check_scheduler(const kube::PodCliqueSet& set, kube::FieldErrors& errors) {
  for (const kube::CliqueTemplate& clique : set.cliques) {
    const std::string& name = clique.spec.template_.spec->scheduler_name;
    if (name.empty() || name == "default-scheduler" || name == "kai-scheduler") continue;
    errors.push_back({"spec.template.cliques.spec.podSpec.schedulerName",
                      fmt::format("Invalid value: {}: schedulerName must be an enabled scheduler backend; this "
                                  "scheduler is not enabled in OperatorConfiguration",
                                  schema::quoted(name)),
                      "default-scheduler or kai-scheduler"});
    return;
  }
}

/// As Go joins several errors.
std::string joined(const kube::FieldErrors& errors) {
  std::vector<std::string> lines;
  for (const kube::FieldError& error : errors) {
    std::string line = fmt::format("{}: {}", error.path, error.message);
    if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
  }
  if (lines.size() < 2) return lines.empty() ? std::string() : lines.front();
  return fmt::format("[{}]", fmt::join(lines, ", "));
}

kube::PodCliqueSet view_of(const Value& set) {
  return kube::view<kube::PodCliqueSet>(set, kube::kPodCliqueSetSchema).object;
}

class PodCliqueSetWebhook final : public apiserver::Webhook {
 public:
  [[nodiscard]] bool concerns(std::string_view resource) const override { return resource == "podcliquesets.grove.io"; }
  [[nodiscard]] std::string_view mutating_name() const override { return "pcs.defaulting.webhooks.grove.io"; }
  [[nodiscard]] std::string_view validating_name() const override { return "pcs.validating.webhooks.grove.io"; }

  Verdict<Value> complete(const apiserver::WebhookRequest& /*request*/, Value set) override {
    return with_pod_clique_set_defaults(std::move(set));
  }
  Verdict<void> review(const apiserver::WebhookRequest& request, const Value& set) override {
    std::string refusal = pod_clique_set_refusal(set, request.old);
    if (!refusal.empty()) return tl::unexpected(std::move(refusal));
    return {};
  }
};

}  // namespace

Value with_pod_clique_set_defaults(Value set) {
  if (!is_object_at(set, {"spec", "template"})) return set;
  set = with_each(std::move(set), {"spec", "template", "cliques"}, completed_clique);
  set = with_each(std::move(set), {"spec", "template", "podCliqueScalingGroups"}, completed_group);
  set = with_default(std::move(set), {"spec", "template", "terminationDelay"}, Value("4h0m0s"));
  return with_default(std::move(set), {"spec", "template", "headlessServiceConfig"},
                      Value(Object{{"publishNotReadyAddresses", Value(true), {}}}));
}

std::string pod_clique_set_refusal(const Value& set, const Value* old) {
  const kube::PodCliqueSet view = view_of(set);
  kube::FieldErrors errors = workloads::refusals_of(view);
  check_scheduler(view, errors);
  if (errors.empty() && old != nullptr) errors = workloads::update_refusals(view_of(*old), view);
  return joined(errors);
}

apiserver::Webhooks make_grove_webhooks() { return {std::make_shared<PodCliqueSetWebhook>()}; }

}  // namespace loadline::operators
