/* Events of caches, buffers and memory, of prefetchers, and of renaming and decoding. Machine and
 * pipeline: pipeline.h. A load that dispatches in C issues in C+1; two in one cycle go one after
 * the other, as there is one load port, but where unit.loads = 2. Of a line that no cache has the
 * value comes 38 cycles after issue: 2 in L1, 6 in L2, 30 of memory. */
#include "tests/programs/pipeline.h"
#define DIRTY 1
#define MISS_REGISTERS 2
#define BLOCKED 3
#define PORT 4
#define BANK 5
#define BUFFER_FULL 6
#define BUFFER_MERGED 7
#define ROWS 8
#define ROWS_CLOSED 9
#define USEFUL 10
#define LATE 11
#define POLLUTING 12
#define MOVES 13
#define PAIRS 14
#define MISALIGNED 15
#define MISALIGNED_IN_ORDER 16
#define STORES_ACROSS 17
#define STORES_BELOW 18
#define PUT_OFF 19

    .text
    .balign 128
    function program
    prepare
    la s7, other
    la s8, data + 4096 - 4
    li s4, 1024
#if BODY_IS(DIRTY)
    jal ra, sweep
#elif BODY_IS(PUT_OFF)
    li s4, 16*2048                  # from row to row
    add s8, s1, s4
    add s4, s4, s4
#endif
    .balign 128
    open_round

#if BODY_IS(DIRTY)
    /* A store to a fresh line in each round; L1D, L2 and L3 are direct-mapped, of 32, 64 and 128
     * lines. The line of round r leaves L1D in r+32 for L2, which has it until r+64, when it goes
     * to L3, which has it until r+128, when it goes to memory. */
    sd s3, 0(s1)
    addi s1, s1, 32
    nop
    expect l1d_write 100
    expect l1d_write_miss 100
    expect l1d_writeback 100
    expect store_l2_hit 0
    expect store_l2_miss 100
    expect l2_access 100
    expect l2_access_miss 100
    expect l2_writeback 100
    expect l3_access 100
    expect l3_access_miss 100
    expect l3_writeback 100
    expect dram_read 100
    expect dram_write 100
    expect bus_busy 100*(4+4)

#elif BODY_IS(STORES_BELOW)
    /* L1D is direct-mapped, of 32 lines, L2 of 64: the two stores want one place in L1D, and each a
     * place of its own in L2, which has both lines when the rounds that count begin. */
    sd s3, 0(s1)
    sd s3, 1024(s1)
    nop
    expect l1d_write 100*2
    expect l1d_write_miss 100*2
    expect store_l2_hit 100*2
    expect store_l2_miss 0
    expect l2_hit 0
    expect l2_miss 0
    expect l2_access 100*2
    expect l2_access_miss 0

#elif BODY_IS(MISS_REGISTERS)
    /* l1d.mshrs = 1: the second load asks again in each cycle from C+2 to C+38. */
    ld t2, 0(s1)
    ld t3, 32(s1)
    addi s1, s1, 64
    expect mshr_full 100*37
    expect l1d_read 100*2
    expect l1d_read_miss 100*2

#elif BODY_IS(BLOCKED)
    /* l1d.hit_under_miss = false: the same, of a load that hits. */
    ld t2, 0(s1)
    ld t3, 0(s7)
    addi s1, s1, 32
    expect l1_blocked 100*37
    expect l1d_read 100*2
    expect l1d_read_miss 100

#elif BODY_IS(PORT)
    /* unit.loads = 2, l1d.ports = 1: of two in C+1 one asks again, in C+2. */
    ld t2, 0(s1)
    ld t3, 8(s1)
    nop
    expect l1_port_busy 100
    expect l1d_read 100*2

#elif BODY_IS(BANK)
    /* unit.loads = 2, l1d.banks = 2 of 8 bytes each: words 0 and 2 are in one bank, 0 and 1 are
     * not, nor is a word at odds with itself. */
    ld t2, 0(s1)
    ld t3, 16(s1)
    csrr t1, sscratch
    ld t2, 0(s1)
    ld t3, 8(s1)
    csrr t1, sscratch
    lw t2, 0(s1)
    lw t3, 4(s1)
    nop
    expect l1_bank_conflict 100
    expect l1d_read 100*6

#elif BODY_IS(BUFFER_FULL)
    /* l1d.write = write_through, l1d.write_buffer = 1, no L2. The first store commits in C+3 and
     * occupies entry and bus for dram.line_cycles = 4. The second commits in C+4, and asks in vain
     * from then to C+6. The second read is there to keep the bus from being busy all the time. */
    sd s3, 0(s1)
    sd s3, 8(s1)
    csrr t1, sscratch
    expect write_buffer_full 100*3
    expect write_buffer_merged 0
    expect l1d_write 100*2
    expect dram_write 100*2

#elif BODY_IS(BUFFER_MERGED)
    /* l1d.write_buffer = 2. The second store waits in its entry from C+4 to C+7, where in C+5 the
     * third joins it, which is of the same eight bytes. */
    sd s3, 0(s1)
    sw s3, 8(s1)
    sw s3, 12(s1)
    expect write_buffer_full 0
    expect write_buffer_merged 100
    expect l1d_write 100*3
    expect dram_write 100*2

#elif BODY_IS(ROWS) || BODY_IS(ROWS_CLOSED)
    /* dram.kind = banked. Every 1024th byte: two lines of each row of 2048, one row after the
     * other, each in the next of 16 banks; all have been open before. A row that is closed after
     * each access (dram.policy) is opened for each. */
    ld t2, 0(s1)
    add s1, s1, s4
    nop
#if BODY_IS(ROWS)
    expect dram_row_conflict 100/2
    expect dram_row_hit 100/2
    expect dram_row_closed 0
#else
    expect dram_row_conflict 0
    expect dram_row_hit 0
    expect dram_row_closed 100
#endif

#elif BODY_IS(PUT_OFF)
    /* dram.kind = banked, tRAS 0, no L2. All in one bank: row r, row r+1, and row r again, the next
     * round in rows r+2, r+3. Loads issue in i, i+1, i+2; the first reaches memory in a = i+22.
     *   first   precharge a, activate a+14, column a+28, data a+42 to a+46
     *   second  was to close the row in a+32, after the column of the first ...
     *   third   ... but hits it before: column a+32, data to a+50
     *   second  so precharge a+36, activate a+50, column a+64, data a+78 to a+82 */
    ld t2, 0(s1)
    ld t3, 0(s8)
    ld t4, 64(s1)
    add s1, s1, s4
    add s8, s8, s4
    expect dram_row_conflict 100*2
    expect dram_row_hit 100
    expect exec_cycles 100*(2+(22+46)+(22+81)+(22+48)+1+1+1+1)

#elif BODY_IS(USEFUL)
    /* Line r in round r, and at its first use a prefetch of line r+1 into L1D, but not across
     * pages, of 128 lines: 256 is not prefetched. Two divisions, one after the other, take 40
     * cycles, and the line is there. */
    ld t2, 0(s1)
    div t3, s5, s5
    div t3, t3, s5
    addi s1, s1, 32
    nop
    expect prefetch_issued 100-1
    expect prefetch_useful 100-1
    expect prefetch_late 0
    expect prefetch_unused 0
    expect l1d_read_miss 1

#elif BODY_IS(LATE)
    /* The same without divisions. A load that issues in i and has its value in x lets the next
     * issue in x+6:
     *   dispatch  C: l n | a b | csrr waits      commit  x+1: l n | x+2: a b      C' = x+5
     * Of a line that was prefetched in p the value comes in p+38, but no earlier than i+2.
     *   256 is a miss, x = i+38; so the next load is 44 later
     *   257 was asked for in i of 256, 4 cycles after it on the bus: there in 42; 8 later
     *   258 has been under way for 8 cycles, late: x = i+30, and the next is 36 later
     *   259 has been under way for 36 cycles, late, x = i+2; and so on, 8 and 36 in turn
     * Of the 99 lines all but 257 are late. */
    ld t2, 0(s1)
    addi s1, s1, 32
    expect prefetch_issued 100-1
    expect prefetch_useful 100-1
    expect prefetch_late 100-2
    expect l1d_read_miss 1

#elif BODY_IS(POLLUTING)
    /* Three lines by turns, all in L2: X and Y of set 0, W of set 1, where the lines after X and Y
     * go when these miss, and they always do.
     *   X: its prefetch pushes out that of Y, which was of no use
     *   W: a miss because of Y's prefetch; it pushes out that of X, of no use either
     *   Y: its prefetch pushes out W, which was used */
    ld t2, 0(s1)
    csrr t1, sscratch
    ld t2, 1024+32(s1)
    csrr t1, sscratch
    ld t2, -1024(s7)                # data+2048
    expect prefetch_issued 100*2
    expect prefetch_polluting 100
    expect prefetch_unused 100*2
    expect prefetch_useful 0
    expect l1d_read_miss 100*3

#elif BODY_IS(MOVES)
    /* rename.eliminates. */
    mv t2, s5
    xor t3, t4, t4
    nop
    expect eliminated 100*2
    expect dispatched 100*6
    expect issued 100*4
    expect insns_retired 100*6

#elif BODY_IS(STORES_ACROSS)
    /* The first store lies in two lines, the second within one, the third in the last line of a
     * page and the first of the next, where the load reads both again. */
    sd s3, 28(s1)
    sd s3, 1(s1)
    sd s3, 0(s8)
    ld t2, 0(s8)
    expect stores 100*3
    expect misaligned 100*4
    expect l1d_write 100*(2+1+2)
    expect l1d_read 100*2
    expect l1d_write_miss 0
    expect l1d_read_miss 0

#elif BODY_IS(MISALIGNED) || BODY_IS(MISALIGNED_IN_ORDER)
    /* lsq.misaligned_cycles = 2, lsq.unaligned_cycles = 3. The second load lies in two lines, of
     * which L1D has both; the third, within one. */
    ld t2, 0(s1)
    ld t3, 28(s1)
    ld t4, 1(s1)
    expect loads 100*3
    expect misaligned 100*2
    expect l1d_read 100*4
    expect l1d_read_miss 0
#if BODY_IS(MISALIGNED)
    expect misaligned_cycles 100*(2+3)
    expect exec_cycles 100*(2+2+4+5+1+1)    /* with the read, and the two that close the round */
#else
    expect misaligned_cycles 100*2
    expect exec_cycles 100*(2+2+4+2+1+1)
#endif

#elif BODY_IS(PAIRS)
    /* decode.fusion: the two halves of a constant, which decode sees in one cycle, are one
     * operation. No other two instructions here fit together. */
    nop
    lui t2, 1
    addi t2, t2, 1
    expect fused 100
    expect dispatched 100*6
    expect issued 100*5
    expect insns_retired 100*6
    expect slots_retiring 100*5
#endif

    close_round
#if BODY_IS(DIRTY)
    jal ra, sweep
#endif
    j pass
    end_function program

    /* Continues with loads until no line is modified: called at both ends of DIRTY, so that the
     * lines left modified do not depend on the place where the stores end, and so that its code is
     * in L1I. */
    .balign 32
    function sweep
    li t1, 256
1:  ld t2, 0(s1)
    addi s1, s1, 32
    addi t1, t1, -1
    bnez t1, 1b
    ret
    end_function sweep

    .data
    .balign 4096
data:
    .skip 3072
other:
    .skip 311296
