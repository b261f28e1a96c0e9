// Includes a header that does not compile alone: this must not build.
#include "needs_another.hpp"
