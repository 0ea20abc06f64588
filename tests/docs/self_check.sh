#!/usr/bin/env bash
# usage: self_check.sh <docs_protocol_tables>
# The checkers of this folder are shown documents and trees that each break one rule, and must say so.

set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tables=$1
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT

must_refuse() {
    local why=$1 pattern=$2 output status=0
    shift 2
    output=$("$@" 2>&1) || status=$?
    if ((status == 0)) || ! grep -qE -- "$pattern" <<<"$output"; then
        printf 'self_check: not refused: %s (status %d)\n%s\n' "$why" "$status" "$output"
        exit 1
    fi
}

mkdir -p "$room/tree/docs" "$room/tree/runtime"
printf '## 5 Bootstrap\n### 5.6 Retries\n' >"$room/tree/docs/protocol.md"

printf '// why [5.6], see clauses 5 and 5.6\n' >"$room/tree/runtime/a.cpp"
"$here/clauses_exist.sh" "$room/tree"
printf '// why [5.9]\n' >"$room/tree/runtime/a.cpp"
must_refuse 'a clause in brackets that does not exist' 'a.cpp:1 cites clause 5.9' "$here/clauses_exist.sh" "$room/tree"
printf '// see clauses 5.6 and 4.1\n' >"$room/tree/runtime/a.cpp"
must_refuse 'the second of two clauses' 'cites clause 4.1' "$here/clauses_exist.sh" "$room/tree"
printf '    {created, EventKind::start, to(x), "8.1"},\n' >"$room/tree/runtime/a.cpp"
must_refuse 'the clause of a transition' 'cites clause 8.1' "$here/clauses_exist.sh" "$room/tree"
printf 'int x;\n' >"$room/tree/runtime/a.cpp"
must_refuse 'a tree without citations' 'no citation' "$here/clauses_exist.sh" "$room/tree"

document=$room/protocol.md
must_refuse 'a document without regions' "'codes' is missing" "$tables" /dev/null
# shellcheck disable=SC2016  # those are Markdown's backticks
printf '<!-- generated: codes -->\n| 0 | `fine` |\n<!-- end -->\n' >"$document"
must_refuse 'a region out of date' "'codes' is out of date" "$tables" "$document"
printf '<!-- generated: poems -->\n<!-- end -->\n' >"$document"
must_refuse 'a region nobody knows' "nobody generates a region 'poems'" "$tables" "$document"
printf '<!-- generated: codes -->\n' >"$document"
must_refuse 'a region without an end' "'codes' has no end" "$tables" "$document"
echo 'self_check: every rule was seen to refuse'
