// What must hold of groups whatever happens: random histories in which works come, run, end, grow, shrink, lose nodes
// and have bindings refused. LOADLINE_GROUP_SEEDS runs more of them, LOADLINE_GROUP_FIRST_SEED other ones.
#include "brain/engine/testing/group_history.h"

namespace loadline::engine {
namespace {

using testing::GroupHistory;

TEST_P(GroupHistory, NobodyHoldsRoomInVainAndWhoeverFitsStartsInTheEnd) {
  knows_ends_ = chance(70);
  if (chance(30)) switches_.placement = gang::GroupPlacement::kInOrder;
  if (chance(30)) switches_.victims = gang::GroupVictims::kByDisruptionMode;
  if (chance(50)) switches_.backfill = chance(50) ? gang::Backfill::kSkipAhead : gang::Backfill::kConservative;
  dispatcher().set_switches(switches_);
  for (int i = number(2, 6); i > 0; --i) add_random_node();
  for (int i = 0; i < 60 && !HasFailure(); ++i) {
    switch (rng_.below(16)) {
      case 0:
        add_random_node();
        break;
      case 1:
        lose_node();
        break;
      case 2:
        grow();
        break;
      case 3:
        shrink();
        break;
      case 4:
        delete_any();
        break;
      case 5:
        refuse_binding();
        break;
      case 6:
      case 7:
      case 8:
      case 9:
        pass_time();
        break;
      default:
        arrive();
    }
    work_off_queue();
  }
  let_all_end();
}

const int kFirstGroupSeed = cluster::testing::number_of("LOADLINE_GROUP_FIRST_SEED", 0);

// A plan for surplus members that was used by a group that had lost its minimum since; a planned start whose time came
// unnoticed, so that others waited for it for ever.
INSTANTIATE_TEST_SUITE_P(SeedsThatFoundFaults, GroupHistory, ::testing::Values(2205, 4426));

INSTANTIATE_TEST_SUITE_P(Seeds, GroupHistory,
                         ::testing::Range(kFirstGroupSeed,
                                          kFirstGroupSeed + cluster::testing::number_of("LOADLINE_GROUP_SEEDS", 60)));

}  // namespace
}  // namespace loadline::engine
