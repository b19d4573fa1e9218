#include "server/store/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <string>

#include "server/store/data_directory.h"

namespace loadline::store {

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement& Statement::bind(int parameter, std::int64_t number) {
  sqlite3_bind_int64(statement_, parameter, number);
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view text) {
  // A null pointer would bind NULL.
  const char* bytes = text.empty() ? "" : text.data();
  sqlite3_bind_text64(statement_, parameter, bytes, text.size(), SQLITE_STATIC, SQLITE_UTF8);
  return *this;
}

Result<bool> Statement::step() {
  switch (sqlite3_step(statement_)) {
    case SQLITE_ROW:
      return true;
    case SQLITE_DONE:
      return false;
    default:
      return database_.error();
  }
}

Result<void> Statement::run() {
  Result<bool> row = step();
  while (row && *row) row = step();
  reset();
  if (!row) return tl::unexpected(row.error());
  return {};
}

void Statement::reset() { sqlite3_reset(statement_); }

std::int64_t Statement::number(int column) const { return sqlite3_column_int64(statement_, column); }

std::string_view Statement::text(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  return bytes == nullptr ? std::string_view() : std::string_view(bytes, size);
}

Result<std::unique_ptr<Database>> Database::open(const std::string& path, const std::string& file_system) {
  sqlite3* connection = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  const int result =
      sqlite3_open_v2(path.c_str(), &connection, flags, file_system.empty() ? nullptr : file_system.c_str());
  if (connection == nullptr) return failure(fmt::format("{}: out of memory", path));
  std::unique_ptr<Database> database(new Database(connection, path));
  if (result != SQLITE_OK) return database->error();
  sqlite3_extended_result_codes(connection, 1);
  return database;
}

Database::~Database() { sqlite3_close(connection_); }

Result<void> Database::execute(const std::string& sql) {
  if (sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return error();
  return {};
}

Result<std::unique_ptr<Statement>> Database::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int result = sqlite3_prepare_v3(connection_, sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (result != SQLITE_OK) return error();
  return std::unique_ptr<Statement>(new Statement(*this, statement));
}

Result<std::int64_t> Database::number(const std::string& sql) {
  Result<std::unique_ptr<Statement>> statement = prepare(sql);
  if (!statement) return tl::unexpected(statement.error());
  const Result<bool> row = (*statement)->step();
  if (!row) return tl::unexpected(row.error());
  return *row ? (*statement)->number(0) : 0;
}

Result<void> Database::define(const char* name, int parameters, Function function) {
  const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
  if (sqlite3_create_function_v2(connection_, name, parameters, flags, nullptr, function, nullptr, nullptr, nullptr) !=
      SQLITE_OK) {
    return error();
  }
  return {};
}

Result<void> Database::check() {
  Result<std::unique_ptr<Statement>> statement = prepare("PRAGMA quick_check(1)");
  if (!statement) return tl::unexpected(statement.error());
  const Result<bool> row = (*statement)->step();
  if (!row) return tl::unexpected(row.error());
  const std::string_view found = *row ? (*statement)->text(0) : std::string_view("ok");
  if (found != "ok") return damage(std::string(found));
  return {};
}

tl::unexpected<Error> Database::damage(const std::string& what) const {
  return failure(fmt::format("{} is damaged: {}; {}", path_, what, kWayOut));
}

void Database::roll_back() {
  if (sqlite3_get_autocommit(connection_) == 0) sqlite3_exec(connection_, "ROLLBACK", nullptr, nullptr, nullptr);
}

tl::unexpected<Error> Database::error() const {
  const int code = sqlite3_extended_errcode(connection_);
  if ((code & 0xff) == SQLITE_CORRUPT || (code & 0xff) == SQLITE_NOTADB) {
    return failure(fmt::format("{}: {} (SQLite error {}); {}", path_, sqlite3_errmsg(connection_), code, kWayOut));
  }
  return failure(fmt::format("{}: {} (SQLite error {})", path_, sqlite3_errmsg(connection_), code));
}

}  // namespace loadline::store
