#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/document/value.h"
#include "server/apiserver/auth/user.h"
#include "server/apiserver/resources/served_resource.h"
#include "server/apiserver/status.h"
#include "server/store/store.h"

namespace loadline::apiserver {

/// A request to a resource by a user that may make it.
struct Call {
  std::shared_ptr<const ServedResource> served;  ///< in the version that the path names
  std::string name_space;
  std::string name;  ///< of the path; empty for collections
  std::string subresource;
  User user;
  std::string user_agent;             ///< names the manager of fields if the request does not
  std::vector<std::string> warnings;  ///< go back as `Warning` headers

  [[nodiscard]] const schema::Resource& resource() const { return *served->resource; }
  [[nodiscard]] GroupResource group_resource() const { return GroupResource(*served->resource); }
  [[nodiscard]] store::Key key(std::string_view of) const {
    return {served->store_name, served->resource->is_namespaced ? name_space : std::string(), std::string(of)};
  }
};

/// What a write came to.
struct Written {
  document::Value object;   ///< in the version that objects are kept in; null: that of `stored`, which was only read
  store::ObjectPtr stored;  ///< null if it was a dry run, or the object is gone
  int code = 200;
  bool is_status = false;                ///< `object` is a Status, whatever the resource
  std::optional<std::string> text = {};  ///< the answer is this plain text, and no object

  /// The object, whichever way it came. Of one that was only read, it is parsed now.
  [[nodiscard]] document::Value document() const {
    return object.is_null() && stored != nullptr ? stored->document() : object;
  }
};

}  // namespace loadline::apiserver
