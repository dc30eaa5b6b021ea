//! TIFF whose numbers are no colours by themselves: indices of a palette, brightness and two differences of colour
//! (YCbCr), gray of two or four bits, and gray with transparency. The `image` crate refuses them.
//!
//! The `tiff` crate unpacks their bytes once the directory calls them plain gray or RGB, which a changed copy of the file
//! does; what they mean is worked out here (TIFF 6.0, sections 5, 18, 21 and 22).

use std::io::Cursor;

use image::metadata::Orientation;
use image::{DynamicImage, GrayAlphaImage, RgbImage};
use tiff::decoder::{Decoder, DecodingResult, Limits};

use super::bounded;
use super::directory::Tiff;
use crate::error::Error;

const WIDTH: u16 = 256;
const HEIGHT: u16 = 257;
const BITS: u16 = 258;
const COMPRESSION: u16 = 259;
const MEANING: u16 = 262;
const ORIENTATION: u16 = 274;
const SAMPLES: u16 = 277;
const ROWS: u16 = 278;
const PLANES: u16 = 284;
const PREDICTOR: u16 = 317;
const PALETTE: u16 = 320;
const TILE_WIDTH: u16 = 322;
const TILE_HEIGHT: u16 = 323;
const SUBSAMPLING: u16 = 530;

/// Values of [`MEANING`].
const WHITE_IS_ZERO: u32 = 0;
const BLACK_IS_ZERO: u32 = 1;
const RGB: u32 = 2;
const INDEX: u32 = 3;
const YCBCR: u32 = 6;
/// Value of [`COMPRESSION`]: JPEG, whose decoder brings all samples to the same size.
const JPEG: u32 = 7;

/// What the first directory says.
struct Layout {
    width: u32,
    height: u32,
    bits: u32,
    samples: u32,
    meaning: u32,
}

/// The first page of a TIFF of such a kind; `None` where it is none, and the `image` crate is to decode it.
///
/// # Errors
/// [`Error::TooLarge`], [`Error::Unsupported`], [`Error::Damaged`].
pub(super) fn decode(bytes: &[u8], memory: u64) -> Option<Result<DynamicImage, Error>> {
    let tiff = Tiff::of(bytes)?;
    let number = |tag, otherwise| tiff.number(tag).unwrap_or(otherwise);
    let layout = Layout {
        width: tiff.number(WIDTH)?,
        height: tiff.number(HEIGHT)?,
        bits: number(BITS, 1),
        samples: number(SAMPLES, 1),
        meaning: tiff.number(MEANING)?,
    };
    let read = match (layout.meaning, layout.samples, layout.bits) {
        (INDEX, 1, 1..=8) | (WHITE_IS_ZERO | BLACK_IS_ZERO, 1, 2 | 4) => mapped,
        (WHITE_IS_ZERO | BLACK_IS_ZERO, 2, 8) => veiled,
        (YCBCR, 3, 8) => differences,
        _ => return None,
    };
    let image = bounded(layout.width, layout.height).and_then(|()| read(&tiff, &layout, memory));
    let orientation = tiff.number(ORIENTATION).and_then(|turn| Orientation::from_exif(u8::try_from(turn).ok()?));
    Some(image.map(|mut image| {
        image.apply_orientation(orientation.unwrap_or(Orientation::NoTransforms));
        image
    }))
}

/// Indices as their colours, or as shades where there is no palette.
fn mapped(tiff: &Tiff<'_>, layout: &Layout, memory: u64) -> Result<DynamicImage, Error> {
    let colours = 1_usize << layout.bits;
    let map: Vec<[u8; 3]> = match layout.meaning {
        INDEX => {
            let map = tiff.numbers(PALETTE).filter(|map| map.len() >= 3 * colours);
            palette(&map.ok_or_else(|| Error::Damaged("it has no palette".to_owned()))?, colours)
        }
        meaning => (0..colours).map(|at| [shade(at, colours, meaning == WHITE_IS_ZERO); 3]).collect(),
    };
    let bytes = unpacked(&tiff.saying(&[(MEANING, BLACK_IS_ZERO)]), memory)?;
    let (width, bits) = (layout.width as usize, layout.bits as usize);
    let row = (width * bits).div_ceil(8).max(1);
    let pixel = |row: &[u8], x: usize| {
        // Bits from the left; eight at most, which may lie in two bytes where they are 3, 5, 6 or 7.
        let at = x * bits;
        let pair = u16::from_be_bytes([row[at / 8], row.get(at / 8 + 1).copied().unwrap_or(0)]);
        usize::from(pair >> (16 - bits - at % 8)) & (colours - 1)
    };
    let rows = bytes.chunks_exact(row).take(layout.height as usize);
    let rgb = rows.flat_map(|row| (0..width).flat_map(|x| map[pixel(row, x)]).collect::<Vec<u8>>()).collect();
    rgb_image(layout, rgb)
}

/// A palette of 16 bits as 8; one whose values are all of 8 bits, as some programs write, as it is.
fn palette(map: &[u32], colours: usize) -> Vec<[u8; 3]> {
    let shift = if map.iter().all(|&value| value < 256) { 0 } else { 8 };
    let part = |at: usize| u8::try_from(map[at] >> shift).unwrap_or(u8::MAX);
    (0..colours).map(|at| [part(at), part(colours + at), part(2 * colours + at)]).collect()
}

fn shade(at: usize, shades: usize, inverted: bool) -> u8 {
    let value = u8::try_from(at * 255 / (shades - 1).max(1)).unwrap_or(u8::MAX);
    if inverted { 255 - value } else { value }
}

/// Gray with how much of it covers what is behind.
fn veiled(tiff: &Tiff<'_>, layout: &Layout, memory: u64) -> Result<DynamicImage, Error> {
    whole(tiff)?;
    let mut bytes = unpacked(&tiff.saying(&[(MEANING, BLACK_IS_ZERO)]), memory)?;
    if layout.meaning == WHITE_IS_ZERO {
        bytes.iter_mut().step_by(2).for_each(|gray| *gray = 255 - *gray);
    }
    bytes.truncate(2 * layout.width as usize * layout.height as usize);
    let image = GrayAlphaImage::from_raw(layout.width, layout.height, bytes);
    image.map(DynamicImage::from).ok_or_else(short)
}

/// Brightness and differences of colour as red, green and blue.
fn differences(tiff: &Tiff<'_>, layout: &Layout, memory: u64) -> Result<DynamicImage, Error> {
    let [across, down] = match tiff.numbers(SUBSAMPLING).as_deref() {
        _ if tiff.number(COMPRESSION) == Some(JPEG) => [1, 1],
        Some(&[across, down]) => [across, down],
        None => [2, 2],
        Some(_) => return Err(Error::Damaged("its colours have no size".to_owned())),
    };
    if ![across, down].iter().all(|side| matches!(side, 1 | 2 | 4)) {
        return Err(Error::Unsupported(format!("colours of {across} × {down} pixels")));
    }
    whole(tiff)?;
    let (width, height) = (layout.width as usize, layout.height as usize);
    let mut rgb = vec![0; 3 * width * height];
    if [across, down] == [1, 1] {
        let bytes = unpacked(&tiff.saying(&[(MEANING, RGB)]), memory)?;
        let (from, _) = bytes.as_chunks::<3>();
        let (to, _) = rgb.as_chunks_mut::<3>();
        to.iter_mut().zip(from).for_each(|(to, &[y, cb, cr])| *to = colour(y, cb, cr));
        return if from.len() < width * height { Err(short()) } else { rgb_image(layout, rgb) };
    }
    let bytes = unpacked(&as_units(tiff, layout, across, down)?, memory)?;
    let [across, down] = [across, down].map(|side| side as usize);
    let unit = across * down + 2;
    let units = width.div_ceil(across);
    if bytes.len() < units * unit * height.div_ceil(down) {
        return Err(short());
    }
    for (at, unit) in bytes.chunks_exact(unit).take(units * height.div_ceil(down)).enumerate() {
        let (left, top) = (at % units * across, at / units * down);
        let (shades, differences) = unit.split_at(across * down);
        for (index, &y) in shades.iter().enumerate() {
            let (x, row) = (left + index % across, top + index / across);
            if x < width && row < height {
                let to = 3 * (row * width + x);
                rgb[to..to + 3].copy_from_slice(&colour(y, differences[0], differences[1]));
            }
        }
    }
    rgb_image(layout, rgb)
}

/// The file as one of gray whose pixels are the bytes of its units: the shades of `across` × `down` pixels, then their two
/// differences.
fn as_units(tiff: &Tiff<'_>, layout: &Layout, across: u32, down: u32) -> Result<Vec<u8>, Error> {
    if tiff.number(PREDICTOR).is_some_and(|predictor| predictor != 1) {
        return Err(Error::Unsupported("differences of differences of colour".to_owned()));
    }
    let bytes = |pixels: u32| pixels.div_ceil(across).saturating_mul(across * down + 2);
    let mut changes = vec![
        (MEANING, BLACK_IS_ZERO),
        (SAMPLES, 1),
        (BITS, 8),
        (WIDTH, bytes(layout.width)),
        (HEIGHT, layout.height.div_ceil(down)),
    ];
    let rows = [(ROWS, tiff.number(ROWS)), (TILE_HEIGHT, tiff.number(TILE_HEIGHT))];
    changes.extend(rows.into_iter().filter_map(|(tag, rows)| Some((tag, rows?.div_ceil(down)))));
    changes.extend(tiff.number(TILE_WIDTH).map(|width| (TILE_WIDTH, bytes(width))));
    Ok(tiff.saying(&changes))
}

/// ITU-R BT.601, which the format takes where nothing else is said.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a byte")]
fn colour(y: u8, cb: u8, cr: u8) -> [u8; 3] {
    let (y, cb, cr) = (f32::from(y), f32::from(cb) - 128.0, f32::from(cr) - 128.0);
    let rgb = [y + 1.402 * cr, y - 0.344_136 * cb - 0.714_136 * cr, y + 1.772 * cb];
    rgb.map(|value| value.round().clamp(0.0, 255.0) as u8)
}

/// Refuses samples that are stored apart.
fn whole(tiff: &Tiff<'_>) -> Result<(), Error> {
    match tiff.number(PLANES) {
        None | Some(1) => Ok(()),
        Some(_) => Err(Error::Unsupported("samples that are stored apart".to_owned())),
    }
}

fn unpacked(bytes: &[u8], memory: u64) -> Result<Vec<u8>, Error> {
    use tiff::TiffError;
    let failed = |error: TiffError| match error {
        TiffError::LimitsExceeded => Error::TooLarge(error.to_string()),
        TiffError::UnsupportedError(_) => Error::Unsupported(error.to_string()),
        error => Error::Damaged(error.to_string()),
    };
    let most = usize::try_from(memory / 4).unwrap_or(usize::MAX);
    let mut limits = Limits::default();
    (limits.decoding_buffer_size, limits.intermediate_buffer_size) = (most, most);
    let mut decoder = Decoder::new(Cursor::new(bytes)).map_err(failed)?.with_limits(limits);
    match decoder.read_image().map_err(failed)? {
        DecodingResult::U8(bytes) => Ok(bytes),
        _ => Err(Error::Unsupported("samples of more than 8 bits".to_owned())),
    }
}

fn rgb_image(layout: &Layout, rgb: Vec<u8>) -> Result<DynamicImage, Error> {
    RgbImage::from_raw(layout.width, layout.height, rgb).map(DynamicImage::from).ok_or_else(short)
}

fn short() -> Error {
    Error::Damaged("it has fewer pixels than it says".to_owned())
}
