// Has everything that call_graph looks for.
#include <etl/byte_stream.h>
#include <stddef.h>

void somebody_else(char* room);

void as_much_as(size_t size);
void as_much_as(size_t size) { somebody_else(static_cast<char*>(__builtin_alloca(size))); }

unsigned factorial(unsigned n);
unsigned factorial(unsigned n) { return n == 0U ? 1U : n * factorial(n - 1U); }

bool odd(unsigned n);
bool even(unsigned n);
bool even(unsigned n) { return n == 0U || odd(n - 1U); }
bool odd(unsigned n) { return n != 0U && even(n - 1U); }

// By way of a delegate.
void echo(etl::span<char> bytes);
void echo(etl::span<char> bytes) {
  etl::byte_stream_writer stream(bytes, etl::endian::little, etl::byte_stream_writer::callback_type::create<echo>());
  stream.write('e');
}

int whatever(int (*function)());
int whatever(int (*function)()) { return function(); }
