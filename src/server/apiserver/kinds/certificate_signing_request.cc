#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "foundation/base/base64.h"
#include "foundation/base/time.h"
#include "objects/kube/decoder.h"
#include "objects/kube/scalars.h"
#include "server/apiserver/kinds/ruled_strategy.h"
#include "server/apiserver/kinds/strategies.h"
#include "server/apiserver/kinds/typed_rules.h"

namespace loadline::apiserver {
namespace {

using document::Array;
using document::Object;
using document::Value;

constexpr std::int64_t kShortestLife = 600;

// ---- rules ---------------------------------------------------------------------------------------------------------

/// The text has to be a PEM block of that type; what is in it is not read.
void check_request(const CheckedField& request) {
  const std::optional<std::string> bytes = decode_base64(request.text());
  if (!bytes || bytes->find("-----BEGIN CERTIFICATE REQUEST-----") == std::string::npos ||
      bytes->find("-----END CERTIFICATE REQUEST-----") == std::string::npos) {
    request.invalid(Value(request.text()), "PEM block type must be CERTIFICATE REQUEST");
  }
}

void check_usages(const CheckedField& usages) {
  if (usages.size() == 0) usages.required();
  for (const CheckedField& usage : usages.elements()) {
    usage.one_of({"any",
                  "cert sign",
                  "client auth",
                  "code signing",
                  "content commitment",
                  "crl sign",
                  "data encipherment",
                  "decipher only",
                  "digital signature",
                  "email protection",
                  "encipher only",
                  "ipsec end system",
                  "ipsec tunnel",
                  "ipsec user",
                  "key agreement",
                  "key encipherment",
                  "microsoft sgc",
                  "netscape sgc",
                  "ocsp signing",
                  "s/mime",
                  "server auth",
                  "signing",
                  "timestamping"});
  }
  std::set<std::string_view> seen;
  for (const CheckedField& usage : usages.elements()) {
    if (!seen.insert(usage.text()).second) usage.duplicate();
  }
}

/// The labels of one half of a signer's name; the first that is wrong is told.
void check_labels(const CheckedField& signer, std::string_view half, kube::NameRule rule) {
  for (std::string_view rest = half;;) {
    const std::size_t dot = rest.find('.');
    const std::string_view label = rest.substr(0, dot);
    const kube::NameProblems problems = rule(label);
    for (const std::string& problem : problems) {
      signer.invalid(Value(half), fmt::format("validating label {}: {}", kube::quoted(label), problem));
    }
    if (!problems.empty() || dot == std::string_view::npos) return;
    rest.remove_prefix(dot + 1);
  }
}

void check_signer(const CheckedField& signer) {
  const std::string_view text = signer.text();
  if (text == "kubernetes.io/legacy-unknown") {
    signer.invalid("the legacy signerName is not allowed via this API version");
    return;
  }
  if (text.empty()) {
    signer.required();
    return;
  }
  if (std::count(text.begin(), text.end(), '/') != 1) {
    signer.invalid("must be a fully qualified domain and path of the form 'example.com/signer-name'");
    return;
  }
  const std::string_view domain = text.substr(0, text.find('/'));
  check_labels(signer, domain, kube::dns_label_problems);
  if (domain.find('.') == std::string_view::npos) {
    signer.invalid(Value(domain), "should be a domain with at least two segments separated by dots");
  }
  check_labels(signer, text.substr(domain.size() + 1), kube::dns_subdomain_problems);
}

void check_signing_request(const CheckedField& object) {
  const CheckedField spec = object.at("spec");
  check_request(spec.at("request"));
  check_usages(spec.at("usages"));
  check_signer(spec.at("signerName"));
  const CheckedField life = spec.at("expirationSeconds");
  if (life.is_set() && life.number() < kShortestLife) {
    life.invalid("may not specify a duration less than 600 seconds (10 minutes)");
  }
}

std::size_t count_of(const CheckedField& conditions, std::string_view type) {
  const std::vector<CheckedField> all = conditions.elements();
  return static_cast<std::size_t>(std::count_if(
      all.begin(), all.end(), [&](const CheckedField& condition) { return condition.at("type").text() == type; }));
}

void check_request_conditions(const CheckedField& conditions) {
  std::set<std::string_view> seen;
  for (const CheckedField& condition : conditions.elements()) {
    const std::string_view type = condition.at("type").text();
    if (type.empty()) condition.at("type").required();
    const CheckedField status = condition.at("status");
    if (status.text().empty()) {
      status.required();
    } else if (type == "Approved" || type == "Denied" || type == "Failed") {
      status.one_of({"True"});
    } else {
      status.one_of({"False", "True", "Unknown"});
    }
    const bool contradicts =
        (type == "Approved" && seen.contains("Denied")) || (type == "Denied" && seen.contains("Approved"));
    if (contradicts) conditions.invalid(Value(type), "Approved and Denied conditions are mutually exclusive");
    if (!seen.insert(type).second) condition.at("type").duplicate();
  }
}

/// The status is the signer's; approval has a path of its own.
void check_signing_request_status(const CheckedField& object, const CheckedField& old) {
  const CheckedField conditions = object.at({"status", "conditions"});
  const CheckedField before = old.at({"status", "conditions"});
  check_request_conditions(conditions);
  for (const std::string_view type : {"Approved", "Denied", "Failed"}) {
    if (count_of(conditions, type) < count_of(before, type)) {
      conditions.forbidden(fmt::format("updates may not remove a condition of type \"{}\"", type));
    }
  }
  for (const std::string_view type : {"Approved", "Denied"}) {
    if (count_of(conditions, type) > count_of(before, type)) {
      conditions.forbidden(fmt::format("updates may not add a condition of type \"{}\"", type));
    }
  }
  const CheckedField certificate = object.at({"status", "certificate"});
  const CheckedField old_certificate = old.at({"status", "certificate"});
  if (!certificate.is_same_as(old_certificate) && !old_certificate.is_empty()) {
    certificate.forbidden("updates may not modify existing certificate content");
  }
}

// ---- what the server fills in --------------------------------------------------------------------------------------

Value list_of(const std::vector<std::string>& texts) {
  Array array;
  for (const std::string& text : texts) array.emplace_back(text);
  return Value(std::move(array));
}

/// The requester is the user that the server authenticated, never what the object says.
Value with_requester(Value object, const User& user) {
  object = with_or_without(object, {"spec", "username"}, user.name.empty() ? Value() : Value(user.name));
  object = with_or_without(object, {"spec", "uid"}, user.uid.empty() ? Value() : Value(user.uid));
  object = with_or_without(object, {"spec", "groups"}, user.groups.empty() ? Value() : list_of(user.groups));
  Object extra;
  for (const auto& [key, values] : user.extra) extra.push_back({key, list_of(values), {}});
  return with_or_without(object, {"spec", "extra"}, extra.empty() ? Value() : Value(std::move(extra)));
}

Array items(const Value& object) {
  const Value conditions = value_at(object, {"status", "conditions"});
  return conditions.is_array() ? conditions.array() : Array();
}

std::vector<std::size_t> places_of(const Array& conditions, std::string_view type) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    if (document::text_at(conditions[i], {"type"}) == type) places.push_back(i);
  }
  return places;
}

/// When it last changed to what it says: as an old one that says the same, else now.
Value transition_time(const Value& condition, const Array& before, const Value& now) {
  for (const Value& old : before) {
    const bool is_same = document::text_at(old, {"type"}) == document::text_at(condition, {"type"}) &&
                         document::text_at(old, {"status"}) == document::text_at(condition, {"status"});
    const Value time = value_at(old, {"lastTransitionTime"});
    if (is_same && !is_empty(time)) return time;
  }
  return now;
}

Array completed(Array conditions, const Array& before, const Value& now) {
  for (const std::string_view type : {"Approved", "Denied"}) {
    const std::vector<std::size_t> old_places = places_of(before, type);
    const std::vector<std::size_t> places = places_of(conditions, type);
    if (places.size() != old_places.size()) continue;
    for (std::size_t i = 0; i < places.size(); ++i) conditions[places[i]] = before[old_places[i]];
  }
  for (Value& condition : conditions) {
    if (!condition.is_object()) continue;
    if (is_empty(value_at(condition, {"lastUpdateTime"}))) condition = condition.with("lastUpdateTime", now);
    if (!is_empty(value_at(condition, {"lastTransitionTime"}))) continue;
    condition = condition.with("lastTransitionTime", transition_time(condition, before, now));
  }
  return conditions;
}

/// Source: pkg/registry/certificates/certificates and pkg/apis/certificates/validation, v1.36.
class CertificateSigningRequestStrategy final : public RuledStrategy {
 public:
  using RuledStrategy::RuledStrategy;

  Value prepare_for_create(Value object, StrategyContext& context) const override {
    object = RuledStrategy::prepare_for_create(with_requester(std::move(object), context.user), context);
    return in_wire_order(std::move(object), context);
  }

  /// What is asked for does not change.
  Value prepare_for_update(Value object, const Value& old, StrategyContext& context) const override {
    object = with_or_without(object, {"spec"}, value_at(old, {"spec"}));
    return RuledStrategy::prepare_for_update(std::move(object), old, context);
  }

  Value prepare_for_status_update(const Value& wanted, const Value& old, StrategyContext& context) const override {
    Value object = RuledStrategy::prepare_for_status_update(wanted, old, context);
    Array conditions = completed(items(object), items(old), Value(format_rfc3339(context.now)));
    if (conditions.empty()) return object;
    return in_wire_order(document::with_at(object, {"status", "conditions"}, Value(std::move(conditions))), context);
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_certificate_signing_request_strategy(Traits traits) {
  return std::make_unique<CertificateSigningRequestStrategy>(
      traits, Rules{nullptr, check_signing_request, nullptr, check_signing_request_status});
}

}  // namespace loadline::apiserver
