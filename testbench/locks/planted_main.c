int planted_main(void);
int main(void) { return planted_main(); }
