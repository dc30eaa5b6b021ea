-- Format 2, on top of format 1.

-- What of a document tells which work it is, for relating preprint, published version and supplement. Derived from the
-- document's record.
CREATE TABLE works (
  document INTEGER PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
  doi TEXT,                           -- lower case, without resolver; arXiv's own DOIs are in arxiv
  arxiv TEXT,                         -- without version
  title TEXT,                         -- folded words, without what marks a supplement; null where too short to tell
  stem TEXT,                          -- key without extension and without what marks a supplement
  surnames TEXT NOT NULL,             -- JSON array of the authors' folded surnames
  kind TEXT NOT NULL                  -- supplement, preprint, published or unknown
) STRICT;
CREATE INDEX works_doi ON works (doi) WHERE doi IS NOT NULL;
CREATE INDEX works_arxiv ON works (arxiv) WHERE arxiv IS NOT NULL;
CREATE INDEX works_title ON works (title) WHERE title IS NOT NULL;
CREATE INDEX works_stem ON works (stem) WHERE stem IS NOT NULL;

-- HNSW graphs over the vectors of a segment, made by choice; a segment without one is scanned.
CREATE TABLE hnsw (
  segment INTEGER PRIMARY KEY REFERENCES segments (id) ON DELETE CASCADE,
  file TEXT NOT NULL UNIQUE,
  bytes INTEGER NOT NULL,
  seal BLOB NOT NULL
) STRICT;
