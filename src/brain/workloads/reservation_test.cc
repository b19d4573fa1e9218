#include "brain/workloads/reservation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "brain/cluster/testing/pod_builder.h"
#include "objects/kube/koordinator/reservation.h"

namespace loadline::workloads {
namespace {

using cluster::testing::label_in;
using cluster::testing::pod;
using cluster::testing::PodBuilder;
using cluster::testing::selecting;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

kube::Reservation room(const PodBuilder& builder) {
  const kube::Pod built = builder;
  kube::Reservation reservation;
  reservation.metadata.name = "room";
  reservation.metadata.namespace_ = "ml";
  reservation.template_ = {built.metadata, built.spec};
  return reservation;
}

Result<void> as_it_is(kube::Pod& /*pod*/) { return {}; }

TEST(Placeholder, IsThePodOfTheTemplateWithoutWhatTakesNoRoom) {
  PodBuilder builder = pod("ignored").label("app", "train").request("cpu", "2").gated("later").group("gang");
  kube::Volume scratch;
  scratch.name = "scratch";
  scratch.ephemeral_claim.emplace();
  kube::Volume data;
  data.name = "data";
  data.persistent_volume_claim = kube::PersistentVolumeClaimVolumeSource{"data", false};
  builder.spec().volumes = {scratch, data};
  const kube::Pod placeholder = *placeholder_of(room(builder), as_it_is);
  EXPECT_EQ(placeholder.metadata.namespace_, "ml");
  EXPECT_EQ(placeholder.metadata.labels.at("app"), "train");
  EXPECT_EQ(placeholder.spec->containers[0].resources.requests.at("cpu"), *kube::Quantity::parse("2"));
  EXPECT_THAT(placeholder.spec->scheduling_gates, IsEmpty());
  EXPECT_EQ(placeholder.spec->pod_group_name, "");
  ASSERT_THAT(placeholder.spec->volumes, SizeIs(1));
  EXPECT_EQ(placeholder.spec->volumes[0].name, "data");
  EXPECT_EQ(placeholder.spec->preemption_policy, kube::PreemptionPolicy::kNever);
}

TEST(Placeholder, PreemptsOnlyIfTheTemplateSaysSo) {
  PodBuilder builder = pod("p");
  builder.spec().preemption_policy = kube::PreemptionPolicy::kPreemptLowerPriority;
  const auto with_a_class = [](kube::Pod& placeholder) -> Result<void> {
    auto spec = std::make_shared<kube::PodSpec>(*placeholder.spec);
    spec->priority = 100;
    spec->preemption_policy = kube::PreemptionPolicy::kPreemptLowerPriority;
    placeholder.spec = std::move(spec);
    return {};
  };
  EXPECT_EQ(placeholder_of(room(builder), with_a_class)->spec->preemption_policy,
            kube::PreemptionPolicy::kPreemptLowerPriority);
  const kube::Pod modest = *placeholder_of(room(pod("p")), with_a_class);
  EXPECT_EQ(modest.spec->preemption_policy, kube::PreemptionPolicy::kNever);
  EXPECT_EQ(modest.spec->priority, 100);
}

TEST(Placeholder, MayHaveAPriorityWithoutAClass) {
  const auto of_admission = [](kube::Pod& placeholder) -> Result<void> {
    if (placeholder.spec->priority) return failure("must not be provided");
    auto spec = std::make_shared<kube::PodSpec>(*placeholder.spec);
    spec->priority = 0;
    placeholder.spec = std::move(spec);
    return {};
  };
  EXPECT_EQ(placeholder_of(room(pod("p").priority(7)), of_admission)->spec->priority, 7);
  EXPECT_EQ(placeholder_of(room(pod("p")), of_admission)->spec->priority, 0);
  EXPECT_FALSE(placeholder_of(room(pod("p").priority(7).priority_class("high")), of_admission));
}

TEST(Placeholder, IsRestrictedToTheNodesThatAreNamed) {
  kube::Reservation anywhere = room(pod("p"));
  anywhere.nodes = {"a", "b"};
  const kube::NodeSelector alone = *placeholder_of(anywhere, as_it_is)->spec->affinity->node->required;
  ASSERT_THAT(alone.terms, SizeIs(2));
  EXPECT_THAT(alone.terms[0].match_fields[0].values, ElementsAre("a"));
  EXPECT_THAT(alone.terms[1].match_fields[0].values, ElementsAre("b"));

  kube::Reservation choosy = room(pod("p").requires_nodes(label_in("gpu", {"a100"})).requires_nodes({}));
  choosy.nodes = {"a"};
  const kube::NodeSelector both = *placeholder_of(choosy, as_it_is)->spec->affinity->node->required;
  ASSERT_THAT(both.terms, SizeIs(1)) << "a term that takes no node goes on to take none";
  EXPECT_THAT(both.terms[0].match_expressions, SizeIs(1));
  EXPECT_THAT(both.terms[0].match_fields, SizeIs(1));
}

TEST(ReservationTerm, IsFromTheFirstInstantToTheLast) {
  kube::Reservation reservation;
  const Instant noon{Duration::seconds(43'200).nanoseconds};
  const Duration second = Duration::seconds(1);
  EXPECT_EQ(term_of(reservation, noon), ReservationTerm::kNow);
  reservation.from = noon;
  EXPECT_EQ(term_of(reservation, noon), ReservationTerm::kNow);
  EXPECT_EQ(term_of(reservation, Instant{}), ReservationTerm::kAhead);
  reservation.until = noon + second;
  EXPECT_EQ(term_of(reservation, noon), ReservationTerm::kNow);
  EXPECT_EQ(term_of(reservation, noon + second), ReservationTerm::kOver);
}

TEST(ReservationRule, IsTheTemplatesLabelsUnlessItSaysOtherwise) {
  SymbolTable symbols;
  const auto empty_of = [&](const kube::Reservation& reservation) {
    const cluster::ReservationRule rule = as_modelled(reservation, symbols).rule;
    return std::pair(rule.is_closed, rule.selector.empty());
  };
  EXPECT_EQ(empty_of(room(pod("p").label("app", "train"))), std::pair(false, false));
  EXPECT_EQ(empty_of(room(pod("p"))), std::pair(true, true)) << "no pod is told by no labels";
  kube::Reservation owned = room(pod("p").label("app", "train"));
  owned.owner = kube::ReservationOwner{"Job", "train"};
  EXPECT_EQ(empty_of(owned), std::pair(false, true)) << "the owner's pods, whatever their labels";
  owned.selector = selecting("app", "train");
  EXPECT_EQ(empty_of(owned), std::pair(false, false));
  EXPECT_EQ(as_modelled(owned, symbols).rule.owner_name, "train");
  EXPECT_EQ(as_modelled(owned, symbols).rule.name_space, symbols.find("ml"));
}

TEST(Reservations, OfAllSpellingsAreOneList) {
  kube::Objects objects;
  objects.of<kube::KoordinatorReservation>().emplace_back().metadata.name = "theirs";
  objects.of<kube::Reservation>().push_back(room(pod("p")));
  const std::vector<kube::Reservation> all = all_reservations(objects);
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[0].metadata.name, "room");
  EXPECT_EQ(all[1].metadata.name, "theirs");
}

}  // namespace
}  // namespace loadline::workloads
