#include "server/store/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "server/store/data_directory.h"
#include "server/store/log.h"
#include "server/store/log_writer.h"

namespace loadline::store {
namespace {

StoreError error_of(StoreError::Code code, std::string message, ObjectPtr current) {
  return {.code = code, .message = std::move(message), .current = std::move(current), .requested = 0, .oldest = 0};
}

}  // namespace

Store::Store(EventLoop& loop, Options options)
    : loop_(loop),
      options_(std::move(options)),
      recent_(std::make_shared<RecentDocuments>(options_.parsed_text_bytes)) {}

Store::~Store() { close(); }

void Store::close() {
  alive_.reset();
  if (writer_ != nullptr) flush();
  writer_.reset();
  directory_.reset();
}

Result<std::unique_ptr<Store>> Store::open(EventLoop& loop, Options options) {
  std::unique_ptr<Store> store(new Store(loop, std::move(options)));
  const bool in_memory = store->options_.data_dir.empty() && store->options_.log.file_system.empty();
  if (in_memory) return store;
  if (Result<void> recovered = store->recover(); !recovered) return tl::unexpected(recovered.error());
  return store;
}

Collection& Store::collection(std::string_view resource) {
  if (Collection* known = find_collection(resource)) return *known;
  std::string name(resource);
  return *collections_.emplace(name, std::make_unique<Collection>(name, &ledger_)).first->second;
}

Collection* Store::find_collection(std::string_view resource) const {
  const auto found = collections_.find(resource);
  return found == collections_.end() ? nullptr : found->second.get();
}

ObjectPtr Store::get(const Key& key) const {
  const Collection* collection = find_collection(key.resource);
  const ObjectPtr* object = collection == nullptr ? nullptr : collection->tree().find(key.name_space, key.name);
  return object == nullptr ? nullptr : *object;
}

StoreResult<Listing> Store::list(std::string_view resource, const ListOptions& options) const {
  if (options.at > revision_) return tl::unexpected(future_error(options.at, revision_));
  const Revision at = options.at == 0 ? revision_ : options.at;
  Collection* collection = find_collection(resource);
  if (collection == nullptr) return Listing(at, Tree(), {}, {});
  if (at < collection->compacted()) return tl::unexpected(compacted_error(at, collection->compacted()));
  Tree tree = collection->at(at);
  Tree::Position begin = options.name_space ? tree.begin_of(*options.name_space) : tree.begin();
  const Tree::Position end = options.name_space ? tree.end_of(*options.name_space) : tree.end();
  if (!options.after_name.empty()) {
    const Tree::Position after = tree.after(options.after_name_space, options.after_name);
    if (tree.rank(after) > tree.rank(begin)) begin = after;
    if (tree.rank(begin) > tree.rank(end)) begin = end;
  }
  return Listing(at, std::move(tree), begin, end);
}

std::size_t Store::count(std::string_view resource) const {
  const Collection* collection = find_collection(resource);
  return collection == nullptr ? 0 : collection->tree().size();
}

std::vector<std::string> Store::resources() const {
  std::vector<std::string> names;
  names.reserve(collections_.size());
  for (const auto& [name, collection] : collections_) names.push_back(name);
  return names;
}

StoreResult<ObjectPtr> Store::check(const Key& key, Revision expected, std::size_t text_size) const {
  ObjectPtr current = get(key);
  const auto name = [&key] { return fmt::format("{} {}/{}", key.resource, key.name_space, key.name); };
  if (expected == 0 && current != nullptr) {
    return tl::unexpected(error_of(StoreError::Code::kExists, name() + " exists", current));
  }
  if (expected != 0 && current == nullptr) {
    return tl::unexpected(error_of(StoreError::Code::kNotFound, name() + " does not exist", nullptr));
  }
  if (expected != 0 && current->revision() != expected) {
    return tl::unexpected(
        error_of(StoreError::Code::kConflict,
                 fmt::format("{} is at revision {}, and the write expected {}", name(), current->revision(), expected),
                 current));
  }
  if (writer_ != nullptr && backlog_bytes_ + text_size > options_.log_backlog_bytes) {
    return tl::unexpected(
        error_of(StoreError::Code::kUnavailable,
                 fmt::format("{} bytes wait to be written to the log in {}: the disk is too slow, or stuck",
                             backlog_bytes_, options_.data_dir),
                 current));
  }
  return current;
}

StoreResult<ObjectPtr> Store::put(const Key& key, std::string_view text, Revision expected, document::Value document) {
  StoreResult<ObjectPtr> current = check(key, expected, text.size());
  if (!current) return current;
  const EventType type = *current == nullptr ? EventType::kAdded : EventType::kModified;
  return write(type, key, text, std::move(*current), std::move(document));
}

StoreResult<ObjectPtr> Store::remove(const Key& key, Revision expected, std::string_view final_text,
                                     document::Value document) {
  StoreResult<ObjectPtr> current = check(key, expected, final_text.size());
  if (!current) return current;
  if (*current == nullptr) {
    return tl::unexpected(error_of(StoreError::Code::kNotFound, "a removal needs the revision to remove", nullptr));
  }
  return write(EventType::kDeleted, key, final_text, std::move(*current), std::move(document));
}

ObjectPtr Store::write(EventType type, const Key& key, std::string_view text, ObjectPtr previous,
                       document::Value document) noexcept {
  const Revision revision = ++revision_;
  const Revision created = previous == nullptr ? revision : previous->created();
  auto object = std::make_shared<const Object>(key, revision, created, text, recent_);
  if (!document.is_null()) object->set_document(std::move(document));

  auto event = std::make_shared<Event>();
  event->type = type;
  event->revision = revision;
  event->object = object;
  event->previous = std::move(previous);
  Collection& resource = collection(key.resource);
  resource.apply(event, tick_);
  pending_.push_back({std::move(event), &resource, object->pin_document()});
  pending_bytes_ += object->memory();
  arm_tick();

  if (writer_ == nullptr) {
    durable_ = revision;
    queue_delivery();
  } else {
    backlog_bytes_ += text.size();
    batch_.writes.push_back({object, type == EventType::kDeleted});
    queue_flush();
  }
  return object;
}

EventLoop::Task Store::task(void (Store::*member)()) {
  return [this, member, alive = std::weak_ptr<void>(alive_)] {
    if (!alive.expired()) (this->*member)();
  };
}

}  // namespace loadline::store
