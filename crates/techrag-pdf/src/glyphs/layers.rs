//! Optional content: layers that a viewer does not show are no text of the page (ISO 32000-1, 8.11).

use hayro::hayro_syntax::Pdf;
use hayro::hayro_syntax::object::{Array, Dict, MaybeRef, Name, Object, ObjectIdentifier};
use std::collections::HashSet;

/// The groups that are switched off.
#[derive(Clone, Debug, Default)]
pub(super) struct Hidden(HashSet<ObjectIdentifier>);

impl Hidden {
    /// As the document's default configuration says.
    pub(super) fn of(pdf: &Pdf) -> Self {
        let xref = pdf.xref();
        let config = || {
            let catalog = xref.get::<Dict<'_>>(xref.root_id())?;
            let properties = catalog.get::<Dict<'_>>(b"OCProperties".as_slice())?;
            let config = properties.get::<Dict<'_>>(b"D".as_slice())?;
            Some((properties, config))
        };
        let Some((properties, config)) = config() else { return Self::default() };
        let mut hidden = HashSet::new();
        let off = config.get::<Name<'_>>(b"BaseState".as_slice()).is_some_and(|state| state.as_str() == "OFF");
        if off {
            hidden.extend(groups(&properties, b"OCGs"));
        }
        for on in groups(&config, b"ON") {
            hidden.remove(&on);
        }
        hidden.extend(groups(&config, b"OFF"));
        Self(hidden)
    }

    /// Whether what carries the entry `key` of `dict` (a group or a membership dictionary) is hidden.
    pub(super) fn hides(&self, dict: &Dict<'_>, key: &[u8]) -> bool {
        if self.0.is_empty() {
            return false;
        }
        if dict.get_ref(key).is_some_and(|id| self.0.contains(&id.into())) {
            return true;
        }
        dict.get::<Dict<'_>>(key).is_some_and(|membership| self.hides_members(&membership))
    }

    /// A membership dictionary (OCMD) with its policy.
    fn hides_members(&self, membership: &Dict<'_>) -> bool {
        let members = members(membership);
        if members.is_empty() {
            return false;
        }
        let off = |id: &ObjectIdentifier| self.0.contains(id);
        let policy = membership.get::<Name<'_>>(b"P".as_slice());
        match policy.as_ref().map(Name::as_str) {
            Some("AllOn") => members.iter().any(off),
            Some("AnyOff") => !members.iter().any(off),
            Some("AllOff") => !members.iter().all(off),
            _ => members.iter().all(off),
        }
    }
}

fn members(membership: &Dict<'_>) -> Vec<ObjectIdentifier> {
    match membership.get_ref(b"OCGs".as_slice()) {
        Some(one) if membership.get::<Array<'_>>(b"OCGs".as_slice()).is_none() => vec![one.into()],
        _ => groups(membership, b"OCGs"),
    }
}

fn groups(dict: &Dict<'_>, key: &[u8]) -> Vec<ObjectIdentifier> {
    let Some(array) = dict.get::<Array<'_>>(key) else { return Vec::new() };
    array.raw_iter().filter_map(|item: MaybeRef<Object<'_>>| item.as_obj_ref()).map(Into::into).collect()
}
