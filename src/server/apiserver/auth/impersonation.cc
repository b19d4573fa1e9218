#include "server/apiserver/auth/impersonation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "foundation/base/text.h"
#include "objects/kube/decoder.h"
#include "objects/kube/scalars.h"
#include "server/apiserver/auth/attributes.h"
#include "server/apiserver/http/percent_encoding.h"

namespace loadline::apiserver {
namespace {

/// From so many groups or extras on, one question about all of them comes first.
constexpr std::size_t kMany = 4;

/// A list of strings as Go's %#v writes it.
std::string go_list(const std::vector<std::string>& strings) {
  if (strings.empty()) return "[]string(nil)";
  std::vector<std::string> parts;
  parts.reserve(strings.size());
  for (const std::string& each : strings) parts.push_back(kube::quoted(each));
  return "[]string{" + joined(parts, ", ") + "}";
}

/// A user as Go's %#v writes it: upstream's message shows it so.
std::string go_user(const User& user) {
  std::string extra = "map[string][]string(nil)";
  if (!user.extra.empty()) {
    std::vector<std::string> parts;
    parts.reserve(user.extra.size());
    for (const auto& [key, values] : user.extra) parts.push_back(kube::quoted(key) + ":" + go_list(values));
    extra = "map[string][]string{" + joined(parts, ", ") + "}";
  }
  return fmt::format("&user.DefaultInfo{{Name:{}, UID:{}, Groups:{}, Extra:{}}}", kube::quoted(user.name),
                     kube::quoted(user.uid), go_list(user.groups), extra);
}

std::optional<std::string> node_of(std::string_view user) {
  if (!user.starts_with(kNodePrefix)) return std::nullopt;
  const std::string_view name = user.substr(kNodePrefix.size());
  if (!kube::dns_subdomain_problems(name).empty()) return std::nullopt;
  return std::string(name);
}

/// What keeps the key of an extra from being a path below a domain, "acme.io/foo"; empty: nothing.
std::string prefixed_path_fault(std::string_view key) {
  constexpr std::string_view kLetters = "-/._~%!$&'()*+,;=:";
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == key.size()) {
    return fmt::format("extra.key: Invalid value: {}: must be a domain-prefixed path (such as \"acme.io/foo\")",
                       kube::quoted(key));
  }
  const std::string_view host = key.substr(0, slash);
  if (const kube::NameProblems problems = kube::dns_subdomain_problems(host); !problems.empty()) {
    return fmt::format("extra.key: Invalid value: {}: {}", kube::quoted(host), problems.front());
  }
  const std::string_view path = key.substr(slash + 1);
  const bool is_path = std::all_of(path.begin(), path.end(), [&](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
           kLetters.find(letter) != std::string_view::npos;
  });
  if (is_path) return {};
  return fmt::format(
      "extra.key: Invalid value: {}: Invalid path (regex used for validation is "
      "'[A-Za-z0-9/\\-._~%!$&\'()*+,;=:]+')",
      kube::quoted(path));
}

bool is_only_named(const User& user) { return user.uid.empty() && user.groups.empty() && user.extra.empty(); }

enum class Mode { kAssociatedNode, kArbitraryNode, kServiceAccount, kUserInfo, kLegacy };

std::string_view word(Mode mode) {
  switch (mode) {
    case Mode::kAssociatedNode:
      return "associated-node";
    case Mode::kArbitraryNode:
      return "arbitrary-node";
    case Mode::kServiceAccount:
      return "serviceaccount";
    case Mode::kUserInfo:
      return "user-info";
    case Mode::kLegacy:
      break;
  }
  return {};
}

/// Whether a service account runs on the node that it wants to be.
bool is_associated(const User& requestor, std::string_view node) {
  const auto found = requestor.extra.find(kNodeName);
  return split_service_account(requestor.name).has_value() && found != requestor.extra.end() &&
         found->second.size() == 1 && found->second.front() == node;
}

bool applies(Mode mode, const User& wanted, const User& requestor) {
  const auto node = node_of(wanted.name);
  const bool is_account = split_service_account(wanted.name).has_value();
  switch (mode) {
    case Mode::kAssociatedNode:
      return is_only_named(wanted) && node.has_value() && is_associated(requestor, *node);
    case Mode::kArbitraryNode:
      return is_only_named(wanted) && node.has_value();
    case Mode::kServiceAccount:
      return is_only_named(wanted) && is_account;
    case Mode::kUserInfo:
      return !node.has_value() && !is_account;
    case Mode::kLegacy:
      break;
  }
  return true;
}

using Refusal = std::optional<StatusError>;

/// One try of one mode.
class Attempt {
 public:
  Attempt(Mode mode, const User& wanted, const Attributes& request, const Rbac& rbac)
      : mode_(mode), wanted_(wanted), request_(request), rbac_(rbac) {}

  Answer<User> run() const {
    User user = wanted_;
    if (mode_ != Mode::kLegacy) {
      Attributes on = request_;
      on.verb = fmt::format("impersonate-on:{}:{}", word(mode_), request_.verb);
      if (auto refusal = check(on)) return refuse(std::move(*refusal));
    }
    if (auto refusal = check_name(user)) return refuse(std::move(*refusal));
    for (const auto step : {&Attempt::check_uid, &Attempt::check_groups, &Attempt::check_extra}) {
      if (auto refusal = (this->*step)()) return refuse(std::move(*refusal));
    }
    add_implied_group(user);
    return user;
  }

 private:
  [[nodiscard]] bool is_constrained() const { return mode_ != Mode::kLegacy; }

  [[nodiscard]] Refusal check(const Attributes& asked) const {
    Decision decision = rbac_.authorize(asked);
    if (decision.is_allowed) return std::nullopt;
    return not_allowed(asked, decision.reason);
  }

  [[nodiscard]] Attributes about(std::string_view resource, std::string_view name, std::string_view group) const {
    Attributes asked;
    asked.user = request_.user;
    asked.verb = is_constrained() ? fmt::format("impersonate:{}", word(mode_)) : "impersonate";
    asked.is_resource = true;
    asked.group = group;
    asked.version = "v1";
    asked.resource = resource;
    asked.name = name;
    return asked;
  }

  /// Users and groups belonged to the core group before there were modes.
  [[nodiscard]] std::string_view name_group() const { return is_constrained() ? kAuthenticationGroup : ""; }

  [[nodiscard]] Refusal check_name(User& user) const {
    Attributes asked = about("users", wanted_.name, name_group());
    if (const auto node = is_constrained() ? node_of(wanted_.name) : std::nullopt) {
      asked.resource = "nodes";
      // Which node it is, the mode has found out already.
      asked.name = mode_ == Mode::kAssociatedNode ? "*" : *node;
      user.groups = {std::string(kNodes)};
    }
    if (const auto account = split_service_account(wanted_.name)) {
      asked.resource = "serviceaccounts";
      asked.name_space = account->first;
      asked.name = account->second;
      if (wanted_.groups.empty()) user.groups = service_account_groups(account->first);
    }
    return check(asked);
  }

  [[nodiscard]] Refusal check_uid() const {
    if (wanted_.uid.empty()) return std::nullopt;
    return check(about("uids", wanted_.uid, kAuthenticationGroup));
  }

  [[nodiscard]] Refusal check_groups() const {
    if (is_constrained()) {
      if (wanted_.is_in("")) {
        return not_allowed(about("groups", "", name_group()), "impersonating the empty string group is not allowed");
      }
      if (wanted_.is_in(kMasters)) {
        return not_allowed(about("groups", kMasters, name_group()),
                           "impersonating the system:masters group is not allowed");
      }
      if (wanted_.groups.size() >= kMany && !check(about("groups", "*", name_group()))) return std::nullopt;
    }
    for (const std::string& group : wanted_.groups) {
      if (auto refusal = check(about("groups", group, name_group()))) return refusal;
    }
    return std::nullopt;
  }

  [[nodiscard]] Refusal check_extra() const {
    std::size_t values_in_all = 0;
    for (const auto& [key, values] : wanted_.extra) {
      values_in_all += values.size();
      if (const std::string why = is_constrained() ? extra_fault(key, values) : std::string(); !why.empty()) {
        return not_allowed(about("userextras", "", kAuthenticationGroup), why);
      }
    }
    if (is_constrained() && values_in_all >= kMany) {
      Attributes all = about("userextras", "*", kAuthenticationGroup);
      all.subresource = "*";
      if (!check(all)) return std::nullopt;
    }
    for (const auto& [key, values] : wanted_.extra) {
      for (const std::string& value : values) {
        Attributes asked = about("userextras", value, kAuthenticationGroup);
        asked.subresource = key;
        if (auto refusal = check(asked)) return refusal;
      }
    }
    return std::nullopt;
  }

  static std::string extra_fault(std::string_view key, const std::vector<std::string>& values) {
    if (key.empty()) return "impersonating the empty string key in extra is not allowed";
    if (const std::string fault = prefixed_path_fault(key); !fault.empty()) {
      return "impersonating an invalid key in extra is not allowed: " + fault;
    }
    if (key != kube::lower_case(key)) {
      return "impersonating a non-lowercase key in extra is not allowed: " + kube::quoted(key);
    }
    if (std::find(values.begin(), values.end(), "") != values.end()) {
      return "impersonating the empty string value in extra is not allowed";
    }
    return {};
  }

  static void add_implied_group(User& user) {
    if (user.name == kAnonymous) {
      if (!user.is_in(kUnauthenticated)) user.groups.emplace_back(kUnauthenticated);
    } else if (!user.is_in(kUnauthenticated) && !user.is_in(kAuthenticated)) {
      user.groups.emplace_back(kAuthenticated);
    }
  }

  Mode mode_;
  const User& wanted_;
  const Attributes& request_;
  const Rbac& rbac_;
};

}  // namespace

std::optional<std::pair<std::string, std::string>> split_service_account(std::string_view user) {
  if (!user.starts_with(kServiceAccountPrefix)) return std::nullopt;
  const std::vector<std::string_view> parts = split(user.substr(kServiceAccountPrefix.size()), ":");
  if (parts.size() != 2 || !kube::dns_label_problems(parts[0]).empty() ||
      !kube::dns_subdomain_problems(parts[1]).empty()) {
    return std::nullopt;
  }
  return std::pair(std::string(parts[0]), std::string(parts[1]));
}

Answer<std::optional<User>> read_impersonation(std::span<const Header> headers) {
  constexpr std::string_view kExtra = "impersonate-extra-";
  User wanted;
  for (const auto& [header, value] : headers) {
    const std::string name = kube::lower_case(header);
    if (name == "impersonate-user" && wanted.name.empty()) {
      wanted.name = value;
    } else if (name == "impersonate-uid" && wanted.uid.empty()) {
      wanted.uid = value;
    } else if (name == "impersonate-group") {
      wanted.groups.emplace_back(value);
    } else if (name.starts_with(kExtra)) {
      const std::string key = name.substr(kExtra.size());
      wanted.extra[percent_decoded(key).value_or(key)].emplace_back(value);  // a broken one is taken as it is
    }
  }
  if (wanted.name.empty() && !is_only_named(wanted)) {
    return refuse(bad_request(fmt::format("requested {} without impersonating a user name", go_user(wanted))));
  }
  if (wanted.name.empty()) return std::nullopt;
  return wanted;
}

Answer<User> impersonate(const User& wanted, const Attributes& request, const Rbac& rbac) {
  constexpr std::array kModes = {Mode::kAssociatedNode, Mode::kArbitraryNode, Mode::kServiceAccount, Mode::kUserInfo,
                                 Mode::kLegacy};
  std::optional<StatusError> first;
  for (const Mode mode : kModes) {
    if (!applies(mode, wanted, *request.user)) continue;
    Answer<User> user = Attempt(mode, wanted, request, rbac).run();
    if (user.has_value()) return user;
    if (!first.has_value()) first = std::move(user.error());
  }
  return refuse(std::move(*first));  // the last mode applies to every user
}

}  // namespace loadline::apiserver
