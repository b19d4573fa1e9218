#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "brain/placement/cycle.h"
#include "brain/placement/preemption.h"

namespace loadline::placement {

/// Why a plugin at PostFilter does not help a pod that fits nowhere.
struct NoHelp {
  enum class Kind : std::uint8_t {
    kSaid,               ///< a plugin other than preemption, in its own words: `text`
    kFailed,             ///< preemption could not tell: `text` is the error
    kIneligible,         ///< the pod may not preempt: `ineligible`
    kTriedInPart,        ///< the pod's group is tried on a part of the nodes, where nobody is preempted
    kNoCandidate,        ///< extenders would have none of the candidates
    kNoVictimsAnywhere,  ///< `rejections` say why, node by node
  };
  Kind kind = Kind::kSaid;
  std::string text;
  Ineligible ineligible = Ineligible::kNever;
  std::vector<RejectionCount> rejections;
  friend bool operator==(const NoHelp&, const NoHelp&) = default;
};

/// Why no node takes a pod, as a value: kube-scheduler's FitError, or the error of a plugin. It can be read however
/// long it is kept.
struct FitError {
  std::string error;                              ///< a plugin failed, so nothing was decided; empty: none did
  std::size_t nodes = 0;                          ///< that there are, as far as the pod sees
  std::optional<Rejection> pre_filter;            ///< the pod was refused as a whole
  std::vector<RejectionCount> rejections;         ///< else: of the nodes
  std::vector<NoHelp> post_filters;               ///< in the order they were asked; none if one of them helped
  std::shared_ptr<const RejectionTable> by_id{};  ///< the rejections that are counted
  friend bool operator==(const FitError&, const FitError&) = default;
};

/// The message of the PodScheduled=False condition: "0/3 nodes are available: 1 Insufficient cpu, 2 …. preemption: …".
/// Word for word FitError.Error() of v1.36, and what the PostFilter plugins said.
std::string text(const FitError& error);

/// "not eligible due to …": DefaultPreemption's words.
std::string_view text(Ineligible why);

/// The plugins that refused the pod, or nodes, each once.
std::vector<std::string_view> plugins_of(const FitError& error);

/// How many nodes gave one reason.
struct ReasonCount {
  std::size_t nodes = 0;
  std::string_view plugin;
  std::string text;
};

/// The reasons of a failed attempt, most nodes first, then by text. A pod refused as a whole has one, for all of so
/// many nodes.
std::vector<ReasonCount> count_reasons(const FitError& error, std::size_t nodes);

}  // namespace loadline::placement
