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
-- Cells of tables. Those of a sheet have an address and, where they show one's value, their formula: a table's range is
-- `A1:D9`, or `A1:D1,A40:D80` where rows between were left out; its rows go through the parts in order. Columns have up to
-- three letters, A = 1.
CREATE TEMP VIEW cells AS
  WITH found AS (
    SELECT d.doc_id || ':' || c.ordinal AS uid, c.section, t.key + 1 AS "table", t.value ->> '$.caption' AS caption,
      t.value ->> '$.page' AS page, r.key + 1 AS "row", x.key + 1 AS "column", x.value,
      replace(t.value ->> '$.range', '$', '') AS range, t.value -> '$.formulas' AS formulas
    FROM main.chunks c JOIN main.documents d ON d.id = c.document, json_each(c.record, '$.tables') t,
      json_each(t.value, '$.cells') r, json_each(r.value) x
  ), corners AS (
    SELECT *, rtrim(range, '0123456789:,ABCDEFGHIJKLMNOPQRSTUVWXYZ') = '' AS plain,
      substr(range, 1, length(range) - length(ltrim(range, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'))) AS letters
    FROM found
  ), numbered AS (
    SELECT *,
      "column" - 1 + instr('ABCDEFGHIJKLMNOPQRSTUVWXYZ', substr(letters, -1))
        + CASE WHEN length(letters) > 1 THEN 26 * instr('ABCDEFGHIJKLMNOPQRSTUVWXYZ', substr(letters, -2, 1)) ELSE 0 END
        + CASE WHEN length(letters) > 2 THEN 676 * instr('ABCDEFGHIJKLMNOPQRSTUVWXYZ', substr(letters, -3, 1)) ELSE 0 END
        AS across,
      (SELECT first + "row" - 1 - above FROM (
        SELECT first, last - first + 1 AS height, sum(last - first + 1) OVER (ORDER BY part) - (last - first + 1) AS above
        FROM (
          SELECT p.key AS part, CAST(ltrim(p.value, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ') AS INTEGER) AS first,
            CAST(ltrim(substr(p.value, instr(p.value, ':') + 1), 'ABCDEFGHIJKLMNOPQRSTUVWXYZ') AS INTEGER) AS last
          FROM json_each('["' || replace(range, ',', '","') || '"]') p
        )
      ) WHERE "row" - 1 BETWEEN above AND above + height - 1) AS down
    FROM corners WHERE plain
  ), addressed AS (
    SELECT *, CASE WHEN across > 702 THEN char(65 + (across - 703) / 676) ELSE '' END
      || CASE WHEN across > 26 THEN char(65 + (across - 27) / 26 % 26) ELSE '' END || char(65 + (across - 1) % 26)
      || down AS address
    FROM numbered
  )
  SELECT uid, section, "table", caption, page, "row", "column", value, address,
    (SELECT f.value FROM json_each(formulas) f WHERE f.key = address) AS formula
  FROM addressed
  UNION ALL
  SELECT uid, section, "table", caption, page, "row", "column", value, NULL, NULL FROM corners WHERE plain IS NOT TRUE;
CREATE TEMP VIEW failures AS
  SELECT d.doc_id, f.item, f.stage, f.message FROM main.failures f JOIN main.documents d ON d.id = f.document;
-- Documents of one work, both ways round. Of documents that share a DOI, an arXiv identifier, or a title and an author,
-- one is a supplement of the other if its title or file name says so and the other's does not; a preprint of it if it
-- has no publisher's DOI but an arXiv identifier or a preprint server's DOI and the other has one; else another version
-- of it. Authors need not agree where a supplement names none; a supplement also goes by its file's name (x-supp.pdf).
CREATE TEMP VIEW related AS
  WITH pairs AS (
    SELECT a.document AS a, b.document AS b, a.kind AS kind, b.kind AS other,
      CASE WHEN a.doi = b.doi THEN 'doi' WHEN a.arxiv = b.arxiv THEN 'arxiv'
        WHEN a.title = b.title AND (
          EXISTS (SELECT 1 FROM json_each(a.surnames) x JOIN json_each(b.surnames) y ON x.value = y.value)
          OR (a.kind = 'supplement') <> (b.kind = 'supplement') AND (a.surnames = '[]' OR b.surnames = '[]')
        ) THEN 'title'
        WHEN a.stem = b.stem AND (a.kind = 'supplement') <> (b.kind = 'supplement') THEN 'name'
      END AS rule
    FROM main.works a JOIN main.works b ON a.document <> b.document
      AND (a.doi = b.doi OR a.arxiv = b.arxiv OR a.title = b.title OR a.stem = b.stem)
  )
  SELECT d.doc_id, o.doc_id AS other,
    CASE WHEN kind = 'supplement' AND other <> 'supplement' THEN 'supplement of'
      WHEN kind <> 'supplement' AND other = 'supplement' THEN 'has supplement'
      WHEN kind = 'preprint' AND other = 'published' THEN 'preprint of'
      WHEN kind = 'published' AND other = 'preprint' THEN 'published from'
      ELSE 'version of' END AS relation,
    rule
  FROM pairs JOIN main.documents d ON d.id = a JOIN main.documents o ON o.id = b WHERE rule IS NOT NULL;
