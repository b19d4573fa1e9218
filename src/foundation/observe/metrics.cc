#include "foundation/observe/metrics.h"

#include <array>
#include <functional>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "foundation/observe/families.h"
#include "foundation/observe/process.h"

namespace loadline::observe {
namespace {

const Histogram::BucketBoundaries& request_buckets() {
  static const auto* const buckets = new Histogram::BucketBoundaries{
      0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30.0, 45, 60};
  return *buckets;
}

bool is_mutating(std::string_view verb) { return verb != "GET" && verb != "LIST" && verb != "WATCH"; }
bool is_long_running(std::string_view verb) { return verb == "WATCH" || verb == "CONNECT"; }

Labels without_dry_run(const RequestLabels& labels) {
  return {{"verb", std::string(labels.verb)},
          {"group", std::string(labels.group)},
          {"version", std::string(labels.version)},
          {"resource", std::string(labels.resource)},
          {"subresource", std::string(labels.subresource)},
          {"scope", std::string(labels.scope)},
          {"component", "apiserver"}};
}

Labels all_of(const RequestLabels& labels) {
  Labels all = without_dry_run(labels);
  all.emplace("dry_run", labels.is_dry_run ? "All" : "");
  return all;
}

/// The texts of labels, to look up and (as strings) to keep.
template <class Text>
using Names = std::array<Text, 7>;

Names<std::string_view> names_of(const RequestLabels& labels) {
  return {labels.verb,
          labels.group,
          labels.version,
          labels.resource,
          labels.subresource,
          labels.scope,
          labels.is_dry_run ? "1" : ""};
}

struct NamesHash {
  using is_transparent = void;
  template <class Text>
  std::size_t operator()(const Names<Text>& names) const {
    std::size_t hash = 0;
    for (const std::string_view name : names) hash = hash * 31 + std::hash<std::string_view>{}(name);
    return hash;
  }
};

struct NamesEqual {
  using is_transparent = void;
  template <class Left, class Right>
  bool operator()(const Names<Left>& left, const Names<Right>& right) const {
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (std::string_view(left[i]) != std::string_view(right[i])) return false;
    }
    return true;
  }
};

/// What requests are counted in.
struct Families {
  explicit Families(Registry& registry)
      : total(counters(registry, "apiserver_request_total",
                       "Requests by verb, dry run, what they are about, and the code of the answer")),
        duration(histograms(registry, "apiserver_request_duration_seconds",
                            "Time from a request's arrival to the end of its answer")),
        in_flight(gauges(registry, "apiserver_current_inflight_requests",
                         "Requests that are being answered, but for those that go on for long")),
        long_running(
            gauges(registry, "apiserver_longrunning_requests", "Requests that go on for long and are not over")),
        events(counters(registry, "apiserver_watch_events_total", "Events that went to watchers")),
        read_only(in_flight.Add({{"request_kind", "readOnly"}})),
        mutating(in_flight.Add({{"request_kind", "mutating"}})) {}

  Family<Counter>& total;
  Family<Histogram>& duration;
  Family<Gauge>& in_flight;
  Family<Gauge>& long_running;
  Family<Counter>& events;
  Gauge& read_only;
  Gauge& mutating;
};

class CountedRequests final : public Metrics::Requests {
 public:
  CountedRequests(Families& families, const RequestLabels& labels)
      : total_(families.total),
        labels_(all_of(labels)),
        duration_(families.duration.Add(labels_, request_buckets())),
        running_(is_long_running(labels.verb) ? families.long_running.Add(without_dry_run(labels))
                 : is_mutating(labels.verb)   ? families.mutating
                                              : families.read_only) {}

  void begin() override { running_.Increment(); }

  void end(int status, double seconds) override {
    running_.Decrement();
    if (status == 0) return;
    duration_.Observe(seconds);
    counter(status).Increment();
  }

 private:
  Counter& counter(int status) {
    for (const auto& [code, counter] : by_code_) {
      if (code == status) return *counter;
    }
    Labels labels = labels_;
    labels.emplace("code", std::to_string(status));
    return *by_code_.emplace_back(status, &total_.Add(labels)).second;
  }

  Family<Counter>& total_;
  Labels labels_;
  Histogram& duration_;
  Gauge& running_;
  std::vector<std::pair<int, Counter*>> by_code_;  // few
};

/// What the system knows of this process, under the names that all of Prometheus' libraries use.
class ProcessMetrics {
 public:
  explicit ProcessMetrics(Registry& registry)
      : cpu_(counters(registry, "process_cpu_seconds_total", "User and system time of this process").Add({})),
        resident_(gauge(registry, "process_resident_memory_bytes", "Memory of this process that is in use")),
        virtual_(gauge(registry, "process_virtual_memory_bytes", "Addresses that this process has taken")),
        start_(gauge(registry, "process_start_time_seconds", "When this process began, since 1970")),
        open_files_(gauge(registry, "process_open_fds", "Files that this process has open")),
        max_files_(gauge(registry, "process_max_fds", "Files that this process may have open")) {}

  void read() {
    const ProcessFigures figures = process_figures();
    cpu_.Increment(figures.cpu_seconds - cpu_.Value());
    resident_.Set(figures.resident_bytes);
    virtual_.Set(figures.virtual_bytes);
    start_.Set(figures.start_time_seconds);
    open_files_.Set(figures.open_files);
    max_files_.Set(figures.max_files);
  }

 private:
  static Gauge& gauge(Registry& registry, const char* name, const char* help) {
    return gauges(registry, name, help).Add({});
  }

  Counter& cpu_;
  Gauge& resident_;
  Gauge& virtual_;
  Gauge& start_;
  Gauge& open_files_;
  Gauge& max_files_;
};

}  // namespace

struct Metrics::State {
  struct CountedEvents {
    Events events;
    Counter& counter;
  };

  Registry registry;
  Families families{registry};
  ProcessMetrics process{registry};
  Family<Gauge>& objects = gauges(registry, "apiserver_resource_objects", "Objects that are kept, by resource");
  Family<Gauge>& storage_objects = gauges(registry, "apiserver_storage_objects", "The same under its older name");
  std::unordered_map<Names<std::string>, std::unique_ptr<CountedRequests>, NamesHash, NamesEqual> requests;
  std::map<std::tuple<std::string, std::string, std::string>, CountedEvents> events;
};

Metrics::Metrics() : state_(std::make_unique<State>()) {}
Metrics::~Metrics() = default;

Metrics::Requests& Metrics::requests(const RequestLabels& labels) {
  const Names<std::string_view> names = names_of(labels);
  const auto known = state_->requests.find(names);
  if (known != state_->requests.end()) return *known->second;
  Names<std::string> own;
  for (std::size_t i = 0; i < own.size(); ++i) own[i] = names[i];
  return *state_->requests.emplace(std::move(own), std::make_unique<CountedRequests>(state_->families, labels))
              .first->second;
}

Metrics::Events& Metrics::events(std::string_view group, std::string_view version, std::string_view resource) {
  std::tuple<std::string, std::string, std::string> key(group, version, resource);
  const auto known = state_->events.find(key);
  if (known != state_->events.end()) return known->second.events;
  Counter& counter = state_->families.events.Add(
      {{"group", std::string(group)}, {"version", std::string(version)}, {"resource", std::string(resource)}});
  return state_->events.emplace(std::move(key), State::CountedEvents{{}, counter}).first->second.events;
}

std::string Metrics::text(const std::vector<ObjectCount>& objects) {
  state_->process.read();
  for (const ObjectCount& one : objects) {
    const std::string name =
        one.group.empty() ? std::string(one.resource) : std::string(one.resource) + '.' + std::string(one.group);
    state_->objects.Add({{"group", std::string(one.group)}, {"resource", std::string(one.resource)}})
        .Set(static_cast<double>(one.count));
    state_->storage_objects.Add({{"resource", name}}).Set(static_cast<double>(one.count));
  }
  for (auto& [name, counted] : state_->events) {
    counted.counter.Increment(static_cast<double>(counted.events.sent) - counted.counter.Value());
  }
  return text_of(state_->registry);
}

}  // namespace loadline::observe
