-- The catalog, format 1: the source of truth. Everything beside it is derived from these tables. Never changed:
-- what came later is in format-N.sql.
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- One row a content: files with the same bytes share it.
CREATE TABLE documents (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  doc_id TEXT NOT NULL UNIQUE,
  title TEXT,
  authors TEXT NOT NULL,              -- JSON array
  year INTEGER,
  doi TEXT,
  media_type TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  pages INTEGER,
  record TEXT NOT NULL,               -- the document record as JSON
  digest BLOB NOT NULL                -- SHA-256 of record, chunks and vectors
) STRICT;

-- The user's names for a content, each of exactly one.
CREATE TABLE keys (
  key TEXT PRIMARY KEY,
  document INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
  path TEXT,                          -- where it was read
  size INTEGER,                       -- size and modification time (ns) of the file when its bytes were
  mtime INTEGER                       -- last known to be this content
) STRICT;
CREATE INDEX keys_document ON keys (document);

CREATE TABLE chunks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  document INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  section TEXT NOT NULL,
  role TEXT NOT NULL,
  first_page INTEGER,
  last_page INTEGER,
  sha1 TEXT NOT NULL,
  text TEXT NOT NULL,
  record TEXT NOT NULL,               -- the chunk record as JSON, without text and vectors
  UNIQUE (document, ordinal)
) STRICT;

-- The windows of a chunk: bounds as JSON [[start, end], …], vectors as little-endian f32 one after the other.
CREATE TABLE vectors (
  chunk INTEGER PRIMARY KEY REFERENCES chunks (id) ON DELETE CASCADE,
  bounds TEXT NOT NULL,
  data BLOB NOT NULL
) STRICT;

-- How much of a document each stage expected and stored.
CREATE TABLE ledger (
  document INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
  stage TEXT NOT NULL,
  expected INTEGER NOT NULL,
  actual INTEGER NOT NULL,
  PRIMARY KEY (document, stage)
) STRICT, WITHOUT ROWID;

-- What of a document failed, and why.
CREATE TABLE failures (
  document INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
  item TEXT NOT NULL,
  stage TEXT NOT NULL,
  message TEXT NOT NULL,
  PRIMARY KEY (document, item, stage)
) STRICT, WITHOUT ROWID;

-- The segment files, and which of their slots are dead (bits, little-endian).
CREATE TABLE segments (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  file TEXT NOT NULL UNIQUE,
  bytes INTEGER NOT NULL,
  seal BLOB NOT NULL,
  chunks INTEGER NOT NULL,
  dead BLOB NOT NULL
) STRICT;
