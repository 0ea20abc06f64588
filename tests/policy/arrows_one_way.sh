#!/usr/bin/env bash
# usage: arrows_one_way.sh <root>
# The tree is the architecture: every #include follows the table in arrows.txt, and every folder stands in it.

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
root=$1
findings=$(mktemp)
trap 'rm -f "$findings"' EXIT

mapfile -t files < <(files_under "$root" hpp h cpp c)
((${#files[@]} > 0)) || { echo "arrows_one_way: no sources under $root"; exit 1; }

# One awk over the table (first file) and all sources. A folder is known by the longest `where` that begins its path.
(cd "$root" && awk '
    function report(text) { printf "%s:%d: %s\n", FILENAME, FNR, text }

    function home_of(path,   name, best) {
        best = ""
        for (name in where)
            if (index(path, where[name] "/") == 1 && (best == "" || length(where[name]) > length(where[best]))) best = name
        return best
    }

    function exists(path,   line, found) {
        found = (getline line < path) >= 0
        close(path)
        return found
    }

    NR == FNR {
        where[$1] = $2
        for (i = 3; i <= NF; i++) allowed[$1, $i] = 1
        next
    }

    FNR == 1 {
        home = home_of(FILENAME)
        if (home == "") report("this folder is not in arrows.txt")
    }

    home == "" || (home, "*") in allowed || !/^[ \t]*#[ \t]*include[ \t]*["<]/ { next }

    {
        quoted = /^[^<]*"/
        match($0, /["<][^">]*[">]/)
        header = substr($0, RSTART + 1, RLENGTH - 2)
        slash = index(header, "/")
        folder = substr(header, 1, slash - 1)

        if (!quoted && folder != "ronde") {
            # <net/if.h> belongs to the system although net is one of our folders: what decides is whose file it is.
            if (folder in where && exists(where[folder] substr(header, slash)))
                report("<" header "> is a header of this project: include it in quotes")
            next
        }
        if (quoted && slash == 0) { report("\"" header "\" lacks the folder in front"); next }
        if (quoted && folder == "ronde") { report("public headers are included as <" header ">"); next }

        if (!quoted) folder = "public"
        if (!(folder in where)) { report("\"" header "\" names an unknown folder"); next }
        if (folder == home || (home, folder) in allowed || (home, header) in allowed) next
        report(home " may not include " header)
    }
' <(table arrows.txt) "${files[@]}") >"$findings"

conclude arrows_one_way "$findings" "${#files[@]} files"
