#include "api/openapi_v3.h"

#include <utility>
#include <vector>

#include "api/fingerprint.h"
#include "api/object_builder.h"
#include "api/openapi_paths.h"
#include "api/openapi_schemas.h"
#include "document/writer.h"

namespace loadline::api {
namespace {

using document::Array;
using document::Object;
using document::Value;

constexpr const char* kJson = "application/json";

Value parameter(const OpenApiParameter& from) {
  ObjectBuilder out;
  out.set("name", from.name).set("in", from.is_in_path ? "path" : "query");
  if (from.is_in_path) out.set("required", Value(true));
  const Value schema = ObjectBuilder().set("type", from.type).set("uniqueItems", Value(true)).take();
  return out.set("schema", schema).take();
}

Value parameters(const std::vector<OpenApiParameter>& list) {
  Array out;
  for (const OpenApiParameter& entry : list) out.push_back(parameter(entry));
  return Value(std::move(out));
}

/// {"<media type>": {"schema": …}} for each media type.
Value content(const std::vector<std::string>& media_types, const Value& schema) {
  ObjectBuilder out;
  for (const std::string& media_type : media_types) out.set(media_type, ObjectBuilder().set("schema", schema).take());
  return ObjectBuilder().set("content", out.take()).take();
}

std::vector<std::string> body_types(const OpenApiOperation& operation) {
  if (!operation.is_patch) return {"*/*"};
  std::vector<std::string> types = {"application/apply-patch+yaml", "application/json-patch+json",
                                    "application/merge-patch+json"};
  if (operation.is_strategic) types.emplace_back("application/strategic-merge-patch+json");
  return types;
}

const char* code_name(int code) {
  switch (code) {
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    default:
      return "OK";
  }
}

Value responses(const OpenApiOperation& operation, OpenApiSchemas& schemas) {
  ObjectBuilder out;
  for (const int code : operation.codes) {
    Value answer;
    if (operation.answer.empty()) {
      answer = content({"*/*"}, ObjectBuilder().set("type", "string").take());
    } else {
      schemas.need(operation.answer);
      std::vector<std::string> types = {kJson};
      if (operation.is_list) types.emplace_back("application/json;stream=watch");
      answer = content(types, schemas.reference(operation.answer));
    }
    out.set(std::to_string(code), answer.with("description", Value(code_name(code))));
  }
  out.set("401", ObjectBuilder().set("description", "Unauthorized").take());
  return out.take();
}

Value operation_value(const OpenApiOperation& operation, const std::string& tag, OpenApiSchemas& schemas) {
  ObjectBuilder out;
  out.set("tags", std::vector<std::string>{tag}).set("operationId", operation.id);
  if (!operation.parameters.empty()) out.set("parameters", parameters(operation.parameters));
  if (!operation.body.empty()) {
    schemas.need(operation.body);
    Value body = content(body_types(operation), schemas.reference(operation.body));
    if (operation.method != "delete") body = body.with("required", Value(true));
    out.set("requestBody", std::move(body));
  }
  return out.set("responses", responses(operation, schemas))
      .set("x-kubernetes-action", operation.action)
      .set("x-kubernetes-group-version-kind", ObjectBuilder()
                                                  .set("group", operation.kind.group)
                                                  .set("version", operation.kind.version)
                                                  .set("kind", operation.kind.kind)
                                                  .take())
      .take();
}

std::string path_of(std::string_view group, std::string_view version) {
  const GroupVersionKind kind{std::string(group), std::string(version), {}};
  return (group.empty() ? "api/" : "apis/") + kind.api_version();
}

}  // namespace

std::optional<Value> openapi_v3_document(const Catalog& catalog, std::string_view group, std::string_view version) {
  const auto resources = catalog.resources(group, version);
  if (resources.empty()) return std::nullopt;
  OpenApiSchemas schemas(catalog, OpenApiVersion::kV3);
  const std::string tag = openapi_tag(group, version);
  ObjectBuilder paths;
  for (const OpenApiPath& path : openapi_paths(catalog, group, version)) {
    ObjectBuilder item;
    for (const OpenApiOperation& operation : path.operations) {
      item.set(operation.method, operation_value(operation, tag, schemas));
    }
    paths.set(path.path, item.set("parameters", parameters(path.parameters)).take());
  }
  for (const auto& resource : resources) schemas.need(openapi_name(catalog, resource->kind));
  const Value info = ObjectBuilder().set("title", "Kubernetes").set("version", "unversioned").take();
  return ObjectBuilder()
      .set("openapi", "3.0.0")
      .set("info", info)
      .set("paths", paths.take())
      .set("components", ObjectBuilder().set("schemas", schemas.take()).take())
      .take();
}

void OpenApiV3::drop_outdated() {
  if (generation_ == catalog_.generation() && index_ != nullptr) return;
  if (generation_ != catalog_.generation()) documents_.clear();
  generation_ = catalog_.generation();
  index_ = nullptr;
}

std::shared_ptr<const std::string> OpenApiV3::index() {
  drop_outdated();
  if (index_ != nullptr) return index_;
  std::map<std::string, std::string> hashes;
  for (const Catalog::Group& group : catalog_.groups()) {
    for (const std::string& version : group.versions) {
      const std::string path = path_of(group.name, version);
      if (const auto made = document(path)) hashes.emplace(path, made->hash);
    }
  }
  ObjectBuilder paths;
  for (const auto& [path, hash] : hashes) {
    paths.set(path, ObjectBuilder().set("serverRelativeURL", "/openapi/v3/" + path + "?hash=" + hash).take());
  }
  index_ = std::make_shared<const std::string>(document::write_json(ObjectBuilder().set("paths", paths.take()).take()));
  return index_;
}

std::optional<OpenApiV3::Document> OpenApiV3::document(std::string_view path) {
  drop_outdated();
  if (const auto known = documents_.find(path); known != documents_.end()) return known->second;
  std::string_view rest = path;
  std::string_view group;
  if (rest.starts_with("apis/")) {
    rest.remove_prefix(5);
    const std::size_t slash = rest.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    group = rest.substr(0, slash);
    rest.remove_prefix(slash + 1);
  } else if (rest.starts_with("api/")) {
    rest.remove_prefix(4);
  } else {
    return std::nullopt;
  }
  const std::optional<Value> made = openapi_v3_document(catalog_, group, rest);
  if (!made) return std::nullopt;
  auto text = std::make_shared<const std::string>(document::write_json(*made));
  Document kept{text, fingerprint(*text)};
  documents_.emplace(path, kept);
  return kept;
}

}  // namespace loadline::api
