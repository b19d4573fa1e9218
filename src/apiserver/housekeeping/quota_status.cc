#include "apiserver/housekeeping/quota_status.h"

#include <algorithm>
#include <utility>

#include "apiserver/housekeeping/system_writer.h"
#include "document/at.h"
#include "kube/pod_resources.h"

namespace loadline::apiserver {
namespace {

using document::Value;
using kube::ResourceList;

constexpr std::string_view kManager = "kube-controller-manager";
constexpr std::size_t kReadsPerTask = 1000;
constexpr std::size_t kSmallNamespace = 1000;  // counted at once; larger ones once a second

/// The resources whose objects use what the quotas limit, as the store names them.
std::set<std::string> counted_resources(const std::vector<StoredQuota>& quotas) {
  std::set<std::string> resources;
  for (const StoredQuota& quota : quotas) {
    for (const auto& entry : quota.wanted.hard) {
      if (const std::string_view resource = resource_that_uses(entry.first); !resource.empty()) {
        resources.emplace(resource);
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

QuotaStatus::QuotaStatus(const Parts& parts)
    : parts_(parts),
      quotas_(parts.store),
      queue_(parts.loop, 1, [this](const std::string& name_space) { recount(name_space); }),
      quota_follower_(parts.store, "resourcequotas",
                      [this](const store::ObjectPtr& object, bool gone) { on_quota(object, gone); }) {}

// A status that says nothing of what the quota limits does not limit it: that cannot wait.
void QuotaStatus::on_quota(const store::ObjectPtr& object, bool gone) {
  const std::string name_space(object->name_space());
  const Value document = object->document();
  const Value* wanted = document::find_at(document, {"spec", "hard"});
  const Value* enforced = document::find_at(document, {"status", "hard"});
  const bool is_in_force = wanted != nullptr && enforced != nullptr && *wanted == *enforced;
  if (gone || !is_in_force || !books_.contains(name_space)) {
    queue_.add(name_space);
  } else {
    queue_.add_later(name_space);
  }
}

// Admission has charged for what came. What went, or needs no more, is given back.
void QuotaStatus::on_object(const store::ObjectPtr& object, bool gone) {
  if (is_listing_) return;
  const auto books = books_.find(object->name_space());
  if (books == books_.end()) return;
  std::size_t known = 0;
  for (const auto& entry : books->second.objects) known += entry.second.size();
  const bool is_relief =
      gone || (object->resource() == "pods" && known < kSmallNamespace && has_finished(object->document()));
  if (is_relief && known < kSmallNamespace) {
    queue_.add(books->first);
  } else {
    queue_.add_later(books->first);
  }
}

void QuotaStatus::follow(const std::string& resource) {
  if (followers_.contains(resource)) return;
  const ResourceName name(resource);
  if (parts_.served.find_stored(name.group, name.plural) == nullptr) return;  // a quota may name anything
  is_listing_ = true;
  followers_.emplace(
      resource, std::make_unique<Follower>(parts_.store, resource, [this](const store::ObjectPtr& object, bool gone) {
        on_object(object, gone);
      }));
  is_listing_ = false;
}

void QuotaStatus::recount(const std::string& name_space) {
  const std::span<const StoredQuota> stored = quotas_.of(name_space);
  if (stored.empty()) {
    books_.erase(name_space);
    return;
  }
  const std::vector<StoredQuota> quotas(stored.begin(), stored.end());
  Books& books = books_for(name_space, quotas);
  Shares used(quotas.size());
  budget_ = kReadsPerTask;
  for (const std::string& resource : counted_resources(quotas)) {
    follow(resource);
    if (count(resource, name_space, quotas, books, used)) continue;
    queue_.add(name_space);  // what was read so far is kept
    return;
  }
  settle(quotas, used);
}

QuotaStatus::Books& QuotaStatus::books_for(const std::string& name_space, const std::vector<StoredQuota>& quotas) {
  std::vector<Value> specs;
  for (const StoredQuota& quota : quotas) {
    const Value* spec = quota.object->document().find("spec");
    specs.push_back(spec == nullptr ? Value() : *spec);
  }
  Books& books = books_[name_space];
  if (books.specs != specs) {
    books.objects.clear();
    books.specs = std::move(specs);
  }
  return books;
}

/// Adds what the objects of a resource use. False: too many had to be read for one task.
bool QuotaStatus::count(const std::string& resource, const std::string& name_space,
                        const std::vector<StoredQuota>& quotas, Books& books, Shares& used) {
  store::Outcome<store::Listing> listing = parts_.store.list(resource, {.name_space = name_space});
  if (!listing) return true;  // the latest state can always be listed
  if (!is_counted_by_content(resource)) {
    const admission::QuotaSubject subject = admission::quota_subject(resource);
    for (std::size_t index = 0; index < quotas.size(); ++index) {
      if (!admission::applies(quotas[index].wanted, subject)) continue;
      add_times(used[index], admission::charged(quotas[index].wanted, subject.usage),
                static_cast<std::int64_t>(listing->remaining()));
    }
    return true;
  }
  Objects& objects = books.objects[resource];
  const Instant now = parts_.loop.now();
  std::unordered_map<const Shares*, std::size_t> places;      // in the tally
  std::vector<std::pair<const Shares*, std::int64_t>> tally;  // in order of names, so that sums print alike
  std::size_t walked = 0;
  for (const store::ObjectPtr* object = listing->next(); object != nullptr; object = listing->next(), ++walked) {
    Counted& counted = objects[std::string((*object)->name())];
    const bool is_current = counted.revision == (*object)->revision() && (!counted.expires || now <= *counted.expires);
    if (!is_current) {
      if (budget_ == 0) return false;
      --budget_;
      counted = read(resource, **object, quotas);
    }
    if (counted.expires) queue_.add_later(name_space);
    const auto [place, is_new] = places.try_emplace(counted.shares.get(), tally.size());
    if (is_new) tally.emplace_back(counted.shares.get(), 0);
    ++tally[place->second].second;
  }
  for (const auto& [shares, times] : tally) {
    for (std::size_t index = 0; index < quotas.size(); ++index) add_times(used[index], (*shares)[index], times);
  }
  if (objects.size() > walked) {
    std::erase_if(objects,
                  [&](const auto& entry) { return parts_.store.get({resource, name_space, entry.first}) == nullptr; });
  }
  return true;
}

QuotaStatus::Counted QuotaStatus::read(std::string_view resource, const store::Object& object,
                                       const std::vector<StoredQuota>& quotas) {
  const CountedObject counted = counted_object(resource, object.document(), parts_.loop.now());
  Shares shares(quotas.size());
  for (std::size_t index = 0; index < quotas.size(); ++index) {
    const admission::QuotaTerms& terms = quotas[index].wanted;
    if (admission::applies(terms, counted.subject)) shares[index] = admission::charged(terms, counted.subject.usage);
  }
  if (last_shares_ == nullptr || *last_shares_ != shares) {
    last_shares_ = std::make_shared<const Shares>(std::move(shares));
  }
  return {object.revision(), last_shares_, counted.expires};
}

/// Writes what differs. What nobody here can count stays as somebody else left it.
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
    const Answer<void> written = write_quota_status(parts_, quota, quota.wanted.hard, counted, kManager);
    if (!written) queue_.add_later(std::string(quota.object->name_space()));
  }
}

}  // namespace loadline::apiserver
