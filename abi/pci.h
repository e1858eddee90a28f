/* How a device would be found on PCI. APIs that tell devices by these numbers (OpenCL and Vulkan by the vendor, VA-API by both in the display
 * attribute VADisplayPCIID, as PCI_ID) say the same, so that a client of one finds the device in another. */
#ifndef GALENA_ABI_PCI_H
#define GALENA_ABI_PCI_H
#include <stdint.h>

enum {
	PCI_VENDOR_ID = 0x9a1e,
	PCI_DEVICE_ID = 1 /* the model */
};

/* The vendor in the upper half, the device ID in the lower: the model, and the number of the device (of the driver, from 0) in the lowest byte. */
static inline uint32_t pci_id(unsigned number) { return (uint32_t)PCI_VENDOR_ID << 16 | PCI_DEVICE_ID << 8 | number; }

/* The number of the device; negative: it is no such device. */
static inline int pci_id_number(uint32_t id) { return id >> 8 == pci_id(0) >> 8 ? (int)(id & 0xff) : -1; }

#endif
