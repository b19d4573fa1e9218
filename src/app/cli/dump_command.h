#pragma once

#include <string>
#include <string_view>

namespace loadline::cli {

/// `kubectl get … -A -o yaml > cluster.yaml` of every kind that decisions read: how a user dumps a cluster.
[[nodiscard]] std::string dump_command();

/// The text with that command in place of "@dump@", on several lines that a shell reads as one.
/// REQUIRES: the mark stands once in the text, behind four blanks.
[[nodiscard]] std::string with_dump_command(std::string_view text);

}  // namespace loadline::cli
