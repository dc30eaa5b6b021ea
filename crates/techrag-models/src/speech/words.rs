//! Whisper's tokens: which of them are words, what the others tell the model, and which it must not say.

use std::path::Path;

use tokenizers::Tokenizer;

/// Tokens of a multilingual model (openai/whisper, model.py, `is_multilingual`).
const MULTILINGUAL: usize = 51_865;
/// Signs that are written but not said (tokenizer.py, `non_speech_tokens`); alone and after a space.
const UNSAID: &str = "\" # ( ) * + / : ; < = > @ [ \\ ] ^ _ ` { | } ~ 「 」 『 』 << >> <<< >>> -- --- -( -[ (' (\" (( )) \
                      ((( ))) [[ ]] {{ }} ♪♪ ♪♪♪";
/// Signs whose first byte is enough to know them.
const MUSIC: &str = "♩ ♪ ♫ ♬ ♭ ♮ ♯";

/// A token.
pub(super) type Token = u32;

/// The tokens of a model.
pub(super) struct Words {
    tokenizer: Tokenizer,
    /// How many there are, times included.
    pub(super) count: usize,
    /// Ends what is said; below it are words.
    pub(super) end: Token,
    /// Begins what is said.
    pub(super) start: Token,
    /// There is no speech.
    pub(super) silence: Token,
    /// The first time, 0.00; each further is [`STAMP`](super::windows::STAMP) frames later.
    pub(super) times: Token,
    /// Languages by their codes; empty where the model knows only English.
    pub(super) languages: Vec<(String, Token)>,
    transcribe: Token,
    /// Never said.
    pub(super) unsaid: Vec<Token>,
    /// Not said first: nothing, and a space.
    pub(super) blank: Vec<Token>,
}

impl Words {
    /// Reads a `tokenizer.json` for a model of so many tokens; in words what it lacks.
    pub(super) fn open(path: &Path, count: usize) -> Result<Self, String> {
        let said = |error: String| format!("{}: {error}", path.display());
        let tokenizer = Tokenizer::from_file(path).map_err(|error| said(error.to_string()))?;
        let mut words = Self::new(tokenizer, count).map_err(said)?;
        if count < MULTILINGUAL {
            words.languages.clear();
        }
        Ok(words)
    }

    fn new(tokenizer: Tokenizer, count: usize) -> Result<Self, String> {
        let token =
            |name: &str| tokenizer.token_to_id(&format!("<|{name}|>")).ok_or_else(|| format!("it has no token {name}"));
        let (end, start, before) = (token("endoftext")?, token("startoftranscript")?, token("startofprev")?);
        let (translate, transcribe, solo) = (token("translate")?, token("transcribe")?, token("startoflm")?);
        let silence = token("nospeech").or_else(|_| token("nocaptions"))?;
        let times = token("notimestamps")? + 1;
        let ordered = [end, start, translate, transcribe, solo, before, silence, times];
        if !ordered.is_sorted() || times as usize >= count {
            return Err("its tokens are not those of the model".to_owned());
        }
        let language = |at| Some((code(&tokenizer.id_to_token(at)?)?, at));
        let languages = (start + 1..translate).filter_map(language).collect();
        let mut unsaid = [start, before, solo, silence, translate, transcribe, times - 1].to_vec();
        unsaid.extend(start + 1..translate);
        unsaid.extend(signs(&tokenizer).into_iter().filter(|&sign| sign < times));
        let space = one(&tokenizer, " ").filter(|&space| space < times);
        let blank = [Some(end), space].into_iter().flatten().collect();
        Ok(Self { tokenizer, count, end, start, silence, times, languages, transcribe, unsaid, blank })
    }

    /// What the model is told before it speaks, after [`Words::start`].
    pub(super) fn task(&self, language: Option<Token>) -> Vec<Token> {
        language.map_or_else(Vec::new, |language| vec![language, self.transcribe])
    }

    /// Whether a token is a time.
    pub(super) fn is_time(&self, token: Token) -> bool {
        token >= self.times
    }

    /// The text of the words among some tokens.
    pub(super) fn text(&self, tokens: &[Token]) -> Result<String, String> {
        let words: Vec<Token> = tokens.iter().copied().filter(|&token| token < self.end).collect();
        self.tokenizer.decode(&words, false).map_err(|error| error.to_string())
    }
}

/// `<|en|>` is `en`.
fn code(token: &str) -> Option<String> {
    token.strip_prefix("<|")?.strip_suffix("|>").map(str::to_owned)
}

fn first(tokenizer: &Tokenizer, text: &str) -> Vec<Token> {
    tokenizer.encode(text, false).map_or_else(|_| Vec::new(), |encoding| encoding.get_ids().to_vec())
}

/// A text that is one token.
fn one(tokenizer: &Tokenizer, text: &str) -> Option<Token> {
    let tokens = first(tokenizer, text);
    tokens.first().copied().filter(|_| tokens.len() == 1)
}

fn signs(tokenizer: &Tokenizer) -> Vec<Token> {
    let both = |sign: &str| [sign.to_owned(), format!(" {sign}")];
    let whole = UNSAID.split_whitespace().flat_map(both).filter_map(|sign| one(tokenizer, &sign));
    let music = MUSIC.split_whitespace().flat_map(both).filter_map(|sign| first(tokenizer, &sign).first().copied());
    // Hyphens and apostrophes within words only.
    let within = [" -", " '"].into_iter().filter_map(|sign| first(tokenizer, sign).first().copied());
    let mut signs: Vec<Token> = whole.chain(music).chain(within).collect();
    signs.sort_unstable();
    signs.dedup();
    signs
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A vocabulary of 10 words, the special tokens from 10, and times from 20 to `count`.
    pub(in super::super) fn small(count: usize) -> Words {
        let special =
            "endoftext startoftranscript en de translate transcribe startoflm startofprev nocaptions notimestamps";
        let added = (10..).zip(special.split(' ')).map(|(id, name)| {
            serde_json::json!({ "id": id, "content": format!("<|{name}|>"), "single_word": false, "lstrip": false,
                "rstrip": false, "normalized": false, "special": true })
        });
        let bytes = serde_json::json!({ "type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true,
            "use_regex": true });
        let json = serde_json::json!({ "version": "1.0", "added_tokens": added.collect::<Vec<_>>(),
            "pre_tokenizer": bytes, "decoder": bytes, "model": { "type": "BPE", "unk_token": "(",
            "merges": ["\u{120} -", "\u{120} \u{e2}", "\u{120} '"],
            "vocab": { "a": 0, "b": 1, "\u{120}": 2, "(": 3, "-": 4, "\u{120}-": 5, "\u{e2}": 6, "\u{120}\u{e2}": 7,
                "'": 8, "\u{120}'": 9 } } });
        Words::new(Tokenizer::from_bytes(json.to_string()).unwrap(), count).unwrap()
    }

    #[test]
    fn tokens_are_told_apart() {
        let words = small(1600);
        assert_eq!(words.languages, [("en".to_owned(), 12), ("de".to_owned(), 13)]);
        assert_eq!((words.task(Some(13)), words.task(None)), (vec![13, 15], vec![]));
        assert!(words.is_time(20) && !words.is_time(19));
        assert_eq!(words.text(&[20, 0, 2, 1, 5, 10, 21]).unwrap(), "a b -");
        assert_eq!(words.blank, [10, 2], "neither the end nor a space comes first");
        let mut unsaid = words.unsaid;
        unsaid.sort_unstable();
        // Brackets, music, hyphens and apostrophes after a space; special tokens but for the end.
        assert_eq!(unsaid, [3, 5, 6, 7, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
    }

    #[test]
    fn a_tokenizer_of_another_model_is_refused() {
        let tokenizer = small(1600).tokenizer;
        assert!(Words::new(tokenizer, 20).is_err());
        let missing = Words::open(Path::new("nowhere.json"), 1600).err().unwrap();
        assert!(missing.starts_with("nowhere.json: "), "{missing}");
    }
}
