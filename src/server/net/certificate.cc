#include "server/net/certificate.h"

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <array>
#include <ctime>
#include <memory>
#include <optional>

#include "server/net/openssl_pointers.h"

namespace loadline::net {
namespace {

using NamePointer = std::unique_ptr<X509_NAME, Freed<X509_NAME, X509_NAME_free>>;
using StorePointer = std::unique_ptr<X509_STORE, Freed<X509_STORE, X509_STORE_free>>;
using StoreContextPointer = std::unique_ptr<X509_STORE_CTX, Freed<X509_STORE_CTX, X509_STORE_CTX_free>>;
using ExtensionPointer = std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION, X509_EXTENSION_free>>;
using NumberPointer = std::unique_ptr<BIGNUM, Freed<BIGNUM, BN_free>>;

tl::unexpected<Error> openssl_failure(const std::string& what) {
  std::array<char, 256> text{};
  ERR_error_string_n(ERR_get_error(), text.data(), text.size());
  ERR_clear_error();
  return failure(what + ": " + text.data());
}

std::string text_of(BIO* memory) {
  char* data = nullptr;
  const long length = BIO_get_mem_data(memory, &data);
  return {data, static_cast<std::size_t>(length)};
}

CertificatePointer read_certificate(std::string_view pem) {
  const BioPointer memory = memory_of(pem);
  return CertificatePointer(PEM_read_bio_X509(memory.get(), nullptr, nullptr, nullptr));
}

KeyPointer read_key(std::string_view pem) {
  const BioPointer memory = memory_of(pem);
  return KeyPointer(PEM_read_bio_PrivateKey(memory.get(), nullptr, nullptr, nullptr));
}

/// What of a certificate differs from kind to kind.
struct Contents {
  CertificateSubject subject;
  Validity validity;
  const char* basic_constraints;
  const char* key_usage;
  const char* extended_key_usage;       // null: none
  std::vector<std::string> names = {};  // a server's
};

bool add_entry(X509_NAME* name, const char* field, const std::string& value) {
  return X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(value.data()),
                                    static_cast<int>(value.size()), -1, 0) == 1;
}

bool set_subject(X509* certificate, const CertificateSubject& subject) {
  // A name of its own: since OpenSSL 4 the certificate's can only be read in place.
  const NamePointer name(X509_NAME_new());
  if (name == nullptr) return false;
  for (const std::string& organization : subject.organizations) {
    if (!add_entry(name.get(), "O", organization)) return false;
  }
  return add_entry(name.get(), "CN", subject.common_name) && X509_set_subject_name(certificate, name.get()) == 1;
}

bool set_random_serial(X509* certificate) {
  const NumberPointer number(BN_new());
  // 127 bits: as unlikely to meet twice as may be, and positive in any encoding.
  return number != nullptr && BN_rand(number.get(), 127, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1 &&
         BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool set_validity(X509* certificate, const Validity& validity) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  return ASN1_TIME_set(X509_getm_notBefore(certificate),
                       static_cast<std::time_t>(validity.from.nanoseconds / kSecond)) != nullptr &&
         ASN1_TIME_set(X509_getm_notAfter(certificate),
                       static_cast<std::time_t>(validity.until.nanoseconds / kSecond)) != nullptr;
}

bool add_extension(X509* certificate, X509* issuer, int kind, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const ExtensionPointer extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value));
  return extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool is_address(const std::string& name) {
  ASN1_OCTET_STRING* address = a2i_IPADDRESS(name.c_str());
  ERR_clear_error();
  if (address == nullptr) return false;
  ASN1_OCTET_STRING_free(address);
  return true;
}

/// "IP:127.0.0.1,DNS:localhost", or nothing if a name would mean something else there.
std::optional<std::string> alternative_names(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    if (name.empty() || name.find_first_of(", \t\r\n") != std::string::npos) return std::nullopt;
    if (!text.empty()) text += ',';
    text += (is_address(name) ? "IP:" : "DNS:") + name;
  }
  return text;
}

bool add_extensions(X509* certificate, X509* issuer, const Contents& contents, const std::string& names) {
  return add_extension(certificate, issuer, NID_basic_constraints, contents.basic_constraints) &&
         add_extension(certificate, issuer, NID_key_usage, contents.key_usage) &&
         (contents.extended_key_usage == nullptr ||
          add_extension(certificate, issuer, NID_ext_key_usage, contents.extended_key_usage)) &&
         add_extension(certificate, issuer, NID_subject_key_identifier, "hash") &&
         add_extension(certificate, issuer, NID_authority_key_identifier, "keyid:always") &&
         (names.empty() || add_extension(certificate, issuer, NID_subject_alt_name, names.c_str()));
}

/// Null `issuer`: signs itself.
Result<KeyPair> make_certificate(const Contents& contents, X509* issuer, EVP_PKEY* issuer_key) {
  const std::optional<std::string> names = alternative_names(contents.names);
  if (!names) return failure("a name of a certificate is empty or has a comma or a blank in it");
  const KeyPointer key(EVP_EC_gen("P-256"));
  const CertificatePointer certificate(X509_new());
  if (key == nullptr || certificate == nullptr) return openssl_failure("cannot make a key");
  X509* signer = issuer != nullptr ? issuer : certificate.get();
  const bool made = X509_set_version(certificate.get(), X509_VERSION_3) == 1 && set_random_serial(certificate.get()) &&
                    set_validity(certificate.get(), contents.validity) &&
                    set_subject(certificate.get(), contents.subject) &&
                    X509_set_issuer_name(certificate.get(), X509_get_subject_name(signer)) == 1 &&
                    X509_set_pubkey(certificate.get(), key.get()) == 1 &&
                    add_extensions(certificate.get(), signer, contents, *names) &&
                    X509_sign(certificate.get(), issuer != nullptr ? issuer_key : key.get(), EVP_sha256()) > 0;
  if (!made) return openssl_failure("cannot make a certificate for '" + contents.subject.common_name + "'");
  const BioPointer certificate_text(BIO_new(BIO_s_mem()));
  const BioPointer key_text(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_X509(certificate_text.get(), certificate.get()) != 1 ||
      PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return openssl_failure("cannot write a certificate");
  }
  return KeyPair{text_of(certificate_text.get()), text_of(key_text.get())};
}

Result<KeyPair> make_signed_certificate(const Contents& contents, const KeyPair& authority) {
  const CertificatePointer issuer = read_certificate(authority.certificate_pem);
  const KeyPointer key = read_key(authority.key_pem);
  if (issuer == nullptr || key == nullptr) return openssl_failure("cannot read the certificate authority");
  if (X509_check_private_key(issuer.get(), key.get()) != 1) {
    return openssl_failure("the certificate authority's key is not that of its certificate");
  }
  return make_certificate(contents, issuer.get(), key.get());
}

std::string utf8_of(const ASN1_STRING* text) {
  unsigned char* bytes = nullptr;
  const int length = ASN1_STRING_to_UTF8(&bytes, text);
  if (length < 0) return {};
  std::string utf8(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length));
  OPENSSL_free(bytes);
  return utf8;
}

Instant instant_of(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return {};
  return {static_cast<std::int64_t>(timegm(&parts)) * 1'000'000'000};
}

}  // namespace

Result<KeyPair> make_authority(const std::string& common_name, const Validity& validity) {
  return make_certificate({{common_name, {}},
                           validity,
                           "critical,CA:TRUE",
                           "critical,digitalSignature,keyEncipherment,keyCertSign",
                           nullptr},
                          nullptr, nullptr);
}

Result<KeyPair> make_server_certificate(const KeyPair& authority, const std::string& common_name,
                                        const std::vector<std::string>& names, const Validity& validity) {
  return make_signed_certificate({{common_name, {}},
                                  validity,
                                  "critical,CA:FALSE",
                                  "critical,digitalSignature,keyEncipherment",
                                  "serverAuth",
                                  names},
                                 authority);
}

Result<KeyPair> make_client_certificate(const KeyPair& authority, const CertificateSubject& subject,
                                        const Validity& validity) {
  return make_signed_certificate(
      {subject, validity, "critical,CA:FALSE", "critical,digitalSignature,keyEncipherment", "clientAuth"}, authority);
}

Result<CertificateSubject> read_subject(std::string_view certificate_pem) {
  const CertificatePointer certificate = read_certificate(certificate_pem);
  if (certificate == nullptr) return openssl_failure("cannot read a certificate");
  const X509_NAME* name = X509_get_subject_name(certificate.get());
  CertificateSubject subject;
  for (int i = 0; i < X509_NAME_entry_count(name); ++i) {
    const X509_NAME_ENTRY* entry = X509_NAME_get_entry(name, i);
    const int field = OBJ_obj2nid(X509_NAME_ENTRY_get_object(entry));
    if (field == NID_commonName) subject.common_name = utf8_of(X509_NAME_ENTRY_get_data(entry));
    if (field == NID_organizationName) subject.organizations.push_back(utf8_of(X509_NAME_ENTRY_get_data(entry)));
  }
  return subject;
}

Result<Validity> read_validity(std::string_view certificate_pem) {
  const CertificatePointer certificate = read_certificate(certificate_pem);
  if (certificate == nullptr) return openssl_failure("cannot read a certificate");
  return Validity{instant_of(X509_get0_notBefore(certificate.get())),
                  instant_of(X509_get0_notAfter(certificate.get()))};
}

Result<void> verify_certificate(std::string_view certificate_pem, std::string_view authority_pem, Instant now) {
  const CertificatePointer certificate = read_certificate(certificate_pem);
  const CertificatePointer authority = read_certificate(authority_pem);
  if (certificate == nullptr || authority == nullptr) return openssl_failure("cannot read a certificate");
  const StorePointer store(X509_STORE_new());
  const StoreContextPointer context(X509_STORE_CTX_new());
  if (store == nullptr || context == nullptr || X509_STORE_add_cert(store.get(), authority.get()) != 1 ||
      X509_STORE_CTX_init(context.get(), store.get(), certificate.get(), nullptr) != 1) {
    return openssl_failure("cannot verify a certificate");
  }
  X509_STORE_CTX_set_time(context.get(), 0, static_cast<std::time_t>(now.nanoseconds / 1'000'000'000));
  if (X509_verify_cert(context.get()) == 1) return {};
  ERR_clear_error();
  return failure(X509_verify_cert_error_string(X509_STORE_CTX_get_error(context.get())));
}

}  // namespace loadline::net
