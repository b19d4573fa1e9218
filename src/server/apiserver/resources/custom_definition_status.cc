#include "server/apiserver/resources/custom_definition_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "foundation/base/text.h"
#include "foundation/document/at.h"
#include "objects/kube/condition.h"
#include "objects/kube/decoder.h"
#include "server/apiserver/subresources/conditions.h"

namespace loadline::apiserver {
namespace {

using document::Array;
using document::Object;
using document::text_at;
using document::Value;

using Names = std::set<std::string, std::less<>>;

Value member(const Value& names, std::string_view name) {
  const Value* value = names.find(name);
  return value == nullptr ? Value() : *value;
}

/// What came of the names that a definition asks for.
class Settlement {
 public:
  Settlement(const Value& wanted, const Value& accepted, const TakenNames& taken)
      : wanted_(wanted), accepted_(accepted), taken_(taken) {}

  /// In the order of upstream's type.
  Value settle() {
    Object names;
    take(names, "plural", "PluralConflict", taken_.resources);
    take(names, "singular", "SingularConflict", taken_.resources);
    take_short_names(names);
    take(names, "kind", "KindConflict", taken_.kinds);
    take(names, "listKind", "ListKindConflict", taken_.kinds);
    add(names, "categories", member(wanted_, "categories"));
    return Value(std::move(names));
  }

  // Of the last conflict; empty: there is none.
  std::string reason;
  std::string message;

 private:
  static void add(Object& names, std::string_view name, Value value) {
    if (!value.is_null()) names.push_back({std::string(name), std::move(value), {}});
  }

  void take(Object& names, std::string_view name, std::string_view conflict, const Names& taken) {
    const std::string_view asked = text_at(wanted_, {name});
    const bool is_free = asked == text_at(accepted_, {name}) || !taken.contains(asked);
    if (!is_free) {
      reason = conflict;
      message = fmt::format("{} is already in use", kube::quoted(asked));
    }
    add(names, name, member(is_free ? wanted_ : accepted_, name));
  }

  void take_short_names(Object& names) {
    const Value asked = member(wanted_, "shortNames");
    const Value own = member(accepted_, "shortNames");
    std::vector<std::string> conflicts;
    if (asked.is_array() && asked != own) {
      for (const Value& name : asked.array()) {
        if (!name.is_string() || name.string().empty()) continue;
        const bool is_own =
            own.is_array() && std::find(own.array().begin(), own.array().end(), name) != own.array().end();
        if (is_own || !taken_.resources.contains(name.string())) continue;
        conflicts.push_back(fmt::format("{} is already in use", kube::quoted(name.string())));
      }
    }
    if (!conflicts.empty()) {
      reason = "ShortNamesConflict";
      message = conflicts.size() == 1 ? conflicts.front() : "[" + joined(conflicts, ", ") + "]";
    }
    add(names, "shortNames", conflicts.empty() ? asked : own);
  }

  const Value& wanted_;
  const Value& accepted_;
  const TakenNames& taken_;
};

/// Definitions in groups of Kubernetes' own need approval by its API reviewers.
/// Source: apiextensions-apiserver's pkg/apihelpers and pkg/controller/apiapproval, v0.36.
bool is_protected(std::string_view group) {
  const auto is_in = [&](std::string_view domain) {
    return group == domain || (group.ends_with(domain) && group[group.size() - domain.size() - 1] == '.');
  };
  return is_in("k8s.io") || is_in("kubernetes.io");
}

/// The definition with what its annotation says of that approval; unchanged if its group needs none.
Value with_approval(const Value& definition, Instant now) {
  if (!is_protected(text_at(definition, {"spec", "group"}))) return definition;
  constexpr std::string_view kAnnotation = "api-approved.kubernetes.io";
  constexpr std::string_view kSee = "see https://github.com/kubernetes/enhancements/pull/1111";
  const std::string_view value = text_at(definition, {"metadata", "annotations", kAnnotation});
  const auto conformant = [&](std::string_view status, std::string_view reason, const std::string& message) {
    return with_state(definition, "KubernetesAPIApprovalPolicyConformant", status, reason, message, now);
  };
  if (value.empty()) {
    return conformant("False", "MissingAnnotation",
                      fmt::format("protected groups must have approval annotation \"{}\", {}", kAnnotation, kSee));
  }
  if (value.starts_with("unapproved")) {
    return conformant("False", "UnapprovedAnnotation", fmt::format("not approved: {}", kube::quoted(value)));
  }
  const std::size_t scheme = value.find("://");
  const bool is_url = scheme != std::string_view::npos && scheme > 0 && scheme + 3 < value.size();
  if (is_url) return conformant("True", "ApprovedAnnotation", fmt::format("approved in {}", value));
  return conformant("False", "InvalidAnnotation",
                    fmt::format("protected groups must have approval annotation \"{}\" with either a URL or a reason "
                                "starting with \"unapproved\", {}",
                                kAnnotation, kSee));
}

}  // namespace

void TakenNames::add(const Value& definition) {
  const Value* names = document::find_at(definition, {"status", "acceptedNames"});
  if (names == nullptr) return;
  resources.emplace(text_at(*names, {"plural"}));
  resources.emplace(text_at(*names, {"singular"}));
  if (const Value* shorts = names->find("shortNames"); shorts != nullptr && shorts->is_array()) {
    for (const Value& name : shorts->array()) {
      if (name.is_string()) resources.insert(name.string());
    }
  }
  kinds.emplace(text_at(*names, {"kind"}));
  kinds.emplace(text_at(*names, {"listKind"}));
}

Value with_names_settled(const Value& definition, const TakenNames& taken, Instant now) {
  const Value* wanted = document::find_at(definition, {"spec", "names"});
  if (wanted == nullptr) return definition;
  const Value* accepted = document::find_at(definition, {"status", "acceptedNames"});
  const Value nothing((Object()));
  Value settled = with_approval(definition, now);
  if (accepted == nullptr || *accepted != *wanted) {
    Settlement settlement(*wanted, accepted == nullptr ? nothing : *accepted, taken);
    settled = document::with_at(settled, {"status", "acceptedNames"}, settlement.settle());
    const bool is_free = settlement.reason.empty();
    settled =
        with_state(settled, "NamesAccepted", is_free ? "True" : "False", is_free ? "NoConflicts" : settlement.reason,
                   is_free ? "no conflicts found" : settlement.message, now);
  }
  if (kube::has_true_condition(settled, "Established")) return settled;
  // Upstream says "Installing" first, for servers that do not know of it yet; here there is one server.
  if (kube::has_true_condition(settled, "NamesAccepted")) {
    return with_state(settled, "Established", "True", "InitialNamesAccepted", "the initial names have been accepted",
                      now);
  }
  return with_state(settled, "Established", "False", "NotAccepted", "not all names are accepted", now);
}

Value with_terminating(const Value& definition, bool is_under_way, std::string_view reason, std::string_view message,
                       Instant now) {
  return with_state(definition, "Terminating", is_under_way ? "True" : "False", reason, message, now);
}

}  // namespace loadline::apiserver
