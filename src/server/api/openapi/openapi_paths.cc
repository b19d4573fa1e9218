#include "server/api/openapi/openapi_paths.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <utility>

namespace loadline::api {

using schema::Catalog;
using schema::Field;
using schema::Form;
using schema::GroupVersionKind;
using schema::Resource;
using schema::Subresource;
using schema::Type;
namespace {

constexpr std::string_view kStatus = "io.k8s.apimachinery.pkg.apis.meta.v1.Status";
constexpr std::string_view kDeleteOptions = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";
constexpr std::string_view kPatch = "io.k8s.apimachinery.pkg.apis.meta.v1.Patch";

constexpr std::array<OpenApiParameter, 11> kListParameters = {{{"allowWatchBookmarks", "boolean"},
                                                               {"continue", "string"},
                                                               {"fieldSelector", "string"},
                                                               {"labelSelector", "string"},
                                                               {"limit", "integer"},
                                                               {"resourceVersion", "string"},
                                                               {"resourceVersionMatch", "string"},
                                                               {"sendInitialEvents", "boolean"},
                                                               {"shardSelector", "string"},
                                                               {"timeoutSeconds", "integer"},
                                                               {"watch", "boolean"}}};
constexpr std::array<OpenApiParameter, 3> kWriteParameters = {
    {{"dryRun", "string"}, {"fieldManager", "string"}, {"fieldValidation", "string"}}};
constexpr std::array<OpenApiParameter, 4> kPatchParameters = {
    {{"dryRun", "string"}, {"fieldManager", "string"}, {"fieldValidation", "string"}, {"force", "boolean"}}};
constexpr std::array<OpenApiParameter, 5> kDeleteParameters = {
    {{"dryRun", "string"},
     {"gracePeriodSeconds", "integer"},
     {"ignoreStoreReadErrorWithClusterBreakingPotential", "boolean"},
     {"orphanDependents", "boolean"},
     {"propagationPolicy", "string"}}};
constexpr std::array<OpenApiParameter, 14> kDeleteCollectionParameters = {
    {{"continue", "string"},
     {"dryRun", "string"},
     {"fieldSelector", "string"},
     {"gracePeriodSeconds", "integer"},
     {"ignoreStoreReadErrorWithClusterBreakingPotential", "boolean"},
     {"labelSelector", "string"},
     {"limit", "integer"},
     {"orphanDependents", "boolean"},
     {"propagationPolicy", "string"},
     {"resourceVersion", "string"},
     {"resourceVersionMatch", "string"},
     {"sendInitialEvents", "boolean"},
     {"shardSelector", "string"},
     {"timeoutSeconds", "integer"}}};
/// A verb of discovery as a method with its action, and the word that begins its operation's id.
struct Method {
  std::string_view verb;
  std::string_view method;
  std::string_view action;
  std::string_view word;
};
constexpr std::array<Method, 7> kMethods = {{{"list", "get", "list", "list"},
                                             {"create", "post", "post", "create"},
                                             {"deletecollection", "delete", "deletecollection", "delete"},
                                             {"get", "get", "get", "read"},
                                             {"update", "put", "put", "replace"},
                                             {"delete", "delete", "delete", "delete"},
                                             {"patch", "patch", "patch", "patch"}}};

const Method& method_of(std::string_view verb) { return *std::ranges::find(kMethods, verb, &Method::verb); }

std::string capitalized(std::string_view word) {
  std::string text(word);
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

/// "rbac.authorization.k8s.io": "rbacAuthorization"; "example.com": "exampleCom".
std::string group_word(std::string_view group) {
  if (group.empty()) return "core";
  constexpr std::string_view kOwn = ".k8s.io";
  if (group.ends_with(kOwn)) group.remove_suffix(kOwn.size());
  std::string word;
  bool starts_word = false;
  for (const char character : group) {
    if (character == '.' || character == '-') {
      starts_word = true;
      continue;
    }
    word += starts_word ? static_cast<char>(std::toupper(static_cast<unsigned char>(character))) : character;
    starts_word = false;
  }
  return word;
}

void append(std::vector<OpenApiParameter>& to, std::span<const OpenApiParameter> more) {
  to.insert(to.end(), more.begin(), more.end());
}

/// Makes the paths of one resource.
class ResourcePaths {
 public:
  ResourcePaths(const Catalog& catalog, const Resource& resource, std::vector<OpenApiPath>& paths)
      : catalog_(catalog), resource_(resource), paths_(paths), schema_(openapi_name(catalog, resource.kind)) {
    root_ = (resource.kind.group.empty() ? "/api/" : "/apis/") + resource.kind.api_version();
    version_word_ = capitalized(group_word(resource.kind.group)) + capitalized(resource.kind.version);
  }

  void add() {
    const std::string& plural = resource_.plural;
    const std::string collection = root_ + (resource_.is_namespaced ? "/namespaces/{namespace}/" : "/") + plural;
    add_path(collection, {"list", "create", "deletecollection"}, false);
    if (resource_.is_namespaced && resource_.allows("list")) add_everywhere(root_ + "/" + plural);
    add_path(collection + "/{name}", {"get", "update", "delete", "patch"}, true);
    for (const Subresource& subresource : resource_.subresources) add_subresource(collection + "/{name}/", subresource);
  }

 private:
  OpenApiPath& start_path(std::string path, bool has_name, bool has_namespace) {
    OpenApiPath& entry = paths_.emplace_back();
    entry.path = std::move(path);
    if (has_name) entry.parameters.push_back({"name", "string", true});
    if (has_namespace) entry.parameters.push_back({"namespace", "string", true});
    entry.parameters.push_back({"pretty", "string"});
    return entry;
  }

  void add_path(const std::string& path, std::initializer_list<std::string_view> verbs, bool has_name) {
    if (std::ranges::none_of(verbs, [&](std::string_view verb) { return resource_.allows(verb); })) return;
    OpenApiPath& entry = start_path(path, has_name, resource_.is_namespaced);
    for (const std::string_view verb : verbs) {
      if (resource_.allows(verb)) entry.operations.push_back(operation(verb, resource_.kind, schema_, {}));
    }
  }

  /// The objects of all namespaces.
  void add_everywhere(const std::string& path) {
    OpenApiPath& entry = start_path(path, false, false);
    OpenApiOperation list = operation("list", resource_.kind, schema_, {});
    list.id = "list" + version_word_ + resource_.kind.kind + "ForAllNamespaces";
    entry.operations.push_back(std::move(list));
  }

  void add_subresource(const std::string& base, const Subresource& subresource) {
    if (subresource.name == "proxy") return;
    OpenApiPath& entry = start_path(base + subresource.name, true, resource_.is_namespaced);
    if (subresource.kind.kind.ends_with("Options")) return add_connect(entry, subresource);
    if (subresource.name == "log") add_options(entry, {{}, "v1", "PodLogOptions"});
    const std::string schema = openapi_name(catalog_, subresource.kind);
    // Upstream names a subresource's own kind only where it is sent, but its resource's kind for scale.
    const bool is_own = subresource.kind == resource_.kind || (resource_.is_custom && subresource.name == "scale");
    for (const std::string& verb : subresource.verbs) {
      if (std::ranges::find(kMethods, verb, &Method::verb) == kMethods.end()) continue;
      OpenApiOperation made = operation(verb, is_own ? resource_.kind : subresource.kind, schema, subresource.name);
      if (subresource.name == "log") made.answer.clear();
      entry.operations.push_back(std::move(made));
    }
  }

  /// The fields of such a kind are parameters of the request.
  void add_options(OpenApiPath& entry, const GroupVersionKind& kind) {
    const Type* options = catalog_.find_type(kind);
    if (options == nullptr) return;
    for (const Field& field : options->fields) {
      if (field.name == "kind" || field.name == "apiVersion" || field.type->form == Form::kTime) continue;
      const Type& type = field.type->form == Form::kList ? *field.type->element : *field.type;
      const bool is_integer = type.form == Form::kInt32 || type.form == Form::kInt64;
      const std::string_view other = type.form == Form::kBoolean ? "boolean" : "string";
      entry.parameters.push_back({field.name, is_integer ? "integer" : other});
    }
  }

  void add_connect(OpenApiPath& entry, const Subresource& subresource) {
    entry.parameters.pop_back();  // pretty: what comes back is no object
    add_options(entry, subresource.kind);
    for (const std::string_view method : {"get", "post"}) {
      OpenApiOperation& made = entry.operations.emplace_back();
      made.method = method;
      made.action = "connect";
      made.id = "connect" + version_word_ + capitalized(method) + scope_word() + resource_.kind.kind +
                capitalized(subresource.name);
      made.kind = subresource.kind;
      made.codes = {200};
    }
  }

  [[nodiscard]] std::string scope_word() const { return resource_.is_namespaced ? "Namespaced" : ""; }

  OpenApiOperation operation(std::string_view verb, const GroupVersionKind& kind, const std::string& schema,
                             std::string_view below) const {
    const Method& method = method_of(verb);
    OpenApiOperation made;
    made.method = method.method;
    made.action = method.action;
    made.kind = kind;
    made.answer = schema;
    made.codes = {200};
    made.id.append(method.word).append(version_word_).append(verb == "deletecollection" ? "Collection" : "");
    made.id.append(scope_word()).append(resource_.kind.kind).append(capitalized(below));
    describe(verb, schema, made);
    return made;
  }

  void describe(std::string_view verb, const std::string& schema, OpenApiOperation& made) const {
    if (verb == "list") {
      append(made.parameters, kListParameters);
      made.answer = openapi_name(catalog_, {resource_.kind.group, resource_.kind.version, resource_.list_kind});
      made.is_list = true;
    } else if (verb == "create" || verb == "update") {
      append(made.parameters, kWriteParameters);
      made.body = schema;
      made.codes = verb == "create" ? std::vector<int>{200, 201, 202} : std::vector<int>{200, 201};
    } else if (verb == "patch") {
      append(made.parameters, kPatchParameters);
      made.body = kPatch;
      made.codes = {200, 201};
      made.is_patch = true;
      made.is_strategic = !resource_.is_custom;
    } else if (verb == "delete") {
      append(made.parameters, kDeleteParameters);
      made.body = kDeleteOptions;
      if (!resource_.returns_deleted) made.answer = kStatus;
      made.codes = {200, 202};
    } else if (verb == "deletecollection") {
      append(made.parameters, kDeleteCollectionParameters);
      made.body = kDeleteOptions;
      made.answer = kStatus;
    }
  }

  const Catalog& catalog_;
  const Resource& resource_;
  std::vector<OpenApiPath>& paths_;
  std::string schema_;
  std::string root_;
  std::string version_word_;
};

}  // namespace

std::vector<OpenApiPath> openapi_paths(const Catalog& catalog, std::string_view group, std::string_view version) {
  std::vector<OpenApiPath> paths;
  for (const auto& resource : catalog.resources(group, version)) ResourcePaths(catalog, *resource, paths).add();
  std::ranges::sort(paths, {}, &OpenApiPath::path);
  return paths;
}

std::string openapi_tag(std::string_view group, std::string_view version) {
  return group_word(group) + "_" + std::string(version);
}

std::string openapi_name(const Catalog& catalog, const GroupVersionKind& kind) {
  if (const Type* type = catalog.find_type(kind)) return type->name;
  // The labels of the group's domain in reverse.
  std::string name;
  std::string_view rest = kind.group;
  while (!rest.empty()) {
    const std::size_t dot = rest.rfind('.');
    const std::string_view label = dot == std::string_view::npos ? rest : rest.substr(dot + 1);
    name.append(label).append(".");
    rest = dot == std::string_view::npos ? std::string_view() : rest.substr(0, dot);
  }
  return name + kind.version + "." + kind.kind;
}

}  // namespace loadline::api
