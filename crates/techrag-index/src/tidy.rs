//! Fewer, fuller segments: merging as a library grows, compacting on demand, remaking from the catalog.
//!
//! Segments of about one size are merged eight at a time, so a chunk is rewritten once for every eightfold growth and
//! a library of a million chunks has a few dozen segments at most.

use std::fs;
use std::path::Path;

use rusqlite::TransactionBehavior;

use crate::build::{Draft, Parts};
use crate::catalog::Places;
use crate::error::{At as _, Result};
use crate::hnsw;
use crate::room;
use crate::rows;
use crate::writer::{self, Held, Writer};

/// Segments of one size class that are merged into one.
const FAN: usize = 8;
/// Chunks of the smallest size class.
const SMALL: usize = 1024;
/// Chunks a merge gathers at most: its vectors and postings are held in memory, some gigabytes.
const LARGEST: usize = 500_000;
/// Chunks remade at a time.
const REMADE: usize = 32_768;

impl Writer {
    /// Merges segments where many of one size have gathered, and rewrites those that are mostly dead.
    ///
    /// # Errors
    /// If a file cannot be written or the catalog refuses; the library is then as it was.
    pub fn tidy(&mut self) -> Result<()> {
        while let Some(group) = self.due() {
            self.merge(&group)?;
        }
        Ok(())
    }

    /// Indices of segments to merge now.
    fn due(&self) -> Option<Vec<usize>> {
        let mostly_dead = |held: &Held| held.dead.count() * 2 > held.segment.len();
        if let Some(at) = self.held.iter().position(mostly_dead) {
            return Some(vec![at]);
        }
        let class = |held: &Held| (held.alive() / SMALL).checked_ilog(FAN).map_or(0, |class| class + 1);
        let mut classes: Vec<(u32, usize)> = self.held.iter().enumerate().map(|(at, held)| (class(held), at)).collect();
        classes.sort_unstable();
        let chunks = |group: &[(u32, usize)]| group.iter().map(|(_, at)| self.held[*at].alive()).sum::<usize>();
        let group = classes.chunk_by(|a, b| a.0 == b.0).find(|group| group.len() >= FAN && chunks(group) <= LARGEST)?;
        Some(group.iter().map(|(_, at)| *at).collect())
    }

    /// Makes as few segments as memory allows, without dead slots, and gives the catalog's free space back.
    ///
    /// # Errors
    /// If a file cannot be written or the catalog refuses; the library is then as it was.
    pub fn compact(&mut self) -> Result<()> {
        for group in self.groups() {
            let at: Vec<usize> = (0..self.held.len()).filter(|at| group.contains(&self.held[*at].id)).collect();
            let clean = matches!(at[..], [only] if self.held[only].dead.count() == 0);
            if !clean {
                self.merge(&at)?;
            }
        }
        // The new catalog is written whole, to the log and then over the old one.
        let catalog = self.places.catalog();
        room::ensure(&self.places.root, 2 * fs::metadata(&catalog).at(&catalog)?.len())?;
        self.catalog.execute_batch("VACUUM")?;
        Ok(())
    }

    /// The ids of all segments, in groups that a merge can hold in memory.
    fn groups(&self) -> Vec<Vec<i64>> {
        let mut groups: Vec<Vec<i64>> = Vec::new();
        let mut room = 0;
        for held in &self.held {
            match groups.last_mut() {
                Some(group) if held.alive() <= room => group.push(held.id),
                _ => {
                    groups.push(vec![held.id]);
                    room = LARGEST;
                }
            }
            room = room.saturating_sub(held.alive());
        }
        groups
    }

    fn merge(&mut self, group: &[usize]) -> Result<()> {
        // Damage must not go into a new file under a fresh checksum.
        for at in group {
            self.held[*at].segment.frame().check()?;
        }
        let members: Vec<_> = group.iter().map(|at| (&self.held[*at].segment, &self.held[*at].dead)).collect();
        let parts = Parts::merged(&members);
        room::ensure(&self.places.root, parts.bytes())?;
        let old: Vec<i64> = group.iter().map(|at| self.held[*at].id).collect();
        let new = if parts.is_empty() { Vec::new() } else { vec![self.write(&parts)?] };
        self.swap(&old, new)
    }

    /// Names new segments in place of old ones, then deletes the files of the old.
    fn swap(&mut self, old: &[i64], new: Vec<(Held, crate::frame::Written)>) -> Result<()> {
        let mut files: Vec<String> = hnsw::named_graphs(&self.catalog)?
            .into_iter()
            .filter_map(|named| old.contains(&named.segment).then_some(named.file))
            .collect();
        let transaction = self.catalog.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for id in old {
            transaction.prepare_cached("DELETE FROM segments WHERE id = ?")?.execute([id])?;
        }
        for (held, written) in &new {
            writer::insert_segment(&transaction, held, *written)?;
        }
        transaction.commit()?;
        files.extend(self.held.iter().filter(|held| old.contains(&held.id)).map(|held| held.file.clone()));
        for file in files {
            // A file that cannot be deleted now is swept up by the next writer.
            let _ = fs::remove_file(self.places.segment(&file));
        }
        self.held.retain(|held| !old.contains(&held.id));
        self.held.extend(new.into_iter().map(|(held, _)| held));
        Ok(())
    }
}

/// Remakes every segment of the library at `root` from the catalog. `owner` is the tool.
///
/// # Errors
/// If another process writes, the catalog cannot be read or a file not be written; the library is then as it was.
pub fn rebuild(root: &Path, owner: &str) -> Result<usize> {
    Places::new(root).has_catalog()?;
    let mut writer = Writer::open_unloaded(root, owner)?;
    let dim = writer.encoder().map_or(0, |encoder| encoder.dim);
    let old: Vec<i64> = writer::named_segments(&writer.catalog)?.into_iter().map(|named| named.id).collect();
    let first = crate::change::next_row(&writer.catalog, "segments")?;
    let mut new = Vec::new();
    let mut total = 0;
    let mut after = (String::new(), -1);
    loop {
        let drafts: Vec<Draft> = rows::drafts_after(&writer.catalog, &after, REMADE)?;
        let Some(last) = drafts.last() else { break };
        after = (format!("{:016x}", last.key.doc), i64::from(last.key.ordinal));
        total += drafts.len();
        let parts = Parts::of(drafts, dim);
        room::ensure(root, parts.bytes())?;
        new.push(writer.write_as(first + new.len() as i64, &parts)?);
    }
    writer.swap(&old, new)?;
    writer.sweep()?;
    Ok(total)
}
