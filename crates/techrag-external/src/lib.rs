//! Literature beyond the library: academic indexes and web search, their works
//! deduplicated and vetted.
