#include "server/net/certificate.h"

#include <gtest/gtest.h>

#include <string>

namespace loadline::net {
namespace {

constexpr Instant kNow{1'790'000'000'000'000'000};
const Validity kAYear{kNow + Duration::seconds(-3600), kNow + Duration::seconds(365L * 24 * 3600)};

TEST(Certificate, AClientsNamesItsUserAndGroups) {
  const KeyPair authority = *make_authority("kubernetes", kAYear);
  const CertificateSubject subject{"jané, o=x/y", {"system:masters", "dev\"ops"}};
  const auto client = make_client_certificate(authority, subject, kAYear);
  ASSERT_TRUE(client) << client.error().message;
  EXPECT_EQ(*read_subject(client->certificate_pem), subject);
  EXPECT_TRUE(verify_certificate(client->certificate_pem, authority.certificate_pem, kNow));
}

TEST(Certificate, IsGoodForItsAuthorityAndItsTimeOnly) {
  const KeyPair authority = *make_authority("kubernetes", kAYear);
  const KeyPair stranger = *make_authority("kubernetes", kAYear);
  const KeyPair server =
      *make_server_certificate(authority, "kube-apiserver", {"127.0.0.1", "::1", "localhost"}, kAYear);
  const std::string& pem = server.certificate_pem;
  EXPECT_TRUE(verify_certificate(pem, authority.certificate_pem, kNow));
  EXPECT_FALSE(verify_certificate(pem, stranger.certificate_pem, kNow)) << "a namesake";
  EXPECT_EQ(verify_certificate(pem, authority.certificate_pem, kAYear.until + Duration::seconds(2)).error().message,
            "certificate has expired");
  EXPECT_FALSE(verify_certificate(pem, authority.certificate_pem, kAYear.from + Duration::seconds(-2)));
  EXPECT_EQ(read_validity(pem)->until, kAYear.until);
  EXPECT_EQ(read_validity(pem)->from, kAYear.from);
}

TEST(Certificate, OfANonAuthoritySignsNothing) {
  const KeyPair authority = *make_authority("kubernetes", kAYear);
  const KeyPair client = *make_client_certificate(authority, {"jane", {}}, kAYear);
  const auto forged = make_client_certificate(client, {"admin", {"system:masters"}}, kAYear);
  ASSERT_TRUE(forged);
  EXPECT_FALSE(verify_certificate(forged->certificate_pem, client.certificate_pem, kNow));
  EXPECT_FALSE(verify_certificate(forged->certificate_pem, authority.certificate_pem, kNow));
}

TEST(Certificate, NamesCannotSmuggleOthersIn) {
  const KeyPair authority = *make_authority("kubernetes", kAYear);
  EXPECT_FALSE(make_server_certificate(authority, "x", {"localhost,DNS:bank.example"}, kAYear));
  EXPECT_FALSE(make_server_certificate(authority, "x", {""}, kAYear));
}

TEST(Certificate, WhatIsNoneIsSaidToBeNone) {
  const KeyPair authority = *make_authority("kubernetes", kAYear);
  for (const char* text : {"", "hello", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"}) {
    EXPECT_FALSE(read_subject(text));
    EXPECT_FALSE(read_validity(text));
    EXPECT_FALSE(verify_certificate(text, authority.certificate_pem, kNow));
    EXPECT_FALSE(make_client_certificate({text, authority.key_pem}, {"x", {}}, kAYear));
  }
  const KeyPair other = *make_authority("kubernetes", kAYear);
  EXPECT_FALSE(make_client_certificate({authority.certificate_pem, other.key_pem}, {"x", {}}, kAYear));
}

}  // namespace
}  // namespace loadline::net
