#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "foundation/document/value.h"
#include "hosts/watching/caches.h"
#include "hosts/watching/kind_name.h"
#include "server/apiserver/admission/webhook.h"

namespace loadline::operators::kueue {

/// Where rules look objects up that controllers and webhooks have in common.
class KnownObjects {
 public:
  KnownObjects() = default;
  KnownObjects(const KnownObjects&) = delete;
  KnownObjects& operator=(const KnownObjects&) = delete;
  virtual ~KnownObjects() = default;

  /// Nothing: there is none, or the kind is not known. `name_space`: empty for kinds that have none.
  [[nodiscard]] virtual std::optional<document::Value> find(const watching::KindName& kind, std::string_view name_space,
                                                            std::string_view name) const = 0;
  [[nodiscard]] virtual bool has_any(const watching::KindName& kind) const = 0;
  /// By name.
  [[nodiscard]] virtual std::vector<document::Value> config_maps_in(std::string_view name_space) const = 0;
};

/// What a controller sees. O(kinds in the caches).
class CachedObjects final : public KnownObjects {
 public:
  explicit CachedObjects(const watching::Caches& caches) : caches_(caches) {}
  [[nodiscard]] std::optional<document::Value> find(const watching::KindName& kind, std::string_view name_space,
                                                    std::string_view name) const override;
  [[nodiscard]] bool has_any(const watching::KindName& kind) const override;
  [[nodiscard]] std::vector<document::Value> config_maps_in(std::string_view name_space) const override;

 private:
  const watching::Caches& caches_;
};

/// What a webhook sees. O(log objects).
class StoredObjects final : public KnownObjects {
 public:
  explicit StoredObjects(const apiserver::Lookup& stored) : stored_(stored) {}
  [[nodiscard]] std::optional<document::Value> find(const watching::KindName& kind, std::string_view name_space,
                                                    std::string_view name) const override;
  [[nodiscard]] bool has_any(const watching::KindName& kind) const override;
  [[nodiscard]] std::vector<document::Value> config_maps_in(std::string_view name_space) const override;

 private:
  const apiserver::Lookup& stored_;
};

}  // namespace loadline::operators::kueue
