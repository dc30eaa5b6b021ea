//! Which of the works found speak of the question, by a rule that can be argued with.
//!
//! A work passes if it is not retracted, names the question's things (the literal floor), holds enough of its content
//! terms and, where a sentence encoder is there, is near enough in meaning. Citation counts play no part: they put
//! famous works on other topics in front. The thresholds were chosen on judged collections; `docs/EXTERNAL.md` shows
//! the figures.

use techrag_core::lexical::{self, Bag, Idf, Term};
use techrag_core::record::{RetractionStatus, Vetting, WebPage, Work};

/// Version of the rule.
pub(crate) const BY: &str = "rules: vet/1";

/// How the reason of a work ends that would have passed.
pub(crate) const BUT_RETRACTED: &str = "; would pass, but it is retracted";

/// How near texts are to a question: cosines, −1 to 1.
pub type Cosines<'a> = dyn Fn(&str, &[&str]) -> Result<Vec<f32>, String> + Sync + 'a;

/// Content terms that must stand in the text, or all where there are fewer.
const LITERAL: usize = 2;
/// Characters of a text that the encoder is given: it reads about so many.
const READ: usize = 1500;

/// What a text has to reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bar {
    /// Share of the content terms; words of general English weigh less.
    pub(crate) coverage: f64,
    /// Cosine.
    pub(crate) cosine: f64,
    /// The share where there is no encoder.
    pub(crate) alone: f64,
    /// Whether a title alone is enough to judge by.
    pub(crate) title_alone: bool,
}

/// For evidence: an abstract that speaks of the question.
pub(crate) const EVIDENCE: Bar = Bar { coverage: 0.3, cosine: 0.5, alone: 0.65, title_alone: false };
/// For lists of works on a topic.
pub(crate) const TOPIC: Bar = Bar { coverage: 0.5, cosine: 0.35, alone: 0.6, title_alone: true };
/// For pages of the web, of which a few words are shown.
pub(crate) const PAGE: Bar = Bar { coverage: 0.4, cosine: 0.35, alone: 0.5, title_alone: true };

/// What is measured.
struct Measure<'a> {
    question: &'a str,
    terms: &'a [Term],
    bar: Bar,
}

/// Writes `vetting` into every work and sorts them: passed first, then by score, then by id.
pub(crate) fn works(question: &str, terms: &[Term], bar: Bar, works: &mut [Work], cosines: Option<&Cosines<'_>>) {
    let measure = Measure { question, terms, bar };
    let texts: Vec<String> = works.iter().map(text).collect();
    let cosines = measure.cosines(&texts, cosines);
    for (at, work) in works.iter_mut().enumerate() {
        let on = if work.summary.is_some() { "abstract" } else { "title" };
        let mut vetting = measure.vetting(&texts[at], on, cosines.as_ref().and_then(|all| all.get(at).copied()));
        let retracted = work.retraction.as_ref().is_some_and(|it| it.status == RetractionStatus::Retracted);
        if retracted && vetting.passed {
            vetting.passed = false;
            vetting.why.push_str(BUT_RETRACTED);
        }
        work.vetting = Some(vetting);
    }
    let key = |work: &Work| work.vetting.as_ref().map_or((true, 0.0), |vetting| (!vetting.passed, -vetting.score));
    works.sort_by(|a, b| {
        let (a_key, b_key) = (key(a), key(b));
        a_key.0.cmp(&b_key.0).then(a_key.1.total_cmp(&b_key.1)).then_with(|| a.work_id.cmp(&b.work_id))
    });
}

/// The same for pages; those that do not pass are left out.
pub(crate) fn pages(
    question: &str,
    terms: &[Term],
    pages: Vec<WebPage>,
    cosines: Option<&Cosines<'_>>,
) -> Vec<WebPage> {
    let measure = Measure { question, terms, bar: PAGE };
    let texts: Vec<String> = pages.iter().map(|page| format!("{}. {}", page.title, page.text)).collect();
    let cosines = measure.cosines(&texts, cosines);
    let mut vetted: Vec<WebPage> = pages
        .into_iter()
        .enumerate()
        .map(|(at, page)| {
            let cosine = cosines.as_ref().and_then(|all| all.get(at).copied());
            let vetting = measure.vetting(&texts[at], "title and snippet", cosine);
            WebPage { vetting: Some(vetting), ..page }
        })
        .filter(|page| page.vetting.as_ref().is_some_and(|vetting| vetting.passed))
        .collect();
    let score = |page: &WebPage| page.vetting.as_ref().map_or(0.0, |vetting| vetting.score);
    vetted.sort_by(|a, b| score(b).total_cmp(&score(a)).then_with(|| a.url.cmp(&b.url)));
    vetted
}

fn text(work: &Work) -> String {
    format!("{}. {}", work.title, work.summary.as_deref().unwrap_or_default())
}

impl Measure<'_> {
    /// `None` where there is no encoder, or it failed: words decide then, and the vetting says so.
    fn cosines(&self, texts: &[String], cosines: Option<&Cosines<'_>>) -> Option<Vec<f64>> {
        let heads: Vec<&str> = texts.iter().map(|text| techrag_core::text::prefix(text, READ)).collect();
        if heads.is_empty() {
            return None;
        }
        let found = cosines?(self.question, &heads).ok()?;
        Some(found.into_iter().map(f64::from).collect())
    }

    fn vetting(&self, text: &str, on: &str, cosine: Option<f64>) -> Vetting {
        let bag = Bag::alike(text);
        let held: Vec<&Term> = self.terms.iter().filter(|term| bag.holds(term) >= 0.5).collect();
        let strong = self.terms.iter().filter(|term| !term.weak).count();
        let literal = held.iter().filter(|term| !term.weak).count() >= LITERAL.min(strong.max(1));
        let coverage = lexical::coverage(self.terms, &Idf::default(), |term| bag.holds(term));
        let near = match cosine {
            Some(cosine) => coverage >= self.bar.coverage && cosine >= self.bar.cosine,
            None => coverage >= self.bar.alone,
        };
        let readable = self.bar.title_alone || on != "title";
        let score = cosine.map_or(coverage, |cosine| 0.5 * coverage + 0.5 * cosine.clamp(0.0, 1.0));
        let why = self.why(&held, literal, near, readable, cosine);
        Vetting {
            passed: literal && near && readable && !self.terms.is_empty(),
            on: on.into(),
            coverage: rounded(coverage),
            cosine: cosine.map(rounded),
            score: rounded(score),
            why,
            by: BY.into(),
        }
    }

    fn why(&self, held: &[&Term], literal: bool, near: bool, readable: bool, cosine: Option<f64>) -> String {
        let words: Vec<&str> = held.iter().map(|term| term.word.as_str()).collect();
        let holds = if words.is_empty() { "holds no term".into() } else { format!("holds {}", words.join(", ")) };
        let missed: Vec<&str> =
            self.terms.iter().filter(|term| !held.contains(term)).map(|term| term.word.as_str()).collect();
        let misses = if missed.is_empty() { String::new() } else { format!(", not {}", missed.join(", ")) };
        let meaning = cosine.map_or(", compared by words alone".into(), |cosine| format!(", cosine {cosine:.2}"));
        let fault = match (readable, literal, near) {
            (false, ..) => "; no abstract to judge by",
            (_, false, _) => "; too few of the question's things",
            (_, _, false) => "; not near enough",
            _ => "",
        };
        format!("{holds}{misses}{meaning}{fault}")
    }
}

/// Four digits are what the figures are good for.
fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

#[cfg(test)]
mod tests {
    use techrag_core::record::Retraction;

    use super::*;

    const QUESTION: &str = "How does relaxation length of a tyre change with wheel load?";

    fn work(title: &str, summary: Option<&str>) -> Work {
        Work { title: title.into(), summary: summary.map(str::to_owned), work_id: title.into(), ..Work::default() }
    }

    fn vetted(mut all: Vec<Work>, bar: Bar) -> Vec<(String, bool)> {
        works(QUESTION, &lexical::terms(QUESTION), bar, &mut all, None);
        all.into_iter().map(|work| (work.title, work.vetting.unwrap().passed)).collect()
    }

    #[test]
    fn works_on_other_things_do_not_pass() {
        let summary = "The relaxation length of tyres grows with the load on the wheel.";
        let found = vec![
            work("Hypertension guidelines", Some("Blood pressure in adults.")),
            work("Relaxation length of tyres under load", None),
            work("Tyre transients", Some(summary)),
        ];
        let said = vetted(found.clone(), EVIDENCE);
        assert_eq!(said[0], ("Tyre transients".into(), true));
        assert!(said[1..].iter().all(|(_, passed)| !passed), "{said:?}");
        assert!(vetted(found, TOPIC).contains(&("Relaxation length of tyres under load".into(), true)));
    }

    #[test]
    fn what_is_retracted_sinks_and_says_so() {
        let mut bad = work("Tyre transients", Some("The relaxation length of tyres grows with wheel load."));
        bad.retraction = Some(Retraction { status: RetractionStatus::Retracted, ..Retraction::default() });
        let mut all = vec![bad];
        works(QUESTION, &lexical::terms(QUESTION), EVIDENCE, &mut all, None);
        let vetting = all[0].vetting.as_ref().unwrap();
        assert!(!vetting.passed && vetting.why.ends_with(BUT_RETRACTED), "{vetting:?}");
    }

    #[test]
    fn an_encoder_can_refuse_what_words_let_pass() {
        let far = |_: &str, texts: &[&str]| Ok(vec![0.1; texts.len()]);
        let mut all = vec![work("Tyre transients", Some("The relaxation length of tyres grows with wheel load."))];
        works(QUESTION, &lexical::terms(QUESTION), EVIDENCE, &mut all, Some(&far));
        assert!(!all[0].vetting.as_ref().unwrap().passed);
        let broken = |_: &str, _: &[&str]| Err("no model".to_owned());
        works(QUESTION, &lexical::terms(QUESTION), EVIDENCE, &mut all, Some(&broken));
        assert!(all[0].vetting.as_ref().unwrap().passed && all[0].vetting.as_ref().unwrap().cosine.is_none());
    }
}
