#include "roles/shared_cluster.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>
#include <vector>

#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "objects/kube/condition.h"
#include "objects/schema/catalog.h"
#include "server/apiserver/auth/user.h"
#include "server/apiserver/server_context.h"

namespace loadline::roles {
namespace {

using document::Value;

constexpr Duration kStart = Duration::seconds(1'767'225'600);
constexpr std::pair<const char*, const char*> kRoles[] = {
    {"view", "view"}, {"edit", "edit"}, {"admin", "admin"}, {"all", "cluster-admin"}};

Value yaml(const std::string& text) { return document::read_yaml(text, "roles").documents.at(0); }

/// Of eight CPUs, in that room.
Value node(const std::string& name, const std::string& room, int gpus, const std::string& taints) {
  return yaml(fmt::format(R"(
apiVersion: v1
kind: Node
metadata: {{name: {0}, labels: {{kubernetes.io/hostname: {0}, room: {1}, topology.kubernetes.io/zone: z}}}}
spec: {{taints: [{3}]}}
status:
  capacity: {{cpu: "8", memory: 32Gi, pods: "110", nvidia.com/gpu: "{2}"}}
  allocatable: {{cpu: "8", memory: 32Gi, pods: "110", nvidia.com/gpu: "{2}"}}
)",
                          name, room, gpus, taints));
}

std::string json(const Value& of, std::initializer_list<std::string_view> path) {
  const Value* value = &of;
  for (const std::string_view name : path) {
    value = value->find(name);
    if (value == nullptr) return "";
  }
  return document::write_json(*value);
}

}  // namespace

std::vector<Value> read_documents(const std::string& file) {
  std::ifstream stream("tests/roles/" + file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  document::Reading reading = document::read_yaml(text, file);
  for (const Diagnostic& problem : reading.problems) throw std::runtime_error(problem.to_string());
  if (reading.documents.empty()) throw std::runtime_error(file + " holds nothing");
  return std::move(reading.documents);
}

SharedCluster::SharedCluster() : loop_(Instant{} + kStart) {
  embedded::ClusterOptions options;
  options.plane.seed = 1;
  options.plane.commits_on_loop = true;
  options.nodes = {node("common-1", "common", 0, ""), node("common-2", "common", 0, ""), node("gpus", "gpu", 2, ""),
                   node("taken", "taken", 0, "{key: dedicated, value: other, effect: NoSchedule}"),
                   node("mine", "mine", 0, "")};
  Result<std::unique_ptr<embedded::Cluster>> cluster = embedded::Cluster::open(loop_, std::move(options));
  if (!cluster) throw std::runtime_error(cluster.error().message);
  cluster_ = std::move(*cluster);
  owner_ = cluster_->client("owner");
  bool is_ready = false;  // which it is once it has its nodes
  cluster_->when_ready([&](const Result<void>& ready) { is_ready = ready.has_value(); });
  loop_.advance(Duration::seconds(1));
  if (!is_ready) throw std::runtime_error("the cluster does not become ready");
  create_all("world.yaml");
  for (const auto& [user, role] : kRoles) {
    owner_->create({"rbac.authorization.k8s.io", "v1", "rolebindings", "mine"},
                   yaml(fmt::format(R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {{name: {0}}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: {1}}}
subjects: [{{apiGroup: rbac.authorization.k8s.io, kind: User, name: {0}}}]
)",
                                    user, role)),
                   [](const kube::Answer<Value>& answer) {
                     if (!answer) throw std::runtime_error(answer.error().message);
                   });
    users_[user] = cluster_->plane().client({user, "", {std::string(apiserver::kAuthenticated)}, {}}, user);
  }
  loop_.advance(Duration::seconds(5));
  revision_ = cluster_->plane().store().revision();
}

SharedCluster::~SharedCluster() {
  users_.clear();
  owner_.reset();
}

/// Where an object is, or is to be; in `mine`, if it does not say.
kube::ResourceReference SharedCluster::reference_to(const Value& object) const {
  const std::string version(document::text_at(object, {"apiVersion"}));
  const std::string kind(document::text_at(object, {"kind"}));
  const std::size_t slash = version.find('/');
  const schema::GroupVersionKind type{slash == std::string::npos ? "" : version.substr(0, slash),
                                      slash == std::string::npos ? version : version.substr(slash + 1), kind};
  const auto resource = cluster_->plane().context().catalog.find_kind(type);
  if (resource == nullptr) throw std::runtime_error("no such kind: " + version + " " + kind);
  kube::ResourceReference of{type.group, type.version, resource->plural};
  const std::string name_space(document::text_at(object, {"metadata", "namespace"}));
  if (resource->is_namespaced) of.name_space = name_space.empty() ? "mine" : name_space;
  of.name = document::text_at(object, {"metadata", "name"});
  return of;
}

void SharedCluster::create_all(const std::string& file) {
  for (const Value& object : read_documents(file)) {
    kube::ResourceReference of = reference_to(object);
    of.name.clear();
    owner_->create(of, object, [&object](const kube::Answer<Value>& answer) {
      if (!answer) throw std::runtime_error(answer.error().message + ": " + document::write_json(object));
    });
    // A pod after the other, so that who is asked first does not depend on what else happens.
    loop_.advance(Duration::seconds(1));
  }
}

int SharedCluster::attempt(const std::string& user, const Value& request) {
  kube::Client& client = *users_.at(user);
  int status = 0;
  const auto done = [&](int if_done) {
    return [&status, if_done](const kube::Answer<Value>& answer) { status = answer ? if_done : answer.error().code; };
  };
  const auto verb = [&](const char* name) { return request.find(name); };
  const Value* object = nullptr;
  for (const char* name : {"create", "patch", "delete"}) {
    if (verb(name) != nullptr) object = verb(name);
  }
  if (object == nullptr) throw std::runtime_error("no request: " + document::write_json(request));
  const Value* about = request.find("of");
  kube::ResourceReference of = reference_to(about == nullptr ? *object : *about);
  of.subresource = document::text_at(request, {"subresource"});
  if (verb("create") != nullptr) {
    if (of.subresource.empty()) of.name.clear();
    client.create(of, *object, done(201));
  } else if (verb("patch") != nullptr) {
    client.patch(of, {kube::PatchType::kMerge, *object}, done(200));
  } else {
    client.remove(of, {}, done(200));
  }
  loop_.advance(Duration::seconds(1));
  return status;
}

bool SharedCluster::has_changed() const { return cluster_->plane().store().revision() != revision_; }

void SharedCluster::go_on() {
  loop_.advance(Duration::seconds(5));
  if (const Result<void> begun = cluster_->restart_control({}); !begun) throw std::runtime_error(begun.error().message);
  loop_.advance(Duration::seconds(2));
  create_all("later.yaml");
  loop_.advance(Duration::seconds(30));
}

std::vector<Value> SharedCluster::list(const kube::ResourceReference& of) {
  std::vector<Value> items;
  owner_->list(of, {}, [&](const kube::Answer<kube::ObjectList>& answer) {
    if (!answer) throw std::runtime_error(answer.error().message);
    items = answer->items;
  });
  loop_.run_until_idle();
  return items;
}

std::map<std::string, std::string> SharedCluster::theirs() {
  std::map<std::string, std::string> lines;
  const auto note = [&](std::string_view kind, const Value& object, std::string text) {
    lines[fmt::format("{} {}", kind, document::text_at(object, {"metadata", "name"}))] = std::move(text);
  };
  for (const Value& pod : list({"", "v1", "pods", "theirs"})) {
    note("pod", pod,
         fmt::format("{} on {}", document::text_at(pod, {"status", "phase"}),
                     document::text_at(pod, {"spec", "nodeName"})));
  }
  for (const Value& group : list({"scheduling.k8s.io", "v1alpha2", "podgroups", "theirs"})) {
    const Value* condition = kube::find_condition(group, "PodGroupScheduled");
    note("group", group, condition == nullptr ? "" : std::string(document::text_at(*condition, {"status"})));
  }
  for (const Value& room : list({"loadline.dev", "v1alpha1", "reservations", "theirs"})) {
    note("room", room,
         fmt::format("held {} consumed {}", json(room, {"status", "held"}), json(room, {"status", "consumed"})));
  }
  for (const Value& room : list({"scheduling.koordinator.sh", "v1alpha1", "reservations", ""})) {
    note("shared room", room,
         fmt::format("{} on {}", document::text_at(room, {"status", "phase"}), json(room, {"status", "nodeName"})));
  }
  for (const Value& machine : list({"", "v1", "nodes"})) {
    note("node", machine,
         json(machine, {"metadata", "labels"}) + json(machine, {"spec"}) + json(machine, {"status", "allocatable"}));
  }
  return lines;
}

}  // namespace loadline::roles
