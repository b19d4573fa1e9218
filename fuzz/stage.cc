// Any bytes as what people write for virtual nodes: a Stage (YAML), followed for a pod; else a Go template or a jq
// path. Read or refused, and soon done.

#include "hosts/kubelet/stage.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "foundation/document/reader.h"

namespace {

using loadline::document::Value;

const Value& pod() {
  static const auto& value = *new Value(loadline::document::read_json(R"({
        "metadata": {"name": "a", "labels": {"a.b/c": "d"}, "annotations": {"delay": "5s", "until": "2026-01-01T00:00:00Z"}},
        "spec": {"nodeName": "n", "containers": [{"name": "c", "image": "i"}, {"name": "d"}], "z": null, "f": 0.5},
        "status": {"conditions": [{"type": "Ready", "status": "True"}, {}, 7], "podIP": ""}
      })",
                                                                      "pod")
                                            .documents.at(0));
  return value;
}

void run(const loadline::kubelet::GoTemplate& text) {
  static_cast<void>(text.execute(pod(), {{"Now", [](const auto&) { return Value("2026-01-01T00:00:00Z"); }}}));
}

void follow(const Value& document) {
  const auto stage = loadline::kubelet::Stage::compile(document);
  if (!stage || !*stage) return;
  const loadline::kubelet::Stage& found = **stage;
  static_cast<void>(found.matches(pod()));
  static_cast<void>(found.weight(pod()));
  static_cast<void>(found.delay(pod(), loadline::Instant{1'767'225'600'000'000'000}, 0.5));
  for (const loadline::kubelet::StageStep& step : found.steps()) run(step.patch);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const Value& document : loadline::document::read_yaml(text, "stage").documents) follow(document);
  if (const auto parsed = loadline::kubelet::GoTemplate::parse(text)) run(*parsed);
  if (const auto path = loadline::kubelet::JqPath::parse(text)) static_cast<void>(path->evaluate(pod()));
  return 0;
}
