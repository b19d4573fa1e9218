#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "foundation/base/virtual_loop.h"
#include "foundation/document/value.h"
#include "hosts/embedded/cluster.h"
#include "objects/kube/client.h"

namespace loadline::roles {

/// A cluster in virtual time that two namespaces share, `mine` and `theirs`. Users named as roles, `view`, `edit`,
/// `admin` and `all`, are bound to them in `mine`; `all` to cluster-admin, which in a namespace is every right there.
class SharedCluster {
 public:
  /// Makes what tests/roles/world.yaml says.
  SharedCluster();
  SharedCluster(const SharedCluster&) = delete;
  SharedCluster& operator=(const SharedCluster&) = delete;
  ~SharedCluster();

  /// Makes one request of an attempt as that user: `create`, `patch` or `delete` with an object; `of` and `subresource`
  /// where it is about a part of an object. Its status: 201 or 200 if it was carried out.
  int attempt(const std::string& user, const document::Value& request);

  /// Whether any write was carried out since the cluster was made.
  [[nodiscard]] bool has_changed() const;

  /// Has the scheduler begin anew, then makes what tests/roles/later.yaml says and lets half a minute pass.
  void go_on();

  /// What `theirs` has now, and the nodes: a line each, by name.
  [[nodiscard]] std::map<std::string, std::string> theirs();

 private:
  kube::ResourceReference reference_to(const document::Value& object) const;
  void create_all(const std::string& file);
  std::vector<document::Value> list(const kube::ResourceReference& of);

  VirtualLoop loop_;
  std::unique_ptr<embedded::Cluster> cluster_;
  std::unique_ptr<kube::Client> owner_;
  std::map<std::string, std::unique_ptr<kube::Client>> users_;
  std::int64_t revision_ = 0;
};

/// The documents of a file of this folder.
[[nodiscard]] std::vector<document::Value> read_documents(const std::string& file);

}  // namespace loadline::roles
