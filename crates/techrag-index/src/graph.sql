-- The embedded graph, made when something is first loaded into it. Names of labels and edge types are techrag-graph's.
CREATE TABLE IF NOT EXISTS graph_nodes (
  nid INTEGER PRIMARY KEY,
  label TEXT NOT NULL,
  id TEXT NOT NULL,
  props TEXT NOT NULL,                -- JSON object
  UNIQUE (label, id)
) STRICT;
CREATE TABLE IF NOT EXISTS graph_edges (
  src INTEGER NOT NULL REFERENCES graph_nodes (nid) ON DELETE CASCADE,
  type TEXT NOT NULL,
  dst INTEGER NOT NULL REFERENCES graph_nodes (nid) ON DELETE CASCADE,
  props TEXT NOT NULL,                -- JSON object
  PRIMARY KEY (src, type, dst)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS graph_edges_back ON graph_edges (dst, type, src);
-- The user's names for a paper; a paper goes with its last one.
CREATE TABLE IF NOT EXISTS graph_keys (
  key TEXT PRIMARY KEY,
  paper INTEGER NOT NULL REFERENCES graph_nodes (nid) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS graph_keys_paper ON graph_keys (paper);
-- Communities as techrag-graph last found them: derived from the nodes and edges, no part of the graph.
CREATE TABLE IF NOT EXISTS graph_communities (
  number INTEGER PRIMARY KEY,
  said TEXT NOT NULL                  -- JSON object: terms, summary
) STRICT;
CREATE TABLE IF NOT EXISTS graph_members (
  paper INTEGER PRIMARY KEY REFERENCES graph_nodes (nid) ON DELETE CASCADE,
  community INTEGER NOT NULL
) STRICT;
