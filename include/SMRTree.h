// SPDX-License-Identifier: BSD-3-Clause
// The semantic memory tree for C++11 and later, header-only over loadstone/smr.h. Link with -lloadstone.
//
//   SMRTree *smrt = new SMRTree();
//   SMRNode *a = smrt->addSMR("A", sizeof(double), A, &A[N * N]);
//   SMRNode *input = smrt->createSMRGroup("Input");
//   input->addGroupMember(a);
//
//   SMRDomain *matrix = smrt->createGrid("matrix", N, N);    // columns, rows
//   a->mapGrid(matrix);                                      // or: a->setNaturalDomainFunction(f);
//
// No function throws: a call that fails returns nullptr or false, and ls_last_error() has the text. A
// std::vector is registered with its present memory: register it again, under the same label, after it has
// grown. Nodes and domains belong to their tree.
//
// Thread and Signal: as in loadstone/smr.h.
#ifndef LOADSTONE_SMRTREE_H
#define LOADSTONE_SMRTREE_H

#include "loadstone/loadstone.h"
#include "loadstone/ndm.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

class SMRNode;
class SMRTree;

// A natural-domain function: a thread of Loadstone calls it with a sampled access of the node (struct
// mem_sample of loadstone/ndm.h: daddr, cost, ip, level, time, thread). It returns nullptr if it recorded the
// sample itself, or else a struct loadstone_point * with the position of the access in the domain.
typedef void *(*SMRNaturalDomainFunction)(SMRNode *, struct mem_sample *);

// A grid or a mesh that nodes are mapped onto, created by SMRTree::createGrid and createMesh.
class SMRDomain
{
  public:
    SMRDomain(const SMRDomain &) = delete;
    SMRDomain &operator=(const SMRDomain &) = delete;

    const char *label() const
    {
        return ndm_domain_label(domain);
    }
    // Support meshes that move: copy the arrays again at every begin of a phase of this thread.
    bool refreshAtPhases(bool on = true)
    {
        return ndm_domain_refresh_at_phases(domain, on) == LS_OK;
    }
    ndm_domain *handle() const
    {
        return domain;
    }

  private:
    friend class SMRTree;
    explicit SMRDomain(SMRDomain *older) : domain(nullptr), next(older)
    {
    }

    ndm_domain *domain;
    SMRDomain *next;
};

// A phase of the calling thread that lasts as long as the object:  { SMRPhase phase("assemble"); ... }
class SMRPhase
{
  public:
    explicit SMRPhase(const char *phaseName) : name(phaseName) // not copied: use a literal
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

    // Return the index of the element that contains the address; -1 if the address is outside.
    std::int64_t elementalIndexOf(const volatile void *addr) const
    {
        return indexOf(reinterpret_cast<std::uintptr_t>(addr), true);
    }
    template <typename Address, typename std::enable_if<std::is_integral<Address>::value, int>::type = 0>
    std::int64_t elementalIndexOf(Address addr) const
    {
        return indexOf(static_cast<std::uint64_t>(addr), true);
    }
    // Return the component of that element, from 0; -1 if the address is outside.
    template <typename Address, typename std::enable_if<std::is_integral<Address>::value, int>::type = 0>
    std::int64_t componentOf(Address addr) const
    {
        return indexOf(static_cast<std::uint64_t>(addr), false);
    }

    // Add member to this node, which must be a group; member leaves its previous group. Groups may contain
    // groups, but not themselves.
    bool addGroupMember(SMRNode *member)
    {
        return smr_node_add_member(node, member ? member->node : nullptr) == LS_OK;
    }

    // Set a new extent after the buffer was resized or moved.
    bool resize(const volatile void *start, const volatile void *end)
    {
        return smr_node_resize(node, start, end) == LS_OK;
    }

    // The map functions set the positions of the elements in the natural domain. For a group they map all
    // present ranges among its members, recursively. If a function returns false, nothing has changed, and
    // ls_last_error() names node and index.

    // Map the elements to the cells of a grid; by default x fastest, dense: an array a[nz][ny][nx].
    bool mapGrid(SMRDomain *domain)
    {
        return ndm_map_grid(node, handleOf(domain), nullptr) == LS_OK;
    }
    bool mapGrid(SMRDomain *domain, const ndm_layout &layout)
    {
        return ndm_map_grid(node, handleOf(domain), &layout) == LS_OK;
    }
    bool mapGrid(SMRDomain *domain, ndm_order order)
    {
        ndm_layout layout = ndm_layout();
        layout.order = order;
        return mapGrid(domain, layout);
    }
    // Map element i to cell or point i of a mesh.
    bool mapMesh(SMRDomain *domain, ndm_centering centering, std::size_t elementsPerEntity = 1)
    {
        return ndm_map_mesh(node, handleOf(domain), centering, elementsPerEntity) == LS_OK;
    }
    bool mapCells(SMRDomain *domain, std::size_t elementsPerCell = 1)
    {
        return mapMesh(domain, NDM_CELLS, elementsPerCell);
    }
    bool mapPoints(SMRDomain *domain, std::size_t elementsPerPoint = 1)
    {
        return mapMesh(domain, NDM_POINTS, elementsPerPoint);
    }
    // Map element i to cell or point targets[i]; an element with a target below 0 has no position.
    template <typename Index, typename Alloc>
    bool mapIndirect(SMRDomain *domain, const std::vector<Index, Alloc> &targets,
                     ndm_centering centering = NDM_CELLS, std::size_t elementsPerTarget = 1)
    {
        static_assert(std::is_integral<Index>::value && (sizeof(Index) == 4 || sizeof(Index) == 8),
                      "targets are integers of 4 or 8 bytes");
        const ndm_indirection indirection = {targets.data(),    targets.size(), sizeof(Index), 0,
                                             elementsPerTarget, centering};
        return mapIndirect(domain, indirection);
    }
    bool mapIndirect(SMRDomain *domain, const ndm_indirection &indirection)
    {
        return ndm_map_indirect(node, handleOf(domain), &indirection) == LS_OK;
    }
    // Let a function of the program determine the positions; nullptr: end that. The domain is required if the
    // function returns points. A node with another kind of map must be unmapped first.
    bool setNaturalDomainFunction(SMRNaturalDomainFunction function, SMRDomain *domain = nullptr)
    {
        if (!function) return unmap();
        return ndm_map_callback(node, handleOf(domain), callFunction, reinterpret_cast<void *>(function)) ==
               LS_OK;
    }
    bool unmap()
    {
        return ndm_unmap(node) == LS_OK;
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

    static ndm_domain *handleOf(SMRDomain *domain)
    {
        return domain ? domain->handle() : nullptr;
    }

    // user is the function itself; the node is the range that was accessed, also when a group was mapped.
    static void *callFunction(smr_node *n, struct mem_sample *sample, void *user)
    {
        const SMRNaturalDomainFunction function = reinterpret_cast<SMRNaturalDomainFunction>(user);
        SMRNode *bound = static_cast<SMRNode *>(smr_node_binding(n));
        SMRNode unbound(n); // for a range that was registered by the C functions
        return function(bound ? bound : &unbound, sample);
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
    template <typename T> struct IsString : std::is_same<T, std::string> {
    };
    // A type of elements that lie in the memory of an array: no vectors, whose elements are elsewhere.
    template <typename T> struct IsPlain : std::integral_constant<bool, !std::is_void<T>::value> {
    };
    template <typename T, typename Alloc> struct IsPlain<std::vector<T, Alloc>> : std::false_type {
    };
    template <typename T, typename Alloc> struct IsPlain<const std::vector<T, Alloc>> : std::false_type {
    };

  public:
    SMRTree() : tree(nullptr), domains(nullptr)
    {
        smr_tree_new(&tree);
    } // without memory every call fails, but none crashes
    ~SMRTree()
    {
        if (tree) endMaps(smr_tree_first(tree)); // no natural-domain function uses a node after this
        if (tree) smr_tree_walk(tree, dropBinding, nullptr);
        smr_tree_free(tree);
        while (domains) {
            SMRDomain *older = domains->next;
            ndm_domain_free(domains->domain);
            delete domains;
            domains = older;
        }
    }
    SMRTree(const SMRTree &) = delete;
    SMRTree &operator=(const SMRTree &) = delete;

    // Register [start, end), elements of `dims` components of elemSize bytes each. The same label at the same
    // start returns the same node with the new extent. elemSize 0 or an empty range is an error.
    SMRNode *addSMR(const char *label, const volatile void *start, const volatile void *end,
                    std::size_t elemSize, std::size_t dims = 1)
    {
        const smr_spec spec = {label, start, end, elemSize, dims};
        smr_node *n = nullptr;
        return smr_tree_insert(tree, &spec, &n) == LS_OK ? bound(n) : nullptr;
    }
    // This is a template, so that a literal 0 as the element size cannot be taken for a pointer.
    template <typename Size, typename std::enable_if<std::is_integral<Size>::value, int>::type = 0>
    SMRNode *addSMR(const char *label, Size elemSize, const volatile void *start, const volatile void *end)
    {
        return addSMR(label, start, end, static_cast<std::size_t>(elemSize));
    }

    // Register the elements of a vector. An empty vector, which has no memory, cannot be registered.
    template <typename T, typename Alloc> SMRNode *addSMR(const char *label, const std::vector<T, Alloc> &v)
    {
        static_assert(!std::is_same<T, bool>::value, "std::vector<bool> has no elements in memory");
        return addSMR(label, v.data(), v.data() + v.size(), sizeof(T));
    }
    template <typename T, typename Alloc>
    SMRNode *addSMR(const char *, const std::vector<T, Alloc> &&) = delete;

    // Register an array of vectors. Each vector has its own block of memory, so the array becomes a group
    // `label` whose members are the ranges `label[i]`. Empty vectors have no memory and no member. If one
    // vector cannot be registered, none is.
    template <typename T, typename Alloc, std::size_t N>
    SMRNode *addSMR(const char *label, const std::vector<T, Alloc> (&vectors)[N])
    {
        return addSMR(label, &vectors[0], N);
    }
    // Register an array of vectors whose number is known only at run time.
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

    // Register `count` elements from start on. (The template before this one takes vectors.)
    template <typename T, typename Count,
              typename std::enable_if<std::is_integral<Count>::value && IsPlain<T>::value, int>::type = 0>
    SMRNode *addSMR(const char *label, T *start, Count count)
    {
        if (count < 0) return addSMR(label, start, start, sizeof(T)); // an empty range: an error
        return addSMR(label, start, start + static_cast<std::size_t>(count), sizeof(T));
    }

    // The label of every kind of range may be a std::string.
    template <typename Text, typename... Rest, typename std::enable_if<IsString<Text>::value, int>::type = 0>
    SMRNode *addSMR(const Text &label, Rest &&...rest)
    {
        return addSMR(label.c_str(), std::forward<Rest>(rest)...);
    }

    SMRNode *createSMRGroup(const std::string &label)
    {
        return createSMRGroup(label.c_str());
    }
    SMRNode *createSMRGroup(const char *label)
    {
        smr_node *n = nullptr;
        return smr_tree_insert_group(tree, label, &n) == LS_OK ? bound(n) : nullptr;
    }

    // Labels of domains may be std::string, too.
    template <typename Text, typename... Rest, typename std::enable_if<IsString<Text>::value, int>::type = 0>
    SMRDomain *createGrid(const Text &label, Rest &&...rest)
    {
        return createGrid(label.c_str(), std::forward<Rest>(rest)...);
    }
    template <typename Text, typename... Rest, typename std::enable_if<IsString<Text>::value, int>::type = 0>
    SMRDomain *createMesh(const Text &label, Rest &&...rest)
    {
        return createMesh(label.c_str(), std::forward<Rest>(rest)...);
    }

    // Create a natural domain of nx x ny x nz cells.
    SMRDomain *createGrid(const char *label, std::uint64_t nx)
    {
        return createGrid(gridOf(label, 1, nx, 1, 1));
    }
    SMRDomain *createGrid(const char *label, std::uint64_t nx, std::uint64_t ny)
    {
        return createGrid(gridOf(label, 2, nx, ny, 1));
    }
    SMRDomain *createGrid(const char *label, std::uint64_t nx, std::uint64_t ny, std::uint64_t nz)
    {
        return createGrid(gridOf(label, 3, nx, ny, nz));
    }
    SMRDomain *createGrid(const ndm_grid &grid)
    {
        return createDomain(ndm_domain_new_grid, grid);
    }

    // Create an unstructured mesh: points, and cells of one shape as lists of point numbers. y and z may be
    // empty.
    template <typename Index, typename Alloc>
    SMRDomain *createMesh(const char *label, const std::vector<double> &x, const std::vector<double> &y,
                          const std::vector<double> &z, ndm_shape shape,
                          const std::vector<Index, Alloc> &connectivity, std::uint32_t indexBase = 0)
    {
        static_assert(std::is_integral<Index>::value && (sizeof(Index) == 4 || sizeof(Index) == 8),
                      "point numbers are integers of 4 or 8 bytes");
        ndm_mesh mesh = meshOf(label, x, y, z);
        const std::size_t points = ndm_shape_points(shape);
        mesh.cells_len = points ? (connectivity.size() + points - 1) / points : connectivity.size();
        mesh.shape = shape;
        mesh.connectivity = connectivity.data();
        mesh.connectivity_len = connectivity.size();
        mesh.index_size_bytes = sizeof(Index);
        mesh.index_base = indexBase;
        return createMesh(mesh);
    }
    // Create a mesh of points without cells.
    SMRDomain *createMesh(const char *label, const std::vector<double> &x, const std::vector<double> &y,
                          const std::vector<double> &z)
    {
        return createMesh(meshOf(label, x, y, z));
    }
    SMRDomain *createMesh(const ndm_mesh &mesh)
    {
        return createDomain(ndm_domain_new_mesh, mesh);
    }

    // Free the domain; maps onto it end.
    bool removeDomain(SMRDomain *domain)
    {
        SMRDomain **at = &domains;
        while (*at && *at != domain)
            at = &(*at)->next;
        if (!*at) return false;
        *at = domain->next;
        ndm_domain_free(domain->domain);
        delete domain;
        return true;
    }

    // Call node->setNaturalDomainFunction.
    bool setNaturalDomainFunction(SMRNode *node, SMRNaturalDomainFunction function,
                                  SMRDomain *domain = nullptr)
    {
        return node && node->setNaturalDomainFunction(function, domain);
    }

    // End and delete a node; the members of a group stay.
    bool removeSMR(SMRNode *node)
    {
        if (!node || smr_node_remove(node->node) != LS_OK) return false;
        delete node;
        return true;
    }

    // Return the innermost range of this tree that contains the address, or nullptr.
    SMRNode *findSMR(const volatile void *addr) const
    {
        smr_node *n = smr_tree_find(tree, reinterpret_cast<std::uintptr_t>(addr));
        return n ? static_cast<SMRNode *>(smr_node_binding(n)) : nullptr;
    }

    smr_tree *handle() const
    {
        return tree;
    }

    // Settings of the session. `loadstone record` finds the executable itself and chooses the period by its
    // overhead budget: these two settings are only stored with the recording. The threshold, a latency in
    // cycles, applies to dumpAllSamples.
    void setExecutableName(const char *name)
    {
        loadstone_set("executable", name);
    }
    void setExecutableName(const std::string &name)
    {
        setExecutableName(name.c_str());
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

    // Request a text file of all timed loads so far, in the columns of MemAxes, with the position of each element in an nx x ny x nz grid.
    // The file is written when the recording is resolved, not by the program itself.
    void dumpAllSamples(const std::string &path, int nx, int ny, int nz)
    {
        dumpAllSamples(path.c_str(), nx, ny, nz);
    }
    void dumpAllSamples(const char *path, int nx, int ny, int nz)
    {
        loadstone_dump_samples(path, extent(nx), extent(ny), extent(nz));
    }

  private:
    static std::uint32_t extent(int n)
    {
        return n > 0 ? static_cast<std::uint32_t>(n) : 0;
    }

    static ndm_grid gridOf(const char *label, std::uint32_t dims, std::uint64_t nx, std::uint64_t ny,
                           std::uint64_t nz)
    {
        ndm_grid grid = ndm_grid();
        grid.label = label;
        grid.dims = dims;
        grid.extents[0] = nx;
        grid.extents[1] = ny;
        grid.extents[2] = nz;
        return grid;
    }

    static ndm_mesh meshOf(const char *label, const std::vector<double> &x, const std::vector<double> &y,
                           const std::vector<double> &z)
    {
        const std::vector<double> *coords[NDM_AXES_MAX] = {&x, &y, &z};
        ndm_mesh mesh = ndm_mesh();
        mesh.label = label;
        mesh.points_len = x.size();
        for (int k = 0; k < NDM_AXES_MAX; k++) {
            mesh.coords[k] = coords[k]->empty() ? nullptr : coords[k]->data();
            mesh.coords_len[k] = coords[k]->size();
        }
        return mesh;
    }

    template <typename Spec>
    SMRDomain *createDomain(ls_err (*make)(const Spec *, ndm_domain **), const Spec &spec)
    {
        SMRDomain *domain = new (std::nothrow) SMRDomain(domains);
        if (!domain) return nullptr;
        if (make(&spec, &domain->domain) != LS_OK) {
            delete domain;
            return nullptr;
        }
        domains = domain;
        return domain;
    }

    static void endMaps(smr_node *n)
    {
        for (; n; n = smr_node_next(n)) {
            ndm_unmap(n);
            endMaps(smr_node_first_child(n));
        }
    }

    static void setNumber(const char *name, int number)
    {
        char text[16];
        std::snprintf(text, sizeof(text), "%d", number);
        loadstone_set(name, text);
    }

    // Return the C++ object of a node; the first call creates it.
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
    SMRDomain *domains; // newest first
};

#endif
