//! The second look: what it asks for, and whether what it brought replaces the first.

mod decide;
mod request;

pub(crate) use decide::decide;
pub(crate) use request::request;
