#include "server/apiserver/builtin_controllers/quota_status.h"

#include <set>
#include <utility>

#include "foundation/document/at.h"
#include "objects/kube/pod_resources.h"
#include "server/apiserver/admission/counted_object.h"
#include "server/apiserver/builtin_controllers/system_writer.h"

namespace loadline::apiserver {
namespace {

using document::Value;
using kube::ResourceList;

constexpr std::string_view kQuotaManager = "kube-controller-manager";
constexpr std::size_t kReadsPerTask = 250;     // some milliseconds
constexpr std::size_t kMostEvents = 10'000;    // that old versions of objects are kept for
constexpr std::size_t kSmallNamespace = 1000;  // counted at once; larger ones once a second

/// The resources whose objects use what the quotas limit, as the store names them.
std::set<std::string> counted_resources(const std::vector<StoredQuota>& quotas) {
  std::set<std::string> resources;
  for (const StoredQuota& quota : quotas) {
    for (const auto& entry : quota.wanted.hard) {
      if (const std::string_view resource = resource_that_uses(entry.first); !resource.empty()) {
        resources.emplace(resource);
        if (resource == "pods") resources.emplace(kReservedRoom);
      }
    }
  }
  return resources;
}

void add_times(ResourceList& sum, const ResourceList& amounts, std::int64_t count) {
  for (const auto& [name, amount] : amounts) sum[name] += amount.times(count);
}

bool has_finished(const Value& pod) {
  const std::string_view phase = document::text_at(pod, {"status", "phase"});
  return phase == "Succeeded" || phase == "Failed";
}

}  // namespace

QuotaStatus::QuotaStatus(const ServerContext& context)
    : context_(context),
      quotas_(context.store),
      queue_(context, 1, [this](const std::string& name_space) { recount(name_space); }),
      quota_follower_(context.store, "resourcequotas",
                      [this](const store::ObjectPtr& object, bool gone) { on_quota(object, gone); }) {}

// A status that says nothing of what the quota limits does not limit it: that cannot wait.
void QuotaStatus::on_quota(const store::ObjectPtr& object, bool gone) {
  const std::string name_space(object->name_space());
  const Value document = object->document();
  const Value* wanted = document::find_at(document, {"spec", "hard"});
  const Value* enforced = document::find_at(document, {"status", "hard"});
  const bool is_in_force = wanted != nullptr && enforced != nullptr && *wanted == *enforced;
  if (gone || !is_in_force || !counted_for_.contains(name_space)) {
    queue_.add(name_space);
  } else {
    queue_.add_later(name_space);
  }
}

// Admission has charged for what came. What went, or needs no more, is given back.
void QuotaStatus::on_object(const store::ObjectPtr& object, bool gone) {
  if (is_listing_) return;
  if (++events_ > kMostEvents) {
    events_ = 0;
    for (auto& [resource, usage] : usage_) usage.catch_up();
  }
  const auto counted = counted_for_.find(object->name_space());
  if (counted == counted_for_.end()) return;
  std::size_t known = 0;
  for (const auto& [resource, usage] : usage_) known += usage.size(object->name_space());
  const bool is_relief =
      gone || (object->resource() == "pods" && known < kSmallNamespace && has_finished(object->document()));
  if (is_relief && known < kSmallNamespace) {
    queue_.add(counted->first);
  } else {
    queue_.add_later(counted->first);
  }
}

void QuotaStatus::follow(const std::string& resource) {
  if (followers_.contains(resource)) return;
  const ResourceName name(resource);
  if (context_.served.find_stored(name.group, name.plural) == nullptr) return;  // a quota may name anything
  is_listing_ = true;
  followers_.emplace(
      resource, std::make_unique<Follower>(context_.store, resource, [this](const store::ObjectPtr& object, bool gone) {
        on_object(object, gone);
      }));
  is_listing_ = false;
}

void QuotaStatus::recount(const std::string& name_space) {
  const std::span<const StoredQuota> stored = quotas_.of(name_space);
  if (stored.empty()) return forget(name_space);
  const std::vector<StoredQuota> quotas(stored.begin(), stored.end());
  note_quotas(name_space, quotas);
  Shares used(quotas.size());
  std::size_t budget = kReadsPerTask;
  for (const std::string& resource : counted_resources(quotas)) {
    follow(resource);
    if (!is_counted_by_content(resource)) {
      count_number(resource, name_space, quotas, used);
      continue;
    }
    QuotaUsage& usage = usage_of(resource);
    usage.catch_up();
    const bool is_whole = usage.add_to(used, name_space, quotas, context_.loop.now(), budget);
    if (!is_whole) return queue_.add(name_space);  // what was read so far is kept
    if (usage.changes_with_time(name_space)) queue_.add_later(name_space);
  }
  settle(quotas, used);
}

QuotaUsage& QuotaStatus::usage_of(const std::string& resource) {
  const auto found = usage_.find(resource);
  if (found != usage_.end()) return found->second;
  return usage_.emplace(resource, QuotaUsage(context_.store, resource)).first->second;
}

void QuotaStatus::forget(const std::string& name_space) {
  counted_for_.erase(name_space);
  for (auto& [resource, usage] : usage_) usage.forget(name_space);
}

void QuotaStatus::note_quotas(const std::string& name_space, const std::vector<StoredQuota>& quotas) {
  std::vector<Value> specs;
  for (const StoredQuota& quota : quotas) {
    const Value* spec = quota.object->document().find("spec");
    specs.push_back(spec == nullptr ? Value() : *spec);
  }
  std::vector<Value>& counted_for = counted_for_[name_space];
  if (counted_for == specs) return;
  counted_for = std::move(specs);
  for (auto& [resource, usage] : usage_) usage.restart(name_space);
}

/// Of resources of which nothing but the number counts.
void QuotaStatus::count_number(const std::string& resource, const std::string& name_space,
                               const std::vector<StoredQuota>& quotas, Shares& used) const {
  const store::StoreResult<store::Listing> listing = context_.store.list(resource, {.name_space = name_space});
  if (!listing) return;  // the latest state can always be listed
  const admission::QuotaSubject subject = admission::quota_subject(resource);
  for (std::size_t index = 0; index < quotas.size(); ++index) {
    if (!admission::applies(quotas[index].wanted, subject)) continue;
    add_times(used[index], admission::charged(quotas[index].wanted, subject.usage),
              static_cast<std::int64_t>(listing->remaining()));
  }
}

/// Writes what differs. Resources that this server cannot count stay as another client left them.
void QuotaStatus::settle(const std::vector<StoredQuota>& quotas, const Shares& used) {
  for (std::size_t index = 0; index < quotas.size(); ++index) {
    const StoredQuota& quota = quotas[index];
    ResourceList counted = admission::masked(quota.used, quota.wanted.hard);
    for (const auto& entry : quota.wanted.hard) {
      if (resource_that_uses(entry.first).empty()) continue;
      const auto amount = used[index].find(entry.first);
      counted[entry.first] = amount == used[index].end() ? kube::Quantity() : amount->second;
    }
    if (counted == quota.used && quota.wanted.hard == quota.enforced.hard) continue;
    const Answer<void> written = write_quota_status(context_, quota, quota.wanted.hard, counted, kQuotaManager);
    if (!written) queue_.add_later(std::string(quota.object->name_space()));
  }
}

}  // namespace loadline::apiserver
