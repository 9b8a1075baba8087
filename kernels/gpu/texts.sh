#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: texts.sh KERNELS.cl [CLANG]: the kernels as texts in C, on standard output: their source, and with CLANG its variants as PTX.
#        texts.sh --ptx KERNELS.cl CLANG PART BYTES INDEX_BITS: one PTX text
# A PTX text has the variants of one part (move, stream) for one size of elements and one width of indices. Processors from compute
# capability 6.0 on run it: the driver compiles it for them.
set -eu

variant() { # NAME KIND MEMORY WORK STORES OPERATION TO FROM FROM2 [LAST]
    cat <<T
#define NAME $1
#define KIND $2
#define MEMORY $3
#define WORK $4
#define STORES $5
#define OPERATION $6
#define TO_AT $7
#define FROM_AT $8
#define FROM2_AT $9
#define LAST ${10:-0}
#include "$kernels"
#undef NAME
#undef KIND
#undef MEMORY
#undef WORK
#undef STORES
#undef OPERATION
#undef TO_AT
#undef FROM_AT
#undef FROM2_AT
#undef LAST
T
}

# kn_gpu_variant_name has the same names, and the file of kernels has the same numbers.
moves() {
    kind=0
    for name in gather scatter gs multigather multiscatter; do
        for memory in global:0 local:2; do
            for work in 1 4; do
                variant ${name}_${memory%:*}_w${work}_v1_regular $kind ${memory#*:} $work 0 0 0 0 0
                case $name in scatter | gs | multiscatter)
                    variant ${name}_${memory%:*}_w${work}_v1_exchange $kind ${memory#*:} $work 1 0 0 0 0 ;;
                esac
                case $name in scatter | multiscatter)
                    variant ${name}_${memory%:*}_w${work}_v1_add $kind ${memory#*:} $work 2 0 0 0 0 ;;
                esac
            done
            case $name in gather | multigather)
                for work in 1 4 8; do
                    variant ${name}_${memory%:*}_w${work}_v1_last $kind ${memory#*:} $work 0 0 0 0 0 1
                done ;;
            esac
        done
        kind=$((kind + 1))
    done
    # operations: 1 reduce, 2 chase, 3 fill, 4 update
    variant gather_chase_global_w1_v1_regular 0 0 1 0 2 0 0 0
    variant multigather_chase_global_w1_v1_regular 3 0 1 0 2 0 0 0
    for row in gather_reduce:0:1 multigather_reduce:3:1 scatter_fill:1:3 scatter_update:1:4 multiscatter_fill:4:3 multiscatter_update:4:4; do
        numbers=${row#*:}
        for work in 1 4; do
            variant ${row%%:*}_global_w${work}_v1_regular ${numbers%:*} 0 $work 0 ${numbers#*:} 0 0 0
            case $row in *reduce*) ;; *) variant ${row%%:*}_global_w${work}_v1_exchange ${numbers%:*} 0 $work 1 ${numbers#*:} 0 0 0 ;; esac
        done
    done
    variant fill_global_w4_v1_regular 6 0 4 0 0 0 0 0
}

# Location of an operand: 1 the iteration, 2 an index, 3 the first element, 4 a stride.
streams() {
    for group in :1:1 gather_:1:2 scatter_:2:1 sg_:2:2 central_:3:3 hotspot_:1:2 stride_:4:4; do
        places=${group#*:}
        operation=0
        for name in copy scale sum triad; do
            second=0
            case $name in sum | triad) second=${places#*:} ;; esac
            variant ${group%%:*}${name}_global_w4_v1_regular 5 0 4 0 $operation ${places%:*} ${places#*:} $second
            operation=$((operation + 1))
        done
    done
    variant chase_global_w1_v1_regular 7 0 1 0 0 0 0 0
}

ptx() { # PART BYTES INDEX_BITS
    case $1 in move) moves ;; *) streams ;; esac |
        "$clang" -x cl -cl-std=CL1.2 --target=nvptx64-nvidia-cuda -nogpulib -Xclang -target-cpu -Xclang sm_60 -O3 -S -o - \
            -D BYTES="$2" -D INDEX_BITS="$3" -D VECTOR=1 -D NEAR_LEN=1024 -D SHARED_BYTES=0 -
}

text() {
    sed 's/\\/\\\\/g; s/"/\\"/g; s/^/    "/; s/$/\\n"/'
}

if [ "$1" = --ptx ]; then
    kernels=$(cd "$(dirname "$2")" && pwd)/$(basename "$2") clang=$3
    ptx "$4" "$5" "$6"
    exit
fi
kernels=$(cd "$(dirname "$1")" && pwd)/$(basename "$1") clang=${2-}
echo '/* SPDX-License-Identifier: BSD-3-Clause */'
echo '/* Made by kernels/gpu/texts.sh. */'
echo '#include "kernels/gpu/kn_gpu.h"'
echo 'const char kn_gpu_source[] ='
text <"$kernels"
echo '    ;'
echo 'const struct kn_gpu_ptx kn_gpu_ptx[] = {'
for part in move stream; do
    for bytes in 8 4; do
        for bits in 32 64; do
            [ -n "$clang" ] || continue
            compiled=$(ptx $part $bytes $bits)
            echo "    {\"$part\", $bytes, $bits,"
            echo "    \"// $part, elements of $bytes bytes, indices of $bits bits\\n\""
            printf '%s\n' "$compiled" | grep -v '^[[:space:]]*//' | text
            echo '    },'
        done
    done
done
echo '    {NULL, 0, 0, NULL}};'
