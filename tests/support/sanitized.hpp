// Whether sanitizers slow this build down about ten times: statistical tests then run shorter, and leave out what needs their full length.
#pragma once

namespace penumbra::test {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif
#else
constexpr bool sanitized = false;
#endif

}  // namespace penumbra::test
