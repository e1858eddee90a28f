// What the modules of the MMU agree on.
package mmu_pkg;
  // Where the page lies, of which space, and the leaf that says so.
  typedef struct packed {
    logic [34:0] page;  // virtual address >> 12, below 2^47; of the array for 2 MiB bits 8:0 are 0
    logic [16:0] space; // address-space id, and above it whether the job is protected
    logic        of_2m; // from a leaf of 2 MiB
    logic [43:0] ppn;   // physical address >> 12, of the 4 KiB page or of the first one
    logic [9:0]  pte;   // bits 9:0 of the leaf
  } tlb_entry_t;

  // How a walk ends.
  typedef enum logic [1:0] {
    WalkOk         = 2'd0,
    WalkNotPresent = 2'd1, // PAGE_NOT_PRESENT
    WalkTable      = 2'd2, // PAGE_TABLE
    WalkEcc        = 2'd3  // ECC
  } walk_end_e;
endpackage
