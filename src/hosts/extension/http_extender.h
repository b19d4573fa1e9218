#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "brain/placement/extender.h"
#include "foundation/base/result.h"
#include "foundation/base/time.h"
#include "hosts/extension/extender_request.h"
#include "hosts/extension/http_client.h"

namespace loadline::extension {

/// How much of its time a host gives to extenders. A plan: all of it, to as few calls as possible.
struct ExtenderPatience {
  /// A call that may take longer by the configuration may take this long; nullopt: as long as the configuration says.
  std::optional<Duration> longest_call = std::nullopt;
  /// How long one that does not answer is left alone; nullopt: for good.
  std::optional<Duration> rest = std::nullopt;
};

/// An extender behind HTTP. After some calls in a row that got no answer at all, no more are made for a while, or for
/// good, unless the policy wants it asked again: one that hangs would otherwise cost its timeout for every pod. Not to
/// be used by two threads at once.
class HttpExtender final : public placement::Extender {
 public:
  static constexpr int kMostUnanswered = 3;

  /// Errors: as HttpClient::make.
  static Result<std::unique_ptr<HttpExtender>> make(const kube::Extender& settings,
                                                    const ExtenderPatience& patience = {});

  [[nodiscard]] const kube::Extender& settings() const override { return settings_; }
  [[nodiscard]] Result<placement::ExtenderFilterAnswer> filter(const kube::Pod& pod,
                                                               std::span<const kube::Node* const> nodes) const override;
  [[nodiscard]] Result<std::vector<placement::ExtenderScore>> prioritize(
      const kube::Pod& pod, std::span<const kube::Node* const> nodes) const override;
  [[nodiscard]] Result<std::map<std::string, placement::ExtenderVictims>> process_preemption(
      const kube::Pod& pod, std::span<const placement::ShownCandidate> candidates) const override;
  void heed(const placement::Switches& switches) override { silent_ = switches.silent_extenders; }

  /// Has the extender bind the pod. For a host that acts; a plan never does. REQUIRES: bindVerb is set.
  [[nodiscard]] Result<void> bind(const kube::Pod& pod, std::string_view node) const;

 private:
  HttpExtender(const kube::Extender& settings, const ExtenderPatience& patience, HttpClient client);
  [[nodiscard]] bool is_left_alone() const;
  [[nodiscard]] std::string url_of(const std::string& verb) const;
  [[nodiscard]] Result<std::string> send(const std::string& verb, const std::string& body) const;
  [[nodiscard]] Error unreadable(const std::string& verb, const Error& error) const;

  kube::Extender settings_;
  mutable HttpClient client_;
  mutable ExtenderRequests requests_;
  ExtenderPatience patience_;
  placement::SilentExtenders silent_ = placement::SilentExtenders::kLeaveAlone;
  mutable int unanswered_ = 0;  // calls in a row
  mutable std::chrono::steady_clock::time_point gave_up_;
};

/// Extenders behind HTTP, for placement::Extensions.
class HttpExtenders final : public placement::ExtenderSource {
 public:
  explicit HttpExtenders(const ExtenderPatience& patience = {}) : patience_(patience) {}
  [[nodiscard]] Result<std::unique_ptr<placement::Extender>> make(const kube::Extender& settings) const override;

 private:
  ExtenderPatience patience_;
};

}  // namespace loadline::extension
