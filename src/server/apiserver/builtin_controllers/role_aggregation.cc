#include "server/apiserver/builtin_controllers/role_aggregation.h"

#include <string>
#include <string_view>
#include <utility>

namespace loadline::apiserver {
namespace {

using document::Value;

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";
constexpr std::string_view kResource = "clusterroles";
constexpr std::string_view kStoreName = "clusterroles.rbac.authorization.k8s.io";
constexpr std::string_view kAggregationManager = "clusterrole-aggregation-controller";
constexpr std::size_t kMostRounds = 1000;  // deeper than any aggregation that is intended

/// Writes the rules into the role; a role that is gone meanwhile is none of ours.
Answer<Value> write_rules(const ServerContext& context, const std::string& name, const Value& rules) {
  Call call;
  call.served = context.served.find_stored(kGroup, kResource);
  call.name = name;
  call.user = {"system:serviceaccount:kube-system:clusterrole-aggregation-controller", "", {"system:masters"}, {}};
  call.user_agent = kAggregationManager;
  const Answer<Written> written = context.writer.change(
      call, [&](const Value& old) -> Answer<Value> { return old.with("rules", rules); }, Writer::Target::kObject, {});
  if (!written) return refuse(written.error());
  return written->object;
}

}  // namespace

Answer<void> aggregate_roles(const ServerContext& context) {
  // The index that requests are authorized by is told of a write only when it is durable; this one is up to date.
  Rbac roles;
  store::StoreResult<store::Listing> listing = context.store.list(kStoreName, {});
  if (!listing) return {};  // the latest state can always be listed
  for (const store::ObjectPtr* object = listing->next(); object != nullptr; object = listing->next()) {
    const Value role = (*object)->document();
    roles.update(kResource, {}, (*object)->name(), &role);
  }
  for (std::size_t round = 0; round < kMostRounds; ++round) {
    const auto stale = roles.stale_aggregations();
    if (stale.empty()) return {};
    for (const auto& [name, rules] : stale) {
      const Answer<Value> role = write_rules(context, name, rules);
      if (!role) return refuse(role.error());
      roles.update(kResource, {}, name, &*role);
    }
  }
  return {};
}

RoleAggregation::RoleAggregation(const ServerContext& context)
    : context_(context),
      follower_(context.store, std::string(kStoreName), [this](const store::ObjectPtr&, bool) { plan(); }) {}

/// Many changes of one moment are looked at once, and after the index has heard of all of them.
void RoleAggregation::plan() {
  if (is_planned_) return;
  is_planned_ = true;
  context_.loop.post([this, alive = std::weak_ptr<bool>(is_alive_)] {
    if (alive.expired()) return;
    is_planned_ = false;
    run();
  });
}

void RoleAggregation::run() {
  for (const auto& [name, rules] : context_.rbac.stale_aggregations()) {
    // Refused or undone: the next change of any role tries again.
    (void)write_rules(context_, name, rules);
  }
}

}  // namespace loadline::apiserver
