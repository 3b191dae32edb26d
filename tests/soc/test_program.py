"""A user's programs on the simulated SoC, by the command that `make program` calls. tests/examples runs examples."""

import pytest
from click.testing import CliRunner

from base.errors import HeapwireError
from heapwire import cli


def run(*words):
    return CliRunner(mix_stderr=False).invoke(cli.cli, list(map(str, words)), catch_exceptions=False)


def test_the_last_line_counts_the_work_of_software(tmp_path):
    """A message that lacks a required field is left to software, so the counter of the example `message` is not 0."""
    (tmp_path / "lacks.proto").write_text('syntax = "proto2"; package lacks; message M { required int32 a = 1; }')
    (tmp_path / "lacks.c").write_text(r"""#include <stdio.h>
#include "programs/program.h"
#include "protobuf/protobuf.h"
#include "runtime/heap/heap.h"
#include "runtime/regions.h"
#include "runtime/schema.h"
#include "units/capability.h"
int main(void)
{
    struct hw_heap_options heap = {.base = HW_FIXED_BASE, .bytes = 1u << 20};
    struct hw_protobuf context;
    hw_handle handle;

    hw_capability_discover();
    if (hw_schema_load(program_schema, program_schema_length) != HW_SCHEMA_OK || !hw_heap_init(&heap))
        return 1;
    hw_protobuf_open_heap(&context);
    hw_protobuf_read(&context, hw_schema_find("lacks.M"), program_input, program_input_length, &handle);
    printf("fallbacks %lu", (unsigned long)context.fallbacks);
    return context.status;
}
""")
    result = run("program", tmp_path / "lacks.c", "--proto", tmp_path / "lacks.proto")
    assert result.stdout == "fallbacks 1\n" and result.exit_code > 1
    assert f"the program ended with exit code {result.exit_code}" in result.stderr


def test_nanopb_in_a_program(tmp_path):
    """Streams of callbacks are nanopb's, an arena that is set back serves any number of messages, packed structs are
    refused, because they would trap, and the compiler has no complaint."""
    (tmp_path / "n.proto").write_text("""syntax = "proto3"; package n; message Plain { int32 a = 1; string s = 2; }
message Behind { string s = 1; repeated Plain p = 2; } message Packed { bool flag = 1; int32 a = 2; }""")
    (tmp_path / "n.options").write_text(
        "n.Plain.s max_size:8\nn.Behind.* type:FT_POINTER\nn.Packed packed_struct:true\n"
    )
    (tmp_path / "n.c").write_text(r"""#include <stdio.h>
#include "n.pb.h"
#include "protobuf/nanopb/nanopb.h"
#include "runtime/regions.h"
static const pb_byte_t plain[] = "\x08\x05\x12\x03" "abc", behind[] = "\x0a\x03" "abc" "\x12\x02\x08\x05";
static int calls;
static bool take(pb_istream_t *stream, pb_byte_t *to, size_t count)
{
    calls++;
    memcpy(to, stream->state, count);
    stream->state = (pb_byte_t *)stream->state + count;
    return true;
}
int main(void)
{
    n_Plain message = n_Plain_init_zero;
    pb_istream_t stream = {.callback = take, .state = (void *)plain, .bytes_left = sizeof(plain) - 1};
    if (!hw_pb_decode(&stream, n_Plain_fields, &message) || !calls) return 1;
    printf("%ld %s by software %lu\n", (long)message.a, message.s, (unsigned long)hw_nanopb_decodes.software);

    struct hw_arena arena;
    n_Behind pointers;
    int rounds = 0;
    hw_arena_init(&arena, HW_FIXED_BASE, 4096);
    hw_nanopb_allocate_in(&arena);
    do {
        uint32_t top = arena.top;
        stream = pb_istream_from_buffer(behind, sizeof(behind) - 1);
        if (!hw_pb_decode(&stream, n_Behind_fields, &pointers)) break;
        pb_release(n_Behind_fields, &pointers);
        if (rounds < 300) arena.top = top;
    } while (rounds++ < 900);
    printf("%s: %s\n", rounds > 300 && rounds < 900 ? "full at last" : "wrong", PB_GET_ERROR(&stream));

    n_Packed packed;
    stream = pb_istream_from_buffer(plain, 2);
    if (hw_pb_decode(&stream, n_Packed_fields, &packed)) return 2;
    puts(PB_GET_ERROR(&stream));
    return 0;
}
""")
    result = run("program", tmp_path / "n.c", "--proto", tmp_path / "n.proto")
    assert "n.c:" not in result.stderr
    assert result.stdout.splitlines() == [
        "5 abc by software 1",
        "full at last: the arena of hw_nanopb_allocate_in is full",
        "packed_struct: unaligned members",
    ], result.stdout + result.stderr


THREADS = r"""#include <stdlib.h>
#include <string.h>
#include "thread/thread.h"
static struct hw_thread worker;
static uint32_t stack[512];
static volatile int wrong;
static void churn(void *tag)
{
    unsigned char *kept[4] = {NULL};
    for (int i = 0; i < 400; i++) {
        unsigned char **slot = &kept[i % 4];
        if (*slot) {
            for (int at = 0; at < 40; at++) wrong += (*slot)[at] != (unsigned char)(uintptr_t)tag;
            free(*slot);
        }
        *slot = malloc(40);
        if (!*slot) abort();
        memset(*slot, (int)(uintptr_t)tag, 40);
    }
}
int main(void)
{
    hw_thread_preempt(1201);
    if (!hw_thread_start(&worker, stack, sizeof(stack), churn, (void *)1)) return 2;
    churn((void *)2);
    hw_thread_join(&worker);
    return wrong != 0;
}
"""


def test_threads_share_malloc(tmp_path):
    """A thread that is preempted inside malloc or free does not give another one its block."""
    (tmp_path / "threads.c").write_text(THREADS)
    result = run("program", tmp_path / "threads.c")
    assert result.exit_code == 0, result.stderr


LIBRARY = r"""#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "platform/cycles.h"
int main(void)
{
    char *text = malloc(100000);
    uint32_t start = cycles_now();

    memset(text, 'x', 100000);
    fprintf(stderr, "%.3f %lld ", 2.5, 1ll << 40);
    fprintf(stderr, "%s", cycles_now() != start && text[99999] == 'x' ? "and cycles" : "wrong");
    exit(7);
}
"""


@pytest.mark.parametrize(
    "source, options, code, output, told",
    [
        (LIBRARY, [], 7, "2.500 1099511627776 and cycles\n", "ended with exit code 7"),
        (
            "int main(void) { for (;;) ; }",
            ["--max-cycles", 200_000],
            1,
            "",
            'has not ended after 200,000 cycles. What to do: if it needs more, ARGS="--max-cycles N"',
        ),
        ('int main(void) { __asm__ volatile(".word 0"); return 0; }', [], 113, None, "in main at ends.c:1; ra is 0x4"),
        ("int main(void) { return -1; }", [], 123, "", "exit code -1"),
    ],
    ids=["library", "endless", "trap", "negative"],
)
def test_how_programs_end(tmp_path, source, options, code, output, told):
    (tmp_path / "ends.c").write_text(source)
    result = run("program", tmp_path / "ends.c", *options)
    assert result.exit_code == code and told in " ".join(result.stderr.split())
    assert output is None or result.stdout == output


def test_one_of_two_machines_fails(tmp_path):
    """Each knows its number. The command names the one that failed, and shows what it printed."""
    (tmp_path / "two.c").write_text(
        '#include <stdio.h>\n#include "programs/program.h"\n'
        'int main(void) { printf("this is %lu", (unsigned long)program_machine); return program_machine ? 7 : 0; }'
    )
    with pytest.raises(
        HeapwireError, match=r"machine 1 ended with finish, code 7, after [\d,]+ cycles;.*\n +this is 1"
    ):
        run("program", tmp_path / "two.c", "--machines", 2)
