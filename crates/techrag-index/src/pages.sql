-- Pages as page retrieval sees them; made when the first page is stored. A page's row outlives its document's, so that
-- a document added again finds what was encoded at such cost; searches join with the documents that are in.
CREATE TABLE IF NOT EXISTS page_files (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,                 -- what it holds: its owner's word
  file TEXT NOT NULL UNIQUE,
  bytes INTEGER NOT NULL,
  seal BLOB NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS pages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  doc_id TEXT NOT NULL,
  page INTEGER NOT NULL,              -- from 1
  file INTEGER REFERENCES page_files (id),
  slot INTEGER,                       -- within the file
  about TEXT NOT NULL,                -- JSON: size, figures and tables
  failure TEXT,                       -- why there is no file
  UNIQUE (doc_id, page)
) STRICT;
CREATE INDEX IF NOT EXISTS pages_file ON pages (file);
