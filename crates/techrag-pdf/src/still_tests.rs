//! Pictures as cameras, scanners and mischief make them.

use image::codecs::tiff::TiffEncoder;
use image::{ExtendedColorType, GrayImage, ImageEncoder, Luma, RgbaImage};

use super::*;

const MEMORY: u64 = 1 << 30;

fn png(image: &DynamicImage) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    image.write_to(&mut bytes, ImageFormat::Png).unwrap();
    bytes.into_inner()
}

fn drawn(bytes: &[u8]) -> Picture {
    draw(bytes, 1, Size::Dpi(300.0), MEMORY).unwrap()
}

#[test]
fn one_pixel_sixteen_bits_and_transparency() {
    let one = drawn(&png(&DynamicImage::new_rgb8(1, 1)));
    assert_eq!((one.width, one.height, one.rgb), (1, 1, vec![0; 3]));
    let deep = DynamicImage::ImageLuma16(image::ImageBuffer::from_pixel(3, 2, Luma([0x8000_u16])));
    assert_eq!(drawn(&png(&deep)).rgb, [128; 18]);
    let clear = RgbaImage::from_pixel(2, 1, image::Rgba([0, 0, 0, 0]));
    assert_eq!(drawn(&png(&clear.into())).rgb, [255; 6], "nothing on white is white");
}

#[test]
fn a_large_picture_is_made_smaller_and_a_bomb_is_refused_by_its_header() {
    let wide = drawn(&png(&DynamicImage::new_luma8(9000, 30)));
    assert_eq!((wide.width, wide.points[0]), (LONGEST_SIDE, LONGER));
    // A real header of 30,000 × 30,000 pixels before data of none.
    let mut bytes = png(&DynamicImage::new_luma8(1, 1));
    bytes[16..20].copy_from_slice(&30_000_u32.to_be_bytes());
    bytes[20..24].copy_from_slice(&30_000_u32.to_be_bytes());
    let checksum = crc(&bytes[12..29]);
    bytes[29..33].copy_from_slice(&checksum.to_be_bytes());
    let refused = draw(&bytes, 1, Size::Dpi(300.0), MEMORY);
    assert!(matches!(&refused, Err(Error::TooLarge(why)) if why.contains("30000 × 30000")), "{refused:?}");
}

/// CRC-32 as PNG has it (ISO 3309).
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 })
    })
}

#[test]
fn a_picture_cut_short_is_damaged_and_never_a_panic() {
    let mut bytes = Cursor::new(Vec::new());
    let noise = GrayImage::from_fn(64, 64, |x, y| Luma([u8::try_from((x * 37 + y * 91) % 256).unwrap()]));
    DynamicImage::from(noise).write_to(&mut bytes, ImageFormat::Jpeg).unwrap();
    let bytes = bytes.into_inner();
    for end in [4, 30, bytes.len() / 2] {
        // A decoder may give the part there is; it must not crash, and must not give another size.
        match draw(&bytes[..end], 1, Size::Dpi(300.0), MEMORY) {
            Ok(picture) => assert_eq!((picture.width, picture.height), (64, 64)),
            Err(error) => assert!(matches!(error, Error::Damaged(_)), "{error}"),
        }
    }
}

fn tiff(shade: u8) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    TiffEncoder::new(&mut bytes).write_image(&[shade; 12], 4, 3, ExtendedColorType::L8).unwrap();
    bytes.into_inner()
}

#[test]
fn a_long_chain_of_directories_is_followed_once() {
    // Directories without entries, one behind the other.
    let directory = |at: u32| [&[0, 0][..], &(8 + 6 * (at + 1)).to_le_bytes()].concat();
    let chain: Vec<u8> = (0..60_000).flat_map(directory).collect();
    let bytes = [b"II*\0".as_slice(), &8_u32.to_le_bytes(), &chain].concat();
    assert_eq!(pages(&bytes), u32::try_from(MOST_PAGES).unwrap());
    let moved = Tiff::of(&bytes).unwrap().beginning_with(3).unwrap();
    assert_eq!(moved[4..8], 20_u32.to_le_bytes());
    assert_eq!(Tiff::of(&bytes).unwrap().beginning_with(u32::MAX), None);
}

#[test]
fn a_page_that_was_cut_off_fails_and_is_not_forgotten() {
    let mut bytes = tiff(10);
    let directory = usize::try_from(u32::from_le_bytes(bytes[4..8].try_into().unwrap())).unwrap();
    let end = directory + 2 + 12 * usize::from(u16::from_le_bytes([bytes[directory], bytes[directory + 1]]));
    let beyond = u32::try_from(bytes.len() + 100).unwrap();
    bytes[end..end + 4].copy_from_slice(&beyond.to_le_bytes());
    assert_eq!(pages(&bytes), 2);
    assert!(draw(&bytes, 1, Size::Longest(100), 1 << 30).is_ok());
    assert!(matches!(draw(&bytes, 2, Size::Longest(100), 1 << 30), Err(Error::Damaged(_))));
}

#[test]
fn the_pages_of_a_tiff_are_drawn_one_by_one() {
    // Two files in one: the second's offsets moved behind the first, the chain of directories joined.
    let (first, second) = (tiff(10), tiff(200));
    let shift = u32::try_from(first.len()).unwrap();
    let mut bytes = [first.clone(), second.clone()].concat();
    let word = |bytes: &[u8], at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let directory = |bytes: &[u8]| usize::try_from(word(bytes, 4)).unwrap();
    let entries = |bytes: &[u8], at: usize| usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
    let end = |bytes: &[u8]| directory(bytes) + 2 + 12 * entries(bytes, directory(bytes));
    let put = |bytes: &mut Vec<u8>, at: usize, value: u32| bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    put(&mut bytes, end(&first), shift + word(&second, 4));
    let base = first.len() + directory(&second);
    for entry in 0..entries(&second, directory(&second)) {
        let at = base + 2 + 12 * entry;
        let (tag, kind, count) = (
            u16::from_le_bytes([bytes[at], bytes[at + 1]]),
            u16::from_le_bytes([bytes[at + 2], bytes[at + 3]]),
            word(&bytes, at + 4),
        );
        let wide = [0, 1, 1, 2, 4, 8][usize::from(kind)] * count > 4;
        if wide || tag == 273 {
            let moved = word(&bytes, at + 8) + shift;
            put(&mut bytes, at + 8, moved);
        }
    }
    assert_eq!(pages(&bytes), 2);
    assert_eq!(drawn(&bytes).rgb[0], 10);
    assert_eq!(draw(&bytes, 2, Size::Dpi(300.0), MEMORY).unwrap().rgb[0], 200);
    // A chain that closes on itself ends.
    let first_directory = word(&bytes, 4);
    let at = base + 2 + 12 * entries(&second, directory(&second));
    put(&mut bytes, at, first_directory);
    assert_eq!(pages(&bytes), 2);
}
