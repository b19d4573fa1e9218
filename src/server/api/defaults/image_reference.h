#pragma once

#include <string>
#include <string_view>

namespace loadline::api {

/// The tag of a container image's name: "latest" if it has neither a tag nor a digest, empty if it has only a digest or
/// is no such name. Source: pkg/util/parsers ParseImageName, github.com/distribution/reference v0.6.
std::string image_tag(std::string_view image);

}  // namespace loadline::api
