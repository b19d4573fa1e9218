#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/document/value.h"
#include "hosts/watching/kind_name.h"
#include "hosts/watching/object.h"
#include "hosts/watching/observe.h"

namespace loadline::watching {

/// A cache of whatever kind, as what feeds it sees it.
class AnyCache {
 public:
  AnyCache() = default;
  AnyCache(const AnyCache&) = delete;
  AnyCache& operator=(const AnyCache&) = delete;
  virtual ~AnyCache() = default;

  [[nodiscard]] virtual const KindName& kind() const = 0;
  /// Every change up to this revision has been heard of. 0: nothing has.
  [[nodiscard]] std::uint64_t revision() const { return revision_; }
  [[nodiscard]] virtual std::vector<ObjectKey> keys() const = 0;
  [[nodiscard]] virtual bool empty() const = 0;
  /// Null if there is none.
  [[nodiscard]] virtual const document::Value* document(const ObjectKey& key) const = 0;

  /// The object is there, in this version.
  virtual void put(const document::Value& document) = 0;
  virtual void erase(const ObjectKey& key) = 0;
  void reach(std::uint64_t revision) {
    if (revision > revision_) revision_ = revision;
  }

  /// Hears of every change as a document, null of an object that is gone, before any listener does.
  using OnDocument = std::function<void(const ObjectKey& key, const document::Value* now)>;
  void watch(OnDocument on_document) { watchers_.push_back(std::move(on_document)); }

 protected:
  [[nodiscard]] const std::vector<OnDocument>& watchers() const { return watchers_; }

 private:
  std::uint64_t revision_ = 0;
  std::vector<OnDocument> watchers_;
};

/// What the API server has told of one kind so far, by namespace and name, and by controller. Listeners register
/// before the first change. Everything is ordered by name, so that nothing depends on chance.
template <class Kind>
class Cache final : public AnyCache {
 public:
  using ByName = std::map<std::string, ObjectPtr<Kind>, std::less<>>;
  using ByKey = std::map<ObjectKey, ObjectPtr<Kind>>;
  using OnChange = std::function<void(const Change<Kind>&)>;

  /// Null if there is none. O(log objects).
  [[nodiscard]] ObjectPtr<Kind> find(std::string_view name_space, std::string_view name) const {
    const ByName& objects = in(name_space);
    const auto found = objects.find(name);
    return found == objects.end() ? nullptr : found->second;
  }
  [[nodiscard]] ObjectPtr<Kind> find(const ObjectKey& key) const { return find(key.name_space, key.name); }

  /// The objects of a namespace; of kinds without namespaces, all are in "".
  [[nodiscard]] const ByName& in(std::string_view name_space) const {
    const auto found = spaces_.find(name_space);
    return found == spaces_.end() ? no_names_ : found->second;
  }
  [[nodiscard]] const std::map<std::string, ByName, std::less<>>& namespaces() const { return spaces_; }

  /// Those whose controller, by their ownerReferences, has that uid. By namespace and name.
  [[nodiscard]] const ByKey& controlled_by(std::string_view uid) const {
    const auto found = controlled_.find(uid);
    return found == controlled_.end() ? no_keys_ : found->second;
  }

  /// Those of a namespace that have no controller.
  [[nodiscard]] const ByName& orphans(std::string_view name_space) const {
    const auto found = orphans_.find(name_space);
    return found == orphans_.end() ? no_names_ : found->second;
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const KindName& kind() const override { return kind_name<Kind>(); }
  [[nodiscard]] std::vector<ObjectKey> keys() const override;
  [[nodiscard]] bool empty() const override { return size_ == 0; }
  [[nodiscard]] const document::Value* document(const ObjectKey& key) const override {
    const ObjectPtr<Kind> found = find(key);
    return found == nullptr ? nullptr : &found->document;
  }

  // ---- changes in --------------------------------------------------------------------------------------------------
  void listen(OnChange on_change) { listeners_.push_back(std::move(on_change)); }
  /// The object is there, in this version. One that is known is no change. A new uid under an old name is the end of
  /// one object and the beginning of another.
  void put(ObjectPtr<Kind> object);
  void put(const document::Value& document) override { put(observe<Kind>(document, find(key_of(document)).get())); }
  void erase(const ObjectKey& key) override;

 private:
  void index(const ObjectPtr<Kind>& object);
  void unindex(const Observed<Kind>& object);
  template <class Groups, class Key>
  static void remove(Groups& groups, const std::string& group, const Key& key) {
    const auto found = groups.find(group);
    if (found == groups.end()) return;
    found->second.erase(key);
    if (found->second.empty()) groups.erase(found);
  }
  void tell(const Change<Kind>& change) const {
    for (const OnDocument& watcher : watchers()) {
      watcher(change.last().key(), change.after == nullptr ? nullptr : &change.after->document);
    }
    for (const OnChange& listener : listeners_) listener(change);
  }

  std::map<std::string, ByName, std::less<>> spaces_;
  std::map<std::string, ByKey, std::less<>> controlled_;  // by the controller's uid
  std::map<std::string, ByName, std::less<>> orphans_;
  std::vector<OnChange> listeners_;
  const ByName no_names_;
  const ByKey no_keys_;
  std::size_t size_ = 0;
};

template <class Kind>
std::vector<ObjectKey> Cache<Kind>::keys() const {
  std::vector<ObjectKey> keys;
  keys.reserve(size_);
  for (const auto& [name_space, objects] : spaces_) {
    for (const auto& [name, object] : objects) keys.push_back({name_space, name});
  }
  return keys;
}

template <class Kind>
void Cache<Kind>::put(ObjectPtr<Kind> object) {
  const ObjectKey key = object->key();
  if (const ObjectPtr<Kind> before = find(key); before != nullptr && before->metadata().uid != object->metadata().uid) {
    erase(key);
  }
  ObjectPtr<Kind>& place = spaces_[key.name_space][key.name];
  if (place != nullptr && place->revision == object->revision && object->revision != 0) return;
  const Change<Kind> change{place, object};
  if (place == nullptr) {
    ++size_;
  } else {
    unindex(*place);
  }
  place = std::move(object);
  index(place);
  tell(change);
}

template <class Kind>
void Cache<Kind>::erase(const ObjectKey& key) {
  const auto space = spaces_.find(key.name_space);
  if (space == spaces_.end()) return;
  const auto found = space->second.find(key.name);
  if (found == space->second.end()) return;
  const ObjectPtr<Kind> before = found->second;
  unindex(*before);
  space->second.erase(found);
  if (space->second.empty()) spaces_.erase(space);
  --size_;
  tell({before, nullptr});
}

template <class Kind>
void Cache<Kind>::index(const ObjectPtr<Kind>& object) {
  const kube::OwnerReference* controller = object->metadata().controller();
  if (controller != nullptr) {
    controlled_[controller->uid][object->key()] = object;
  } else {
    orphans_[object->metadata().namespace_][object->metadata().name] = object;
  }
}

template <class Kind>
void Cache<Kind>::unindex(const Observed<Kind>& object) {
  const kube::OwnerReference* controller = object.metadata().controller();
  if (controller != nullptr) {
    remove(controlled_, controller->uid, object.key());
  } else {
    remove(orphans_, object.metadata().namespace_, object.metadata().name);
  }
}

}  // namespace loadline::watching
