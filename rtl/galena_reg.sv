// A register of the register block, or an array of them: storage, what a write of software does to each bit, the held low half of a
// 64-bit one, and what the hardware changes. galena_regs.sv has an instance for each register that is stored.
//
// In one cycle the hardware's change comes before the write of software; but a bit that the hardware sets stays set where software
// clears it.
module galena_reg #(
  parameter int unsigned     Bits    = 32,
  parameter int unsigned     Count   = 1,
  parameter logic [Bits-1:0] Reset   = '0,
  // What a write does to a bit: it takes the value written, or a 1 clears it, or a 1 sets it, or it shows the value written for
  // a cycle. Bits of none of these masks are the hardware's.
  parameter logic [Bits-1:0] RwMask  = '0,
  parameter logic [Bits-1:0] W1cMask = '0,
  parameter logic [Bits-1:0] W1sMask = '0,
  parameter logic [Bits-1:0] WoMask  = '0,
  // Bits that the register has; the others are 0.
  parameter logic [Bits-1:0] Mask    = '1
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  // Software writes the low half, the high half (of 32 bits: always) or both of one element. A low half alone is held.
  input  logic [Count-1:0]           we_low_i,
  input  logic [Count-1:0]           we_high_i,
  input  logic [Count-1:0][Bits-1:0] wd_i,
  // The hardware writes, sets and clears bits, and adds.
  input  logic [Count-1:0]           de_i,
  input  logic [Count-1:0][Bits-1:0] d_i,
  input  logic [Count-1:0][Bits-1:0] hwset_i,
  input  logic [Count-1:0][Bits-1:0] hwclr_i,
  input  logic [Count-1:0][Bits-1:0] incr_i,
  // The value, and in the cycle after a write of software that it was written.
  output logic [Count-1:0][Bits-1:0] q_o,
  output logic [Count-1:0]           qe_o
);
  // What the hardware makes of the value.
  function automatic logic [Bits-1:0] hw_value(logic [Bits-1:0] value, logic de, logic [Bits-1:0] d,
                                               logic [Bits-1:0] set_bits, logic [Bits-1:0] clr_bits, logic [Bits-1:0] add);
    return ((((de ? d : value & ~WoMask) & ~clr_bits) | set_bits) + add) & Mask;
  endfunction
  // What a write of software makes of that.
  function automatic logic [Bits-1:0] sw_value(logic [Bits-1:0] value, logic [Bits-1:0] wd, logic [Bits-1:0] set_bits);
    return (value & ~RwMask & ~(wd & W1cMask)) | (wd & (RwMask | W1sMask | WoMask)) | (set_bits & Mask);
  endfunction

  for (genvar i = 0; i < Count; i++) begin : gen_element
    logic [Bits-1:0] value_q;
    logic            changes;

    assign changes = de_i[i] || hwset_i[i] != '0 || hwclr_i[i] != '0 || incr_i[i] != '0;
    if (Bits == 64) begin : gen_halves
      logic [31:0] low_q;
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) low_q <= Reset[31:0];
        else if (we_low_i[i]) low_q <= wd_i[i][31:0];
        else if (changes) low_q <= 32'(hw_value(value_q, de_i[i], d_i[i], hwset_i[i], hwclr_i[i], incr_i[i]));
      end
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) value_q <= Reset;
        else if (we_high_i[i])
          value_q <= sw_value(hw_value(value_q, de_i[i], d_i[i], hwset_i[i], hwclr_i[i], incr_i[i]),
                              {wd_i[i][Bits-1:32], we_low_i[i] ? wd_i[i][31:0] : changes ?
                                  32'(hw_value(value_q, de_i[i], d_i[i], hwset_i[i], hwclr_i[i], incr_i[i])) : low_q},
                              hwset_i[i]);
        else if (changes || WoMask != '0)
          value_q <= hw_value(value_q, de_i[i], d_i[i], hwset_i[i], hwclr_i[i], incr_i[i]);
      end
    end else begin : gen_whole
      logic unused_low;
      assign unused_low = we_low_i[i];
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) value_q <= Reset;
        else if (we_high_i[i])
          value_q <= sw_value(hw_value(value_q, de_i[i], d_i[i], hwset_i[i], hwclr_i[i], incr_i[i]), wd_i[i], hwset_i[i]);
        else if (changes || WoMask != '0)
          value_q <= hw_value(value_q, de_i[i], d_i[i], hwset_i[i], hwclr_i[i], incr_i[i]);
      end
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) qe_o[i] <= 1'b0;
      else qe_o[i] <= we_high_i[i];
    end
    assign q_o[i] = value_q;
  end
endmodule
