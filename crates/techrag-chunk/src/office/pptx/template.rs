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
    layout: Places,
    master: Places,
    /// Paragraph properties by the master's style, then by level.
    styles: HashMap<String, Levels>,
}

/// Paragraph properties by the name of their level.
type Levels = HashMap<String, Node>;

/// The placeholders of a layout or a master, looked through once: a slide asks for them with each of its paragraphs.
#[derive(Clone, Debug, Default)]
struct Places {
    all: Vec<Place>,
    /// The first of each number and kind.
    by_index: HashMap<(String, String), usize>,
    /// The first of each kind.
    by_kin: HashMap<String, usize>,
}

/// What an instance of a placeholder inherits.
#[derive(Clone, Debug)]
struct Place {
    kind: String,
    frame: Option<[f64; 4]>,
    levels: Levels,
}

impl Places {
    fn of(part: Option<&Node>) -> Self {
        let mut places = Self::default();
        let tree = part.and_then(|part| part.at(&["p:cSld", "p:spTree"]));
        for shape in tree.into_iter().flat_map(|tree| tree.all("p:sp")) {
            let Some(Placeholder { kind, index }) = shapes::placeholder(shape) else { continue };
            let (at, kin) = (places.all.len(), kin(&kind).to_owned());
            places.by_index.entry((index, kin.clone())).or_insert(at);
            places.by_kin.entry(kin).or_insert(at);
            let frame = shape.at(&["p:spPr", "a:xfrm"]).and_then(shapes::frame);
            places.all.push(Place { kind, frame, levels: levels(shape.at(&["p:txBody", "a:lstStyle"])) });
        }
        places
    }

    /// The placeholder of this number and kind, else the first of this kind.
    fn find(&self, index: Option<&str>, kind: &str) -> Option<&Place> {
        let own = index.and_then(|index| self.by_index.get(&(index.to_owned(), kin(kind).to_owned())));
        self.all.get(*own.or_else(|| self.by_kin.get(kin(kind)))?)
    }
}

/// The first of each name.
fn levels(style: Option<&Node>) -> Levels {
    let mut levels = Levels::new();
    for level in style.into_iter().flat_map(Node::nodes) {
        if !levels.contains_key(&*level.name) {
            levels.insert(level.name.to_string(), level.clone());
        }
    }
    levels
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
        let style = |name: &str| {
            let style = master.as_ref().and_then(|master| master.at(&["p:txStyles", name]));
            (name.to_owned(), levels(style))
        };
        let template = Rc::new(Template {
            layout: Places::of(layout.as_ref()),
            master: Places::of(master.as_ref()),
            styles: ["p:titleStyle", "p:otherStyle", "p:bodyStyle"].map(style).into(),
        });
        self.0.insert(part, Rc::clone(&template));
        Ok(template)
    }
}

impl Template {
    /// Where a placeholder stands if its slide does not say.
    pub(super) fn frame(&self, place: &Placeholder) -> Option<[f64; 4]> {
        self.places(place).find_map(|place| place.frame)
    }

    /// The paragraph properties of a level (from 1) that a placeholder inherits, nearest first.
    pub(super) fn levels(&self, place: &Placeholder, level: &str) -> Vec<&Node> {
        let style = match place.kind.as_str() {
            "title" | "ctrTitle" => "p:titleStyle",
            "dt" | "ftr" | "sldNum" => "p:otherStyle",
            _ => "p:bodyStyle",
        };
        let of_master = self.styles.get(style).and_then(|levels| levels.get(level));
        self.places(place).filter_map(|place| place.levels.get(level)).chain(of_master).collect()
    }

    /// What the placeholder is an instance of in the layout, then in the master.
    fn places(&self, place: &Placeholder) -> impl Iterator<Item = &Place> {
        let in_layout = self.layout.find(Some(&place.index), &place.kind);
        let in_master = self.master.find(None, in_layout.map_or(place.kind.as_str(), |own| own.kind.as_str()));
        in_layout.into_iter().chain(in_master)
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
