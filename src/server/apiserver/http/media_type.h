#pragma once

#include <cstdint>
#include <string_view>

#include "server/apiserver/status.h"

namespace loadline::apiserver {

class Query;

enum class Format : std::uint8_t { kJson, kIndentedJson, kYaml };
enum class Transform : std::uint8_t { kNone, kTable, kPartialMetadata };

/// In which form a client wants its answer.
struct Representation {
  Format format = Format::kJson;
  Transform transform = Transform::kNone;
  std::string_view version = "v1";  ///< of meta.k8s.io, for tables and partial metadata

  friend bool operator==(const Representation&, const Representation&) = default;
};

/// Picks the first acceptable form of an Accept header: JSON, YAML, Tables and PartialObjectMetadata(List). Protobuf is
/// answered as JSON, which every client that asks for it names as well. An empty header accepts anything.
/// `wants_pretty`: the query says pretty=true. `is_collection`: lists can be watched, too, which the refusal says.
/// Source: k8s.io/apiserver/pkg/endpoints/handlers/negotiation, v0.36.
Answer<Representation> negotiate(std::string_view accept, bool wants_pretty, bool is_collection);

/// Whether JSON is to be indented: the query says so, or says nothing, and a browser or a tool of the command line
/// asks. Source: k8s.io/apiserver/pkg/endpoints/handlers/negotiation, isPrettyPrint, v0.36.
bool wants_pretty(const Query& query, std::string_view user_agent);

/// The Accept header names the type with these parameters ("apidiscovery.k8s.io", "v2", "APIGroupDiscoveryList")?
bool accepts(std::string_view accept, std::string_view group, std::string_view version, std::string_view as);

/// What a request's body is written in.
enum class BodyFormat : std::uint8_t { kJson, kYaml, kProtobuf, kUnknown };
BodyFormat body_format(std::string_view content_type);

/// The media type alone, without parameters, in lower case.
std::string media_type(std::string_view content_type);

}  // namespace loadline::apiserver
