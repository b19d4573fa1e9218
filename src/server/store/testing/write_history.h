#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/store/event.h"
#include "server/store/store.h"

namespace loadline::store {

/// What a store ought to hold, the plain way: the list of all writes, newest last.
class WriteHistory {
 public:
  struct Write {
    Revision revision = 0;
    EventType type = EventType::kAdded;
    Key key;
    std::string text;

    friend bool operator==(const Write&, const Write&) = default;
  };
  using State = std::map<Key, std::pair<Revision, std::string>>;

  [[nodiscard]] const std::vector<Write>& writes() const { return writes_; }
  [[nodiscard]] Revision newest() const { return writes_.empty() ? 1 : writes_.back().revision; }
  void add(Write write) { writes_.push_back(std::move(write)); }

  /// Takes back what is newer than `revision`, and returns it.
  std::vector<Write> cut_after(Revision revision) {
    std::vector<Write> cut;
    while (newest() > revision) {
      cut.insert(cut.begin(), std::move(writes_.back()));
      writes_.pop_back();
    }
    return cut;
  }

  [[nodiscard]] State at(Revision revision) const {
    State state;
    for (const Write& write : writes_) {
      if (write.revision > revision) break;
      if (write.type == EventType::kDeleted) {
        state.erase(write.key);
      } else {
        state[write.key] = {write.revision, write.text};
      }
    }
    return state;
  }

  /// The writes that a watch of `resource` after `revision` is told of.
  [[nodiscard]] std::vector<Write> after(Revision revision, const std::string& resource,
                                         const Scope& scope = {}) const {
    std::vector<Write> found;
    for (const Write& write : writes_) {
      const bool is_in_scope = (!scope.name_space || *scope.name_space == write.key.name_space) &&
                               (!scope.name || *scope.name == write.key.name);
      if (write.revision > revision && write.key.resource == resource && is_in_scope) found.push_back(write);
    }
    return found;
  }

 private:
  std::vector<Write> writes_;
};

inline WriteHistory::Write as_write(const Event& event) {
  return {event.revision, event.type, event.object->key(), std::string(event.object->text())};
}

/// All objects of a store, or those of one of its past moments; nothing if that is compacted.
inline std::optional<WriteHistory::State> state_of(const Store& store, Revision at = 0) {
  WriteHistory::State state;
  for (const std::string& resource : store.resources()) {
    StoreResult<Listing> listing = store.list(resource, {.at = at});
    if (!listing) return std::nullopt;
    while (const ObjectPtr* object = listing->next()) {
      state[(*object)->key()] = {(*object)->revision(), std::string((*object)->text())};
    }
  }
  return state;
}

}  // namespace loadline::store
