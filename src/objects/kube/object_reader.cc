#include "objects/kube/object_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "foundation/base/closest.h"
#include "foundation/document/at.h"
#include "objects/kube/batch/newer_job.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/core/service.h"
#include "objects/kube/fragment.h"
#include "objects/kube/generated_name.h"
#include "objects/kube/identity.h"
#include "objects/kube/locate.h"
#include "objects/kube/nvidia/device_plugin.h"
#include "objects/kube/retired_fields.h"
#include "objects/kube/scheduling/newer_pod_group.h"
#include "objects/kube/scheduling/workload_reference.h"
#include "objects/kube/validation.h"
#include "objects/kube/whole_cluster.h"

namespace loadline::kube {

using document::Mark;
using document::Member;
using document::Value;

namespace {

std::string_view text_of(const Value& object, std::string_view field) {
  const Value* value = object.find(field);
  return value != nullptr && value->is_string() ? std::string_view(value->string()) : std::string_view();
}

bool is_named(const Value& object) {
  const Value* metadata = object.find("metadata");
  return metadata != nullptr && !text_of(*metadata, "name").empty();
}

/// "pods default/web".
std::string key_of(const KindInfo& info, const std::string& name_space, const std::string& name) {
  const auto group = info.api_version.substr(0, info.api_version.rfind('/'));  // another project's Jobs are others
  return fmt::format("{}.{} {}{}{}", info.plural, group, name_space, name_space.empty() ? "" : "/", name);
}

bool is_list(const Value& value) {
  return !text_of(value, "apiVersion").empty() && text_of(value, "kind").ends_with("List");
}

/// The mark of a field, or of the object if it has none of that name.
Mark mark_of(const Value& object, std::string_view field) {
  const Value* value = object.find(field);
  return value != nullptr ? value->mark() : object.mark();
}

}  // namespace

Decoder ObjectReader::decoder_for(std::string subject, Severity severity) {
  return Decoder(diagnostics_, file_, std::move(subject), severity, offset_);
}

void ObjectReader::begin(std::string_view file) {
  if (file_ != nullptr && *file_ == file) return;
  file_ = std::make_shared<const std::string>(file);
  has_untyped_ = false;
}

void ObjectReader::read(const Value& value, std::string_view file) {
  begin(file);
  const std::size_t first = diagnostics_.size();
  read_document(value, {});
  sort_diagnostics_from(first);
}

void ObjectReader::read(document::JsonList& list, std::string_view file) {
  begin(file);
  const std::size_t first = diagnostics_.size();
  is_item_by_item_ = true;
  read_items(list);
  is_item_by_item_ = false;
  if (!list.is_good() || !is_list(list.around())) must_read_whole_ = true;
  if (!must_read_whole_ && is_whole_cluster(list.around())) objects_.is_whole_cluster = true;
  sort_diagnostics_from(first);
}

/// Fields are reported as they are decoded, rules after them; an author reads from top to bottom.
void ObjectReader::sort_diagnostics_from(std::size_t first) {
  const auto begin = diagnostics_.begin() + static_cast<std::ptrdiff_t>(first);
  std::stable_sort(begin, diagnostics_.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::pair(a.at.line, a.at.column) < std::pair(b.at.line, b.at.column);
  });
}

void ObjectReader::read_items(document::JsonList& list) {
  const bool kind_comes_first = is_list(list.head());
  const Inherited inherited =
      kind_comes_first ? inherited_from(text_of(list.head(), "apiVersion"), text_of(list.head(), "kind")) : Inherited{};
  while (!must_read_whole_) {
    const std::optional<Value> item = list.next();
    if (!item) return;
    const bool says_its_kind = !text_of(*item, "kind").empty() || !text_of(*item, "apiVersion").empty();
    const std::string_view kind = says_its_kind ? text_of(*item, "kind") : inherited.kind;
    // The list may say only behind its items what they are; and a definition bears on objects before it.
    must_read_whole_ =
        (!says_its_kind && !kind_comes_first) || kind == "CustomResourceDefinition" || item->find("items");
    if (!must_read_whole_) read_document(*item, inherited);
  }
}

void ObjectReader::read_document(const Value& value, const Inherited& inherited) {
  if (value.is_null()) return;
  if (!value.is_object()) {
    decoder_for({}).report(value.mark(), std::string(), "expected an object, got " + described(value),
                           value.is_array() ? "give the objects one document each, or put them into the \"items\" of "
                                              "\"apiVersion: v1\", \"kind: List\""
                                            : "an object begins with \"apiVersion\" and \"kind\"");
    return;
  }
  std::string_view api_version = text_of(value, "apiVersion");
  std::string_view kind = text_of(value, "kind");
  if (api_version.empty() && kind.empty()) {
    api_version = inherited.api_version;
    kind = inherited.kind;
  }
  if (kind.empty() || api_version.empty()) return report_missing_type(value, api_version, kind);
  if (const Value* items = value.find("items"); items != nullptr && kind.ends_with("List")) {
    if (is_whole_cluster(value)) objects_.is_whole_cluster = true;
    return read_list(*items, api_version, kind);
  }
  if (read_configuration(value, api_version, kind)) return;

  if (const RetiredKind* retired = find_retired_kind(api_version, kind)) return read_retired(value, *retired);
  if (is_newer_pod_group(api_version, kind)) {
    Decoder decoder = decoder_for(subject_of(kind, identity_of(value), Scope::kNamespaced));
    decoder.warn(mark_of(value, "apiVersion"), "apiVersion",
                 std::string(api_version) + " PodGroup is served from v1.37 on", "read as scheduling.k8s.io/v1alpha2");
    return read_document(as_older_pod_group(value), {});
  }
  if (is_older_workload(api_version, kind)) return read_older_workload(value);
  if (const auto newer = newer_job(value, api_version, kind)) {
    decoder_for(subject_of(kind, identity_of(value), Scope::kNamespaced))
        .warn(newer->mark, newer->path, "is of Kubernetes v1.37, and is not heeded",
              newer->is_gang ? "name a PodGroup in the template's spec.schedulingGroup, or have such Jobs start whole "
                               "with --feature-gates WorkloadWithJob=true"
                             : "leave it out");
    return read_document(newer->object, inherited);
  }
  if (const auto named = named_in_workload(value)) {
    report_older_reference(*named, subject_of(kind, identity_of(value), Scope::kNamespaced));
    return read_document(named->object, inherited);
  }
  const KindInfo* info = find_kind(api_version, kind);
  if (info != nullptr) {
    info->read(*this, *info, value);
    if (info->kind == "ConfigMap") read_embedded_configurations(value);
    if (info->kind == "DaemonSet") note_device_plugin(value);
  } else if (is_misspelled_kind(api_version, kind)) {
    report_misspelled_kind(value, api_version, kind);
  } else {
    check_unread(value, api_version, kind);
    look_for_pods(value, skip(value, api_version, kind));
  }
}

void ObjectReader::note_device_plugin(const Value& daemon_set) {
  const Value spec = document::value_at(daemon_set, {"spec", "template", "spec"});
  const document::Array& containers = document::items_at(spec, {"containers"});
  if (std::ranges::none_of(containers,
                           [](const Value& each) { return is_device_plugin_image(text_of(each, "image")); })) {
    return;
  }
  const Identity identity = identity_of(daemon_set);
  objects_.of<DevicePlugin>().push_back(
      {identity.namespace_.empty() ? "default" : identity.namespace_, identity.name, mounted_config_maps(spec)});
}

void ObjectReader::read_older_workload(const Value& value) {
  Decoder decoder = decoder_for(subject_of("Workload", identity_of(value), Scope::kNamespaced));
  decoder.warn(
      mark_of(value, "apiVersion"), "apiVersion", "scheduling.k8s.io/v1alpha1 Workload was served by v1.35 alone",
      "read as scheduling.k8s.io/v1alpha2, where podGroups are podGroupTemplates, and a PodGroup is made of one");
  read_document(as_newer_workload(value), {});
}

void ObjectReader::report_older_reference(const NamedInWorkload& named, const std::string& subject) {
  Decoder decoder = decoder_for(subject);
  const std::string group = named.group.group();
  if (named.has_another_group) {
    decoder.warn(named.mark, named.path, "is of Kubernetes v1.35, and does not count beside schedulingGroup",
                 "leave it out");
  } else {
    decoder.warn(named.mark, named.path, "is of Kubernetes v1.35, and v1.36 drops it",
                 "read as schedulingGroup: {podGroupName: " + group + "}, a PodGroup of the same policy");
    objects_.of<ReferenceToWorkload>().push_back({named.group});
  }
}

void ObjectReader::read_retired(const Value& value, const RetiredKind& retired) {
  const KindInfo* successor = find_kind(retired.successor, retired.kind);
  const Identity identity = identity_of(value);
  const bool is_accepted = identity.from_cluster || rules_.retired == RetiredVersions::kAccepted;
  // What is not read bears on no decision: then it only matters that an API server would refuse it.
  if (successor != nullptr || !is_accepted) {
    const Scope scope = successor == nullptr ? Scope::kNamespaced : successor->scope;
    Decoder decoder = decoder_for(subject_of(retired.kind, identity, scope));
    const Mark mark = mark_of(value, "apiVersion");
    if (is_accepted) {
      decoder.warn(mark, "apiVersion", retired_message(retired),
                   "read as " + std::string(retired.successor) + " " + std::string(retired.kind));
    } else {
      decoder.report(mark, std::string("apiVersion"), retired_message(retired), retired_hint(retired, value));
    }
  }
  if (!is_accepted) return;
  if (successor != nullptr) {
    successor->read(*this, *successor, as_successor(value, retired));
  } else {
    skip(value, retired.api_version, retired.kind);
  }
}

void ObjectReader::read_list(const Value& items, std::string_view api_version, std::string_view kind) {
  if (items.is_null()) return;
  if (!items.is_array()) {
    decoder_for(std::string(kind)).report(items.mark(), "items", "expected a list, got " + described(items));
    return;
  }
  const Inherited inherited = inherited_from(api_version, kind);
  for (const Value& item : items.array()) read_document(item, inherited);
}

/// The elements of a plain List say their own kinds; those of a PodList need not.
ObjectReader::Inherited ObjectReader::inherited_from(std::string_view api_version, std::string_view kind) {
  if (kind == "List") return {};
  return {api_version, kind.substr(0, kind.size() - std::string_view("List").size())};
}

// ---- documents that cannot be told -------------------------------------------------------------------------------

void ObjectReader::report_missing_type(const Value& value, std::string_view api_version, std::string_view kind) {
  // Such a file is most often something else altogether, and says so in every document of it.
  if (std::exchange(has_untyped_, true)) return;
  Decoder decoder = decoder_for(std::string(kind));
  const KindInfo* named = find_kind(kind);
  const Guess guess = named != nullptr ? Guess{named, false} : guess_kind(value, api_version);
  decoder.report(value.mark(), std::string(), missing_type_message(value, kind), missing_type_hint(value, guess, kind));
  if (guess.kind != nullptr) report_mistakes_of_fragment(value, *guess.kind, guess.is_spec);
}

/// The other mistakes show already. Directives of patches (`$patch: delete`) are none.
void ObjectReader::report_mistakes_of_fragment(const Value& value, const KindInfo& kind, bool is_spec) {
  const Schema& schema = is_spec ? *kind.schema->find("spec")->type.schema : *kind.schema;
  const auto first = static_cast<std::ptrdiff_t>(diagnostics_.size());
  Decoder decoder = decoder_for({});
  decode_object(decoder, value, Path(&schema), schema, nullptr);
  const auto is_directive = [](const Diagnostic& each) { return each.path.find('$') != std::string::npos; };
  diagnostics_.erase(std::remove_if(diagnostics_.begin() + first, diagnostics_.end(), is_directive),
                     diagnostics_.end());
}

void ObjectReader::report_misspelled_kind(const Value& value, std::string_view api_version, std::string_view kind) {
  std::string hint;
  if (const KindInfo* elsewhere = find_kind(kind)) {
    hint = "write \"apiVersion: " + std::string(elsewhere->api_version) + "\"";
  } else {
    std::vector<std::string_view> names;
    for (const KindInfo& info : known_kinds()) names.push_back(info.kind);
    const KindInfo* meant = find_kind(closest(kind, names));
    if (meant != nullptr) {
      hint = "did you mean \"" + std::string(meant->kind) + "\"?";
      if (meant->api_version != api_version) hint += " Its apiVersion is " + std::string(meant->api_version);
    }
  }
  decoder_for(subject_of(kind, identity_of(value), Scope::kNamespaced))
      .report(mark_of(value, "kind"), "kind",
              "no matches for kind " + quoted(kind) + " in version " + quoted(api_version), std::move(hint));
}

// ---- objects of the API ------------------------------------------------------------------------------------------

Decoder ObjectReader::start(const KindInfo& info, const Value& value) {
  const Identity identity = identity_of(value);
  return decoder_for(subject_of(info.kind, identity, info.scope),
                     identity.from_cluster ? Severity::kWarning : Severity::kError);
}

void ObjectReader::complete(const Decoder& decoder, const KindInfo& info, const Value& value, ObjectMeta& metadata) {
  metadata.source = decoder.position(value.mark());
  if (info.scope == Scope::kCluster) {
    metadata.namespace_.clear();  // as the API server does
  } else if (metadata.namespace_.empty()) {
    metadata.namespace_ = "default";
  }
  if (metadata.name.empty() && !metadata.generate_name.empty()) give_name(info, metadata);
}

void ObjectReader::give_name(const KindInfo& info, ObjectMeta& metadata) {
  metadata.name = generate_name(metadata, info.kind, [&](const std::string& name) {
    return kept_.contains(key_of(info, metadata.namespace_, name));
  });
  metadata.name_was_generated = true;
}

void ObjectReader::report(Decoder& decoder, const Value& value, const FieldErrors& errors) {
  const bool has_broken_stem =
      std::ranges::any_of(errors, [](const FieldError& error) { return error.path == "metadata.generateName"; });
  for (const FieldError& error : errors) {
    if (decoder.poisoned(error.path)) continue;
    // A name that was generated of it is broken likewise, and written nowhere.
    if (has_broken_stem && error.path == "metadata.name" && !is_named(value)) continue;
    decoder.report(locate(value, error.path), error.path, error.message, error.hint);
  }
}

void ObjectReader::report_untold(Decoder& decoder, const Value& value, const FieldErrors& errors, std::size_t told) {
  const auto first = diagnostics_.begin() + static_cast<std::ptrdiff_t>(told);
  std::set<std::string> paths;
  for (auto each = first; each != diagnostics_.end(); ++each) paths.insert(each->path);
  for (const FieldError& error : errors) {
    if (!paths.contains(error.path)) decoder.report(locate(value, error.path), error.path, error.message, error.hint);
  }
}

std::optional<std::size_t> ObjectReader::place_for(const Decoder& decoder, const KindInfo& info, const Value& value,
                                                   const ObjectMeta& metadata, std::size_t count) {
  if (decoder.failed()) return std::nullopt;
  if (metadata.name.empty()) return count;
  const Kept kept{{is_item_by_item_ ? Value() : value, metadata.source}, count};
  const auto [earlier, is_new] = kept_.try_emplace(key_of(info, metadata.namespace_, metadata.name), kept);
  if (is_new) return count;
  if (kept.object.document.is_null() || earlier->second.object.document.is_null()) {
    must_read_whole_ = true;  // the two cannot be compared any more
    return std::nullopt;
  }
  Diagnostic problem = info.is_only_one ? second_of_one(earlier->second.object, kept.object)
                                        : repetition(earlier->second.object, kept.object);
  problem.subject = decoder.subject();
  const bool takes_its_place = problem.severity == Severity::kWarning;
  diagnostics_.push_back(std::move(problem));
  if (!takes_its_place) return std::nullopt;
  earlier->second.object = kept.object;
  return earlier->second.place;
}

}  // namespace loadline::kube
