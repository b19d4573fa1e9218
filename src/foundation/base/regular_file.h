#pragma once

#include <cstdint>
#include <string>

#include "foundation/base/result.h"

namespace loadline {

/// The bytes of a file that a text names which others may have written: a regular file, links to one included, of at
/// most `most_bytes`. Opening waits for nobody, as it would for the writer of a FIFO, and no device is read. Errors, in
/// the words of Go's os package: "open /etc/ca.pem: no such file or directory".
[[nodiscard]] Result<std::string> read_regular_file(const std::string& path, std::uint64_t most_bytes);

}  // namespace loadline
