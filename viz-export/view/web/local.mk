# SPDX-License-Identifier: BSD-3-Clause
# The program of the page of loadstone view, bundled by npm and compiled in. The bundle is part of the distribution, so that only a
# checkout needs npm; without it `loadstone view` reports the missing bundle.
view_web_sources = viz-export/view/web/build.mjs viz-export/view/web/package.json viz-export/view/web/package-lock.json \
    $(patsubst $(srcdir)/%,%,$(wildcard $(srcdir)/viz-export/view/web/src/*.js $(srcdir)/viz-export/view/web/src/*.css))
view_bundle = viz-export/view/web/bundle/view.js viz-export/view/web/bundle/view.css
dist_noinst_SCRIPTS += viz-export/view/web/bundle.sh viz-export/view/web/embed.sh
EXTRA_DIST += $(view_web_sources) $(view_bundle)

viz-export/view/web/bundle/view.js: $(view_web_sources)
	$(AM_V_GEN)$(SHELL) $(srcdir)/viz-export/view/web/bundle.sh $(srcdir)/viz-export/view/web viz-export/view/web
viz-export/view/web/bundle/view.css: viz-export/view/web/bundle/view.js
viz-export/view/vx_view_bundle.c: viz-export/view/web/bundle/view.js viz-export/view/web/embed.sh
	$(AM_V_GEN)$(MKDIR_P) viz-export/view && bundle=`dirname $<` && \
	    $(SHELL) $(srcdir)/viz-export/view/web/embed.sh "$$bundle" > $@.tmp && mv $@.tmp $@
CLEANFILES += viz-export/view/vx_view_bundle.c

# Bundle again, after npm was installed.
.PHONY: view-bundle
view-bundle:
	rm -f $(view_bundle) viz-export/view/vx_view_bundle.c
	$(MAKE) viz-export/view/web/bundle/view.js
# Refuse to make a tarball without the bundle, because building it would need npm; make WITHOUT_PAGE=yes dist makes it
# nevertheless.
dist-hook: view-bundle-check
.PHONY: view-bundle-check
view-bundle-check:
	@test -s $(distdir)/viz-export/view/web/bundle/view.js || \
	    { echo "$(distdir) has no program for loadstone view: install nodejs and npm, run make view-bundle" >&2; test -n "$(WITHOUT_PAGE)"; }
maintainer-clean-local: view-maintainer-clean
.PHONY: view-maintainer-clean
view-maintainer-clean:
	rm -rf viz-export/view/web/bundle viz-export/view/web/modules
