/* SPDX-License-Identifier: BSD-3-Clause */
/* The least that a plugin can do at each access: count it. Measures the cost of QEMU's interface itself. */
#include "tools/trace/plugin/trc_qemu.h"

int qemu_plugin_version = QEMU_PLUGIN_VERSION;
static uint64_t accesses;

static void on_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *user)
{
    (void)vcpu, (void)info, (void)vaddr, (void)user;
    accesses++;
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++)
        qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, i), on_access, QEMU_PLUGIN_CB_NO_REGS,
                                         QEMU_PLUGIN_MEM_RW, NULL);
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    (void)info, (void)argc, (void)argv;
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    return 0;
}
