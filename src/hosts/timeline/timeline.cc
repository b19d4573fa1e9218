#include "hosts/timeline/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "foundation/base/virtual_loop.h"
#include "foundation/document/at.h"
#include "hosts/embedded/cluster.h"
#include "hosts/embedded/creation.h"
#include "hosts/timeline/description.h"
#include "hosts/timeline/input.h"
#include "hosts/timeline/observer.h"
#include "hosts/timeline/stated_times.h"

namespace loadline::timeline {
namespace {

using document::Value;

constexpr Duration kHour = Duration::seconds(3600);
constexpr Duration kDay = Duration::seconds(86'400);
/// As kubelets renew Leases; a node that is silent is given up after some of these.
constexpr Duration kKubeletsLeasePeriod = Duration::seconds(10);
/// By then it has been noticed that nodes are dead that were so from the beginning.
constexpr Duration kUntilDeadNodesAreKnown = Duration::seconds(300);
/// Longer than whatever retries and waits without saying for how long: the flush of parked pods (5 min), the back-off
/// of Jobs' pods (6 min) and of images (5 min), the binding of volumes (10 min).
constexpr Duration kQuiet = Duration::seconds(1800);
constexpr Duration kMoment{20'000'000};
constexpr int kMoments = 100'000;

std::string text_of(const Value& object) {
  const std::string_view name_space = document::text_at(object, {"metadata", "namespace"});
  return fmt::format("{} {}{}{}", document::text_at(object, {"kind"}), name_space, name_space.empty() ? "" : "/",
                     document::text_at(object, {"metadata", "name"}));
}

class Run {
 public:
  Run(const std::vector<Value>& objects, const TimelineOptions& options)
      : options_(options),
        loop_(options.start),
        input_(sort_input(objects, options.start)),
        stated_(stated_times(objects, options.longest)),
        lease_period_(std::make_shared<std::atomic<Duration>>(first_lease_period())) {}

  Result<Timeline> run() {
    if (input_.nodes.empty()) return failure("there are no nodes: a timeline needs some to run pods on");
    if (const Result<void> opened = open(); !opened) return tl::unexpected(opened.error());
    restore();
    create();
    if (options_.until) {
      advance_to(*options_.until);
    } else {
      advance_until_idle();
    }
    if (!fault_.empty()) return failure(std::move(fault_));
    if (!observer_->fault().empty()) return failure("a watch ended: " + observer_->fault());
    return conclude();
  }

 private:
  // ---- the beginning -----------------------------------------------------------------------------------------------
  Result<void> open() {
    embedded::ClusterOptions options;
    options.plane.seed = std::max<std::uint64_t>(options_.seed, 1);
    options.plane.commits_on_loop = true;
    // Manifests for a cluster seldom bring its accounts along.
    if (!input_.has_accounts) options.plane.disabled_admission_plugins.emplace_back("ServiceAccount");
    options.gates = options_.gates;
    options.scheduler = options_.configuration;
    options.policy = options_.policy;
    options.extensions = options_.extensions;
    // The caller has chosen among what they say.
    options.configurations.config_maps = kube::CountedConfigMaps::kNone;
    options.provides_storage = !input_.has_storage;
    options.lease_period = lease_period_;
    for (const Value& node : input_.nodes) {
      node_names_.emplace_back(document::text_at(node, {"metadata", "name"}));
      if (document::text_at(node, {"metadata", "uid"}).empty()) options.nodes.push_back(node);
    }
    Result<std::unique_ptr<embedded::Cluster>> cluster = embedded::Cluster::open(loop_, std::move(options));
    if (!cluster) return tl::unexpected(cluster.error());
    cluster_ = std::move(*cluster);
    writer_ = cluster_->client("timeline");
    observer_ = std::make_unique<Observer>(loop_, *cluster_);
    Result<void> result = failure("the cluster does not become ready");
    cluster_->when_ready([&](const Result<void>& ready) { result = ready; });
    loop_.run_until_idle();
    observer_->watch();
    loop_.run_until_idle();
    return result;
  }

  /// As it was, while nothing acts: else a Job would replace pods that come only after it.
  void restore() {
    if (input_.restored.empty()) return;
    cluster_->stop_control();
    put_in(std::move(input_.restored), embedded::Entry::kRestored);
    // The configuration was good when the cluster was opened.
    static_cast<void>(cluster_->restart_control([] {}));
    loop_.run_until_idle();
  }

  /// As `kubectl apply` would create it in a cluster that runs.
  void create() {
    put_in(std::move(input_.created), embedded::Entry::kNew);
    for (const Value& object : std::exchange(there_, {})) replace(object);
    loop_.run_until_idle();
  }

  /// Of objects of one name the last counts, but for what every cluster has from the start.
  void replace(const Value& object) {
    const std::string_view kind = document::text_at(object, {"kind"});
    const std::string_view version = document::text_at(object, {"apiVersion"});
    if (kind == "Namespace") return;
    const std::size_t slash = version.find('/');
    const bool has_group = slash != std::string_view::npos;
    const schema::GroupVersionKind type{std::string(has_group ? version.substr(0, slash) : ""),
                                        std::string(has_group ? version.substr(slash + 1) : version),
                                        std::string(kind)};
    const auto resource = cluster_->plane().context().catalog.find_kind(type);
    if (resource == nullptr) return;
    kube::ResourceReference of{type.group, type.version, resource->plural};
    of.name = document::text_at(object, {"metadata", "name"});
    if (resource->is_namespaced) {
      const std::string_view name_space = document::text_at(object, {"metadata", "namespace"});
      of.name_space = name_space.empty() ? "default" : name_space;
    }
    writer_->update(of, object, [this, object](const kube::Answer<Value>& answer) {
      if (!answer) note_refusal(object, answer.error().message);
    });
  }

  void put_in(std::vector<Value> objects, embedded::Entry entry) {
    bool is_done = false;
    embedded::create_objects(*cluster_, loop_, std::move(objects), entry,
                             [&](const std::vector<embedded::Creation>& creations) {
                               is_done = true;
                               for (const embedded::Creation& creation : creations) look_at(creation, entry);
                             });
    loop_.run_until_idle();
    for (int i = 0; i < kMoments && !is_done; ++i) loop_.advance(kMoment);
    if (!is_done) fault_ = "the API server does not answer";
    observer_->watch();
    loop_.run_until_idle();
  }

  void look_at(const embedded::Creation& creation, embedded::Entry entry) {
    const bool was_there = creation.result == embedded::CreationResult::kWasThere;
    if (was_there && entry == embedded::Entry::kNew) there_.push_back(creation.object);
    if (creation.result == embedded::CreationResult::kRefused) note_refusal(creation.object, creation.why);
  }

  void note_refusal(const Value& object, const std::string& why) {
    Diagnostic note;
    note.severity = Severity::kWarning;
    note.subject = text_of(object);
    note.message = "the API server refused it: " + why;
    notes_.push_back(std::move(note));
  }

  // ---- time passes -------------------------------------------------------------------------------------------------
  void advance_to(Duration end) {
    while (loop_.elapsed() < end && observer_->fault().empty()) {
      const bool may_lengthen = loop_.elapsed() >= kUntilDeadNodesAreKnown && !input_.has_flaky_nodes;
      if (may_lengthen) lease_period_->store(kDay);
      const Duration chunk = loop_.elapsed() < kUntilDeadNodesAreKnown ? kUntilDeadNodesAreKnown : kHour;
      loop_.advance(std::min(chunk, Duration{end.nanoseconds - loop_.elapsed().nanoseconds}));
      if (options_.progress) options_.progress(loop_.elapsed());
    }
  }

  /// Nothing can be seen of what waits for its time, so idle is: no news for longer than whatever the input says that
  /// something takes, and for as long as unstated retries take besides.
  void advance_until_idle() {
    while (!is_idle() && loop_.elapsed() < options_.longest && observer_->fault().empty()) {
      advance_to(std::min(quiet_since(), options_.longest));
    }
  }

  /// When it will have been quiet for long enough, if there is no more news.
  [[nodiscard]] Duration quiet_since() const {
    const Duration stated{std::max<std::int64_t>((stated_.latest - options_.start).nanoseconds, 0)};
    const Duration last = std::max(observer_->last_news(), stated);
    return {last.nanoseconds + stated_.longest.nanoseconds + kQuiet.nanoseconds};
  }

  [[nodiscard]] bool is_idle() const { return loop_.elapsed() >= quiet_since(); }

  /// Dead nodes are to be noticed as soon as in a real cluster. Healthy ones need not say so every 10 s: 1,000 nodes
  /// would do little else.
  [[nodiscard]] Duration first_lease_period() const {
    return input_.has_dead_nodes || input_.has_flaky_nodes ? kKubeletsLeasePeriod : kDay;
  }

  // ---- the end -----------------------------------------------------------------------------------------------------
  Timeline conclude() {
    Timeline timeline = describe(*observer_, node_names_);
    timeline.start = options_.start;
    timeline.is_idle = is_idle();
    timeline.end = options_.until ? *options_.until : loop_.elapsed();
    if (!options_.until && timeline.is_idle) timeline.end = observer_->last_change();
    add_notes(timeline);
    timeline.notes = std::move(notes_);
    return timeline;
  }

  void add_notes(const Timeline& timeline) {
    if (input_.endless_pods > 0) {
      note(fmt::format("{} of the pods that run already are to end some time and do not say when: they run for ever",
                       input_.endless_pods),
           "annotate them with loadline.dev/expected-duration");
    }
    if (const std::size_t pods = observer_->ends_by_default(); pods > 0) {
      note(fmt::format("{} ended after the 10s of pods that do not say how long they run; in a plan without --until no "
                       "pod ends",
                       pods == 1 ? "1 pod" : fmt::format("{} pods", pods)),
           "annotate them with loadline.dev/run-time");
    }
    if (options_.until) return;
    if (!timeline.is_idle) {
      note(fmt::format("something still happens after {} days, where the timeline ends",
                       options_.longest.nanoseconds / kDay.nanoseconds),
           "say until when it is to go on");
    } else if (observer_->has_cron_jobs()) {
      note("CronJobs begin new runs for ever, which nothing waits for the end of", "say until when it is to go on");
    }
  }

  void note(std::string message, std::string hint) {
    Diagnostic diagnostic;
    diagnostic.severity = Severity::kAdvice;
    diagnostic.message = std::move(message);
    diagnostic.hint = std::move(hint);
    notes_.push_back(std::move(diagnostic));
  }

  const TimelineOptions& options_;
  VirtualLoop loop_;
  Input input_;
  StatedTimes stated_;
  std::shared_ptr<std::atomic<Duration>> lease_period_;
  std::vector<std::string> node_names_;
  std::unique_ptr<embedded::Cluster> cluster_;
  std::unique_ptr<kube::Client> writer_;
  std::unique_ptr<Observer> observer_;  // goes before the cluster
  std::vector<Value> there_;            // created, but for another of that name
  Diagnostics notes_;
  std::string fault_;
};

}  // namespace

Result<Timeline> run(const std::vector<Value>& objects, const TimelineOptions& options) {
  return Run(objects, options).run();
}

}  // namespace loadline::timeline
