#include "server/apiserver/admission/stored_quotas.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "foundation/base/contract.h"
#include "foundation/document/at.h"
#include "foundation/document/writer.h"
#include "objects/kube/core/quota_schema.h"
#include "objects/kube/view.h"
#include "server/apiserver/admission/spec_edit.h"
#include "server/apiserver/builtin_controllers/system_writer.h"
#include "server/apiserver/metadata.h"
#include "server/apiserver/resources/selection.h"

namespace loadline::apiserver {
namespace {

using document::Value;
using kube::ResourceList;

constexpr std::string_view kChargedBy = "kube-apiserver";

StoredQuota read_quota(const store::ObjectPtr& object) {
  const Value document = object->document();
  const auto quota = kube::view<kube::ResourceQuota>(document, kube::kResourceQuotaSchema).object;
  StoredQuota read{object, admission::terms_of(quota), {}, {}};
  read.enforced = read.wanted;
  read.enforced.hard = read_amounts(document::find_at(document, {"status", "hard"}));
  read.used = read_amounts(document::find_at(document, {"status", "used"}));
  return read;
}

/// In order.
std::vector<std::string> changed_names(const ResourceList& before, const ResourceList& now) {
  std::vector<std::string> names;
  for (const auto& [name, amount] : now) {
    const auto old = before.find(name);
    if (old == before.end() || old->second != amount) names.push_back(name);
  }
  return names;
}

bool is_charger(const Value& manager) {
  return document::text_at(manager, {"manager"}) == kChargedBy &&
         document::text_at(manager, {"operation"}) == "Update" &&
         document::text_at(manager, {"subresource"}) == "status";
}

/// The quota with these amounts, and the time of the API server's entry among its managers; nothing if it has none, or
/// if its new time would move it among the others.
std::optional<Value> charged_document(const Value& old, const ResourceList& used, Instant now) {
  const Value* managed = document::find_at(old, {"metadata", "managedFields"});
  if (managed == nullptr || !managed->is_array() || is_being_deleted(old)) return std::nullopt;
  document::Array managers = managed->array();
  const auto ours = std::ranges::find_if(managers, is_charger);
  if (ours == managers.end()) return std::nullopt;
  const std::string time = format_rfc3339(now);
  const std::string_view before = document::text_at(*ours, {"time"});
  if (time != before && (time < before || std::next(ours) != managers.end())) return std::nullopt;
  *ours = ours->with("time", Value(time));
  return document::with_at(document::with_at(old, {"status", "used"}, write_amounts(used)),
                           {"metadata", "managedFields"}, Value(std::move(managers)));
}

Answer<store::ObjectPtr> put_quota(const ServerContext& context, const store::Object& old, Value document) {
  const auto served = context.served.find_stored("", "resourcequotas");
  if (served == nullptr) return refuse(no_such_resource());
  document = stamped(std::move(document), context.store.next_revision());
  const store::StoreResult<store::ObjectPtr> stored =
      context.store.put(old.key(), document::write_json(document), old.revision(), document);
  if (!stored) return refuse(store_failure(stored.error(), GroupResource(*served->resource), old.name()));
  (*stored)->set_derived(derive_facts(document, *served));
  return *stored;
}

Answer<store::ObjectPtr> update_status(const ServerContext& context, const StoredQuota& quota, const ResourceList& hard,
                                       const ResourceList& used, std::string_view manager) {
  const Value status(document::Object{{"hard", write_amounts(hard), {}}, {"used", write_amounts(used), {}}});
  SystemWriter writer(context, "system:apiserver", std::string(manager));
  const Answer<Written> written = writer.change(
      quota.object->key(), [&](const Value& old) -> Answer<Value> { return old.with("status", status); },
      Writer::Target::kStatus);
  if (!written) return refuse(written.error());
  return written->stored;
}

}  // namespace

std::span<const StoredQuota> StoredQuotas::of(const std::string& name_space) {
  store::StoreResult<store::Listing> listing = store_.list("resourcequotas", {.name_space = name_space});
  if (!listing) return {};  // the latest state can always be listed
  const store::ObjectPtr* object = listing->next();
  if (object == nullptr) {
    if (!known_.empty()) known_.erase(name_space);
    return {};
  }
  std::vector<StoredQuota>& quotas = known_[name_space];
  std::size_t count = 0;
  for (; object != nullptr; object = listing->next(), ++count) {
    if (count == quotas.size()) quotas.emplace_back();
    if (quotas[count].object != *object) quotas[count] = read_quota(*object);
  }
  quotas.resize(count);
  return quotas;
}

Answer<void> StoredQuotas::charge(const ServerContext& context, const StoredQuota& quota, const ResourceList& used) {
  std::vector<StoredQuota>& quotas = known_[std::string(quota.object->name_space())];
  const auto known = std::ranges::find(quotas, quota.object, &StoredQuota::object);
  REQUIRES(known != quotas.end());
  const std::vector<std::string> names = changed_names(quota.used, used);
  std::optional<Value> routine;
  if (std::ranges::includes(quota.charged, names)) {
    routine = charged_document(quota.object->document(), used, context.loop.now());
  }
  const Answer<store::ObjectPtr> written = routine
                                               ? put_quota(context, *quota.object, std::move(*routine))
                                               : update_status(context, quota, quota.enforced.hard, used, kChargedBy);
  if (!written) return refuse(written.error());
  std::vector<std::string> charged;
  std::ranges::set_union(quota.charged, names, std::back_inserter(charged));
  known->object = *written;
  known->used = used;
  known->charged = std::move(charged);
  return {};
}

Answer<void> write_quota_status(const ServerContext& context, const StoredQuota& quota, const ResourceList& hard,
                                const ResourceList& used, std::string_view manager) {
  const Answer<store::ObjectPtr> written = update_status(context, quota, hard, used, manager);
  if (!written) return refuse(written.error());
  return {};
}

}  // namespace loadline::apiserver
