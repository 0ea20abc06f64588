#!/usr/bin/env bash
# usage: files_are_rooms.sh <root>
# A file is a room: small enough to be seen from the door, finished, and standing nowhere in particular.
#
#   length    at most 500 lines
#   marker    no notes to a later self (to-do and fix-me marks)
#   tab       no tabs
#   place     no path that exists on one person's machine only
#   once      each header says #pragma once (a C header may use a guard)
#   first     a source includes the header of its own name before all others, which shows that this one needs no other
#   order     runtime/protocol: no unordered containers, whose order of iteration is no one's promise
#   fraction  runtime/protocol: no floating point, whose results depend on compiler and flags

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
root=$1
findings=$(mktemp)
trap 'rm -f "$findings"' EXIT

# This folder is left out: it has to spell what it forbids.
mapfile -t files < <(files_under "$root" hpp h cpp c sh cmake txt md | grep -v '^tests/policy/')
((${#files[@]} > 0)) || { echo "files_are_rooms: no files under $root"; exit 1; }

(cd "$root" && awk '
    function report(rule, text, line) {
        if (!((path, rule) in excepted)) printf "%s:%d: %s (%s)\n", path, line, text, rule
    }

    # What a compiler sees of a line: no strings, no line comments. Good enough for words that must not occur.
    function code_of(line) {
        gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
        sub(/\/\/.*/, "", line)
        return line
    }

    function leave_file() {
        if (path == "") return
        if (lines > 500 && !prose) report("length", lines " lines, 500 are the limit", lines)
        if (header && !once) report("once", "no #pragma once", 1)
    }

    BEGIN { for (i in ARGV) present[ARGV[i]] = 1 }

    FILENAME == exceptions { excepted[$1, $2] = 1; next }

    FNR == 1 {
        leave_file()
        path = FILENAME
        prose = path ~ /\.(md|txt)$/
        header = path ~ /\.(hpp|h)$/
        protocol = path ~ /^runtime\/protocol\//
        once = 0
        own = path
        awaited = sub(/\.cpp$/, ".hpp", own) && (own in present)
    }

    { lines = FNR }
    /^#pragma once/ || (path ~ /\.h$/ && /^#ifndef RONDE_[A-Z_]*_H$/) { once = 1 }
    awaited && /^#include/ {
        awaited = 0
        name = $2
        gsub(/["<>]/, "", name)
        if (substr(own, length(own) - length(name) + 1) != name)
            report("first", $2 " comes before the header of this file", FNR)
    }
    /(^|[^A-Za-z_])(TODO|FIXME|XXX)([^A-Za-z_]|$)/ { report("marker", "an open end", FNR) }
    /\t/ { report("tab", "a tab", FNR) }
    /(^|[^A-Za-z0-9_.*}~-])\/(home|root|work|farm|Users)\/[A-Za-z0-9_.]/ { report("place", "a path of one machine", FNR) }

    protocol {
        code = code_of($0)
        if (code ~ /unordered_/) report("order", "an unordered container", FNR)
        if (code ~ /(^|[^A-Za-z0-9_])(float|double)([^A-Za-z0-9_]|$)/) report("fraction", "floating point", FNR)
    }

    END { leave_file() }
' exceptions=/dev/fd/3 /dev/fd/3 "${files[@]}" 3< <(table rooms_exceptions.txt)) >"$findings"

conclude files_are_rooms "$findings" "${#files[@]} files"
