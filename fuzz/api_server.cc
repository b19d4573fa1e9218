// Any request to a whole API server: a line with method and target, one with the Content-Type, one with Accept, and the
// body. It is answered, whole, in the form that it says, and the server lives on. Writes are dry runs unless they say
// otherwise, so that one input hardly depends on those before it.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "foundation/document/reader.h"
#include "server/apiserver/testing/test_server.h"

namespace {

using loadline::apiserver::Reply;
using loadline::apiserver::TestServer;

constexpr std::size_t kMostRequests = 2000;  // to one server, which keeps what it answered
constexpr std::int64_t kMostChanges = 100;

constexpr std::string_view kDefinition =
    R"({"metadata":{"name":"gadgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{"kind":"Gadget",)"
    R"("plural":"gadgets"},"versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{},"scale":)"
    R"({"specReplicasPath":".spec.size","statusReplicasPath":".status.n"}},"schema":{"openAPIV3Schema":{"type":"object",)"
    R"("properties":{"spec":{"type":"object","properties":{"size":{"type":"integer","default":1},"ports":{"type":"array",)"
    R"("x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["port"],"items":{"type":"object","required":["port"],)"
    R"("properties":{"port":{"type":"integer"}}}}}},"status":{"type":"object",)"
    R"("x-kubernetes-preserve-unknown-fields":true}}}}}]}})";

void want(const Reply& reply) {
  if (reply.status >= 400) __builtin_trap();
}

std::unique_ptr<TestServer> furnished() {
  auto server = std::make_unique<TestServer>();
  const std::string core = "/api/v1/namespaces/default/";
  want(server->post(core + "configmaps", R"({"metadata":{"name":"a","labels":{"app":"x"}},"data":{"k":"v"}})"));
  want(server->post(core + "pods", R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})"));
  want(server->post(core + "services",
                    R"({"metadata":{"name":"s"},"spec":{"clusterIP":"None","ports":[{"port":80}]}})"));
  want(server->post("/apis/apps/v1/namespaces/default/deployments",
                    R"({"metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":)"
                    R"({"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})"));
  want(server->post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", kDefinition));
  server->loop().run_until_idle();
  want(server->post("/apis/example.com/v1/namespaces/default/gadgets",
                    R"({"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"g"},"spec":{"size":2}})"));
  return server;
}

/// The server, a new one if the last has been asked or changed a lot.
TestServer& server() {
  static auto& current = *new std::unique_ptr<TestServer>();
  static std::size_t requests = 0;
  static std::int64_t begin = 0;
  if (current == nullptr || ++requests > kMostRequests || current->plane().store().revision() > begin + kMostChanges) {
    current.reset();
    current = furnished();
    requests = 0;
    begin = current->plane().store().revision();
  }
  return *current;
}

std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

bool is_json(const Reply& reply) { return reply.header("Content-Type") == "application/json"; }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view body(reinterpret_cast<const char*>(data), size);
  std::string_view head = next_line(body);
  const std::string_view content_type = next_line(body);
  const std::string accept(next_line(body));
  const std::size_t space = head.find(' ');
  if (space == std::string_view::npos) return 0;
  const std::string_view method = head.substr(0, space);
  std::string target(head.substr(space + 1));
  if (method != "GET" && target.find("dryRun") == std::string::npos) {
    target += target.find('?') == std::string::npos ? "?dryRun=All" : "&dryRun=All";
  }
  const Reply reply = server().send(method, target, body, content_type, {{"Accept", accept}});
  if (reply.status < 200 || reply.status > 599) __builtin_trap();
  if (!reply.is_whole) return 0;  // a watch
  // A stream of events is several values.
  if (is_json(reply) && !reply.body.empty() &&
      loadline::has_errors(loadline::document::read_json(reply.body, {}).problems)) {
    __builtin_trap();
  }
  return 0;
}
