# galena/device.h: what libgalena-device.so offers to people who bring their own driver.
$(call archive,device,runtime/device/device.c runtime/device/pinned.c base/probe.c)
