#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "brain/admission/rejection.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/objects.h"

namespace loadline::admission {

/// The account of pods that name none; a controller makes one in every namespace.
inline constexpr std::string_view kDefaultServiceAccount = "default";

/// What the ServiceAccount plugin says of a pod whose account does not exist.
/// Source: plugin/pkg/admission/serviceaccount, v1.36.
[[nodiscard]] Rejection no_service_account(std::string_view name_space, std::string_view name);

/// The ServiceAccounts of a cluster, for pods of a plan. Folders of manifests rarely hold the accounts that they count
/// on, so a pod is refused only where the input shows all accounts of its namespace: an API server was asked for them,
/// or the namespace's default account, which is in every cluster and in hardly any manifest, came from one.
class ServiceAccounts {
 public:
  explicit ServiceAccounts(const kube::Objects& cluster);

  [[nodiscard]] std::optional<Rejection> judge(const std::string& name_space, const kube::PodSpec& spec) const;

  [[nodiscard]] bool knows_all(const std::string& name_space) const;
  [[nodiscard]] bool has(const std::string& name_space, const std::string& name) const;
  /// By namespace.
  [[nodiscard]] const std::map<std::string, std::set<std::string>>& names() const { return names_; }

 private:
  std::map<std::string, std::set<std::string>> names_;
  std::set<std::string> shown_;  // namespaces
  bool is_whole_cluster_ = false;
};

}  // namespace loadline::admission
