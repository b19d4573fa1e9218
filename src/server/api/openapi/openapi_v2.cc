#include "server/api/openapi/openapi_v2.h"

#include <utility>
#include <vector>

#include "foundation/document/writer.h"
#include "server/api/object_builder.h"
#include "server/api/openapi/gnostic.h"
#include "server/api/openapi/openapi_paths.h"
#include "server/api/openapi/openapi_schemas.h"

namespace loadline::api {

using schema::Catalog;
namespace {

using document::Array;
using document::Value;

Value v2_parameter(const OpenApiParameter& from) {
  ObjectBuilder out;
  out.set("in", from.is_in_path ? "path" : "query").set("name", from.name);
  if (from.is_in_path) out.set("required", Value(true));
  return out.set("type", from.type).set("uniqueItems", Value(true)).take();
}

void add_parameters(Array& to, const std::vector<OpenApiParameter>& list) {
  for (const OpenApiParameter& entry : list) to.push_back(v2_parameter(entry));
}

Value body_parameter(const OpenApiOperation& operation, OpenApiSchemas& schemas) {
  schemas.need(operation.body);
  ObjectBuilder out;
  out.set("in", "body").set("name", "body");
  if (operation.method != "delete") out.set("required", Value(true));
  return out.set("schema", schemas.reference(operation.body)).take();
}

std::vector<std::string> consumed(const OpenApiOperation& operation) {
  if (!operation.is_patch) return {"*/*"};
  std::vector<std::string> types = {"application/json-patch+json", "application/merge-patch+json"};
  if (operation.is_strategic) types.emplace_back("application/strategic-merge-patch+json");
  types.emplace_back("application/apply-patch+yaml");
  return types;
}

Value v2_responses(const OpenApiOperation& operation, OpenApiSchemas& schemas) {
  Value schema = ObjectBuilder().set("type", "string").take();
  if (!operation.answer.empty()) {
    schemas.need(operation.answer);
    schema = schemas.reference(operation.answer);
  }
  ObjectBuilder out;
  for (const int code : operation.codes) {
    const char* description = code == 201 ? "Created" : code == 202 ? "Accepted" : "OK";
    out.set(std::to_string(code), ObjectBuilder().set("description", description).set("schema", schema).take());
  }
  return out.set("401", ObjectBuilder().set("description", "Unauthorized").take()).take();
}

Value v2_operation(const OpenApiOperation& operation, const std::string& tag, OpenApiSchemas& schemas) {
  Array parameters;
  if (!operation.body.empty()) parameters.push_back(body_parameter(operation, schemas));
  add_parameters(parameters, operation.parameters);
  ObjectBuilder out;
  out.set("consumes", consumed(operation)).set("operationId", operation.id);
  const bool has_parameters = !parameters.empty();
  return out.set_if(has_parameters, "parameters", Value(std::move(parameters)))
      .set("produces", std::vector<std::string>{operation.answer.empty() ? "*/*" : "application/json"})
      .set("responses", v2_responses(operation, schemas))
      .set("schemes", std::vector<std::string>{"https"})
      .set("tags", std::vector<std::string>{tag})
      .set("x-kubernetes-action", operation.action)
      .set("x-kubernetes-group-version-kind", ObjectBuilder()
                                                  .set("group", operation.kind.group)
                                                  .set("kind", operation.kind.kind)
                                                  .set("version", operation.kind.version)
                                                  .take())
      .take();
}

void add_paths(const Catalog& catalog, const std::string& group, const std::string& version, OpenApiSchemas& schemas,
               ObjectBuilder& paths) {
  const std::string tag = openapi_tag(group, version);
  for (const OpenApiPath& path : openapi_paths(catalog, group, version)) {
    ObjectBuilder item;
    for (const OpenApiOperation& operation : path.operations) {
      item.set(operation.method, v2_operation(operation, tag, schemas));
    }
    Array parameters;
    add_parameters(parameters, path.parameters);
    paths.set(path.path, item.set("parameters", Value(std::move(parameters))).take());
  }
  for (const auto& resource : catalog.resources(group, version)) schemas.need(openapi_name(catalog, resource->kind));
}

}  // namespace

Value openapi_v2_document(const Catalog& catalog) {
  OpenApiSchemas schemas(catalog, OpenApiVersion::kV2);
  ObjectBuilder paths;
  for (const Catalog::Group& group : catalog.groups()) {
    for (const std::string& version : group.versions) add_paths(catalog, group.name, version, schemas, paths);
  }
  Value definitions = schemas.take();
  const Value info = ObjectBuilder().set("title", "Kubernetes").set("version", "unversioned").take();
  return ObjectBuilder()
      .set("swagger", "2.0")
      .set("info", info)
      .set("paths", paths.take())
      .set("definitions", std::move(definitions))
      .take();
}

void OpenApiV2::drop_outdated() {
  if (generation_ == catalog_.generation()) return;
  generation_ = catalog_.generation();
  json_ = nullptr;
  protobuf_ = nullptr;
}

std::shared_ptr<const std::string> OpenApiV2::json() {
  drop_outdated();
  if (json_ == nullptr)
    json_ = std::make_shared<const std::string>(document::write_json(openapi_v2_document(catalog_)));
  return json_;
}

std::shared_ptr<const std::string> OpenApiV2::protobuf() {
  drop_outdated();
  if (protobuf_ == nullptr) {
    protobuf_ = std::make_shared<const std::string>(encode_gnostic(openapi_v2_document(catalog_)));
  }
  return protobuf_;
}

}  // namespace loadline::api
