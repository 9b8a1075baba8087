# SPDX-License-Identifier: BSD-3-Clause
# packages: ocaml-nox
exec ocaml $DATA/work.ml
