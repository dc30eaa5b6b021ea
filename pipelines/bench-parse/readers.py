"""The readers that are compared, each run in a process of its own so that its time and memory are its own.

usage: readers.py NAME OUT FILE…   writes {file: {"text": …, "headings": […], "tables": [[[…]]], …}} as JSON

`techrag` is what `techrag-chunk` puts on the wire: its chunks with their headings, then the references. A reader offers
what it offers; a key that is missing is a dash in the table.
"""

import json
import os
import pathlib
import re
import subprocess
import sys

# A line of its own, so that what compares readers knows where a page ends.
PAGE_END = "\n\f\n"


def techrag(files):
    return techrag_chunk(files, "--ocr", "off")


def techrag_scans(files):
    return techrag_chunk(files)


def techrag_chunk(files, *flags):
    # One file a run of the tool's own parallelism; no overlap, so that no text comes twice.
    command = [f"{os.environ['TECHRAG_BIN']}/techrag-chunk", "--overlap", "0", "--quiet", *flags, *files]
    found, document = {}, None
    run = subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8")
    for record in map(json.loads, run.stdout):
        if record["type"] == "document":
            document = found.setdefault(record["path"], {
                "text": "", "headings": [], "tables": [],
                "references": record.get("references", []),
                **{key: record.get(key) for key in ("title", "authors", "year", "doi", "arxiv", "abstract")},
            })
            document["headings"] = [heading["text"] for heading in record.get("outline", [])]
            section, ahead = "", iter(document["headings"])
        elif record["type"] == "chunk":
            if record["section"] != section:
                # Headings with nothing but subsections under them have no chunk; the outline has them in order.
                section = record["section"]
                for heading in ahead if section else ():
                    document["text"] += heading + "\n\n"
                    if heading == section:
                        break
            document["text"] += record["text"] + "\n\n"
            document["tables"] += [table["cells"] for table in record.get("tables", [])]
    if run.wait() not in (0, 3):  # 3: some file failed, and the record says so
        sys.exit(f"techrag-chunk ended with {run.returncode}")
    for document in found.values():
        document["text"] += "\n".join(["References", *(reference["raw"] for reference in document["references"])])
    return found


def each(files, read):
    found = {}
    for file in files:
        try:
            found[file] = read(file)
        except Exception as error:  # A reader that breaks on a file is a result, not the end.
            found[file] = {"text": "", "failed": f"{type(error).__name__}: {error}"}
    return found


def pymupdf(files):
    import pymupdf

    def read(file):
        document = pymupdf.open(file)
        return {"text": PAGE_END.join(page.get_text() for page in document), **information(document.metadata)}

    return each(files, read)


def information(metadata):
    """What the Info dictionary says: all that a reader of text offers about a paper."""
    authors = re.split(r"\s*[,;]\s*|\s+and\s+", metadata.get("author") or "")
    return {"title": metadata.get("title"), "authors": [author for author in authors if author]}


def pymupdf_joined(files):
    import pymupdf

    flags = pymupdf.TEXTFLAGS_TEXT | pymupdf.TEXT_DEHYPHENATE
    flags &= ~pymupdf.TEXT_PRESERVE_LIGATURES

    def read(file):
        document = pymupdf.open(file)
        return {"text": PAGE_END.join(page.get_text(flags=flags) for page in document),
                "headings": [title for _, title, _ in document.get_toc()], **information(document.metadata)}

    return each(files, read)


def pymupdf_tables(files):
    import pymupdf

    def read(file):
        tables = [table for page in pymupdf.open(file) for table in page.find_tables().tables]
        return {"text": "", "tables": [[[cell or "" for cell in row] for row in table.extract()] for table in tables]}

    return each(files, read)


def pymupdf4llm(files):
    import pymupdf4llm

    def read(file):
        text = pymupdf4llm.to_markdown(file, show_progress=False)
        headings = re.findall(r"(?m)^#+\s+(.*)$", text)
        lines, tables = text.split("\n"), [[]]
        for line in lines:
            if line.startswith("|"):
                tables[-1].append([plain(cell) for cell in re.split(r"(?<!\\)\|", line.strip("|"))])
            elif tables[-1]:
                tables.append([])
        grids = [[row for row in table if not all(re.fullmatch(r"\s*:?-*:?\s*", cell) for cell in row)]
                 for table in tables if table]
        return {"text": plain(text), "headings": [plain(heading) for heading in headings], "tables": grids}

    return each(files, read)


def plain(text):
    """Markdown's marks off: they are no words of the paper."""
    text = re.sub(r"</?(?:br|sup|sub|u)>", " ", text)
    text = re.sub(r"(?m)^#+\s+|^[>*-] |\*\*|(?<!\w)[_*`]+|[_*`]+(?!\w)", "", text)
    return re.sub(r"\\([][()|_*.#+-])", r"\1", text)


def pypdf(files):
    import logging

    import pypdf

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    return each(files, lambda file: {"text": PAGE_END.join(page.extract_text() for page in pypdf.PdfReader(file).pages)})


def pdftotext(files):
    def read(file):
        run = subprocess.run(["pdftotext", "-enc", "UTF-8", file, "-"], capture_output=True, check=True)
        return {"text": run.stdout.decode("utf-8", "replace").replace("\f", PAGE_END)}

    return each(files, read)


READERS = {reader.__name__: reader for reader in
           (techrag, pymupdf, pymupdf_joined, pymupdf_tables, pymupdf4llm, pypdf, pdftotext)}
# Reads what the others have no text of; a run of its own, since recognising pictures costs much more.
SCANS = {"techrag": techrag_scans}

if __name__ == "__main__":
    name, out, *files = sys.argv[1:]
    pathlib.Path(out).write_text(json.dumps((READERS | {read.__name__: read for read in SCANS.values()})[name](files), ensure_ascii=False), encoding="utf-8")
