#pragma once

#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "server/apiserver/builtin_controllers/ownership.h"
#include "server/apiserver/builtin_controllers/system_writer.h"
#include "server/apiserver/builtin_controllers/work_queue.h"

namespace loadline::apiserver {

/// Deletes objects whose owners are all gone, lets owners that are deleted in the foreground wait for their dependents,
/// and removes the owner references of dependents that are orphaned. What it does is decided by what the store holds
/// then, so that it does nothing where kube-controller-manager's collector was first.
/// Source: pkg/controller/garbagecollector, v1.36.
class GarbageCollector {
 public:
  explicit GarbageCollector(const ServerContext& context);

  /// Of every object, in the order of writes: it is there, was changed or is gone.
  void on_object(const store::ObjectPtr& object, bool gone);
  /// There are other kinds than before: owners that could not be looked up may be known now.
  void on_new_kinds();

 private:
  struct References;

  void on_gone(const store::ObjectPtr& object);
  void queue_waiting_owners(const std::vector<Ownership::Owner>& owners);

  void reconcile(const store::Key& key);
  [[nodiscard]] document::Value head_at(const store::Key& key) const;
  void collect(const store::Key& key, const document::Value& object);
  void orphan_dependents(const store::Key& key, const document::Value& owner);
  void delete_dependents(const store::Key& key, const document::Value& owner);

  /// Sorts the owners by what became of them; false: one of them cannot be looked up.
  bool classify(const store::Key& key, const document::Value& object, References& references);
  /// Those that are named so no longer own it.
  bool cut_loose(const store::Key& key, const std::set<std::string, std::less<>>& owners);
  void unblock_owners(const store::Key& key);
  void remove_finalizer(const store::Key& key, std::string_view finalizer);
  void remove(const store::Key& key, const document::Value& object, Propagation propagation);

  ServerContext context_;
  SystemWriter writer_;
  Ownership ownership_;
  std::unordered_map<Ownership::Uid, store::Key> waiting_;  // owners that are being deleted in the foreground
  std::set<store::Key> unresolved_;                         // their owners are of kinds that are not served
  WorkQueue<store::Key> queue_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // callbacks that wait for the disk look at it
};

}  // namespace loadline::apiserver
