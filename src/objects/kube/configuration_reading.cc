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
#include "objects/kube/object_reader.h"
#include "objects/kube/validation.h"

namespace loadline::kube {

using document::Member;
using document::Value;

namespace {

std::optional<Instant> creation_of(const Value& object) {
  return parse_rfc3339(document::text_at(object, {"metadata", "creationTimestamp"}));
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

void ObjectReader::read_embedded(const Member& entry, const Value& data, const CarryingConfigMap& carrier) {
  // A text in a block mapping (whose mark is that of its first key) that has several lines is nearly always a block
  // scalar: it begins on the line below its key, two columns in.
  const bool is_block = data.mark() == data.object().front().mark &&
                        entry.value.string().find('\n') != std::string::npos && entry.mark.line > 0;
  // kube-scheduler takes no key twice.
  const document::Reading reading = document::read(entry.value.string(), *file_, document::EqualKeys::kRefused);
  if (is_block) {
    offset_ = {entry.value.mark().line, entry.mark.column + 1, {}};
  } else {
    offset_ = {0, 0, entry.value.mark()};
  }
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
