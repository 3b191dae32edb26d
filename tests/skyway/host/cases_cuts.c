/* The cases in which a thread is interrupted in the middle of its objects: its next store or load hits a page without
 * access, and the handler of the fault does what another thread would do. */
#define _GNU_SOURCE /* MAP_ANONYMOUS, siginfo_t */
#include <signal.h>
#include <sys/mman.h>

#include "cases.h"
#include "skyway/registry/registry.h"
#include "runtime/heap/space.h"

#define PAGE 4096u
#define MINE 5u   /* pages of the buffer; the second one has no access at first */
#define FENCE 32u /* pages behind the buffer, never accessible */

static uint8_t *pages;
static void (*meanwhile)(void);
static int cuts;
static struct sigaction before;

static void cut(int number, siginfo_t *info, void *context) {
    (void)number, (void)context;
    EXPECT(cuts++ == 0 && (uint8_t *)info->si_addr >= pages + PAGE && (uint8_t *)info->si_addr < pages + 2 * PAGE);
    EXPECT(mprotect(pages + PAGE, PAGE, PROT_READ | PROT_WRITE) == 0);
    meanwhile();
}

static void open_pages(void) {
    pages = mmap(NULL, (MINE + FENCE) * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT(pages != MAP_FAILED && mprotect(pages, MINE * PAGE, PROT_READ | PROT_WRITE) == 0);
}

static void cut_at_second_page(void (*what)(void)) {
    const struct sigaction catches = {.sa_sigaction = cut, .sa_flags = SA_SIGINFO | SA_NODEFER};

    meanwhile = what;
    cuts = 0;
    EXPECT(mprotect(pages + PAGE, PAGE, PROT_NONE) == 0 && sigaction(SIGSEGV, &catches, &before) == 0);
}

static void close_pages(void) {
    EXPECT(cuts == 1 && sigaction(SIGSEGV, &before, NULL) == 0 && munmap(pages, (MINE + FENCE) * PAGE) == 0);
}

static hw_handle root;

/* Begins a phase and sends the same graph in it, far behind a long array, so its relative addresses are large. */
static void send_in_another_phase(void) {
    static _Alignas(8) uint8_t other_memory[CASES_MEMORY], work[1 << 14];
    struct hw_skyway_memory_sink other_sink;
    struct hw_skyway_output other;

    EXPECT(hw_skyway_shuffle_start() == HW_STATUS_OK);
    open_output(&other, &other_sink, other_memory, sizeof other_memory, work, sizeof work);
    EXPECT(hw_skyway_write(&other, hw_new_array(HW_CLASS_byte_array, 32000)) && hw_skyway_write(&other, root) &&
           hw_skyway_output_close(&other));
}

/* The phase ends between the clones of two objects. The other objects in the queue then belong to another stream, and
 * nothing may be stored at the addresses of that stream. */
CASE(phase_between_clones) {
    begin(false);
    root = lists(200, 2);
    open_pages();
    hw_skyway_memory_sink(&sink, pages, MINE * PAGE);
    cut_at_second_page(send_in_another_phase);
    EXPECT(!hw_skyway_write(&output, root) && output.status == HW_SKYWAY_NO_PHASE);
    close_pages();
    begin_output(8192, CASES_MEMORY);
    EXPECT(hw_skyway_write(&output, root) && hw_skyway_output_close(&output));
    walk();
}

static void nothing_goes(struct hw_skyway_line *line, const uint8_t *data, uint32_t bytes) {
    (void)line, (void)data, (void)bytes;
}

static int32_t nothing_comes(struct hw_skyway_line *line, uint8_t *data, uint32_t capacity, uint32_t wait) {
    (void)line, (void)data, (void)capacity, (void)wait;
    return -1;
}

static uint32_t no_time(struct hw_skyway_line *line) {
    (void)line;
    return 0;
}

/* Joins a driver that does not answer. */
static void join_nobody(void) {
    static struct hw_skyway_line cut_line = {.put = nothing_goes, .get = nothing_comes, .now = no_time};
    static struct skyway_link link;

    skyway_link_open(&link, &cut_line);
    EXPECT(hw_skyway_join(&link, &hw_skyway_java_loader) == HW_SKYWAY_LOST_DRIVER);
}

/* The machine joins another registry between two objects that are received at once: the buffer is rejected, nobody is
 * asked for its classes, and the collector's tables contain nothing of it. */
CASE(registry_between_objects) {
    static _Alignas(8) uint8_t work[1024];
    hw_handle copy;

    begin(false);
    open_pages();
    hw_skyway_memory_sink(&sink, pages, MINE * PAGE);
    hw_handle nodes = lists(300, 1);

    EXPECT(hw_skyway_write(&output, nodes) && hw_skyway_output_close(&output) && sink.sink.at > pages + 2 * PAGE + 64);
    open_input(pages, (uint32_t)(sink.sink.at - pages), work, sizeof work);
    cut_at_second_page(join_nobody);
    EXPECT(!hw_skyway_read(&input, &copy) && input.status == HW_SKYWAY_OTHER_REGISTRY);
    close_pages();
    for (uint32_t granule = 0; granule < (hw_space.limit - hw_space.base) >> HW_GRANULE_SHIFT; granule += 32)
        EXPECT(hw_space.marks[granule / 32] == 0);
    walk();
}
