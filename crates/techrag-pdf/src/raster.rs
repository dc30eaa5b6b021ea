//! A page as pixels, drawn by hayro.
//!
//! Runs in a worker: what a page's images and paths need of memory and time is bounded there. The size of the picture
//! is bounded here, whatever the page says of its own.

use hayro::hayro_interpret::{InterpreterSettings, InterpreterWarning};
use hayro::hayro_syntax::page::Page;
use hayro::kurbo::Affine;
use hayro::vello_cpu::{Pixmap, RasterizerSettings, RenderContext, Resources, TargetInit};
use hayro::{RenderCache, RenderSettings};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, PoisonError};

/// Most pixels of a longer side: A4 at 350 dots an inch, and 50 MB of bytes for a square.
pub const LONGEST_SIDE: u32 = 4096;
/// Most pixels of a picture: those of a square of that side. A strip may be longer.
pub(crate) const MOST_DRAWN: u32 = LONGEST_SIDE * LONGEST_SIDE;

/// What draws: pictures of another renderer differ in their pixels.
pub const RENDERER: &str = "hayro 0.9";

/// How large a picture is to be.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Size {
    /// So many pixels along the longer side. An image of fewer pixels than its place is drawn as it always was, in
    /// squares: vectors of such pictures are kept.
    Longest(u32),
    /// So many pixels an inch of the page, but at most [`LONGEST_SIDE`] along the longer side. An image of fewer pixels
    /// than its place is smoothed: the letters of a scan would else be ragged, and be misread.
    Dpi(f32),
}

/// A page drawn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Picture {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Width and height of the page in points.
    pub points: [f32; 2],
    /// What of the page could not be drawn, each thing once.
    pub lacking: Vec<String>,
    /// Red, green, blue of each pixel, row after row from the top. Sent behind the frame, not in it.
    #[serde(skip)]
    pub rgb: Vec<u8>,
}

impl Picture {
    /// How many bytes [`Picture::rgb`] has to hold; `None` beyond what is ever drawn.
    pub(crate) fn length(&self) -> Option<usize> {
        let within = u64::from(self.width) * u64::from(self.height) <= u64::from(MOST_DRAWN);
        within.then(|| self.width as usize * self.height as usize * 3)
    }
}

/// Draws a page; in words why not.
pub(crate) fn draw(page: &Page<'_>, size: Size) -> Result<Picture, String> {
    let area = page.intersected_crop_box();
    // hayro would take A4 for a page of no area; nobody sees such a page.
    if !(area.width() > 0.0 && area.height() > 0.0 && area.width().is_finite() && area.height().is_finite()) {
        return Err(format!("the page has no area ({} × {} points)", area.width(), area.height()));
    }
    let points: [f32; 2] = page.render_dimensions().into();
    let [width, height] = pixels(points, size);
    let lacking: Arc<Mutex<Vec<String>>> = Arc::default();
    let heard = Arc::clone(&lacking);
    let settings = InterpreterSettings {
        warning_sink: Arc::new(move |warning| {
            let mut lacking = heard.lock().unwrap_or_else(PoisonError::into_inner);
            let words = in_words(&warning).to_owned();
            if !lacking.contains(&words) {
                lacking.push(words);
            }
        }),
        ..InterpreterSettings::default()
    };
    let mut context = RenderContext::new(width, height);
    let scale = [f64::from(width) / f64::from(points[0]), f64::from(height) / f64::from(points[1])];
    let transform = Affine::scale_non_uniform(scale[0], scale[1]) * affine(page);
    let cache = RenderCache::new();
    let looks = RenderSettings { force_image_interpolation: matches!(size, Size::Dpi(_)), ..RenderSettings::default() };
    hayro::render_into(page, &cache, &settings, &looks, &mut context, transform);
    let rgb = on_white(&mut context);
    drop(settings);
    let lacking = std::mem::take(&mut *lacking.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(Picture { width: width.into(), height: height.into(), points, lacking, rgb })
}

fn affine(page: &Page<'_>) -> Affine {
    let t = page.initial_transform(true);
    Affine::new(t.as_coeffs())
}

fn on_white(context: &mut RenderContext) -> Vec<u8> {
    context.flush();
    let mut pixmap = Pixmap::new(context.width(), context.height());
    let settings = RasterizerSettings {
        target_init: TargetInit::Clear(hayro::vello_cpu::color::palette::css::WHITE),
        ..RasterizerSettings::default()
    };
    context.render_with(&mut pixmap, &mut Resources::default(), settings);
    let (pixels, _) = pixmap.data_as_u8_slice().as_chunks::<4>();
    pixels.iter().flat_map(|[red, green, blue, _]| [*red, *green, *blue]).collect()
}

/// Pixels across and down, each at least 1.
fn pixels([width, height]: [f32; 2], size: Size) -> [u16; 2] {
    let longer = f64::from(width.max(height));
    let wanted = match size {
        Size::Longest(pixels) => f64::from(pixels),
        Size::Dpi(dpi) => longer * f64::from(dpi.max(0.0)) / 72.0,
    };
    let scale = wanted.clamp(1.0, f64::from(LONGEST_SIDE)) / longer;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 to LONGEST_SIDE")]
    let side = |points: f32| (f64::from(points) * scale).round().clamp(1.0, f64::from(LONGEST_SIDE)) as u16;
    [side(width), side(height)]
}

fn in_words(warning: &InterpreterWarning) -> &'static str {
    match warning {
        InterpreterWarning::UnsupportedFont => "a font could not be loaded",
        InterpreterWarning::ImageDecodeFailure => "an image could not be decoded",
        InterpreterWarning::UnresolvedAnnotationAppearance => "an annotation could not be drawn",
        _ => "something could not be drawn",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_as_asked_and_bounded() {
        assert_eq!(pixels([612.0, 792.0], Size::Dpi(144.0)), [1224, 1584]);
        assert_eq!(pixels([595.0, 842.0], Size::Longest(2048)), [1447, 2048]);
        // 14,400 inches, and a line.
        assert_eq!(pixels([1_036_800.0, 1_036_800.0], Size::Dpi(144.0)), [4096, 4096]);
        assert_eq!(pixels([1_000_000.0, 0.5], Size::Longest(1024)), [1024, 1]);
        assert_eq!(pixels([612.0, 792.0], Size::Dpi(f32::NAN)), [1, 1]);
    }

    /// A page that is one image of two pixels, black and white.
    const HALVES: &[u8] = b"%PDF-1.4
1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj
2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj
3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 72 36] /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >>
endobj
4 0 obj << /Length 24 >> stream
72 0 0 36 0 0 cm /I Do  
endstream endobj
5 0 obj << /Type /XObject /Subtype /Image /Width 2 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 1 /Length 1 >>
stream
@
endstream endobj
trailer << /Root 1 0 R >>
%%EOF
";

    #[test]
    fn enlarged_images_are_smoothed_to_be_read_and_as_they_were_for_vectors() {
        let file = crate::glyphs::Document::open(std::sync::Arc::new(HALVES.to_vec()), None).unwrap();
        let row = |size| {
            let picture = file.draw(1, size).unwrap();
            assert_eq!((picture.width, picture.height), (72, 36));
            picture.rgb.iter().step_by(3).take(72).copied().collect::<Vec<u8>>()
        };
        let (smooth, ragged) = (row(Size::Dpi(72.0)), row(Size::Longest(72)));
        assert!(ragged.iter().all(|&gray| gray == 0 || gray == 255), "{ragged:?}");
        assert!(smooth.windows(2).all(|pair| pair[0] <= pair[1]) && smooth[30] > 64 && smooth[40] < 192, "{smooth:?}");
    }
}
