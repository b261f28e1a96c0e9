// Never ends: the emulator must stop it in time and say what it was.
int main() {
  for (volatile bool forever = true; forever;) {
  }
  return 0;
}
