$(call program,examples/vector_add,examples/vector_add.c,,-lOpenCL)
