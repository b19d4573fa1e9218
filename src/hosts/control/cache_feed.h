#pragma once

#include <set>
#include <utility>
#include <vector>

#include "foundation/document/at.h"
#include "hosts/control/reflector.h"
#include "hosts/controllers/caches.h"

namespace loadline::control {

/// A document and its typed view, as caches keep them. `before` (may be null) is the object that had its name before:
/// what did not change is not read again.
template <class Kind>
controllers::ObjectPtr<Kind> observe(const document::Value& document, const controllers::Observed<Kind>* before) {
  controllers::Observed<Kind> object;
  object.document = document;
  object.revision = revision_of(document);
  // No decision reads the managed fields, and they are half of the text.
  document::Value read = document::without_at(document, {"metadata", "managedFields"});
  if constexpr (std::is_same_v<Kind, kube::Pod>) {
    const document::Value* spec = document.find("spec");
    const document::Value* spec_before = before == nullptr ? nullptr : before->document.find("spec");
    if (spec != nullptr && spec_before != nullptr && *spec == *spec_before) {
      object.view = controllers::KindOf<Kind>::read(read.without("spec"));
      object.view.spec = before->view.spec;
      return std::make_shared<const controllers::Observed<Kind>>(std::move(object));
    }
  }
  object.view = controllers::KindOf<Kind>::read(read);
  return std::make_shared<const controllers::Observed<Kind>>(std::move(object));
}

/// Feeds a cache with what a reflector hears, and calls back after each change.
template <class Kind>
class CacheFeed final : public Mirror {
 public:
  /// `on_advance()` is called once the cache has moved on.
  CacheFeed(controllers::Cache<Kind>& cache, std::function<void()> on_advance)
      : cache_(cache), on_advance_(std::move(on_advance)) {}

  void replace(std::vector<document::Value> objects, std::uint64_t revision) override {
    std::set<controllers::ObjectKey> gone;
    for (const auto& [name_space, by_name] : cache_.namespaces()) {
      for (const auto& [name, object] : by_name) gone.insert({name_space, name});
    }
    for (const document::Value& object : objects) gone.erase(store(object));
    for (const controllers::ObjectKey& key : gone) cache_.erase(key);
    reach(revision);
  }
  void put(const document::Value& object) override {
    store(object);
    reach(revision_of(object));
  }
  void erase(const document::Value& object) override {
    cache_.erase(key_of(object));
    reach(revision_of(object));
  }
  void reach(std::uint64_t revision) override {
    cache_.reach(revision);
    on_advance_();
  }

 private:
  static controllers::ObjectKey key_of(const document::Value& object) {
    return {std::string(document::text_at(object, {"metadata", "namespace"})),
            std::string(document::text_at(object, {"metadata", "name"}))};
  }
  controllers::ObjectKey store(const document::Value& document) {
    controllers::ObjectKey key = key_of(document);
    cache_.put(observe<Kind>(document, cache_.find(key).get()));
    return key;
  }

  controllers::Cache<Kind>& cache_;
  std::function<void()> on_advance_;
};

}  // namespace loadline::control
