#include "server/apiserver/admission/webhook.h"

#include <fmt/format.h>

#include <utility>

#include "foundation/document/same_document.h"
#include "server/apiserver/conversion/conversion.h"

namespace loadline::apiserver {
namespace {

using document::Value;

StatusError denial(std::string_view webhook, std::string_view why) {
  StatusError error;
  error.code = 403;
  error.reason = "Forbidden";
  error.message = fmt::format("admission webhook \"{}\" denied the request: {}", webhook, why);
  return error;
}

/// Those that are asked about a write, and what they are asked.
class Asked {
 public:
  Asked(const ServerContext& context, Webhooks webhooks) : store_(context.store), webhooks_(std::move(webhooks)) {}

  /// Calls `ask(webhook, request)` for each until one denies; returns what it says.
  template <class Ask>
  Answer<void> each(const AdmissionRequest& request, Ask ask) const {
    const std::string& resource = request.call.served->store_name;
    const bool is_of_status = request.call.subresource == "status";
    if (!request.call.subresource.empty() && !is_of_status) return {};
    if (request.operation == AdmissionRequest::Operation::kDelete) return {};
    const Lookup stored(store_);
    const WebhookRequest asked{request.operation, resource, request.call.name_space, request.old, stored};
    for (const auto& webhook : webhooks_) {
      if (!webhook->concerns(resource) || (is_of_status && !webhook->concerns_status())) continue;
      if (const Answer<void> answer = ask(*webhook, asked); !answer) return answer;
    }
    return {};
  }

 private:
  const store::Store& store_;
  const Webhooks webhooks_;
};

class MutatingWebhooks final : public AdmissionPlugin {
 public:
  MutatingWebhooks(const ServerContext& context, Webhooks webhooks)
      : asked_(context, std::move(webhooks)), bodies_(context.bodies), loop_(context.loop) {}

  Answer<Value> complete(const AdmissionRequest& request, Value object) override {
    const Value before = object;
    const Answer<void> answer =
        asked_.each(request, [&](Webhook& webhook, const WebhookRequest& asked) -> Answer<void> {
          Webhook::Verdict<Value> completed = webhook.complete(asked, std::move(object));
          if (!completed) return refuse(denial(webhook.mutating_name(), completed.error()));
          object = std::move(*completed);
          return {};
        });
    if (!answer) return refuse(answer.error());
    if (document::are_shared(object, before)) return object;
    // Versions of a custom resource differ in apiVersion alone when they are kept: fields and defaults are those of the
    // version that was written.
    const ServedResource& served = *request.call.served;
    const bool is_plainly_custom = served.resource->is_custom && !has_converter(served.resource->kind);
    const schema::Resource& written = is_plainly_custom ? *served.resource : *served.stored;
    Value tidy = bodies_.tidied(object, before, written, loop_.now());
    return served.other_versions == nullptr ? tidy : served.other_versions->with_kept(std::move(tidy), before);
  }

 private:
  const Asked asked_;
  const Bodies& bodies_;
  const EventLoop& loop_;
};

class ValidatingWebhooks final : public AdmissionPlugin {
 public:
  ValidatingWebhooks(const ServerContext& context, Webhooks webhooks) : asked_(context, std::move(webhooks)) {}

  Answer<void> review(const AdmissionRequest& request, const Value& object) override {
    return asked_.each(request, [&](Webhook& webhook, const WebhookRequest& asked) -> Answer<void> {
      const Webhook::Verdict<void> verdict = webhook.review(asked, object);
      if (!verdict) return refuse(denial(webhook.validating_name(), verdict.error()));
      for (std::string& warning : webhook.warnings(asked, object)) request.call.warnings.push_back(std::move(warning));
      return {};
    });
  }

 private:
  const Asked asked_;
};

}  // namespace

std::optional<Value> Lookup::find(std::string_view resource, std::string_view name_space, std::string_view name) const {
  const store::ObjectPtr stored = store_.get({std::string(resource), std::string(name_space), std::string(name)});
  if (stored == nullptr) return std::nullopt;
  return stored->document();
}

std::vector<Value> Lookup::begin_with(std::string_view resource, std::string_view name_space,
                                      std::string_view prefix) const {
  std::vector<Value> found;
  store::ListOptions options;
  options.name_space = std::string(name_space);
  options.after_name_space = std::string(name_space);
  options.after_name = std::string(prefix);
  store::StoreResult<store::Listing> listing = store_.list(resource, options);
  if (!listing) return found;  // the latest state can always be listed
  for (const store::ObjectPtr* stored = listing->next(); stored != nullptr; stored = listing->next()) {
    if (!(*stored)->name().starts_with(prefix)) break;
    found.push_back((*stored)->document());
  }
  return found;
}

bool Lookup::has_any(std::string_view resource) const { return store_.count(resource) > 0; }

std::unique_ptr<AdmissionPlugin> make_mutating_webhooks(const ServerContext& context, Webhooks webhooks) {
  return std::make_unique<MutatingWebhooks>(context, std::move(webhooks));
}

std::unique_ptr<AdmissionPlugin> make_validating_webhooks(const ServerContext& context, Webhooks webhooks) {
  return std::make_unique<ValidatingWebhooks>(context, std::move(webhooks));
}

}  // namespace loadline::apiserver
