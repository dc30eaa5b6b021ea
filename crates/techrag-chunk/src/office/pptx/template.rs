//! What a slide takes from its layout and its master: frames and bullets of placeholders.

use std::collections::HashMap;
use std::rc::Rc;

use super::super::archive::{Archive, Error};
use super::super::relations::Relations;
use super::super::xml::Node;
use super::shapes::{self, Placeholder};

/// The templates read so far, by the part of their layout.
#[derive(Default)]
pub(super) struct Templates(HashMap<String, Rc<Template>>);

/// A layout and its master.
#[derive(Clone, Debug, Default)]
pub(super) struct Template {
    layout: Option<Node>,
    master: Option<Node>,
}

impl Templates {
    /// The template of the slide with these relations.
    pub(super) fn of(&mut self, slide: &Relations, archive: &mut Archive<'_>) -> Result<Rc<Template>, Error> {
        let Some(part) = slide.of_kind("slideLayout").first().map(|part| (*part).to_owned()) else {
            return Ok(Rc::default());
        };
        if let Some(template) = self.0.get(&part) {
            return Ok(Rc::clone(template));
        }
        let layout = archive.tree(&part)?;
        let relations = Relations::of(&part, archive)?;
        let master = match relations.of_kind("slideMaster").first() {
            Some(master) => archive.tree(master)?,
            None => None,
        };
        let template = Rc::new(Template { layout, master });
        self.0.insert(part, Rc::clone(&template));
        Ok(template)
    }
}

impl Template {
    /// Where a placeholder stands if its slide does not say.
    pub(super) fn frame(&self, place: &Placeholder) -> Option<[f64; 4]> {
        self.shapes(place).into_iter().find_map(|shape| shape.at(&["p:spPr", "a:xfrm"]).and_then(shapes::frame))
    }

    /// The paragraph properties of a level (from 1) that a placeholder inherits, nearest first.
    pub(super) fn levels(&self, place: &Placeholder, level: &str) -> Vec<&Node> {
        let of_shapes = self.shapes(place).into_iter().filter_map(|shape| shape.at(&["p:txBody", "a:lstStyle", level]));
        let style = match place.kind.as_str() {
            "title" | "ctrTitle" => "p:titleStyle",
            "dt" | "ftr" | "sldNum" => "p:otherStyle",
            _ => "p:bodyStyle",
        };
        let of_master = self.master.as_ref().and_then(|master| master.at(&["p:txStyles", style, level]));
        of_shapes.chain(of_master).collect()
    }

    /// The shapes of layout and master that a placeholder is an instance of.
    fn shapes(&self, place: &Placeholder) -> Vec<&Node> {
        let all = |part: &'_ Option<Node>| -> Vec<(Placeholder, usize)> {
            let tree = part.as_ref().and_then(|part| part.at(&["p:cSld", "p:spTree"]));
            let shapes = tree.into_iter().flat_map(|tree| tree.all("p:sp")).enumerate();
            shapes.filter_map(|(at, shape)| Some((shapes::placeholder(shape)?, at))).collect()
        };
        let in_layout = all(&self.layout);
        let by_index = in_layout.iter().find(|(own, _)| own.index == place.index && kin(&own.kind) == kin(&place.kind));
        let found = by_index.or_else(|| in_layout.iter().find(|(own, _)| kin(&own.kind) == kin(&place.kind)));
        let layout_at = found.map(|(_, at)| *at);
        let kind = found.map_or(place.kind.as_str(), |(own, _)| own.kind.as_str());
        let master_at = all(&self.master).iter().find(|(own, _)| kin(&own.kind) == kin(kind)).map(|(_, at)| *at);
        [(&self.layout, layout_at), (&self.master, master_at)]
            .into_iter()
            .filter_map(|(part, at)| part.as_ref()?.at(&["p:cSld", "p:spTree"])?.all("p:sp").nth(at?))
            .collect()
    }
}

/// Kinds of placeholders that stand for each other between slide, layout and master.
fn kin(kind: &str) -> &str {
    match kind {
        "ctrTitle" => "title",
        "obj" | "subTitle" | "tbl" | "chart" | "dgm" | "clipArt" | "media" | "pic" => "body",
        kind => kind,
    }
}
