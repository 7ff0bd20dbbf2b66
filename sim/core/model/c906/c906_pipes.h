/* State of c906_fp.c and c906_ports.c: operations in flight whose results may arrive later than
 * expected at their issue. */
#ifndef SIM_CORE_MODEL_C906_C906_PIPES_H
#define SIM_CORE_MODEL_C906_C906_PIPES_H

#include <stdbool.h>
#include <stdint.h>

/* At most FP_OPS operations are in the unit, and at most FP_LOADS loads on their way, at a time. */
enum { FP_STAGES = 8, FP_OPS = 16, FP_LOADS = 16, FP_SOURCES = 3, PRODUCTS = 2 };

enum fp_way { FP_PIPELINE, FP_DIVIDER, FP_ACCESS };     /* which an operation takes */

/* The unit after one operation. free[0]: the cycle in which the divider is free. free[s]: the cycle
 * in which the next operation can enter stage s. */
struct c906_fp_state { uint64_t free[FP_STAGES + 1]; };

struct c906_fp {                     /* c906.fp_place */
    struct c906_fp_state state;      /* after the youngest operation */
    uint32_t count;                     /* operations up to now, modulo 2^32 */
    struct c906_fp_op {
        uint64_t seq;                   /* NEVER: none */
        uint64_t issued, from, result;  /* cycles of its issue, its leaving the place, its result */
        uint64_t not_before;            /* before this cycle the result is refused the port */
        uint64_t load_written;          /* cycle in which a load writes its destination; 0: none */
        struct c906_fp_state before;
        uint16_t cycles;
        uint8_t way, rd, source[FP_SOURCES];
    } op[FP_OPS];
    uint64_t latest;                    /* latest result of the pipeline */
    uint64_t load_writes[FP_LOADS];     /* cycles in which loads write FP registers */
    uint32_t loads;
    uint64_t data;                      /* cycle of a store's data that the issuing load takes; 0:
                                         * none */
};

struct c906_ports {                     /* c906.shared_port */
    /* The two youngest products, older first: when the value is available, and when it is
     * written. */
    struct c906_product { uint64_t seq, ready, written; uint8_t rd; } product[PRODUCTS];
    struct c906_quotient { uint64_t seq, ready; uint8_t rd; } quotient;
};

#endif
