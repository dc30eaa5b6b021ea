//! The loops: optimise the query, search, merge, vet, and again until two works stand, or the attempts are used up. The
//! best attempt is kept.
//!
//! | loop | sources | attempts | enough |
//! |---|---|---|---|
//! | content | all chosen | 3 | two vetted works with an abstract |
//! | bibliometric | OpenAlex | 5 | two vetted works |
//! | trend | OpenAlex, grouped by year | 5 | works in two years or more |
//! | current_world | the web search | 2 | two vetted pages |
//!
//! A loop ends early when no source answered: the next attempt would meet the same refusals.

use std::time::SystemTime;

use techrag_core::lexical;
use techrag_core::record::{Attempt, Query, RetractionStatus, RouteName, SourceOutcome, WebPage, Work, YearCount};

use crate::optimise::{self, Asked};
use crate::sources::{Search, Source};
use crate::vet::{self, EVIDENCE, TOPIC};
use crate::world::{World, nobody_answered};
use crate::{dedup, name};

/// Attempts of the content loop (SPEC section 9).
const CONTENT: usize = 3;
/// Attempts of the bibliometric and the trend loop (SPEC section 9).
const TOPICAL: usize = 5;
/// Attempts of the web search: the question itself, then its content words.
const WEB: usize = 2;
/// Vetted works that are enough (SPEC section 9).
pub(crate) const ENOUGH: usize = 2;

/// What a loop found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) attempts: Vec<Attempt>,
    pub(crate) works: Vec<Work>,
    pub(crate) counts: Vec<YearCount>,
    pub(crate) pages: Vec<WebPage>,
    /// What ended it before its time.
    pub(crate) note: Option<String>,
}

/// One attempt's yield.
struct Yield<T> {
    said: Vec<SourceOutcome>,
    found: usize,
    /// How many of those kept stood the vetting; they come first.
    passed: usize,
    kept: Vec<T>,
}

impl World<'_> {
    /// The content loop.
    pub(crate) fn content(&self, query: &Query) -> Found {
        let terms = lexical::terms(&query.question);
        let asked = optimise::content(query);
        let (attempts, works, note) = self.attempts(RouteName::Content, CONTENT, asked, |asked| {
            let (said, records) = self.search_all(&self.words(asked, None));
            let mut works = dedup::merged(records);
            let found = works.len();
            vet::works(&query.question, &terms, EVIDENCE, &mut works, self.cosines);
            let passed = self.keep(&mut works, |_| false);
            Yield { said, found, passed, kept: works }
        });
        Found { attempts, works, note, ..Found::default() }
    }

    /// The bibliometric loop.
    pub(crate) fn bibliometric(&self, query: &Query) -> Found {
        let (question, now) = (&query.question, self.config.year);
        let terms = optimise::topic_terms(question);
        let person = optimise::author(question);
        let (who, ids) = match &person {
            Some(name) => {
                let (said, ids) = self.author_ids(name);
                (Some(said), ids)
            }
            None => (None, None),
        };
        let mut asked = optimise::topic(question, now);
        if asked.is_empty() && ids.is_some() {
            let made = "rules: everything of the author".to_owned();
            let (since, until) = optimise::years(question, now);
            asked.push(Asked { query: String::new(), since, until, made });
        }
        let (attempts, works, note) = self.attempts(RouteName::Bibliometric, TOPICAL, asked, |asked| {
            let (said, records) = self.search(Source::OpenAlex, &self.words(asked, ids.clone()));
            let mut works = dedup::merged(records);
            let found = works.len();
            vet::works(question, &terms, TOPIC, &mut works, self.cosines);
            let own = |work: &Work| {
                person.as_ref().is_some_and(|name| name::shared(std::slice::from_ref(name), &work.authors) > 0)
            };
            let passed = self.keep(&mut works, own);
            Yield { said: who.clone().into_iter().chain([said]).collect(), found, passed, kept: works }
        });
        Found { attempts, works, note, ..Found::default() }
    }

    /// The trend loop.
    pub(crate) fn trend(&self, query: &Query) -> Found {
        let asked = optimise::topic(&query.question, self.config.year);
        let (attempts, counts, note) = self.attempts(RouteName::Trend, TOPICAL, asked, |asked| {
            let (said, counts) = self.counts(&self.words(asked, None));
            let within = |count: &YearCount| {
                asked.since.is_none_or(|since| count.year >= since)
                    && asked.until.is_none_or(|until| count.year <= until)
            };
            let kept: Vec<YearCount> = counts.iter().copied().filter(within).collect();
            Yield { said: vec![said], found: counts.len(), passed: kept.len(), kept }
        });
        Found { attempts, counts, note, ..Found::default() }
    }

    /// The web search.
    pub(crate) fn current_world(&self, query: &Query) -> Found {
        let question = query.question.trim().trim_end_matches('?').to_owned();
        let terms = lexical::terms(&query.question);
        let words: Vec<&str> = terms.iter().map(|term| term.word.as_str()).collect();
        let one = |query: String, made: &str| Asked { query, since: None, until: None, made: made.into() };
        let mut asked = vec![one(question, "the question")];
        asked.push(one(words.join(" "), "rules: the question's content words"));
        let (attempts, pages, note) = self.attempts(RouteName::CurrentWorld, WEB, asked, |asked| {
            let (said, pages) = self.pages(&asked.query);
            let found = pages.len();
            let kept = vet::pages(&query.question, &terms, pages, self.cosines);
            Yield { said: vec![said], found, passed: kept.len(), kept }
        });
        Found { attempts, pages, note, ..Found::default() }
    }

    /// Keeps what stood the vetting, and what would have if it were not retracted: that is shown, with its flag. With
    /// [`Config::rejected`] everything stays. How many passed.
    ///
    /// [`Config::rejected`]: crate::Config::rejected
    fn keep(&self, works: &mut Vec<Work>, own: impl Fn(&Work) -> bool) -> usize {
        let retracted =
            |work: &Work| work.retraction.as_ref().is_some_and(|it| it.status == RetractionStatus::Retracted);
        for work in works.iter_mut().filter(|work| own(work) && !retracted(work)) {
            if let Some(vetting) = work.vetting.as_mut().filter(|vetting| !vetting.passed) {
                vetting.passed = true;
                vetting.why = format!("by the author asked for; {}", vetting.why);
            }
        }
        let passed = |work: &Work| work.vetting.as_ref().is_some_and(|vetting| vetting.passed);
        let near = |work: &Work| work.vetting.as_ref().is_some_and(|vetting| vetting.why.ends_with(vet::BUT_RETRACTED));
        works.retain(|work| self.config.rejected || passed(work) || near(work));
        works.sort_by_key(|work| !passed(work));
        works.iter().filter(|work| passed(work)).count()
    }

    fn words(&self, asked: &Asked, author: Option<String>) -> Search {
        let Asked { query, since, until, .. } = asked.clone();
        Search { query, since, until, author, rows: self.config.rows }
    }

    /// Attempts until one gives enough. The best is kept: most vetted, of equals the first.
    fn attempts<T>(
        &self,
        of: RouteName,
        most: usize,
        asked: Vec<Asked>,
        attempt: impl Fn(&Asked) -> Yield<T>,
    ) -> (Vec<Attempt>, Vec<T>, Option<String>) {
        let started = self.now();
        let (mut attempts, mut best, mut best_passed, mut note) = (Vec::new(), Vec::new(), 0, None);
        for (n, asked) in (1..).zip(asked.iter().take(most)) {
            let spent = self.now().duration_since(started).unwrap_or_default();
            if n > 1 && spent >= self.config.per_question {
                note = Some(format!("no attempt after {:.0} s", spent.as_secs_f64()));
                break;
            }
            let Yield { said, found, passed, mut kept } = attempt(asked);
            let silent = nobody_answered(&said);
            attempts.push(written(of, n, asked, said, found, passed));
            let enough = passed >= ENOUGH;
            if passed > best_passed || (best_passed == 0 && best.is_empty()) {
                std::mem::swap(&mut best, &mut kept);
                best_passed = passed;
            }
            if silent && n < most as u32 {
                note = Some("no source answered: no further attempt".into());
            }
            if enough || silent {
                break;
            }
        }
        best.truncate(if of == RouteName::Trend { usize::MAX } else { self.config.most });
        (attempts, best, note)
    }

    fn now(&self) -> SystemTime {
        self.desk.client().config().clock.now()
    }
}

fn written(of: RouteName, n: u32, asked: &Asked, sources: Vec<SourceOutcome>, found: usize, vetted: usize) -> Attempt {
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    Attempt {
        of,
        n,
        query: asked.query.clone(),
        made: asked.made.clone(),
        since: asked.since,
        sources,
        found: count(found),
        vetted: count(vetted),
    }
}
