// Masks interrupts in each way that masks looks for. It is compiled and never linked.
void hold_up_by_an_instruction() { asm volatile("cpsid i"); }

void hold_up_by_a_register(unsigned one) { asm volatile("msr primask, %0" : : "r"(one)); }

#if !defined(__ARM_ARCH_6M__)
void hold_up_in_part(unsigned priority) { asm volatile("msr basepri, %0" : : "r"(priority)); }
#endif
