//! The models as their users see them. Tests that need files that are fetched are skipped, saying so, unless
//! `TECHRAG_REQUIRE_MODELS` is 1.

mod broken;
mod cross;
mod exports;
mod layout;
mod pages;
mod places;
mod sentence;
mod sparse;
mod windows;
