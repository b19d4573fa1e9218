#pragma once

#include "foundation/base/rng.h"

namespace loadline::trace {

// Functions of floating point that give the same bits on every machine: they are made of additions, multiplications,
// divisions and square roots, which IEEE 754 rounds exactly, where the C library's may differ in the last bit.

/// Uniform in the open interval (0, 1), with 53 bits.
double uniform(Rng& rng);

/// The natural logarithm, to within a few units in the last place. REQUIRES: a positive normal number.
double natural_log(double x);

/// e to the power x, likewise. REQUIRES: -700 <= x <= 700.
double exponential(double x);

/// The number below which a standard normal variable lies with probability `p`, to about 1e-15 of it.
/// REQUIRES: 0 < p < 1. Source: Wichura, "Algorithm AS 241: The Percentage Points of the Normal Distribution", Applied
/// Statistics 37(3), 1988, PPND16.
double inverse_normal(double p);

}  // namespace loadline::trace
