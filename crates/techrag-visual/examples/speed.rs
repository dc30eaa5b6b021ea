//! Times the kernels on arrays that `pipelines/bench-visual.py` wrote, one thread, the least of several runs.
//!
//! usage: `speed scan FOLDER | speed maxsim FOLDER | speed cold FILE BYTES OFFSET…`; prints lines `name milliseconds`.
//! What is timed is what a search calls; the arrays are the same that numpy, faiss and torch get.

use std::hint::black_box;
use std::io::{self, Write as _};
use std::path::Path;
use std::time::Instant;

use half::f16;
use techrag_visual::kernel::{Level, maxsim, scan};

const RUNS: usize = 15;
const DIM: usize = 128;

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["scan", folder] => scans(Path::new(folder)),
        ["maxsim", folder] => maxsims(Path::new(folder)),
        ["cold", file, bytes, offsets @ ..] => cold(Path::new(file), number(bytes), offsets),
        _ => Err(io::Error::other("usage: speed scan FOLDER | maxsim FOLDER | cold FILE BYTES OFFSET…")),
    }
}

fn number(text: &str) -> usize {
    text.parse().unwrap_or(0)
}

/// Reads an array of little-endian items.
fn read<T: bytemuck::Pod>(path: &Path) -> io::Result<Vec<T>> {
    let bytes = std::fs::read(path)?;
    let mut items = vec![T::zeroed(); bytes.len() / size_of::<T>()];
    let whole = items.len() * size_of::<T>();
    bytemuck::cast_slice_mut(&mut items).copy_from_slice(&bytes[..whole]);
    Ok(items)
}

fn time(name: &str, mut run: impl FnMut()) -> io::Result<()> {
    let least = (0..RUNS).map(|_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64() * 1000.0
    });
    writeln!(io::stdout(), "{name} {:.3}", least.fold(f64::INFINITY, f64::min))
}

/// Encodings: signs of 10,240 coordinates, and 4,096 as bytes and f16.
fn scans(folder: &Path) -> io::Result<()> {
    for level in Level::available() {
        let query = scan::Integers::new(&read::<f32>(&folder.join("query-wide.f32"))?);
        let signs: Vec<u64> = read(&folder.join("signs.u64"))?;
        let mut out = vec![0; signs.len() / (query.values.len() / scan::LANES)];
        time(&format!("signs-{level:?}"), || {
            scan::signs(&query, &signs, &mut out, level);
            black_box(&out);
        })?;
        let narrow: Vec<f32> = read(&folder.join("query-paper.f32"))?;
        let integers = scan::Integers::new(&narrow);
        let bytes: Vec<u8> = read(&folder.join("encodings.u8"))?;
        let mut out = vec![0; bytes.len() / integers.values.len()];
        time(&format!("bytes-{level:?}"), || {
            scan::bytes(&integers, &bytes, &mut out, level);
            black_box(&out);
        })?;
        let query: Vec<f16> = narrow.iter().map(|value| f16::from_f32(*value)).collect();
        let halves: Vec<f16> = read(&folder.join("encodings.f16"))?;
        let mut out = vec![0.0; halves.len() / query.len()];
        time(&format!("halves-{level:?}"), || {
            scan::halves(&query, &halves, &mut out, level);
            black_box(&out);
        })?;
    }
    Ok(())
}

/// 32 query vectors against 100 pages.
fn maxsims(folder: &Path) -> io::Result<()> {
    let query: Vec<f32> = read(&folder.join("query.f32"))?;
    let rows: Vec<u32> = read(&folder.join("rows.u32"))?;
    let bytes: Vec<u8> = read(&folder.join("pages.u8"))?;
    let halves: Vec<f16> = read(&folder.join("pages.f16"))?;
    let length = rows.first().map_or(1, |rows| *rows as usize) * DIM;
    let (as_bytes, as_halves) = (maxsim::Bytes::new(&query, DIM), maxsim::Halves::new(&query, DIM));
    for level in Level::available() {
        time(&format!("int8-{level:?}"), || {
            black_box(bytes.chunks_exact(length).map(|page| as_bytes.score(page, level)).sum::<f32>());
        })?;
        time(&format!("f16-{level:?}"), || {
            black_box(halves.chunks_exact(length).map(|page| as_halves.score(page, level)).sum::<f32>());
        })?;
    }
    let sum: f32 = halves.chunks_exact(length).map(|page| as_halves.score(page, Level::best())).sum();
    writeln!(io::stdout(), "sum-f16 {sum}")
}

/// Reads ranges of a file by memory map, all asked for before the first is touched: once, since the second time they
/// are in memory.
fn cold(path: &Path, bytes: usize, offsets: &[&str]) -> io::Result<()> {
    let file = std::fs::File::open(path)?;
    // SAFETY: nobody writes the file while the benchmark runs.
    let map = unsafe { memmap2::Mmap::map(&file) }?;
    let start = Instant::now();
    for offset in offsets {
        map.advise_range(memmap2::Advice::WillNeed, number(offset), bytes)?;
    }
    let mut sum = 0_u64;
    for offset in offsets {
        let range = map.get(number(offset)..number(offset) + bytes).unwrap_or_default();
        sum += range.iter().step_by(4096).map(|byte| u64::from(*byte)).sum::<u64>();
    }
    black_box(sum);
    writeln!(io::stdout(), "cold {:.3}", start.elapsed().as_secs_f64() * 1000.0)
}
