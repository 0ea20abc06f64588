#!/usr/bin/env bash
# usage: self_check.sh <C++ compiler> <ar>
# A checker that cannot fail proves nothing. Here each one is handed a small tree that breaks one rule and has to say
# so, and one that breaks none and has to pass.

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
compiler=$1 ar=$2
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
checks=0

# fresh_tree: a tree that keeps all rules.
fresh_tree() {
    rm -rf "${tree:?}"/*
    mkdir -p "$tree"/runtime/{protocol,net} "$tree"/docs
    printf '#pragma once\n#include <cstdint>\n' >"$tree/runtime/protocol/units.hpp"
    printf '#include "protocol/units.hpp"\n' >"$tree/runtime/net/socket.cpp"
}

# file <path> <line>...: adds a file to the tree.
file() {
    local path=$tree/$1
    shift
    [[ -d ${path%/*} ]] || mkdir -p "${path%/*}"
    printf '%s\n' "$@" >"$path"
}

# archive: compiles runtime/protocol/*.cpp of the tree, as the real one is.
archive() {
    local source
    for source in "$tree"/runtime/protocol/*.cpp; do
        "$compiler" -std=c++20 -O1 -I"$tree/runtime" -c "$source" -o "$tree/${source##*/}.o"
    done
    "$ar" qc "$tree/libronde_protocol.a" "$tree"/*.o
}

pass() {
    local output
    output=$("$policy_dir/$1" "$tree" "${@:2}") || { printf 'self_check: %s should have passed:\n%s\n' "$1" "$output"; exit 1; }
    checks=$((checks + 1))
}

# fail <text that has to be reported> <checker> [argument...]
fail() {
    local output
    if output=$("$policy_dir/$2" "$tree" "${@:3}"); then
        printf 'self_check: %s should have reported: %s\n' "$2" "$1"
        exit 1
    fi
    [[ $output == *"$1"* ]] || { printf 'self_check: %s failed, but not with: %s\n%s\n' "$2" "$1" "$output"; exit 1; }
    checks=$((checks + 1))
}

# --- arrows_one_way ---------------------------------------------------------------------------------------------

fresh_tree
file runtime/net/interface.cpp '#include <net/if.h>'
file cli/main.cpp '#include "net/socket.hpp"' '#include "ring/dot.hpp"'
pass arrows_one_way.sh

fresh_tree; file runtime/protocol/rank.cpp '#include "net/socket.hpp"'
fail 'protocol/rank.cpp:1: protocol may not include net/socket.hpp' arrows_one_way.sh
fresh_tree; file viz/ring/dot.cpp '' '#include "net/socket.hpp"'
fail 'viz/ring/dot.cpp:2: ring may not include' arrows_one_way.sh
fresh_tree; file runtime/net/a.cpp '#include "b.hpp"'
fail 'lacks the folder in front' arrows_one_way.sh
fresh_tree; file runtime/net/a.cpp '#include "elsewhere/b.hpp"'
fail 'unknown folder' arrows_one_way.sh
fresh_tree; file runtime/net/a.cpp '#include <protocol/units.hpp>'
fail 'include it in quotes' arrows_one_way.sh
fresh_tree; file runtime/extra/a.cpp 'int a;'
fail 'not in arrows.txt' arrows_one_way.sh
fresh_tree; file runtime/include/ronde/communicator.hpp '#pragma once' '#include "protocol/rank.hpp"'
fail 'public may not include protocol/rank.hpp' arrows_one_way.sh

# --- files_are_rooms --------------------------------------------------------------------------------------------

fresh_tree
file runtime/protocol/a.cpp '// a double registration, unordered_map' 'char const* text = "float";'
file docs/long.md "$(yes line | head -600)"
file runtime/net/ring.hpp '#pragma once'
file runtime/net/ring.cpp '// Rings.' '#include "net/ring.hpp"' '' '#include <vector>'
pass files_are_rooms.sh

fresh_tree; file runtime/net/long.cpp "$(yes '// line' | head -501)"
fail '501 lines' files_are_rooms.sh
fresh_tree; file runtime/net/a.cpp '' '// TODO: finish'
fail 'a.cpp:2: an open end' files_are_rooms.sh
fresh_tree; file runtime/net/a.cpp $'\tint a;'
fail 'a tab' files_are_rooms.sh
fresh_tree; file docs/a.md 'look at /home/somebody/ronde'
fail 'a path of one machine' files_are_rooms.sh
fresh_tree; file runtime/net/a.hpp 'int f();'
fail 'no #pragma once' files_are_rooms.sh
fresh_tree; file runtime/net/ring.hpp '#pragma once'; file runtime/net/ring.cpp '#include <vector>' '#include "net/ring.hpp"'
fail 'ring.cpp:1: <vector> comes before the header of this file' files_are_rooms.sh
fresh_tree; file runtime/protocol/a.cpp '#include <unordered_map>'
fail 'an unordered container' files_are_rooms.sh
fresh_tree; file runtime/protocol/a.cpp 'double a;'
fail 'floating point' files_are_rooms.sh

# --- protocol_is_pure -------------------------------------------------------------------------------------------

# `abort` is what a broken invariant ends in; it also gives the archive a reference to look at.
fresh_tree; file runtime/protocol/rank.cpp 'extern "C" void abort();' 'void step() { abort(); }'
archive; pass protocol_is_pure.sh "$tree/libronde_protocol.a"

fresh_tree; file runtime/protocol/rank.cpp '#include <sys/socket.h>' 'int step() { return socket(0, 0, 0); }'
archive; fail '<sys/socket.h> is not allowed' protocol_is_pure.sh "$tree/libronde_protocol.a"
fresh_tree; file runtime/protocol/rank.cpp 'extern "C" int socket(int, int, int);' 'int step() { return socket(0, 0, 0); }'
archive; fail 'rank.cpp: refers to socket' protocol_is_pure.sh "$tree/libronde_protocol.a"
fresh_tree; file runtime/protocol/rank.cpp 'int* step() { return new int; }'
archive; fail 'rank.cpp: refers to _Znwm' protocol_is_pure.sh "$tree/libronde_protocol.a"
fresh_tree; file runtime/protocol/rank.cpp 'void step() { throw 1; }'
archive; fail 'rank.cpp: refers to __cxa_throw' protocol_is_pure.sh "$tree/libronde_protocol.a"
fresh_tree; file runtime/protocol/rank.cpp '#include <chrono>' 'long step() { return std::chrono::steady_clock::now().time_since_epoch().count(); }'
archive; fail 'refers to _ZNSt6chrono' protocol_is_pure.sh "$tree/libronde_protocol.a"
fresh_tree; file runtime/protocol/describe.cpp '#include <string>' 'std::string text() { return std::string(100, 0); }'
archive; pass protocol_is_pure.sh "$tree/libronde_protocol.a"
fresh_tree; file runtime/protocol/describe.cpp 'extern "C" long time(long*);' 'long now() { return time(0); }'
archive; fail 'describe.cpp: refers to time' protocol_is_pure.sh "$tree/libronde_protocol.a"
fresh_tree; file runtime/protocol/rank.cpp '#include <sodium.h>' 'extern "C" void abort();' 'void step() { abort(); }'
archive; fail '<sodium.h> is not allowed' protocol_is_pure.sh "$tree/libronde_protocol.a"

# --- run_docs ---------------------------------------------------------------------------------------------------

docs() { file docs/a.md "$@"; }

fresh_tree
# shellcheck disable=SC1003,SC2016  # a literal document
docs 'Text' '```console' '$ mkdir room' '$ cd room && echo one \' '  two > a' 'output' '```' \
     '```console' '$ test "$(cat room/a)" = "one two"' '```' \
     '<!-- exit: 3 -->' '```console' '$ true' '$ sh -c "exit 3"' '```' \
     '<!-- not run: needs a cluster -->' '```console' '$ false' '```'
pass run_docs.sh docs/a.md

docs '```console' '$ true' '$ false' '$ true' '```'
fail 'docs/a.md:3: exit status 1, expected 0' run_docs.sh docs/a.md
docs '<!-- exit: 3 -->' '```console' '$ true' '```'
fail 'docs/a.md:3: exit status 0, expected 3' run_docs.sh docs/a.md
docs '<!-- exit: 3 -->' '```console' '$ sh -c "exit 3"' '$ sh -c "exit 3"' '```'
fail 'docs/a.md:3: exit status 3, expected 0' run_docs.sh docs/a.md
docs '<!-- not run: -->' '```console' '$ false' '```'
fail 'needs a reason' run_docs.sh docs/a.md
docs '```console' '$ true'
fail 'never closed' run_docs.sh docs/a.md
docs '  ```console' '  $ true' '  ```'
fail 'begin it in the first column' run_docs.sh docs/a.md

printf 'self_check: %d checks, every checker passes and fails as it should\n' "$checks"
