//! How long the pages of one file may take to be read off their pictures.
//!
//! A scan of three hundred pages may take long: each page has its own limit of time. Three thousand pictures of a few
//! letters each are no such document, and reading them counts against the time of the file, as drawing those of a TIFF does.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use techrag_core::record::ErrorKind;
use techrag_pdf::Picture;

use super::mend::Refusal;

/// Pixels from which a picture may be a page: an A4 page at 50 dots an inch, whose letters nobody reads, has fewer.
const PAGE: u64 = 250_000;

/// The time of one file, less what was spent.
pub(crate) struct Budget {
    file: Duration,
    spent: Mutex<Duration>,
}

impl Budget {
    /// With the file's limit.
    pub(crate) fn new(file: Duration) -> Self {
        Self { file, spent: Mutex::default() }
    }

    /// Whether something more may be begun.
    ///
    /// # Errors
    /// Where the time is over.
    pub(crate) fn left(&self) -> Result<(), Refusal> {
        if *self.spent.lock().unwrap_or_else(PoisonError::into_inner) < self.file {
            return Ok(());
        }
        let why = format!("not reached: the pages before it took {} s", self.file.as_secs());
        Err((ErrorKind::Timeout, why))
    }

    /// Draws a page of a file of pictures, on the file's time.
    pub(crate) fn draw<T>(&self, draw: impl FnOnce() -> T) -> T {
        self.counted(true, draw)
    }

    /// Reads a picture: a small one on the file's time, one that may be a page on its own.
    pub(crate) fn read<T>(&self, picture: Picture, read: impl FnOnce(Picture) -> T) -> T {
        let is_small = u64::from(picture.width) * u64::from(picture.height) < PAGE;
        self.counted(is_small, || read(picture))
    }

    fn counted<T>(&self, counts: bool, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let done = work();
        if counts {
            *self.spent.lock().unwrap_or_else(PoisonError::into_inner) += start.elapsed();
        }
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_pictures_are_read_on_the_time_of_the_file_and_pages_on_their_own() {
        let of = |width, height| Picture { width, height, ..Picture::default() };
        let wait = |_| std::thread::sleep(Duration::from_millis(3));
        let budget = Budget::new(Duration::from_millis(2));
        budget.read(of(827, 1169), wait);
        assert!(budget.left().is_ok(), "a page of 100 dots an inch");
        budget.read(of(40, 20), wait);
        assert!(budget.left().is_err_and(|(kind, why)| kind == ErrorKind::Timeout && why.contains("not reached")));
        let drawing = Budget::new(Duration::from_millis(2));
        drawing.draw(|| std::thread::sleep(Duration::from_millis(3)));
        assert!(drawing.left().is_err());
    }
}
