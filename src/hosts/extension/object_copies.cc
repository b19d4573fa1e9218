#include "hosts/extension/object_copies.h"

namespace loadline::extension {

void PairList::read(FrameReader& frame) {
  items_.clear();
  for (auto count = frame.number<std::uint32_t>(); count > 0 && !frame.spoilt(); --count) {
    const char* key = frame.c_text();
    items_.push_back({key, frame.c_text()});
  }
}

void AmountList::read(FrameReader& frame) {
  items_.clear();
  for (auto count = frame.number<std::uint32_t>(); count > 0 && !frame.spoilt(); --count) {
    const char* resource = frame.c_text();
    items_.push_back({resource, frame.number<std::int64_t>()});
  }
}

void TextList::read(FrameReader& frame) {
  items_.clear();
  for (auto count = frame.number<std::uint32_t>(); count > 0 && !frame.spoilt(); --count) {
    items_.push_back(frame.c_text());
  }
}

PodCopy::PodCopy(std::string_view bytes) : bytes_(bytes) {
  FrameReader frame(bytes_);
  view_.struct_size = sizeof view_;
  view_.name_space = frame.c_text();
  view_.name = frame.c_text();
  view_.priority = frame.number<std::int32_t>();
  labels_.read(frame);
  annotations_.read(frame);
  node_selector_.read(frame);
  requests_.read(frame);
  claims_.read(frame);
  images_.read(frame);
  view_.labels = labels_.view();
  view_.annotations = annotations_.view();
  view_.node_selector = node_selector_.view();
  view_.requests = requests_.view();
  view_.claims = claims_.view();
  view_.images = images_.view();
}

bool NodeCopy::update(std::uint32_t index, FrameReader& frame) {
  view_.struct_size = sizeof view_;
  view_.index = index;
  view_.version = frame.number<std::uint64_t>();
  if (frame.flag()) read_facts(frame.bytes());
  usage_ = frame.bytes();
  FrameReader usage(usage_);
  requested_.read(usage);
  view_.requested = requested_.view();

  const auto kept = frame.number<std::uint32_t>();
  if (kept > pods_.size()) return false;
  pods_.resize(kept);
  for (auto added = frame.number<std::uint32_t>(); added > 0 && !frame.spoilt(); --added) {
    pods_.push_back(std::make_unique<PodCopy>(frame.bytes()));
  }
  pod_views_.clear();
  for (const auto& pod : pods_) pod_views_.push_back(&pod->view());
  view_.pods = pod_views_.data();
  view_.pod_count = pod_views_.size();
  return !frame.spoilt() && view_.name != nullptr;
}

void NodeCopy::read_facts(std::string_view bytes) {
  facts_ = bytes;
  FrameReader facts(facts_);
  view_.name = facts.c_text();
  labels_.read(facts);
  annotations_.read(facts);
  allocatable_.read(facts);
  view_.labels = labels_.view();
  view_.annotations = annotations_.view();
  view_.allocatable = allocatable_.view();
}

}  // namespace loadline::extension
