#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "objects/schema/catalog.h"

namespace loadline::api {

/// What can be asked of a path: the part of an OpenAPI document that versions 2 and 3 have in common.

struct OpenApiParameter {
  std::string_view name;
  std::string_view type;  ///< string, integer, boolean
  bool is_in_path = false;
};

struct OpenApiOperation {
  std::string_view method;        ///< "get"
  std::string_view action;        ///< x-kubernetes-action: "list"
  std::string id;                 ///< "listCoreV1NamespacedPod"
  schema::GroupVersionKind kind;  ///< x-kubernetes-group-version-kind
  std::vector<OpenApiParameter> parameters;
  std::string body;    ///< name of the schema that is sent; empty: none
  std::string answer;  ///< name of the schema that comes back; empty: text
  std::vector<int> codes;
  bool is_patch = false;
  bool is_strategic = false;  ///< a patch may be a strategic merge
  bool is_list = false;
};

struct OpenApiPath {
  std::string path;  ///< "/api/v1/namespaces/{namespace}/pods"
  std::vector<OpenApiParameter> parameters;
  std::vector<OpenApiOperation> operations;
};

/// The paths of a version's resources, sorted. Without upstream's deprecated /watch/ paths and the proxies.
std::vector<OpenApiPath> openapi_paths(const schema::Catalog& catalog, std::string_view group,
                                       std::string_view version);

/// "core_v1", "rbacAuthorization_v1", "exampleCom_v1".
std::string openapi_tag(std::string_view group, std::string_view version);

/// The name of a kind's schema: "io.k8s.api.apps.v1.Deployment", or, for a custom one, "com.example.v1.Widget".
std::string openapi_name(const schema::Catalog& catalog, const schema::GroupVersionKind& kind);

}  // namespace loadline::api
