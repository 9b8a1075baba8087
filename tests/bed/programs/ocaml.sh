# packages: ocaml-nox
exec ocaml $DATA/work.ml
