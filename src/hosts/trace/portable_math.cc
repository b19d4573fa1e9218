#include "hosts/trace/portable_math.h"

#include <array>
#include <cmath>
#include <cstddef>

#include "foundation/base/contract.h"

namespace loadline::trace {
namespace {

constexpr double kLn2High =
    6.93147180369123816490e-01;                         // exact in 33 bits, so that its multiples by small integers are
constexpr double kLn2Low = 1.90821492927058770002e-10;  // the rest of ln 2
constexpr double kSqrtHalf = 0.70710678118654752440;
constexpr int kLogTerms = 12;
constexpr int kExponentialTerms = 16;

/// coefficients[0] + x * (coefficients[1] + …).
template <std::size_t kCount>
double polynomial(const std::array<double, kCount>& coefficients, double x) {
  double sum = 0;
  for (std::size_t i = kCount; i-- > 0;) sum = sum * x + coefficients[i];
  return sum;
}

constexpr std::array kCentralNumerator = {3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                                          1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                          3.3430575583588128105e+4, 2.5090809287301226727e+3};
constexpr std::array kCentralDenominator = {1.0,
                                            4.2313330701600911252e+1,
                                            6.8718700749205790830e+2,
                                            5.3941960214247511077e+3,
                                            2.1213794301586595867e+4,
                                            3.9307895800092710610e+4,
                                            2.8729085735721942674e+4,
                                            5.2264952788528545610e+3};
constexpr std::array kMiddleNumerator = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                                         3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                                         2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr std::array kMiddleDenominator = {1.0,
                                           2.05319162663775882187e0,
                                           1.67638483018380384940e0,
                                           6.89767334985100004550e-1,
                                           1.48103976427480074590e-1,
                                           1.51986665636164571966e-2,
                                           5.47593808499534494600e-4,
                                           1.05075007164441684324e-9};
constexpr std::array kTailNumerator = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                                       2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                       2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr std::array kTailDenominator = {1.0,
                                         5.99832206555887937690e-1,
                                         1.36929880922735805310e-1,
                                         1.48753612908506148525e-2,
                                         7.86869131145613259100e-4,
                                         1.84631831751005468180e-5,
                                         1.42151175831644588870e-7,
                                         2.04426310338993978564e-15};

}  // namespace

double uniform(Rng& rng) { return (static_cast<double>(rng.next() >> 11U) + 0.5) * 0x1p-53; }

/// ln(m * 2^e) = e ln 2 + 2 artanh((m - 1) / (m + 1)), by the series of artanh; m is near 1.
double natural_log(double x) {
  REQUIRES(x > 0);
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);  // exact
  if (mantissa < kSqrtHalf) {
    mantissa *= 2;
    --exponent;
  }
  const double ratio = (mantissa - 1) / (mantissa + 1);
  const double square = ratio * ratio;
  double sum = 0;
  for (int i = kLogTerms; i >= 0; --i) sum = sum * square + 1.0 / (2 * i + 1);
  return exponent * kLn2High + (2 * ratio * sum + exponent * kLn2Low);
}

/// e^x = 2^k e^r, with |r| at most half of ln 2, by the series of e^r.
double exponential(double x) {
  REQUIRES(-700 <= x && x <= 700);
  const double k = std::floor(x / (kLn2High + kLn2Low) + 0.5);  // exact, but for the quotient
  const double rest = (x - k * kLn2High) - k * kLn2Low;
  double sum = 1;
  for (int i = kExponentialTerms; i >= 1; --i) sum = 1 + rest / i * sum;
  return std::ldexp(sum, static_cast<int>(k));  // exact
}

double inverse_normal(double p) {
  REQUIRES(0 < p && p < 1);
  const double q = p - 0.5;
  if (std::fabs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(kCentralNumerator, r) / polynomial(kCentralDenominator, r);
  }
  const double r = std::sqrt(-natural_log(q < 0 ? p : 1 - p));
  const double size = r <= 5 ? polynomial(kMiddleNumerator, r - 1.6) / polynomial(kMiddleDenominator, r - 1.6)
                             : polynomial(kTailNumerator, r - 5) / polynomial(kTailDenominator, r - 5);
  return q < 0 ? -size : size;
}

}  // namespace loadline::trace
