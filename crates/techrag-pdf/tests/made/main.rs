//! Pages made for one trait each: text at a slant, spaces between words, text over text, what a page does not show.

mod file;
mod over;
mod slant;
mod space;
