#include "seeds/printed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

namespace loadline::seeds {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> found_in(std::string_view text) {
  std::vector<std::string> found;
  for (const Printed& printed : find_printed(text)) {
    const char* kind = printed.kind == Printed::Kind::kBlock ? "block" : "command";
    found.push_back(std::to_string(printed.line) + " " + kind + ": " + printed.text);
  }
  return found;
}

TEST(Printed, ABlockEndsWhereProseFencesOrHeadingsBegin) {
  EXPECT_THAT(found_in("A text.\n"
                       "apiVersion: v1\n"
                       "kind: Pod\n"
                       "# the name\n"
                       "metadata:\n"
                       "  name: a\n"
                       "\n"
                       "spec: {}\n"
                       "\n"
                       "More about Pods: these are small.\n"
                       "```yaml\n"
                       "tolerations:\n"
                       "- key: gpu\n"
                       "```\n"
                       "# A heading\n"),
              ElementsAre("2 block: apiVersion: v1\nkind: Pod\n# the name\nmetadata:\n  name: a\n\nspec: {}\n",
                          "12 block: tolerations:\n- key: gpu\n"));
}

TEST(Printed, DocumentsOfOneBlockStayTogether) {
  const std::vector<Printed> found =
      find_printed("apiVersion: v1\nkind: Pod\n---\n# Tier 2\nspec:\n  a: 1\n---\n\nProse.\n");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(documents_of(found.front().text),
              ElementsAre("apiVersion: v1\nkind: Pod\n", "# Tier 2\nspec:\n  a: 1\n"));
  EXPECT_EQ(title_of(documents_of(found.front().text)[1]), "spec");
}

TEST(Printed, CommandsAreFoundInListsBehindPromptsAndOverSeveralLines) {
  EXPECT_THAT(found_in("1. Look:\n"
                       "   kubectl get pods -o wide\n"
                       "$ ./run.sh\n"
                       "eksctl create nodegroup \\\n"
                       "  --name a \\\n"
                       "  --managed\n"
                       "kubectl taint nodes a b=c:NoSchedule-   \n"),
              ElementsAre("2 command: kubectl get pods -o wide", "3 command: ./run.sh",
                          "4 command: eksctl create nodegroup --name a --managed",
                          "7 command: kubectl taint nodes a b=c:NoSchedule-"));
}

TEST(Printed, ProseAboutProgramsIsNoCommand) {
  EXPECT_THAT(found_in("kubectl\nHelm installs it.\nkind: no\nKueue supports two strategies.\n"
                       "kubectl Reference\nreclaimWithinCohort: NeverDo not preempt\n"),
              ElementsAre("3 block: kind: no\n"));
}

TEST(Printed, CommandsWithinABlockArePartOfIt) {
  EXPECT_THAT(found_in("spec:\n  containers:\n  - command:\n    - kubectl get pods\n"),
              ElementsAre("1 block: spec:\n  containers:\n  - command:\n    - kubectl get pods\n"));
  EXPECT_THAT(found_in(""), IsEmpty());
}

}  // namespace
}  // namespace loadline::seeds
