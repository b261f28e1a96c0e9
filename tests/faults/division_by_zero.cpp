// Divides an integer by zero: an Arm core may well answer 0 and go on; ours must not.
int main() {
  volatile int zero = 0;
  return 7 / zero;
}
