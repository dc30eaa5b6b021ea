"""Running things and measuring them: wall time, CPU time, peak memory; and keeping the figures between runs."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time


class Failed(Exception):
    """A command that did not end well."""


class Ran:
    """What a command took: seconds of wall and CPU (its children included), peak memory of its largest process."""

    def __init__(self, wall, cpu, peak, out):
        self.wall, self.cpu, self.peak, self.out = wall, cpu, peak, out

    def figures(self):
        return {"wall_s": round(self.wall, 4), "cpu_s": round(self.cpu, 3), "peak_mb": round(self.peak, 1)}


def once(command, stdin=None, codes=(0,), env=None, cwd=None):
    """Runs a command (a list, or a line of bash) on a file as stdin."""
    line = command if isinstance(command, list) else ["bash", "-o", "pipefail", "-c", command]
    given = open(stdin, "rb") if stdin else subprocess.DEVNULL
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as said, tempfile.NamedTemporaryFile() as figures:
        # Another process starts it: Linux counts the memory of the process that forks as the child's own, and this one
        # grows large with results.
        starter = [sys.executable, "-S", __file__, figures.name, *map(str, line)]
        subprocess.run(starter, stdin=given, stdout=out, stderr=said, env={**os.environ, **(env or {})}, cwd=cwd, check=True)
        if stdin:
            given.close()
        code, wall, cpu, peak = json.load(figures)
        out.seek(0)
        said.seek(0)
        if code not in codes:
            raise Failed(f"exit {code}: {' '.join(map(str, line))[-300:]}\n{said.read()[-2000:].decode(errors='replace')}")
        return Ran(wall, cpu, peak, out.read().decode())


def started(figures, line):
    """Runs a command and writes its exit code, seconds of wall and CPU, and peak memory in MB into a file."""
    began = time.perf_counter()
    process = subprocess.Popen(line)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    taken = [process.returncode, wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024]
    pathlib.Path(figures).write_text(json.dumps(taken))


def best(command, times, before=None, **options):
    """The fastest of several runs; its peak memory is the largest of them."""
    runs = []
    for _ in range(times):
        if before:
            before()
        runs.append(once(command, **options))
    fastest = min(runs, key=lambda ran: ran.wall)
    fastest.peak = max(ran.peak for ran in runs)
    return fastest


def size_of(path):
    """Bytes of a file, or of all files below a folder."""
    path = pathlib.Path(path)
    return path.stat().st_size if path.is_file() else sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def machine():
    """What the figures were taken on."""
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "unknown")
    memory = next(int(line.split()[1]) // 1024 // 1024 for line in open("/proc/meminfo") if line.startswith("MemTotal"))
    return {"cpu": model, "cores": len(os.sched_getaffinity(0)), "memory_gib": memory}


class Results:
    """Figures by part, kept in a file: a part that was measured stays until it is measured again."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.parts = json.loads(self.path.read_text()) if self.path.exists() else {}

    def put(self, part, figures, began, load):
        figures["measured"] = {
            "load_before": load[0], "load_after": os.getloadavg()[0], "seconds": round(time.monotonic() - began, 1),
        }
        self.parts[part] = figures
        self.path.write_text(json.dumps(self.parts, indent=1) + "\n")


if __name__ == "__main__":
    started(sys.argv[1], sys.argv[2:])
