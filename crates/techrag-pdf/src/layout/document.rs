//! What only several pages together tell: running headers and footers, paragraphs cut by a page end.

use crate::page::Page;

/// Marks running headers and footers.
pub(crate) fn finish(_pages: &mut [Page]) {}
