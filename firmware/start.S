# Entry, trap vector, and loads that survive an address that is not there.
	.section .text.start, "ax"
	.globl _start
_start:
	la sp, stack_top
	la t0, bss_start
	la t1, bss_end
1:	bgeu t0, t1, 2f
	sd zero, 0(t0)
	addi t0, t0, 8
	j 1b
2:	la t0, trap_vector
	csrw mtvec, t0
	li t0, 0x800              # mie.MEIE: what wakes wfi; mstatus.MIE stays 0, interrupts are polled
	csrw mie, t0
	call main
3:	wfi
	j 3b

# struct guarded guarded_load32(addr), guarded_load64(addr), guarded_store64(addr, value): value in
# a0, and in a1 whether the access faulted.
	.text
	.globl guarded_load32, guarded_load64, guarded_store64
	.balign 4
guard_begin:
guarded_load32:
	lw a0, 0(a0)
	li a1, 0
	ret
guarded_load64:
	ld a0, 0(a0)
	li a1, 0
	ret
guarded_store64:
	sd a1, 0(a0)
	li a1, 0
	ret
guard_end:

# A trap inside a guarded access returns "faulted" to its caller. Elsewhere the host may have taken
# away a page that was there when it was looked at (mtval beyond 32 bits: host memory or DRAM): the
# instruction is skipped, which leaves its register as it was, and memory_lost is set. Any other trap
# is a bug of the firmware or of its host: with no vector set the same instruction traps again, and the
# hardware reports that one as a crash, with its true cause and address.
	.balign 4
trap_vector:
	csrw mscratch, t0
	csrr t0, mepc
	addi sp, sp, -16
	sd t1, 0(sp)
	la t1, guard_begin
	bltu t0, t1, 1f
	la t1, guard_end
	bgeu t0, t1, 1f
	csrw mepc, ra
	li a1, 1
	ld t1, 0(sp)
	addi sp, sp, 16
	csrr t0, mscratch
	mret
1:	csrr t0, mcause
	li t1, 5                  # load and store access faults of host memory: skipped, and noted
	beq t0, t1, 2f
	li t1, 7
	bne t0, t1, 4f
2:	csrr t0, mtval
	srli t0, t0, 32
	beqz t0, 4f
	la t1, memory_lost
	li t0, 1
	sw t0, 0(t1)
	csrr t0, mepc
	lhu t1, 0(t0)
	andi t1, t1, 3
	addi t1, t1, -3
	addi t0, t0, 2
	bnez t1, 3f               # a compressed instruction
	addi t0, t0, 2
3:	csrw mepc, t0
	ld t1, 0(sp)
	addi sp, sp, 16
	csrr t0, mscratch
	mret
4:	csrw mtvec, zero
	ld t1, 0(sp)
	addi sp, sp, 16
	csrr t0, mscratch
	mret
