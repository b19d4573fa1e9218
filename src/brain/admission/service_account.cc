#include "brain/admission/service_account.h"

#include <fmt/format.h>

#include "objects/kube/core/service_account.h"

namespace loadline::admission {

Rejection no_service_account(std::string_view name_space, std::string_view name) {
  return {
      Plugin::kServiceAccount,
      {std::string(name)},
      {fmt::format("error looking up service account {}/{}: serviceaccount \"{}\" not found", name_space, name, name)}};
}

ServiceAccounts::ServiceAccounts(const kube::Objects& cluster) : is_whole_cluster_(cluster.is_whole_cluster) {
  for (const kube::ServiceAccount& account : cluster.of<kube::ServiceAccount>()) {
    const kube::ObjectMeta& metadata = account.metadata;
    names_[metadata.namespace_].insert(metadata.name);
    if (metadata.name == kDefaultServiceAccount && metadata.from_cluster()) shown_.insert(metadata.namespace_);
  }
}

bool ServiceAccounts::knows_all(const std::string& name_space) const {
  return is_whole_cluster_ || shown_.contains(name_space);
}

bool ServiceAccounts::has(const std::string& name_space, const std::string& name) const {
  if (name.empty() || name == kDefaultServiceAccount) return true;
  const auto found = names_.find(name_space);
  return found != names_.end() && found->second.contains(name);
}

std::optional<Rejection> ServiceAccounts::judge(const std::string& name_space, const kube::PodSpec& spec) const {
  const std::string& name = spec.service_account_name;
  if (has(name_space, name) || !knows_all(name_space)) return std::nullopt;
  return no_service_account(name_space, name);
}

}  // namespace loadline::admission
