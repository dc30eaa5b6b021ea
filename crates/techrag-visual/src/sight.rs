//! What a layout network sees on a page, for pages whose own objects do not say where their figures are: scans, and
//! captions beside which the PDF draws nothing that can be told apart.
//!
//! The network is optional. Where it is absent the pages that would have needed it are counted, not passed over in
//! silence.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use techrag_core::record::CropKind;
use techrag_models::{LayoutModel, Limits, Locator, Manifest, Pixels};
use techrag_pdf::{Bbox, Config, Page, Renderer, Size};

use crate::error::{Error, Result};
use crate::region::{Region, is_silent, regions};

/// Longest side of the picture that is looked at: some more than the network's own 480 pixels, which resampling needs.
const LONGEST: u32 = 1024;

/// Which pages the network looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// None.
    Never,
    /// Those whose own objects leave their figures open.
    Silent,
    /// All.
    Always,
}

/// A thing seen on a page.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Seen {
    /// What it is, in the words of the network's manifest.
    pub(crate) label: String,
    /// Its box in points.
    pub(crate) bbox: Bbox,
}

impl Seen {
    /// What it is if it can be cut out.
    pub(crate) fn kind(&self) -> Option<CropKind> {
        match self.label.as_str() {
            "image" | "chart" => Some(CropKind::Figure),
            "table" => Some(CropKind::Table),
            _ => None,
        }
    }

    pub(crate) fn is_caption(&self) -> bool {
        matches!(self.label.as_str(), "figure_title" | "chart_title" | "table_title")
    }
}

/// The network, opened when the first page needs it. Shared by threads freely.
pub struct Sight {
    locator: Locator,
    id: String,
    limits: Limits,
    look: Look,
    is_there: bool,
    model: Mutex<Option<Arc<LayoutModel>>>,
}

/// What came of looking at a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Looked {
    /// The page's figures and tables.
    pub regions: Vec<Region>,
    /// Why the network did not look although the page needed it.
    pub unseen: Option<String>,
}

impl Sight {
    /// A layout network of the manifest. Nothing is opened yet; [`Look::Silent`] does without it where it is absent.
    ///
    /// # Errors
    /// If it is unknown, or absent and asked for always.
    pub fn new(locator: Locator, id: &str, limits: Limits, look: Look) -> Result<Self> {
        let manifest = Manifest::of(&locator)?;
        let model = manifest.get(id)?;
        model.layout_model()?;
        let is_there = look != Look::Never && locator.has(model);
        if look == Look::Always && !is_there {
            locator.folder(model)?;
        }
        Ok(Self { locator, id: id.to_owned(), limits, look, is_there, model: Mutex::default() })
    }

    /// The figures and tables of a page of the PDF at `path`. `picture` is the page if it is drawn already. A page that
    /// cannot be drawn, or of which the network makes nothing, has those of its own objects.
    ///
    /// # Errors
    /// If the network does not load or run: what the next page would meet again.
    pub fn regions(&self, path: &Path, config: &Config, page: &Page, picture: Option<&Pixels>) -> Result<Looked> {
        let own = regions(page, &[]);
        let wanted = match self.look {
            Look::Never => false,
            Look::Silent => is_silent(page, &own),
            Look::Always => true,
        };
        if !wanted {
            return Ok(Looked { regions: own, unseen: None });
        }
        if !self.is_there {
            let unseen = Some(format!("the layout model {} is not there", self.id));
            return Ok(Looked { regions: own, unseen });
        }
        let seen = match picture {
            Some(picture) => self.see(picture, page),
            None => match Renderer::new(path, config).page(page.number, Size::Longest(LONGEST)) {
                Ok(drawn) => Pixels::new(drawn.width as usize, drawn.height as usize, drawn.rgb)
                    .map_err(Error::from)
                    .and_then(|pixels| self.see(&pixels, page)),
                Err(error) => return Ok(Looked { regions: own, unseen: Some(error.to_string()) }),
            },
        };
        match seen {
            Ok(seen) => Ok(Looked { regions: regions(page, &seen), unseen: None }),
            Err(error) if error.is_about_a_text() => Ok(Looked { regions: own, unseen: Some(error.to_string()) }),
            Err(error) => Err(error),
        }
    }

    fn see(&self, picture: &Pixels, page: &Page) -> Result<Vec<Seen>> {
        let [width, height] = [page.width, page.height];
        let points = |[x0, y0, x1, y1]: [f32; 4]| [x0 * width, y0 * height, x1 * width, y1 * height];
        let seen = self.model()?.regions(picture)?;
        Ok(seen.into_iter().map(|it| Seen { label: it.label, bbox: points(it.bbox) }).collect())
    }

    fn model(&self) -> Result<Arc<LayoutModel>> {
        let mut slot = self.model.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(model) = slot.as_ref() {
            return Ok(Arc::clone(model));
        }
        let manifest = Manifest::of(&self.locator)?;
        let model = Arc::new(LayoutModel::open(&self.locator, &manifest, &self.id, self.limits)?);
        Ok(Arc::clone(slot.insert(model)))
    }
}
