#include "server/store/log_format.h"

#include <fmt/format.h>

#include <array>
#include <string>

namespace loadline::store {
namespace {

/// From each format to the next; the first makes format 1 of nothing.
constexpr std::array<const char*, kLogFormat> kSteps = {
    // 1: the log.
    "CREATE TABLE resources (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
    "CREATE TABLE log (revision INTEGER PRIMARY KEY, resource INTEGER NOT NULL, name_space TEXT NOT NULL,"
    " name TEXT NOT NULL, created INTEGER NOT NULL, is_deletion INTEGER NOT NULL, text TEXT NOT NULL);",
    // 2: superseded rows are deleted, so a resource says from where on it is complete.
    "ALTER TABLE resources ADD COLUMN compacted INTEGER NOT NULL DEFAULT 0;",
};

std::string steps_from(std::int64_t format) {
  std::string steps;
  for (auto next = static_cast<std::size_t>(format); next < kSteps.size(); ++next) steps += kSteps[next];
  return steps;
}

}  // namespace

Result<void> bring_up_to_date(Database& database) {
  const Result<std::int64_t> application = database.number("PRAGMA application_id");
  if (!application) return tl::unexpected(application.error());
  const Result<std::int64_t> tables = database.number("SELECT count(*) FROM sqlite_schema");
  if (!tables) return tl::unexpected(tables.error());
  const Result<std::int64_t> format = database.number("PRAGMA user_version");
  if (!format) return tl::unexpected(format.error());

  const bool is_new = *tables == 0 && *application == 0 && *format == 0;
  if (!is_new && *application != kLogApplication) {
    return failure(fmt::format("{} is an SQLite database, but not one of Loadline's", database.path()));
  }
  if (*format > kLogFormat) {
    return failure(
        fmt::format("{} was written by a newer Loadline: its format is {}, and this one knows formats up to {}",
                    database.path(), *format, kLogFormat));
  }
  if (*format == kLogFormat) return {};
  Result<void> done =
      database.execute(fmt::format("BEGIN IMMEDIATE; {} PRAGMA application_id = {}; PRAGMA user_version = {}; COMMIT;",
                                   steps_from(*format), kLogApplication, kLogFormat));
  if (!done) database.roll_back();
  return done;
}

}  // namespace loadline::store
