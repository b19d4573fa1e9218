#include "server/net/ssh_key.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foundation/base/base64.h"

namespace loadline::net {
namespace {

using ::testing::StartsWith;

TEST(SshKey, IsWrittenAsSshReadsIt) {
  const SshKey key = make_ssh_key().value();
  EXPECT_THAT(key.private_pem, StartsWith("-----BEGIN EC PRIVATE KEY-----\n"));
  const std::string kind = "ecdsa-sha2-nistp521 ";
  ASSERT_THAT(key.authorized_key, StartsWith(kind));
  const std::string blob = decode_base64(key.authorized_key.substr(kind.size())).value();
  EXPECT_EQ(blob.size(), 4 + 19 + 4 + 8 + 4 + 133U);
  EXPECT_EQ(blob.at(4 + 19 + 4 + 8 + 4), 4) << "the point is not compressed";
}

TEST(SshKey, IsAnotherEachTime) { EXPECT_NE(make_ssh_key()->private_pem, make_ssh_key()->private_pem); }

}  // namespace
}  // namespace loadline::net
