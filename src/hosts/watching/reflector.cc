#include "hosts/watching/reflector.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "foundation/document/at.h"

namespace loadline::watching {
namespace {

constexpr std::int64_t kPage = 500;
constexpr Duration kFirstRelistDelay{800'000'000};
constexpr Duration kLongestRelistDelay = Duration::seconds(30);
constexpr int kGone = 410;

}  // namespace

Reflector::Reflector(EventLoop& loop, kube::Client& client, kube::ResourceReference resource, Mirror& mirror)
    : loop_(loop), client_(client), resource_(std::move(resource)), mirror_(mirror) {}

void Reflector::list() {
  kube::ListOptions options;
  options.limit = kPage;
  options.continue_token = continue_token_;
  client_.list(resource_, options, [this, alive = std::weak_ptr<int>(alive_)](kube::Answer<kube::ObjectList> page) {
    if (!alive.expired()) on_page(std::move(page));
  });
}

void Reflector::on_page(kube::Answer<kube::ObjectList> page) {
  if (!page) {
    const bool lost_its_place = page.error().code == kGone && !continue_token_.empty();
    return begin_anew(lost_its_place);
  }
  std::move(page->items.begin(), page->items.end(), std::back_inserter(listed_));
  continue_token_ = page->continue_token;
  if (!continue_token_.empty()) return list();
  std::uint64_t revision = 0;
  std::from_chars(page->resource_version.data(), page->resource_version.data() + page->resource_version.size(),
                  revision);
  has_synced_ = true;
  mirror_.replace(std::exchange(listed_, {}), revision);
  watch(page->resource_version);
}

void Reflector::watch(const std::string& resource_version) {
  kube::WatchOptions options;
  options.resource_version = resource_version;
  options.allows_bookmarks = true;
  watch_ = client_.watch(resource_, options, [this](const kube::WatchEvent& event) { on_event(event); });
}

void Reflector::on_event(const kube::WatchEvent& event) {
  using Type = kube::WatchEvent::Type;
  if (event.type != Type::kError) delay_ = {};
  switch (event.type) {
    case Type::kAdded:
    case Type::kModified:
      return mirror_.put(event.object);
    case Type::kDeleted:
      return mirror_.erase(event.object);
    case Type::kBookmark:
      return mirror_.reach(revision_of(event.object));
    case Type::kError: {
      const document::Value* code = event.object.find("code");
      return begin_anew(code != nullptr && code->is_integer() && code->integer() == kGone);
    }
  }
}

/// The watch may be what is calling: it goes in a task of its own.
void Reflector::begin_anew(bool at_once) {
  listed_.clear();
  continue_token_.clear();
  const Duration delay = at_once ? Duration{} : delay_;
  delay_ = std::min(std::max(kFirstRelistDelay, Duration{delay_.nanoseconds * 2}), kLongestRelistDelay);
  retry_ = loop_.after(delay, [this] {
    watch_.reset();
    list();
  });
}

}  // namespace loadline::watching
