// SPDX-License-Identifier: BSD-3-Clause
// The semantic memory tree for C++11 and later, header-only over loadstone/smr.h. Link with -lloadstone.
//
//   SMRTree *smrt = new SMRTree();
//   SMRNode *a = smrt->addSMR("A", sizeof(double), A, &A[N * N]);
//   SMRNode *input = smrt->createSMRGroup("Input");
//   input->addGroupMember(a);
//
// Nothing here throws: a call that fails returns nullptr or false, and ls_last_error() has the text. A
// std::vector is registered as it is now: register it again, under the same label, after it has grown. Nodes
// belong to their tree.
#ifndef LOADSTONE_SMRTREE_H
#define LOADSTONE_SMRTREE_H

#include "loadstone/loadstone.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <new>
#include <type_traits>
#include <vector>

// One sampled access, as natural-domain functions see it.
struct mem_sample {
    std::uint64_t daddr; // address accessed
    std::uint64_t cost;  // load latency in cycles
    std::uint64_t ip;    // the instruction
    int level;           // 0 L1, 1 L2, 2 L3, 3 memory; -1 not known
    std::uint64_t time;  // CLOCK_MONOTONIC, ns
    std::uint32_t thread;
};

class SMRTree;

// A phase of the calling thread, as long as the object lives:  { SMRPhase phase("assemble"); ... }
class SMRPhase
{
  public:
    explicit SMRPhase(const char *phaseName) : name(phaseName) // kept, not copied: a literal is best
    {
        loadstone_phase_begin(name);
    }
    ~SMRPhase()
    {
        loadstone_phase_end(name);
    }
    SMRPhase(const SMRPhase &) = delete;
    SMRPhase &operator=(const SMRPhase &) = delete;

  private:
    const char *name;
};

class SMRNode
{
  public:
    SMRNode(const SMRNode &) = delete;
    SMRNode &operator=(const SMRNode &) = delete;

    // Index of the element that holds the address; -1 when it lies outside.
    std::int64_t elementalIndexOf(const volatile void *addr) const
    {
        return indexOf(reinterpret_cast<std::uintptr_t>(addr), true);
    }
    template <typename Address, typename std::enable_if<std::is_integral<Address>::value, int>::type = 0>
    std::int64_t elementalIndexOf(Address addr) const
    {
        return indexOf(static_cast<std::uint64_t>(addr), true);
    }
    // Component of that element, from 0; -1 when the address lies outside.
    template <typename Address, typename std::enable_if<std::is_integral<Address>::value, int>::type = 0>
    std::int64_t componentOf(Address addr) const
    {
        return indexOf(static_cast<std::uint64_t>(addr), false);
    }

    // This node is a group: member joins it and leaves the group it was in. Groups may hold groups, not
    // themselves.
    bool addGroupMember(SMRNode *member)
    {
        return smr_node_add_member(node, member ? member->node : nullptr) == LS_OK;
    }

    // The buffer was resized or moved.
    bool resize(const volatile void *start, const volatile void *end)
    {
        return smr_node_resize(node, start, end) == LS_OK;
    }

    const char *label() const
    {
        return smr_node_label(node);
    }
    bool isGroup() const
    {
        return smr_node_is_group(node) != 0;
    }
    bool isAlive() const
    {
        return smr_node_is_alive(node) != 0;
    }
    void *userData() const
    {
        return smr_node_user(node);
    }
    void setUserData(void *user)
    {
        smr_node_set_user(node, user);
    }
    smr_node *handle() const
    {
        return node;
    }

  private:
    friend class SMRTree;
    explicit SMRNode(smr_node *n) : node(n)
    {
    }

    std::int64_t indexOf(std::uint64_t addr, bool element) const
    {
        std::uint64_t index[2];
        if (smr_node_index_of(node, addr, &index[0], &index[1]) != LS_OK) return -1;
        return static_cast<std::int64_t>(index[element ? 0 : 1]);
    }

    smr_node *node;
};

class SMRTree
{
  public:
    SMRTree() : tree(nullptr)
    {
        smr_tree_new(&tree);
    } // without memory every call fails, none crashes
    ~SMRTree()
    {
        if (tree) smr_tree_walk(tree, dropBinding, nullptr);
        smr_tree_free(tree);
    }
    SMRTree(const SMRTree &) = delete;
    SMRTree &operator=(const SMRTree &) = delete;

    // [start, end) holds elements of `dims` components of elemSize bytes each. The same label at the same
    // start gives the same node with the new extent. elemSize 0 or an empty range is an error.
    SMRNode *addSMR(const char *label, const volatile void *start, const volatile void *end,
                    std::size_t elemSize, std::size_t dims = 1)
    {
        const smr_spec spec = {label, start, end, elemSize, dims};
        smr_node *n = nullptr;
        return smr_tree_insert(tree, &spec, &n) == LS_OK ? bound(n) : nullptr;
    }
    // A template, so that a literal 0 as the element size is no candidate for a pointer.
    template <typename Size, typename std::enable_if<std::is_integral<Size>::value, int>::type = 0>
    SMRNode *addSMR(const char *label, Size elemSize, const volatile void *start, const volatile void *end)
    {
        return addSMR(label, start, end, static_cast<std::size_t>(elemSize));
    }

    // The elements of a vector; one whose memory is not there yet (empty) cannot be registered.
    template <typename T, typename Alloc> SMRNode *addSMR(const char *label, const std::vector<T, Alloc> &v)
    {
        static_assert(!std::is_same<T, bool>::value, "std::vector<bool> has no elements in memory");
        return addSMR(label, v.data(), v.data() + v.size(), sizeof(T));
    }
    template <typename T, typename Alloc>
    SMRNode *addSMR(const char *, const std::vector<T, Alloc> &&) = delete;

    // An array of vectors has its elements in as many blocks as it has vectors: it becomes a group `label`
    // whose members are the ranges `label[i]`. Empty vectors have no memory and no member. All or nothing.
    template <typename T, typename Alloc, std::size_t N>
    SMRNode *addSMR(const char *label, const std::vector<T, Alloc> (&vectors)[N])
    {
        return addSMR(label, &vectors[0], N);
    }
    // The same where the number of vectors is known only at run time.
    template <typename T, typename Alloc, typename Count,
              typename std::enable_if<std::is_integral<Count>::value, int>::type = 0>
    SMRNode *addSMR(const char *label, const std::vector<T, Alloc> *vectors, Count count)
    {
        SMRNode *group = createSMRGroup(label);
        if (!group) return nullptr;
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); i++) {
            if (vectors[i].empty()) continue;
            char name[256];
            std::snprintf(name, sizeof(name), "%.220s[%zu]", label, i);
            SMRNode *member = addSMR(name, vectors[i]);
            if (member && group->addGroupMember(member)) continue;
            removeMembers(group);
            removeSMR(group);
            return nullptr;
        }
        return group;
    }

    SMRNode *createSMRGroup(const char *label)
    {
        smr_node *n = nullptr;
        return smr_tree_insert_group(tree, label, &n) == LS_OK ? bound(n) : nullptr;
    }

    // End and delete a node; the members of a group stay.
    bool removeSMR(SMRNode *node)
    {
        if (!node || smr_node_remove(node->node) != LS_OK) return false;
        delete node;
        return true;
    }

    // The innermost range of this tree that holds the address, or nullptr.
    SMRNode *findSMR(const volatile void *addr) const
    {
        smr_node *n = smr_tree_find(tree, reinterpret_cast<std::uintptr_t>(addr));
        return n ? static_cast<SMRNode *>(smr_node_binding(n)) : nullptr;
    }

    smr_tree *handle() const
    {
        return tree;
    }

    // The session. `loadstone record` finds the executable itself and chooses the period by its overhead
    // budget: both calls are kept with the recording and change nothing. The threshold, a latency in cycles,
    // holds for dumpAllSamples.
    void setExecutableName(const char *name)
    {
        loadstone_set("executable", name);
    }
    void setSamplingThreshold(int cycles)
    {
        setNumber("threshold", cycles);
    }
    void setSamplingPeriod(int events)
    {
        setNumber("period", events);
    }
    void beginMemoryLoadSampling()
    {
        loadstone_start();
    }
    void endMemoryLoadSampling()
    {
        loadstone_stop();
    }

    // Ask for all samples so far, as a text file with the place of each element in a nx x ny x nz grid. The
    // file is written when the recording is resolved, not by the program itself.
    void dumpAllSamples(const char *path, int nx, int ny, int nz)
    {
        loadstone_dump_samples(path, extent(nx), extent(ny), extent(nz));
    }

  private:
    static std::uint32_t extent(int n)
    {
        return n > 0 ? static_cast<std::uint32_t>(n) : 0;
    }

    static void setNumber(const char *name, int number)
    {
        char text[16];
        std::snprintf(text, sizeof(text), "%d", number);
        loadstone_set(name, text);
    }

    // The C++ object of a node, made on first sight.
    SMRNode *bound(smr_node *n)
    {
        if (!smr_node_binding(n)) smr_node_set_binding(n, new (std::nothrow) SMRNode(n));
        SMRNode *node = static_cast<SMRNode *>(smr_node_binding(n));
        if (!node) smr_node_remove(n);
        return node;
    }

    void removeMembers(SMRNode *group)
    {
        while (smr_node *n = smr_node_first_child(group->node))
            if (!removeSMR(static_cast<SMRNode *>(smr_node_binding(n)))) return;
    }

    static int dropBinding(void *, smr_node *n, unsigned)
    {
        delete static_cast<SMRNode *>(smr_node_binding(n));
        smr_node_set_binding(n, nullptr);
        return 0;
    }

    smr_tree *tree;
};

#endif
