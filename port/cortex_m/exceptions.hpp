// What a driver may define: the handlers of the exceptions that the core and the board raise. Each has a weak default that
// reports it as unexpected and ends the program with board::status_interrupt.
#pragma once

extern "C" {

void nmi_handler();
void svcall_handler();
void debug_monitor_handler();
void pendsv_handler();
void systick_handler();  // instructions.cpp defines it when a program counts instructions

// All interrupts of the board arrive here; `number` counts from 0 as in the part's manual (NVIC numbering).
void board_interrupt(unsigned number);
}
