//! What retrieval reads in place of the question.

use techrag_core::{lexical, text};

/// How the text query is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewrite {
    /// It is the question, to the letter.
    Off,
    /// The long forms of known abbreviations are added to it.
    Terms,
    /// It is what a model made of it; without a model, the question.
    Model,
}

/// Abbreviations of engineering and information retrieval, folded, sorted, with their long forms.
const LONG_FORMS: &[(&str, &str)] = &[
    ("abs", "anti-lock braking system"),
    ("acc", "adaptive cruise control"),
    ("adas", "advanced driver assistance systems"),
    ("aeb", "automatic emergency braking"),
    ("cfd", "computational fluid dynamics"),
    ("cog", "centre of gravity"),
    ("ekf", "extended Kalman filter"),
    ("esc", "electronic stability control"),
    ("fem", "finite element method"),
    ("fft", "fast Fourier transform"),
    ("gnss", "global navigation satellite system"),
    ("imu", "inertial measurement unit"),
    ("lqr", "linear quadratic regulator"),
    ("mems", "micro-electro-mechanical systems"),
    ("mf", "Magic Formula"),
    ("mpc", "model predictive control"),
    ("pvdf", "polyvinylidene fluoride piezoelectric"),
    ("rag", "retrieval-augmented generation"),
    ("rls", "recursive least squares"),
    ("rms", "root mean square"),
    ("rmse", "root mean square error"),
    ("rrf", "reciprocal rank fusion"),
    ("saw", "surface acoustic wave"),
    ("snr", "signal-to-noise ratio"),
    ("tpms", "tyre pressure monitoring system"),
    ("ttc", "time to collision"),
    ("ukf", "unscented Kalman filter"),
];

/// The question as dense and lexical retrieval read it.
pub(super) fn text_query(question: &str, rewrite: Rewrite) -> String {
    let mut query = question.to_owned();
    if rewrite == Rewrite::Terms {
        let folded = text::fold(question);
        for term in lexical::terms(question) {
            let Ok(at) = LONG_FORMS.binary_search_by(|(short, _)| (*short).cmp(&term.word)) else { continue };
            let long = LONG_FORMS[at].1;
            // `saw` and `rag` are words too: only capitals are abbreviations.
            let written = question.split(|c: char| !c.is_alphanumeric()).any(|word| word == term.word.to_uppercase());
            if written && !folded.contains(&text::fold(long)) {
                query.push(' ');
                query.push_str(long);
            }
        }
    }
    query
}

/// The question as page retrieval reads it: what is to be seen, without the words that only ask for it.
pub(super) fn visual_query(question: &str) -> String {
    let squeezed = text::squeeze(question);
    let words: Vec<&str> = squeezed.trim_end_matches(['?', '.', '!', ' ']).split(' ').collect();
    let asks = |word: &&&str| lexical::is_scaffold(&text::fold(word.trim_matches(|c: char| !c.is_alphanumeric())));
    let subject: Vec<&str> = words.iter().skip(words.iter().take_while(asks).count()).copied().collect();
    let subject = if subject.is_empty() { words } else { subject };
    format!("figure or chart showing {}", subject.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_forms_are_sorted_and_only_added() {
        assert!(LONG_FORMS.is_sorted());
        let query = text_query("Friction for AEB, I saw", Rewrite::Terms);
        assert_eq!(query, "Friction for AEB, I saw automatic emergency braking");
        assert_eq!(text_query("Friction for AEB", Rewrite::Off), "Friction for AEB");
        let known = "automatic emergency braking (AEB)";
        assert_eq!(text_query(known, Rewrite::Terms), known);
    }

    #[test]
    fn the_visual_query_says_what_is_to_be_seen() {
        assert_eq!(visual_query("How does the brush model saturate?"), "figure or chart showing brush model saturate");
        assert_eq!(visual_query("What is it?"), "figure or chart showing What is it");
        assert_eq!(visual_query(""), "figure or chart showing ");
    }
}
