#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/document/value.h"
#include "server/apiserver/auth/attributes.h"
#include "server/apiserver/auth/policy_rule.h"
#include "server/apiserver/auth/role.h"

namespace loadline::apiserver {

/// An authorizer's answer. The reason is upstream's text: why it was allowed, or the error that kept the authorizer
/// from deciding; empty for a plain no, and for members of system:masters.
struct Decision {
  bool is_allowed = false;
  std::string reason;
};

struct RoleReference {
  std::string kind;  ///< "Role" or "ClusterRole"
  std::string name;
  std::string group;
};

/// What a user may do somewhere. Rules are only ever added, so they hold even if some role is missing.
struct ResolvedRules {
  PolicyRules rules;
  std::vector<RoleReference> missing;  ///< roles that bindings name and that do not exist, or of unknown kinds
};

/// The words for what is missing: one error as it is, several as `[a, b]`; empty if nothing is. `resource` is what
/// roles are called: an informer says "clusterrole" and "role" (empty), the registry the resource that the request is
/// about.
[[nodiscard]] std::string missing_roles_text(const std::vector<RoleReference>& missing, std::string_view resource = {});

/// Roles and bindings, indexed by the subjects that they are about, and the authorizer over them.
///
/// A question costs one look-up for the user and each group, at the cluster scope and in the namespace, and then the
/// rules of the bindings found: bindings of others cost nothing. Where upstream goes through bindings in no order, this
/// goes by name.
/// Source: k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac and pkg/registry/rbac/validation, v1.36.
class Rbac {
 public:
  Rbac() = default;
  Rbac(const Rbac&) = delete;
  Rbac& operator=(const Rbac&) = delete;

  /// Takes note that the object is now so; null: gone. Resources other than roles, clusterroles, rolebindings and
  /// clusterrolebindings are passed over. `name_space` is empty for cluster-wide ones. O(subjects · log bindings).
  void update(std::string_view resource, std::string_view name_space, std::string_view name,
              const document::Value* object);

  [[nodiscard]] Decision authorize(const Attributes& asked) const;

  /// All rules that hold for the user at the cluster scope and, unless it is empty, in the namespace.
  [[nodiscard]] ResolvedRules rules_for(const User& user, std::string_view name_space) const;

  /// The rules of the role that a binding in this namespace refers to, or null if there is none.
  [[nodiscard]] const PolicyRules* find_rules(const RoleReference& role, std::string_view name_space) const;

  /// Aggregated ClusterRoles whose rules are not what they should be, with the `rules` to write. Writing them may leave
  /// others stale, since roles aggregate roles: ask again. O(aggregated roles · roles).
  [[nodiscard]] std::vector<std::pair<std::string, document::Value>> stale_aggregations() const;

 private:
  struct Subject {
    std::string kind;
    std::string name;
    std::string name_space;
  };
  struct Binding {
    std::string name;
    RoleReference role;
    std::vector<Subject> subjects;
  };
  /// A binding and which of its subjects is meant.
  struct Match {
    const Binding* binding = nullptr;
    std::size_t subject = 0;
  };
  using Matches = std::vector<Match>;
  using Index = std::map<std::string, Matches, std::less<>>;
  /// The bindings of a namespace, or of the cluster.
  struct Scope {
    std::map<std::string, Binding, std::less<>> bindings;
    Index by_user;  ///< service accounts by their user name
    Index by_group;
  };
  /// Where bindings to a subject are listed.
  struct Place {
    Index* index = nullptr;
    std::string key;
  };

  void update_binding(std::string_view name_space, std::string_view name, const document::Value* object);
  static std::optional<Place> place_of(Scope& scope, const Subject& subject, std::string_view name_space);
  static void forget(Scope& scope, const Binding& binding, std::string_view name_space);
  /// Of each binding that applies, the first subject that does; by name.
  [[nodiscard]] Matches find_matches(const User& user, std::string_view name_space) const;
  /// Calls `visit(match, rules)`, null rules if the role is missing, until it returns false.
  template <class Visit>
  bool visit_scope(const User& user, std::string_view name_space, const Visit& visit) const;
  static std::string description(const Match& match, std::string_view name_space);

  RolesByName cluster_roles_;
  std::map<std::string, RolesByName, std::less<>> roles_;  // by namespace
  std::map<std::string, Scope, std::less<>> scopes_;       // by namespace; empty: the cluster
};

}  // namespace loadline::apiserver
