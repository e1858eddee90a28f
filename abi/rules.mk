$(call archive,abi,abi/abi.c abi/device_config.c abi/environment.c abi/injection.c traces/output_name.c)
