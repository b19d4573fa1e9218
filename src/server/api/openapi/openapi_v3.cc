#include "server/api/openapi/openapi_v3.h"

#include <fmt/format.h>

#include <set>
#include <utility>
#include <vector>

#include "foundation/document/writer.h"
#include "objects/schema/embedded.h"
#include "server/api/fingerprint.h"
#include "server/api/object_builder.h"
#include "server/api/openapi/openapi_paths.h"
#include "server/api/openapi/openapi_schemas.h"

namespace loadline::api {

using schema::Catalog;
using schema::embedded_files;
using schema::EmbeddedFile;
using schema::GroupVersionKind;
using schema::Resource;
using schema::Subresource;
namespace {

using document::Array;
using document::Object;
using document::Value;

constexpr const char* kJson = "application/json";

Value v3_parameter(const OpenApiParameter& from) {
  ObjectBuilder out;
  out.set("name", from.name).set("in", from.is_in_path ? "path" : "query");
  if (from.is_in_path) out.set("required", Value(true));
  const Value schema = ObjectBuilder().set("type", from.type).set("uniqueItems", Value(true)).take();
  return out.set("schema", schema).take();
}

Value parameters(const std::vector<OpenApiParameter>& list) {
  Array out;
  for (const OpenApiParameter& entry : list) out.push_back(v3_parameter(entry));
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

Value v3_responses(const OpenApiOperation& operation, OpenApiSchemas& schemas) {
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

Value v3_operation(const OpenApiOperation& operation, const std::string& tag, OpenApiSchemas& schemas) {
  ObjectBuilder out;
  out.set("tags", std::vector<std::string>{tag}).set("operationId", operation.id);
  if (!operation.parameters.empty()) out.set("parameters", parameters(operation.parameters));
  if (!operation.body.empty()) {
    schemas.need(operation.body);
    Value body = content(body_types(operation), schemas.reference(operation.body));
    if (operation.method != "delete") body = body.with("required", Value(true));
    out.set("requestBody", std::move(body));
  }
  return out.set("responses", v3_responses(operation, schemas))
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

/// The group and version of "api/v1" or "apis/GROUP/VERSION".
std::optional<std::pair<std::string_view, std::string_view>> split_path(std::string_view path) {
  constexpr std::string_view kCore = "api/";
  constexpr std::string_view kOthers = "apis/";
  if (path.starts_with(kCore)) return std::pair(std::string_view(), path.substr(kCore.size()));
  if (!path.starts_with(kOthers)) return std::nullopt;
  path.remove_prefix(kOthers.size());
  const std::size_t slash = path.find('/');
  if (slash == 0 || slash == std::string_view::npos) return std::nullopt;
  return std::pair(path.substr(0, slash), path.substr(slash + 1));
}

/// To be raised with every change to how documents are made, so that clients load them anew.
constexpr std::string_view kFormat = "1 ";

std::string tables_fingerprint() {
  std::string all(kFormat);
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.name != "kubernetes.json") continue;
    all.append(reinterpret_cast<const char*>(file.compressed.data()), file.compressed.size());
  }
  return fingerprint(all);
}

void append_words(std::string& text, const std::vector<std::string>& words) {
  for (const std::string& word : words) text.append(word).append(",");
  text += ' ';
}

/// Everything of a resource that its documents show, beside the published types.
std::string words_of(const Resource& resource) {
  std::string text = resource.kind.api_version() + " " + resource.kind.kind + " " + resource.plural + " " +
                     resource.list_kind + (resource.is_namespaced ? " namespaced " : " ");
  append_words(text, resource.verbs);
  append_words(text, resource.selectable_fields);
  for (const Subresource& subresource : resource.subresources) {
    text.append(subresource.name).append(" ").append(subresource.kind.api_version() + " " + subresource.kind.kind);
    append_words(text, subresource.verbs);
  }
  if (resource.is_custom) document::append_json(text, resource.schema);
  return text;
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
      item.set(operation.method, v3_operation(operation, tag, schemas));
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

OpenApiV3::OpenApiV3(const Catalog& catalog) : catalog_(catalog), tables_(tables_fingerprint()) {}

std::shared_ptr<const std::string> OpenApiV3::index() {
  if (index_ != nullptr && indexed_ == catalog_.generation()) return index_;
  forget_removed();
  std::map<std::string, std::string> hashes;
  for (const Catalog::Group& group : catalog_.groups()) {
    for (const std::string& version : group.versions) {
      hashes.emplace(path_of(group.name, version), hash_of(group.name, version));
    }
  }
  ObjectBuilder paths;
  for (const auto& [path, hash] : hashes) {
    paths.set(path, ObjectBuilder().set("serverRelativeURL", fmt::format("/openapi/v3/{}?hash={}", path, hash)).take());
  }
  indexed_ = catalog_.generation();
  index_ = std::make_shared<const std::string>(document::write_json(ObjectBuilder().set("paths", paths.take()).take()));
  return index_;
}

std::optional<OpenApiV3::Document> OpenApiV3::document(std::string_view path) {
  const auto parts = split_path(path);
  if (!parts) return std::nullopt;
  const auto& [group, version] = *parts;
  if (catalog_.resources(group, version).empty()) return std::nullopt;
  Document made;
  made.hash = hash_of(group, version);
  const auto known = documents_.find(path);
  if (known != documents_.end() && known->second.hash == made.hash) return known->second;
  const Value value = *openapi_v3_document(catalog_, group, version);
  made.text = std::make_shared<const std::string>(document::write_json(value));
  documents_.insert_or_assign(std::string(path), made);
  return made;
}

std::string OpenApiV3::hash_of(std::string_view group, std::string_view version) {
  std::string all = tables_;
  for (const auto& resource : catalog_.resources(group, version)) all += mark_of(resource);
  return fingerprint(all);
}

const std::string& OpenApiV3::mark_of(const std::shared_ptr<const Resource>& resource) {
  const auto known = marks_.find(resource);
  if (known != marks_.end()) return known->second;
  return marks_.emplace(resource, fingerprint(words_of(*resource))).first->second;
}

void OpenApiV3::forget_removed() {
  const auto all = catalog_.all();
  const std::set<std::shared_ptr<const Resource>> served(all.begin(), all.end());
  std::erase_if(marks_, [&](const auto& entry) { return !served.contains(entry.first); });
  std::erase_if(documents_, [&](const auto& entry) {
    const auto parts = split_path(entry.first);
    return !parts || catalog_.resources(parts->first, parts->second).empty();
  });
}

}  // namespace loadline::api
