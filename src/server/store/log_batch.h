#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "server/store/object.h"

namespace loadline::store {

/// What the log takes over at once or not at all.
struct LogBatch {
  struct Write {
    ObjectPtr object;
    bool is_deletion = false;
  };
  /// An event that left history: versions that no client can ask for any more.
  struct Forgotten {
    const std::string* resource = nullptr;  ///< lives as long as the store
    Revision compacted = 0;                 ///< history of the resource starts after this
    Revision rows[2] = {0, 0};              ///< 0: none
  };

  std::uint64_t epoch = 0;  ///< grows when writes are undone: what was made before then must not be committed
  std::vector<Write> writes;
  std::vector<Forgotten> forgotten;
  bool is_trial = false;  ///< to see whether the log can be written: changes nothing in it

  [[nodiscard]] bool empty() const { return writes.empty() && forgotten.empty() && !is_trial; }
  [[nodiscard]] std::size_t text_bytes() const {
    std::size_t bytes = 0;
    for (const Write& write : writes) bytes += write.object->text().size();
    return bytes;
  }
};

}  // namespace loadline::store
