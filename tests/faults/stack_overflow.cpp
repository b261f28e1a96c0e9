// Recurses without end: the stack grows into nothing, and the board must say so instead of overwriting data.
namespace {

volatile bool endless = true;

[[gnu::noinline]] int deeper(volatile int* above) {
  volatile int here[16];
  here[0] = above[0] + 1;
  if (!endless) return 0;
  const int result = deeper(here) + here[0];
  return result;
}

}  // namespace

int main() {
  volatile int bottom[1] = {0};
  return deeper(bottom);
}
