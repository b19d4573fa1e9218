#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/rng.h"
#include "foundation/base/time.h"
#include "foundation/document/value.h"
#include "objects/kube/scalars.h"
#include "objects/schema/catalog.h"
#include "server/apiserver/auth/user.h"
#include "server/apiserver/bodies/options.h"
#include "server/apiserver/status.h"
#include "server/store/store.h"

namespace loadline::apiserver {

/// What a strategy may look at besides the object.
struct StrategyContext {
  const schema::Resource& resource;
  const store::Store& store;
  Instant now;
  Rng& rng;
  const User& user;                    ///< the user of the request
  std::vector<std::string>& warnings;  ///< go back to the client as `Warning` headers
  bool is_dry_run = false;
};

/// What an object of that kind can say without a strategy of its own.
struct Traits {
  bool has_generation = false;              ///< metadata.generation counts changes of the specification
  bool allows_create_on_update = false;     ///< PUT to a name that is not there creates it
  bool requires_version_on_update = false;  ///< PUT needs a resourceVersion
  bool orphans_by_default = false;          ///< deleting it without a word about its dependents keeps them
  bool is_seldom_read = false;  ///< written more than read: its documents must not push those of others out of memory
};

/// What one kind does beyond what all kinds do: the strategy of its registry in upstream's words. Stateless, and the
/// same for all versions of a resource; documents are in the storage version, defaulted.
/// Source: pkg/registry/*/*/strategy.go, v1.36.
class Strategy {
 public:
  Strategy() = default;
  explicit Strategy(Traits traits) : traits_(traits) {}
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;
  virtual ~Strategy() = default;

  [[nodiscard]] const Traits& traits() const { return traits_; }

  /// Clears what clients may not set, fills in what the server knows. The default drops `status` where the resource has
  /// a status subresource, and starts the generation.
  [[nodiscard]] virtual document::Value prepare_for_create(document::Value object, StrategyContext& context) const;
  /// The same for a change. The default keeps the old status and counts the generation.
  [[nodiscard]] virtual document::Value prepare_for_update(document::Value object, const document::Value& old,
                                                           StrategyContext& context) const;
  /// For a change through `/status`: by default everything but the status is the old object's.
  [[nodiscard]] virtual document::Value prepare_for_status_update(const document::Value& object,
                                                                  const document::Value& old,
                                                                  StrategyContext& context) const;

  /// Rules about a new object, its metadata included. The default knows the rules of metadata only.
  [[nodiscard]] virtual kube::FieldErrors validate(const document::Value& object, StrategyContext& context) const;
  /// Rules about a change. The default applies `validate`, too.
  [[nodiscard]] virtual kube::FieldErrors validate_update(const document::Value& object, const document::Value& old,
                                                          StrategyContext& context) const;
  [[nodiscard]] virtual kube::FieldErrors validate_status_update(const document::Value& object,
                                                                 const document::Value& old,
                                                                 StrategyContext& context) const;

  /// For how many seconds a deleted object lives on; nothing for a kind that goes at once.
  [[nodiscard]] virtual std::optional<std::int64_t> grace_period(const document::Value& object,
                                                                 const DeleteOptions& options) const;
  /// Something other than metadata.finalizers keeps a deleted object: a namespace's spec.finalizers.
  [[nodiscard]] virtual bool is_held(const document::Value& /*object*/) const { return false; }
  /// The warning for a client that deletes without saying what becomes of the dependents.
  [[nodiscard]] virtual std::string_view warning_on_delete() const { return {}; }
  /// A held object as its first deletion leaves it.
  [[nodiscard]] virtual document::Value marked_as_deleted(document::Value object, Instant /*now*/) const {
    return object;
  }

 private:
  Traits traits_;
};

/// What is special about a resource, as far as a table can say it.
Traits traits_of(const schema::Resource& resource);

/// The strategy of a resource: its own, or one that knows only its traits.
std::unique_ptr<const Strategy> make_strategy(const schema::Resource& resource);

}  // namespace loadline::apiserver
