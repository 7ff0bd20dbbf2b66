/* Litmus tests of the memory model: small races run thousands of times on two to four harts.
 *
 * A test is two to four pieces of code on the words x, y, z, and one outcome of it that only a
 * weak memory model shows. An outcome that RVWMO forbids must never come. Every line of output says
 * how often the outcome came: NAME RUNS SEEN forbidden|allowed. The shapes and their names are
 * those of Alglave, Maranget, Tautschnig, "Herding Cats", TOPLAS 2014; the RISC-V Unprivileged ISA,
 * chapter "RVWMO", says which outcomes are forbidden. */
#include <stdint.h>

enum { HARTS = 4, OUTCOMES = 4, BATCH = 16 };
#ifndef ROUNDS
#define ROUNDS 1000
#endif

struct words {
    volatile long x __attribute__((aligned(128)));
    volatile long y __attribute__((aligned(128)));
    volatile long z __attribute__((aligned(128)));
};
struct outcome { long r[OUTCOMES]; long x, y; };
typedef void process(struct words *words, volatile long *r);

/* ---- processes: t0 = &x, t1 = &y, t2 = &z, a1 = results; s1 = 1, s2 = 2 ---------------------- */

#define PROCESS(name, code)                                                                        \
    process name;                                                                                  \
    __asm__(".text\n.balign 64\n" #name ":\n addi sp, sp, -16\n sd s1, 0(sp)\n sd s2, 8(sp)\n"     \
            " mv t0, a0\n addi t1, a0, 128\n addi t2, a0, 256\n li s1, 1\n li s2, 2\n" code        \
            " ld s1, 0(sp)\n ld s2, 8(sp)\n addi sp, sp, 16\n ret\n")
#define W(reg, word) " sd " reg ", 0(" word ")\n"
#define R(reg, word) " ld " reg ", 0(" word ")\n"
#define RESULT(n, reg) " sd " reg ", 8*" #n "(a1)\n"
#define X "t0"
#define Y "t1"
#define Z "t2"
#define FENCE " fence rw, rw\n"
#define FENCE_W " fence w, w\n"
#define FENCE_R " fence r, r\n"
/* The address of `word` made to depend on reg; a value that depends on reg. */
#define ADDRESS_OF(word, reg) " xor t3, " reg ", " reg "\n add " word ", " word ", t3\n"
#define VALUE_FROM(value, reg) " xor t3, " reg ", " reg "\n add " value ", " value ", t3\n"
#define CONTROL(reg) " bnez " reg ", 1f\n1:\n"
#define W_RELEASE(reg, word) " amoswap.d.rl zero, " reg ", (" word ")\n"
#define R_ACQUIRE(reg, word) " lr.d.aq " reg ", (" word ")\n"
#define W_SC(reg, word) " amoswap.d.aqrl zero, " reg ", (" word ")\n"
#define R_SC(reg, word) " lr.d.aqrl " reg ", (" word ")\n"

PROCESS(wx_wy, W("s1", X) W("s1", Y));
PROCESS(wx_f_wy, W("s1", X) FENCE W("s1", Y));
PROCESS(wx_fw_wy, W("s1", X) FENCE_W W("s1", Y));
PROCESS(wx_rel_wy, W("s1", X) W_RELEASE("s1", Y));
PROCESS(ry_rx, R("a4", Y) R("a5", X) RESULT(0, "a4") RESULT(1, "a5"));
PROCESS(ry_f_rx, R("a4", Y) FENCE R("a5", X) RESULT(0, "a4") RESULT(1, "a5"));
PROCESS(ry_fr_rx, R("a4", Y) FENCE_R R("a5", X) RESULT(0, "a4") RESULT(1, "a5"));
PROCESS(ry_addr_rx, R("a4", Y) ADDRESS_OF(X, "a4") R("a5", X) RESULT(0, "a4") RESULT(1, "a5"));
PROCESS(ry_acq_rx, R_ACQUIRE("a4", Y) R("a5", X) RESULT(0, "a4") RESULT(1, "a5"));
PROCESS(ry_ctrlfencei_rx, R("a4", Y) CONTROL("a4") " fence.i\n" R("a5", X)
        RESULT(0, "a4") RESULT(1, "a5"));

PROCESS(wx_ry, W("s1", X) R("a4", Y) RESULT(0, "a4"));
PROCESS(wx_f_ry, W("s1", X) FENCE R("a4", Y) RESULT(0, "a4"));
PROCESS(wx_sc_ry, W_SC("s1", X) R_SC("a4", Y) RESULT(0, "a4"));
PROCESS(wy_rx, W("s1", Y) R("a4", X) RESULT(1, "a4"));
PROCESS(wy_f_rx, W("s1", Y) FENCE R("a4", X) RESULT(1, "a4"));
PROCESS(wy_sc_rx, W_SC("s1", Y) R_SC("a4", X) RESULT(1, "a4"));
PROCESS(wy_f_rz, W("s1", Y) FENCE R("a4", Z) RESULT(1, "a4"));
PROCESS(wy_rz, W("s1", Y) R("a4", Z) RESULT(1, "a4"));
PROCESS(wz_f_rx, W("s1", Z) FENCE R("a4", X) RESULT(2, "a4"));
PROCESS(wz_rx, W("s1", Z) R("a4", X) RESULT(2, "a4"));

PROCESS(rx_wy, R("a4", X) W("s1", Y) RESULT(0, "a4"));
PROCESS(rx_f_wy, R("a4", X) FENCE W("s1", Y) RESULT(0, "a4"));
PROCESS(rx_data_wy, R("a4", X) VALUE_FROM("s1", "a4") W("s1", Y) RESULT(0, "a4"));
PROCESS(ry_wx, R("a4", Y) W("s1", X) RESULT(1, "a4"));
PROCESS(ry_f_wx, R("a4", Y) FENCE W("s1", X) RESULT(1, "a4"));
PROCESS(ry_data_wx, R("a4", Y) VALUE_FROM("s1", "a4") W("s1", X) RESULT(1, "a4"));
PROCESS(ry_ctrl_wx, R("a4", Y) CONTROL("a4") W("s1", X) RESULT(1, "a4"));

PROCESS(w2x_wy, W("s2", X) W("s1", Y));
PROCESS(w2x_f_wy, W("s2", X) FENCE W("s1", Y));
PROCESS(wy2_rx, W("s2", Y) R("a4", X) RESULT(0, "a4"));
PROCESS(wy2_f_rx, W("s2", Y) FENCE R("a4", X) RESULT(0, "a4"));
PROCESS(wx_w2y, W("s1", X) W("s2", Y));
PROCESS(wx_fw_w2y, W("s1", X) FENCE_W W("s2", Y));
PROCESS(wy_w2x, W("s1", Y) W("s2", X));
PROCESS(wy_fw_w2x, W("s1", Y) FENCE_W W("s2", X));

PROCESS(wx, W("s1", X));
PROCESS(w2x, W("s2", X));
PROCESS(wy, W("s1", Y));
PROCESS(ry1_rx2, R("a4", Y) R("a5", X) RESULT(1, "a4") RESULT(2, "a5"));
PROCESS(ry1_f_rx2, R("a4", Y) FENCE R("a5", X) RESULT(1, "a4") RESULT(2, "a5"));
PROCESS(ry1_addr_rx2, R("a4", Y) ADDRESS_OF(X, "a4") R("a5", X) RESULT(1, "a4") RESULT(2, "a5"));
PROCESS(rx0_f_ry1, R("a4", X) FENCE R("a5", Y) RESULT(0, "a4") RESULT(1, "a5"));
PROCESS(rx0_ry1, R("a4", X) R("a5", Y) RESULT(0, "a4") RESULT(1, "a5"));
PROCESS(rx0_addr_ry1, R("a4", X) ADDRESS_OF(Y, "a4") R("a5", Y) RESULT(0, "a4") RESULT(1, "a5"));
PROCESS(ry2_rx3, R("a4", Y) R("a5", X) RESULT(2, "a4") RESULT(3, "a5"));
PROCESS(ry2_f_rx3, R("a4", Y) FENCE R("a5", X) RESULT(2, "a4") RESULT(3, "a5"));
PROCESS(ry2_addr_rx3, R("a4", Y) ADDRESS_OF(X, "a4") R("a5", X) RESULT(2, "a4") RESULT(3, "a5"));
PROCESS(wy_f_rx2, W("s1", Y) FENCE R("a4", X) RESULT(2, "a4"));
PROCESS(wy_rx2, W("s1", Y) R("a4", X) RESULT(2, "a4"));
PROCESS(ry_data_wz, R("a4", Y) VALUE_FROM("s1", "a4") W("s1", Z) RESULT(0, "a4"));
PROCESS(ry_wz, R("a4", Y) W("s1", Z) RESULT(0, "a4"));
PROCESS(rz_addr_rx, R("a4", Z) ADDRESS_OF(X, "a4") R("a5", X) RESULT(1, "a4") RESULT(2, "a5"));
PROCESS(rz_rx, R("a4", Z) R("a5", X) RESULT(1, "a4") RESULT(2, "a5"));
PROCESS(ry_f_rz, R("a4", Y) FENCE R("a5", Z) RESULT(0, "a4") RESULT(1, "a5"));

PROCESS(rx_rx, R("a4", X) R("a5", X) RESULT(0, "a4") RESULT(1, "a5"));
PROCESS(wx_w2x, W("s1", X) W("s2", X));
PROCESS(rx_w2x, R("a4", X) W("s2", X) RESULT(0, "a4"));
PROCESS(wx_rx, W("s1", X) R("a4", X) RESULT(0, "a4"));

PROCESS(lrsc_add, "1: lr.d a4, (t0)\n addi a4, a4, 1\n sc.d a5, a4, (t0)\n bnez a5, 1b\n");
PROCESS(amo_add, " amoadd.d zero, s1, (t0)\n");
PROCESS(lrsc_set_x, "1: lr.d a4, (t0)\n sc.d a5, s2, (t0)\n bnez a5, 1b\n" RESULT(0, "a4"));
PROCESS(wx3_rx, " li a6, 3\n" W("a6", X) R("a4", X) RESULT(1, "a4"));

/* ---- tests ----------------------------------------------------------------------------------- */

struct test {
    const char *name;
    process *process[HARTS];
    int (*weak)(const struct outcome *o);
    int is_forbidden;
};

#define WEAK(name, condition) static int name(const struct outcome *o) { return condition; }
WEAK(weak_mp, o->r[0] == 1 && o->r[1] == 0)
WEAK(weak_sb, o->r[0] == 0 && o->r[1] == 0)
WEAK(weak_sb3, o->r[0] == 0 && o->r[1] == 0 && o->r[2] == 0)
WEAK(weak_lb, o->r[0] == 1 && o->r[1] == 1)
WEAK(weak_s, o->r[1] == 1 && o->x == 2)
WEAK(weak_r, o->y == 2 && o->r[0] == 0)
WEAK(weak_22w, o->x == 1 && o->y == 1)
WEAK(weak_wrc, o->r[0] == 1 && o->r[1] == 1 && o->r[2] == 0)
WEAK(weak_wwc, o->r[0] == 2 && o->r[1] == 1 && o->x == 2)
WEAK(weak_rwc, o->r[0] == 1 && o->r[1] == 0 && o->r[2] == 0)
WEAK(weak_iriw, o->r[0] == 1 && o->r[1] == 0 && o->r[2] == 1 && o->r[3] == 0)
WEAK(weak_coww, o->x == 1)
WEAK(weak_corw, o->r[0] == 1 && o->x == 1)
WEAK(weak_cowr, o->r[0] == 2 && o->x == 1)
WEAK(weak_sum2, o->x != 2)
WEAK(weak_sum4, o->x != 4)
WEAK(weak_lrsc, o->r[0] == 0 && o->x == 2 && o->r[1] == 2)

static const struct test tests[] = {
    {"MP", {wx_wy, ry_rx}, weak_mp, 0},
    {"MP+fence.rw.rws", {wx_f_wy, ry_f_rx}, weak_mp, 1},
    {"MP+fence.w.w+fence.r.r", {wx_fw_wy, ry_fr_rx}, weak_mp, 1},
    {"MP+fence.w.w+addr", {wx_fw_wy, ry_addr_rx}, weak_mp, 1},
    {"MP+fence.w.w+ctrlfencei", {wx_fw_wy, ry_ctrlfencei_rx}, weak_mp, 1},
    {"MP+rel+acq", {wx_rel_wy, ry_acq_rx}, weak_mp, 1},
    {"MP+fence.w.w+po", {wx_fw_wy, ry_rx}, weak_mp, 0},
    {"SB", {wx_ry, wy_rx}, weak_sb, 0},
    {"SB+fence.rw.rw+po", {wx_f_ry, wy_rx}, weak_sb, 0},
    {"SB+fence.rw.rws", {wx_f_ry, wy_f_rx}, weak_sb, 1},
    {"SB+aqrls", {wx_sc_ry, wy_sc_rx}, weak_sb, 1},
    {"3.SB", {wx_ry, wy_rz, wz_rx}, weak_sb3, 0},
    {"3.SB+fence.rw.rws", {wx_f_ry, wy_f_rz, wz_f_rx}, weak_sb3, 1},
    {"LB", {rx_wy, ry_wx}, weak_lb, 0},
    {"LB+fence.rw.rws", {rx_f_wy, ry_f_wx}, weak_lb, 1},
    {"LB+datas", {rx_data_wy, ry_data_wx}, weak_lb, 1},
    {"LB+data+ctrl", {rx_data_wy, ry_ctrl_wx}, weak_lb, 1},
    {"S", {w2x_wy, ry_wx}, weak_s, 0},
    {"S+fence.rw.rw+data", {w2x_f_wy, ry_data_wx}, weak_s, 1},
    {"S+fence.rw.rw+ctrl", {w2x_f_wy, ry_ctrl_wx}, weak_s, 1},
    {"R", {wx_wy, wy2_rx}, weak_r, 0},
    {"R+fence.rw.rws", {wx_f_wy, wy2_f_rx}, weak_r, 1},
    {"2+2W", {wx_w2y, wy_w2x}, weak_22w, 0},
    {"2+2W+fence.w.ws", {wx_fw_w2y, wy_fw_w2x}, weak_22w, 1},
    {"WRC", {wx, rx_wy, ry1_rx2}, weak_wrc, 0},
    {"WRC+fence.rw.rws", {wx, rx_f_wy, ry1_f_rx2}, weak_wrc, 1},
    {"WRC+data+addr", {wx, rx_data_wy, ry1_addr_rx2}, weak_wrc, 1},
    {"WWC", {w2x, rx_wy, ry_wx}, weak_wwc, 0},
    {"WWC+datas", {w2x, rx_data_wy, ry_data_wx}, weak_wwc, 1},
    {"RWC", {wx, rx0_ry1, wy_rx2}, weak_rwc, 0},
    {"RWC+fence.rw.rws", {wx, rx0_f_ry1, wy_f_rx2}, weak_rwc, 1},
    {"ISA2", {wx_wy, ry_wz, rz_rx}, weak_wrc, 0},
    {"ISA2+fence.w.w+data+addr", {wx_fw_wy, ry_data_wz, rz_addr_rx}, weak_wrc, 1},
    {"W+RWC+fence.rw.rws", {wx_f_wy, ry_f_rz, wz_f_rx}, weak_rwc, 1},
    {"IRIW", {wx, wy, rx0_ry1, ry2_rx3}, weak_iriw, 0},
    {"IRIW+fence.rw.rws", {wx, wy, rx0_f_ry1, ry2_f_rx3}, weak_iriw, 1},
    {"IRIW+addrs", {wx, wy, rx0_addr_ry1, ry2_addr_rx3}, weak_iriw, 1},
    {"CoRR", {wx, rx_rx}, weak_mp, 1},
    {"CoWW", {wx_w2x}, weak_coww, 1},
    {"CoRW2", {wx, rx_w2x}, weak_corw, 1},
    {"CoWR", {wx_rx, w2x}, weak_cowr, 1},
    {"LRSC-increments", {lrsc_add, lrsc_add}, weak_sum2, 1},
    {"4.LRSC-increments", {lrsc_add, lrsc_add, lrsc_add, lrsc_add}, weak_sum4, 1},
    {"4.AMO+LRSC-increments", {lrsc_add, amo_add, lrsc_add, amo_add}, weak_sum4, 1},
    {"LRSC+store", {lrsc_set_x, wx3_rx}, weak_lrsc, 1},
};
enum { TESTS = sizeof tests / sizeof tests[0] };

/* ---- the harness ----------------------------------------------------------------------------- */

static struct words words[BATCH];
static struct { volatile long r[OUTCOMES]; } __attribute__((aligned(128))) results[BATCH][HARTS];
static volatile long arrived __attribute__((aligned(128)));
static volatile long sense __attribute__((aligned(128)));

static void wait_for_all(long *mine)
{
    *mine = !*mine;
    if (__atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST) == HARTS) {
        arrived = 0;
        __atomic_store_n(&sense, *mine, __ATOMIC_SEQ_CST);
    } else {
        while (__atomic_load_n(&sense, __ATOMIC_SEQ_CST) != *mine)
            ;
    }
}

static void print(const char *text)
{
    for (; *text != 0; text++)
        *(volatile uint8_t *)0x10000000 = (uint8_t)*text;
}

static void print_number(unsigned long number)
{
    char digits[24], *at = digits + sizeof digits;
    *--at = 0;
    do
        *--at = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    print(at);
}

/* One round of a batch: the harts start together, give or take a few cycles. */
static void run_batch(const struct test *test, unsigned hart, long *mine, uint32_t *random)
{
    for (unsigned i = 0; i < BATCH; i++) {
        wait_for_all(mine);
        *random = *random * 1664525 + 1013904223;
        for (volatile unsigned delay = *random >> 28; delay != 0; delay--)
            ;
        if (test->process[hart] != 0)
            test->process[hart](&words[i], results[i][hart].r);
    }
    wait_for_all(mine);
}

static void collect(unsigned i, struct outcome *outcome)
{
    *outcome = (struct outcome){.x = words[i].x, .y = words[i].y};
    for (unsigned hart = 0; hart < HARTS; hart++)
        for (unsigned n = 0; n < OUTCOMES; n++)
            outcome->r[n] += results[i][hart].r[n];
}

static unsigned count_weak(const struct test *test)
{
    unsigned weak = 0;
    for (unsigned i = 0; i < BATCH; i++) {
        struct outcome outcome;
        collect(i, &outcome);
        weak += test->weak(&outcome) != 0;
        words[i].x = words[i].y = words[i].z = 0;
    }
    return weak;
}

void hart_main(unsigned hart)
{
    long mine = 0;
    uint32_t random = hart * 2654435761u + 12345;
    for (unsigned t = 0; t < TESTS; t++) {
        unsigned long weak = 0;
        for (unsigned i = 0; i < BATCH; i++)
            for (unsigned n = 0; n < OUTCOMES; n++)
                results[i][hart].r[n] = 0;
        for (unsigned round = 0; round < ROUNDS / BATCH; round++) {
            run_batch(&tests[t], hart, &mine, &random);
            if (hart == 0)
                weak += count_weak(&tests[t]);
            wait_for_all(&mine);
        }
        if (hart == 0) {
            print(tests[t].name);
            print(" ");
            print_number(ROUNDS / BATCH * BATCH);
            print(" ");
            print_number(weak);
            print(tests[t].is_forbidden ? " forbidden\n" : " allowed\n");
        }
    }
    wait_for_all(&mine);
}
