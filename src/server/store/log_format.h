#pragma once

#include <cstdint>
#include <string_view>

#include "foundation/base/result.h"
#include "server/store/database.h"

namespace loadline::store {

/// The format that this program writes, in the database's user_version.
inline constexpr int kLogFormat = 3;

/// What marks a database as a log of ours, in its application_id: "LDLN".
inline constexpr int kLogApplication = 0x4c444c4e;

/// What a row of the log holds, as its checksum covers it.
struct CheckedRow {
  std::int64_t revision = 0;
  std::string_view resource;
  std::string_view name_space;
  std::string_view name;
  std::int64_t created = 0;
  bool is_deletion = false;
  std::string_view text;
};

/// The CRC-32 of all of it. It finds every damage of up to 32 bits in a row, and all but one in four billion of others.
[[nodiscard]] std::int64_t checksum(const CheckedRow& row);

/// Makes the tables in an empty database, or brings an older log up to date, one format after the other, all of it or
/// nothing. Fails if the database holds something else, or a newer program wrote it.
Result<void> bring_up_to_date(Database& database);

}  // namespace loadline::store
