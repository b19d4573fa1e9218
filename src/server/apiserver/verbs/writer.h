#pragma once

#include <functional>

#include "foundation/base/event_loop.h"
#include "foundation/base/rng.h"
#include "objects/schema/catalog.h"
#include "server/apiserver/admission/chain.h"
#include "server/apiserver/bodies/options.h"
#include "server/apiserver/call.h"
#include "server/apiserver/status.h"
#include "server/store/store.h"

namespace loadline::apiserver {

/// The writing verbs on any resource: what the generic registry does in kube-apiserver, with its order of steps. Each
/// is one task of the loop, so nothing comes between reading an object and writing it.
/// Source: k8s.io/apiserver/pkg/registry/{rest,generic/registry}, v0.36.
class Writer {
 public:
  Writer(EventLoop& loop, store::Store& store, AdmissionChain& admission, Rng& rng)
      : loop_(loop), store_(store), admission_(admission), rng_(rng) {}

  /// Where a write is entered into metadata.managedFields: here, or already by the caller that made the object (an
  /// apply).
  enum class Managed : std::uint8_t { kHere, kAlready };

  /// Creates an object: conformed, defaulted, in the version that it is kept in.
  Answer<Written> create(Call& call, document::Value object, const WriteOptions& options,
                         Managed managed = Managed::kHere);

  /// The object as it should be, made from the one that is there.
  using Transform = std::function<Answer<document::Value>(const document::Value& old)>;

  /// Which part of an object a change is about.
  enum class Target : std::uint8_t {
    kObject,
    kStatus,
    kOther,  ///< binding, approval…: the caller that makes the object knows the rules, and counts its generation
  };

  /// Changes the object that `call` names. With the same content nothing is written, and the old version returned.
  Answer<Written> change(Call& call, const Transform& transform, Target target, const WriteOptions& options,
                         Managed managed = Managed::kHere);

  /// Deletes the object that `call` names: at once, or once its grace period and finalizers are over.
  Answer<Written> remove(Call& call, const DeleteOptions& options);

 private:
  Answer<Written> put_new(Call& call, document::Value object, const WriteOptions& options);
  Answer<document::Value> prepare(Call& call, document::Value object, const document::Value& old, Target target,
                                  const WriteOptions& options);
  Answer<Written> store_change(Call& call, const store::ObjectPtr& before, const document::Value& object,
                               const WriteOptions& options);
  Answer<Written> take_away(Call& call, const store::ObjectPtr& before, const document::Value& last, bool is_dry_run);
  [[nodiscard]] StrategyContext context(Call& call, bool is_dry_run);

  EventLoop& loop_;
  store::Store& store_;
  AdmissionChain& admission_;
  Rng& rng_;
};

/// The document to keep with the text of a new version; null for kinds that are seldom read: it is parsed again if it
/// is asked for.
document::Value kept_parsed(const ServedResource& served, const document::Value& object);

/// How many bytes of JSON an object has at most: what a body may bring, and room for what the server adds. A body of
/// YAML may stand for more, and patches may add up. (etcd takes 1.5 MiB.)
inline constexpr std::size_t kLargestObject = std::size_t{4} * 1024 * 1024;
StatusError too_large(std::size_t bytes);

/// A failure of the store, in the words of the API.
StatusError store_failure(const store::StoreError& error, const GroupResource& resource, std::string_view name);

}  // namespace loadline::apiserver
