#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace loadline::kubelet {

// What a container runtime would make up, as functions of what is known, so that it is the same after a restart.

/// 64 hexadecimal digits.
std::string digest_of(std::string_view text, std::string_view more = {}, std::int64_t number = 0);

/// "nginx" as containerd calls it: "docker.io/library/nginx:latest".
std::string full_image_name(std::string_view image);
/// "docker.io/library/nginx@sha256:…".
std::string image_id(std::string_view image);
/// Bytes, between 2 MB and about 1 GB.
std::int64_t image_size(std::string_view image);

}  // namespace loadline::kubelet
