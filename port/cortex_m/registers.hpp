// The few registers of the Cortex-M system control space that the port uses, by their names in the architecture manual.
#pragma once

#include <cstdint>

namespace penumbra::cortex_m {

inline volatile std::uint32_t& at(std::uint32_t address) noexcept { return *reinterpret_cast<volatile std::uint32_t*>(address); }

inline volatile std::uint32_t& syst_csr() noexcept { return at(0xE000E010); }
inline volatile std::uint32_t& syst_rvr() noexcept { return at(0xE000E014); }
inline volatile std::uint32_t& syst_cvr() noexcept { return at(0xE000E018); }
inline volatile std::uint32_t& icsr() noexcept { return at(0xE000ED04); }
inline volatile std::uint32_t& aircr() noexcept { return at(0xE000ED0C); }
inline volatile std::uint32_t& ccr() noexcept { return at(0xE000ED14); }
inline volatile std::uint32_t& shpr3() noexcept { return at(0xE000ED20); }
inline volatile std::uint32_t& shcsr() noexcept { return at(0xE000ED24); }
inline volatile std::uint32_t& cfsr() noexcept { return at(0xE000ED28); }
inline volatile std::uint32_t& hfsr() noexcept { return at(0xE000ED2C); }
inline volatile std::uint32_t& mmfar() noexcept { return at(0xE000ED34); }
inline volatile std::uint32_t& bfar() noexcept { return at(0xE000ED38); }
inline volatile std::uint32_t& cpacr() noexcept { return at(0xE000ED88); }

inline volatile std::uint32_t& mpu_ctrl() noexcept { return at(0xE000ED94); }
inline volatile std::uint32_t& mpu_rnr() noexcept { return at(0xE000ED98); }
inline volatile std::uint32_t& mpu_rbar() noexcept { return at(0xE000ED9C); }
inline volatile std::uint32_t& mpu_rasr() noexcept { return at(0xE000EDA0); }

inline constexpr std::uint32_t ccr_div_0_trp = 1U << 4;
inline constexpr std::uint32_t cfsr_stkof = 1U << 20;  // stack limit passed (Armv8-M)
inline constexpr std::uint32_t icsr_pendstclr = 1U << 25;
inline constexpr std::uint32_t icsr_pendstset = 1U << 26;
inline constexpr std::uint32_t icsr_pendsvclr = 1U << 27;
inline constexpr std::uint32_t icsr_pendsvset = 1U << 28;
inline constexpr std::uint32_t shcsr_fault_enables = 7U << 16;  // MemManage, BusFault, UsageFault
inline constexpr std::uint32_t cpacr_fpu_full = 0xFU << 20;     // CP10 and CP11: floating point and Helium

}  // namespace penumbra::cortex_m
