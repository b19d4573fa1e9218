#pragma once

#include <string>

#include "foundation/document/value.h"
#include "server/apiserver/admission/webhook.h"

namespace loadline::operators {

/// The PodCliqueSet with what Grove's webhook fills in.
/// Source: ai-dynamo/grove v0.1.0-alpha.11, operator/internal/webhook/admission/pcs/defaulting.
[[nodiscard]] document::Value with_pod_clique_set_defaults(document::Value set);

/// Why the webhook refuses a PodCliqueSet, or the change of one; empty: it does not. Source: pcs/validation, ibidem.
/// @param old null: it is new
[[nodiscard]] std::string pod_clique_set_refusal(const document::Value& set, const document::Value* old);

/// The webhook that asks for that.
[[nodiscard]] apiserver::Webhooks make_grove_webhooks();

}  // namespace loadline::operators
