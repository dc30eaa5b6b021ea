#!/usr/bin/env bash
# The fixture papers into a library, one question they answer and one they do not.
# usage: demo.sh [LIBRARY]
# records: PDFs → library (ingest.sh), question → rendered answer (ask.sh); exit 0 if the first is answered and the
# second refused
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
library=${1:-demo-library}
papers=$(mktemp -d) || exit 2
trap 'rm -rf "$papers"' EXIT
# The sources of the papers lie beside them; a reader has only the PDFs. Times are kept: unchanged files stay unread.
cp -p "$here"/../fixtures/papers/*.pdf "$papers" || exit 2

say() { printf '\n$ %s\n\n' "$*"; }
ask() { say "pipelines/ask.sh $library \"$1\""; "$here/ask.sh" "$library" "$1"; }

say "pipelines/ingest.sh fixtures/papers $library"
"$here/ingest.sh" "$papers" "$library" || exit
ask "By how much does the relaxation length grow when the wheel load rises from 2 kN to 6 kN?" || { echo "demo: not answered" >&2; exit 2; }
ask "Which tyre pressure do the papers recommend for driving on sand dunes?"
[ $? -eq 1 ] || { echo "demo: the second question should have been refused" >&2; exit 2; }
printf '\nThe library stays: pipelines/ask.sh %s "your question"\n' "$library"
