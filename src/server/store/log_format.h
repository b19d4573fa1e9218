#pragma once

#include "foundation/base/result.h"
#include "server/store/database.h"

namespace loadline::store {

/// The format that this program writes, in the database's user_version.
inline constexpr int kLogFormat = 2;

/// What marks a database as a log of ours, in its application_id: "LDLN".
inline constexpr int kLogApplication = 0x4c444c4e;

/// Makes the tables in an empty database, or brings an older log up to date, one format after the other, all of it or
/// nothing. Fails if the database holds something else, or a newer program wrote it.
Result<void> bring_up_to_date(Database& database);

}  // namespace loadline::store
