#include "server/apiserver/builtin_controllers/quota_usage.h"

#include <algorithm>
#include <utility>

#include "foundation/base/contract.h"
#include "server/apiserver/admission/counted_object.h"

namespace loadline::apiserver {
namespace {

using kube::ResourceList;

/// Enlisting costs a tenth of reading.
constexpr std::size_t kEnlistedForOne = 10;

}  // namespace

bool QuotaUsage::BySize::operator()(const Shares& a, const Shares& b) const {
  return std::lexicographical_compare(
      a.begin(), a.end(), b.begin(), b.end(), [](const ResourceList& one, const ResourceList& other) {
        return std::lexicographical_compare(one.begin(), one.end(), other.begin(), other.end());
      });
}

void QuotaUsage::catch_up() {
  const store::StoreResult<store::Listing> listing = store_.list(resource_, {});
  if (!listing) return;  // the latest state can always be listed
  if (!books_.empty()) {
    store::Tree::compare(
        seen_, listing->tree(), [this](const store::ObjectPtr& object) { go(object); },
        [this](const store::ObjectPtr& object) { come(object); });
  }
  seen_ = listing->tree();
}

void QuotaUsage::go(const store::ObjectPtr& object) {
  const auto books = books_.find(object->name_space());
  if (books == books_.end()) return;
  const auto counted = books->second.objects.find(std::string(object->name()));
  if (counted == books->second.objects.end()) return;
  take_back(books->second, counted->second);
  books->second.expire.erase(counted->first);
  books->second.objects.erase(counted);
}

void QuotaUsage::come(const store::ObjectPtr& object) {
  const auto books = books_.find(object->name_space());
  if (books == books_.end()) return;
  std::string name(object->name());
  books->second.objects[name] = {object, std::nullopt};
  books->second.unread.push_back(std::move(name));
}

void QuotaUsage::take_back(Namespace& books, Counted& counted) {
  if (!counted.shares) return;
  const Tally::iterator shares = *std::exchange(counted.shares, std::nullopt);
  if (--shares->second == 0) books.tally.erase(shares);
}

/// Enters what was there when the namespace was first asked about, and still is.
void QuotaUsage::enlist(Namespace& books, std::size_t& budget) const {
  for (std::size_t entered = 0; budget > 0; ++entered) {
    const store::ObjectPtr* object = books.rest->next();
    if (object == nullptr) {
      books.rest.reset();
      return;
    }
    if (entered % kEnlistedForOne == 0) --budget;
    const store::ObjectPtr* now = seen_.find((*object)->name_space(), (*object)->name());
    if (now == nullptr || *now != *object) continue;  // the comparison has told of it
    std::string name((*object)->name());
    if (books.objects.try_emplace(name, Counted{*object, std::nullopt}).second) {
      books.unread.push_back(std::move(name));
    }
  }
}

void QuotaUsage::read(Namespace& books, const std::string& name, const std::vector<StoredQuota>& quotas,
                      Instant now) const {
  Counted& counted = books.objects.at(name);
  take_back(books, counted);
  const CountedObject seen = counted_object(resource_, counted.object->document(), store_, now);
  Shares shares(quotas.size());
  for (std::size_t index = 0; index < quotas.size(); ++index) {
    const admission::QuotaTerms& terms = quotas[index].wanted;
    if (admission::applies(terms, seen.subject)) shares[index] = admission::charged(terms, seen.subject.usage);
  }
  counted.shares = books.tally.try_emplace(std::move(shares), 0).first;
  ++(*counted.shares)->second;
  if (seen.expires) books.expire[name] = *seen.expires;
  if (!seen.expires) books.expire.erase(name);
}

bool QuotaUsage::add_to(Shares& used, const std::string& name_space, const std::vector<StoredQuota>& quotas,
                        Instant now, std::size_t& budget) {
  REQUIRES(used.size() == quotas.size());
  const auto [entry, is_new] = books_.try_emplace(name_space);
  Namespace& books = entry->second;
  REQUIRES(books.tally.empty() || books.tally.begin()->first.size() == quotas.size());
  if (is_new) {
    store::StoreResult<store::Listing> listing = store_.list(resource_, {.name_space = name_space});
    if (listing) books.rest = std::move(*listing);
  }
  if (books.rest) enlist(books, budget);
  for (const auto& [name, expires] : books.expire) {
    if (now > expires) books.unread.push_back(name);
  }
  while (!books.unread.empty()) {
    if (budget == 0) return false;
    const std::string name = std::move(books.unread.back());
    books.unread.pop_back();
    const auto counted = books.objects.find(name);
    if (counted == books.objects.end()) continue;
    const auto expires = books.expire.find(name);
    const bool is_over = expires != books.expire.end() && now > expires->second;
    if (counted->second.shares && !is_over) continue;
    --budget;
    read(books, name, quotas, now);
  }
  if (books.rest) return false;
  for (const auto& [shares, times] : books.tally) {
    for (std::size_t index = 0; index < quotas.size(); ++index) {
      for (const auto& [resource, amount] : shares[index]) used[index][resource] += amount.times(times);
    }
  }
  return true;
}

void QuotaUsage::restart(const std::string& name_space) {
  const auto found = books_.find(name_space);
  if (found == books_.end()) return;
  Namespace& books = found->second;
  books.tally.clear();
  books.expire.clear();
  books.unread.clear();
  for (auto& [name, counted] : books.objects) {
    counted.shares.reset();
    books.unread.push_back(name);
  }
}

void QuotaUsage::forget(const std::string& name_space) {
  books_.erase(name_space);
  if (books_.empty()) seen_ = {};
}

bool QuotaUsage::changes_with_time(const std::string& name_space) const {
  const auto books = books_.find(name_space);
  return books != books_.end() && !books->second.expire.empty();
}

std::size_t QuotaUsage::size(std::string_view name_space) const {
  const auto books = books_.find(name_space);
  return books == books_.end() ? 0 : books->second.objects.size();
}

}  // namespace loadline::apiserver
