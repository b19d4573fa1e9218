#include "hosts/kubelet/stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "foundation/document/at.h"
#include "objects/kube/scalars.h"

namespace loadline::kubelet {

using document::items_at;
using document::Value;

namespace {

std::optional<std::int64_t> integer_at(const Value& owner, document::Names names) {
  const Value* value = document::find_at(owner, names);
  return value != nullptr && value->is_integer() ? std::optional(value->integer()) : std::nullopt;
}

std::vector<std::pair<std::string, std::string>> texts_at(const Value& owner, document::Names names) {
  std::vector<std::pair<std::string, std::string>> texts;
  const Value* map = document::find_at(owner, names);
  if (map == nullptr || !map->is_object()) return texts;
  for (const document::Member& member : map->object()) texts.emplace_back(member.key, plain_text(member.value));
  return texts;
}

bool has_all(const Value& object, const char* field, const std::vector<std::pair<std::string, std::string>>& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& pair) {
    const Value* value = document::find_at(object, {"metadata", field, pair.first});
    return value != nullptr && plain_text(*value) == pair.second;
  });
}

}  // namespace

class Stage::Compiler {
 public:
  explicit Compiler(const Value& stage) : stage_(stage) {}

  Result<std::optional<Stage>> run() {
    const bool is_about_pods = document::text_at(stage_, {"spec", "resourceRef", "kind"}) == "Pod";
    if (!is_about_pods || document::find_at(stage_, {"spec", "selector"}) == nullptr) return std::nullopt;
    result_.name_ = document::text_at(stage_, {"metadata", "name"});
    result_.labels_ = texts_at(stage_, {"spec", "selector", "matchLabels"});
    result_.annotations_ = texts_at(stage_, {"spec", "selector", "matchAnnotations"});
    for (auto part :
         {&Compiler::read_requirements, &Compiler::read_times, &Compiler::read_steps, &Compiler::read_next}) {
      if (auto read = (this->*part)(); !read) return tl::unexpected(read.error());
    }
    return std::optional(std::move(result_));
  }

 private:
  Result<void> read_requirements() {
    for (const Value& expression : items_at(stage_, {"spec", "selector", "matchExpressions"})) {
      if (expression.find("cel") != nullptr) return failure("expressions in CEL are not understood here");
      const Value* jq = expression.find("jq");
      const Value& from = jq != nullptr ? *jq : expression;
      Requirement requirement;
      Result<JqPath> key = JqPath::parse(document::text_at(from, {"key"}));
      if (!key) return tl::unexpected(key.error());
      requirement.key = std::move(*key);
      const std::string_view op = document::text_at(from, {"operator"});
      static constexpr std::string_view kOperators[] = {"In", "NotIn", "Exists", "DoesNotExist"};
      const auto found = std::find(std::begin(kOperators), std::end(kOperators), op);
      if (found == std::end(kOperators)) return failure(fmt::format("{:?} is no operator", op));
      requirement.op = static_cast<Requirement::Operator>(found - std::begin(kOperators));
      for (const Value& value : items_at(from, {"values"})) requirement.values.push_back(plain_text(value));
      result_.requirements_.push_back(std::move(requirement));
    }
    return {};
  }

  Result<std::optional<JqPath>> read_expression(document::Names names) {
    const Value* from = document::find_at(stage_, names);
    if (from == nullptr || !from->is_object()) return std::nullopt;
    if (from->find("cel") != nullptr) return failure("expressions in CEL are not understood here");
    std::string_view text = document::text_at(*from, {"expressionFrom"});
    if (text.empty()) text = document::text_at(*from, {"jq", "expression"});
    Result<JqPath> path = JqPath::parse(text);
    if (!path) return tl::unexpected(path.error());
    return std::optional(std::move(*path));
  }

  Result<void> read_times() {
    const auto milliseconds = [&](document::Names names) -> std::optional<Duration> {
      const auto count = integer_at(stage_, names);
      constexpr std::int64_t kMost = 1'000'000'000'000;
      if (!count) return std::nullopt;
      return Duration{std::clamp<std::int64_t>(*count, 0, kMost) * 1'000'000};
    };
    result_.delay_.fixed = milliseconds({"spec", "delay", "durationMilliseconds"});
    result_.jitter_.fixed = milliseconds({"spec", "delay", "jitterDurationMilliseconds"});
    result_.weight_ = std::max<std::int64_t>(integer_at(stage_, {"spec", "weight"}).value_or(0), 0);
    auto delay = read_expression({"spec", "delay", "durationFrom"});
    auto jitter = read_expression({"spec", "delay", "jitterDurationFrom"});
    auto weight = read_expression({"spec", "weightFrom"});
    for (const auto* read : {&delay, &jitter, &weight}) {
      if (!*read) return tl::unexpected(read->error());
    }
    result_.delay_.from = std::move(*delay);
    result_.jitter_.from = std::move(*jitter);
    result_.weight_from_ = std::move(*weight);
    return {};
  }

  // ---- what happens ------------------------------------------------------------------------------------------------
  Result<void> read_steps() {
    for (const Value& step : items_at(stage_, {"spec", "steps"})) {
      if (step.find("apply") != nullptr) return failure("the step `apply` is not understood here");
      if (auto read = read_parts(step); !read) return read;
      if (const Value* patch = step.find("patch"); patch != nullptr && patch->is_object()) {
        if (auto read = read_patch(*patch); !read) return read;
      }
    }
    return {};
  }

  Result<void> read_next() {
    const Value* next = document::find_at(stage_, {"spec", "next"});
    if (next == nullptr || !next->is_object()) return {};
    if (auto read = read_parts(*next); !read) return read;
    for (const Value& patch : items_at(*next, {"patches"})) {
      if (auto read = read_patch(patch); !read) return read;
    }
    const std::string_view status = document::text_at(*next, {"statusTemplate"});
    return status.empty() ? Result<void>() : add_patch(status, "status", "status", kube::PatchType::kStrategic);
  }

  /// Event, finalizers, deletion.
  Result<void> read_parts(const Value& from) {
    if (const Value* event = from.find("event"); event != nullptr && event->is_object()) {
      StageStep step;
      step.kind = StageStep::Kind::kEvent;
      const bool is_warning = document::text_at(*event, {"type"}) == "Warning";
      step.event_type = is_warning ? watching::Event::Type::kWarning : watching::Event::Type::kNormal;
      step.reason = document::text_at(*event, {"reason"});
      step.message = document::text_at(*event, {"message"});
      result_.steps_.push_back(std::move(step));
    }
    if (const Value* finalizers = from.find("finalizers"); finalizers != nullptr && finalizers->is_object()) {
      StageStep step;
      step.kind = StageStep::Kind::kFinalizers;
      for (const Value& item : items_at(*finalizers, {"add"}))
        step.added.emplace_back(document::text_at(item, {"value"}));
      for (const Value& item : items_at(*finalizers, {"remove"}))
        step.removed.emplace_back(document::text_at(item, {"value"}));
      const Value* empty = finalizers->find("empty");
      step.removes_all = empty != nullptr && empty->is_boolean() && empty->boolean();
      result_.steps_.push_back(std::move(step));
    }
    if (const Value* deletes = from.find("delete"); deletes != nullptr && deletes->is_boolean() && deletes->boolean()) {
      StageStep step;
      step.kind = StageStep::Kind::kDelete;
      result_.steps_.push_back(std::move(step));
    }
    return {};
  }

  Result<void> read_patch(const Value& patch) {
    const std::string_view type = document::text_at(patch, {"type"});
    if (!type.empty() && type != "merge" && type != "strategic") {
      return failure(fmt::format("patches of type {:?} are not understood here", type));
    }
    return add_patch(document::text_at(patch, {"template"}), document::text_at(patch, {"root"}),
                     document::text_at(patch, {"subresource"}),
                     type == "merge" ? kube::PatchType::kMerge : kube::PatchType::kStrategic);
  }

  Result<void> add_patch(std::string_view text, std::string_view root, std::string_view subresource,
                         kube::PatchType type) {
    Result<GoTemplate> parsed = GoTemplate::parse(text);
    if (!parsed) return tl::unexpected(parsed.error());
    StageStep step;
    step.patch = std::move(*parsed);
    step.root = root;
    step.subresource = subresource;
    step.patch_type = type;
    result_.steps_.push_back(std::move(step));
    return {};
  }

  const Value& stage_;
  Stage result_;
};

Result<std::optional<Stage>> Stage::compile(const Value& stage) { return Compiler(stage).run(); }

bool Stage::matches(const Value& object) const {
  if (!has_all(object, "labels", labels_) || !has_all(object, "annotations", annotations_)) return false;
  return std::all_of(requirements_.begin(), requirements_.end(), [&](const Requirement& requirement) {
    const std::vector<Value> found = requirement.key.evaluate(object);
    const bool is_in = std::any_of(found.begin(), found.end(), [&](const Value& value) {
      const auto& values = requirement.values;
      return std::find(values.begin(), values.end(), plain_text(value)) != values.end();
    });
    switch (requirement.op) {
      case Requirement::Operator::kIn:
        return is_in;
      case Requirement::Operator::kNotIn:
        return !is_in;
      case Requirement::Operator::kExists:
        return !found.empty();
      case Requirement::Operator::kDoesNotExist:
        return found.empty();
    }
    return false;
  });
}

std::int64_t Stage::weight(const Value& object) const {
  if (weight_from_) {
    for (const Value& found : weight_from_->evaluate(object)) {
      const std::string text = plain_text(found);
      std::int64_t weight = 0;
      const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), weight);
      if (error == std::errc() && stop == text.data() + text.size() && weight >= 0) return weight;
    }
  }
  return weight_;
}

std::optional<Duration> Stage::evaluate(const Span& span, const Value& object, Instant now) {
  if (span.from) {
    for (const Value& found : span.from->evaluate(object)) {
      const std::string text = plain_text(found);
      if (const auto at = parse_rfc3339(text)) return Duration{std::max<std::int64_t>((*at - now).nanoseconds, 0)};
      if (const auto parsed = kube::parse_duration(text); parsed && parsed->nanoseconds >= 0) return *parsed;
    }
  }
  return span.fixed;
}

Duration Stage::delay(const Value& object, Instant now, double chance) const {
  const Duration least = evaluate(delay_, object, now).value_or(Duration{});
  const std::optional<Duration> most = evaluate(jitter_, object, now);
  if (!most) return least;
  if (*most <= least) return *most;  // a time that is set, such as the end of a grace period
  const double more = static_cast<double>(most->nanoseconds - least.nanoseconds) * chance;
  return {least.nanoseconds + static_cast<std::int64_t>(more)};
}

}  // namespace loadline::kubelet
