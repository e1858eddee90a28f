// What the modules of the floating-point units agree on.
//
// A number inside of them is sign * significand * 2^exponent, of any format: the significand has 53 bits, of which the highest weighs 1.
// It is 0 in subnormals, whose exponent is that of the smallest normal.
package fpu_pkg;
  // Formats, as instructions name them. Single is 0.
  localparam logic [1:0] Double = 2'd1;
  localparam logic [1:0] Half   = 2'd2;

  // Rounding modes.
  localparam logic [2:0] RmRne = 3'd0;
  localparam logic [2:0] RmRdn = 3'd2;
  localparam logic [2:0] RmRup = 3'd3;
  localparam logic [2:0] RmRmm = 3'd4;

  // What a result is: a number to be rounded, an infinity, a NaN, or 64 bits that are ready.
  localparam logic [1:0] KindNumber   = 2'd0;
  localparam logic [1:0] KindInfinite = 2'd1;
  localparam logic [1:0] KindNan      = 2'd2;
  localparam logic [1:0] KindBits     = 2'd3;

  // A sum has the weights 4 to 2^-107 of its greater exponent. The product has 2 to 2^-104, an addend 1 to 2^-52: where one of them
  // loses bits, the other one is so much greater that they lie below the half place of the result.
  localparam int unsigned SumWidth = 110;

  // What goes with an operation from its operands to its rounding.
  typedef struct packed {
    logic [1:0] fmt;           // of the result
    logic       to_int;        // the result is an integer, not a number of fmt
    logic       int_long;      // of 64 bits, not 32
    logic       int_unsigned;
    logic [2:0] rm;
    logic [1:0] kind;
    logic       invalid;       // flags that the operands raise
    logic       div_zero;
  } control_t;

  // The sum that every operation of the unit is: a product, or the integer in the low 64 bits of both significands, and an addend.
  typedef struct packed {
    control_t           control;
    logic               is_int;
    logic               product_sign;
    logic               addend_sign;
    logic signed [12:0] product_exponent;
    logic signed [12:0] addend_exponent;
    logic [52:0]        a;
    logic [52:0]        b;
    logic [52:0]        addend;
  } operands_t;
  // Its product, and what is left to do for the sum.
  typedef struct packed {
    control_t          control;
    logic              product_sign;
    logic              addend_sign;
    logic              addend_greater; // by its exponent
    logic [6:0]        distance;       // of the exponents
    logic [11:0]       limit;          // how far a sum can be shifted to the left until its exponent is the lowest
    logic [105:0]      product;
    logic [52:0]       addend;
  } product_t;
  typedef struct packed {
    control_t            control;
    logic                sign;
    logic [11:0]         limit;
    logic [SumWidth-1:0] value;
  } sum_t;
  // What is rounded; fpu_round says how.
  typedef struct packed {
    control_t          control;
    logic              sign;
    logic [11:0]       base;
    logic [65:0]       value;
  } normal_t;
  typedef struct packed {
    logic [63:0] result;
    logic [4:0]  flags;
  } result_t;
  // What goes with a quotient or a root, beside its digits.
  typedef struct packed {
    control_t           control;
    logic               root;
    logic               sign;
    logic signed [12:0] exponent;
  } quotient_t;
endpackage
