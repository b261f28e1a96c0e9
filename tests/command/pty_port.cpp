// Preloaded into the command by test_device.cpp: libserialport takes a pseudo-terminal for a serial port. It looks ports up in
// /sys/class/tty and wants to see their modem lines; pseudo-terminals are not in there and have none.
#include <dlfcn.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdarg>
#include <cstring>

namespace {

bool is_pseudo_terminal(const char* path) { return std::strncmp(path, "/sys/class/tty/pts/", 19) == 0; }

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// What lstat() is called in programs that were built with an older C library.
extern "C" int __lxstat(int version, const char* path, struct stat* found) {  // NOLINT: its name is not ours
  if (!is_pseudo_terminal(path)) return next<int(int, const char*, struct stat*)>("__lxstat")(version, path, found);
  *found = {};
  found->st_mode = S_IFLNK;
  return 0;
}

extern "C" int lstat(const char* path, struct stat* found) noexcept {
  if (!is_pseudo_terminal(path)) return next<int(const char*, struct stat*)>("lstat")(path, found);
  return __lxstat(1, path, found);
}

extern "C" ssize_t readlink(const char* path, char* target, size_t size) noexcept {
  if (!is_pseudo_terminal(path)) return next<ssize_t(const char*, char*, size_t)>("readlink")(path, target, size);
  static constexpr char device[] = "../../devices/virtual/tty";
  const size_t length = size < sizeof device - 1 ? size : sizeof device - 1;
  std::memcpy(target, device, length);
  return static_cast<ssize_t>(length);
}

extern "C" int ioctl(int file, unsigned long request, ...) noexcept {
  va_list rest;
  va_start(rest, request);
  void* argument = va_arg(rest, void*);
  va_end(rest);
  const int result = next<int(int, unsigned long, ...)>("ioctl")(file, request, argument);
  const bool modem_lines = request == TIOCMGET || request == TIOCMSET || request == TIOCMBIS || request == TIOCMBIC;
  if (result == 0 || !modem_lines) return result;
  if (request == TIOCMGET) *static_cast<int*>(argument) = 0;
  return 0;
}
