/* Extensions that a program uses beyond the modelled core, from the attributes of its file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "sim/run/load/isa_note.h"

static bool note_of(const char *program, const char *core, char note[ISA_NOTE])
{
    uint8_t content[128] = "A\0\0\0riscv\0\1";
    size_t bytes = 16 + strlen(program) + 1;
    struct image_section section = {.name = (char[]){".riscv.attributes"}, .content = content,
                                    .bytes = bytes};
    const struct image image = {.sections = &section, .section_count = 1};

    memcpy(content + 16, program, strlen(program) + 1);
    return isa_note(&image, core, note);
}

static void assert_missing(const char *program, const char *core, const char *missing)
{
    char note[ISA_NOTE];

    assert_true(note_of(program, core, note));
    assert_non_null(strstr(note, core));
    assert_non_null(strstr(note, missing));
}

static void extensions_that_the_core_lacks_are_named(void **state)
{
    (void)state;
    assert_missing("rv64i2p1_m2p0_a2p1_f2p2_d2p2_c2p0_zicsr2p0_zmmul1p0", "rv32imf",
                   "(64 bits, A, D, C)");
    assert_missing("rv64i2p1_m2p0_a2p1_f2p2_d2p2_c2p0_zicsr2p0", "rv64imac", "(F, D)");
    assert_missing("rv32i2p1_m2p0_c2p0_xfoo1p0", "rv32im", "(C)");
}

static void a_core_that_has_all_is_not_worth_a_word(void **state)
{
    (void)state;
    char note[ISA_NOTE];

    assert_false(note_of("rv32i2p1_m2p0_zicsr2p0_svinval1p0", "rv32imf", note));
    assert_false(note_of("rv32i2p1_m2p0", "rv64imac", note));
    assert_false(note_of("rv64i2p1_m2p0_a2p1_f2p2_d2p2_c2p0", "any", note));
    assert_false(note_of("rv64i2p1_m2p0_a2p1_f2p2_d2p2_c2p0_zicsr2p0", "rv64gc", note));
    assert_false(note_of("rv64i2p1_m2p0_a2p1_f2p2_d2p2_c2p0", "rv64gcv_zba", note));
    assert_false(note_of("nothing of that kind", "rv32im", note));
}

static void a_file_without_attributes_is_not_judged(void **state)
{
    (void)state;
    const struct image image = {.section_count = 0};
    char note[ISA_NOTE];

    assert_false(isa_note(&image, "rv32im", note));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extensions_that_the_core_lacks_are_named),
        cmocka_unit_test(a_core_that_has_all_is_not_worth_a_word),
        cmocka_unit_test(a_file_without_attributes_is_not_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
