//! A picture as bytes, checked once.

use crate::error::Error;

/// An RGB picture: 8 bits a channel, row after row from the top, no gaps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    width: usize,
    height: usize,
    bytes: Vec<u8>,
}

impl Pixels {
    /// A picture of `width` × `height` pixels; `bytes` holds red, green, blue of each, so 3 × `width` × `height`.
    ///
    /// # Errors
    /// [`Error::Picture`] if a side is 0 or the number of bytes is another.
    pub fn new(width: usize, height: usize, bytes: Vec<u8>) -> Result<Self, Error> {
        let expected = width.checked_mul(height).and_then(|area| area.checked_mul(3));
        if width == 0 || height == 0 || expected != Some(bytes.len()) {
            return Err(Error::Picture { width, height, bytes: bytes.len() });
        }
        Ok(Self { width, height, bytes })
    }

    /// The same for sizes that are known to be right.
    pub(crate) fn of(width: usize, height: usize, bytes: Vec<u8>) -> Self {
        debug_assert_eq!(width * height * 3, bytes.len());
        Self { width, height, bytes }
    }

    /// Pixels across.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Pixels down.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Red, green, blue of each pixel.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The rows, 3 × width bytes each.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &[u8]> {
        self.bytes.chunks_exact(self.width * 3)
    }

    /// The square of `side` pixels whose upper left corner is there; it must lie inside.
    pub(crate) fn square(&self, left: usize, top: usize, side: usize) -> Self {
        let rows = self.rows().skip(top).take(side);
        let bytes = rows.flat_map(|row| &row[left * 3..(left + side) * 3]).copied().collect();
        Self::of(side, side, bytes)
    }

    /// The picture on a larger ground of zeros, at its upper left.
    pub(crate) fn padded(&self, width: usize, height: usize) -> Self {
        let mut bytes = vec![0; width * height * 3];
        for (to, from) in bytes.chunks_exact_mut(width * 3).zip(self.rows()) {
            to[..from.len()].copy_from_slice(from);
        }
        Self::of(width, height, bytes)
    }
}

/// The value of each byte in each channel once brought to 0..1, less the mean, over the deviation.
pub(crate) struct Scale([[f32; 256]; 3]);

impl Scale {
    /// The rescaling is in f64 and rounded to f32 before the rest, as the reference does: the last bit depends on it.
    pub(crate) fn new(mean: [f32; 3], std: [f32; 3]) -> Self {
        let mut table = [[0.0; 256]; 3];
        for (channel, values) in table.iter_mut().enumerate() {
            for (byte, value) in (0_u8..=255).zip(values.iter_mut()) {
                #[expect(clippy::cast_possible_truncation, reason = "the reference rounds here too")]
                let unit = (f64::from(byte) * (1.0 / 255.0)) as f32;
                *value = (unit - mean[channel]) / std[channel];
            }
        }
        Self(table)
    }

    /// The picture's channels one after the other (CHW).
    pub(crate) fn planes(&self, picture: &Pixels, out: &mut Vec<f32>) {
        for (channel, values) in self.0.iter().enumerate() {
            out.extend(picture.bytes().iter().skip(channel).step_by(3).map(|&byte| values[usize::from(byte)]));
        }
    }

    /// The picture's bytes in their order (HWC).
    pub(crate) fn interleaved<'a>(&'a self, bytes: &'a [u8]) -> impl Iterator<Item = f32> + 'a {
        bytes.iter().zip((0..3).cycle()).map(|(&byte, channel)| self.0[channel][usize::from(byte)])
    }
}
