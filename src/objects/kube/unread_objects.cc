// Objects that Kubernetes itself does not know, or that no decision reads, as ObjectReader takes them: held against
// what is published for them or their definition, counted, and looked at for pods that they seem to make.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/document/at.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/held_pods.h"
#include "objects/kube/identity.h"
#include "objects/kube/kueue/job_names.h"
#include "objects/kube/kueue/unread_job.h"
#include "objects/kube/locate.h"
#include "objects/kube/object_reader.h"
#include "objects/kube/retired_fields.h"
#include "objects/kube/validation.h"
#include "objects/schema/published.h"

namespace loadline::kube {

using document::Value;

namespace {

std::string_view queue_named_by(const Value& object) {
  const Value* labels = document::find_at(object, {"metadata", "labels"});
  const Value* queue = labels != nullptr && labels->is_object() ? labels->find(kQueueName) : nullptr;
  return queue != nullptr && queue->is_string() ? queue->string() : std::string_view();
}

}  // namespace

void ObjectReader::check_unread(const Value& value, std::string_view api_version, std::string_view kind) {
  const Identity identity = identity_of(value);
  if (identity.from_cluster) return;  // an API server has judged it, by the definition that it had
  if (const schema::Resource* published = schema::find_published(api_version, kind)) {
    const Scope scope = published->is_namespaced ? Scope::kNamespaced : Scope::kCluster;
    Decoder decoder = decoder_for(subject_of(kind, identity, scope));
    const Schema& schema = schema_of(*published->type);
    decode_object(decoder, value, Path(&schema), schema, nullptr);
  } else if (const CustomKind* custom = custom_kinds_.find(api_version, kind)) {
    check_custom(value, *custom,
                 subject_of(kind, identity, custom->resource->is_namespaced ? Scope::kNamespaced : Scope::kCluster));
  }
}

std::optional<Value> ObjectReader::as_defined(const KindInfo& info, const Value& value) {
  if (!info.is_heeded) look_for_pods(value, skip(value, info.api_version, info.kind));
  const CustomKind* custom = custom_kinds_.find(info.api_version, info.kind);
  if (custom == nullptr) return std::nullopt;
  const Identity identity = identity_of(value);
  const bool is_judged = identity.from_cluster;  // by an API server, and the definition that it had
  if (!is_judged && !check_custom(value, *custom, subject_of(info.kind, identity, info.scope))) return std::nullopt;
  return with_definition_defaults(value, *custom->resource);
}

bool ObjectReader::check_custom(const Value& value, const CustomKind& kind, std::string subject) {
  const std::vector<RetiredField> retired = find_retired_fields(value);
  const bool is_accepted = rules_.retired == RetiredVersions::kAccepted;
  Decoder certain = decoder_for(subject);
  // The author's cluster may have another version of the operator than the definition that is built in.
  Decoder decoder = decoder_for(std::move(subject), kind.source.empty() ? Severity::kError : Severity::kWarning);
  const Value meant = without_retired_fields(value);
  decode_object(decoder, meant, Path(kind.schema), *kind.schema, nullptr);
  FieldErrors errors = validate_custom_object(is_accepted ? meant : value, *kind.resource);
  if (is_accepted) {
    for (const RetiredField& each : retired) {
      certain.warn(locate(value, each.path), each.path, "is written as an earlier version had it", each.reading);
    }
  } else {
    report_retired(certain, value, retired, errors);
  }
  report(decoder, value, errors);
  if (decoder.problems() > 0) tell_source(decoder, value, kind.source);
  return !decoder.failed() && !certain.failed();
}

void ObjectReader::tell_source(Decoder& decoder, const Value& value, const std::string& source) {
  if (source.empty() || !told_sources_.insert(source).second) return;
  decoder.warn(locate(value, "apiVersion"), "apiVersion",
               "checked by the definition of " + source + ", which is built in",
               "if your cluster has another version of it, give its CustomResourceDefinition with the input");
}

void ObjectReader::report_refusals(Decoder& decoder, const KindInfo& info, const Value& value,
                                   const FieldErrors& refusals) {
  const CustomKind* custom = custom_kinds_.find(info.api_version, info.kind);
  if (refusals.empty() || custom == nullptr) return;
  if (custom->source.empty()) return report(decoder, value, refusals);
  for (const FieldError& each : refusals) {
    decoder.warn(locate(value, each.path), each.path, each.message, each.hint);
  }
  tell_source(decoder, value, custom->source);
}

/// No cluster takes them, whichever version of the operator it has. Takes what is reported out of `errors`.
void ObjectReader::report_retired(Decoder& decoder, const Value& value, const std::vector<RetiredField>& retired,
                                  FieldErrors& errors) {
  for (const RetiredField& each : retired) {
    const auto found = std::ranges::find(errors, each.path, &FieldError::path);
    if (found == errors.end()) continue;  // the definition of the input takes it
    decoder.report(locate(value, each.path), each.path, found->message, each.mend + "; --accept-retired reads it so");
    errors.erase(found);
  }
}

SkippedKind& ObjectReader::skip(const Value& value, std::string_view api_version, std::string_view kind) {
  const auto [place, is_new] =
      skipped_.try_emplace(std::string(api_version) + " " + std::string(kind), objects_.skipped.size());
  if (is_new) {
    objects_.skipped.push_back(
        {std::string(api_version), std::string(kind), 0, decoder_for({}).position(value.mark())});
  }
  SkippedKind& skipped = objects_.skipped[place->second];
  ++skipped.count;
  return skipped;
}

// The pods of an object of a cluster are in the cluster, and those of a part of another object are the other's.
void ObjectReader::look_for_pods(const Value& value, SkippedKind& skipped) {
  if (identity_of(value).from_cluster || document::find_at(value, {"metadata", "ownerReferences"}) != nullptr) return;
  if (schema::find_published(skipped.api_version, skipped.kind) != nullptr) return;
  const std::vector<HeldPods> held = held_pods(value);
  if (held.empty() && !is_kind_for_later(skipped.api_version, skipped.kind)) return;
  if (const std::string_view queue = queue_named_by(value); !queue.empty()) {
    const Identity identity = identity_of(value);
    objects_.of<UnreadJob>().push_back({skipped.kind, identity.namespace_.empty() ? "default" : identity.namespace_,
                                        identity.name, std::string(queue), decoder_for({}).position(value.mark())});
  }
  const bool is_guessed = rules_.guesses_workloads && !held.empty();
  skipped.is_guessed = skipped.is_guessed || is_guessed;
  if (!is_guessed) ++skipped.unplanned;
  if (skipped.held_in.empty() && !held.empty()) skipped.held_in = held.front().path;
  for (const HeldPods& pods : held) skipped.held_pods += std::min(pods.count, kMostGuessedPods);
  if (!is_guessed) return;
  for (const HeldPods& pods : held) guessed_ += std::min(pods.count, kMostGuessedPods);
  if (guessed_ > kMostGuessedInAll) {
    decoder_for(subject_of(skipped.kind, identity_of(value), Scope::kNamespaced))
        .report(value.mark(), held.front().path,
                "its pods and those of the objects before it are more than " + std::to_string(kMostGuessedInAll),
                "only as many are guessed");
    return;
  }
  const KindInfo& pod_kind = kind_of<Pod>();
  for (std::size_t i = 0; i < held.size(); ++i) {
    for (const Value& pod : guessed_pods(value, held, i)) pod_kind.read(*this, pod_kind, pod);
  }
}

}  // namespace loadline::kube
