// The store on a real disk: its folder, its formats, and processes that end without a word.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "foundation/base/rng.h"
#include "server/store/database.h"
#include "server/store/log_format.h"
#include "server/store/store.h"
#include "server/store/testing/manual_loop.h"
#include "server/store/testing/recording_watcher.h"
#include "server/store/testing/temporary_folder.h"

namespace loadline::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class StoreFilesTest : public testing::Test {
 protected:
  [[nodiscard]] std::string path() const { return folder_.path() + "/data"; }
  [[nodiscard]] std::string log_path() const { return path() + "/log.sqlite"; }

  Result<std::unique_ptr<Store>> open(Options options = {}) {
    options.data_dir = path();
    return Store::open(loop_, options);
  }
  std::string why_not() {
    const auto store = open();
    return store ? "it opened" : store.error().message;
  }
  bool wait(Store& store) {
    return loop_.run_until([&] { return store.delivered_revision() == store.revision(); });
  }
  static unsigned permissions(const std::string& file) {
    struct stat status{};
    return stat(file.c_str(), &status) == 0 ? status.st_mode & 0777 : 0;
  }
  void run_sql(const std::string& sql) {
    const auto database = Database::open(log_path(), "");
    const Result<void> done = (*database)->execute(sql);
    ASSERT_TRUE(done) << done.error().message;
  }

  TemporaryFolder folder_;
  ManualLoop loop_;
};

TEST_F(StoreFilesTest, ComesBackWithEverything) {
  {
    const auto store = std::move(*open());
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(store->put({"pods", "a", std::to_string(i)}, "{}", 0));
    ASSERT_TRUE(store->put({"nodes", "", "n"}, R"({"n":1})", 0));
    ASSERT_TRUE(store->remove({"pods", "a", "3"}, 5, "{}"));
    bool answered = false;
    store->when_durable(store->revision(), [&](const Result<void>& result) { answered = result.has_value(); });
    EXPECT_FALSE(answered);
    EXPECT_EQ(store->durable_revision(), 1);
    ASSERT_TRUE(wait(*store));
    EXPECT_TRUE(answered);
  }
  const auto store = std::move(*open());
  EXPECT_EQ(store->revision(), 23);
  EXPECT_EQ(store->count("pods"), 19u);
  EXPECT_EQ(store->get({"nodes", "", "n"})->text(), R"({"n":1})");
  EXPECT_EQ(store->get({"nodes", "", "n"})->created(), 22);
  RecordingWatcher watcher;
  const auto watch = store->watch("pods", {}, 20, watcher);
  loop_.run();
  EXPECT_THAT(watcher.lines, ElementsAre("ADDED 21 a/19", "DELETED 23 a/3"));
}

TEST_F(StoreFilesTest, WhatWasQueuedIsCommittedAtTheEnd) {
  {
    ASSERT_TRUE((*open())->put({"pods", "a", "x"}, "{}", 0));
  }
  EXPECT_EQ((*open())->revision(), 2);
}

TEST_F(StoreFilesTest, WhatWasQueuedIsCommittedWhenItIsClosed) {
  const auto store = std::move(*open());
  ASSERT_TRUE(store->put({"pods", "a", "x"}, "{}", 0));
  store->close();
  EXPECT_EQ(store->count("pods"), 1U) << "it can still be read";
  EXPECT_EQ((*open())->revision(), 2);
}

TEST_F(StoreFilesTest, OnlyItsOwnerMayLook) {
  const mode_t before = umask(0);
  const auto store = std::move(*open());
  ASSERT_TRUE(store->put({"secrets", "a", "x"}, "{}", 0));
  ASSERT_TRUE(wait(*store));
  umask(before);
  EXPECT_EQ(permissions(path()), 0700u);
  for (const auto& file : std::filesystem::directory_iterator(path())) {
    EXPECT_EQ(permissions(file.path()), 0600u) << file.path();
  }
}

/// As copying and unpacking leave them.
TEST_F(StoreFilesTest, WhatHasBecomeWiderIsMadeItsOwnersAgain) {
  const mode_t before = umask(0);
  std::filesystem::create_directory(path());
  std::filesystem::permissions(path(), std::filesystem::perms::all);
  ASSERT_TRUE(open());
  EXPECT_EQ(permissions(path()), 0700u) << "it was there, empty";
  std::filesystem::permissions(path(), std::filesystem::perms::all);
  for (const auto& file : std::filesystem::directory_iterator(path())) {
    std::filesystem::permissions(file.path(), std::filesystem::perms(0666));
  }
  const auto store = std::move(*open());
  umask(before);
  EXPECT_EQ(permissions(path()), 0700u);
  for (const auto& file : std::filesystem::directory_iterator(path())) {
    EXPECT_EQ(permissions(file.path()), 0600u) << file.path();
  }
}

TEST_F(StoreFilesTest, AFolderThatHoldsOtherThingsStaysOpenToOthers) {
  std::filesystem::create_directory(path());
  std::filesystem::permissions(path(), std::filesystem::perms(0755));
  std::ofstream(path() + "/diary") << "of somebody else";
  ASSERT_TRUE(open());
  ASSERT_TRUE(open());
  EXPECT_EQ(permissions(path()), 0755u);
  EXPECT_EQ(permissions(log_path()), 0600u);
}

TEST_F(StoreFilesTest, ARowThatIsNotWhatWasWrittenIsRefused) {
  {
    const auto store = std::move(*open());
    for (const char* name : {"x", "y", "z"}) ASSERT_TRUE(store->put({"pods", "a", name}, R"({"n":1})", 0));
    ASSERT_TRUE(wait(*store));
  }
  EXPECT_EQ(why_not(), "it opened");
  for (const char* damage : {"text = '{\"n\":2}'", "name = 'w'", "name_space = 'ax', name = ''", "created = 2",
                             "is_deletion = 1", "revision = 9", "checksum = checksum + 1", "resource = 2"}) {
    std::filesystem::copy(path(), folder_.path() + "/kept", std::filesystem::copy_options::recursive);
    run_sql(std::string("INSERT OR IGNORE INTO resources (id, name) VALUES (2, 'nodes'); UPDATE log SET ") + damage +
            " WHERE revision = 3");
    const std::string why = why_not();
    EXPECT_THAT(why, HasSubstr("log.sqlite is damaged: revision ")) << damage;
    EXPECT_THAT(why, HasSubstr(" is not what was written; nothing was changed. Put the data directory back")) << damage;
    std::filesystem::remove_all(path());
    std::filesystem::rename(folder_.path() + "/kept", path());
  }
  EXPECT_EQ(why_not(), "it opened");
}

/// A byte of the file, wherever it is: what comes back is what was written, or nothing does.
TEST_F(StoreFilesTest, ABentByteNeverChangesAnObject) {
  const std::string text = "{\"a\":\"" + std::string(3000, 'x') + "\"}";
  {
    const auto store = std::move(*open());
    for (int i = 0; i < 40; ++i) ASSERT_TRUE(store->put({"pods", "a", std::to_string(i)}, text, 0));
    ASSERT_TRUE(wait(*store));
  }
  std::string whole;
  {
    std::ifstream file(log_path(), std::ios::binary);
    whole.assign(std::istreambuf_iterator<char>(file), {});
  }
  Rng rng(5);
  int refused = 0;
  for (int i = 0; i < 300; ++i) {
    std::string bent = whole;
    const std::size_t at = rng.below(bent.size());
    bent[at] = static_cast<char>(bent[at] ^ static_cast<char>(1U << rng.below(8)));
    std::ofstream(log_path(), std::ios::binary) << bent;
    const auto store = open();
    if (!store) {
      ++refused;
      continue;
    }
    EXPECT_EQ((*store)->count("pods"), 40u) << "byte " << at;
    for (int name = 0; name < 40; ++name) {
      const ObjectPtr object = (*store)->get({"pods", "a", std::to_string(name)});
      ASSERT_NE(object, nullptr) << "byte " << at;
      ASSERT_EQ(object->text(), text) << "byte " << at;
    }
  }
  EXPECT_GT(refused, 100) << "half of the file is free";
}

TEST_F(StoreFilesTest, ALogThatIsGoneOrCutIsNoEmptyCluster) {
  {
    const auto store = std::move(*open());
    for (int i = 0; i < 200; ++i) ASSERT_TRUE(store->put({"pods", "a", std::to_string(i)}, std::string(500, 'x'), 0));
    ASSERT_TRUE(wait(*store));
  }
  std::filesystem::create_directory(path() + "/pki");
  const auto size = std::filesystem::file_size(log_path());
  std::filesystem::copy(path(), folder_.path() + "/kept", std::filesystem::copy_options::recursive);
  for (const std::uintmax_t left : {size / 2, std::uintmax_t{16384}, std::uintmax_t{100}}) {
    std::filesystem::resize_file(log_path(), left);
    EXPECT_THAT(why_not(), testing::AllOf(HasSubstr("log.sqlite"), HasSubstr("loadline up --snapshot FILE"))) << left;
    EXPECT_EQ(std::filesystem::file_size(log_path()), left) << "it was touched";
    std::filesystem::remove(log_path());
    std::filesystem::copy(folder_.path() + "/kept/log.sqlite", log_path());
  }
  std::filesystem::resize_file(log_path(), 0);
  EXPECT_THAT(why_not(), HasSubstr("log.sqlite is empty; nothing was changed. "));
  std::filesystem::remove(log_path());
  EXPECT_THAT(why_not(), HasSubstr("log.sqlite is missing, though " + path() + "/pki is there; nothing was changed. "));
  EXPECT_FALSE(std::filesystem::exists(log_path()));
  std::filesystem::remove(path() + "/pki");
  EXPECT_EQ(why_not(), "it opened") << "nothing says that there was one";
}

/// What every released Loadline so far has written.
TEST_F(StoreFilesTest, RowsOfTheSecondFormatGetTheirChecksums) {
  {
    const auto store = std::move(*open());
    ASSERT_TRUE(store->put({"pods", "a", "x"}, R"({"n":1})", 0));
    ASSERT_TRUE(store->put({"nodes", "", "n"}, "{}", 0));
    ASSERT_TRUE(wait(*store));
  }
  run_sql("ALTER TABLE log DROP COLUMN checksum; PRAGMA user_version = 2");
  {
    const auto store = open();
    ASSERT_TRUE(store) << store.error().message;
    EXPECT_EQ((*store)->get({"pods", "a", "x"})->text(), R"({"n":1})");
  }
  run_sql("UPDATE log SET text = '{\"n\":2}' WHERE revision = 2");
  EXPECT_THAT(why_not(), HasSubstr("revision 2 is not what was written"));
}

TEST_F(StoreFilesTest, OneProcessAtATime) {
  auto store = open();
  ASSERT_TRUE(store);
  EXPECT_EQ(why_not(), path() + " is in use by pid " + std::to_string(getpid()));
  store->reset();
  EXPECT_EQ(why_not(), "it opened");
}

TEST_F(StoreFilesTest, RefusesWhatIsNotItsOwn) {
  std::filesystem::create_directory(path());
  std::ofstream(log_path()) << "This is a sailor's diary, and no database at all, however long it goes on and on.";
  EXPECT_THAT(why_not(), HasSubstr("log.sqlite: file is not a database"));
  std::filesystem::remove(log_path());
  run_sql("CREATE TABLE recipes (name TEXT)");
  EXPECT_THAT(why_not(), HasSubstr("log.sqlite is an SQLite database, but not one of Loadline's"));
  std::filesystem::remove_all(path());
  std::ofstream(path()) << "a file";
  EXPECT_THAT(why_not(), HasSubstr("cannot open " + path() + "/lock: Not a directory"));
}

TEST_F(StoreFilesTest, NamesTheFolderThatItCannotMake) {
  Options options;
  options.data_dir = folder_.path() + "/none/data";
  const auto store = Store::open(loop_, options);
  EXPECT_THAT(store.error().message, HasSubstr("cannot make the data directory " + options.data_dir));
}

TEST_F(StoreFilesTest, RefusesAFormatOfTheFuture) {
  ASSERT_TRUE(open());
  run_sql("PRAGMA user_version = 7");
  EXPECT_THAT(why_not(),
              HasSubstr("was written by a newer Loadline: its format is 7, and this one knows formats up to"));
}

TEST_F(StoreFilesTest, BringsTheFirstFormatUpToDate) {
  std::filesystem::create_directory(path());
  run_sql(
      std::string("CREATE TABLE resources (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
                  "CREATE TABLE log (revision INTEGER PRIMARY KEY, resource INTEGER NOT NULL, name_space TEXT NOT NULL,"
                  " name TEXT NOT NULL, created INTEGER NOT NULL, is_deletion INTEGER NOT NULL, text TEXT NOT NULL);"
                  "INSERT INTO resources VALUES (1, 'pods');"
                  "INSERT INTO log VALUES (2, 1, 'a', 'x', 2, 0, '{\"n\":1}'), (3, 1, 'a', 'x', 2, 0, '{\"n\":2}');"
                  "PRAGMA user_version = 1; PRAGMA application_id = ") +
      std::to_string(kLogApplication));
  {
    const auto store = open();
    ASSERT_TRUE(store) << store.error().message;
    EXPECT_EQ((*store)->revision(), 3);
    EXPECT_EQ((*store)->get({"pods", "a", "x"})->text(), R"({"n":2})");
    (*store)->compact(3);
    ASSERT_TRUE((*store)->put({"pods", "a", "y"}, "{}", 0));
    ASSERT_TRUE(wait(**store));
  }
  const auto database = Database::open(log_path(), "");
  EXPECT_EQ(*(*database)->number("PRAGMA user_version"), kLogFormat);
}

TEST_F(StoreFilesTest, TheFileForgetsWithTheHistory) {
  const std::string text = "{\"a\":\"" + std::string(3000, 'x') + "\"}";
  const auto write = [&](Store& store, int times) {
    for (int i = 0; i < times; ++i) {
      const Key key{"pods", "a", std::to_string(i % 10)};
      const ObjectPtr current = store.get(key);
      ASSERT_TRUE(store.put(key, text, current == nullptr ? 0 : current->revision()));
      if (i % 50 == 0) {
        ASSERT_TRUE(wait(store));
      }
    }
    ASSERT_TRUE(wait(store));
  };
  std::uintmax_t size = 0;
  {
    Options options;
    options.history_events = 100;
    options.log.free_pages_kept = 8;
    const auto store = std::move(*open(options));
    write(*store, 4000);
    ASSERT_TRUE(loop_.run_until([&] { return store->compacted("pods") >= store->revision() - 100; }));
  }
  size = std::filesystem::file_size(log_path());
  EXPECT_LT(size, 2u << 20) << "4,000 versions of 3 KB were written, and 110 are left";
  const auto database = Database::open(log_path(), "");
  EXPECT_LT(*(*database)->number("SELECT count(*) FROM log"), 400);
}

/// What the process that will be killed does: it writes, and says which writes are durable.
[[noreturn]] void write_until_killed(const std::string& path, int report) {
  ManualLoop loop;
  Options options;
  options.data_dir = path;
  options.history_events = 50;
  options.log.checkpoint_pages = 20;
  const auto store = Store::open(loop, options);
  if (!store) _exit(1);
  for (int i = 0;; ++i) {
    const Key key{"pods", "a", std::to_string(i % 40)};
    const ObjectPtr current = (*store)->get(key);
    const Revision revision = (*store)->next_revision();
    const std::string text = std::to_string(revision) + std::string(static_cast<std::size_t>(i % 7) * 500, ' ');
    static_cast<void>((*store)->put(key, text, current == nullptr ? 0 : current->revision()));
    (*store)->when_durable(revision, [report, revision](const Result<void>& result) {
      if (!result || write(report, &revision, sizeof revision) != sizeof revision) _exit(2);
    });
    if (i % 8 == 0) loop.run_until([&] { return (*store)->durable_revision() + 16 > (*store)->revision(); });
  }
}

TEST_F(StoreFilesTest, SurvivesKill9) {
  Rng rng(11);
  Revision acknowledged = 1;
  for (int run = 0; run < 40; ++run) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      close(ends[0]);
      write_until_killed(path(), ends[1]);
    }
    close(ends[1]);
    std::this_thread::sleep_for(std::chrono::milliseconds(5 + rng.below(60)));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "it ended by itself: " << status;
    for (Revision told = 0; read(ends[0], &told, sizeof told) == sizeof told;) acknowledged = told;
    close(ends[0]);

    const auto store = open();
    ASSERT_TRUE(store) << store.error().message;
    ASSERT_GE((*store)->revision(), acknowledged);
    StoreResult<Listing> listing = (*store)->list("pods", {});
    Revision newest = 0;
    while (const ObjectPtr* object = listing->next()) {
      EXPECT_EQ(std::stoll(std::string((*object)->text())), (*object)->revision());
      newest = std::max(newest, (*object)->revision());
    }
    if ((*store)->revision() > 1) {
      EXPECT_EQ(newest, (*store)->revision());
    }
  }
  EXPECT_GT(acknowledged, 100) << "the test has hardly written";
}

}  // namespace
}  // namespace loadline::store
