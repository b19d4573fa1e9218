#include "server/apiserver/http/metrics_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "foundation/document/at.h"
#include "server/apiserver/bodies/options.h"
#include "server/apiserver/http/document_answer.h"
#include "server/apiserver/http/in_time.h"
#include "server/apiserver/http/responder.h"
#include "server/apiserver/resources/selection.h"

namespace loadline::apiserver {

using document::Array;
using document::Object;
using document::Value;

/// One of the two kinds: the objects of another resource, by what they use.
struct MetricsApi::Kind {
  std::string_view plural;
  std::string_view kind;
  std::string_view called;  ///< in failures
  bool is_namespaced;
};

/// A request that is not answered yet.
struct MetricsApi::Question {
  std::shared_ptr<net::Exchange> exchange;
  RequestInfo info;
  const Kind* kind = nullptr;
  bool is_over = false;
  std::function<void()> in_time = {};  ///< to be called with the answer

  [[nodiscard]] bool is_list() const { return info.verb == "list"; }
};

namespace {

/// Questions at a time to the source: each names all that it is about.
constexpr std::size_t kMostOpen = 16;

constexpr std::string_view kMetricsVersion = "v1beta1";
constexpr std::string_view kApiVersion = "metrics.k8s.io/v1beta1";

Value usage_document(const Usage& usage) {
  return Value(Object{{"cpu", Value(usage.cpu.to_string()), {}}, {"memory", Value(usage.memory.to_string()), {}}});
}

/// A duration as metav1 writes it: "15s", "1m0s".
std::string duration_text(Duration window) {
  const std::int64_t seconds = window.nanoseconds / 1'000'000'000;
  return seconds < 60 ? fmt::format("{}s", seconds) : fmt::format("{}m{}s", seconds / 60, seconds % 60);
}

Value metadata_of(const Value& object, Instant now) {
  Object members;
  for (const std::string_view member : {"name", "namespace"}) {
    if (const Value* value = document::find_at(object, {"metadata", member})) {
      members.push_back({std::string(member), *value, {}});
    }
  }
  members.push_back({"creationTimestamp", Value(format_rfc3339(now)), {}});
  if (const Value* labels = document::find_at(object, {"metadata", "labels"})) {
    members.push_back({"labels", *labels, {}});
  }
  return Value(std::move(members));
}

Object measured(Value metadata, Instant at, Duration window) {
  return {{"metadata", std::move(metadata), {}},
          {"timestamp", Value(format_rfc3339(at)), {}},
          {"window", Value(duration_text(window)), {}}};
}

void respond(net::Exchange& exchange, const RequestInfo& info, std::string_view kind, Object members) {
  Object whole{{"kind", Value(kind), {}}, {"apiVersion", Value(kApiVersion), {}}};
  whole.insert(whole.end(), members.begin(), members.end());
  respond_with_document(exchange, info, Value(std::move(whole)));
}

}  // namespace

const std::array<MetricsApi::Kind, 2>& MetricsApi::kinds() {
  static constexpr std::array<Kind, 2> kKinds = {{
      {"nodes", "NodeMetrics", "nodemetrics", false},
      {"pods", "PodMetrics", "podmetrics", true},
  }};
  return kKinds;
}

MetricsApi::MetricsApi(const ServerContext& context) : context_(context), wall_(&context.loop) {
  for (const Kind& kind : kinds()) {
    std::shared_ptr<const schema::Resource> resource = context.catalog.find(kGroup, kMetricsVersion, kind.plural);
    if (resource == nullptr) continue;
    resources_.push_back(std::move(resource));
    context.catalog.remove(kGroup, kind.plural);
  }
}

void MetricsApi::set_source(const UsageSource* source) {
  const bool was_served = source_ != nullptr;
  source_ = source;
  is_late_ = false;
  if (was_served == (source != nullptr)) return;
  for (const std::shared_ptr<const schema::Resource>& resource : resources_) {
    if (was_served) {
      context_.catalog.remove(kGroup, resource->plural);
    } else {
      context_.catalog.add(resource);
    }
  }
}

void MetricsApi::handle(const std::shared_ptr<net::Exchange>& exchange, const RequestInfo& info) {
  const auto kind = std::find_if(kinds().begin(), kinds().end(), [&](const Kind& each) {
    return each.plural == info.resource && info.version == kMetricsVersion && info.subresource.empty();
  });
  if (kind == kinds().end() || source_ == nullptr) return respond_failure(*exchange, no_such_resource());
  if (info.verb != "get" && info.verb != "list") return respond_failure(*exchange, method_not_allowed());
  const auto question = std::make_shared<Question>(Question{exchange, info, kind});
  if (is_late_) return give_up(*question);
  const auto is_late = [this, alive = std::weak_ptr<int>(alive_),
                        weak = std::weak_ptr<Question>(question)](bool in_time) {
    const QuestionPtr late = weak.lock();
    if (in_time || alive.expired() || late == nullptr) return;
    std::erase(waiting_, late);
    is_late_ = true;
    give_up(*late);
  };
  question->in_time = within(*wall_, kAnswerPatience, is_late);
  if (open_ < kMostOpen) return ask(question);
  waiting_.push_back(question);
}

/// The objects that the request is about, as far as they are there.
Answer<std::vector<store::ObjectPtr>> MetricsApi::wanted(const Question& question) const {
  const RequestInfo& info = question.info;
  const Kind& kind = *question.kind;
  std::vector<store::ObjectPtr> objects;
  if (!question.is_list()) {
    const std::string name_space = kind.is_namespaced ? info.name_space : std::string();
    const store::ObjectPtr object = context_.store.get({std::string(kind.plural), name_space, info.name});
    if (object != nullptr) objects.push_back(object);
    return objects;
  }
  const Answer<ListOptions> options = read_list_options(info.query, false);
  if (!options) return apiserver::refuse(options.error());
  const std::shared_ptr<const ServedResource> served = context_.served.find_stored("", kind.plural);
  const Answer<Selection> selection = Selection::read(*served, *options);
  if (!selection) return apiserver::refuse(selection.error());
  store::ListOptions scope;
  if (!info.name_space.empty()) scope.name_space = info.name_space;
  store::StoreResult<store::Listing> listing = context_.store.list(kind.plural, scope);
  if (!listing) return apiserver::refuse(internal_error(listing.error().message));
  for (const store::ObjectPtr* object = listing->next(); object != nullptr; object = listing->next()) {
    if (selection->matches(**object, *served)) objects.push_back(*object);
  }
  return objects;
}

void MetricsApi::ask(const QuestionPtr& question) {
  Answer<std::vector<store::ObjectPtr>> objects = wanted(*question);
  if (objects && !objects->empty() && source_ != nullptr) return ask_source(question, *std::move(objects));
  question->in_time();
  if (objects) return tell(*question, {});
  question->is_over = true;
  respond_failure(*question->exchange, objects.error());
}

void MetricsApi::ask_source(const QuestionPtr& question, std::vector<store::ObjectPtr> objects) {
  ++open_;
  const auto gather = [this, question, objects, alive = std::weak_ptr<int>(alive_)](const auto& usages, auto add) {
    if (alive.expired()) return;
    Array metrics;
    for (std::size_t i = 0; i < objects.size() && !question->is_over; ++i) {
      if (!usages[i]) continue;
      Object members =
          measured(metadata_of(objects[i]->document(), context_.loop.now()), usages[i]->at, usages[i]->window);
      add(members, *usages[i]);
      metrics.emplace_back(std::move(members));
    }
    answered(*question, std::move(metrics));
  };
  if (!question->kind->is_namespaced) {
    std::vector<std::string> names;
    names.reserve(objects.size());
    for (const store::ObjectPtr& object : objects) names.emplace_back(object->name());
    return source_->measure_nodes(std::move(names), [gather](const std::vector<std::optional<NodeUsage>>& usages) {
      gather(usages, [](Object& members, const NodeUsage& node) {
        members.push_back({"usage", usage_document(node.usage), {}});
      });
    });
  }
  std::vector<PodName> names;
  names.reserve(objects.size());
  for (const store::ObjectPtr& object : objects) {
    names.push_back({std::string(object->name_space()), std::string(object->name())});
  }
  source_->measure_pods(std::move(names), [gather](const std::vector<std::optional<PodUsage>>& usages) {
    gather(usages, [](Object& members, const PodUsage& pod) {
      Array containers;
      for (const auto& [name, usage] : pod.containers) {
        containers.emplace_back(Object{{"name", Value(name), {}}, {"usage", usage_document(usage), {}}});
      }
      members.push_back({"containers", Value(std::move(containers)), {}});
    });
  });
}

void MetricsApi::answered(Question& question, Array metrics) {
  --open_;
  is_late_ = false;
  question.in_time();
  tell(question, std::move(metrics));
  while (!waiting_.empty() && open_ < kMostOpen) {
    const QuestionPtr next = std::move(waiting_.front());
    waiting_.pop_front();
    if (!next->is_over) ask(next);
  }
}

void MetricsApi::give_up(Question& question) {
  if (std::exchange(question.is_over, true)) return;
  respond_failure(*question.exchange, unavailable("scheduler and controllers are busy, and they know what is used"));
}

void MetricsApi::tell(Question& question, Array metrics) {
  if (std::exchange(question.is_over, true)) return;
  net::Exchange& exchange = *question.exchange;
  const RequestInfo& info = question.info;
  const Kind& kind = *question.kind;
  if (question.is_list()) {
    return respond(exchange, info, std::string(kind.kind) + "List",
                   {{"metadata", Value(Object()), {}}, {"items", Value(std::move(metrics)), {}}});
  }
  if (!metrics.empty()) return respond(exchange, info, kind.kind, metrics.front().object());
  const std::string shown = kind.is_namespaced ? info.name_space + "/" + info.name : info.name;
  respond_failure(exchange, not_found({std::string(kGroup), std::string(kind.called)}, shown));
}

}  // namespace loadline::apiserver
