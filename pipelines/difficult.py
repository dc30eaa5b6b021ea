#!/usr/bin/env python3
"""Every difficult file through techrag-chunk, one by one: what it should give, what it gave, in what time and memory.

usage: difficult.py DATA [--write FILE] [--only WORD]

DATA holds the folders `nasty` (EXPECT.json says what each file is), `bugs` and `office` (truth files beside some). Prints
one table of all files as Markdown, or puts it into FILE between the heading "Difficult files" and the next heading of
that rank. Exits 1 where a file does not give what it should, takes more than 30 s or more than 1 GiB (of the largest
process), or ends with another code than 0 or 3.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

SECONDS, MEMORY = 30, 1 << 20  # KiB, as the kernel counts them
OFFICE = ("docx", "pptx", "xlsx", "text", "code", "audio")


def tool():
    """techrag-chunk, found as the other pipelines find it."""
    root = pathlib.Path(__file__).resolve().parent.parent
    path = pathlib.Path(os.environ.get("TECHRAG_BIN") or root / "target/release") / "techrag-chunk"
    return path if path.exists() else sys.exit("difficult: run make build, or set TECHRAG_BIN to the folder of the tools")


def largest(root):
    """KiB of the largest process below `root` at its highest: the readers of PDFs are processes of their own, which
    nobody waits for in a way that the kernel's own account of children would see."""
    parents = {}
    for entry in os.scandir("/proc"):
        try:
            if entry.name.isdigit():
                parents[int(entry.name)] = int(pathlib.Path(entry.path, "stat").read_text().rsplit(")", 1)[1].split()[1])
        except (OSError, IndexError):
            continue  # it ended while it was looked at
    peak = 0
    for pid in parents:
        above = pid
        while above not in (root, 0, None):
            above = parents.get(above)
        if above == root:
            try:
                status = pathlib.Path(f"/proc/{pid}/status").read_text()
            except OSError:
                continue
            peak = max([peak, *(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))])
    return peak


class Run:
    """One file through the tool."""

    def __init__(self, chunk, path, password=None):
        command = [chunk, path]
        with tempfile.NamedTemporaryFile("w") as secret, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            if password:
                secret.write(password)
                secret.flush()
                command += ["--password-file", secret.name]
            start = time.monotonic()
            process = subprocess.Popen(command, stdout=out, stderr=err)
            self.kib = 0
            while process.poll() is None:
                self.kib = max(self.kib, largest(process.pid))
                if time.monotonic() - start > SECONDS + 10:
                    process.kill()
                time.sleep(0.01)
            self.seconds = time.monotonic() - start
            self.code = process.returncode
            out.seek(0)
            err.seek(0)
            self.records = [json.loads(line) for line in out.read().decode().split("\n") if line]
            self.said = err.read().decode(errors="replace").splitlines()
        self.document = next((record for record in self.records if record["type"] == "document"), {})
        self.chunks = [record for record in self.records if record["type"] == "chunk"]
        self.errors = [record for record in self.records if record["type"] == "error"]
        parts = [part for chunk in self.chunks for part in (chunk["section"], chunk["text"])]
        self.text = "\n".join([self.document.get("title") or "", *parts])

    def summary(self):
        """What it gave, in a few words."""
        if not self.document:
            kinds = collections.Counter(error["kind"] for error in self.errors)
            return "error: " + ", ".join(f"{kind}" for kind in kinds) if kinds else "nothing"
        said = [f"{len(self.chunks)} chunks, {sum(len(chunk['text']) for chunk in self.chunks):,} characters"]
        if self.document.get("pages"):
            said.insert(0, f"{self.document['pages']} pages")
        for name, label in (("pages_without_text", "without text"), ("pages_failed", "failed")):
            if self.document.get(name):
                said.append(f"{len(self.document[name])} {label}")
        return ", ".join(said)

    def bounds(self):
        """What is wrong whatever the file is."""
        if self.code not in (0, 3):
            return f"exit {self.code}"
        if self.seconds > SECONDS:
            return f"{self.seconds:.0f} s"
        if self.kib > MEMORY:
            return f"{self.kib >> 10} MiB"
        if not self.document and not self.errors:
            return "neither a document nor an error"
        return ""


# What a file should give, as a function of its run to what is wrong ("" where nothing is).


def folded(text):
    """Letters and digits in lower case: what a quotation is compared by."""
    return "".join(c for c in text.lower() if c.isalnum())


def says(*wanted):
    def check(run):
        text = folded(run.text)
        return ", ".join(f"without {words!r}" for words in wanted if folded(words) not in text)

    return check


def silent(*unwanted):
    return lambda run: ", ".join(f"holds {words!r}" for words in unwanted if words in run.text)


def fails(*kinds):
    def check(run):
        if run.document:
            return "a document where there is none"
        return "" if any(error["kind"] in kinds for error in run.errors) else f"not {' or '.join(kinds)}"

    return check


def read_or_refused(run):
    """A document without rubbish, or an error that says why."""
    return "" if run.document or all(error["message"] for error in run.errors) else "an error without a message"


def pages(count):
    return lambda run: "" if run.document.get("pages") == count else f"{run.document.get('pages')} pages, not {count}"


def no_text(run):
    """No chunk, and every page of it named; or read by OCR where there is any."""
    named = set(run.document.get("pages_without_text", [])) | set(run.document.get("pages_failed", []))
    named |= set(run.document.get("pages_low_quality", []))
    by_ocr = any(chunk["modality"] == "ocr" for chunk in run.chunks)
    if run.document and not by_ocr and len(named) < (run.document.get("pages") or 0):
        return "pages without text that nobody names"
    return "" if by_ocr or not run.chunks else "text where there is none"


def quiet(run):
    return "" if len(run.said) < 10 else f"{len(run.said)} lines on stderr"


def markers(run):
    """Each token cited on exactly its page."""
    seen = collections.Counter()
    for chunk in run.chunks:
        for span in chunk["spans"]:
            words = chunk["text"].encode()[span["start"] : span["end"]].decode()
            for token in re.findall(r"tok(\d{5})", words):
                if int(token) != span["page"]:
                    return f"tok{token} on page {span['page']}"
                seen[int(token)] += 1
    missing = [number for number in range(1, 1201) if not seen[number]]
    return f"{len(missing)} tokens missing" if missing else ""


def every(*checks):
    return lambda run: "; ".join(filter(None, (check(run) for check in checks)))


def line_ranges(path):
    """Every line that is not blank stands in a chunk, and each chunk's place says which lines it is."""
    # Not splitlines(): a form feed ends no line that an editor counts.
    lines = path.read_text(errors="replace").split("\n")

    def check(run):
        covered = set()
        for chunk in run.chunks:
            for span in chunk["spans"]:
                numbers = [int(number) for number in re.findall(r"\d+", span.get("place") or "")]
                words = chunk["text"].encode()[span["start"] : span["end"]].decode()
                own = lines[numbers[0] - 1 : numbers[-1]] if numbers else []
                if folded(words) != folded("".join(own)):
                    return f"{span.get('place')} is not what it says"
                covered.update(range(numbers[0] - 1, numbers[-1]))
        twice = run.document.get("provenance", {}).get("duplicates", 0)
        left = [at for at, line in enumerate(lines) if line.strip() and at not in covered]
        return f"line {left[0] + 1} is in no chunk" if left and not twice else ""

    return check


def truth(path):
    """The words of the truth file (99 in 100 at least) and the rows of its tables."""
    wanted = path.read_text()
    wanted = re.sub(r"<!--.*?-->", " ", wanted)
    wanted = without_equations(re.sub(r"\[author: (.*?)(?: \(\w+\))?, time: \S+?\]", r"\1", wanted))
    wanted = re.sub(r"\]\(\S+?\)", "]", wanted)  # the address of a link
    for name, sign in (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")):
        wanted = wanted.replace(name, sign)

    def words(text):
        return [word for word in map(folded, without_equations(text).split()) if word]

    def check(run):
        left = collections.Counter(words(run.text))
        whole = folded(without_equations(run.text))
        # A chunk that repeats another stands once: its words are asked for once.
        once = run.document.get("provenance", {}).get("duplicates", 0) > 0
        missing = []
        for line in wanted.splitlines():
            # The truth files part what is raised, lowered or bold from its word: a line of some length may be there by
            # its letters.
            cells = [folded(cell) for cell in line.strip("|").split("|")]
            parted = sum(map(len, cells)) > 20 and all(cell in whole for cell in cells)
            for word in words(line):
                if left[word]:
                    left[word] -= not once
                elif not parted:
                    missing.append(word)
        if len(missing) > 0.01 * max(1, len(words(wanted))):
            return f"{len(missing)} of {len(words(wanted))} words missing: {' '.join(missing[:5])}"
        rows = [
            [folded(cell) for cell in row]
            for chunk in run.chunks
            for table in chunk.get("tables", [])
            for row in table["cells"]
        ]
        torn = path.name.startswith("xlsx_07")  # a form, which the truth file tears into its columns
        for line in wanted.splitlines() if not torn else []:
            if line.startswith("|") and not line.startswith(("| -", "|-")):
                cells = [folded(cell) for cell in line.strip("|").split("|")]
                if not any(holds(row, cells) for row in rows):
                    return f"no row {line.strip()[:60]}"
        return ""

    return check


def without_equations(text):
    return re.sub(r"(?s)\$\$.*?\$\$|\$[^$\n]*\$", " ", text)


def holds(row, cells):
    rest = iter(row)
    return all(cell in rest for cell in cells)


def more_than(characters):
    """At least three tenths of what two other readers find."""
    return lambda run: "" if len(run.text) >= 0.3 * characters else f"{len(run.text)} of {characters} characters"


NASTY = {
    "derived__1200_pages_markers.pdf": every(pages(1200), markers),
    "derived__5000_blank_pages.pdf": every(pages(5000), no_text, quiet),
    "derived__html_named.pdf": read_or_refused,
    "derived__nul_bytes.pdf": fails("unsupported", "damaged", "empty"),
    "derived__junk_prefix.pdf": every(pages(14), says("Trace-based Just-in-Time Type Specialization")),
    "docling__invisible_text_layer.pdf": says("Visible heading line"),
    "docling__right_to_left_01.pdf": says("Python"),
    "grobid__dehypenisation1.pdf": every(says("dehypenisation of a short text"), silent("-\n")),
    "lopdf__Incremental.pdf": says("Hello World!"),
    "ocrmypdf__invalid.pdf": fails("damaged", "empty", "unsupported"),
    "ocrmypdf__negzero.pdf": says("embedded as a Form XObject"),
    "ocrmypdf__no_contents.pdf": every(pages(1), no_text),
    "ocrmypdf__truetype_font_nomapping.pdf": no_text,
    "ocrmypdf__type3_font_nomapping.pdf": no_text,
    "pdfium__bookmarks_circular.pdf": every(pages(2), says("Page1", "Page2")),
    "pdfium__control_characters.pdf": every(says("Hello, world!"), silent("\x00", "\x01", "\x07", "\x1b")),
    "pdfium__cropped_text.pdf": every(pages(4), says("dbye, world!"), silent("Goodbye")),
    "pdfium__embedded_attachments.pdf": says("test"),
    "pdfium__rotated_text_90.pdf": says("Hello", "Goodbye"),
    "pdfium__zero_length_stream.pdf": says("Hello, world!", "Goodbye, world!"),
    "pdfplumber__empty.pdf": fails("empty"),
    "pdfplumber__issue-1054-example.pdf": says("Bundesministerium des Innern"),
    "pdfplumber__issue-71-duplicate-chars.pdf": lambda run: doubled(run.text),
}
PASSWORDS = {
    "docling__2206.01062_pg3.pdf": ("1234", "DocLayNet"),
    "pdfium__encrypted_hello_world_r6.pdf": ("hôtel", "Goodbye, world!"),
}
# Of the reports in `bugs`, those that reach a reader of files: what the row says, and the check of it.
BUGS = {
    "pdf_extract_panics/dean21a.pdf": ("an ordinary paper that a reader panics on: read", more_than(30000)),
    "pdf_extract/two_column_interleaved.pdf": ("left column, then right", None),
    "lopdf/pr92_self_kids.pdf": ("/Kids [self]: ends, 0 pages or an error", read_or_refused),
    "lopdf/issue286_parent_self.pdf": ("page its own parent: the text, or an error", read_or_refused),
    "paperqa/1258_lone_surrogate.json": ("lone surrogates cleaned once, at extraction", silent("\ud83d", "\udc63")),
    "qmd/giant_single_line.md": ("one line of 186 KB: split, to its last word", lambda run: whole_line(run)),
    "qmd/base64_block.md": ("a block of base64: split or left out, the rest read", lambda run: small(run)),
}
PANICS = "a reader panics on it: a document or an error, the run goes on"
ELSEWHERE = "meant for another tool; here: text of some kind, or named"


def doubled(text):
    """Ideographs printed twice for a bold look stand once."""
    pairs = sum(a == b and "\u4e00" <= a <= "\u9fff" for a, b in zip(text, text[1:]))
    return f"{pairs} doubled signs" if pairs * 20 > len(text) else ""


def small(run):
    longest = max((len(chunk["text"]) for chunk in run.chunks), default=0)
    return f"a chunk of {longest} characters" if longest > 12_000 else "" if run.chunks else "nothing read"


def whole_line(run):
    return small(run) or ("" if sum(len(chunk["text"]) for chunk in run.chunks) >= 180_000 else "text was lost")


def two_columns(run):
    """Every line of the left column before the first of the right."""
    order = re.findall(r"LEFT|RIGHT", run.text)
    return "" if order == sorted(order) and len(order) == 8 else f"order {' '.join(order)}"


def nasty(folder):
    """File, what it should give in words, the check of it, its password."""
    for row in json.load(open(folder / "EXPECT.json")):
        name = row["file"]
        check = NASTY.get(name, no_text if row["cls"].startswith(("scan", "rotated-scan")) else read_or_refused)
        peers = [row[reader]["chars"] for reader in ("poppler", "mutool") if row.get(reader, {}).get("rc") == 0]
        if len(peers) == 2 and min(peers) >= 200 and name not in PASSWORDS:
            check = every(check, more_than(min(peers)))
        if name in PASSWORDS:
            password, words = PASSWORDS[name]
            yield folder / name, "without its password", fails("encrypted"), None
            yield folder / name, row["expect"], says(words), password
        else:
            yield folder / name, row["expect"], check, None


def bugs(folder):
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and path.parent != folder):
        name = str(path.relative_to(folder))
        words, check = BUGS.get(name, (PANICS if "panics" in name else ELSEWHERE, read_or_refused))
        yield path, words, check or two_columns, None


def office(folder):
    """Word, PowerPoint, Excel, pages, text, code and sound."""
    for path in sorted(path for kind in OFFICE for path in (folder / kind).rglob("*") if path.is_file()):
        name, beside = path.name, path.with_name(path.name + ".md")
        kind = path.relative_to(folder).parts[0]
        if beside.exists():
            yield path, "the words and rows of its truth file", truth(beside), None
        elif path.with_suffix("").exists() or name in ("TRANSCRIPTS.json",):
            continue  # a truth file
        elif kind == "code":
            yield path, "every line once, its numbers right", line_ranges(path), None
        elif kind == "audio":
            yield path, "a transcript, or named as a kind without a reader", audio, None
        elif path.suffix in (".ppt", ".xls", ".msg"):
            yield path, "named: a format of before 2007, or of mail", fails("unsupported"), None
        elif name == "empty.txt":
            yield path, "named: empty", fails("empty"), None
        else:
            words, check = WORLD.get(name, ("its text", lambda run: "" if run.chunks else "no text"))
            yield path, words, check, None


def audio(run):
    return "" if run.chunks or fails("unsupported", "damaged", "empty")(run) == "" else "neither"


# What people see in the files of the world that have no truth file.
WORLD = {
    "test_mskanji.csv": ("Shift JIS: 名前, 年齢, 住所", says("名前", "年齢", "住所", "佐藤太郎", "東京")),
    "xlsx_comments.xlsx": ("comments with their cells", says("Why Python specifically?", "I never thought it would be")),
    "powerpoint_comments.pptx": ("slides and comments", says("sample reviewer comment")),
    "bates.txt": ("its text", says("Frederick Bates")),
    "gravity_hill.md": ("its headings", says("gravity hill")),
    "flag_day.html": ("the article without the site", every(says("National Flag of Canada Day"), silent("<div", "{display"))),
    "test_blog.html": ("the article", says("Large language models (LLMs) are powerful tools")),
    "paperqa_dummy_jap.docx": ("Japanese text", lambda run: "" if re.search("[\u3040-\u30ff]", run.text) else "no kana"),
    "shp-access-ole-object.pptx": ("a slide without a word: named", no_text),
    "shp-groupshape.pptx": ("a slide without a word: named", no_text),
    "markitdown_test.pptx": (
        "title, table and chart of the deck",
        says("AutoGen: Enabling Next-Gen LLM Applications", "1b92870d", "a3f6004b", "2003 2003", "Comment 2"),
    ),
}


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ")


def table(data, chunk, only):
    """The table's lines, and what is not as it should be."""
    lines = ["| file | should give | gave | as it should | s | MiB |", "|---|---|---|---|---:|---:|"]
    wrong, count, slowest, largest = [], 0, 0.0, 0
    for folder, rows in (("nasty", nasty), ("bugs", bugs), ("office", office)):
        for path, words, check, password in rows(data / folder):
            name = f"{folder}/{path.relative_to(data / folder)}"
            if only not in name:
                continue
            run = Run(chunk, path, password)
            why = run.bounds() or check(run)
            if why:
                wrong.append(f"{name}: {why}")
            count, slowest, largest = count + 1, max(slowest, run.seconds), max(largest, run.kib)
            cells = [f"`{name}`", words, run.summary(), why or "yes", f"{run.seconds:.1f}", f"{run.kib >> 10}"]
            lines.append(f"| {' | '.join(map(cell, cells))} |")
    figure = f"{count - len(wrong)} of {count} runs give what they should; the slowest took {slowest:.1f} s, "
    return [figure + f"the largest {largest >> 10} MiB.", "", *lines], wrong


def put(path, lines):
    """Puts the lines under the heading, in place of what stands there."""
    heading = "## Difficult files"
    text = path.read_text() if path.exists() else "# Parsing\n"
    before, _, rest = text.partition(heading)
    after = rest[rest.find("\n## ") + 1 :] if "\n## " in rest else ""
    note = "Made by `pipelines/difficult.py DATA --write docs/PARSING.md`."
    body = "\n".join([heading, "", note, "", *lines])
    path.write_text(f"{before.rstrip()}\n\n{body}\n" + (f"\n{after}" if after else ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--write", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--only", default="", metavar="WORD", help="files whose name holds it")
    args = parser.parse_args()
    lines, wrong = table(args.data, tool(), args.only)
    if args.write:
        put(args.write, lines)
    else:
        print("\n".join(lines))
    print("\n".join([*wrong, lines[0]]), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
