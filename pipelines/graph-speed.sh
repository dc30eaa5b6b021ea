#!/usr/bin/env bash
# How fast the embedded graph loads and expands: a made-up corpus of 5,000 papers (graph-corpus.py).
# usage: graph-speed.sh WORK [PAPERS]
# records: entities → graph (timed); queries of 10 hits → expanded, one process each (timed)
set -euo pipefail
work=${1:?usage: graph-speed.sh WORK [PAPERS]}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export TECHRAG_BIN=${TECHRAG_BIN:-$here/../target/release}
export PATH=$TECHRAG_BIN:$PATH
[ -f "$work/hits.jsonl" ] || "$here/graph-corpus.py" "$work" "${2:-5000}"
[ -d "$work/plain" ] || techrag-index add --library "$work/plain" <"$work/records.jsonl" >/dev/null
rm -rf "$work/lib"
cp -r "$work/plain" "$work/lib"
python3 - "$work" <<'PY'
import json, os, resource, statistics, subprocess, sys, time
work = sys.argv[1]
lib = f"{work}/lib"

def timed(command, stdin):
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, stdin=stdin, stdout=subprocess.PIPE, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.monotonic() - started, cpu, done.stdout

for name in ("load", "load again"):
    wall, cpu, _ = timed(["techrag-graph", "load", "--library", lib], open(f"{work}/entities.jsonl"))
    print(f"| {name} | {wall:.1f} s | {cpu:.1f} s |")
wall, cpu, _ = timed(["techrag-graph", "resolve", "--library", lib], subprocess.DEVNULL)
print(f"| resolve | {wall:.1f} s | {cpu:.1f} s |")
stats = json.loads(timed(["techrag-graph", "stats", "--json", "--library", lib], subprocess.DEVNULL)[2])
idle = statistics.median(timed(["techrag-graph", "--version"], subprocess.DEVNULL)[0] for _ in range(20))
walls, cpus, stage = [], [], []
for line in open(f"{work}/hits.jsonl"):
    path = f"{work}/one.jsonl"
    open(path, "w").write(line)
    wall, cpu, out = timed(["techrag-graph", "expand", "--bring", "--timings", "--library", lib], open(path))
    walls.append(wall); cpus.append(cpu); stage.append(json.loads(out)["trace"][-1]["ms"])
ms = lambda seconds: f"{1000 * statistics.median(seconds):.1f} ms"
print(f"| a process that only starts | {ms([idle])} | |")
print(f"| expansion of 10 hits in a new process | {ms(walls)} | {ms(cpus)} |")
print(f"| of it the stage itself | {statistics.median(stage):.1f} ms | |")
print(f"\n{sum(stats['nodes'].values()):,} nodes, {sum(stats['edges'].values()):,} edges; load average {os.getloadavg()[0]:.0f}; medians of 20")
PY
