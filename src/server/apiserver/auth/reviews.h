#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/time.h"
#include "foundation/document/value.h"
#include "server/apiserver/auth/authenticator.h"
#include "server/apiserver/auth/rbac.h"
#include "server/apiserver/auth/service_account_tokens.h"
#include "server/apiserver/status.h"

namespace loadline::apiserver {

/// The kinds that are questions: a document comes in, and the same document goes out with an answer in `status`, or
/// nothing is asked and a StatusError says why. Nothing is stored. Documents are of the served types already (fields
/// known, right types); managedFields that the caller has put in are kept. Source:
/// k8s.io/kubernetes/pkg/registry/{authorization,authentication} and pkg/registry/core/serviceaccount, v1.36.

/// Answers a SelfSubjectAccessReview: whether the user of the request may do something.
[[nodiscard]] Answer<document::Value> review_self_subject_access(const Rbac& rbac, const User& user,
                                                                 const document::Value& review);
/// Answers a SubjectAccessReview: whether the user that the review names may do something.
[[nodiscard]] Answer<document::Value> review_subject_access(const Rbac& rbac, const document::Value& review);
/// Answers a LocalSubjectAccessReview: the same in the namespace of the path.
[[nodiscard]] Answer<document::Value> review_local_subject_access(const Rbac& rbac, std::string_view name_space,
                                                                  const document::Value& review);
/// Answers a SelfSubjectRulesReview: what the user of the request may do in a namespace.
[[nodiscard]] Answer<document::Value> review_self_subject_rules(const Rbac& rbac, const User& user,
                                                                const document::Value& review);
/// Answers a SelfSubjectReview: the user of the request.
[[nodiscard]] document::Value review_self_subject(const User& user, const document::Value& review, Instant now);
/// Answers a TokenReview: the user that a token stands for.
[[nodiscard]] Answer<document::Value> review_token(const Authenticator& authenticator, const document::Value& review,
                                                   Instant now);

/// A token for the service account of the path (serviceaccounts/<name>/token).
[[nodiscard]] Answer<document::Value> request_token(const ServiceAccountTokens& tokens, const FindObject& find,
                                                    std::string_view name_space, std::string_view name,
                                                    const document::Value& request, Instant now);

}  // namespace loadline::apiserver
