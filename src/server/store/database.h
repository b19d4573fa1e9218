#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "foundation/base/result.h"

struct sqlite3;
struct sqlite3_context;
struct sqlite3_stmt;
struct sqlite3_value;

namespace loadline::store {

class Database;

/// A prepared statement. Parameters count from 1, columns from 0; texts are not copied: they must live until `reset`.
class Statement {
 public:
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(int parameter, std::int64_t number);
  Statement& bind(int parameter, std::string_view text);

  /// Whether there is a row.
  Result<bool> step();
  /// Runs to the end and makes it ready for another run.
  Result<void> run();
  void reset();

  [[nodiscard]] std::int64_t number(int column) const;
  /// Valid until the next step.
  [[nodiscard]] std::string_view text(int column) const;

 private:
  friend class Database;
  Statement(Database& database, sqlite3_stmt* statement) : database_(database), statement_(statement) {}

  Database& database_;
  sqlite3_stmt* statement_;
};

/// A connection to an SQLite database: the only place that knows the library. Errors name the file and say what SQLite
/// says. For one thread at a time.
class Database {
 public:
  /// Opens the file, which is made if it is missing. `file_system`: a VFS, or empty.
  static Result<std::unique_ptr<Database>> open(const std::string& path, const std::string& file_system);

  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  Result<void> execute(const std::string& sql);
  Result<std::unique_ptr<Statement>> prepare(std::string_view sql);
  /// Whether the file is sound as SQLite lays it out. Errors: it is not, and what was found first. O(its size).
  Result<void> check();
  /// Has SQL call a function of ours.
  using Function = void (*)(sqlite3_context* context, int count, sqlite3_value** arguments);
  Result<void> define(const char* name, int parameters, Function function);
  /// The number that a query returns first; 0 if it returns no row.
  Result<std::int64_t> number(const std::string& sql);

  /// Ends a transaction that failed, if it still is open.
  void roll_back();

  [[nodiscard]] const std::string& path() const { return path_; }
  /// That what the file holds is not what was written, and what a user can do about it.
  [[nodiscard]] tl::unexpected<Error> damage(const std::string& what) const;

 private:
  friend class Statement;
  Database(sqlite3* connection, std::string path) : connection_(connection), path_(std::move(path)) {}

  [[nodiscard]] tl::unexpected<Error> error() const;

  sqlite3* connection_;
  std::string path_;
};

}  // namespace loadline::store
