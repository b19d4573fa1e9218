#include "foundation/base/ip_address.h"

#include <gtest/gtest.h>

#include <string>

namespace loadline {
namespace {

TEST(IpAddress, OfFourPartsIsIpv4) {
  const auto address = parse_ip("10.9.8.255", LeadingZeros::kRefused);
  ASSERT_TRUE(address);
  EXPECT_TRUE(address->is_v4);
  EXPECT_EQ(address->bytes[0], 10);
  EXPECT_EQ(address->bytes[3], 255);
}

TEST(IpAddress, WithColonsIsIpv6) {
  for (const char* text : {"::", "2001:db8::ffff", "1:2:3:4:5:6:7:8", "::ffff:10.0.0.1"}) {
    const auto address = parse_ip(text, LeadingZeros::kRefused);
    ASSERT_TRUE(address) << text;
    EXPECT_FALSE(address->is_v4) << text;
  }
  EXPECT_TRUE(parse_ip("::ffff:10.0.0.1", LeadingZeros::kRefused)->is_mapped());
  EXPECT_FALSE(parse_ip("::1", LeadingZeros::kRefused)->is_mapped());
}

TEST(IpAddress, MayHaveLeadingZerosOnlyWhereTheyAreTaken) {
  for (const char* text : {"010.0.0.1", "10.00.000.1", "::ffff:010.0.0.1"}) {
    EXPECT_FALSE(parse_ip(text, LeadingZeros::kRefused)) << text;
    EXPECT_TRUE(parse_ip(text, LeadingZeros::kTaken)) << text;
  }
  EXPECT_EQ(parse_ip("010.0.0.1", LeadingZeros::kTaken)->bytes[0], 10);
}

TEST(IpAddress, OtherTextsAreNone) {
  for (const char* text : {"", "10.0.0", "10.0.0.256", ".10.0.0.1", "10..0.1", "10.0.0.1.", "1.2.3.4::", "1::2::3",
                           "1:2:3:4:5:6:7", "fe80::1%eth0", " 10.0.0.1", "10.0.0.1 ", "x"}) {
    EXPECT_FALSE(parse_ip(text, LeadingZeros::kRefused)) << text;
    EXPECT_FALSE(parse_ip(text, LeadingZeros::kTaken)) << text;
  }
  EXPECT_FALSE(parse_ip(std::string("10.0.0.1\0", 9), LeadingZeros::kTaken));
}

TEST(Cidr, IsAnAddressAndTheLengthOfItsPrefix) {
  EXPECT_EQ(parse_cidr("10.0.0.0/08")->length, 8);
  EXPECT_EQ(parse_cidr("2001:db8::/128")->length, 128);
  EXPECT_EQ(parse_cidr("10.0.0.1/0")->length, 0);
  for (const char* text : {"10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0.0/-1", "10.0.0.0/+1", "/8",
                           "10.0.0.0/8/8", "10.0.0.0/8 "}) {
    EXPECT_FALSE(parse_cidr(text)) << text;
  }
}

}  // namespace
}  // namespace loadline
