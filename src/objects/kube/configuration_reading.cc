// Objects that configure schedulers or clusters, by themselves and inside of ConfigMaps, as ObjectReader reads them.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "objects/kube/config/scheduler_configuration_reader.h"
#include "objects/kube/identity.h"
#include "objects/kube/kind/cluster_reader.h"
#include "objects/kube/kueue/configuration_reader.h"
#include "objects/kube/object_reader.h"
#include "objects/kube/validation.h"

namespace loadline::kube {

using document::Member;
using document::Value;

namespace {

std::optional<Instant> creation_of(const Value& object) {
  return parse_rfc3339(document::text_at(object, {"metadata", "creationTimestamp"}));
}

/// Where the text of an entry stands. In a block mapping (whose mark is that of its first key) one that has several
/// lines is nearly always a block scalar: it begins on the line below its key, two columns in.
PositionOffset offset_of(const Member& entry, const Value& data) {
  const bool is_block = data.mark() == data.object().front().mark &&
                        entry.value.string().find('\n') != std::string::npos && entry.mark.line > 0;
  if (is_block) return {entry.value.mark().line, entry.mark.column + 1, {}};
  return {0, 0, entry.value.mark()};
}

}  // namespace

bool ObjectReader::read_configuration(const Value& value, std::string_view api_version, std::string_view kind) {
  if (kind == "KubeSchedulerConfiguration" && api_version.starts_with("kubescheduler.config.k8s.io/")) {
    Decoder decoder = decoder_for(std::string(kind) + around_);
    SchedulerConfiguration configuration;
    read_scheduler_configuration(decoder, value, configuration);
    report(decoder, value, validate(configuration));
    if (const Value* extenders = value.find("extenders")) {
      configuration.extenders_at = decoder.position(extenders->mark());
    }
    if (!decoder.failed()) objects_.of<SchedulerConfiguration>().push_back(std::move(configuration));
    return true;
  }
  if (is_kueue_configuration(api_version, kind)) {
    read_kueue_configuration(value, /*is_of_config_map=*/false);
    return true;
  }
  if (is_kind_cluster(value)) {
    Decoder decoder = decoder_for("Cluster");
    std::vector<Node> nodes = read_kind_cluster(decoder, value);
    const KindInfo& info = *find_kind("v1", "Node");
    for (Node& node : nodes) {
      const auto place = place_for(decoder, info, value, node.metadata, objects_.of<Node>().size());
      if (place) put(objects_.of<Node>(), *place, std::move(node));
    }
    return true;
  }
  return false;
}

void ObjectReader::read_kueue_configuration(const Value& value, bool is_of_config_map) {
  // The manager of a ConfigMap may be of another version.
  Decoder decoder = decoder_for("Configuration" + around_, is_of_config_map ? Severity::kWarning : Severity::kError);
  KueueConfiguration configuration;
  configuration.is_of_config_map = is_of_config_map;
  kube::read_kueue_configuration(decoder, value, configuration);
  report(decoder, value, validate(configuration));
  std::vector<KueueConfiguration>& kept = objects_.of<KueueConfiguration>();
  if (!kept.empty() && is_of_config_map == kept.front().is_of_config_map) {
    decoder.report(value.mark(), std::string(), "Kueue has one configuration, and another one was read before",
                   "leave one of them out");
  }
  // One that was given as a file counts before those of ConfigMaps.
  if (decoder.failed() || (is_of_config_map && !kept.empty() && !kept.front().is_of_config_map)) return;
  kept.assign(1, std::move(configuration));
}

void ObjectReader::read_embedded_configurations(const Value& config_map) {
  const Value* data = config_map.find("data");
  if (data == nullptr || !data->is_object()) return;
  const Identity identity = identity_of(config_map);
  const CarryingConfigMap carrier{identity.namespace_.empty() ? "default" : identity.namespace_, identity.name,
                                  creation_of(config_map)};
  const bool counts = rules_.scheduler_namespace.empty() || rules_.scheduler_namespace == carrier.name_space;
  around_ = " in " + subject_of("ConfigMap", identity, Scope::kNamespaced);
  // Of two ConfigMaps of one name the last counts.
  std::erase_if(objects_.of<SchedulerConfiguration>(), [&](const SchedulerConfiguration& earlier) {
    return !carrier.name.empty() && earlier.config_map && earlier.config_map->to_string() == carrier.to_string();
  });
  for (const Member& entry : data->object()) {
    if (!entry.value.is_string()) continue;
    if (carrier.name_space == kKueueNamespace) read_embedded_kueue_configuration(entry, *data);
    if (!mentions_scheduler_configuration(entry.value.string())) continue;
    if (counts) {
      read_embedded(entry, *data, carrier);
    } else {
      report_uncounted(entry);
    }
  }
  around_.clear();
}

void ObjectReader::report_uncounted(const Member& entry) {
  if (!holds_scheduler_configuration(entry.value.string())) return;
  decoder_for("KubeSchedulerConfiguration" + around_)
      .warn(entry.value.mark(), std::string(),
            "does not count: in ConfigMaps, scheduler configurations count in the namespace " +
                quoted(rules_.scheduler_namespace) + " only",
            "name another with --scheduler-namespace, or pass the configuration with --config");
}

void ObjectReader::read_embedded_kueue_configuration(const Member& entry, const Value& data) {
  if (!mentions_kueue_configuration(entry.value.string())) return;
  offset_ = offset_of(entry, data);
  for (const Value& document : document::read(entry.value.string(), *file_).documents) {
    if (is_kueue_configuration(document::text_at(document, {"apiVersion"}), document::text_at(document, {"kind"}))) {
      read_kueue_configuration(document, /*is_of_config_map=*/true);
    }
  }
  offset_ = {};
}

void ObjectReader::read_embedded(const Member& entry, const Value& data, const CarryingConfigMap& carrier) {
  // kube-scheduler takes no key twice.
  const document::Reading reading = document::read(entry.value.string(), *file_, document::EqualKeys::kRefused);
  offset_ = offset_of(entry, data);
  for (const Diagnostic& problem : reading.problems) {
    Diagnostic moved = problem;
    moved.at = decoder_for({}).position({problem.at.line, problem.at.column});
    moved.subject = "KubeSchedulerConfiguration" + around_;
    diagnostics_.push_back(std::move(moved));
  }
  std::vector<SchedulerConfiguration>& found = objects_.of<SchedulerConfiguration>();
  const std::size_t before = found.size();
  for (const Value& document : reading.documents) {
    if (document::text_at(document, {"kind"}) != "KubeSchedulerConfiguration") continue;
    read_configuration(document, document::text_at(document, {"apiVersion"}), document::text_at(document, {"kind"}));
  }
  for (std::size_t i = before; i < found.size(); ++i) found[i].config_map = carrier;
  offset_ = {};
}

}  // namespace loadline::kube
