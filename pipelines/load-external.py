#!/usr/bin/env python3
"""Many questions at once against services that keep count: are the limits held, is every record there, is memory bounded?

usage: load-external.py [--per-minute 200] [--minutes 5] [--jobs 16] [--max-wait 2]

Starts one loopback server a service, each with the limits that the service publishes (requests in any window, requests
at the same time, budget a day), stated in its headers where the service states them. A request beyond a limit is
counted and answered with 429. Some answers are failures on purpose: 500, 503 with Retry-After, 429, HTML in the place of
JSON, connections that break off, answers that take seconds. Feeds `techrag-external` questions at the pace asked for and
prints a table. Exits 1 if a record is missing, a limit was passed, or memory grew beyond the bound.
"""

import argparse
import collections
import http.server
import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

# Seconds of the window, requests in it, requests at the same time, requests a day, and the headers that say so.
LIMITS = {
    "crossref": (1.0, 3, 1, None, {"x-rate-limit-limit": "3", "x-rate-limit-interval": "1s", "x-concurrency-limit": "1"}),
    "openalex": (1.0, 10, 10, 100, {}),
    "semanticscholar": (1.0, 1, 1, None, {}),
    "searxng": (1.0, 1, 1, None, {}),
}
MEMORY_MB = 400
WORDS = "tyre grip friction slip load wear brake snow ice sensor model road temperature pressure noise".split()


class Service:
    """What a service counts."""

    def __init__(self, name, seed):
        self.window, self.most, self.concurrent, self.daily, self.headers = LIMITS[name]
        self.name, self.random = name, random.Random(seed)
        self.lock = threading.Lock()
        self.arrivals, self.now, self.total = collections.deque(), 0, 0
        self.passed, self.peak, self.failures, self.served = 0, 0, collections.Counter(), 0

    def arrive(self):
        """Counts a request; what it passes, if any limit."""
        at = time.monotonic()
        with self.lock:
            while self.arrivals and self.arrivals[0] <= at - self.window:
                self.arrivals.popleft()
            self.arrivals.append(at)
            self.now += 1
            self.total += 1
            self.peak = max(self.peak, len(self.arrivals))
            beyond = [
                len(self.arrivals) > self.most and "rate",
                self.now > self.concurrent and "concurrency",
                self.daily is not None and self.total > self.daily and "budget",
            ]
            beyond = [which for which in beyond if which]
            self.passed += bool(beyond)
            return beyond, self.random.random()

    def leave(self):
        with self.lock:
            self.now -= 1


def body(name, query):
    """Two works or pages on what was asked for."""
    title = " ".join(query.split()[:6]).capitalize()
    text = f"This work measures {query} and reports what was found about {query}."
    if name == "crossref":
        work = lambda n: {
            "DOI": f"10.5555/{abs(hash((query, n))) % 10**9}", "type": "journal-article", "title": [f"{title} {n}"],
            "abstract": f"<jats:p>{text}</jats:p>", "author": [{"given": "A", "family": f"Berg{n}"}],
            "published-print": {"date-parts": [[2020]]},
        }
        return {"status": "ok", "message": {"items": [work(1), work(2)] if hash(query) % 3 else []}}
    if name == "openalex":
        work = lambda n: {"id": f"https://openalex.org/W{abs(hash((query, n))) % 10**9}", "title": f"{title} {n}", "publication_year": 2020}
        return {"results": [work(3), work(4)], "group_by": [{"key": "2024", "count": 4}, {"key": "2025", "count": 6}]}
    if name == "semanticscholar":
        return {"total": 1, "data": [{"paperId": f"{abs(hash(query)):x}", "title": f"{title} 5", "abstract": text, "year": 2021}]}
    return {"results": [{"url": f"https://example.invalid/{n}", "title": title, "content": text} for n in (1, 2)]}


def handler(service):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def say(self, status, kind, content, headers=()):
            self.send_response(status)
            for name, value in [("content-type", kind), ("content-length", str(len(content))), *service.headers.items(), *headers]:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def do_GET(self):
            beyond, chance = service.arrive()
            try:
                self.answer(beyond, chance)
            except (BrokenPipeError, ConnectionResetError):
                pass
            finally:
                service.leave()

        def answer(self, beyond, chance):
            parameters = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query)
            names = ("query.bibliographic", "search", "query", "q", "filter")
            query = next((parameters[name][0] for name in names if name in parameters), "")
            if beyond:
                spent = [("retry-after", "50000")] if "budget" in beyond else []
                return self.say(429, "application/json", b'{"error":"Rate limit exceeded","message":"Too many"}', spent)
            time.sleep(0.05 if chance < 0.9 else 0.4)
            failures = [
                ("500", 0.02, lambda: self.say(500, "application/json", b'{"status":"error","message":{"message":"x"}}')),
                ("503", 0.02, lambda: self.say(503, "text/plain", b"maintenance", [("retry-after", "1")])),
                ("429", 0.01, lambda: self.say(429, "application/json", b"{}", [("retry-after", "2")])),
                ("html", 0.02, lambda: self.say(200, "text/html", b"<html><title>Back soon</title>")),
                ("cut", 0.02, self.cut),
                ("slow", 0.005, self.slow),
            ]
            for which, share, fail in failures:
                chance -= share
                if chance < 0:
                    service.failures[which] += 1
                    return fail()
            service.served += 1
            self.say(200, "application/json", json.dumps(body(service.name, query)).encode())

        def cut(self):
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", "1000")
            self.end_headers()
            self.wfile.write(b'{"status":')
            self.close_connection = True

        def slow(self):
            time.sleep(11)
            self.close_connection = True

    return Handler


def question(n):
    """A scored record: four of five content, WEAK or MODERATE, one in ten STRONG; the rest of the other routes."""
    chosen = random.Random(n)
    words = chosen.sample(WORDS, 4)
    kind = n % 10
    route = {7: "bibliometric", 8: "trend", 9: "current_world"}.get(kind, "content")
    verdict = "STRONG" if kind == 0 else chosen.choice(["WEAK", "MODERATE"])
    evidence = {"score": 40, "verdict": verdict, "parts": [], "damping": 1, "reviewer": "none", "version": "load", "by": "load"}
    text = {
        "bibliometric": f"Which papers study {' '.join(words)} case {n}?",
        "trend": f"How has research on {' '.join(words)} developed over the years?",
        "current_world": f"Which companies sell {' '.join(words)} case {n}?",
    }.get(route, f"How does {words[0]} {words[1]} depend on {words[2]} {words[3]} in case {n}?")
    routed = {"routes": [route], "strategies": [], "text_query": text, "effort": "high", "reason": "load", "by": "load"}
    record = {"type": "query", "v": 1, "_id": f"q{n}", "question": text, "route": routed}
    return record | ({"evidence": evidence} if route == "content" else {})


def tool():
    """The binary, as the other pipelines find it."""
    here = pathlib.Path(__file__).resolve().parent
    for place in (os.environ.get("TECHRAG_BIN"), here.parent / "target/release", here.parent / "bin"):
        if place and (found := pathlib.Path(place) / "techrag-external").exists():
            return str(found)
    sys.exit("load-external: the tools are not built: run make build, or set TECHRAG_BIN to their folder")


def memory_mb(pid):
    """Resident set, and its peak."""
    try:
        lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0, 0
    read = lambda name: next((int(line.split()[1]) for line in lines if line.startswith(name)), 0) / 1024
    return read("VmRSS"), read("VmHWM")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--per-minute", type=float, default=200)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--jobs", type=int, default=16)
    parser.add_argument("--max-wait", type=float, default=2)
    options = parser.parse_args()
    services, endpoints = {}, []
    for seed, name in enumerate(LIMITS):
        services[name] = Service(name, seed)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler(services[name]))
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        endpoints.append((name, f"http://127.0.0.1:{server.server_address[1]}/"))
    address = dict(endpoints)
    total = round(options.per_minute * options.minutes)
    with tempfile.TemporaryDirectory() as cache:
        command = [
            tool(), "--search", "always", "--cache", cache, "--encoder", "off", "-j", str(options.jobs), "--quiet",
            "--max-wait", str(options.max_wait), "--max-time", "20", "--searxng", address.pop("searxng"), "--year", "2026",
            "--endpoint", ",".join(f"{name}={url}" for name, url in address.items()),
        ]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        records, samples = [], []
        reader = threading.Thread(target=lambda: records.extend((time.monotonic(), json.loads(line)) for line in process.stdout))
        reader.start()
        start = time.monotonic()
        sent = {}
        for n in range(total):
            due = start + n * 60 / options.per_minute
            time.sleep(max(0.0, due - time.monotonic()))
            sent[f"q{n}"] = time.monotonic()
            process.stdin.write(json.dumps(question(n)) + "\n")
            process.stdin.flush()
            if n % 20 == 0:
                samples.append(memory_mb(process.pid))
        fed = time.monotonic() - start
        samples.append(memory_mb(process.pid))
        process.stdin.close()
        code = process.wait()
        reader.join()
        drained = time.monotonic() - start
    return report(services, total, records, sent, samples, code, fed, drained)


def report(services, total, records, sent, samples, code, fed, drained):
    names = [record.get("_id") for _, record in records]
    missing = set(sent) - set(names)
    order = names == sorted(names, key=lambda name: int(name[1:]))
    outcomes, verdicts = collections.Counter(), collections.Counter()
    for _, record in records:
        external = record.get("external", {})
        found = sum(len(external.get(kind, [])) for kind in ("works", "pages", "counts"))
        searched = bool(external.get("attempts"))
        verdicts["not searched (STRONG)" if not searched else "found" if found else "nothing vetted"] += 1
        for attempt in external.get("attempts", []):
            for said in attempt["sources"]:
                outcomes[(said["source"], said["outcome"])] += 1
    waits = sorted(at - sent[record["_id"]] for at, record in records if record.get("_id") in sent)
    at = lambda share: waits[min(len(waits) - 1, int(share * len(waits)))] if waits else float("nan")
    peak, first = max((peak for _, peak in samples), default=0), samples[len(samples) // 5][0] if samples else 0
    print(f"{total} questions fed in {fed:.0f} s, all answered after {drained:.0f} s; exit {code}")
    print(f"records {len(records)}, missing {len(missing)}, in order {order}; memory {first:.0f} MB after a fifth, peak {peak:.0f} MB")
    print(f"seconds from question to record: median {at(.5):.1f}, p90 {at(.9):.1f}, p99 {at(.99):.1f}, longest {at(1):.1f}")
    print("| questions | number |\n|---|---:|")
    for what, count in sorted(verdicts.items()):
        print(f"| {what} | {count} |")
    print("\n| service | limit | requests | most in a window | beyond a limit | failures sent on purpose | outcomes in the records |")
    print("|---|---|---:|---:|---:|---|---|")
    for name, service in services.items():
        said = ", ".join(f"{outcome} {count}" for (source, outcome), count in sorted(outcomes.items()) if source == name)
        failed = ", ".join(f"{which} {count}" for which, count in sorted(service.failures.items()))
        budget = f", {service.daily} a day" if service.daily else ""
        limit = f"{service.most} in {service.window:g} s, {service.concurrent} at a time{budget}"
        print(f"| {name} | {limit} | {service.total} | {service.peak} | {service.passed} | {failed or 'none'} | {said} |")
    broken = bool(missing) or len(records) != total or not order or code != 0
    broken |= any(service.passed for service in services.values()) or peak > MEMORY_MB
    print("\nbroken: see above" if broken else "\nno record lost, no limit passed, memory bounded")
    return int(broken)


if __name__ == "__main__":
    # A server a service and a thread a connection.
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
    sys.exit(main())
