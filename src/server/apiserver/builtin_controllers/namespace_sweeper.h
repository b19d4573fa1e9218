#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "server/apiserver/builtin_controllers/system_writer.h"
#include "server/apiserver/builtin_controllers/work_queue.h"

namespace loadline::apiserver {

/// Empties namespaces that are being deleted: pods first, then everything else, and lets the namespace go once nothing
/// is left. Its conditions say what keeps it.
/// Source: pkg/controller/namespace/deletion, v1.36.
class NamespaceSweeper {
 public:
  explicit NamespaceSweeper(const ServerContext& context);

  /// Of every object: it is there, was changed or is gone.
  void on_object(const store::ObjectPtr& object, bool gone);

 private:
  /// What is left of a namespace's content.
  struct Remains {
    std::map<std::string, std::size_t> objects;     // by "resource.group"
    std::map<std::string, std::size_t> finalizers;  // objects that have it
    std::size_t total = 0;                          // objects
    bool has_more_to_delete = false;                // this task has done enough
  };

  void sweep(const std::string& name);
  /// Deletes what is in there, and counts what is left.
  void sweep_resource(const std::string& resource, const std::string& name_space, std::size_t& budget,
                      Remains& remains);
  /// Namespaces with many objects are looked at once a second.
  void note_crowd(const std::string& name, const Remains& remains);
  void write_conditions(const std::string& name, const Remains& remains);
  void let_go(const std::string& name);

  ServerContext context_;
  SystemWriter writer_;
  std::set<std::string, std::less<>> terminating_;
  std::set<std::string, std::less<>> crowded_;
  WorkQueue<std::string> queue_;
};

}  // namespace loadline::apiserver
