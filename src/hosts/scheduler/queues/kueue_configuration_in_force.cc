#include "hosts/scheduler/queues/kueue_configuration_in_force.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "objects/kube/codec.h"
#include "objects/kube/kueue/configuration_reader.h"

namespace loadline::scheduler::queues {

using watching::Change;
using watching::Event;
using watching::Keys;

namespace {

bool mentions_one(const document::Value& config_map) {
  const document::Value* data = config_map.find("data");
  if (data == nullptr || !data->is_object()) return false;
  return std::ranges::any_of(data->object(), [](const document::Member& entry) {
    return entry.value.is_string() && kube::mentions_kueue_configuration(entry.value.string());
  });
}

std::string text_of_problems(const Diagnostics& problems) {
  std::string text;
  for (const Diagnostic& problem : problems) {
    if (!text.empty()) text += "; ";
    text += problem.path.empty() ? problem.message : fmt::format("{}: {}", problem.path, problem.message);
  }
  return text;
}

}  // namespace

KueueConfigurationInForce::KueueConfigurationInForce(EventLoop& loop, watching::Subscriptions& subscriptions,
                                                     watching::Actuator::Say say, std::function<void()> put)
    : loop_(loop), say_(std::move(say)), put_(std::move(put)) {
  subscriptions.on<kube::ConfigMap>([this](const Change<kube::ConfigMap>& change, Keys&) { on_change(change); });
}

void KueueConfigurationInForce::on_change(const Change<kube::ConfigMap>& change) {
  const watching::ObjectKey key = change.last().key();
  if (key.name_space != kube::kKueueNamespace) return;
  const bool was_there = sources_.erase(key.name) > 0;
  const bool is_there = change.after != nullptr && mentions_one(change.after->document);
  if (is_there) sources_.emplace(key.name, change.after);
  if ((!was_there && !is_there) || std::exchange(has_changed_, true)) return;
  loop_.post([this, alive = std::weak_ptr<int>(alive_)] {
    if (!alive.expired() && settle()) put_();
  });
}

KueueConfigurationInForce::Found KueueConfigurationInForce::read(const ObjectPtr& config_map) const {
  Found found{config_map, std::nullopt};
  kube::Decoding decoding = kube::decode({{config_map->document, "ConfigMap " + config_map->key().to_string()}});
  std::vector<kube::KueueConfiguration>& read = decoding.objects.of<kube::KueueConfiguration>();
  if (!read.empty()) found.configuration = std::move(read.front());
  if (!decoding.diagnostics.empty()) {
    say_({watching::reference_to(*config_map), Event::Type::kWarning, "InvalidKueueConfiguration",
          text_of_problems(decoding.diagnostics)});
  }
  return found;
}

bool KueueConfigurationInForce::settle() {
  if (!std::exchange(has_changed_, false)) return false;
  std::erase_if(found_, [this](const auto& entry) { return !sources_.contains(entry.first); });
  std::string from;
  const kube::KueueConfiguration* counts = nullptr;
  for (const auto& [name, source] : sources_) {
    Found& found = found_[name];
    if (found.source == nullptr || found.source->revision != source->revision) found = read(source);
    if (counts != nullptr || !found.configuration) continue;
    counts = &*found.configuration;
    from = fmt::format("{} {}", source->metadata().uid, source->revision);
  }
  if (std::exchange(from_, from) == from) return false;
  configuration_ = counts == nullptr ? kube::KueueConfiguration{} : *counts;
  return true;
}

}  // namespace loadline::scheduler::queues
