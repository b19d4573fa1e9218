#include "bench/server/measures.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <thread>

#include "bench/server/watchers.h"
#include "bench/subjects/load.h"
#include "bench/subjects/pods.h"
#include "foundation/document/at.h"
#include "foundation/document/reader.h"

namespace loadline::bench {
namespace {

constexpr std::string_view kTable = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
constexpr std::size_t kWriters = 64;  // that load many pods
constexpr std::size_t kUsual = 16;    // connections of what is measured with one number of them only

std::string numbered(std::string_view what, std::size_t connection, std::size_t turn) {
  return fmt::format("{}-{}-{}", what, connection, turn);
}

std::string plural(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// Creates pods NAME-CONNECTION-TURN, for a time or so many.
Result<LoadOutcome> create_pods(Session& session, const std::string& name_space, const std::string& name,
                                std::size_t connections, double seconds, std::size_t count) {
  return run_load(session, {connections, seconds, count, 201, [&](std::size_t connection, std::size_t turn) {
                              return create_pod(session, name_space, numbered(name, connection, turn));
                            }});
}

/// How long one list takes, until its last byte.
Result<double> time_list(Session& session, const std::string& name_space, bool is_table) {
  net::Request request = session.request("GET", pods_path(name_space));
  if (is_table) {
    request.headers = {};
    for (const net::Header& header : session.request("GET", "/").headers) {
      request.headers.add(header.name, header.name == "Accept" ? std::string(kTable) : header.value);
    }
  }
  const Clock::time_point start = Clock::now();
  const Result<net::Response> answer = session.expect(200, request);
  if (!answer) return tl::unexpected(answer.error());
  return milliseconds_since(start);
}

Result<void> measure_list(Subject& subject, const std::string& name_space, std::size_t count, std::size_t times,
                          Sheet& sheet) {
  for (const bool is_table : {false, true}) {
    std::vector<double> all;
    for (std::size_t i = 0; i < times; ++i) {
      const Result<double> took = time_list(subject.session(), name_space, is_table);
      if (!took) return tl::unexpected(took.error());
      all.push_back(*took);
    }
    sheet.add(subject.variant(), {fmt::format("list of {} pods, {}", count, is_table ? "Table" : "JSON"), "ms", true},
              *median(all));
  }
  return {};
}

/// The revision from which a watch sees only what is written from now on.
Result<std::string> watch_target(Session& session, const std::string& name_space) {
  const Result<net::Response> list = session.expect(200, session.request("GET", pods_path(name_space) + "?limit=1"));
  if (!list) return tl::unexpected(list.error());
  const std::vector<document::Value> documents = document::read_json(list->body, {}).documents;
  if (documents.empty()) return failure("a list that is no JSON");
  return fmt::format("{}?watch=1&timeoutSeconds=3600&resourceVersion={}", pods_path(name_space),
                     document::text_at(documents.front(), {"metadata", "resourceVersion"}));
}

double quantile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

/// Opens watchers in a namespace of their own.
Result<void> watch_new_namespace(Session& session, const std::string& name_space, Watchers& watchers,
                                 std::size_t count) {
  if (const Result<void> made = make_namespace(session, name_space); !made) return made;
  const Result<std::string> target = watch_target(session, name_space);
  if (!target) return tl::unexpected(target.error());
  return watchers.open(count, *target);
}

/// Writes one pod after the other, each when all watchers have the one before.
Result<std::vector<Watchers::Heard>> write_and_hear(Session& session, const std::string& name_space, Watchers& watchers,
                                                    std::size_t writes) {
  auto writer = session.connect();
  if (!writer) return tl::unexpected(writer.error());
  std::vector<Watchers::Heard> all;
  for (std::size_t turn = 0; turn < writes; ++turn) {
    auto heard = watchers.hear(**writer, create_pod(session, name_space, numbered("seen", 0, turn)), 201);
    if (!heard) return tl::unexpected(heard.error());
    all.push_back(std::move(*heard));
  }
  all.erase(all.begin());  // with the first, everything is new
  return all;
}

Result<void> measure_crowd(Subject& subject, const Sizes& sizes, std::size_t count, Sheet& sheet) {
  Session& session = subject.session();
  const std::string name_space = fmt::format("crowd-{}", count);
  Watchers watchers(session);
  if (const auto open = watch_new_namespace(session, name_space, watchers, count); !open) return open;
  const auto heard = write_and_hear(session, name_space, watchers, sizes.crowd_writes);
  if (!heard) return tl::unexpected(heard.error());
  std::vector<double> lasts;
  for (const Watchers::Heard& one : *heard) lasts.push_back(one.last_ms);
  const auto burst = create_pods(session, name_space, "burst", kUsual, 0, sizes.burst);
  if (!burst) return tl::unexpected(burst.error());
  const std::size_t missing = watchers.missing_of(sizes.burst, std::chrono::milliseconds(60'000));
  const bool is_large = count == sizes.crowds.back() && count > sizes.peer_crowd;
  Figure memory{fmt::format("{}: memory", plural(count, "watcher")), "MB", true};
  if (is_large) memory.bar = 300;
  sheet.add(subject.variant(), {fmt::format("{}: all have an event", plural(count, "watcher")), "ms", true},
            *median(lasts));
  sheet.add(subject.variant(), memory, subject.resident_megabytes());
  sheet.add(subject.variant(),
            {fmt::format("{}: lost of {}", plural(count, "watcher"), count * sizes.burst), "events", true, {}, 1},
            static_cast<double>(missing));
  return {};
}

}  // namespace

Sizes Sizes::quick() {
  Sizes sizes;
  sizes.seconds = 0.3;
  sizes.lists = 2;
  sizes.watched_writes = 20;
  sizes.crowds = {100, 1'000};
  sizes.crowd_writes = 3;
  sizes.peer_crowd = 100;
  sizes.loads = {1'000, 10'000};
  sizes.peer_load = 1'000;
  return sizes;
}

Result<void> measure_start(Subject& subject, const Sizes&, Sheet& sheet) {
  std::this_thread::sleep_for(std::chrono::seconds(1));
  sheet.add(subject.variant(), {"start to ready", "ms", true, {}, 100}, subject.ready_milliseconds());
  sheet.add(subject.variant(), {"memory, idle", "MB", true, {}, 64}, subject.resident_megabytes());
  return {};
}

Result<void> measure_requests(Subject& subject, const Sizes& sizes, Sheet& sheet) {
  Session& session = subject.session();
  const auto add = [&](std::string_view what, std::size_t connections, const LoadOutcome& outcome,
                       std::optional<double> ratio_bar) {
    Figure figure{fmt::format("{}, {}", what, plural(connections, "connection")), "/s"};
    figure.ratio_bar = ratio_bar;
    sheet.add(subject.variant(), figure, outcome.per_second());
  };
  for (const std::size_t connections : sizes.writers) {
    const std::string name_space = fmt::format("creates-{}", connections);
    if (const auto made = make_namespace(session, name_space); !made) return made;
    const auto outcome = create_pods(session, name_space, "pod", connections, sizes.seconds, 0);
    if (!outcome) return tl::unexpected(outcome.error());
    add("pod creates", connections, *outcome, 10);
  }

  const std::string listed = "listed";
  if (const auto made = make_namespace(session, listed); !made) return made;
  if (const auto filled = run_load(session, {kUsual, 0, sizes.listed, 201,
                                             [&, next = std::size_t{0}](std::size_t, std::size_t) mutable {
                                               return create_pod(session, listed, numbered("pod", 0, next++));
                                             }});
      !filled) {
    return tl::unexpected(filled.error());
  }
  const auto some = [&](std::size_t connection, std::size_t turn) {
    return numbered("pod", 0, (connection + turn * kUsual) % sizes.listed);
  };
  for (const std::size_t connections : sizes.writers) {
    const auto outcome =
        run_load(session, {connections, sizes.seconds, 0, 200, [&](std::size_t connection, std::size_t turn) {
                             return session.request("GET", pods_path(listed) + "/" + some(connection, turn));
                           }});
    if (!outcome) return tl::unexpected(outcome.error());
    add("pod gets", connections, *outcome, 10);
  }
  const auto patches = run_load(session, {kUsual, sizes.seconds, 0, 200, [&](std::size_t connection, std::size_t turn) {
                                            return patch_status(session, listed, some(connection, turn), turn);
                                          }});
  if (!patches) return tl::unexpected(patches.error());
  add("patches of a pod's status", kUsual, *patches, {});
  return measure_list(subject, listed, sizes.listed, sizes.lists, sheet);
}

Result<void> measure_latency(Subject& subject, const Sizes& sizes, Sheet& sheet) {
  for (const std::size_t count : sizes.watchers) {
    const std::string name_space = fmt::format("watched-{}", count);
    Watchers watchers(subject.session());
    if (const auto open = watch_new_namespace(subject.session(), name_space, watchers, count); !open) return open;
    const auto heard = write_and_hear(subject.session(), name_space, watchers, sizes.watched_writes);
    if (!heard) return tl::unexpected(heard.error());
    std::vector<double> all;
    for (const Watchers::Heard& one : *heard) all.insert(all.end(), one.events_ms.begin(), one.events_ms.end());
    const std::string name = fmt::format("create to event, {}", plural(count, "watcher"));
    Figure slowest{name + ", p99", "ms", true};
    if (count == sizes.watchers.back()) slowest.bar = 5;
    sheet.add(subject.variant(), {name + ", p50", "ms", true}, quantile(all, 0.5));
    sheet.add(subject.variant(), slowest, quantile(all, 0.99));
  }
  return {};
}

Result<void> measure_fan_out(Subject& subject, const Sizes& sizes, Sheet& sheet) {
  for (const std::size_t count : sizes.crowds) {
    if (is_peer(subject.variant()) && count > sizes.peer_crowd) break;
    if (const auto measured = measure_crowd(subject, sizes, count, sheet); !measured) return measured;
  }
  return {};
}

Result<void> measure_load(Subject& subject, const Sizes& sizes, Sheet& sheet) {
  const std::string name_space = "loaded";
  if (const auto made = make_namespace(subject.session(), name_space); !made) return made;
  std::size_t loaded = 0;
  double seconds = 0;
  for (const std::size_t count : sizes.loads) {
    if (is_peer(subject.variant()) && count > sizes.peer_load) return {};
    const auto outcome = create_pods(subject.session(), name_space, fmt::format("of-{}", count), kWriters, 0,
                                     count - std::exchange(loaded, count));
    if (!outcome) return tl::unexpected(outcome.error());
    seconds += outcome->seconds;
    Figure creating{fmt::format("{} pods created, {} connections", count, kWriters), "s", true};
    if (count > sizes.peer_load) creating.bar = 10;
    sheet.add(subject.variant(), creating, seconds);
    if (const auto listed = measure_list(subject, name_space, count, 1, sheet); !listed) return listed;
  }
  sheet.add(subject.variant(), {fmt::format("memory with {} pods", loaded), "MB", true}, subject.resident_megabytes());
  if (subject.variant() != Variant::kDisk) return {};
  if (const Result<void> again = subject.restart(); !again) return again;
  sheet.add(subject.variant(), {fmt::format("kill -9 to ready again, {} pods", loaded), "ms", true},
            subject.ready_milliseconds());
  return {};
}

}  // namespace loadline::bench
