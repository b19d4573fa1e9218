#include "hosts/trace/json_lines_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <deque>
#include <unordered_map>
#include <utility>
#include <vector>

#include "brain/workloads/kind_names.h"
#include "brain/workloads/kinds.h"
#include "foundation/base/text.h"
#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "hosts/trace/object_pods.h"
#include "hosts/trace/place.h"
#include "hosts/trace/work_fields.h"
#include "objects/kube/codec.h"

namespace loadline::trace {
namespace {

using document::Mark;
using document::Value;

constexpr std::string_view kAnyName = "work";
/// Objects that differ in more than their names, by an annotation each, may be as many as lines; then they are
/// forgotten.
constexpr std::size_t kMostKnownObjects = 10'000;

std::vector<std::string_view> json_work_fields() {
  std::vector<std::string_view> known = {"object", "template", "pod"};
  for (const WorkField& field : kWorkFields) known.push_back(field.name);
  return known;
}

/// The text that a field of CSV would have; nothing if the value is an array or an object.
std::optional<std::string> scalar_text(const Value& value) {
  if (value.is_string()) return value.string();
  if (value.is_integer()) return fmt::format("{}", value.integer());
  if (value.is_float()) return document::format_number(value.number());
  if (value.is_boolean()) return value.boolean() ? "true" : "false";
  if (value.is_null()) return "";
  return std::nullopt;
}

/// {"a": "b"} as CSV writes selectors.
std::optional<std::string> selector_text(const Value& value) {
  if (!value.is_object()) return scalar_text(value);
  std::string text;
  for (const document::Member& member : value.object()) {
    const auto label = scalar_text(member.value);
    if (!label) return std::nullopt;
    text += fmt::format("{}{}={}", text.empty() ? "" : ";", member.key, *label);
  }
  return text;
}

/// Whether the name stands in the text by itself, not as a part of another word.
bool has_word(std::string_view text, std::string_view name) {
  const auto is_letter = [&](std::size_t at) {
    return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0;
  };
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    if ((at == 0 || !is_letter(at - 1)) && !is_letter(at + name.size())) return true;
  }
  return false;
}

/// The object of that kind and name among some, alone.
std::optional<kube::Objects> find_object(const kube::Objects& objects, const std::string& kind, std::string_view name) {
  std::optional<kube::Objects> found;
  const auto look_among = [&]<class Kind>(const std::vector<Kind>& of_kind) {
    const auto object = std::ranges::find_if(of_kind, [&](const Kind& each) { return each.metadata.name == name; });
    if (object != of_kind.end()) found.emplace().of<Kind>().push_back(*object);
  };
  if (kind == "Pod") look_among(objects.of<kube::Pod>());
  workloads::for_kind(kind, [&]<class Kind>() { look_among(objects.of<Kind>()); });
  return found;
}

bool has_pods_or_workloads(const kube::Objects& objects) {
  std::size_t count = objects.of<kube::Pod>().size();
  workloads::for_each_kind([&]<class Kind>() { count += objects.of<Kind>().size(); });
  return count == 1;
}

class JsonLinesWorks final : public WorkSource {
 public:
  JsonLinesWorks(std::unique_ptr<Lines> lines, const kube::Objects* templates)
      : lines_(std::move(lines)), templates_(templates) {}

  Result<std::optional<Work>> next() override {
    if (has_ended_) return std::nullopt;
    has_ended_ = true;  // unless all is well
    const auto line = next_line();
    if (!line) return tl::unexpected(line.error());
    if (line->empty()) return std::nullopt;
    const auto value = read_line(*line);
    if (!value) return tl::unexpected(value.error());
    auto work = read_work(*value);
    if (!work) return tl::unexpected(work.error());
    has_ended_ = false;
    return *std::move(work);
  }

 private:
  /// The next line that says something; empty at the end.
  Result<std::string_view> next_line() {
    while (true) {
      const auto line = lines_->next();
      if (!line) return tl::unexpected(line.error());
      if (!*line) return std::string_view();
      if (const std::string_view text = trim(**line); !text.empty()) return **line;
    }
  }

  tl::unexpected<Error> failed(Mark mark, std::string_view field, std::string_view message,
                               std::string_view hint = {}) const {
    return failure_at(lines_->at(mark.column), field, message, hint);
  }

  /// The first problem among those of one line.
  [[nodiscard]] std::optional<Error> first_error(const Diagnostics& problems, std::string_view below) const {
    const auto error = std::ranges::find(problems, Severity::kError, &Diagnostic::severity);
    if (error == problems.end()) return std::nullopt;
    std::string path(below);
    if (!path.empty() && !error->path.empty()) path += '.';
    path += error->path;
    return failed({1, error->at.column}, path, error->message, error->hint).value();
  }

  Result<Value> read_line(std::string_view line) {
    document::Reading reading = document::read_json(line, *lines_->file());
    if (const auto error = first_error(reading.problems, {})) return tl::unexpected(*error);
    if (reading.documents.size() != 1) {
      return failed({}, {}, fmt::format("{} on one line", counted(reading.documents.size(), "value")),
                    "a line holds one object");
    }
    if (!reading.documents.front().is_object()) return failed({}, {}, "is no object");
    return std::move(reading.documents.front());
  }

  Result<Work> read_work(const Value& line) {
    texts_.clear();
    WorkTexts texts;
    for (const document::Member& member : line.object()) {
      const auto field = std::ranges::find(kWorkFields, member.key, &WorkField::name);
      if (field == kWorkFields.end()) {
        if (const auto fault = unknown_field(member)) return tl::unexpected(*fault);
        continue;
      }
      auto text = scalar_text(member.value);
      if (!text) return failed(member.value.mark(), member.key, "is no text and no number");
      texts.*field->text = texts_.emplace_back(*std::move(text));
    }
    add_names_of_object(line, texts);
    auto work = maker_.make(texts);
    if (!work) return failed_field(line, {}, work.error());
    if (auto good = set_pods(line, texts, *work); !good) return tl::unexpected(good.error());
    return *std::move(work);
  }

  [[nodiscard]] std::optional<Error> unknown_field(const document::Member& member) const {
    const std::vector<std::string_view> known = json_work_fields();
    if (std::ranges::find(known, member.key) != known.end()) return std::nullopt;
    return failed(member.mark, {}, fmt::format("unknown field {}", kube::quoted(member.key)),
                  hint_for_name(member.key, known))
        .value();
  }

  /// The object's own name and namespace, where the work has none.
  static void add_names_of_object(const Value& line, WorkTexts& texts) {
    const std::string_view name = document::text_at(line, {"object", "metadata", "name"});
    if (!texts.name && !name.empty()) texts.name = name;
    const std::string_view tenant = document::text_at(line, {"object", "metadata", "namespace"});
    if (!texts.tenant && !tenant.empty()) texts.tenant = tenant;
  }

  tl::unexpected<Error> failed_field(const Value& line, std::string_view below, const FieldFault& fault) const {
    const Value* around = below.empty() ? &line : line.find(below);
    const Value* value = around->find(fault.field);
    return failed(value != nullptr ? value->mark() : around->mark(),
                  below.empty() ? fault.field : fmt::format("{}.{}", below, fault.field), fault.message, fault.hint);
  }

  Result<void> set_pods(const Value& line, const WorkTexts& texts, Work& work) {
    const Value* const object = line.find("object");
    const Value* const template_ = line.find("template");
    const Value* const pod = line.find("pod");
    if ((object != nullptr) + (template_ != nullptr) + (pod != nullptr) != 1) {
      return failed({}, {}, "says not, or more than once, which pods come", "give one of object, template and pod");
    }
    if (pod != nullptr) return set_short_pods(line, *pod, work);
    const Value& named = object != nullptr ? *object : *template_;
    if (texts.pods) return failed(named.mark(), "pods", "goes with pod only");
    const auto known = object != nullptr ? object_of(*object, work.name) : template_of(*template_);
    if (!known) return tl::unexpected(known.error());
    auto pods = (*known)->pods(work.name, work.tenant);
    if (!pods) return failed(named.mark(), object != nullptr ? "object" : "template", pods.error().message);
    work.pods = std::move(pods->pods);
    if (!texts.gang) work.is_gang = pods->is_gang;
    if (!work.run_time) work.run_time = pods->run_time;
    if (!work.estimate) work.estimate = pods->estimate;
    return {};
  }

  /// Looked up by what it says, so that a line costs no parsing of amounts.
  Result<void> set_short_pods(const Value& line, const Value& pod, Work& work) {
    if (!pod.is_object()) return failed(pod.mark(), "pod", "is no object");
    key_ = work.tenant;
    document::append_json(key_, pod);
    auto& known = short_pods_[key_];
    if (known == nullptr) {
      auto made = make_short_pod(line, pod, work.tenant);
      if (!made) {
        short_pods_.erase(key_);
        return tl::unexpected(made.error());
      }
      known = *std::move(made);
    }
    work.pods.front().pod = known;
    return {};
  }

  Result<std::shared_ptr<const kube::Pod>> make_short_pod(const Value& line, const Value& pod,
                                                          const std::string& tenant) {
    PodOfOneContainer row;
    for (const document::Member& member : pod.object()) {
      const bool is_known = std::ranges::find(kPodFields, member.key) != kPodFields.end();
      if (!is_known && !is_resource_field(member.key)) {
        return failed(member.mark, "pod", fmt::format("unknown field {}", kube::quoted(member.key)),
                      hint_for_name(member.key, kPodFields));
      }
      const auto text = member.key == "selector" ? selector_text(member.value) : scalar_text(member.value);
      if (!text) return failed(member.value.mark(), "pod." + member.key, "is no text and no number");
      if (auto good = set_pod_field(row, member.key, *text); !good) return failed_field(line, "pod", good.error());
    }
    auto made = pods_.pod(row, tenant);
    if (const auto wrong = fault_of(row, *made)) return failed_field(line, "pod", *wrong);
    return made;
  }

  /// What an `object` describes, looked up by all that it says but its name. One that says its name elsewhere, too, is
  /// for this work alone.
  Result<NamedObject*> object_of(const Value& object, const std::string& name) {
    if (!object.is_object()) return failed(object.mark(), "object", "is no object");
    const Value* const metadata = object.find("metadata");
    if (metadata != nullptr && !metadata->is_object() && !metadata->is_null()) {
      return failed(metadata->mark(), "object.metadata", "is no object");
    }
    Value nameless = document::with_at(object, {"metadata", "name"}, Value(kAnyName));
    std::string key = document::write_json(nameless);
    const bool is_alone = has_word(key, name);
    if (!is_alone) {
      if (const auto known = objects_.find(key); known != objects_.end()) return &known->second;
    }
    const auto decoded = decode_object(object, nameless);
    if (!decoded) return tl::unexpected(decoded.error());
    if (objects_.size() == kMostKnownObjects) objects_.clear();
    if (!is_alone) return &objects_.emplace(std::move(key), NamedObject(*decoded)).first->second;
    alone_.emplace(*decoded);
    return &*alone_;
  }

  Result<kube::Objects> decode_object(const Value& object, Value nameless) const {
    kube::Decoding decoding = kube::decode({{std::move(nameless), *lines_->file()}});
    if (const auto error = first_error(decoding.diagnostics, "object")) return tl::unexpected(*error);
    if (!decoding.objects.skipped.empty() || !has_pods_or_workloads(decoding.objects)) {
      return failed(
          object.mark(), "object",
          fmt::format("{} is no pod and no workload that is known", kube::quoted(document::text_at(object, {"kind"}))));
    }
    return std::move(decoding.objects);
  }

  Result<NamedObject*> template_of(const Value& name) {
    if (!name.is_string()) return failed(name.mark(), "template", "is no text", R"(write "job/train")");
    if (const auto known = named_.find(name.string()); known != named_.end()) return &known->second;
    const std::size_t slash = name.string().find('/');
    if (slash == std::string::npos) {
      return failed(name.mark(), "template", fmt::format("{} has no kind", kube::quoted(name.string())),
                    R"(write "job/train")");
    }
    const auto kind = workloads::kind_of_word(std::string_view(name.string()).substr(0, slash));
    if (!kind) return failed(name.mark(), "template", kind.error().message);
    auto object =
        templates_ == nullptr ? std::nullopt : find_object(*templates_, *kind, name.string().substr(slash + 1));
    if (!object) {
      return failed(name.mark(), "template", fmt::format("there is no {}", name.string()),
                    "templates are objects of the manifests");
    }
    return &named_.emplace(name.string(), NamedObject(*std::move(object))).first->second;
  }

  std::unique_ptr<Lines> lines_;
  const kube::Objects* templates_;
  WorkMaker maker_;
  PodsOfOneContainer pods_;
  std::unordered_map<std::string, std::shared_ptr<const kube::Pod>> short_pods_;
  std::string key_;
  std::deque<std::string> texts_;  // of the line being read; a deque, for others hold views of them
  std::unordered_map<std::string, NamedObject> objects_;
  std::unordered_map<std::string, NamedObject> named_;
  std::optional<NamedObject> alone_;
  bool has_ended_ = false;
};

}  // namespace

Result<std::unique_ptr<WorkSource>> read_json_lines_work(std::unique_ptr<Lines> lines, const kube::Objects* templates) {
  return std::make_unique<JsonLinesWorks>(std::move(lines), templates);
}

}  // namespace loadline::trace
