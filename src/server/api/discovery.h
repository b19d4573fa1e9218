#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "foundation/document/value.h"
#include "objects/schema/catalog.h"

namespace loadline::api {

/// The documents in which a server says what it serves, as functions of the catalog, members in upstream's order.
/// Building one costs O(resources in it); they change only with the catalog's generation.

/// GET /api: APIVersions. `server_address` is "host:port".
document::Value api_versions(std::string_view server_address);

/// GET /apis: APIGroupList, without the core group.
document::Value api_group_list(const schema::Catalog& catalog);

/// GET /apis/GROUP: APIGroup; nothing if there is no such group.
std::optional<document::Value> api_group(const schema::Catalog& catalog, std::string_view group);

/// GET /api/v1 (group "") and GET /apis/GROUP/VERSION: APIResourceList; nothing if that version is not served.
std::optional<document::Value> api_resource_list(const schema::Catalog& catalog, std::string_view group,
                                                 std::string_view version);

/// GET /api and /apis for clients that want everything at once: APIGroupDiscoveryList of apidiscovery.k8s.io.
enum class DiscoveryVersion : std::uint8_t { kV2, kV2beta1 };
enum class DiscoveryRoot : std::uint8_t { kApi, kApis };
document::Value aggregated_discovery(const schema::Catalog& catalog, DiscoveryRoot root, DiscoveryVersion version);

/// The value of the header ETag for that body, quoted.
std::string entity_tag(std::string_view body);

}  // namespace loadline::api
