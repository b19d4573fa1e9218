#include "apiserver/admission/stored_quotas.h"

#include <utility>

#include "apiserver/admission/spec_edit.h"
#include "apiserver/housekeeping/system_writer.h"
#include "document/at.h"
#include "kube/core/quota_schema.h"
#include "kube/view.h"

namespace loadline::apiserver {
namespace {

using document::Value;

StoredQuota read_quota(const store::ObjectPtr& object) {
  const Value document = object->document();
  const auto quota = kube::view<kube::ResourceQuota>(document, kube::kResourceQuotaSchema).object;
  StoredQuota read{object, admission::terms_of(quota), {}, {}};
  read.enforced = read.wanted;
  read.enforced.hard = read_amounts(document::find_at(document, {"status", "hard"}));
  read.used = read_amounts(document::find_at(document, {"status", "used"}));
  return read;
}

}  // namespace

std::span<const StoredQuota> StoredQuotas::of(const std::string& name_space) {
  store::Outcome<store::Listing> listing = store_.list("resourcequotas", {.name_space = name_space});
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

Answer<void> write_quota_status(const Parts& parts, const StoredQuota& quota, const kube::ResourceList& hard,
                                const kube::ResourceList& used, std::string_view manager) {
  const Value status(document::Object{{"hard", write_amounts(hard), {}}, {"used", write_amounts(used), {}}});
  SystemWriter writer(parts, "system:apiserver", std::string(manager));
  const Answer<Written> written = writer.change(
      quota.object->key(), [&](const Value& old) -> Answer<Value> { return old.with("status", status); },
      Writer::Target::kStatus);
  if (!written) return refuse(written.error());
  return {};
}

}  // namespace loadline::apiserver
