#pragma once

#include "server/apiserver/kinds/checked_field.h"

namespace loadline::apiserver {

/// Names of dynamic resource allocation: a driver's ("gpu.example.com"), and a pool's ("node-1/gpus").
void check_driver_name(const CheckedField& driver);
void check_pool_name(const CheckedField& pool);

/// Selectors of devices; their expressions are not compiled.
void check_device_selectors(const CheckedField& selectors);
/// The configuration that is handed to a driver.
void check_device_configuration(const CheckedField& configuration);

/// What devices a claim asks for. Source: validateDeviceClaim in pkg/apis/resource/validation, v1.36.
void check_device_claim(const CheckedField& devices);

/// Is that the name of a request of the claim, or of a request and one of its alternatives?
bool names_request(const CheckedField& devices, std::string_view name);

}  // namespace loadline::apiserver
