#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

#include "foundation/document/value.h"
#include "objects/kube/scalars.h"

namespace loadline::apiserver {

// What ConfigMaps and Secrets have in common.

inline constexpr std::size_t kMostDataBytes = 1024 * 1024;

/// Keys must be names of files, and none of `taken`, which may be null.
void check_keys(kube::FieldErrors& errors, std::string_view path, const document::Value& data,
                const document::Value* taken);

std::size_t text_bytes(const document::Value& data);
/// Of values in base64.
std::size_t decoded_bytes(const document::Value& data);

kube::FieldError too_much_data(std::string path);

/// `immutable: true` holds for ever, and these parts with it.
void check_frozen(kube::FieldErrors& errors, const document::Value& object, const document::Value& old,
                  std::initializer_list<std::string_view> parts);

}  // namespace loadline::apiserver
