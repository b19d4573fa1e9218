#include "server/store/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include "server/store/database.h"
#include "server/store/log_format.h"

namespace loadline::store {
namespace {

// Comes first: no other process may open the database meanwhile, so the index of its WAL can live in our memory.
constexpr const char* kAlone = "PRAGMA locking_mode = EXCLUSIVE;";
// Of a new database. Pages of 16 KiB take seven pods of 2 KiB; pages of 4 KiB would take one, and stay half empty.
constexpr const char* kLayout = "PRAGMA page_size = 16384; PRAGMA auto_vacuum = INCREMENTAL;";
constexpr const char* kSettings =
    // As FULL, and the journal that makes the database is gone for sure before anything builds on it.
    "PRAGMA synchronous = EXTRA;"
    "PRAGMA journal_mode = WAL;"
    // What a burst of writes made of the WAL is given back.
    "PRAGMA journal_size_limit = 67108864;"
    "PRAGMA cache_size = -4096;";

CheckedRow checked(const LogReader::Row& row) {
  return {row.revision, *row.resource, row.name_space, row.name, row.created, row.is_deletion, row.text};
}

// Free pages are given back to the file system a few at a time.
constexpr int kFreePagesGivenBack = 64;

}  // namespace

struct Log::Statements {
  std::unique_ptr<Statement> begin;
  std::unique_ptr<Statement> commit;
  std::unique_ptr<Statement> append;
  std::unique_ptr<Statement> add_resource;
  std::unique_ptr<Statement> set_compacted;
  std::unique_ptr<Statement> erase;
  std::unique_ptr<Statement> erase_after;
  std::unique_ptr<Statement> free_pages;
};

Log::Log(std::unique_ptr<Database> database, const LogOptions& options)
    : options_(options), database_(std::move(database)), statements_(std::make_unique<Statements>()) {}

Log::~Log() = default;

Result<void> Log::make(const std::string& path) {
  Result<std::unique_ptr<Database>> database = Database::open(path, {});
  if (!database) return tl::unexpected(database.error());
  const std::string settings =
      fmt::format("{} PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; {}", kAlone, kLayout);
  if (Result<void> done = (*database)->execute(settings); !done) return done;
  if (Result<void> done = bring_up_to_date(**database); !done) return done;
  // It stays in this mode; opening it so is cheap, and bringing it there is not.
  return (*database)->execute("PRAGMA journal_mode = WAL");
}

Result<std::unique_ptr<Log>> Log::open(const std::string& path, const LogOptions& options) {
  Result<std::unique_ptr<Database>> database = Database::open(path, options.file_system);
  if (!database) return tl::unexpected(database.error());
  if (Result<void> done = (*database)->execute(kAlone); !done) return tl::unexpected(done.error());
  const Result<std::int64_t> pages = (*database)->number("PRAGMA page_count");
  if (!pages) return tl::unexpected(pages.error());
  const std::string settings = fmt::format("{}{}PRAGMA wal_autocheckpoint = {};", *pages == 0 ? kLayout : "", kSettings,
                                           options.checkpoint_pages);
  if (Result<void> done = (*database)->execute(settings); !done) return tl::unexpected(done.error());
  if (Result<void> done = bring_up_to_date(**database); !done) return tl::unexpected(done.error());
  std::unique_ptr<Log> log(new Log(std::move(*database), options));
  if (Result<void> done = log->prepare(); !done) return tl::unexpected(done.error());
  return log;
}

Result<void> Log::prepare() {
  const std::array<std::pair<std::unique_ptr<Statement>*, std::string_view>, 8> all = {{
      {&statements_->begin, "BEGIN IMMEDIATE"},
      {&statements_->commit, "COMMIT"},
      {&statements_->append, "INSERT INTO log VALUES (?, ?, ?, ?, ?, ?, ?, ?)"},
      {&statements_->add_resource, "INSERT INTO resources (id, name) VALUES (?, ?)"},
      {&statements_->set_compacted, "UPDATE resources SET compacted = max(compacted, ?) WHERE id = ?"},
      {&statements_->erase, "DELETE FROM log WHERE revision = ?"},
      {&statements_->erase_after, "DELETE FROM log WHERE revision > ?"},
      {&statements_->free_pages, "PRAGMA freelist_count"},
  }};
  for (const auto& [place, sql] : all) {
    Result<std::unique_ptr<Statement>> statement = database_->prepare(sql);
    if (!statement) return tl::unexpected(statement.error());
    *place = std::move(*statement);
  }
  return {};
}

Result<void> Log::read(LogReader& reader) {
  if (Result<void> sound = database_->check(); !sound) return sound;
  Result<std::unique_ptr<Statement>> resources = database_->prepare("SELECT id, name, compacted FROM resources");
  if (!resources) return tl::unexpected(resources.error());
  std::map<std::int64_t, const std::string*> names;
  Result<bool> row = (*resources)->step();
  for (; row && *row; row = (*resources)->step()) {
    const std::int64_t id = (*resources)->number(0);
    const auto [place, inserted] = ids_.emplace(std::string((*resources)->text(1)), id);
    names[id] = &place->first;
    durable_ = std::max(durable_, (*resources)->number(2));
    reader.on_resource(place->first, (*resources)->number(2));
  }
  if (!row) return tl::unexpected(row.error());

  Result<std::unique_ptr<Statement>> rows = database_->prepare(
      "SELECT revision, resource, name_space, name, created, is_deletion, text, checksum FROM log ORDER BY revision");
  if (!rows) return tl::unexpected(rows.error());
  for (row = (*rows)->step(); row && *row; row = (*rows)->step()) {
    const Statement& columns = **rows;
    const auto name = names.find(columns.number(1));
    if (name == names.end()) return database_->damage(fmt::format("revision {} is of no resource", columns.number(0)));
    const LogReader::Row read{.revision = columns.number(0),
                              .resource = name->second,
                              .name_space = columns.text(2),
                              .name = columns.text(3),
                              .created = columns.number(4),
                              .is_deletion = columns.number(5) != 0,
                              .text = columns.text(6)};
    if (checksum(checked(read)) != columns.number(7)) {
      return database_->damage(fmt::format("revision {} is not what was written", read.revision));
    }
    if (Result<void> taken = reader.on_row(read); !taken) return database_->damage(taken.error().message);
    durable_ = std::max(durable_, columns.number(0));
  }
  if (!row) return tl::unexpected(row.error());
  return {};
}

Result<void> Log::commit(const std::vector<LogBatch>& batches) {
  Result<void> done = commit_inside(batches);
  if (!done) {
    database_->roll_back();
    has_failed_ = true;
    std::size_t bytes = 0;
    for (const LogBatch& batch : batches) bytes += batch.text_bytes();
    failed_bytes_ = std::max(failed_bytes_, bytes);
    return done;
  }
  has_failed_ = false;
  failed_bytes_ = 0;
  for (const LogBatch& batch : batches) {
    if (!batch.writes.empty()) durable_ = batch.writes.back().object->revision();
  }
  return give_back_pages();
}

Result<void> Log::commit_inside(const std::vector<LogBatch>& batches) {
  if (Result<void> begun = statements_->begin->run(); !begun) return begun;
  if (has_failed_) {
    if (Result<void> done = take_back_failed(); !done) return done;
  }
  for (const LogBatch& batch : batches) {
    for (const LogBatch::Write& write : batch.writes) {
      if (Result<void> done = append(write); !done) return done;
    }
    for (const LogBatch::Forgotten& forgotten : batch.forgotten) {
      if (Result<void> done = forget(forgotten); !done) return done;
    }
    if (!batch.is_trial) continue;
    if (Result<void> done = try_to_write(); !done) return done;
  }
  return statements_->commit->run();
}

/// A commit that failed may have got to the disk nevertheless: its revisions are written again, by others.
Result<void> Log::take_back_failed() {
  ids_.clear();
  Result<std::unique_ptr<Statement>> resources = database_->prepare("SELECT id, name FROM resources");
  if (!resources) return tl::unexpected(resources.error());
  Result<bool> row = (*resources)->step();
  for (; row && *row; row = (*resources)->step()) {
    ids_.emplace(std::string((*resources)->text(1)), (*resources)->number(0));
  }
  if (!row) return tl::unexpected(row.error());
  return statements_->erase_after->bind(1, durable_).run();
}

Result<std::int64_t> Log::resource_id(std::string_view name) {
  if (const auto known = ids_.find(name); known != ids_.end()) return known->second;
  const auto id = static_cast<std::int64_t>(ids_.size()) + 1;
  if (Result<void> done = statements_->add_resource->bind(1, id).bind(2, name).run(); !done) {
    return tl::unexpected(done.error());
  }
  ids_.emplace(std::string(name), id);
  return id;
}

Result<void> Log::append(const LogBatch::Write& write) {
  const Object& object = *write.object;
  const Result<std::int64_t> resource = resource_id(object.resource());
  if (!resource) return tl::unexpected(resource.error());
  const CheckedRow row{object.revision(), object.resource(), object.name_space(), object.name(),
                       object.created(),  write.is_deletion, object.text()};
  return statements_->append->bind(1, object.revision())
      .bind(2, *resource)
      .bind(3, object.name_space())
      .bind(4, object.name())
      .bind(5, object.created())
      .bind(6, std::int64_t{write.is_deletion})
      .bind(7, object.text())
      .bind(8, checksum(row))
      .run();
}

Result<void> Log::forget(const LogBatch::Forgotten& forgotten) {
  const Result<std::int64_t> resource = resource_id(*forgotten.resource);
  if (!resource) return tl::unexpected(resource.error());
  if (Result<void> done = statements_->set_compacted->bind(1, forgotten.compacted).bind(2, *resource).run(); !done) {
    return done;
  }
  for (const Revision row : forgotten.rows) {
    if (row == 0) continue;
    if (Result<void> done = statements_->erase->bind(1, row).run(); !done) return done;
  }
  return {};
}

/// Writes a page as it is: SQLite does not look whether the number is another one. A disk may have room for that, and
/// none for what failed.
Result<void> Log::try_to_write() {
  std::error_code unknown;
  const std::filesystem::space_info space = std::filesystem::space(database_->path(), unknown);
  if (!unknown && space.available < failed_bytes_ + failed_bytes_ / 8) {
    return failure(fmt::format("{}: the disk has no room for {} bytes", database_->path(), failed_bytes_));
  }
  return database_->execute(fmt::format("PRAGMA user_version = {}", kLogFormat));
}

/// Not part of the commit: what fails here loses nothing, and is tried again.
Result<void> Log::give_back_pages() {
  const Result<bool> row = statements_->free_pages->step();
  const std::int64_t free = row && *row ? statements_->free_pages->number(0) : 0;
  statements_->free_pages->reset();
  if (free <= options_.free_pages_kept) return {};
  static_cast<void>(database_->execute(fmt::format("PRAGMA incremental_vacuum({})", kFreePagesGivenBack)));
  return {};
}

}  // namespace loadline::store
