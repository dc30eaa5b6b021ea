"""What is true of a fixture paper, read from its source, and the same paper set in other layouts and typefaces.

Typst writes the source as HTML too: its paragraphs, headings, cells and references are the text a reader should find,
in the order of the text, without anything a typesetter adds. Captions and the front matter come from the truth files.
"""

import functools
import json
import pathlib
import re
from html.parser import HTMLParser

import typst

from score import tight

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAPERS = ROOT / "fixtures/papers"
SOURCES = PAPERS / "src"

# Layouts beside the committed ones. A third column needs a wider page, or formulas run into the next column.
LAYOUTS = {
    "one column, Computer Modern": {"columns": "1", "font": "New Computer Modern"},
    "two columns, Computer Modern": {"columns": "2", "font": "New Computer Modern"},
    "two columns, Libertinus": {"columns": "2", "font": "Libertinus Serif"},
    "three columns, Libertinus": {"columns": "3", "font": "Libertinus Serif", "paper": "iso-b4", "size": "8.5pt"},
}


class Reader(HTMLParser):
    """Blocks of typst's HTML: [kind, [text, …]], the text cut where mathematics stands."""

    KINDS = {"p": "paragraph", "li": "entry", "h2": "heading", "h3": "heading", "h4": "heading",
             "th": "cell", "td": "cell", "figcaption": "caption"}

    def __init__(self):
        super().__init__()
        self.blocks, self.tables, self.figures = [], [], 0
        self.kind, self.pieces, self.math, self.references, self.skip = None, [""], 0, False, 0

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag in ("style", "title"):
            self.skip += 1
        if tag == "math":
            self.math += 1
            if attributes.get("display") == "block":
                self.close()
                self.kind = "equation"
            elif self.kind:
                self.pieces.append("")
        elif tag == "figure":
            self.close()
            self.blocks.append(["figure", [self.figures]])
            self.figures += 1
        elif tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag == "section" and attributes.get("role") == "doc-bibliography":
            self.close()
            self.references = True
        elif tag in self.KINDS and not self.math:
            self.close()
            self.kind = "reference" if tag == "li" and self.references else self.KINDS[tag]

    def handle_endtag(self, tag):
        if tag in ("style", "title"):
            self.skip -= 1
        if tag == "math":
            self.math -= 1
            if self.kind == "equation":
                self.close()
        elif tag in self.KINDS and not self.math:
            if self.KINDS[tag] == "cell" and self.kind == "cell":
                self.tables[-1][-1].append(squeeze(" ".join(self.pieces)))
            self.close()

    def handle_data(self, data):
        if self.skip or not self.kind:
            return
        if self.math and self.kind not in ("equation", "cell"):
            return
        self.pieces[-1] += data

    def close(self):
        pieces = [squeeze(piece) for piece in self.pieces]
        if self.kind and any(pieces):
            self.blocks.append([self.kind, [piece for piece in pieces if piece]])
        self.kind, self.pieces = None, [""]


def squeeze(text):
    return re.sub(r"\s+", " ", text).strip()


def keys():
    return sorted(path.stem for path in (PAPERS / "truth").glob("*.json"))


@functools.cache
def of(key):
    """{"blocks": [[kind, [text, …]], …] in the order of the source, "tables", "sections", "captions", …} of a paper."""
    facts = json.loads((PAPERS / "truth" / f"{key}.json").read_text(encoding="utf-8"))
    html = typst.compile(str(SOURCES / f"{key}.typ"), root=str(SOURCES), ignore_system_fonts=True, format="html")
    reader = Reader()
    # Images come as data: URLs of no interest here.
    reader.feed(re.sub(r'src="data:[^"]*"', "", html.decode() if isinstance(html, bytes) else html))
    reader.close()
    front = [["title", [facts["title"]]], ["authors", facts["authors"]], ["affiliations", facts["affiliations"]],
             ["abstract", [facts["abstract"]]], ["keywords", [", ".join(facts["keywords"])]]]
    blocks = front
    for kind, pieces in reader.blocks:
        if tight("".join(pieces) if kind == "paragraph" else "") == tight(facts["title"]):
            continue  # Some layouts write the title as a paragraph; it is there once.
        if kind == "figure":
            caption = facts["captions"][pieces[0]]
            blocks.append(["caption", [f"{caption['kind'].title()} {caption['number']}. {caption['text']}"]])
        else:
            blocks.append([kind, pieces])
    return facts | {"blocks": blocks, "grids": reader.tables}


def variants(folder):
    """The papers in other layouts: [(layout, key, path)], typeset into `folder` once."""
    made = []
    for layout, inputs in LAYOUTS.items():
        for key in keys():
            path = folder / re.sub(r"\W+", "-", layout) / f"{key}.pdf"
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(typst.compile(str(SOURCES / f"{key}.typ"), root=str(SOURCES), format="pdf",
                                               ignore_system_fonts=True, sys_inputs=inputs))
            made.append((layout, key, path))
    return made


def committed():
    """The papers as they stand in the repository: [(layout, key, path)]."""
    name = lambda key: "one column, as committed" if of(key)["columns"] == 1 else "two columns, as committed"
    return [(name(key), key, PAPERS / f"{key}.pdf") for key in keys()]


def files(folder):
    """Files that come with their text: [(path, text)]; Markdown marks and figures of scans' pages are dropped."""
    found = []
    for path in sorted((folder / "papers/truth").glob("*.md")):
        text = re.sub(r"(?m)^\|?[ :|-]+\|?$|<!--.*?-->|^```.*$|^#+ |[|*]", " ", path.read_text(encoding="utf-8"))
        found.append((folder / "papers" / f"{path.stem}.pdf", text))
    for path in sorted((folder / "papers_scanned").glob("*.truth.json")):
        text = "\n".join(json.loads(path.read_text(encoding="utf-8")))
        found.append((path.with_name(path.name.replace(".truth.json", ".pdf")), re.sub(r"-\n(?=[a-z])", "", text)))
    return found
