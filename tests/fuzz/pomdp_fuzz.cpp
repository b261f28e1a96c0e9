// Fuzzer of the .pomdp reader: whatever it is given, it either refuses with reasons and places, or gives a model that keeps the promises
// of model.hpp and survives being written and read again.
#include "promises.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static penumbra::fuzz::Answers answers;
  penumbra::fuzz::check_model_door(std::string(reinterpret_cast<const char*>(data), size), penumbra::host::read_pomdp, answers);
  return 0;
}
