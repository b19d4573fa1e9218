#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "foundation/base/base64.h"
#include "foundation/document/at.h"
#include "foundation/document/json_fault.h"
#include "foundation/document/reader.h"
#include "server/apiserver/kinds/metadata_rules.h"
#include "server/apiserver/kinds/stored_data.h"
#include "server/apiserver/kinds/strategies.h"
#include "server/apiserver/kinds/typed_rules.h"

namespace loadline::apiserver {
namespace {

using document::Value;
using kube::FieldErrors;

constexpr std::size_t kDeepest = 10000;  // as Go's decoder
constexpr std::string_view kServiceAccountName = "kubernetes.io/service-account.name";

void require_key(FieldErrors& errors, const Value& secret, std::string_view key) {
  if (document::find_at(secret, {"data", key}) == nullptr) {
    errors.push_back(required_field(fmt::format("data[{}]", key)));
  }
}

/// A credential of that name must be there and be a JSON object. Its contents are not repeated.
void check_json(FieldErrors& errors, const Value& secret, std::string_view key) {
  require_key(errors, secret, key);
  const Value* encoded = document::find_at(secret, {"data", key});
  if (encoded == nullptr || !encoded->is_string()) return;
  const std::string place = fmt::format("data[{}]", key);
  const auto refuse = [&](std::string_view why) {
    errors.push_back(invalid_field(place, Value("<secret contents redacted>"), why));
  };
  const std::optional<std::string> text = decode_base64(encoded->string());
  if (!text || text->find_first_not_of(" \t\r\n") == std::string::npos) return refuse("unexpected end of JSON input");
  if (const std::optional<document::JsonFault> fault = document::find_json_fault(*text, kDeepest)) {
    return refuse(fault->message);
  }
  const document::Reading read = document::read_json(*text, {});
  const Value value = read.documents.empty() ? Value() : read.documents.front();
  if (!value.is_object() && !value.is_null()) {
    refuse(fmt::format("json: cannot unmarshal {} into Go value of type map[string]interface {{}}", value.type_name()));
  }
}

void check_secret_type(FieldErrors& errors, const Value& secret) {
  const std::string_view type = document::text_at(secret, {"type"});
  if (type == "kubernetes.io/service-account-token") {
    // The rest is filled in later.
    if (document::text_at(secret, {"metadata", "annotations", kServiceAccountName}).empty()) {
      errors.push_back(required_field(fmt::format("metadata.annotations[{}]", kServiceAccountName)));
    }
  } else if (type == "kubernetes.io/dockercfg") {
    check_json(errors, secret, ".dockercfg");
  } else if (type == "kubernetes.io/dockerconfigjson") {
    check_json(errors, secret, ".dockerconfigjson");
  } else if (type == "kubernetes.io/basic-auth") {
    const bool has_one = document::find_at(secret, {"data", "username"}) != nullptr ||
                         document::find_at(secret, {"data", "password"}) != nullptr;
    if (has_one) return;
    require_key(errors, secret, "username");
    require_key(errors, secret, "password");
  } else if (type == "kubernetes.io/ssh-auth") {
    if (document::text_at(secret, {"data", "ssh-privatekey"}).empty()) {
      errors.push_back(required_field("data[ssh-privatekey]"));
    }
  } else if (type == "kubernetes.io/tls") {
    require_key(errors, secret, "tls.crt");
    require_key(errors, secret, "tls.key");
  }
}

/// Source: pkg/registry/core/secret and pkg/apis/core/validation, v1.36.
class SecretStrategy final : public Strategy {
 public:
  using Strategy::Strategy;

  Value prepare_for_update(Value secret, const Value& old, StrategyContext& context) const override {
    if (document::text_at(secret, {"type"}).empty())
      secret = with_or_without(secret, {"type"}, value_at(old, {"type"}));
    return Strategy::prepare_for_update(std::move(secret), old, context);
  }

  FieldErrors validate(const Value& secret, StrategyContext& context) const override {
    FieldErrors errors = metadata_errors(secret, context.resource);
    const Value data = value_at(secret, {"data"});
    check_keys(errors, "data", data, nullptr);
    if (decoded_bytes(data) > kMostDataBytes) errors.push_back(too_much_data("data"));
    check_secret_type(errors, secret);
    return errors;
  }

  FieldErrors validate_update(const Value& secret, const Value& old, StrategyContext& context) const override {
    FieldErrors errors;
    check_immutable(errors, "type", value_at(secret, {"type"}), value_at(old, {"type"}));
    check_frozen(errors, secret, old, {"data"});
    append(errors, validate(secret, context));
    return errors;
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_secret_strategy(Traits traits) { return std::make_unique<SecretStrategy>(traits); }

}  // namespace loadline::apiserver
