#include "server/store/collection.h"

#include <algorithm>
#include <iterator>

#include "foundation/base/contract.h"

namespace loadline::store {
namespace {

/// What an event keeps alive that the present does not.
std::size_t bytes_of(const Event& event) {
  std::size_t bytes = sizeof(Event);
  if (event.previous != nullptr) bytes += event.previous->memory();
  if (event.type == EventType::kDeleted) bytes += event.object->memory();
  return bytes;
}

void revert(Tree& tree, const Event& event) {
  if (event.previous != nullptr) {
    tree.set(event.previous);
  } else {
    tree.erase(event.object->name_space(), event.object->name());
  }
}

}  // namespace

void Collection::count(const Object* before, const Object* now) {
  if (ledger_ == nullptr) return;
  if (before != nullptr) ledger_->go(*before);
  if (now != nullptr) ledger_->come(*now);
}

void Collection::restore(ObjectPtr object) {
  const ObjectPtr* before = tree_.find(object->name_space(), object->name());
  count(before == nullptr ? nullptr : before->get(), object.get());
  tree_.set(std::move(object));
}

void Collection::apply(const EventPtr& event, std::uint32_t tick) {
  if (event->type == EventType::kDeleted) {
    tree_.erase(event->object->name_space(), event->object->name());
  } else {
    tree_.set(event->object);
  }
  count(event->previous.get(), event->type == EventType::kDeleted ? nullptr : event->object.get());
  history_bytes_ += bytes_of(*event);
  history_.push_back({event, tick});
}

void Collection::undo(const Event& event) {
  REQUIRES(!history_.empty() && history_.back().event->revision == event.revision);
  revert(tree_, event);
  count(event.type == EventType::kDeleted ? nullptr : event.object.get(), event.previous.get());
  history_bytes_ -= bytes_of(event);
  history_.pop_back();
  if (past_revision_ >= event.revision) past_revision_ = -1;
}

EventPtr Collection::first_after(Revision revision) const {
  const auto found = std::partition_point(history_.begin(), history_.end(),
                                          [&](const Entry& entry) { return entry.event->revision <= revision; });
  return found == history_.end() ? nullptr : found->event;
}

Tree Collection::at(Revision revision) {
  REQUIRES(compacted_ <= revision);
  if (history_.empty() || history_.back().event->revision <= revision) return tree_;
  if (past_revision_ == revision) return past_;
  Tree tree = tree_;
  for (auto entry = history_.rbegin(); entry != history_.rend() && entry->event->revision > revision; ++entry) {
    revert(tree, *entry->event);
  }
  past_ = tree;
  past_revision_ = revision;
  return tree;
}

std::optional<LogBatch::Forgotten> Collection::trim_one(const HistoryLimits& limits, std::uint32_t tick,
                                                        Revision newest_allowed, Revision wanted) {
  if (history_.empty()) return std::nullopt;
  const Entry& oldest = history_.front();
  const Event& event = *oldest.event;
  if (event.revision > newest_allowed) return std::nullopt;
  const bool must_go = event.revision <= wanted || history_.size() > limits.events || history_bytes_ > limits.bytes ||
                       tick - oldest.tick >= limits.age;
  if (!must_go) return std::nullopt;
  LogBatch::Forgotten forgotten{.resource = &name_, .compacted = event.revision};
  if (event.previous != nullptr) forgotten.rows[0] = event.previous->revision();
  if (event.type == EventType::kDeleted) forgotten.rows[1] = event.revision;
  history_bytes_ -= bytes_of(event);
  history_.pop_front();
  set_compacted(forgotten.compacted);
  return forgotten;
}

void Collection::set_compacted(Revision revision) {
  REQUIRES(history_.empty() || history_.front().event->revision > revision);
  compacted_ = std::max(compacted_, revision);
  if (past_revision_ >= compacted_) return;
  past_ = Tree();
  past_revision_ = -1;
}

}  // namespace loadline::store
