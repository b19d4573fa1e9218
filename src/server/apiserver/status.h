#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "foundation/document/value.h"
#include "objects/kube/scalars.h"
#include "objects/schema/catalog.h"

namespace loadline::apiserver {

/// One of a Status' causes.
struct Cause {
  std::string reason;  ///< "FieldValueRequired", "DisruptionBudget"
  std::string message;
  std::string field;
};

/// A metav1.Status that says no: what the server answers instead of an object, in upstream's words.
/// Source: k8s.io/apimachinery/pkg/api/errors, v0.36.
struct StatusError {
  int code = 500;
  std::string reason;  ///< "NotFound"; may be empty
  std::string message;
  bool has_details = false;  ///< upstream writes an empty `details` for some failures, none for others
  std::string name;
  std::string group;
  std::string kind;  ///< a resource for most reasons, a kind for Invalid
  std::string uid;
  std::vector<Cause> causes;
  std::int32_t retry_after_seconds = 0;
  std::string continue_token;  ///< in the metadata: how to go on with a list that has expired

  [[nodiscard]] document::Value document() const;
};

/// What a request comes to.
template <class T>
using Answer = tl::expected<T, StatusError>;

inline tl::unexpected<StatusError> refuse(StatusError failure) {
  return tl::unexpected<StatusError>(std::move(failure));
}

/// "pods" in group "" as details and messages name it: "pods", "deployments.apps".
struct GroupResource {
  std::string group;
  std::string resource;

  GroupResource() = default;
  GroupResource(std::string of_group, std::string of_resource)
      : group(std::move(of_group)), resource(std::move(of_resource)) {}
  explicit GroupResource(const schema::Resource& described) : group(described.kind.group), resource(described.plural) {}
  [[nodiscard]] std::string text() const { return group.empty() ? resource : resource + "." + group; }
};

StatusError not_found(const GroupResource& resource, std::string_view name);
StatusError already_exists(const GroupResource& resource, std::string_view name);
StatusError conflict(const GroupResource& resource, std::string_view name, std::string_view why);
/// The optimistic lock: "the object has been modified; please apply your changes to the latest version and try again".
StatusError modified(const GroupResource& resource, std::string_view name);
StatusError forbidden(const GroupResource& resource, std::string_view name, std::string_view why);
StatusError bad_request(std::string message);
StatusError invalid(const schema::GroupVersionKind& kind, std::string_view name, const kube::FieldErrors& errors);
StatusError method_not_allowed();
StatusError no_such_resource();
StatusError not_acceptable(std::string_view available);
/// A media type that would do, but for what it asks to have made of the object.
StatusError no_such_form(std::string_view accepted);
StatusError unsupported_media_type(std::string_view accepted);
StatusError unauthorized();
StatusError expired(std::string message);
StatusError timeout(std::string_view message, std::int32_t retry_after_seconds);
StatusError too_many_requests(std::string message, std::int32_t retry_after_seconds);
StatusError internal_error(std::string_view message);
/// What is needed for the answer does not answer itself; it may soon.
StatusError unavailable(std::string message);
/// An error that upstream's layers below the API return as it is: code 500, without a reason and details.
StatusError plain_error(std::string message);

/// `Status` "Success"; `details` names what it is about if that is known.
document::Value success(const GroupResource& resource, std::string_view name, std::string_view uid);
document::Value success(int code);

/// The FieldValue… reason that upstream gives a message: by its first words.
std::string_view cause_reason(std::string_view message);

}  // namespace loadline::apiserver
