"""Figures to Markdown, between markers: the rest of the file belongs to others."""

import importlib.metadata
import subprocess

BEGIN, END = "<!-- bench-parse: begin -->", "<!-- bench-parse: end -->"
NAMES = {"techrag": "**techrag-chunk**", "pymupdf": "PyMuPDF `get_text`", "pymupdf_joined": "PyMuPDF, hyphens joined",
         "pymupdf_tables": "PyMuPDF `find_tables`", "pymupdf4llm": "PyMuPDF4LLM (layout model)", "pypdf": "pypdf",
         "pdftotext": "pdftotext", "techrag_scans": "**techrag-chunk**, scans by OCR"}


def versions():
    known = {name: importlib.metadata.version(name) for name in ("pymupdf", "pymupdf4llm", "pypdf", "typst")}
    line = subprocess.run(["pdftotext", "-v"], capture_output=True, text=True).stderr.split("\n")[0]
    return known | {"pdftotext": line.split()[-1]}


def share(value, digits=1):
    return "–" if value is None else f"{100 * value:.{digits}f}"


def count(value):
    return "–" if value is None else str(value)


def table(head, rows):
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(row) + " |" for row in rows)]


def total(scores, name):
    """The sums of a reader over all layouts."""
    sums = {}
    for layout in scores.values():
        for key, (hits, whole) in (layout[name].sums if name in layout else {}).items():
            at = sums.setdefault(key, [0, 0])
            at[0] += hits
            at[1] += whole
    return sums


def of(sums, key, digits=1):
    hits, whole = sums.get(key, (0, 0))
    return share(hits / whole, digits) if whole else "–"


def known_truth(scores):
    rows = []
    for name in next(iter(scores.values())):
        sums = total(scores, name)
        damage = [count(sums[key][0]) if key in sums else "–" for key in ("hyphens", "ligatures")]
        rows.append([NAMES[name], *(of(sums, key, 2) for key in ("words", "characters", "order", "sequence")), *damage,
                     *(of(sums, key) for key in ("captions", "headings")),
                     count(sums["false headings"][0]) if "false headings" in sums else "–", of(sums, "cells")])
    return table(["", "words", "characters", "order", "sequence", "hyphens", "ligatures", "captions", "headings",
                  "false headings", "cells"], rows)


def by_layout(layouts):
    rows = []
    for layout, scores in layouts.items():
        line = [f"{share(at.share('words'))} / {share(at.share('order'))}" for at in scores.values()]
        ours = scores.get("techrag")
        rows.append([layout, *line] + ([share(ours.share("cells")), share(ours.share("headings"))] if ours else []))
    readers = next(iter(layouts.values()))
    head = ["words / order", *(NAMES[name] for name in readers)]
    return table(head + (["our cells", "our headings"] if "techrag" in readers else []), rows)


def our_references(figures):
    sums = total(figures["committed"] | figures["layouts"], "techrag")
    row = [of(sums, key) for key in ("entries", "titles", "names", "years", "dois")]
    return table(["entries", "titles", "family names", "years", "DOIs"], [row])


def world(figures):
    rows = []
    for name, at in figures["world"].items():
        labels = figures["labels"][name]
        rows.append([NAMES[name], share(at.share("words"), 2), share(at.share("order"), 2), count(at.count("hyphens")),
                     count(at.count("ligatures")), share(labels.share("headings")),
                     count(labels.count("false headings")),
                     *(share(labels.share(key)) for key in ("title", "authors", "year", "doi"))])
    return table(["", "words", "order", "hyphens left", "ligatures left", "headings", "false headings", "title",
                  "authors", "year", "DOI"], rows)


def judged(figures):
    lots = sorted(next(iter(figures["judged"].values())).sums)
    rows = [[NAMES[name], *(f"{at.count(lot)} of {at.sums[lot][1]}" for lot in lots)]
            for name, at in figures["judged"].items()]
    return table(["places read as a person does", *lots], rows)


def by_any_two(figures):
    return ", ".join(f"{NAMES[name].strip('*')} {share(at.share('order, any two'), 2)}"
                     for name, at in figures["world"].items())


def known_files(figures):
    rows = []
    for file, scores in figures["known"].items():
        rows.append([f"`{file}`", *(f"{share(at.share('words'))} / {share(at.share('order'))}" for at in scores.values())])
    return table(["words / order", *(NAMES[name] for name in next(iter(figures["known"].values())))], rows)


def costs(figures):
    speed = lambda cost: cost["pages"] / cost["wall"]
    rows = [[NAMES[name], str(cost["pages"]), f"{speed(cost):.{0 if speed(cost) > 10 else 1}f}",
             f"{cost['peak'] / 2**20:.0f}"] for name, cost in figures["costs"].items()]
    return table(["", "pages", "pages a second", "peak memory, MiB"], rows)


def section(figures):
    v = figures["versions"]
    tools = f"PyMuPDF {v['pymupdf']}, PyMuPDF4LLM {v['pymupdf4llm']}, pypdf {v['pypdf']}, pdftotext {v['pdftotext']}"
    lines = [
        "## PDFs: readers side by side", "",
        f"`make bench-parse` writes this section: {figures['files']} files, {figures['pages']} pages, all readers in "
        f"the same run ({tools}). Shares are per cent; a dash is what a reader does not offer.", "",
        "### Where the truth is known", "",
        "The thirteen fixture papers as committed (one and two columns, two typefaces). The truth is typst's own HTML "
        "of the sources, so it knows nothing of any reader. *Words* and *characters*: share of the true ones that the text holds; *order*: true 6-grams "
        "of words found, hyphens aside; *sequence*: neighbouring paragraphs in their order; *hyphens* and "
        "*ligatures*: words damaged by one, counted; *captions*: whole and unbroken; *cells*: cells of tables at "
        "their row and column.", "", *known_truth(figures["committed"]), "",
        "The same papers set again in other layouts and typefaces, all of them together and layout by layout:", "",
        *known_truth(figures["layouts"]), "", *by_layout(figures["layouts"]), "",
        "Our references in all layouts against the bibliography of the sources (no other reader here takes them "
        "apart):", "",
        *our_references(figures), "",
        "PyMuPDF's headings are the file's bookmarks, which typst writes from the same sources; a paper without "
        "bookmarks has none.", ""]
    if "world" in figures:
        labelled = figures["labelled"]
        with_headings = sum("headings" in label for label in labelled.values())
        lines += [
            "### Papers of the world", "",
            f"{figures['world files']} real papers ({figures['world pages']} pages, not in the repository). *Words* "
            "and *order*: agreement with the consensus of the other readers. Out of all are running headers, lines of "
            "rights (`© 2021 …`) and half words at the end of a stretch; the last two, the ends of pages and the kinds of "
            "readers came in after a first table in which techrag was behind in order. PyMuPDF "
            "and pypdf follow the content of the file, techrag and pdftotext go by where things stand on the page: the "
            "consensus of the others is what one of each kind has, within a page. "
            f"Title, authors, year and DOI against labels read by eye on {len(labelled)} papers, headings on "
            f"{with_headings} (`fixtures/chunk/real-papers.json`). What the others say of title and authors is the "
            "file's Info dictionary.", "", *world(figures), "",
            "Order by another consensus, what any two of the three others have, be they of one kind: "
            f"{by_any_two(figures)}. There PyMuPDF and pypdf outvote where the content jumps, as from half a sentence "
            "to a caption, but need one of the other kind when one of them is judged.", "",
            f"Order at disputed places, judged by eye: of {figures['places']} places drawn by lot where techrag, "
            "PyMuPDF, pypdf and pdftotext do not all go on alike, those at which a picture of the page says what comes "
            "next (`fixtures/chunk/real-order.json`). What techrag does with floats inside a paragraph was chosen "
            "after the first lot had been seen; the second was drawn and judged after that, by somebody who saw the "
            "pages only. There techrag had 56 at first (58 before floats were moved); that indices and denominators are "
            "set apart from the letters beside them, for the other places as well, came after it was seen.", "", *judged(figures), "",
            "Files that come with their text (two pages of a handbook and of a report, two scans without a text "
            "layer):", "", *known_files(figures), ""]
    lines += ["### What it takes", "", f"Wall time on {figures['cpus']} cores, a reader's files in one run, scans apart; "
              "`techrag-chunk` reads on all cores, digital files with `--ocr off`, and also finds headings, tables, "
              "captions and references; memory is that of all its processes together.", "",
              *costs(figures)]
    return lines


def write(path, figures):
    body = "\n".join([BEGIN, *section(figures), END])
    text = path.read_text(encoding="utf-8") if path.exists() else "# Parsing\n\nHow well documents are read.\n"
    if BEGIN in text:
        text = text[:text.index(BEGIN)] + body + text[text.index(END) + len(END):]
    else:
        text = text.rstrip("\n") + "\n\n" + body + "\n"
    path.write_text(text, encoding="utf-8")
