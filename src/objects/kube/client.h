#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "foundation/base/result.h"
#include "foundation/document/value.h"

namespace loadline::kube {

/// What a request is about: `{"apps", "v1", "deployments", "default", "web"}`.
struct ResourceReference {
  std::string group;
  std::string version;
  std::string plural;
  std::string name_space = {};   ///< empty: cluster scope, or every namespace
  std::string name = {};         ///< empty: all of them, or the one to be created
  std::string subresource = {};  ///< "status", "binding", "eviction", "scale"
};

/// A metav1.Status that says no.
struct Status {
  int code = 500;
  std::string reason;  ///< "NotFound", "Conflict"; may be empty
  std::string message;
  document::Value document;  ///< all of it, with details and causes
};

template <class T>
using Answer = tl::expected<T, Status>;

struct ListOptions {
  std::string label_selector = {};
  std::string field_selector = {};
  std::string resource_version = {};  ///< empty: the latest; with a limit: exactly that one, otherwise not older
  std::int64_t limit = 0;             ///< 0: all at once, however many
  std::string continue_token = {};    ///< of the page before
};

struct ObjectList {
  std::vector<document::Value> items;  ///< with kind and apiVersion, each
  std::string resource_version;        ///< a watch goes on from here
  std::string continue_token;          ///< empty: that was all
};

struct WatchOptions {
  std::string label_selector = {};
  std::string field_selector = {};
  std::string resource_version = {};  ///< events after this one; empty: what there is comes first, as kAdded
  bool allows_bookmarks = false;
  /// What there is comes first, and then a bookmark with the annotation k8s.io/initial-events-end.
  bool sends_initial_events = false;
};

struct WatchEvent {
  enum class Type : std::uint8_t { kAdded, kModified, kDeleted, kBookmark, kError };
  Type type = Type::kAdded;
  /// The object, of a deletion as it was last; of a bookmark, one with nothing but a resourceVersion; of an error, a
  /// Status. An object that ceases to match the selectors is deleted.
  document::Value object;
};

/// A watch under way: destroying it ends it, and no event follows, not even from within an event.
class Watch {
 public:
  Watch() = default;
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  virtual ~Watch() = default;
};

enum class PatchType : std::uint8_t { kJson, kMerge, kStrategic, kApply };

struct Patch {
  PatchType type = PatchType::kMerge;
  document::Value document;  ///< an array of operations, a partial object, or what the manager applies
  bool force = false;        ///< apply only: takes fields from other managers
};

struct DeleteOptions {
  enum class Propagation : std::uint8_t { kDefault, kOrphan, kBackground, kForeground };
  Propagation propagation = Propagation::kDefault;
  std::optional<std::int64_t> grace_period_seconds = {};
  std::string uid = {};               ///< a precondition, if it is not empty
  std::string resource_version = {};  ///< likewise
};

/// The Kubernetes API, for controllers, as one user whose writes one field manager owns. Whether the server is in this
/// process or elsewhere makes no difference.
///
/// Everything runs on one event loop's thread. Requests are answered in later tasks of the loop, never within the call,
/// and only once what they say is durable. Destroying the client takes all its requests back: they may or may not
/// have been carried out, and none of their callbacks is called any more. Watches end before their client does.
class Client {
 public:
  using OnObject = std::function<void(Answer<document::Value>)>;
  using OnList = std::function<void(Answer<ObjectList>)>;
  using OnEvent = std::function<void(const WatchEvent&)>;

  Client() = default;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  virtual ~Client() = default;

  virtual void get(const ResourceReference& of, OnObject done) = 0;

  /// One page, in order of "namespace/name". 410 Expired for a page that no history reaches back to.
  virtual void list(const ResourceReference& of, const ListOptions& options, OnList done) = 0;

  /// Tells of every event after options.resource_version, in order. It goes on until it is destroyed, or ends with one
  /// kError, also where the request was refused: 410 Expired means that the caller has to list anew.
  [[nodiscard]] virtual std::unique_ptr<Watch> watch(const ResourceReference& of, const WatchOptions& options,
                                                     OnEvent on_event) = 0;

  /// Of an object, or of what a subresource takes: `pods/NAME/binding`. Answers with the object as it was created.
  virtual void create(const ResourceReference& of, document::Value object, OnObject done) = 0;

  /// 409 Conflict if the object has a resourceVersion that is not the latest.
  virtual void update(const ResourceReference& of, document::Value object, OnObject done) = 0;

  virtual void patch(const ResourceReference& of, Patch patch, OnObject done) = 0;

  /// Answers with the object, if it is still there, held back by finalizers or its grace period, else with a Status.
  virtual void remove(const ResourceReference& of, const DeleteOptions& options, OnObject done) = 0;
};

}  // namespace loadline::kube
