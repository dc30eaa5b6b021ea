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
    assert_eq!((wide.width, wide.height), (9000, 30), "letters of a strip would be lost");
    assert!((wide.points[0] / wide.points[1] - 300.0).abs() < 0.1, "{:?}", wide.points);
    let dpi = Size::Dpi(300.0);
    assert_eq!((most(8192, 4096, dpi), most(4096, 4096, dpi), most(9, 7, dpi)), (5792, 4096, 9));
    assert_eq!((most(99_000, 10, dpi), most(9000, 30, Size::Longest(512))), (LONGEST_STRIP, 512));
    let asked = draw(&png(&DynamicImage::new_luma8(9000, 30)), 1, Size::Longest(u32::MAX), MEMORY).unwrap();
    assert_eq!(asked.width, LONGEST_SIDE);
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
    noisy().write_to(&mut bytes, ImageFormat::Jpeg).unwrap();
    let bytes = bytes.into_inner();
    assert_eq!(drawn(&bytes).lacking, [""; 0]);
    let mut said = 0;
    for end in [4, 30, bytes.len() / 2, bytes.len() - 40, bytes.len() - 2] {
        // A decoder may give the part there is; it must not crash, and must not give another size.
        match draw(&bytes[..end], 1, Size::Dpi(300.0), MEMORY) {
            Ok(picture) => {
                assert_eq!((picture.width, picture.height), (64, 64));
                assert!(picture.lacking.iter().any(|what| what.contains("cut off")), "{end}: {:?}", picture.lacking);
                said += 1;
            }
            Err(error) => assert!(matches!(error, Error::Damaged(_)), "{error}"),
        }
    }
    assert!(said > 1, "a part was drawn");
    for bytes in [png(&noisy()), tiff(10)] {
        let cut = draw(&bytes[..bytes.len() / 2], 1, Size::Dpi(300.0), MEMORY);
        assert!(matches!(cut, Err(Error::Damaged(_))), "{cut:?}");
    }
}

fn noisy() -> DynamicImage {
    GrayImage::from_fn(64, 64, |x, y| Luma([u8::try_from((x * 37 + y * 91) % 256).unwrap()])).into()
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
    assert_eq!(pages(&bytes), u32::try_from(directory::MOST_PAGES).unwrap());
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

/// A TIFF of one strip: entries of short numbers (of one number, or several behind the directory), then the data.
fn strip(entries: &[(u16, &[u16])], data: &[u8], big: bool) -> Vec<u8> {
    let short = |value: u16| if big { value.to_be_bytes() } else { value.to_le_bytes() };
    let long = |value: usize| {
        let value = u32::try_from(value).unwrap();
        if big { value.to_be_bytes() } else { value.to_le_bytes() }
    };
    let count = entries.len() + 2;
    let mut behind = 8 + 2 + 12 * count + 4;
    let (mut directory, mut values) = (Vec::new(), Vec::new());
    let mut all: Vec<(u16, Vec<u16>)> = entries.iter().map(|&(tag, values)| (tag, values.to_vec())).collect();
    let sizes: usize = all.iter().filter(|(_, values)| values.len() > 2).map(|(_, values)| 2 * values.len()).sum();
    all.push((273, vec![u16::try_from(behind + sizes).unwrap()]));
    all.push((279, vec![u16::try_from(data.len()).unwrap()]));
    all.sort();
    for (tag, numbers) in all {
        directory.extend([short(tag), short(3)].concat());
        directory.extend(long(numbers.len()));
        let bytes: Vec<u8> = numbers.iter().flat_map(|&number| short(number)).collect();
        if bytes.len() <= 4 {
            directory.extend(&bytes);
            directory.extend(vec![0; 4 - bytes.len()]);
        } else {
            directory.extend(long(behind));
            behind += bytes.len();
            values.extend(bytes);
        }
    }
    let head = if big { &b"MM\0*"[..] } else { b"II*\0" };
    [head, &long(8), &short(u16::try_from(count).unwrap()), &directory, &[0; 4], &values, data].concat()
}

/// The entries every page has: its size, the bits of a sample, what samples mean, how many there are.
fn page_of(size: [u16; 2], bits: &'static [u16], meaning: &'static [u16; 1]) -> [(u16, Vec<u16>); 5] {
    let samples = u16::try_from(bits.len()).unwrap();
    [(256, vec![size[0]]), (257, vec![size[1]]), (258, bits.to_vec()), (262, meaning.to_vec()), (277, vec![samples])]
}

fn drawn_strip(page: &[(u16, Vec<u16>)], more: &[(u16, &[u16])], data: &[u8]) -> Result<Vec<u8>, Error> {
    let entries: Vec<(u16, &[u16])> =
        page.iter().map(|(tag, values)| (*tag, values.as_slice())).chain(more.iter().copied()).collect();
    let both = [false, true].map(|big| draw(&strip(&entries, data, big), 1, Size::Dpi(300.0), MEMORY).map(|p| p.rgb));
    let [little, big] = both;
    assert_eq!(little, big, "the order of bytes does not matter");
    little
}

#[test]
fn indices_of_a_palette_are_drawn_in_its_colours() {
    // Red, green, blue, white by index, in 16 bits and in 8.
    for most in [0xffff, 255] {
        for bits in [2_u16, 4, 8] {
            let mut map = vec![0; 3 << bits];
            let colours = map.len() / 3;
            for (index, colour) in [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]].iter().enumerate() {
                (0..3).for_each(|part| map[part * colours + index] = colour[part] * most);
            }
            let data: &[u8] = match bits {
                2 => &[0b0001_1000, 0b1100_0100],
                4 => &[0x01, 0x20, 0x30, 0x10],
                _ => &[0, 1, 2, 3, 0, 1],
            };
            let bits: &'static [u16] = [&[2][..], &[4], &[8]][usize::from(bits) / 4];
            let rgb = drawn_strip(&page_of([3, 2], bits, &[3]), &[(320, &map)], data).unwrap();
            let white = [255, 255, 255];
            assert_eq!(rgb, [[255, 0, 0], [0, 255, 0], [0, 0, 255], white, [255, 0, 0], [0, 255, 0]].concat());
        }
    }
    let none = drawn_strip(&page_of([3, 2], &[8], &[3]), &[], &[0; 6]);
    assert!(matches!(none, Err(Error::Damaged(_))), "{none:?}");
}

#[test]
fn shades_of_two_and_four_bits_and_transparent_ones_are_drawn() {
    let gray = |rgb: Vec<u8>| rgb.into_iter().step_by(3).collect::<Vec<u8>>();
    let two = |meaning| gray(drawn_strip(&page_of([4, 1], &[2], meaning), &[], &[0b0001_1011]).unwrap());
    assert_eq!((two(&[1]), two(&[0])), (vec![0, 85, 170, 255], vec![255, 170, 85, 0]));
    let four = gray(drawn_strip(&page_of([3, 1], &[4], &[1]), &[], &[0x0f, 0x80]).unwrap());
    assert_eq!(four, [0, 255, 136]);
    let veiled =
        |meaning| gray(drawn_strip(&page_of([2, 1], &[8, 8], meaning), &[(338, &[2])], &[40, 255, 40, 0]).unwrap());
    assert_eq!((veiled(&[1]), veiled(&[0])), (vec![40, 255], vec![215, 255]));
}

#[test]
fn brightness_and_differences_of_colour_are_drawn_whatever_the_size_of_the_differences() {
    let red = [76, 85, 255];
    let near = |rgb: &[u8], colour: [u8; 3]| {
        rgb.chunks_exact(3).all(|pixel| pixel.iter().zip(colour).all(|(a, b)| a.abs_diff(b) < 3))
    };
    let whole = drawn_strip(&page_of([3, 2], &[8, 8, 8], &[6]), &[(530, &[1, 1])], &red.repeat(6)).unwrap();
    assert!(near(&whole, [255, 0, 0]), "{whole:?}");
    for (across, down) in [(2, 2), (2, 1), (4, 2), (1, 2)] {
        let size = [5_u16, 3];
        let unit = [vec![red[0]; usize::from(across * down)], vec![red[1], red[2]]].concat();
        let units = usize::from(size[0].div_ceil(across) * size[1].div_ceil(down));
        let rgb =
            drawn_strip(&page_of(size, &[8, 8, 8], &[6]), &[(530, &[across, down])], &unit.repeat(units)).unwrap();
        assert!(rgb.len() == 45 && near(&rgb, [255, 0, 0]), "{across} × {down}: {rgb:?}");
    }
    let little = drawn_strip(&page_of([5, 3], &[8, 8, 8], &[6]), &[(530, &[2, 2])], &[0; 9]);
    assert!(matches!(little, Err(Error::Damaged(_))), "{little:?}");
}

#[test]
fn a_kind_of_picture_that_nobody_reads_is_unsupported_and_not_damaged() {
    // Facsimile of group 3, and CIE L*a*b*.
    let facsimile = drawn_strip(&page_of([8, 1], &[1], &[0]), &[(259, &[3])], &[0; 4]);
    let lab = drawn_strip(&page_of([1, 1], &[8, 8, 8], &[8]), &[], &[0; 3]);
    for refused in [facsimile, lab] {
        assert!(matches!(refused, Err(Error::Unsupported(_))), "{refused:?}");
    }
}
