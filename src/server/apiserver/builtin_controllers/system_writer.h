#pragma once

#include <string>
#include <string_view>

#include "server/apiserver/server_context.h"

namespace loadline::apiserver {

/// Writes for a controller: the verbs of the API without a request, with all that admission and validation have to say.
class SystemWriter {
 public:
  /// `user` acts ("system:apiserver"), `manager` owns the fields that it writes ("kube-apiserver").
  SystemWriter(const ServerContext& context, std::string user, std::string manager)
      : context_(context), user_(std::move(user)), manager_(std::move(manager)) {}

  /// Of an object that may be there or not. Refused if the resource is not served.
  Answer<Written> create(const store::Key& key, document::Value object);
  Answer<Written> change(const store::Key& key, const Writer::Transform& transform,
                         Writer::Target target = Writer::Target::kObject);
  Answer<Written> remove(const store::Key& key, const DeleteOptions& options);

  /// Null if there is none.
  [[nodiscard]] document::Value get(const store::Key& key) const;

 private:
  [[nodiscard]] Answer<Call> call(const store::Key& key, std::string_view subresource) const;

  ServerContext context_;
  std::string user_;
  std::string manager_;
};

/// Whether the object has a deletionTimestamp. Parses only objects whose text contains that word.
bool is_marked_as_deleted(const store::Object& object);

/// "deployments.apps" as the store names resources, in two parts.
struct ResourceName {
  std::string_view plural;
  std::string_view group;

  explicit ResourceName(std::string_view store_name)
      : plural(store_name.substr(0, store_name.find('.'))),
        group(plural.size() == store_name.size() ? std::string_view() : store_name.substr(plural.size() + 1)) {}
};

}  // namespace loadline::apiserver
