// Executes an instruction that no core has, with known registers: the report must show them.
int main() {
  asm volatile(
      ".syntax unified \n"
      "movs r0, #0x11  \n"
      "movs r1, #0x22  \n"
      "movs r2, #0x33  \n"
      "movs r3, #0x44  \n"
      "penumbra_test_undefined: udf #0 \n"
      :
      :
      : "r0", "r1", "r2", "r3", "cc");
  return 0;
}
