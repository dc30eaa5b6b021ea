//! Asking services that many share: what is cached is not asked again, limits are never exceeded, and a service that
//! said "not before noon" is left alone until noon, by every process that uses the same folder.
//!
//! | question | answer |
//! |---|---|
//! | when is a request sent? | when requests under way and those answered within the window are fewer than the limit; counted in a file, under a lock, so that threads and processes share it. A request counts until its answer is there plus a window, so delays on the way cannot push two into one window of the server's |
//! | what is the limit? | the caller's, until a response header states another ([`stated`](headers::stated)) |
//! | how long is waited? | up to [`Desk::patience`] a request; longer is [`Kind::RateLimited`] with the time |
//! | what is remembered? | until when a service asked to be left alone, when it was found unreachable, and how much of a daily budget is spent |
//! | what is cached? | answers (2xx) and "no such thing" (404), by method, address and body; never refusals |
//!
//! [`Kind::RateLimited`]: crate::transport::Kind::RateLimited

mod cache;
mod desk;
pub mod headers;
mod limiter;

pub use cache::Stored;
pub use desk::{Answer, Desk, Freshness};
pub use limiter::{Limits, Rate};

#[cfg(test)]
mod tests;
