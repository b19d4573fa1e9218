#include "objects/kube/config/extender.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "objects/kube/config/scheduler_configuration.h"
#include "objects/kube/testing/decoding.h"

namespace loadline::kube {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// `fields` begin at line 3.
TEST(ExtenderConfiguration, IsReadWholeAndSharedByTheProfiles) {
  const Decoding decoding = decode_configuration(R"(profiles: [{schedulerName: a}, {schedulerName: b}]
extenders:
- urlPrefix: https://extender.example:8443/scheduler
  filterVerb: filter
  preemptVerb: preempt
  prioritizeVerb: prioritize
  bindVerb: bind
  weight: 5
  enableHTTPS: true
  tlsConfig: {insecure: false, serverName: ext, certFile: c, keyFile: k, caFile: a, certData: Qw==, keyData: Sw==, caData: QQ==}
  httpTimeout: 200ms
  nodeCacheCapable: true
  managedResources: [{name: example.com/gpu, ignoredByScheduler: true}, {name: example.com/nic}]
  ignorable: true
)");
  ASSERT_THAT(lines_of(decoding.diagnostics), IsEmpty());
  const SchedulerConfiguration& configuration = decoding.objects.of<SchedulerConfiguration>().at(0);
  ASSERT_EQ(configuration.profiles.size(), 2U);
  ASSERT_EQ(configuration.profiles[1].extenders.size(), 1U);
  const Extender& extender = configuration.profiles[1].extenders[0];
  EXPECT_EQ(extender.url_prefix, "https://extender.example:8443/scheduler");
  EXPECT_EQ(extender.filter_verb, "filter");
  EXPECT_EQ(extender.preempt_verb, "preempt");
  EXPECT_EQ(extender.prioritize_verb, "prioritize");
  EXPECT_EQ(extender.bind_verb, "bind");
  EXPECT_EQ(extender.weight, 5);
  EXPECT_TRUE(extender.enable_https);
  ASSERT_TRUE(extender.tls.has_value());
  EXPECT_EQ(extender.tls->server_name, "ext");
  EXPECT_EQ(extender.tls->cert_file + extender.tls->key_file + extender.tls->ca_file, "cka");
  EXPECT_EQ(extender.tls->cert_data + extender.tls->key_data + extender.tls->ca_data, "CKA");
  EXPECT_EQ(extender.http_timeout, Duration{200'000'000});
  EXPECT_TRUE(extender.node_cache_capable);
  ASSERT_EQ(extender.managed_resources.size(), 2U);
  EXPECT_EQ(extender.managed_resources[0].name, "example.com/gpu");
  EXPECT_TRUE(extender.managed_resources[0].ignored_by_scheduler);
  EXPECT_FALSE(extender.managed_resources[1].ignored_by_scheduler);
  EXPECT_TRUE(extender.ignorable);
}

TEST(ExtenderConfiguration, WaitsFiveSecondsUnlessToldOtherwise) {
  for (const std::string_view timeout : {"", "  httpTimeout: 0s\n"}) {
    const Decoding decoding =
        decode_configuration("extenders:\n- urlPrefix: http://localhost\n" + std::string(timeout));
    ASSERT_THAT(lines_of(decoding.diagnostics), IsEmpty());
    const SchedulerProfile& profile = decoding.objects.of<SchedulerConfiguration>().at(0).profiles.at(0);
    ASSERT_EQ(profile.extenders.size(), 1U);
    EXPECT_EQ(profile.extenders[0].http_timeout, Duration::seconds(5));
    EXPECT_FALSE(profile.extenders[0].tls.has_value());
  }
}

struct ExtenderMistake {
  std::string_view name;
  std::string_view fields;  ///< their first line is line 3
  std::string_view line;
};

class ExtenderMistakes : public testing::TestWithParam<ExtenderMistake> {};

TEST_P(ExtenderMistakes, AreReportedWithPlaceAndUpstreamsWords) {
  const Decoding decoding = decode_configuration(GetParam().fields);
  EXPECT_THAT(lines_of(decoding.diagnostics), ElementsAre(std::string(GetParam().line)));
  EXPECT_THAT(decoding.objects.of<SchedulerConfiguration>(), IsEmpty());
}

const ExtenderMistake kExtenderMistakes[] = {
    {"NoUrl", "extenders: [{filterVerb: filter}]\n",
     "3:13 error extenders[0].urlPrefix: Required value: must be an http or https URL"},
    {"UrlWithoutScheme", "extenders: [{urlPrefix: \"localhost:8888\"}]\n",
     "3:25 error extenders[0].urlPrefix: Invalid value: \"localhost:8888\": not an http or https URL"},
    {"UrlWithoutHost", "extenders: [{urlPrefix: \"http://\"}]\n",
     "3:25 error extenders[0].urlPrefix: Invalid value: \"http://\": not an http or https URL"},
    {"PrioritizerWithoutWeight", "extenders: [{urlPrefix: \"http://a\", prioritizeVerb: p}]\n",
     "3:13 error extenders[0].weight: Invalid value: 0: must have a positive weight applied to it"},
    {"NegativeWeight", "extenders: [{urlPrefix: \"http://a\", prioritizeVerb: p, weight: -2}]\n",
     "3:64 error extenders[0].weight: Invalid value: -2: must have a positive weight applied to it"},
    {"TwoBinders",
     "extenders: [{urlPrefix: \"http://a\", bindVerb: bind}, {urlPrefix: \"http://b\", bindVerb: bind}]\n",
     "3:1 error extenders: Invalid value: \"found 2 extenders implementing bind\": only one extender can implement "
     "bind"},
    {"NativeResource", "extenders: [{urlPrefix: \"http://a\", managedResources: [{name: cpu}]}]\n",
     "3:63 error extenders[0].managedResources[0].name: Invalid value: \"cpu\": is an invalid extended resource name"},
    {"ResourceOfTwo",
     "extenders: [{urlPrefix: \"http://a\", managedResources: [{name: a.b/c}]}, {urlPrefix: \"http://b\", "
     "managedResources: [{name: a.b/c}]}]\n",
     "3:123 error extenders[1].managedResources[0].name: Invalid value: \"a.b/c\": duplicate extender managed resource "
     "name"},
    {"TimeoutWithoutUnit", "extenders: [{urlPrefix: \"http://a\", httpTimeout: 5}]\n",
     "3:50 error extenders[0].httpTimeout: expected a duration such as \"15s\", got number 5"},
    {"CertificateThatIsNotBase64", "extenders: [{urlPrefix: \"https://a\", tlsConfig: {caData: \"?\"}}]\n",
     "3:58 error extenders[0].tlsConfig.caData: illegal base64 data"},
    {"UnknownField", "extenders: [{urlPrefix: \"http://a\", filterverb: filter}]\n",
     "3:37 error extenders[0].filterverb: unknown field \"extenders[0].filterverb\""},
};

INSTANTIATE_TEST_SUITE_P(ExtenderConfiguration, ExtenderMistakes, testing::ValuesIn(kExtenderMistakes),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace loadline::kube
