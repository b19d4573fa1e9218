#pragma once

#include <loadline/plugin.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hosts/extension/frame.h"

namespace loadline::extension {

/// A list of pairs, amounts or texts as a plugin sees it. The texts are those of the frame it is read from.
class PairList {
 public:
  void read(FrameReader& frame);
  [[nodiscard]] loadline_pairs view() const { return {items_.data(), items_.size()}; }

 private:
  std::vector<loadline_pair> items_;
};

class AmountList {
 public:
  void read(FrameReader& frame);
  [[nodiscard]] loadline_amounts view() const { return {items_.data(), items_.size()}; }

 private:
  std::vector<loadline_amount> items_;
};

class TextList {
 public:
  void read(FrameReader& frame);
  [[nodiscard]] loadline_texts view() const { return {items_.data(), items_.size()}; }

 private:
  std::vector<const char*> items_;
};

/// A pod as a plugin sees it, with the memory behind it: the bytes that PodFrames wrote.
class PodCopy {
 public:
  explicit PodCopy(std::string_view bytes);
  PodCopy(const PodCopy&) = delete;
  PodCopy& operator=(const PodCopy&) = delete;
  [[nodiscard]] const loadline_pod& view() const { return view_; }

 private:
  const std::string bytes_;
  PairList labels_, annotations_, node_selector_;
  AmountList requests_;
  TextList claims_, images_;
  loadline_pod view_{};
};

/// A node as a plugin sees it, with the memory behind it, and kept up to date.
class NodeCopy {
 public:
  NodeCopy() = default;
  NodeCopy(const NodeCopy&) = delete;
  NodeCopy& operator=(const NodeCopy&) = delete;

  /// Takes over what NodeFrames wrote about the node. False: it was not that.
  bool update(std::uint32_t index, FrameReader& frame);
  [[nodiscard]] const loadline_node& view() const { return view_; }

 private:
  void read_facts(std::string_view bytes);

  std::string facts_, usage_;
  PairList labels_, annotations_;
  AmountList allocatable_, requested_;
  std::vector<std::unique_ptr<PodCopy>> pods_;
  std::vector<const loadline_pod*> pod_views_;
  loadline_node view_{};
};

}  // namespace loadline::extension
