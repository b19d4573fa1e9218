#include "objects/kube/volcano/hyper_node_schema.h"

#include "objects/kube/decoder.h"
#include "objects/kube/encoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {
namespace {

constexpr Field kExactMatchFields[] = {field<&HyperNode::Member::name>("name")};
constexpr Schema kExactMatchSchema{OfCustomKind{}, "ExactMatch", kExactMatchFields};
constexpr Field kRegexMatchFields[] = {field<&HyperNode::Member::pattern>("pattern")};
constexpr Schema kRegexMatchSchema{OfCustomKind{}, "RegexMatch", kRegexMatchFields};

constexpr Field kMemberSelectorFields[] = {
    part("exactMatch", kExactMatchSchema),
    part("regexMatch", kRegexMatchSchema),
    field<&HyperNode::Member::labels>("labelMatch", kLabelSelectorSchema),
};
constexpr Schema kMemberSelectorSchema{OfCustomKind{}, "MemberSelector", kMemberSelectorFields};

constexpr Field kHyperMemberFields[] = {
    field<&HyperNode::Member::type>("type"),
    part("selector", kMemberSelectorSchema),
};
constexpr Schema kHyperMemberSchema{OfCustomKind{}, "MemberSpec", kHyperMemberFields};

constexpr Field kHyperSpecFields[] = {
    field<&HyperNode::tier>("tier"),
    field<&HyperNode::tier_name>("tierName"),
    field<&HyperNode::members>("members", kHyperMemberSchema),
};
constexpr Schema kHyperSpecSchema{OfCustomKind{}, "HyperNodeSpec", kHyperSpecFields};

constexpr Field kHyperNodeFields[] = {
    field<&HyperNode::metadata>("metadata", kObjectMetaSchema),
    part("spec", kHyperSpecSchema),
};

}  // namespace

constinit const Schema kHyperNodeSchema{OfCustomKind{}, "HyperNode", kHyperNodeFields};

}  // namespace loadline::kube
