/* The build ID of the program that this process runs. */
#define _GNU_SOURCE 1

#include "CLatticeProcess.h"

#include <string.h>

#if defined(__linux__)

#include <elf.h>
#include <link.h>

struct build {
    uint8_t *bytes;
    size_t size;
    size_t count;
};

static size_t padded(size_t size, size_t alignment) { return (size + alignment - 1) / alignment * alignment; }

static void look_through(const uint8_t *notes, size_t size, size_t alignment, struct build *build)
{
    const char name[] = "GNU";
    ElfW(Nhdr) note;
    while (build->count == 0 && size > sizeof note) {
        memcpy(&note, notes, sizeof note);
        size_t content = padded(sizeof note + note.n_namesz, alignment);
        if (content > size || note.n_descsz > size - content) return;
        int is_build = note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof name
            && memcmp(notes + sizeof note, name, sizeof name) == 0;
        if (is_build) {
            build->count = note.n_descsz < build->size ? note.n_descsz : build->size;
            memcpy(build->bytes, notes + content, build->count);
        }
        size_t next = padded(content + note.n_descsz, alignment);
        if (next > size) return;
        notes += next;
        size -= next;
    }
}

/* The first object is the program itself. */
static int look_at_program(struct dl_phdr_info *program, size_t size, void *build)
{
    (void)size;
    for (size_t i = 0; i < program->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &program->dlpi_phdr[i];
        if (part->p_type != PT_NOTE) continue;
        const uint8_t *notes = (const uint8_t *)(program->dlpi_addr + part->p_vaddr);
        look_through(notes, part->p_memsz, part->p_align == 8 ? 8 : 4, build);
    }
    return 1;
}

size_t lattice_build(uint8_t *bytes, size_t size)
{
    struct build build = {bytes, size, 0};
    dl_iterate_phdr(look_at_program, &build);
    return build.count;
}

#else

#include <mach-o/dyld.h>
#include <mach-o/loader.h>

size_t lattice_build(uint8_t *bytes, size_t size)
{
    const struct mach_header_64 *program = (const struct mach_header_64 *)_dyld_get_image_header(0);
    if (program == NULL || program->magic != MH_MAGIC_64) return 0;
    const uint8_t *commands = (const uint8_t *)(program + 1);
    for (uint32_t i = 0; i < program->ncmds; i++) {
        const struct load_command *command = (const struct load_command *)commands;
        const struct uuid_command *build = (const struct uuid_command *)commands;
        if (command->cmd == LC_UUID && size >= sizeof build->uuid) {
            memcpy(bytes, build->uuid, sizeof build->uuid);
            return sizeof build->uuid;
        }
        commands += command->cmdsize;
    }
    return 0;
}

#endif
