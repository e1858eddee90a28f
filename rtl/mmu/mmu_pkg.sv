// What the modules of the MMU agree on.
package mmu_pkg;
  // Of each TLB.
  localparam int unsigned Ways = 4;

  // Where the page lies, of which space, and the leaf that says so.
  typedef struct packed {
    logic [34:0] page;  // virtual address >> 12, below 2^47; of the array for 2 MiB bits 8:0 are 0
    logic [16:0] space; // address-space id, and above it whether the job is protected
    logic        of_2m; // from a leaf of 2 MiB
    logic [43:0] ppn;   // physical address >> 12, of the 4 KiB page or of the first one
    logic [9:0]  pte;   // bits 9:0 of the leaf
  } tlb_entry_t;
endpackage
