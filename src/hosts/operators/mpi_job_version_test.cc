#include "hosts/operators/mpi_job_version.h"

#include <gtest/gtest.h>

#include "foundation/document/reader.h"

namespace loadline::operators {
namespace {

bool is_taken(std::string_view yaml) { return is_of_mpi_operator(document::read_yaml(yaml, "test").documents.front()); }

TEST(MpiJobVersion, IsThatOfItsWriters) {
  EXPECT_FALSE(is_taken(R"({apiVersion: kubeflow.org/v2beta1, kind: MPIJob, metadata: {managedFields: [
    {manager: kubectl, apiVersion: kubeflow.org/v1, operation: Update}]}})"));
  EXPECT_TRUE(is_taken(R"({apiVersion: kubeflow.org/v1, kind: MPIJob, metadata: {managedFields: [
    {manager: kubectl-edit, apiVersion: kubeflow.org/v1, operation: Update},
    {manager: kubectl, apiVersion: kubeflow.org/v2beta1, operation: Apply}]}})"));
}

TEST(MpiJobVersion, WhoWritesAStatusDoesNotMatter) {
  EXPECT_FALSE(is_taken(R"({apiVersion: kubeflow.org/v2beta1, kind: MPIJob, metadata: {managedFields: [
    {manager: kubectl, apiVersion: kubeflow.org/v1, operation: Update},
    {manager: operator, apiVersion: kubeflow.org/v2beta1, operation: Update, subresource: status}]}})"));
}

TEST(MpiJobVersion, WithoutWritersItIsTheDocuments) {
  EXPECT_TRUE(is_taken("{apiVersion: kubeflow.org/v2beta1, kind: MPIJob}"));
  EXPECT_FALSE(is_taken("{apiVersion: kubeflow.org/v1, kind: MPIJob}"));
}

}  // namespace
}  // namespace loadline::operators
