/* Frames and routines that are kept for images of equal content. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/run/frames/frames_store.h"

#define BUILD "${LINUX_CC:-riscv64-linux-gnu-gcc} -I. -w -static -s -O1 " \
              "tests/sim/run/frames/programs/linux.c -o "

struct analysed {
    struct image image;
    struct frames frames;
    struct frames_routines routines;
};

static void analyse(struct analysed *analysed, const char *path, uint64_t bias,
                    struct frames_store *store, bool has_frames_first)
{
    struct diag diag = {""};

    assert_int_equal(image_open_module(&analysed->image, path, bias, &diag), ERR_OK);
    analysed->image.store = store;
    if (has_frames_first)
        assert_int_equal(frames_build(&analysed->frames, &analysed->image, &diag), ERR_OK);
    assert_int_equal(frames_find_routines(&analysed->routines, &analysed->image, &diag), ERR_OK);
    if (!has_frames_first)
        assert_int_equal(frames_build(&analysed->frames, &analysed->image, &diag), ERR_OK);
}

static void forget(struct analysed *analysed)
{
    frames_free_routines(&analysed->routines);
    frames_free(&analysed->frames);
    image_close(&analysed->image);
}

/* The image has the same results with this store and without any. */
static void same_with(struct frames_store *store, const char *path, uint64_t bias,
                      bool has_frames_first)
{
    struct analysed anew, kept;

    analyse(&anew, path, bias, NULL, has_frames_first);
    analyse(&kept, path, bias, store, has_frames_first);
    assert_int_equal(anew.frames.bytes, kept.frames.bytes);
    assert_memory_equal(anew.frames.table, kept.frames.table, anew.frames.bytes);
    assert_true(anew.routines.count > 100);
    assert_int_equal(anew.routines.count, kept.routines.count);
    assert_memory_equal(anew.routines.routine, kept.routines.routine,
                        anew.routines.count * sizeof anew.routines.routine[0]);
    forget(&anew);
    forget(&kept);
}

static void stored_frames_equal_frames_found_anew(void **state)
{
    char path[] = "/tmp/frames-XXXXXX", command[256];
    int file = mkstemp(path);

    (void)state;
    assert_true(file >= 0);
    if (system("command -v ${LINUX_CC:-riscv64-linux-gnu-gcc} >/dev/null") != 0)
        skip();
    snprintf(command, sizeof command, BUILD "%s", path);
    assert_int_equal(system(command), 0);
    for (unsigned first = 0; first < 2; first++) {
        struct frames_store store = {.count = 0};

        same_with(&store, path, 0, first != 0);
        same_with(&store, path, 0, first == 0);
        assert_int_equal(store.count, 1);
        same_with(&store, path, 4096, first != 0);
        same_with(&store, path, 0, first != 0);
        assert_int_equal(store.count, 1);
        frames_store_free(&store);
    }
    close(file);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stored_frames_equal_frames_found_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
