#include "hosts/simulator/node_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "foundation/base/closest.h"
#include "hosts/simulator/node_choice.h"
#include "hosts/simulator/shared_gpus.h"
#include "objects/kube/core/affinity_schema.h"
#include "objects/kube/scalars.h"
#include "objects/kube/storage/storage.h"

namespace loadline::simulator {
namespace {

using Indices = std::vector<std::size_t>;

constexpr std::string_view kCordonTaint = "node.kubernetes.io/unschedulable";
constexpr std::size_t kMostAdded = 10'000;

std::optional<Error> problem(std::string_view what, std::string_view text, const kube::NameProblems& problems) {
  if (problems.empty()) return std::nullopt;
  return Error{fmt::format("{} \"{}\": {}", what, text, problems.front())};
}

/// What kubectl's taint and label syntax says.
struct Edit {
  std::string key;
  std::string value;
  kube::TaintEffect effect = kube::TaintEffect::kNone;  ///< kNone: every effect, or a label
  bool removes = false;
};

Result<kube::TaintEffect> parse_effect(std::string_view text) {
  for (const auto effect :
       {kube::TaintEffect::kNoSchedule, kube::TaintEffect::kPreferNoSchedule, kube::TaintEffect::kNoExecute}) {
    if (kube::name_of(effect) == text) return effect;
  }
  const std::vector<std::string_view> known = {"NoSchedule", "PreferNoSchedule", "NoExecute"};
  const std::string_view nearest = closest(text, known);
  return failure(fmt::format("\"{}\" is no effect of a taint; {}", text,
                             nearest.empty() ? "there are NoSchedule, PreferNoSchedule and NoExecute"
                                             : fmt::format("did you mean {}?", nearest)));
}

Result<Edit> parse_taint(std::string_view text) {
  Edit edit;
  std::string_view rest = text;
  edit.removes = rest.ends_with('-');
  if (edit.removes) rest.remove_suffix(1);
  const std::size_t colon = rest.find(':');
  if (colon != std::string_view::npos) {
    const Result<kube::TaintEffect> effect = parse_effect(rest.substr(colon + 1));
    if (!effect) return tl::unexpected(effect.error());
    edit.effect = *effect;
    rest = rest.substr(0, colon);
  } else if (!edit.removes) {
    return failure(fmt::format(
        "\"{}\" is no taint; write key=value:Effect or key:Effect to put one, key:Effect- or key- to remove it", text));
  }
  const std::size_t equals = rest.find('=');
  edit.key = rest.substr(0, equals);
  if (equals != std::string_view::npos) edit.value = rest.substr(equals + 1);
  if (auto error = problem("taint key", edit.key, kube::qualified_name_problems(edit.key)))
    return tl::unexpected(*error);
  if (auto error = problem("taint value", edit.value, kube::label_value_problems(edit.value))) {
    return tl::unexpected(*error);
  }
  return edit;
}

Result<Edit> parse_label(std::string_view text) {
  Edit edit;
  const std::size_t equals = text.find('=');
  edit.removes = equals == std::string_view::npos && text.ends_with('-');
  if (equals == std::string_view::npos && !edit.removes) {
    return failure(fmt::format("\"{}\" is no label; write key=value to put one, key- to remove it", text));
  }
  edit.key = edit.removes ? text.substr(0, text.size() - 1) : text.substr(0, equals);
  if (!edit.removes) edit.value = text.substr(equals + 1);
  if (auto error = problem("label key", edit.key, kube::qualified_name_problems(edit.key)))
    return tl::unexpected(*error);
  if (auto error = problem("label value", edit.value, kube::label_value_problems(edit.value))) {
    return tl::unexpected(*error);
  }
  return edit;
}

bool is_meant(const kube::Taint& taint, const Edit& edit) {
  return taint.key == edit.key && (edit.effect == kube::TaintEffect::kNone || taint.effect == edit.effect);
}

void put_taint(kube::Node& node, const kube::Taint& taint) {
  std::erase_if(node.taints,
                [&](const kube::Taint& old) { return old.key == taint.key && old.effect == taint.effect; });
  node.taints.push_back(taint);
}

kube::Taint cordon_taint() { return {std::string(kCordonTaint), "", kube::TaintEffect::kNoSchedule, std::nullopt}; }

void uncordon(kube::Node& node) {
  node.unschedulable = false;
  std::erase_if(node.taints, [](const kube::Taint& taint) { return taint.key == kCordonTaint; });
}

void copy_csi_node(kube::Objects& objects, const std::string& like, const std::string& name) {
  const auto found = std::find_if(objects.of<kube::CsiNode>().begin(), objects.of<kube::CsiNode>().end(),
                                  [&](const kube::CsiNode& node) { return node.metadata.name == like; });
  if (found == objects.of<kube::CsiNode>().end()) return;
  kube::CsiNode node = *found;
  node.metadata.name = name;
  objects.of<kube::CsiNode>().push_back(std::move(node));
}

}  // namespace

Result<std::vector<std::string>> add_nodes(kube::Objects& objects, std::span<const capacity::NodeTemplate> templates) {
  if (templates.empty()) return std::vector<std::string>();
  for (const capacity::NodeTemplate& nodes : templates) {
    if (nodes.count < 1 || nodes.count > kMostAdded) {
      return failure("the count of nodes to add must lie in 1 .. 10000");
    }
  }
  std::vector<kube::Node>& nodes = objects.of<kube::Node>();
  Result<std::vector<kube::Node>> made = capacity::make_nodes(templates, nodes, capacity::zones_of(nodes));
  if (!made) return tl::unexpected(std::move(made.error()));
  std::vector<std::string> names;
  for (const capacity::NodeTemplate& each : templates) {
    // One that is like a node advertises what that one does.
    if (each.shape() != nullptr) share_gpus_of(std::span(*made).subspan(names.size(), each.count), objects);
    for (std::size_t i = 0; i < each.count; ++i) {
      names.push_back((*made)[names.size()].metadata.name);
      if (const std::string* like = each.like()) copy_csi_node(objects, *like, names.back());
    }
  }
  std::ranges::move(*made, std::back_inserter(nodes));
  return names;
}

Result<Indices> cordon(kube::Objects& objects, std::string_view nodes, Cordon wish) {
  Result<Indices> chosen = choose_nodes(nodes, objects.of<kube::Node>());
  if (!chosen) return chosen;
  for (const std::size_t index : *chosen) {
    kube::Node& node = objects.of<kube::Node>()[index];
    if (wish == Cordon::kOff) {
      uncordon(node);
    } else {
      node.unschedulable = true;
      put_taint(node, cordon_taint());
    }
  }
  return chosen;
}

Result<Indices> taint_nodes(kube::Objects& objects, std::string_view nodes, std::string_view taint) {
  const Result<Edit> edit = parse_taint(taint);
  if (!edit) return tl::unexpected(edit.error());
  Result<Indices> chosen = choose_nodes(nodes, objects.of<kube::Node>());
  if (!chosen) return chosen;
  std::size_t removed = 0;
  for (const std::size_t index : *chosen) {
    kube::Node& node = objects.of<kube::Node>()[index];
    if (edit->removes) {
      removed += std::erase_if(node.taints, [&](const kube::Taint& old) { return is_meant(old, *edit); });
    } else {
      put_taint(node, {edit->key, edit->value, edit->effect, std::nullopt});
    }
  }
  if (edit->removes && removed == 0) {
    return failure(fmt::format("no node of \"{}\" has a taint {}", nodes, taint.substr(0, taint.size() - 1)));
  }
  return chosen;
}

Result<Indices> label_nodes(kube::Objects& objects, std::string_view nodes, std::string_view label) {
  const Result<Edit> edit = parse_label(label);
  if (!edit) return tl::unexpected(edit.error());
  Result<Indices> chosen = choose_nodes(nodes, objects.of<kube::Node>());
  if (!chosen) return chosen;
  std::size_t removed = 0;
  for (const std::size_t index : *chosen) {
    kube::StringMap& labels = objects.of<kube::Node>()[index].metadata.labels;
    if (edit->removes) {
      removed += labels.erase(edit->key);
    } else {
      labels.insert_or_assign(edit->key, edit->value);
    }
  }
  if (edit->removes && removed == 0) {
    return failure(fmt::format("no node of \"{}\" has a label {}", nodes, edit->key));
  }
  return chosen;
}

}  // namespace loadline::simulator
