$(call archive,abi,abi/abi.c)
