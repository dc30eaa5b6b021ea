//! What `techrag-external` found, as sources beside the library's: works with the words that stood the vetting, counts
//! by year, pages of the web.
//!
//! A work is cited by title, venue and DOI; its passage is its abstract, or its entry in a list where a list is what was
//! asked for. What is retracted is no source.

use techrag_core::record::{
    External, Passage, Query, RetractionStatus, Role, RouteName, Source, SourceOrigin, WebPage, Work,
};
use techrag_core::{id, text};

/// External sources in the order they were vetted in; numbers are given later.
pub(super) fn sources(query: &Query) -> Vec<Source> {
    let Some(external) = &query.external else { return Vec::new() };
    let listed = query.takes(RouteName::Bibliometric);
    let works = external.works.iter().filter(|work| is_sound(work)).filter_map(|work| of_work(work, listed));
    works.chain(of_counts(external)).chain(external.pages.iter().map(of_page)).collect()
}

/// Vetted (or looked up, and then not vetted at all) and not retracted.
fn is_sound(work: &Work) -> bool {
    let retracted = work.retraction.as_ref().is_some_and(|it| it.status == RetractionStatus::Retracted);
    !retracted && work.vetting.as_ref().is_none_or(|vetting| vetting.passed)
}

fn of_work(work: &Work, listed: bool) -> Option<Source> {
    let summary = work.summary.as_deref().filter(|summary| !summary.trim().is_empty());
    let passage = match (listed, summary) {
        (true, _) => entry(work),
        (false, Some(summary)) => summary.to_owned(),
        // A title is no evidence of what the work says.
        (false, None) => return None,
    };
    let score = work.vetting.as_ref().map_or(0.0, |vetting| vetting.score);
    let (section, role) = if listed { ("Entry", Role::Other) } else { ("Abstract", Role::Abstract) };
    Some(Source {
        title: work.title.clone(),
        authors: work.authors.clone(),
        year: work.year,
        doi: work.doi.clone(),
        venue: work.venue.clone(),
        key: work.doi.clone().or_else(|| work.url.clone()).unwrap_or_else(|| work.work_id.clone()),
        ..outside(&work.work_id, section, role, passage, score)
    })
}

/// A work as a line of a bibliography.
fn entry(work: &Work) -> String {
    let names = match work.authors.as_slice() {
        [] => String::new(),
        [first @ .., _] if first.len() >= 3 => format!("{} et al.", work.authors[0]),
        all => all.join(", "),
    };
    let parts = [
        Some(names).filter(|names| !names.is_empty()),
        work.year.map(|year| year.to_string()),
        Some(work.title.clone()),
        work.venue.clone(),
        work.doi.as_ref().map(|doi| format!("doi:{doi}")),
    ];
    let line = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let concern = match work.retraction.as_ref().map(|it| it.status) {
        Some(RetractionStatus::Concern) => " (the publisher has expressed concern)",
        _ => "",
    };
    format!("{line}{concern}.")
}

/// Counts as sentences: what can be cited can be checked.
fn of_counts(external: &External) -> Option<Source> {
    let attempt = external.attempts.iter().rfind(|attempt| attempt.of == RouteName::Trend && attempt.vetted > 0)?;
    if external.counts.is_empty() {
        return None;
    }
    let topic = &attempt.query;
    let line = |count: &techrag_core::record::YearCount| {
        let partial = if count.partial { " so far" } else { "" };
        format!("In {}{partial}, OpenAlex counts {} works on {topic}.", count.year, count.works)
    };
    let lines: Vec<String> = external.counts.iter().map(line).collect();
    let name = text::prefix(&id::sha256(topic.as_bytes()), 16).to_owned();
    Some(Source {
        title: format!("Works by year on {topic}"),
        venue: Some("OpenAlex".into()),
        key: "https://api.openalex.org/works".into(),
        ..outside(&name, "Counts", Role::Results, lines.join("\n"), 1.0)
    })
}

fn of_page(page: &WebPage) -> Source {
    let name = text::prefix(&id::sha256(page.url.as_bytes()), 16).to_owned();
    let score = page.vetting.as_ref().map_or(0.0, |vetting| vetting.score);
    let year = page.published.as_ref().and_then(|date| date.get(..4)?.parse().ok());
    Source {
        title: page.title.clone(),
        year,
        venue: Some(format!("web, seen {}", page.fetched)),
        key: page.url.clone(),
        ..outside(&name, "Snippet", Role::Other, page.text.clone(), score)
    }
}

fn outside(name: &str, section: &str, role: Role, text: String, score: f64) -> Source {
    let passage = Passage { uid: id::uid(name, 0), section: section.into(), role, text, score, ..Passage::default() };
    Source {
        doc_id: name.to_owned(),
        origin: SourceOrigin::External,
        score,
        passages: vec![passage],
        ..Source::default()
    }
}

#[cfg(test)]
mod tests {
    use techrag_core::record::{Evidence, Hit, Retraction, Verdict, Vetting};

    use super::super::{Config, run};
    use super::*;

    fn work(title: &str, summary: Option<&str>, passed: bool) -> Work {
        Work {
            work_id: id::text_sha1(title),
            title: title.into(),
            doi: Some("10.1000/a".into()),
            venue: Some("Snow Journal".into()),
            summary: summary.map(str::to_owned),
            vetting: Some(Vetting { passed, score: 0.7, ..Vetting::default() }),
            ..Work::default()
        }
    }

    fn asked(works: Vec<Work>, score: f64, verdict: Verdict) -> Query {
        let mut query = Query::new("How does tyre grip change on snow?");
        let text = "Tyre grip falls on snow.".to_owned();
        query.hits =
            Some(vec![Hit { doc_id: "d".into(), uid: "d:0".into(), key: "a.pdf".into(), text, ..Hit::default() }]);
        query.evidence = Some(Evidence { score, verdict, ..Evidence::default() });
        query.external = Some(Box::new(External { works, ..External::default() }));
        run(&mut query, Config { chunks: 6, sentences: 5, max_prompt_tokens: None });
        query
    }

    fn labels(query: &Query) -> Vec<String> {
        query.sources.iter().flatten().map(Source::label).collect()
    }

    #[test]
    fn vetted_works_are_sources_behind_the_library() {
        let mut retracted = work("Retracted", Some("Grip on snow."), true);
        retracted.retraction = Some(Retraction { status: RetractionStatus::Retracted, ..Retraction::default() });
        let works = vec![
            work("Grip on snow", Some("Tyre grip on snow is 0.3."), true),
            work("Bees", Some("Honey."), false),
            work("Title alone", None, true),
            retracted,
        ];
        let query = asked(works, 60.0, Verdict::Moderate);
        assert_eq!(labels(&query), ["SOURCE 1", "EXTERNAL 2"]);
        let prompt = query.prompt.unwrap().user;
        assert!(prompt.contains("[EXTERNAL 2: Grip on snow]") && prompt.contains("10.1000/a"), "{prompt}");
        assert!(prompt.contains("Snow Journal") && prompt.contains("Tyre grip on snow is 0.3."), "{prompt}");
    }

    #[test]
    fn hopeless_evidence_makes_room_only_for_something_better() {
        let found = vec![work("Grip on snow", Some("Tyre grip on snow is 0.3."), true)];
        assert_eq!(labels(&asked(found, 12.0, Verdict::Weak)), ["EXTERNAL 1"]);
        assert_eq!(labels(&asked(vec![], 12.0, Verdict::Weak)), ["SOURCE 1"]);
    }
}
