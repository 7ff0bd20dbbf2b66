/* Reading program files: files that are accepted, files that are refused and the messages, and
 * symbols. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/run/load/image.h"
#include "tests/sim/run/elf_file.h"

enum { USER_TEXT = 0x10000, USER_DATA = 0x12800 };

static struct elf_file file;
static struct image image;
static struct diag diag;

static int set_up(void **state)
{
    (void)state;
    elf_file_make(&file, USER_TEXT, USER_DATA);
    return 0;
}

static enum err open_first(size_t bytes)
{
    diag.text[0] = '\0';
    return image_open_memory(&image, "app.elf", elf_file_copy(&file, bytes), bytes, &diag);
}

static void accept(void)
{
    if (open_first(ELF_FILE_BYTES) != ERR_OK) {
        fail_msg("refused: %s", diag.text);
    }
}

static void refuse(const char *reason)
{
    assert_int_equal(open_first(ELF_FILE_BYTES), ERR_USAGE);
    if (strstr(diag.text, reason) == NULL || strncmp(diag.text, "app.elf: ", 9) != 0) {
        fail_msg("said \"%s\" instead of \"%s\"", diag.text, reason);
    }
    assert_null(image.segments);
}

/* ---- accepted --------------------------------------------------------------------------- */

static void segments_come_in_the_order_of_addresses(void **state)
{
    Elf64_Phdr first = file.phdr[0];

    (void)state;
    file.phdr[0] = file.phdr[1];
    file.phdr[1] = first;
    accept();
    assert_int_equal(image.segment_count, 2);
    assert_int_equal(image.segments[0].vaddr, USER_TEXT);
    assert_int_equal(image.segments[0].flags, PF_R | PF_X);
    assert_int_equal(image.segments[1].vaddr, USER_DATA);
    assert_int_equal(image.segments[1].file_bytes, 0x80);
    assert_int_equal(image.segments[1].mem_bytes, 0x2000);
    assert_int_equal(image.segments[1].bytes[0], 0xda);
    assert_int_equal(image.entry, USER_TEXT);
    assert_true(image.is_rvc);
    image_close(&image);
}

static void a_low_program_is_a_linux_program(void **state)
{
    (void)state;
    accept();
    assert_true(image.is_linux);
    image_close(&image);
}

static void a_program_linked_into_ram_is_bare_metal(void **state)
{
    (void)state;
    elf_file_make(&file, 0x80000000, 0x80002000);
    accept();
    assert_false(image.is_linux);
    image_close(&image);
}

static void a_tohost_symbol_makes_a_low_program_bare_metal(void **state)
{
    (void)state;
    elf_file_add_symbol(&file, "tohost", USER_DATA + 0x40, 8, STT_OBJECT, 2);
    elf_file_add_symbol(&file, "fromhost", USER_DATA + 0x48, 8, STT_OBJECT, 2);
    accept();
    assert_false(image.is_linux);
    assert_int_equal(image.tohost, USER_DATA + 0x40);
    assert_int_equal(image.fromhost, USER_DATA + 0x48);
    image_close(&image);
}

static void a_linux_note_makes_a_high_program_a_linux_program(void **state)
{
    static const uint32_t note[8] = {4, 16, NT_GNU_ABI_TAG, 0x00554e47, 0, 4, 15, 0};

    (void)state;
    elf_file_make(&file, 0x90000000, 0x90002000);
    memcpy(&file.bytes[0x1f00], note, sizeof note);
    file.phdr[2] = (Elf64_Phdr){.p_type = PT_NOTE, .p_offset = 0x1f00, .p_filesz = sizeof note};
    file.ehdr.e_phnum = 3;
    accept();
    assert_true(image.is_linux);
    image_close(&image);
}

static void a_static_pie_is_moved_to_its_base(void **state)
{
    static const Elf64_Dyn dynamic[2] = {{DT_FLAGS_1, {DF_1_PIE}}, {DT_NULL, {0}}};

    (void)state;
    elf_file_make(&file, 0x1000, 0x3000);
    elf_file_add_symbol(&file, "main", 0x1010, 16, STT_FUNC, 1);
    memcpy(&file.bytes[0x1f00], dynamic, sizeof dynamic);
    file.ehdr.e_type = ET_DYN;
    file.phdr[2] = (Elf64_Phdr){.p_type = PT_DYNAMIC, .p_offset = 0x1f00,
                                .p_filesz = sizeof dynamic};
    file.ehdr.e_phnum = 3;
    accept();
    assert_int_equal(image.bias, IMAGE_PIE_BASE);
    assert_int_equal(image.entry, IMAGE_PIE_BASE + 0x1000);
    assert_int_equal(image.segments[1].vaddr, IMAGE_PIE_BASE + 0x3000);
    assert_int_equal(image_find_symbol(&image, "main")->addr, IMAGE_PIE_BASE + 0x1010);
    assert_int_equal(image_find_section(&image, ".data")->addr, IMAGE_PIE_BASE + 0x3000);
    image_close(&image);
}

static void the_program_headers_in_memory_are_found(void **state)
{
    (void)state;
    file.phdr[0].p_offset = 0;
    accept();
    assert_int_equal(image.phdr_vaddr, USER_TEXT + 64);
    assert_int_equal(image.phdr_count, 2);
    assert_int_equal(image.phdr_bytes, 56);
    image_close(&image);
}

static void a_file_without_section_headers_has_no_symbols(void **state)
{
    (void)state;
    file.ehdr.e_shoff = 0;
    file.ehdr.e_shnum = file.ehdr.e_shstrndx = 0;
    accept();
    assert_int_equal(image.symbol_count, 0);
    assert_int_equal(image.section_count, 0);
    assert_null(image_symbol_at(&image, USER_TEXT));
    image_close(&image);
}

/* ---- refused ---------------------------------------------------------------------------- */

static void a_file_that_is_not_elf_is_refused(void **state)
{
    (void)state;
    file.bytes[1] = 'X';
    refuse("not an ELF file");
    assert_int_equal(image_open_memory(&image, "empty", calloc(1, 1), 0, &diag), ERR_USAGE);
    assert_string_equal(diag.text, "empty: not an ELF file");
}

static void wrong_class_order_and_machine_are_named(void **state)
{
    (void)state;
    file.bytes[EI_CLASS] = ELFCLASSNONE;
    refuse("class");
    file.bytes[EI_CLASS] = ELFCLASS32;      /* the header's fields are elsewhere then */
    refuse("program headers");
    file.bytes[EI_CLASS] = ELFCLASS64;
    file.bytes[EI_DATA] = ELFDATA2MSB;
    refuse("little-endian");
    file.bytes[EI_DATA] = ELFDATA2LSB;
    file.ehdr.e_machine = EM_X86_64;
    refuse("another processor");
    file.ehdr.e_machine = EM_RISCV;
    file.ehdr.e_flags = 8;
    refuse("16 registers");
}

static void object_files_libraries_and_cores_are_refused(void **state)
{
    (void)state;
    file.ehdr.e_type = ET_REL;
    refuse("link it");
    file.ehdr.e_type = ET_CORE;
    refuse("not an executable");
    file.ehdr.e_type = ET_DYN;
    refuse("shared library");
}

static void a_dynamically_linked_program_says_so(void **state)
{
    (void)state;
    accept();
    assert_int_equal(image.interpreter, 0);
    image_close(&image);
    file.phdr[2] = (Elf64_Phdr){.p_type = PT_INTERP, .p_offset = 0x1f00, .p_filesz = 8,
                                .p_vaddr = 0x1f00};
    file.ehdr.e_phnum = 3;
    accept();
    assert_int_equal(image.interpreter, 0x1f00);
    image_close(&image);
}

static void every_truncation_is_refused_or_harmless(void **state)
{
    size_t bytes;

    (void)state;
    elf_file_add_symbol(&file, "main", USER_TEXT, 16, STT_FUNC, 1);
    for (bytes = 0; bytes < ELF_DATA + 0x80; bytes++) {
        assert_int_equal(open_first(bytes), ERR_USAGE);
        assert_true(strlen(diag.text) > 9);
    }
    assert_int_equal(open_first(ELF_DATA + 0x80), ERR_OK);
    image_close(&image);
}

static void a_program_without_segments_is_refused(void **state)
{
    (void)state;
    file.phdr[0].p_type = file.phdr[1].p_type = PT_NULL;
    refuse("no segment");
    file.ehdr.e_phoff = 0;
    refuse("no program headers");
}

static void overlapping_segments_are_refused(void **state)
{
    (void)state;
    file.phdr[1].p_vaddr = USER_TEXT + 0xff;
    refuse("segments overlap at 0x100ff");
    file.phdr[1].p_vaddr = USER_TEXT + 0x100;
    accept();
    image_close(&image);
}

static void absurd_segments_are_refused(void **state)
{
    (void)state;
    file.phdr[1].p_memsz = UINT64_MAX;
    refuse("absurd size");
    file.phdr[1].p_memsz = 0x2000;
    file.phdr[1].p_vaddr = UINT64_MAX - 0x100;
    refuse("absurd size");
    file.phdr[1].p_vaddr = USER_DATA;
    file.phdr[1].p_filesz = 0x2001;
    refuse("larger in the file");
    file.phdr[1].p_memsz = UINT64_C(1) << 40;
    refuse("absurd size");
    file.phdr[1].p_memsz = UINT64_C(1) << 34;
    file.phdr[1].p_filesz = UINT64_C(1) << 33;
    refuse("beyond the end of the file");
    file.phdr[1].p_filesz = 0x10;
    file.phdr[1].p_offset = UINT64_MAX - 4;
    refuse("beyond the end of the file");
}

static void an_entry_outside_the_segments_is_refused(void **state)
{
    (void)state;
    file.ehdr.e_entry = USER_TEXT + 0x100;
    refuse("entry point 0x10100");
    file.ehdr.e_entry = USER_TEXT + 1;
    refuse("entry point");
}

static void broken_section_headers_are_refused(void **state)
{
    (void)state;
    file.ehdr.e_shoff = ELF_FILE_BYTES - 64;
    refuse("section headers");
    elf_file_make(&file, USER_TEXT, USER_DATA);
    elf_file_section(&file, 2)->sh_size = UINT64_MAX;
    refuse("section");
    elf_file_make(&file, USER_TEXT, USER_DATA);
    elf_file_section(&file, 3)->sh_size = 1 << 20;
    refuse("symbol table");
}

static void files_that_cannot_be_read_are_named(void **state)
{
    (void)state;
    assert_int_equal(image_open(&image, "/nowhere/app.elf", &diag), ERR_IO);
    assert_string_equal(diag.text, "/nowhere/app.elf: No such file or directory");
    assert_int_equal(image_open(&image, "/", &diag), ERR_USAGE);
    assert_string_equal(diag.text, "/: not a file; an ELF executable is expected");
    image_close(&image);
}

/* ---- symbols ---------------------------------------------------------------------------- */

static void names_that_are_no_addresses_are_left_out(void **state)
{
    (void)state;
    elf_file_add_symbol(&file, "$xrv64i", USER_TEXT, 0, STT_NOTYPE, 1);
    elf_file_add_symbol(&file, ".Llocal", USER_TEXT, 0, STT_NOTYPE, 1);
    elf_file_add_symbol(&file, "offset", 8, 8, STT_TLS, 2);
    elf_file_add_symbol(&file, "source.c", 0, 0, STT_FILE, SHN_ABS);
    elf_file_add_symbol(&file, "missing", 0, 0, STT_NOTYPE, SHN_UNDEF);
    elf_file_add_symbol(&file, "main", USER_TEXT, 8, STT_FUNC, 1);
    elf_file_add_symbol(&file, "$dollar", USER_TEXT + 8, 8, STT_FUNC, 1);
    accept();
    assert_int_equal(image.symbol_count, 2);
    assert_string_equal(image.symbols[0].name, "main");
    assert_string_equal(image.symbols[1].name, "$dollar");
    image_close(&image);
}

static void an_address_belongs_to_the_function_around_it(void **state)
{
    (void)state;
    elf_file_add_symbol(&file, "second", USER_TEXT + 0x40, 0x20, STT_FUNC, 1);
    elf_file_add_symbol(&file, "first", USER_TEXT, 0x40, STT_FUNC, 1);
    elf_file_add_symbol(&file, "inside", USER_TEXT + 0x10, 0, STT_NOTYPE, 1);
    elf_file_add_symbol(&file, "table", USER_DATA + 8, 64, STT_OBJECT, 2);
    accept();
    assert_string_equal(image_symbol_at(&image, USER_TEXT + 0x3f)->name, "first");
    assert_string_equal(image_symbol_at(&image, USER_TEXT + 0x10)->name, "first");
    assert_string_equal(image_symbol_at(&image, USER_TEXT + 0x40)->name, "second");
    assert_null(image_symbol_at(&image, USER_TEXT + 0x60));
    assert_string_equal(image_symbol_at(&image, USER_DATA + 71)->name, "table");
    assert_null(image_symbol_at(&image, USER_DATA + 7));
    assert_null(image_symbol_at(&image, 0));
    assert_null(image_symbol_at(&image, UINT64_MAX));
    image_close(&image);
}

static void a_code_label_reaches_to_the_next_one_or_the_end_of_its_section(void **state)
{
    (void)state;
    elf_file_add_symbol(&file, "start", USER_TEXT, 0, STT_NOTYPE, 1);
    elf_file_add_symbol(&file, "alias", USER_TEXT + 0x20, 0, STT_NOTYPE, 1);
    elf_file_add_symbol(&file, "loop", USER_TEXT + 0x20, 0, STT_NOTYPE, 1);
    elf_file_add_symbol(&file, "datum", USER_DATA, 0, STT_NOTYPE, 2);
    accept();
    assert_int_equal(image_find_symbol(&image, "start")->bytes, 0x20);
    assert_int_equal(image_find_symbol(&image, "loop")->bytes, 0xe0);
    assert_int_equal(image_find_symbol(&image, "alias")->bytes, 0xe0);
    assert_true(image_find_symbol(&image, "loop")->is_function);
    assert_false(image_find_symbol(&image, "datum")->is_function);
    image_close(&image);
}

static void a_data_label_reaches_to_the_next_one_or_the_end_of_its_section(void **state)
{
    (void)state;
    elf_file_add_symbol(&file, "__DATA_BEGIN__", USER_DATA, 0, STT_NOTYPE, 2);
    elf_file_add_symbol(&file, "datum", USER_DATA, 0, STT_NOTYPE, 2);
    elf_file_add_symbol(&file, "same", USER_DATA, 0, STT_NOTYPE, 2);
    elf_file_add_symbol(&file, "sized", USER_DATA + 0x10, 0x20, STT_OBJECT, 2);
    elf_file_add_symbol(&file, "inside", USER_DATA + 0x18, 0, STT_NOTYPE, 2);
    elf_file_add_symbol(&file, "last", USER_DATA + 0x40, 0, STT_NOTYPE, 2);
    elf_file_add_symbol(&file, "_edata", USER_DATA + 0x80, 0, STT_NOTYPE, 2);
    accept();
    assert_int_equal(image_find_symbol(&image, "datum")->bytes, 0x10);
    assert_int_equal(image_find_symbol(&image, "same")->bytes, 0x10);
    assert_int_equal(image_find_symbol(&image, "__DATA_BEGIN__")->bytes, 0);
    assert_int_equal(image_find_symbol(&image, "inside")->bytes, 0);
    assert_int_equal(image_find_symbol(&image, "last")->bytes, 0x40);
    assert_string_equal(image_symbol_at(&image, USER_DATA + 0x1f)->name, "sized");
    assert_string_equal(image_symbol_at(&image, USER_DATA + 0x7f)->name, "last");
    assert_null(image_symbol_at(&image, USER_DATA + 0x30));
    image_close(&image);
}

static void a_section_gives_its_content(void **state)
{
    const struct image_section *section;

    (void)state;
    accept();
    section = image_find_section(&image, ".data");
    assert_non_null(section);
    assert_int_equal(section->bytes, 0x80);
    assert_int_equal(section->content[0x7f], 0xda);
    assert_false(section->is_code);
    assert_true(image_find_section(&image, ".text")->is_code);
    assert_null(image_find_section(&image, ".bss"));
    image_close(&image);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup(name, set_up)
    const struct CMUnitTest tests[] = {
        CASE(segments_come_in_the_order_of_addresses),
        CASE(a_low_program_is_a_linux_program),
        CASE(a_program_linked_into_ram_is_bare_metal),
        CASE(a_tohost_symbol_makes_a_low_program_bare_metal),
        CASE(a_linux_note_makes_a_high_program_a_linux_program),
        CASE(a_static_pie_is_moved_to_its_base),
        CASE(the_program_headers_in_memory_are_found),
        CASE(a_file_without_section_headers_has_no_symbols),
        CASE(a_file_that_is_not_elf_is_refused),
        CASE(wrong_class_order_and_machine_are_named),
        CASE(object_files_libraries_and_cores_are_refused),
        CASE(a_dynamically_linked_program_says_so),
        CASE(every_truncation_is_refused_or_harmless),
        CASE(a_program_without_segments_is_refused),
        CASE(overlapping_segments_are_refused),
        CASE(absurd_segments_are_refused),
        CASE(an_entry_outside_the_segments_is_refused),
        CASE(broken_section_headers_are_refused),
        CASE(files_that_cannot_be_read_are_named),
        CASE(names_that_are_no_addresses_are_left_out),
        CASE(an_address_belongs_to_the_function_around_it),
        CASE(a_code_label_reaches_to_the_next_one_or_the_end_of_its_section),
        CASE(a_data_label_reaches_to_the_next_one_or_the_end_of_its_section),
        CASE(a_section_gives_its_content),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
