//! Whether a JPEG ends before its picture does.
//!
//! Decoders fill what is missing with gray and say nothing, so that half a page would pass for a whole one. A file that was
//! cut off has no marker of its end (ITU-T T.81, annex B.1.1.2).

/// What a picture lacks whose file was cut off.
pub(super) const LACKING: &str = "the file was cut off: the lower part of the picture is missing";

/// Begins a marker; a second byte of zero says that it is none.
const MARKER: u8 = 0xff;
/// Start of the image, and its end.
const START: u8 = 0xd8;
const END: u8 = 0xd9;

/// Whether the bytes are a JPEG whose end is not there. Bytes behind the end do not matter.
pub(super) fn is_cut(bytes: &[u8]) -> bool {
    let is_jpeg = bytes.starts_with(&[MARKER, START]);
    is_jpeg && !ends(&bytes[2..])
}

/// Whether the segments lead to the end of an image.
fn ends(mut bytes: &[u8]) -> bool {
    loop {
        // Between segments nothing stands but bytes that fill; in the data of a scan anything that is no marker.
        let Some(at) = bytes.windows(2).position(|pair| pair[0] == MARKER && is_marker(pair[1])) else { return false };
        let kind = bytes[at + 1];
        bytes = &bytes[at + 2..];
        if kind == END {
            return true;
        }
        if has_length(kind) {
            let Some(&[high, low]) = bytes.first_chunk::<2>() else { return false };
            let Some(rest) = bytes.get(usize::from(u16::from_be_bytes([high, low])).max(2)..) else { return false };
            bytes = rest;
        }
    }
}

/// Whether the byte behind 0xff makes a marker: it stuffs no data and fills nothing.
fn is_marker(kind: u8) -> bool {
    !matches!(kind, 0 | MARKER)
}

/// Whether a segment follows the marker: not those that restart, and those that stand alone.
fn has_length(kind: u8) -> bool {
    !matches!(kind, 0x01 | 0xd0..=0xd8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_a_marker_and_neither_data_nor_part_of_a_segment() {
        let head = [0xff, 0xd8, 0xff, 0xe0, 0, 4, 0xff, 0xd9];
        let scan = [0xff, 0xda, 0, 3, 9, 0xff, 0, 0xff, 0xd0, 7];
        let whole = [&head[..], &scan, &[0xff, 0xff, 0xd9]].concat();
        assert!(!is_cut(&whole) && !is_cut(&[&whole[..], b"more"].concat()));
        assert!((2..whole.len()).all(|end| is_cut(&whole[..end])));
        assert!(!is_cut(b"\x89PNG") && !is_cut(&[]));
    }
}
