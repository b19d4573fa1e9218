#pragma once

#include "objects/schema/duration.h"
#include "objects/schema/field_error.h"
#include "objects/schema/names.h"
#include "objects/schema/quantity.h"
#include "objects/schema/quoted.h"

/// What every kind is made of and checked with, by the name of this room, too.
namespace loadline::kube {

using schema::config_map_key_problems;
using schema::dns_1035_label_problems;
using schema::dns_label_problems;
using schema::dns_subdomain_problems;
using schema::FieldError;
using schema::FieldErrors;
using schema::is_qualified_name;
using schema::kMaxSubdomain;
using schema::label_value_problems;
using schema::lower_case;
using schema::NameProblems;
using schema::NameRule;
using schema::parse_duration;
using schema::percent_problems;
using schema::port_name_problems;
using schema::port_number_problems;
using schema::qualified_name_problems;
using schema::Quantity;
using schema::quoted;
using schema::range_problem;

}  // namespace loadline::kube
