# SPDX-License-Identifier: BSD-3-Clause
# loadstone view: the page's data in C, its program in viz-export/web, bundled by npm and compiled in. The bundle is part of the
# distribution, so that only a checkout needs npm; without it `loadstone view` says what is missing.
libvizexport_la_SOURCES += \
    viz-export/vx_base64.c viz-export/vx_base64.h \
    viz-export/vx_pack.c viz-export/vx_pack.h \
    viz-export/vx_places.c viz-export/vx_places.h \
    viz-export/vx_view.c viz-export/vx_view.h viz-export/vx_view_parts.h \
    viz-export/vx_view_fields.c \
    viz-export/vx_view_patterns.c \
    viz-export/vx_view_places.c viz-export/vx_view_places.h \
    viz-export/vx_view_tables.c \
    viz-export/vx_view_tiles.c
nodist_libvizexport_la_SOURCES = viz-export/vx_view_bundle.c
libvizexport_la_LIBADD += $(ZLIB_LIBS)

view_web_sources = \
    viz-export/web/build.mjs \
    viz-export/web/package.json \
    viz-export/web/package-lock.json \
    viz-export/web/src/aggregate.js \
    viz-export/web/src/barlist.js \
    viz-export/web/src/bars.js \
    viz-export/web/src/chart.js \
    viz-export/web/src/code.js \
    viz-export/web/src/colours.js \
    viz-export/web/src/dom.js \
    viz-export/web/src/format.js \
    viz-export/web/src/head.js \
    viz-export/web/src/latency.js \
    viz-export/web/src/main.js \
    viz-export/web/src/map.js \
    viz-export/web/src/map_detail.js \
    viz-export/web/src/map_filtered.js \
    viz-export/web/src/map_grid.js \
    viz-export/web/src/map_mesh.js \
    viz-export/web/src/map_places.js \
    viz-export/web/src/map_values.js \
    viz-export/web/src/metrics.js \
    viz-export/web/src/model.js \
    viz-export/web/src/parallel.js \
    viz-export/web/src/patterns.js \
    viz-export/web/src/range.js \
    viz-export/web/src/scalebar.js \
    viz-export/web/src/selection.js \
    viz-export/web/src/style.css \
    viz-export/web/src/theme.js \
    viz-export/web/src/timeline.js \
    viz-export/web/src/tip.js \
    viz-export/web/src/tree.js \
    viz-export/web/src/tree_icicle.js \
    viz-export/web/src/tree_round.js \
    viz-export/web/src/tree_table.js \
    viz-export/web/src/treekeys.js \
    viz-export/web/src/unpack.js
view_bundle = viz-export/web/bundle/view.js viz-export/web/bundle/view.css
dist_noinst_SCRIPTS += viz-export/web/bundle.sh viz-export/web/embed.sh
EXTRA_DIST += $(view_web_sources) $(view_bundle)

viz-export/web/bundle/view.js: $(view_web_sources)
	$(AM_V_GEN)$(SHELL) $(srcdir)/viz-export/web/bundle.sh $(srcdir)/viz-export/web viz-export/web
viz-export/web/bundle/view.css: viz-export/web/bundle/view.js
viz-export/vx_view_bundle.c: viz-export/web/bundle/view.js viz-export/web/embed.sh
	$(AM_V_GEN)$(MKDIR_P) viz-export && bundle=`dirname $<` && \
	    $(SHELL) $(srcdir)/viz-export/web/embed.sh "$$bundle" > $@.tmp && mv $@.tmp $@
CLEANFILES += viz-export/vx_view_bundle.c

# After npm was installed: bundle once more.
.PHONY: view-bundle
view-bundle:
	rm -f $(view_bundle) viz-export/vx_view_bundle.c
	$(MAKE) viz-export/web/bundle/view.js
# A tarball without its bundle would need npm: make WITHOUT_PAGE=yes dist makes one all the same.
dist-hook: view-bundle-check
.PHONY: view-bundle-check
view-bundle-check:
	@test -s $(distdir)/viz-export/web/bundle/view.js || \
	    { echo "$(distdir) has no program for loadstone view: install nodejs and npm, run make view-bundle" >&2; test -n "$(WITHOUT_PAGE)"; }
maintainer-clean-local: view-maintainer-clean
.PHONY: view-maintainer-clean
view-maintainer-clean:
	rm -rf viz-export/web/bundle viz-export/web/modules
