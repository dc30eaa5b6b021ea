#!/usr/bin/env bash
# The graph's tests against a real Neo4j server: parity with the embedded store, then failures, the last of which kills
# the server.
# usage: test-neo4j.sh FOLDER CARGO-TEST-COMMAND…   (the server is kept in FOLDER; the command runs the integration tests)
# Where Java or Maven is missing it says so and does nothing.
set -euo pipefail
folder=${1:?usage: test-neo4j.sh FOLDER COMMAND…}
shift
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
told=$("$here/neo4j.sh" start "$folder")
[ -n "$told" ] || { echo "test-neo4j: no server, so nothing is tested" >&2; exit 0; }
trap '"$here/neo4j.sh" stop "$folder"' EXIT
eval "$told"
"$@" graph_server -- --test-threads 1
TECHRAG_NEO4J_KILL=1 "$@" graph_server::zz_ -- --test-threads 1
