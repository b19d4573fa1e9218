// How fast the store is, and what an object costs. `store_measure [FOLDER]`: the log goes into a new folder below it
// (the current one), which is removed.

#include <fmt/format.h>
#include <malloc.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "server/store/store.h"
#include "server/store/testing/manual_loop.h"

namespace {

using namespace loadline;
using namespace loadline::store;
using Clock = std::chrono::steady_clock;

constexpr int kObjects = 100'000;
constexpr std::size_t kTextSize = 2048;
constexpr int kWatchers = 10'000;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::size_t heap_bytes() { return mallinfo2().uordblks + mallinfo2().hblkhd; }

Key pod(int i) { return {"pods", "space-" + std::to_string(i % 100), fmt::format("web-6d4cf56db6-{:06}", i)}; }

/// Writes a text of the usual size with the revision in it, whatever is there.
void put(Store& store, const Key& key) {
  std::string text = fmt::format(R"({{"metadata":{{"resourceVersion":"{}"}},"padding":")", store.next_revision());
  text.resize(kTextSize - 2, 'x');
  text += "\"}";
  const ObjectPtr current = store.get(key);
  static_cast<void>(store.put(key, text, current == nullptr ? 0 : current->revision()));
}

std::unique_ptr<Store> open(EventLoop& loop, Options options) {
  auto store = Store::open(loop, std::move(options));
  if (!store) fmt::print(stderr, "store_measure: {}\n", store.error().message);
  return store ? std::move(*store) : nullptr;
}

void report(const char* what, double value, const char* unit) { fmt::print("{:<52}{:>14.1f} {}\n", what, value, unit); }

struct CountingWatcher final : Watcher {
  void on_event(const EventPtr& event) override {
    bytes += event->encoding(0, [&] { return fmt::format("{}\n", event->object->text()); })->size();
    ++events;
  }
  void on_cut(const StoreError&) override {}
  std::size_t events = 0;
  std::size_t bytes = 0;
};

void measure_memory() {
  ManualLoop loop;
  // History holds what was there before: kept short here, so that objects are counted and not their past.
  Options options;
  options.history_events = 1;
  const auto store = open(loop, options);
  const std::size_t before = heap_bytes();
  auto start = Clock::now();
  for (int i = 0; i < kObjects; ++i) {
    put(*store, pod(i));
    loop.run();
  }
  report("creates in memory", kObjects / seconds_since(start), "/s");
  const auto held = static_cast<double>(heap_bytes() - before);
  report("heap per object of 2,048 bytes, over its text", held / kObjects - kTextSize, "bytes");
  start = Clock::now();
  for (int i = 0; i < kObjects; ++i) {
    put(*store, pod(i));
    loop.run();
  }
  report("updates in memory", kObjects / seconds_since(start), "/s");
  start = Clock::now();
  std::size_t found = 0;
  for (int i = 0; i < kObjects; ++i) found += store->get(pod(i))->text().size();
  report("gets", kObjects / seconds_since(start), "/s");
  start = Clock::now();
  StoreResult<Listing> listing = store->list("pods", {});
  while (const ObjectPtr* object = listing->next()) found += (*object)->text().size();
  report("walk of 100,000 objects", seconds_since(start) * 1e3, "ms");
  if (found == 0) fmt::print("nothing found\n");
}

void measure_fan_out() {
  ManualLoop loop;
  const auto store = open(loop, {});
  for (int i = 0; i < kWatchers; ++i) put(*store, pod(i));
  loop.run();
  for (const bool each_its_own : {false, true}) {
    std::vector<CountingWatcher> watchers(kWatchers);
    std::vector<std::unique_ptr<Watch>> watches;
    const std::size_t before = heap_bytes();
    for (int i = 0; i < kWatchers; ++i) {
      const Key key = pod(i);
      Scope scope;
      if (each_its_own) scope = {.name_space = key.name_space, .name = key.name};
      watches.push_back(
          std::move(*store->watch("pods", scope, store->revision(), watchers[static_cast<std::size_t>(i)])));
    }
    report(each_its_own ? "heap per watch of one name" : "heap per watch of all",
           static_cast<double>(heap_bytes() - before) / kWatchers, "bytes");
    const int writes = each_its_own ? kWatchers : 200;
    const auto start = Clock::now();
    for (int i = 0; i < writes; ++i) {
      put(*store, pod(i));
      loop.run();
    }
    const double spent = seconds_since(start);
    std::size_t told = 0;
    for (const CountingWatcher& watcher : watchers) told += watcher.events;
    report(each_its_own ? "10,000 watches of one name each: a write" : "10,000 watches of all: a write",
           spent / writes * 1e6, "us");
    report("  told", static_cast<double>(told) / spent, "events/s");
  }
}

/// `clients` that each write again once their last write is durable.
void measure_durable(const std::string& folder, int clients, int writes) {
  ManualLoop loop;
  Options options;
  options.data_dir = folder;
  const auto store = open(loop, options);
  int started = 0;
  int done = 0;
  std::function<void()> start_one = [&] {
    if (started == writes) return;
    put(*store, pod(started++));
    store->when_durable(store->revision(), [&](const Result<void>& result) {
      done += result ? 1 : 0;
      loop.post(start_one);
    });
  };
  const auto start = Clock::now();
  for (int i = 0; i < clients; ++i) start_one();
  loop.run_until([&] { return done == writes; });
  report(fmt::format("durable writes, {} clients", clients).c_str(), done / seconds_since(start), "/s");
}

void measure_recovery(const std::string& folder) {
  {
    ManualLoop loop;
    Options options;
    options.data_dir = folder;
    const auto store = open(loop, options);
    const auto start = Clock::now();
    for (int i = 0; i < kObjects; ++i) {
      put(*store, pod(i));
      if (i % 1000 == 0) loop.run();
    }
    loop.run_until([&] { return store->durable_revision() == store->revision(); });
    report("durable creates of 100,000 objects, all at once", kObjects / seconds_since(start), "/s");
  }
  report("  size of the log", static_cast<double>(std::filesystem::file_size(folder + "/log.sqlite")) / (1 << 20),
         "MiB");
  ManualLoop loop;
  Options options;
  options.data_dir = folder;
  const auto start = Clock::now();
  const auto store = open(loop, options);
  report("recovery of 100,000 objects of 2 KB", seconds_since(start) * 1e3, "ms");
  if (store->count("pods") != kObjects) fmt::print("recovered only {}\n", store->count("pods"));
}

void measure_start(const std::string& folder) {
  ManualLoop loop;
  Options options;
  options.data_dir = folder;
  auto start = Clock::now();
  auto store = open(loop, options);
  report("opening a new folder", seconds_since(start) * 1e3, "ms");
  store.reset();
  start = Clock::now();
  store = open(loop, options);
  report("opening it again", seconds_since(start) * 1e3, "ms");
}

}  // namespace

int main(int count, char** arguments) {
  const std::string folder = std::string(count > 1 ? arguments[1] : ".") + "/store-measure";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  measure_memory();
  measure_fan_out();
  measure_start(folder + "/start");
  measure_durable(folder + "/one", 1, 200);
  measure_durable(folder + "/sixteen", 16, 3000);
  measure_durable(folder + "/many", 256, 20'000);
  measure_recovery(folder + "/recovery");
  std::filesystem::remove_all(folder);
  return 0;
}
