#include "brain/admission/service_account.h"

#include <gtest/gtest.h>

#include "objects/kube/core/service_account.h"

namespace loadline::admission {
namespace {

kube::ServiceAccount account(std::string name, std::string uid = "") {
  kube::ServiceAccount result;
  result.metadata.namespace_ = "team";
  result.metadata.name = std::move(name);
  result.metadata.uid = std::move(uid);
  return result;
}

kube::PodSpec running_as(std::string name) {
  kube::PodSpec spec;
  spec.service_account_name = std::move(name);
  return spec;
}

TEST(ServiceAccounts, AreMissedWhereADumpShowsThoseOfTheNamespace) {
  kube::Objects objects;
  objects.of<kube::ServiceAccount>() = {account("default", "u1"), account("robot")};
  const ServiceAccounts accounts(objects);
  EXPECT_FALSE(accounts.judge("team", running_as("")));
  EXPECT_FALSE(accounts.judge("team", running_as("robot")));
  const auto rejection = accounts.judge("team", running_as("missing"));
  ASSERT_TRUE(rejection);
  EXPECT_EQ(reject(*rejection, "pods", "a").message,
            "pods \"a\" is forbidden: error looking up service account team/missing: serviceaccount \"missing\" not "
            "found");
  EXPECT_FALSE(accounts.judge("other", running_as("missing"))) << "of that namespace nothing is known";
}

TEST(ServiceAccounts, OfAFolderAreNotAllThereAre) {
  kube::Objects objects;
  objects.of<kube::ServiceAccount>() = {account("default"), account("robot")};
  EXPECT_FALSE(ServiceAccounts(objects).judge("team", running_as("missing")));
  objects.is_whole_cluster = true;
  EXPECT_TRUE(ServiceAccounts(objects).judge("team", running_as("missing")));
  EXPECT_FALSE(ServiceAccounts(objects).judge("new", running_as("default"))) << "a controller makes it";
}

}  // namespace
}  // namespace loadline::admission
