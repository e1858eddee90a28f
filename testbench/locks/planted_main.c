int planted_main(const char *what);
int main(int argc, char **argv) { return planted_main(argc > 1 ? argv[1] : ""); }
