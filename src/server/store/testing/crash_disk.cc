#include "server/store/testing/crash_disk.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <vector>

namespace loadline::store {
namespace {

constexpr std::uint64_t kSector = 512;
constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

/// A change that no sync has brought to the disk: bytes at an offset, or a new size.
struct Change {
  std::uint64_t offset = 0;
  std::string bytes;
  std::optional<std::uint64_t> size;
  bool is_lost = false;  // a sync failed to bring it there, and none will
};

void write_into(std::string& content, std::uint64_t offset, std::string_view bytes) {
  if (content.size() < offset + bytes.size()) content.resize(offset + bytes.size());
  content.replace(offset, bytes.size(), bytes);
}

struct DiskFile {
  std::string content;  // as programs see it
  std::string durable;  // as the last sync left it
  bool exists = true;
  bool was_synced = false;
  std::vector<Change> changes;

  void sync() {
    for (const Change& change : changes) {
      if (!change.is_lost) apply(change);
    }
    was_synced = true;
    std::erase_if(changes, [](const Change& change) { return !change.is_lost; });
  }

  void fail_to_sync() {
    for (Change& change : changes) change.is_lost = true;
  }

  void apply(const Change& change) {
    if (change.size) {
      durable.resize(*change.size);
    } else {
      write_into(durable, change.offset, change.bytes);
    }
  }

  /// Of what was not synced, sectors get to the disk with this probability, and some only in part.
  void crash(Rng& rng, std::uint64_t percent) {
    for (const Change& change : changes) {
      if (change.is_lost) continue;
      if (change.size) {
        if (rng.below(100) < percent) durable.resize(*change.size);
        continue;
      }
      std::uint64_t begin = 0;
      while (begin < change.bytes.size()) {
        const std::uint64_t to_boundary = kSector - (change.offset + begin) % kSector;
        std::uint64_t size = std::min<std::uint64_t>(to_boundary, change.bytes.size() - begin);
        const std::uint64_t next = begin + size;
        if (rng.below(20) == 0) size = rng.below(size + 1);
        if (rng.below(100) < percent && size > 0) {
          write_into(durable, change.offset + begin, std::string_view(change.bytes).substr(begin, size));
        }
        begin = next;
      }
    }
    changes.clear();
    content = durable;
    exists = true;
  }
};

}  // namespace

struct CrashDisk::State {
  explicit State(std::uint64_t seed) : rng(seed) {}

  Rng rng;
  std::string name;
  sqlite3_vfs vfs{};
  std::map<std::string, DiskFile, std::less<>> files;
  std::uint64_t unnamed = 0;
  std::uint64_t steps = 0;
  std::uint64_t crash_step = kNever;
  std::uint64_t odds = 0;
  std::uint64_t size = kNever;
  std::uint64_t faults = 0;
  bool has_power = true;

  enum class WriteEffect { kDone, kFails, kDies };

  /// What becomes of the next step. One that dies happens in part: it is among what was not synced.
  WriteEffect next_step() {
    if (!has_power) return WriteEffect::kFails;
    if (++steps >= crash_step) {
      has_power = false;
      ++faults;
      return WriteEffect::kDies;
    }
    if (odds == 0 || rng.below(odds) != 0) return WriteEffect::kDone;
    ++faults;
    return WriteEffect::kFails;
  }

  [[nodiscard]] std::uint64_t used() const {
    std::uint64_t bytes = 0;
    for (const auto& [path, file] : files) bytes += file.exists ? file.content.size() : 0;
    return bytes;
  }
};

namespace {

using State = CrashDisk::State;

struct OpenFile {
  sqlite3_file base;
  State* disk;
  DiskFile* file;
};

OpenFile& open_file(sqlite3_file* file) { return *reinterpret_cast<OpenFile*>(file); }
State& disk_of(sqlite3_vfs* vfs) { return *static_cast<State*>(vfs->pAppData); }

int close_file(sqlite3_file*) { return SQLITE_OK; }

int read_file(sqlite3_file* handle, void* buffer, int amount, sqlite3_int64 offset) {
  const OpenFile& open = open_file(handle);
  if (!open.disk->has_power) return SQLITE_IOERR_READ;
  const std::string& content = open.file->content;
  const auto wanted = static_cast<std::size_t>(amount);
  const auto begin = std::min(static_cast<std::size_t>(offset), content.size());
  const std::size_t there = std::min(wanted, content.size() - begin);
  std::memcpy(buffer, content.data() + begin, there);
  if (there == wanted) return SQLITE_OK;
  std::memset(static_cast<char*>(buffer) + there, 0, wanted - there);
  return SQLITE_IOERR_SHORT_READ;
}

int write_file(sqlite3_file* handle, const void* buffer, int amount, sqlite3_int64 offset) {
  OpenFile& open = open_file(handle);
  DiskFile& file = *open.file;
  const auto size = static_cast<std::size_t>(amount);
  const auto at = static_cast<std::uint64_t>(offset);
  const std::uint64_t growth = at + size > file.content.size() ? at + size - file.content.size() : 0;
  if (growth > 0 && open.disk->used() + growth > open.disk->size) {
    ++open.disk->faults;
    return SQLITE_FULL;
  }
  const State::WriteEffect effect = open.disk->next_step();
  if (effect == State::WriteEffect::kFails) return SQLITE_IOERR_WRITE;
  const std::string_view bytes(static_cast<const char*>(buffer), size);
  write_into(file.content, at, bytes);
  file.changes.push_back({.offset = at, .bytes = std::string(bytes), .size = {}});
  return effect == State::WriteEffect::kDone ? SQLITE_OK : SQLITE_IOERR_WRITE;
}

int truncate_file(sqlite3_file* handle, sqlite3_int64 size) {
  OpenFile& open = open_file(handle);
  const State::WriteEffect effect = open.disk->next_step();
  if (effect == State::WriteEffect::kFails) return SQLITE_IOERR_TRUNCATE;
  open.file->content.resize(static_cast<std::size_t>(size));
  open.file->changes.push_back({.offset = 0, .bytes = {}, .size = static_cast<std::uint64_t>(size)});
  return effect == State::WriteEffect::kDone ? SQLITE_OK : SQLITE_IOERR_TRUNCATE;
}

int sync_file(sqlite3_file* handle, int) {
  OpenFile& open = open_file(handle);
  switch (open.disk->next_step()) {
    case State::WriteEffect::kDone:
      open.file->sync();
      return SQLITE_OK;
    case State::WriteEffect::kFails:
      open.file->fail_to_sync();
      return SQLITE_IOERR_FSYNC;
    case State::WriteEffect::kDies:
      break;
  }
  return SQLITE_IOERR_FSYNC;
}

int file_size(sqlite3_file* handle, sqlite3_int64* size) {
  *size = static_cast<sqlite3_int64>(open_file(handle).file->content.size());
  return SQLITE_OK;
}

// One process, one connection: no other process to lock out.
int lock_file(sqlite3_file*, int) { return SQLITE_OK; }
int check_lock(sqlite3_file*, int* is_locked) {
  *is_locked = 0;
  return SQLITE_OK;
}
int control_file(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
int sector_size(sqlite3_file*) { return 4096; }
int characteristics(sqlite3_file*) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

// Version 1: no shared memory, which a log of one process does not need.
constexpr sqlite3_io_methods kMethods = {
    1,         close_file, read_file,  write_file,   truncate_file, sync_file,       file_size,
    lock_file, lock_file,  check_lock, control_file, sector_size,   characteristics, nullptr,
    nullptr,   nullptr,    nullptr,    nullptr,      nullptr};

int open_path(sqlite3_vfs* vfs, const char* path, sqlite3_file* handle, int flags, int* flags_out) {
  State& disk = disk_of(vfs);
  OpenFile& open = open_file(handle);
  open.base.pMethods = nullptr;
  if (!disk.has_power) return SQLITE_CANTOPEN;
  const std::string name = path == nullptr ? fmt::format("unnamed {}", disk.unnamed++) : path;
  const auto found = disk.files.find(name);
  const bool is_there = found != disk.files.end() && found->second.exists;
  if (!is_there && (flags & SQLITE_OPEN_CREATE) == 0) return SQLITE_CANTOPEN;
  DiskFile& file = disk.files[name];
  if (!is_there) file = {};
  open.base.pMethods = &kMethods;
  open.disk = &disk;
  open.file = &file;
  if (flags_out != nullptr) *flags_out = flags;
  return SQLITE_OK;
}

int delete_path(sqlite3_vfs* vfs, const char* path, int syncs_folder) {
  State& disk = disk_of(vfs);
  const auto found = disk.files.find(path);
  if (found == disk.files.end() || !found->second.exists) return SQLITE_IOERR_DELETE_NOENT;
  const State::WriteEffect effect = disk.next_step();
  if (effect == State::WriteEffect::kFails) return SQLITE_IOERR_DELETE;
  found->second.exists = false;
  if (effect == State::WriteEffect::kDone && syncs_folder != 0) disk.files.erase(found);
  return effect == State::WriteEffect::kDone ? SQLITE_OK : SQLITE_IOERR_DELETE;
}

int access_path(sqlite3_vfs* vfs, const char* path, int, int* result) {
  const State& disk = disk_of(vfs);
  const auto found = disk.files.find(path);
  *result = found != disk.files.end() && found->second.exists ? 1 : 0;
  return SQLITE_OK;
}

int full_path(sqlite3_vfs*, const char* path, int size, char* full) {
  sqlite3_snprintf(size, full, "%s", path);
  return SQLITE_OK;
}

int randomness(sqlite3_vfs* vfs, int size, char* bytes) {
  for (int i = 0; i < size; ++i) bytes[i] = static_cast<char>(disk_of(vfs).rng.below(256));
  return size;
}

int do_not_sleep(sqlite3_vfs*, int microseconds) { return microseconds; }

int current_time(sqlite3_vfs*, double* days) {
  *days = 2460000.5;
  return SQLITE_OK;
}

int last_error(sqlite3_vfs*, int, char*) { return 0; }

}  // namespace

CrashDisk::CrashDisk(std::uint64_t seed) : state_(std::make_unique<State>(seed)) {
  sqlite3_initialize();
  state_->name = fmt::format("crash-disk-{}", static_cast<const void*>(state_.get()));
  sqlite3_vfs& vfs = state_->vfs;
  vfs.iVersion = 1;
  vfs.szOsFile = sizeof(OpenFile);
  vfs.mxPathname = 512;
  vfs.zName = state_->name.c_str();
  vfs.pAppData = state_.get();
  vfs.xOpen = open_path;
  vfs.xDelete = delete_path;
  vfs.xAccess = access_path;
  vfs.xFullPathname = full_path;
  vfs.xRandomness = randomness;
  vfs.xSleep = do_not_sleep;
  vfs.xCurrentTime = current_time;
  vfs.xGetLastError = last_error;
  sqlite3_vfs_register(&vfs, 0);
}

CrashDisk::~CrashDisk() { sqlite3_vfs_unregister(&state_->vfs); }

const std::string& CrashDisk::name() const { return state_->name; }
std::uint64_t CrashDisk::steps() const { return state_->steps; }
void CrashDisk::lose_power_at(std::uint64_t step) { state_->crash_step = step; }
bool CrashDisk::has_power() const { return state_->has_power; }
void CrashDisk::fail_one_in(std::uint64_t odds) { state_->odds = odds; }
void CrashDisk::set_size(std::uint64_t bytes) { state_->size = bytes; }
std::uint64_t CrashDisk::used() const { return state_->used(); }
std::uint64_t CrashDisk::faults() const { return state_->faults; }

void CrashDisk::restart() {
  constexpr std::uint64_t kPercents[] = {0, 50, 90, 100};
  const std::uint64_t percent = kPercents[state_->rng.below(4)];
  for (auto entry = state_->files.begin(); entry != state_->files.end();) {
    DiskFile& file = entry->second;
    // A file that was never synced may not be there at all; one that was deleted may be there again.
    const bool is_sure = file.exists && file.was_synced;
    if (!is_sure && state_->rng.below(2) == 0) {
      entry = state_->files.erase(entry);
      continue;
    }
    file.crash(state_->rng, percent);
    ++entry;
  }
  state_->has_power = true;
  state_->crash_step = kNever;
}

}  // namespace loadline::store
