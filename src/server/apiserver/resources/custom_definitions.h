#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "server/apiserver/builtin_controllers/system_writer.h"
#include "server/apiserver/builtin_controllers/work_queue.h"
#include "server/apiserver/follower.h"
#include "server/apiserver/resources/built_in_kinds.h"
#include "server/apiserver/server_context.h"

namespace loadline::apiserver {

/// Serves what CustomResourceDefinitions define: settles their names, establishes them, puts their versions into the
/// catalog, and on deletion deletes all objects before the definition goes. Definitions that are there already are
/// served once this is made.
/// Source: apiextensions-apiserver's pkg/controller and pkg/apiserver/customresource_handler.go, v0.36.
class CustomDefinitions {
 public:
  /// `built_in` outlives this. `changed` is called after resources were added to the catalog or removed.
  CustomDefinitions(const ServerContext& context, BuiltInKinds& built_in, std::function<void()> changed);

 private:
  /// What the catalog was made from, so that it is made anew only if that changes.
  struct Registered {
    std::string uid;
    std::int64_t generation = 0;
    bool is_terminating = false;
    document::Value names;
  };

  void on_definition(const store::ObjectPtr& object, bool gone);
  void reconcile(const std::string& name);
  void queue_group(std::string_view group);

  void serve(const std::string& name, const document::Value& definition);
  void stop_serving(const std::string& name);
  [[nodiscard]] bool is_taken(const ResourceName& name) const;

  void terminate(const std::string& name, const document::Value& definition);
  void finish(const std::string& name, std::string_view reason, std::string_view message);
  /// Starts to delete objects, a few; false: all that are left are being deleted already.
  bool remove_some(const std::string& resource);

  ServerContext context_;
  BuiltInKinds& built_in_;
  std::function<void()> changed_;
  const schema::Type& object_meta_;
  SystemWriter writer_;
  WorkQueue<std::string> queue_;
  std::map<std::string, Registered, std::less<>> registered_;
  std::map<std::string, std::unique_ptr<Follower>, std::less<>> emptied_;  // objects of definitions that go
  Follower follower_;
};

}  // namespace loadline::apiserver
