//! Attacks on the library's files: whatever bytes stand in a segment, nothing panics or asks for the memory of a
//! universe, `verify` names the file, no merge launders the damage, and `rebuild` remakes what was there.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use proptest::prelude::*;
use sha2::{Digest as _, Sha256};

use crate::library_tests::{LUCENE, OKAPI, add, assert_clean, document, found};
use crate::{Change, Error, Reader, Result, Status, Writer, rebuild, verify};

/// A copy of a library in one segment.
fn library() -> tempfile::TempDir {
    static MADE: OnceLock<tempfile::TempDir> = OnceLock::new();
    let made = MADE.get_or_init(make).path();
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("segments")).unwrap();
    for file in [made.join("catalog.sqlite"), segment(made)] {
        fs::copy(&file, folder.path().join(file.strip_prefix(made).unwrap())).unwrap();
    }
    folder
}

fn make() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let texts: Vec<String> = (0..40).map(|n| format!("slip angle {n} of tyre {}", n % 7)).collect();
    for documents in texts.chunks(20) {
        let documents = documents.chunks(4).enumerate().map(|(at, texts)| {
            let key = format!("{} {at}", texts[0]);
            document(&key, &texts.iter().map(String::as_str).collect::<Vec<_>>())
        });
        add(folder.path(), documents.collect());
    }
    Writer::open(folder.path(), "test").unwrap().compact().unwrap();
    folder
}

fn segment(root: &Path) -> PathBuf {
    let mut files = fs::read_dir(root.join("segments")).unwrap().map(|entry| entry.unwrap().path());
    files.next().unwrap()
}

/// Everything a reader does.
fn searched(root: &Path) -> Result<()> {
    let reader = Reader::open(root)?;
    let scope = reader.select(&["year!=1".parse().unwrap()])?;
    for among in [reader.everything(), scope] {
        let mut places: Vec<_> = reader.dense(&[0.6, 0.0, 0.8], 7, &among)?.iter().map(|ranked| ranked.item).collect();
        for bm25 in [LUCENE, OKAPI] {
            let terms = ["slip", "tyre", "3"].map(str::to_owned);
            places.extend(reader.lexical(&terms, bm25, 50, &among).iter().map(|ranked| ranked.item));
            let _ = reader.lexical_of(&terms, bm25, &places);
        }
        let _ = reader.dense_of(&[0.6, 0.0, 0.8], &places)?;
        for place in &places {
            let _ = reader.best_window(&[0.6, 0.0, 0.8], *place)?;
        }
        let _ = reader.stored(&places)?;
    }
    Status::read(root).map(|_| ())
}

/// Everything a writer does to segments that are there: takes out a document of four chunks, then merges.
fn written(mut writer: Writer) -> Result<()> {
    writer.commit(&[Change::Remove { doc_id: None, key: "slip angle 0 of tyre 0 0".into() }], None)?;
    writer.tidy()?;
    writer.compact()
}

#[test]
fn a_file_the_header_vouches_for_but_the_catalog_does_not_is_refused() {
    let folder = library();
    let path = segment(folder.path());
    let mut bytes = fs::read(&path).unwrap();
    let sections = bytes[20] as usize;
    let end = 32 + 56 * sections;
    // The first section is said to lie elsewhere, under a seal that fits.
    bytes[32 + 8..32 + 16].copy_from_slice(&u64::MAX.to_le_bytes());
    let seal = Sha256::digest(&bytes[..end]);
    bytes[end..end + 32].copy_from_slice(&seal);
    fs::write(&path, bytes).unwrap();
    assert!(matches!(searched(folder.path()), Err(Error::Corrupt { .. })));
    let problems = verify(folder.path()).unwrap().problems;
    assert!(problems.iter().any(|problem| problem.file == path), "{problems:?}");
}

#[test]
fn damage_of_the_catalog_points_to_verify() {
    let folder = library();
    let catalog = folder.path().join("catalog.sqlite");
    let whole = fs::read(&catalog).unwrap();
    let mut told = 0;
    for page in 0..whole.len() / 4096 {
        let mut bytes = whole.clone();
        bytes[page * 4096..(page + 1) * 4096].fill(0xa5);
        fs::write(&catalog, bytes).unwrap();
        let Err(error) = searched(folder.path()) else { continue };
        told += 1;
        assert!(error.to_string().contains("techrag-index verify"), "page {page}: {error}");
        let problems = verify(folder.path()).unwrap().problems;
        assert!(problems.iter().any(|problem| problem.file == catalog), "page {page}: {problems:?}");
    }
    assert!(told > 3, "{told}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn no_damage_of_a_segment_panics_and_none_goes_into_a_new_one(
        hits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 1_usize..64), 1..8)
    ) {
        let folder = library();
        let path = segment(folder.path());
        let whole = fs::read(&path).unwrap();
        let mut bytes = whole.clone();
        let body = 32 + 56 * bytes[20] as usize + 32;
        for (at, value, length) in hits {
            let at = body + at.index(bytes.len() - body);
            let end = (at + length).min(bytes.len());
            bytes[at..end].fill(value);
        }
        fs::write(&path, &bytes).unwrap();
        let named = verify(folder.path()).unwrap().problems.iter().any(|problem| problem.file == path);
        let _ = searched(folder.path());
        let writer = Writer::open(folder.path(), "test");
        let left = if writer.is_ok() { 36 } else { 40 };
        let kept = writer.and_then(written);
        if named {
            prop_assert!(matches!(kept, Err(Error::Corrupt { .. })), "{kept:?}");
        } else {
            // What was hit holds what it held.
            prop_assert!(kept.is_ok());
        }
        rebuild(folder.path(), "test").unwrap();
        assert_clean(folder.path());
        prop_assert_eq!(found(folder.path(), "slip").len(), left);
    }
}
