// A firmware that does nothing: what start-up, fault report and board layer take, to be told apart from the library.
int main() { return 0; }
