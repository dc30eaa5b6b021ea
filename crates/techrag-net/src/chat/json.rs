//! JSON out of what a model said: fenced, prefixed, after a thinking tag, cut off, or with a comma too many.

use serde_json::Value;

/// Beginnings that are tried before giving up; a reply full of brackets must not cost more.
const TRIED: usize = 16;

/// A value found in a reply, and what had to be overlooked to find it.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The value.
    pub value: Value,
    /// What was wrong with the reply, if anything, in words.
    pub repair: Option<&'static str>,
}

/// The first JSON object or array in a reply.
///
/// | reply | what is done |
/// |---|---|
/// | `<think>…</think>{…}` | what was thought is left out |
/// | ```` ```json … ``` ````, `Here it is: {…} Good luck!` | what stands around is left out |
/// | `{"a": [1, 2` | what is open is closed; a string cut off inside counts as far as it goes, a field without a value goes |
/// | `{"a": 1,}` | the comma goes |
///
/// `None` if there is none.
pub fn find(reply: &str) -> Option<Found> {
    let spoken = after_thinking(reply);
    if let Ok(value) = serde_json::from_str::<Value>(spoken.trim())
        && (value.is_object() || value.is_array())
    {
        let repair = (spoken.len() < reply.len()).then_some("the reply thought aloud first");
        return Some(Found { value, repair });
    }
    // In the order they stand: of a cut object, an inner one may be whole, and is not what was meant.
    spoken.match_indices(['{', '[']).map(|(at, _)| &spoken[at..]).take(TRIED).find_map(|start| {
        let found = |value, repair| Found { value, repair: Some(repair) };
        let whole = whole(start).map(|value| found(value, "the reply said more than the JSON"));
        whole.or_else(|| {
            let mended = opens_object(start).then(|| mended(start)).flatten()?;
            Some(found(mended, "the JSON of the reply was cut off or malformed, and mended"))
        })
    })
}

/// Whether a text begins as an object does: a brace and a quoted name.
fn opens_object(text: &str) -> bool {
    text.strip_prefix('{').is_some_and(|rest| rest.trim_start().starts_with('"'))
}

fn after_thinking(reply: &str) -> &str {
    ["</think>", "</thinking>", "</reasoning>", "<|message|>"]
        .iter()
        .filter_map(|tag| reply.rfind(tag).map(|at| at + tag.len()))
        .max()
        .map_or(reply, |at| &reply[at..])
}

/// A whole value at the beginning of a text. Empty ones are taken for prose (`[]`, `{}` in a sentence).
fn whole(text: &str) -> Option<Value> {
    let value = serde_json::Deserializer::from_str(text).into_iter::<Value>().next()?.ok()?;
    let empty = value.as_object().map(serde_json::Map::is_empty).or(value.as_array().map(Vec::is_empty));
    (empty == Some(false)).then_some(value)
}

/// What is left of a text that holds a value, cut off or with commas before a closing bracket.
fn mended(text: &str) -> Option<Value> {
    let mut out = String::with_capacity(text.len() + 8);
    let mut open: Vec<char> = Vec::new();
    let (mut inside, mut escaped) = (false, false);
    // Where the value could end: after a complete element, with the brackets open there.
    let mut safe: Option<(usize, Vec<char>)> = None;
    for c in text.chars() {
        if inside {
            // A line end inside a string is an error of the writer, not the end of the string.
            if c == '\n' || c == '\t' {
                out.push(' ');
            } else {
                out.push(c);
            }
            (inside, escaped) = (escaped || c != '"', c == '\\' && !escaped);
            continue;
        }
        match c {
            '"' => inside = true,
            '{' => open.push('}'),
            '[' => open.push(']'),
            '}' | ']' => {
                out.truncate(out.trim_end().trim_end_matches(',').len());
                if open.pop() != Some(c) {
                    break;
                }
            }
            ',' => safe = Some((out.len(), open.clone())),
            _ => {}
        }
        out.push(c);
        if open.is_empty() {
            return parsed(&out, &[]);
        }
    }
    let escape = usize::from(inside && escaped);
    out.truncate(out.len() - escape);
    if inside {
        out.push('"');
    }
    parsed(&out, &open).or_else(|| {
        let (end, open) = safe?;
        parsed(out.get(..end)?, &open)
    })
}

fn parsed(text: &str, open: &[char]) -> Option<Value> {
    let mut text = text.trim_end().trim_end_matches(',').to_owned();
    text.extend(open.iter().rev());
    whole(&text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn json_is_found_in_what_models_say() {
        let value = json!({ "a": [1, { "b": "x, \"y\" ]" }] });
        let plain = value.to_string();
        assert_eq!(find(&plain), Some(Found { value: value.clone(), repair: None }));
        for reply in [
            format!("<think>\nmaybe {{\"a\": 2}}?\n</think>\n{plain}"),
            format!("```json\n{plain}\n```"),
            format!("Here it is:\n{plain}\nI hope it [helps]!"),
            format!("In short {{}}: {plain}"),
            plain.replace("]\"}]}", "]\",},],}"),
        ] {
            let found = find(&reply).unwrap_or_else(|| panic!("nothing in {reply}"));
            assert!(found.value == value && found.repair.is_some(), "{reply}: {found:?}");
        }
    }

    #[test]
    fn what_was_cut_off_counts_as_far_as_it_goes() {
        for (reply, value) in [
            (r#"{"s": [{"t": "One."}, {"t": "Tw"#, json!({ "s": [{ "t": "One." }, { "t": "Tw" }] })),
            (r#"{"s": [{"t": "One."}, {"t": "#, json!({ "s": [{ "t": "One." }] })),
            (r#"{"s": [1, 2"#, json!({ "s": [1, 2] })),
            (r#"{"s": "a\"#, json!({ "s": "a" })),
            ("{\"s\": \"a\nb\"}", json!({ "s": "a b" })),
            (r#"{"s": 1, "t"#, json!({ "s": 1 })),
        ] {
            assert_eq!(find(reply).map(|found| found.value), Some(value), "{reply}");
        }
    }

    #[test]
    fn prose_holds_no_json() {
        for reply in ["", "No.", "See [1] no, see {that}", "{", "<think>{\"a\":1}</think>", "[]]]", "{\"a\"}"] {
            let found = find(reply);
            assert!(found.is_none() || reply.starts_with("See"), "{reply}: {found:?}");
        }
    }

    proptest! {
        #[test]
        fn any_beginning_of_json_and_any_noise_end_well(cut in 0..60usize, noise in "[\\[\\]{}\",:a1\\\\ ]{0,80}") {
            let plain = json!({ "sentences": [{ "text": "a\\\"b", "cite": [1, 2] }, { "text": "c", "cite": [] }] }).to_string();
            let beginning: String = plain.chars().take(cut).collect();
            let _ = find(&beginning);
            let _ = find(&noise);
            let _ = find(&format!("{noise}{plain}"));
        }
    }
}
