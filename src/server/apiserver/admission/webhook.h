#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "foundation/document/value.h"
#include "server/apiserver/admission/chain.h"
#include "server/apiserver/server_context.h"
#include "server/store/store.h"

namespace loadline::apiserver {

/// What is stored, for a webhook to look things up.
class Lookup {
 public:
  explicit Lookup(const store::Store& store) : store_(store) {}
  /// `find("pods", "default", "web-0")`. O(log objects).
  [[nodiscard]] std::optional<document::Value> find(std::string_view resource, std::string_view name_space,
                                                    std::string_view name) const;
  /// Those whose names begin so, by name: `begin_with("pods", "default", "web-0-")`. O(log objects + those found).
  [[nodiscard]] std::vector<document::Value> begin_with(std::string_view resource, std::string_view name_space,
                                                        std::string_view prefix) const;
  /// Whether there is any, in whatever namespace. O(log objects).
  [[nodiscard]] bool has_any(std::string_view resource) const;

 private:
  const store::Store& store_;
};

/// What a webhook gets to see of a write, beside the object.
struct WebhookRequest {
  AdmissionRequest::Operation operation;
  std::string_view resource;  ///< "jobsets.jobset.x-k8s.io", "pods"; no subresource but the status, if it wants that
  std::string_view name_space;
  const document::Value* old;  ///< kUpdate
  const Lookup& stored;
};

/// An admission webhook that a host has in this process, in place of one that an operator would serve.
class Webhook {
 public:
  template <class T>
  using Verdict = tl::expected<T, std::string>;  ///< or why it denies the request

  Webhook() = default;
  Webhook(const Webhook&) = delete;
  Webhook& operator=(const Webhook&) = delete;
  virtual ~Webhook() = default;

  /// Whether it is asked about creations and updates of that resource. The answer is always the same.
  [[nodiscard]] virtual bool concerns(std::string_view resource) const = 0;
  /// Whether it is asked about changes of the status, too.
  [[nodiscard]] virtual bool concerns_status() const { return false; }
  /// Who completes and who reviews, as refusals say: "mjobset.kb.io", "vjobset.kb.io".
  [[nodiscard]] virtual std::string_view mutating_name() const = 0;
  [[nodiscard]] virtual std::string_view validating_name() const = 0;

  virtual Verdict<document::Value> complete(const WebhookRequest& /*request*/, document::Value object) {
    return object;
  }
  virtual Verdict<void> review(const WebhookRequest& /*request*/, const document::Value& /*object*/) { return {}; }
  /// What it tells whoever writes an object that it allows, as `Warning` headers.
  virtual std::vector<std::string> warnings(const WebhookRequest& /*request*/, const document::Value& /*object*/) {
    return {};
  }
};

using Webhooks = std::vector<std::shared_ptr<Webhook>>;

/// The plugins that have objects completed and reviewed by them.
[[nodiscard]] std::unique_ptr<AdmissionPlugin> make_mutating_webhooks(const ServerContext& context, Webhooks webhooks);
[[nodiscard]] std::unique_ptr<AdmissionPlugin> make_validating_webhooks(const ServerContext& context,
                                                                        Webhooks webhooks);

}  // namespace loadline::apiserver
