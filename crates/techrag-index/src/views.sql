-- What `techrag-index sql` may be asked about: published names over the catalog, which may change behind them.
CREATE TEMP VIEW documents AS
  SELECT d.doc_id, (SELECT min(k.key) FROM main.keys k WHERE k.document = d.id) AS key, d.title, d.year, d.doi,
    d.media_type, d.bytes, d.pages, (SELECT count(*) FROM main.chunks c WHERE c.document = d.id) AS chunks,
    d.record ->> '$.abstract' AS abstract
  FROM main.documents d;
CREATE TEMP VIEW keys AS
  SELECT k.key, d.doc_id, k.path FROM main.keys k JOIN main.documents d ON d.id = k.document;
CREATE TEMP VIEW authors AS
  SELECT d.doc_id, a.key + 1 AS position, a.value AS name FROM main.documents d, json_each(d.authors) a;
CREATE TEMP VIEW keywords AS
  SELECT d.doc_id, w.value AS keyword FROM main.documents d, json_each(d.record, '$.keywords') w;
CREATE TEMP VIEW metadata AS
  SELECT d.doc_id, m.key AS name, m.value FROM main.documents d, json_each(d.record, '$.metadata') m;
CREATE TEMP VIEW cited AS
  SELECT d.doc_id, r.key + 1 AS position, r.value ->> '$.title' AS title, r.value ->> '$.year' AS year,
    r.value ->> '$.doi' AS doi, r.value ->> '$.raw' AS raw
  FROM main.documents d, json_each(d.record, '$.references') r;
CREATE TEMP VIEW chunks AS
  SELECT d.doc_id || ':' || c.ordinal AS uid, d.doc_id, c.ordinal, c.section, c.role, c.first_page, c.last_page,
    c.record ->> '$.modality' AS modality, c.text
  FROM main.chunks c JOIN main.documents d ON d.id = c.document;
CREATE TEMP VIEW sections AS
  SELECT d.doc_id, c.section, min(c.role) AS role, min(c.first_page) AS first_page, max(c.last_page) AS last_page,
    count(*) AS chunks
  FROM main.chunks c JOIN main.documents d ON d.id = c.document GROUP BY d.doc_id, c.section;
CREATE TEMP VIEW cells AS
  SELECT d.doc_id || ':' || c.ordinal AS uid, t.key + 1 AS "table", t.value ->> '$.caption' AS caption,
    t.value ->> '$.page' AS page, r.key + 1 AS "row", x.key + 1 AS "column", x.value
  FROM main.chunks c JOIN main.documents d ON d.id = c.document, json_each(c.record, '$.tables') t,
    json_each(t.value, '$.cells') r, json_each(r.value) x;
CREATE TEMP VIEW failures AS
  SELECT d.doc_id, f.item, f.stage, f.message FROM main.failures f JOIN main.documents d ON d.id = f.document;
