#pragma once

#include <string>
#include <string_view>

#include "server/apiserver/status.h"
#include "server/store/object.h"

namespace loadline::apiserver {

/// Where a list that came in pages goes on: at which revision, after which object.
struct ContinueToken {
  store::Revision revision = 0;  ///< -1: whatever is the latest; the token of an expired one
  std::string after_name_space;
  std::string after_name;

  [[nodiscard]] std::string encode() const;
};

/// 400 for what is no such token. Source: k8s.io/apiserver/pkg/storage/continue.go, v0.36.
Answer<ContinueToken> decode_continue_token(std::string_view text);

}  // namespace loadline::apiserver
