//! From uids to places and from selections to documents: for stages that get chunks by other ways than a search and must
//! keep to the same scope.

use std::collections::BTreeSet;

use techrag_core::id;

use crate::reader::{Place, Reader, Selection};
use crate::writer::doc_number;

impl Reader {
    /// Where the living chunk of a uid stands; `None` where there is none.
    pub fn place_of(&self, uid: &str) -> Option<Place> {
        let (doc, ordinal) = id::split_uid(uid).and_then(|(doc, ordinal)| Some((doc_number(doc)?, ordinal)))?;
        self.segments().enumerate().find_map(|(at, (segment, live))| {
            let mut slots = segment.slots_of(doc);
            let slot = slots.find(|slot| live.has(*slot) && segment.keys()[*slot].ordinal == ordinal)?;
            Some(Place { segment: at as u32, slot: slot as u32 })
        })
    }

    /// The documents that have a chunk in a selection, ascending.
    pub fn documents_in(&self, selection: &Selection) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for (at, (segment, _)) in self.segments().enumerate() {
            let mut last = None;
            for (slot, key) in segment.keys().iter().enumerate() {
                let place = Place { segment: at as u32, slot: slot as u32 };
                if last != Some(key.doc) && selection.has(place) {
                    last = Some(key.doc);
                    found.insert(format!("{:016x}", key.doc));
                }
            }
        }
        found
    }
}
