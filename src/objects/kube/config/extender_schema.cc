#include "objects/kube/config/extender_schema.h"

#include <set>
#include <string>
#include <utility>

#include "foundation/base/base64.h"
#include "objects/kube/decoder.h"
#include "objects/kube/resource_names.h"
#include "objects/kube/scalars.h"

namespace loadline::kube {

using document::Value;

namespace {

template <auto Member>
void read_bytes(Decoder&, const Value& value, const Path&, ExtenderTls& tls) {
  if (value.is_string()) tls.*Member = decode_base64(value.string()).value_or("");
}

constexpr Field kExtenderTlsFields[] = {
    field<&ExtenderTls::insecure>("insecure"),
    field<&ExtenderTls::server_name>("serverName"),
    field<&ExtenderTls::cert_file>("certFile"),
    field<&ExtenderTls::key_file>("keyFile"),
    field<&ExtenderTls::ca_file>("caFile"),
    custom<read_bytes<&ExtenderTls::cert_data>>("certData", kBytes),
    custom<read_bytes<&ExtenderTls::key_data>>("keyData", kBytes),
    custom<read_bytes<&ExtenderTls::ca_data>>("caData", kBytes),
};
constexpr Schema kExtenderTlsSchema{"io.k8s.kube-scheduler.config.v1.ExtenderTLSConfig", kExtenderTlsFields};

constexpr Field kManagedResourceFields[] = {
    field<&ExtenderManagedResource::name>("name"),
    field<&ExtenderManagedResource::ignored_by_scheduler>("ignoredByScheduler"),
};
constexpr Schema kManagedResourceSchema{"io.k8s.kube-scheduler.config.v1.ExtenderManagedResource",
                                        kManagedResourceFields};

/// kube-scheduler would find out at its first call.
void read_url(Decoder& decoder, const Value& value, const Path& path, Extender& extender) {
  extender.url_prefix = value.is_string() ? value.string() : "";
  for (const std::string_view scheme : {std::string_view("http://"), std::string_view("https://")}) {
    if (extender.url_prefix.starts_with(scheme) && extender.url_prefix.size() > scheme.size()) return;
  }
  decoder.report(value.mark(), path, "Invalid value: " + quoted(extender.url_prefix) + ": not an http or https URL",
                 "write it like \"http://127.0.0.1:8888/scheduler\"");
}

/// 0 asks for the default.
void read_timeout(Decoder&, const Value& value, const Path&, Extender& extender) {
  if (!value.is_string()) return;
  const Result<Duration> timeout = parse_duration(value.string());
  if (timeout && timeout->nanoseconds != 0) extender.http_timeout = *timeout;
}

constexpr Field kExtenderFields[] = {
    custom<read_url>("urlPrefix", kString),
    field<&Extender::filter_verb>("filterVerb"),
    field<&Extender::preempt_verb>("preemptVerb"),
    field<&Extender::prioritize_verb>("prioritizeVerb"),
    field<&Extender::weight>("weight"),
    field<&Extender::bind_verb>("bindVerb"),
    field<&Extender::enable_https>("enableHTTPS"),
    field<&Extender::tls>("tlsConfig", kExtenderTlsSchema),
    custom<read_timeout>("httpTimeout", kDuration),
    field<&Extender::node_cache_capable>("nodeCacheCapable"),
    field<&Extender::managed_resources>("managedResources", kManagedResourceSchema),
    field<&Extender::ignorable>("ignorable"),
};

void validate_managed_resource(FieldReport& report, const Path& at, std::string_view name,
                               std::set<std::string_view>& seen) {
  const NameProblems problems = qualified_name_problems(name);
  report.invalid_name(at, name, problems);
  if (problems.empty() && !is_extended_resource(name)) report.invalid(at, name, "is an invalid extended resource name");
  if (!seen.insert(name).second) report.invalid(at, name, "duplicate extender managed resource name");
}

}  // namespace

constinit const Schema kExtenderSchema{"io.k8s.kube-scheduler.config.v1.Extender", kExtenderFields};

void validate_extenders(FieldReport& report, const Path& at, const std::vector<Extender>& extenders) {
  std::size_t binders = 0;
  std::set<std::string_view> managed;
  for (std::size_t i = 0; i < extenders.size(); ++i) {
    const Extender& extender = extenders[i];
    const Path place = Path::element(at, i);
    if (extender.url_prefix.empty()) report.required(Path(place, "urlPrefix"), "must be an http or https URL");
    if (!extender.prioritize_verb.empty() && extender.weight <= 0) {
      report.invalid(Path(place, "weight"), extender.weight, "must have a positive weight applied to it");
    }
    if (!extender.bind_verb.empty()) ++binders;
    const Path resources(place, "managedResources");
    for (std::size_t j = 0; j < extender.managed_resources.size(); ++j) {
      const Path element = Path::element(resources, j);
      validate_managed_resource(report, Path(element, "name"), extender.managed_resources[j].name, managed);
    }
  }
  if (binders < 2) return;
  report.invalid(at, "found " + std::to_string(binders) + " extenders implementing bind",
                 "only one extender can implement bind");
}

}  // namespace loadline::kube
