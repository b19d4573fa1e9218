#include "bench/subjects/pods.h"

#include <fmt/format.h>

namespace loadline::bench {

std::string pod_json(const std::string& name) {
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{}","labels":{{"app":"web","pod-template-hash":"6d4cf56db6","tier":"front"}},"annotations":{{"example.com/build":"2026-11-21.4","example.com/owner":"team-a"}}}},"spec":{{"containers":[{{"name":"web","image":"registry.example.com/web:1.27","ports":[{{"containerPort":8080,"name":"http"}}],"env":[{{"name":"MODE","value":"production"}},{{"name":"POD_NAME","valueFrom":{{"fieldRef":{{"fieldPath":"metadata.name"}}}}}}],"resources":{{"requests":{{"cpu":"100m","memory":"128Mi"}},"limits":{{"memory":"256Mi"}}}},"readinessProbe":{{"httpGet":{{"path":"/ready","port":"http"}},"periodSeconds":5}},"volumeMounts":[{{"name":"cache","mountPath":"/var/cache/web"}}]}}],"volumes":[{{"name":"cache","emptyDir":{{}}}}],"nodeSelector":{{"kubernetes.io/os":"linux"}}}}}})",
      name);
}

std::string pods_path(const std::string& name_space) { return fmt::format("/api/v1/namespaces/{}/pods", name_space); }

net::Request create_pod(const Session& session, const std::string& name_space, const std::string& name) {
  return session.request("POST", pods_path(name_space), pod_json(name));
}

net::Request patch_status(const Session& session, const std::string& name_space, const std::string& name,
                          std::size_t turn) {
  std::string body = fmt::format(
      R"({{"status":{{"phase":"Running","podIP":"10.0.{}.{}","conditions":[{{"type":"Ready","status":"True","lastProbeTime":null,"lastTransitionTime":"2026-11-21T10:00:00Z"}}]}}}})",
      turn / 250 % 250, turn % 250);
  return session.request("PATCH", pods_path(name_space) + "/" + name + "/status", std::move(body),
                         "application/merge-patch+json");
}

Result<void> make_namespace(Session& session, const std::string& name) {
  const Result<net::Response> made = session.expect(
      201,
      session.request("POST", "/api/v1/namespaces",
                      fmt::format(R"({{"apiVersion":"v1","kind":"Namespace","metadata":{{"name":"{}"}}}})", name)));
  if (!made) return tl::unexpected(made.error());
  return {};
}

}  // namespace loadline::bench
