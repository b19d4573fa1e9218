#include "server/store/log_format.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <array>
#include <string>

#include "foundation/document/crc32.h"

namespace loadline::store {
namespace {

/// "loadline_checksum(revision, resource, name_space, name, created, is_deletion, text)", for rows that have none yet.
void checksum_of_columns(sqlite3_context* context, int /*count*/, sqlite3_value** columns) {
  const auto text = [&](int column) {
    const auto* bytes = static_cast<const char*>(sqlite3_value_blob(columns[column]));
    const auto size = static_cast<std::size_t>(sqlite3_value_bytes(columns[column]));
    return bytes == nullptr ? std::string_view() : std::string_view(bytes, size);
  };
  sqlite3_result_int64(context, checksum({.revision = sqlite3_value_int64(columns[0]),
                                          .resource = text(1),
                                          .name_space = text(2),
                                          .name = text(3),
                                          .created = sqlite3_value_int64(columns[4]),
                                          .is_deletion = sqlite3_value_int64(columns[5]) != 0,
                                          .text = text(6)}));
}

/// From each format to the next; the first makes format 1 of nothing.
constexpr std::array<const char*, kLogFormat> kSteps = {
    // 1: the log.
    "CREATE TABLE resources (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
    "CREATE TABLE log (revision INTEGER PRIMARY KEY, resource INTEGER NOT NULL, name_space TEXT NOT NULL,"
    " name TEXT NOT NULL, created INTEGER NOT NULL, is_deletion INTEGER NOT NULL, text TEXT NOT NULL);",
    // 2: superseded rows are deleted, so a resource says from where on it is complete.
    "ALTER TABLE resources ADD COLUMN compacted INTEGER NOT NULL DEFAULT 0;",
    // 3: rows have a checksum.
    "ALTER TABLE log ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;"
    "UPDATE log SET checksum = loadline_checksum(revision, (SELECT r.name FROM resources r WHERE r.id = resource),"
    " name_space, name, created, is_deletion, text);",
};

std::string steps_from(std::int64_t format) {
  std::string steps;
  for (auto next = static_cast<std::size_t>(format); next < kSteps.size(); ++next) steps += kSteps[next];
  return steps;
}

}  // namespace

std::int64_t checksum(const CheckedRow& row) {
  // The numbers, and where each text ends, little end first, whatever the machine.
  std::array<char, 5 * 8 + 1> head{};
  std::size_t at = 0;
  const auto put = [&](std::uint64_t number) {
    for (int byte = 0; byte < 8; ++byte) head[at++] = static_cast<char>(number >> (8 * byte) & 0xFF);
  };
  put(static_cast<std::uint64_t>(row.revision));
  put(static_cast<std::uint64_t>(row.created));
  put(row.resource.size());
  put(row.name_space.size());
  put(row.name.size());
  head[at] = row.is_deletion ? 1 : 0;
  std::uint32_t sum = document::crc32({head.data(), head.size()});
  for (const std::string_view text : {row.resource, row.name_space, row.name, row.text}) {
    sum = document::crc32(text, sum);
  }
  return static_cast<std::int64_t>(sum);
}

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
  if (Result<void> known = database.define("loadline_checksum", 7, checksum_of_columns); !known) return known;
  Result<void> done =
      database.execute(fmt::format("BEGIN IMMEDIATE; {} PRAGMA application_id = {}; PRAGMA user_version = {}; COMMIT;",
                                   steps_from(*format), kLogApplication, kLogFormat));
  if (!done) database.roll_back();
  return done;
}

}  // namespace loadline::store
