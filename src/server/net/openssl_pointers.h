#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <memory>
#include <string_view>

namespace loadline::net {

/// Gives an object of OpenSSL's back to it.
template <class T, void (*free_it)(T*)>
struct Freed {
  void operator()(T* object) const { free_it(object); }
};

using BioPointer = std::unique_ptr<BIO, Freed<BIO, BIO_free_all>>;
using CertificatePointer = std::unique_ptr<X509, Freed<X509, X509_free>>;
using KeyPointer = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY, EVP_PKEY_free>>;

/// Lets OpenSSL read the text, which must outlive what is returned.
inline BioPointer memory_of(std::string_view text) {
  return BioPointer(BIO_new_mem_buf(text.data(), static_cast<int>(std::min<std::size_t>(text.size(), INT_MAX))));
}

}  // namespace loadline::net
