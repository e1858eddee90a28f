$(call archive,abi,abi/abi.c abi/device_config.c)
