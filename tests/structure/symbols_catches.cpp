// Has everything that symbols looks for. It is compiled and never linked.
#include <cstdio>
#include <cstdlib>

struct Base {
  virtual int number() { return 0; }
};
struct Derived : Base {
  int number() override { return 1; }
};

int heap(std::size_t size) {
  void* volatile block = std::malloc(size);
  std::free(block);
  return *new int[size];
}

void exception(int number) {
  if (number > 0) throw number;
}

bool run_time_type(Base* base) { return dynamic_cast<Derived*>(base) != nullptr; }

double double_precision(double x) { return x * x; }

void output(int number) { std::printf("%d\n", number); }
