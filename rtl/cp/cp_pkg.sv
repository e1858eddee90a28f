// What the parts of the hart say to each other, and what it says to the memory beside it.
package cp_pkg;
  typedef enum logic [3:0] {
    Illegal,
    Alu,
    Branch,
    Jal,
    Jalr,
    Load,
    Store,
    Atomic,
    Csr,
    Divide,
    Fence,
    Mret,
    Wfi,
    Ecall,
    Ebreak
  } kind_e;

  typedef struct packed {
    kind_e       kind;
    logic        from_pc;  // what an Alu begins with is the program counter
    logic        from_imm; // and goes on with is the immediate
    logic        multiply;
    logic        alt;      // sub, sra
    logic        word;     // on 32 bits
    logic [2:0]  funct3;
    logic [4:0]  funct5;   // of an Atomic
    logic [4:0]  rd, rs1, rs2;
    logic [63:0] imm;
  } decoded_t;

  // accesses of memory outside the local memory
  typedef enum logic [2:0] {
    MemLoad,
    MemStore,
    MemReserve, // lr
    MemTry,     // the read of an sc
    MemModify   // the read of an amo
  } mem_op_e;

  typedef struct packed {
    mem_op_e     op;
    logic [1:0]  size;    // log2 of the bytes
    logic [63:0] address;
    logic [63:0] data;    // of a store
    logic [31:0] version; // of an sc: that of the reservation
  } mem_t;

  typedef struct packed {
    logic [63:0] data;    // zero-extended
    logic [31:0] version; // of an lr: that of the line's entry
    logic        held;    // of an sc: its version is still that of the entry
  } mem_answer_t;

  typedef struct packed {
    logic [1:0]  size;
    logic [63:0] address;
    logic [63:0] data;
  } store_t;

  // CSRs that keep something, for who looks at the hart
  typedef struct packed {
    logic        mie, mpie;            // of mstatus
    logic        enabled3, enabled7, enabled11; // of mie
    logic [63:0] mtvec, mscratch, mepc, mcause, mtval, mcycle, minstret;
  } csrs_t;
endpackage
