#include <array>
#include <string>
#include <vector>

#include "foundation/base/text.h"
#include "server/api/columns/columns.h"
#include "server/api/columns/reading.h"

namespace loadline::api {
namespace {

using document::Value;

constexpr std::array kBindingColumns = {
    kName,
    TableColumn{"Role", "string", "", "The role that is granted."},
    kAge,
    TableColumn{"Users", "string", "", "The users that it is granted to.", 1},
    TableColumn{"Groups", "string", "", "The groups that it is granted to.", 1},
    TableColumn{"ServiceAccounts", "string", "", "The service accounts that it is granted to.", 1},
};

void write_binding(const Value& object, CellWriter& cells) {
  std::vector<std::string_view> users;
  std::vector<std::string_view> groups;
  std::vector<std::string> accounts;
  for (const Value& subject : elements_at(object, "subjects")) {
    const std::string_view kind = text_at(subject, "kind");
    const std::string_view name = text_at(subject, "name");
    if (kind == "User") users.push_back(name);
    if (kind == "Group") groups.push_back(name);
    if (kind == "ServiceAccount") {
      accounts.push_back(std::string(text_at(subject, "namespace")).append("/").append(name));
    }
  }
  cells.text(name_of(object));
  cells.text(std::string(text_at(object, "roleRef", "kind")).append("/").append(text_at(object, "roleRef", "name")));
  cells.age(object);
  cells.text(joined(users, ", "));
  cells.text(joined(groups, ", "));
  cells.text(joined(accounts, ", "));
}

// Roles have no entry: the API server shows their name and creation only.
constexpr std::array kRbacKinds = {
    KindColumns{"rbac.authorization.k8s.io", "RoleBinding", kBindingColumns, write_binding},
    KindColumns{"rbac.authorization.k8s.io", "ClusterRoleBinding", kBindingColumns, write_binding},
};

}  // namespace

std::span<const KindColumns> rbac_columns() { return kRbacKinds; }

}  // namespace loadline::api
